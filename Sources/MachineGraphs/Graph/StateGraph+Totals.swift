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
    // `*` of a document stands for events that it does not name; nobody can try them.
    var totals = Totals(states: states.count, events: eventInputs.count { !$0.isEmpty })
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

extension StateGraph {
  /// The size of the rule and the outcomes of its inputs, in words.
  var summary: [String] {
    let totals = totals
    func counted(_ number: Int, _ one: String, _ many: String) -> String { "\(number) \(number == 1 ? one : many)" }
    let found = totals.found < totals.states ? " (\(totals.found) found)" : ""
    let outcomes = [
      (totals.moved, "move"), (totals.stayed, "stay"), (totals.ignored, "ignored"), (totals.refused, "refused"),
      (totals.untried, "never came about"),
    ]
    let states = "\(counted(totals.states, "state", "states"))\(kind.regionSizes.map { " of \($0)" } ?? "")\(found), "
    guard totals.classPairs > 0 else { return [states + "no event"] }
    return [
      states
        + "\(counted(totals.events, "event", "events")): \(counted(totals.pairs, "pair", "pairs")), "
        + counted(totals.transitions, "transition", "transitions"),
      "\(counted(totals.classPairs, "pair", "pairs")) with the classes of data: "
        + outcomes.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", "),
    ]
  }
}

extension Kind {
  /// The numbers of states of the regions, and of those outside them: `3 + 3 + 2`. `nil` without regions.
  public var regionSizes: String? {
    let outline = Outline(states, of: self)
    guard outline.regions.count > 1 else { return nil }
    let inside = outline.leaves.filter { $0.count > 1 }
    let sizes = outline.regions.indices.map { region in "\(Set(inside.map { $0[region] }).count)" }
    let outside = states.count - inside.count
    return sizes.joined(separator: " + ") + (outside > 0 ? ", and \(outside) outside them" : "")
  }
}
