import StateMachines

/// How many machines are in each state, counted in slices.
package struct StateTally: Sendable {
  /// By kind index: how many are in each of its states.
  private var byKind: [[Int]] = []
  fileprivate var next = 0

  package init() {}

  fileprivate mutating func add(kind: Int, states: Int, state: Int) {
    while byKind.count <= kind { byKind.append([]) }
    if byKind[kind].isEmpty { byKind[kind] = Array(repeating: 0, count: states) }
    byKind[kind][state] += 1
  }

  /// By kind index and state index; kinds without counted machines are omitted.
  package var counts: [Int: [Int]] {
    var counts: [Int: [Int]] = [:]
    for (kind, states) in byKind.enumerated() where !states.isEmpty { counts[kind] = states }
    return counts
  }
}

extension WorldCore {
  /// Continues counting the states of selected machines. Each machine counts with its state at that time.
  ///
  /// - Parameter budget: The most machine numbers to process; lowered by those processed.
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

  /// How many selected machines are in each state, by kind index and state index.
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
