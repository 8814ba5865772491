import StateMachines

/// The cause of a move: an event or a timer, as an index in the kind's list.
public enum GraphTrigger: Hashable, Sendable {
  case event(Int)
  case timer(Int)
}

extension StateGraph {
  /// Samples separated by bars; only the first ones if there are many.
  static func listed(_ samples: [String]) -> String {
    let most = 4
    return samples.prefix(most).joined(separator: "|") + (samples.count > most ? "|…" : "")
  }

  func arguments(of input: Int) -> [Value] {
    if case .event(_, let arguments) = inputs[input] { arguments } else { [] }
  }
}
