import MachineForms
import StateMachines

/// A feature by a script: which effects an action has, what is sent and said after an effect. Its state is the names of
/// its effects, in the order in which they were applied.
struct ScriptedFeature: Feature {
  typealias State = [String]
  typealias Wish = String
  typealias Effect = String
  typealias News = String

  /// Who notes each call of a part.
  final class Notes {
    var lines: [String] = []
  }

  var notes = Notes()
  var first: [String] = []
  /// The effects of an action, one letter each; `…` keeps the stream open.
  var effects: [String: String] = [:]
  /// What the post-processor sends after an effect.
  var posts: [String: String] = [:]
  /// What is said after an effect.
  var news: [String: String] = [:]

  func bootstrapper() -> [String] { first }

  func actor(_ state: [String], _ action: String, _ effects: inout Effects<String>) {
    notes.lines.append("actor \(action) s\(state.count)")
    for letter in self.effects[action] ?? "" {
      if letter == "…" { effects.later() } else { effects.emit(String(letter)) }
    }
  }

  func reducer(_ state: [String], _ effect: String) -> [String] { state + [effect] }

  func postProcessor(_ action: String, _ effect: String, _ state: [String]) -> String? {
    notes.lines.append("post \(action) \(effect) s\(state.count)")
    return posts[effect]
  }

  func newsPublisher(_ action: String, _ effect: String, _ state: [String]) -> String? {
    news[effect].map { "\($0) s\(state.count)" }
  }
}

/// Writes down what it hears among the calls of the feature's parts, and answers news.
struct ScriptedListener: FeatureListener {
  typealias Subject = ScriptedFeature

  var notes = ScriptedFeature.Notes()
  /// The wishes that are sent in answer to a piece of news, one letter each; `!` disposes of the feature.
  var answers: [String: String] = [:]

  init(_ feature: ScriptedFeature, answers: [String: String] = [:]) {
    notes = feature.notes
    self.answers = answers
  }

  mutating func hear(state: [String]) {
    notes.lines.append("s\(state.count)")
  }

  mutating func hear(news: String, from store: inout FeatureStore<ScriptedFeature>, _ feature: ScriptedFeature) {
    notes.lines.append("news \(news), now s\(store.state.count)")
    for letter in answers[String(news.prefix { $0 != " " })] ?? "" {
      if letter == "!" { store.dispose() } else { store.accept(String(letter), by: feature, to: &self) }
    }
  }

  mutating func hear(open stream: FeatureStore<ScriptedFeature>.Stream) {
    notes.lines.append("open \(stream.key) of \(stream.action) s\(stream.state.count)")
  }
}
