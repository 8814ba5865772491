public import StateMachines

extension StateGraph {
  /// How large a kind's rule is.
  public struct Totals: Hashable, Sendable {
    public var states = 0
    public var events = 0
    /// States times events, by name.
    public var pairs: Int { states * events }
    /// States times events, an event counted once for each choice of its samples.
    public var classPairs = 0
    /// Class pairs by the strongest of their outcomes: moved, stayed, ignored, refused.
    public var moved = 0
    public var stayed = 0
    public var ignored = 0
    public var refused = 0
    /// Class pairs that never came about, as their state was not found or does not last.
    public var untried: Int { classPairs - moved - stayed - ignored - refused }
    /// Different moves by events: from a state by an event, by their names, to a state.
    public var transitions = 0
    /// States that were found.
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

  /// The strongest outcome of an input in a state; `nil` if it never happened there.
  public func verdict(in state: Int, of input: Int) -> Verdict? {
    cells[state][input].map(\.verdict).min { $0.rawValue < $1.rawValue }
  }

  /// Whether a machine in a state does nothing any more: every event is refused there, and no timer runs.
  public func isFinal(_ state: Int) -> Bool {
    let outcomes = cells[state].joined()
    return !outcomes.isEmpty && outcomes.allSatisfy { $0.verdict == .refused }
  }
}
