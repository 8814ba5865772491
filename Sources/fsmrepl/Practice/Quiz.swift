internal import LineProtocol

/// Questions about what inputs do to a machine, with the outcomes that the engine found. It only decides: it asks
/// nobody and shows nothing.
struct Quiz: Equatable {
  /// What an input did.
  enum Outcome: Equatable {
    case moved(to: String)
    case stayed
    case ignored
    case refused
  }

  struct Question: Equatable {
    /// The request, without a machine: `tap`, `character a`.
    let input: String
    /// The state before.
    let state: String
    let outcome: Outcome
    /// The daemon's answer, which has the reasons.
    let reply: ServerLine
    /// The state after all that the input caused, through wires too.
    let after: String
  }

  /// Some questions about one state.
  struct Scene: Equatable {
    let state: String
    /// The input that led here from the scene before.
    let cause: String?
    /// The timers that run.
    var timers: [String] = []
    var questions: [Question] = []
  }

  enum Judgement: Equatable {
    case right(Question)
    case wrong(Question)
    /// It is true of the state before as well, so it does not say what will happen.
    case vague
    /// It is neither a state of the machine nor an outcome.
    case unknown
  }

  let machine: String
  /// The names of the machine's states, as `describe` has them: of each region its own.
  let states: [String]
  private let scenes: [Scene]
  private var scene = 0
  private var index = 0
  private(set) var right = 0
  private(set) var asked = 0

  /// The outcomes that an answer can name, besides a state.
  static let outcomes = ["stayed", "ignored", "refused"]

  var prompt: Prompt { Prompt(parts: [.init(.attention, "quiz"), .init(.quiet, "\(asked + 1)/\(count)")]) }

  /// The completions of an answer.
  func completion(of text: String) -> Completion {
    Completion(
      candidates: (states + Self.outcomes).filter { $0.hasPrefix(text) }.map { Completion.Candidate(text: $0) },
      typed: text)
  }

  /// - Parameter scenes: Those without a question are left out.
  init(machine: String, states: [String], scenes: [Scene]) {
    self.machine = machine
    self.states = states
    self.scenes = scenes.filter { !$0.questions.isEmpty }
  }

  var count: Int { scenes.reduce(0) { $0 + $1.questions.count } }

  /// The next question; `nil` at the end.
  var question: Question? { scenes.indices.contains(scene) ? scenes[scene].questions[index] : nil }

  /// The scene that begins with the next question.
  var opening: Scene? { index == 0 && scenes.indices.contains(scene) ? scenes[scene] : nil }

  /// Judges an answer to the present question: a state, `stayed`, `ignored` or `refused`, or a sentence with one of them.
  ///
  /// After a right or a wrong answer the next question follows.
  ///
  /// - Returns: `nil` at the end of the quiz.
  mutating func judge(_ answer: String) -> Judgement? {
    guard let question else { return nil }
    var judgement = judgement(of: answer, question)
    if case .unknown = judgement, let word = meaning(of: answer) { judgement = self.judgement(of: word, question) }
    switch judgement {
    case .right: right += 1
    case .wrong: break
    case .vague, .unknown: return judgement
    }
    asked += 1
    index += 1
    if index == scenes[scene].questions.count { (scene, index) = (scene + 1, 0) }
    return judgement
  }

  /// A state or an outcome that is written as in a lesson: in another case, or in a sentence.
  private func meaning(of answer: String) -> String? {
    guard !answer.contains("+"), let meant = LessonAnswer(answer, states: states, machine: machine),
      meant.verdict != .nothing
    else { return nil }
    return meant.verdict?.rawValue ?? meant.state
  }

  private func judgement(of answer: String, _ question: Question) -> Judgement {
    // A state may have the name of an outcome.
    let wanted = StateText(answer)
    let isAfter = question.outcome.isHandled && wanted?.matches(question.after) == true
    switch (answer, question.outcome) {
    case ("stayed", .stayed), ("ignored", .ignored), ("refused", .refused): return .right(question)
    case ("stayed", _), ("ignored", _), ("refused", _): return isAfter ? .right(question) : .wrong(question)
    case _:
      guard let wanted, isKnown(answer) || wanted.matches(question.state) || wanted.matches(question.after) else {
        return .unknown
      }
      guard wanted.matches(question.after) else { return .wrong(question) }
      if case .moved = question.outcome, StateName(question.after) == StateName(question.state) {
        return .right(question)
      }
      // One of several regions, or a state around both, is the same as before; or nothing changes.
      return wanted.matches(question.state) ? .vague : isAfter ? .right(question) : .wrong(question)
    }
  }

  /// Whether each part of an answer is a state of the machine, or one around some.
  private func isKnown(_ answer: String) -> Bool {
    StateName(answer).text.split(separator: "+").allSatisfy { part in
      StateText(String(part)).map { wanted in states.contains { wanted.matches($0) } } ?? false
    }
  }
}

extension Quiz.Outcome {
  /// Whether the machine did something.
  var isHandled: Bool {
    switch self {
    case .moved, .stayed: true
    case .ignored, .refused: false
    }
  }

  /// - Returns: `nil` for an answer that says nothing about the machine, as to a request that is not possible at all.
  init?(_ reply: ServerLine) {
    switch (reply.lineClass, reply.words.first) {
    case (.success, "moved") where reply.words.count > 2: self = .moved(to: reply.words[2])
    case (.success, "stayed"): self = .stayed
    case (.success, "ignored"): self = .ignored
    case (.failure, FailureCode.refused.word): self = .refused
    case _: return nil
    }
  }
}

/// The name of a state as the daemon prints it, without its data.
struct StateName: Hashable {
  let text: String

  init(_ state: String) {
    text = String(state.prefix { $0 != "(" })
  }
}
