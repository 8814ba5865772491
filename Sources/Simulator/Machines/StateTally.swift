import StateMachines

/// How many machines are in each state, counted a piece at a time.
package struct StateTally: Sendable {
  /// By the kind's place: how many are in each of its states.
  private var byKind: [[Int]] = []
  fileprivate var next = 0

  package init() {}

  fileprivate mutating func add(kind: Int, states: Int, state: Int) {
    while byKind.count <= kind { byKind.append([]) }
    if byKind[kind].isEmpty { byKind[kind] = Array(repeating: 0, count: states) }
    byKind[kind][state] += 1
  }

  /// By the kind's and the state's places; kinds of which none was counted are left out.
  package var counts: [Int: [Int]] {
    var counts: [Int: [Int]] = [:]
    for (kind, states) in byKind.enumerated() where !states.isEmpty { counts[kind] = states }
    return counts
  }
}

extension WorldCore {
  /// Goes on with counting in which states the machines are that are to be counted. Each counts as it is when its turn
  /// comes.
  ///
  /// - Parameter budget: The most numbers of machines to look at; lowered by those that were.
  /// - Returns: Whether all are counted.
  package func count(
    into tally: inout StateTally, budget: inout Int,
    _ isCounted: (_ machine: MachineID, _ name: UnsafeRawBufferPointer, _ kind: Int) -> Bool
  ) -> Bool {
    while tally.next < registry.capacity {
      guard budget > 0 else { return false }
      budget -= 1
      let machine = MachineID(UInt32(tally.next))
      tally.next += 1
      let location = registry.location(of: machine)
      guard location.isSomewhere else { continue }
      let (cell, kind) = population.cell(at: location)
      guard registry.withName(of: machine, { isCounted(machine, $0, kind) }) else { continue }
      let slot = population.slots[kind]
      tally.add(
        kind: kind, states: slot.words.states.count, state: Int(slot.machine.stateIndex(cell + slot.valueOffset)))
    }
    return true
  }

  /// How many machines that are counted there are in each state, by the kind's and the state's places.
  ///
  /// - Complexity: O(machines).
  package func counts(
    _ isCounted: (_ machine: MachineID, _ name: UnsafeRawBufferPointer, _ kind: Int) -> Bool
  ) -> [Int: [Int]] {
    var tally = StateTally()
    var budget = Int.max
    _ = count(into: &tally, budget: &budget, isCounted)
    return tally.counts
  }
}
