public import StateMachines

extension StateGraph {
  /// The size of a kind's rule.
  public struct Totals: Hashable, Sendable {
    public var states = 0
    public var events = 0
    /// States times events, by name.
    public var pairs: Int { states * events }
    /// States times events, where an event counts once for each sample choice.
    public var classPairs = 0
    /// Class pairs by their strongest outcome: moved, stayed, ignored, refused.
    public var moved = 0
    public var stayed = 0
    public var ignored = 0
    public var refused = 0
    /// Class pairs that never occurred: the state was not reached or does not last.
    public var untried: Int { classPairs - moved - stayed - ignored - refused }
    /// Different moves by events: from a state, by an event's name, to a state.
    public var transitions = 0
    /// States that were reached.
    public var found = 0
  }

  public var totals: Totals {
    var totals = Totals(states: states.count, events: kind.events.count)
    for state in states.indices {
      if reaches[state] != .unreached { totals.found += 1 }
      for event in kind.events.indices {
        var targets: [Int] = []
        for input in eventInputs[event] {
          totals.classPairs += 1
          for outcome in cells[state][input] where outcome.verdict == .moved && !targets.contains(outcome.to) {
            targets.append(outcome.to)
          }
          switch verdict(in: state, of: input) {
          case .moved: totals.moved += 1
          case .stayed: totals.stayed += 1
          case .ignored: totals.ignored += 1
          case .refused: totals.refused += 1
          case nil: break
          }
        }
        totals.transitions += targets.count
      }
    }
    return totals
  }

  /// The strongest outcome of an input in a state; `nil` if it never occurred there.
  public func verdict(in state: Int, of input: Int) -> Verdict? {
    cells[state][input].map(\.verdict).min { $0.rawValue < $1.rawValue }
  }

  /// Whether a machine in this state can do nothing more: every event is refused and no timer runs.
  public func isFinal(_ state: Int) -> Bool {
    let outcomes = cells[state].joined()
    return !outcomes.isEmpty && outcomes.allSatisfy { $0.verdict == .refused }
  }
}
