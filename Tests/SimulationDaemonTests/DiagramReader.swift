import Foundation
import Testing

/// A diagram as another program reads it: `format=json` with `show=all`, taken by what `Docs/Protocol.md` says of it.
struct DiagramReader {
  let isComplete: Bool
  let why: String
  private let transitions: [Transition]
  /// The names of the orthogonal regions, and the state around them; none without regions.
  private let regions: Int
  private let composite: String?

  struct Transition: Hashable {
    let from: String
    let to: String
    let event: String?
    let timer: String?
    let outputs: [String]
    let effect: String
  }

  /// What a machine does, in the words of the journal.
  struct Deed: Hashable {
    let from: String
    let to: String
    let trigger: String
    let isTimer: Bool
    let verdict: String
    let outputs: [String]
  }

  init(_ json: String) throws {
    let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    isComplete = try #require(object["complete"] as? Bool)
    why = try #require(object["why"] as? String)
    let states = try #require(object["states"] as? [[String: Any]])
    // States within the same state, in different regions of it, are active at the same time.
    var byParent: [String: Set<String>] = [:]
    for state in states {
      guard let parent = state["parent"] as? String, let region = state["region"] as? String else { continue }
      byParent[parent, default: []].insert(region)
    }
    composite = byParent.first { $0.value.count > 1 }?.key
    regions = byParent.values.map(\.count).max() ?? 0
    transitions = try #require(object["transitions"] as? [[String: Any]]).map { members in
      Transition(
        from: try #require(members["from"] as? String), to: try #require(members["to"] as? String),
        event: members["event"] as? String, timer: members["timer"] as? String,
        outputs: try #require(members["outputs"] as? [String]), effect: try #require(members["effect"] as? String))
    }
  }

  /// The active states of a machine: its state, or one in each region.
  private func parts(_ word: String) -> [String] {
    let parts = word.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
    return composite != nil && parts.count == regions ? parts : [word]
  }

  /// Whether the diagram has what a machine does.
  func has(_ deed: Deed) -> Bool {
    let (from, to) = (parts(deed.from), parts(deed.to))
    let own = transitions.filter {
      from.contains($0.from) && (deed.isTimer ? $0.timer == deed.trigger : $0.event == deed.trigger)
    }
    if from.count == 1, to.count == 1 {
      return own.contains { $0.to == to[0] && $0.effect == deed.verdict && $0.outputs == deed.outputs }
    }
    // In a machine with regions each region has the outputs that come with its changes.
    guard deed.outputs.allSatisfy({ output in own.contains { $0.outputs.contains(output) } }) else { return false }
    if from == to || from.count == 1 || to.count == 1 {
      return own.contains { $0.effect == deed.verdict && (to.contains($0.to) || to.count > 1 && $0.to == composite) }
    }
    return zip(from, to).allSatisfy { old, new in
      old == new || own.contains { $0.from == old && $0.to == new && $0.effect == "moved" }
    }
  }
}
