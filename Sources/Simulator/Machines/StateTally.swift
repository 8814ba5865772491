package import StateMachines

/// How many machines are in each state, counted in slices.
package struct StateTally: Sendable {
  /// By kind index: how many are in each of its states.
  private var byKind: [[Int]] = []
  /// By kind index; nil for a kind without counted machines.
  private var numbers: [StateNumbers?] = []
  fileprivate var next = 0

  package init() {}

  fileprivate mutating func add(_ kind: Kind, at place: Int, state: Int, data: @autoclosure () -> String?) {
    while byKind.count <= place {
      byKind.append([])
      numbers.append(nil)
    }
    if numbers[place] == nil {
      numbers[place] = StateNumbers(of: kind)
      byKind[place] = Array(repeating: 0, count: kind.hasStatesNamedByData ? 0 : kind.states.count)
    }
    guard let number = numbers[place]?.number(of: state, data: data()) else { return }
    if number == byKind[place].count { byKind[place].append(0) }
    byKind[place][number] += 1
  }

  /// The states of a kind with counted machines, by the numbers of ``counts``.
  package func states(ofKind place: Int) -> [StateEntry] { numbers[place]?.states ?? [] }

  package func numbers(ofKind place: Int) -> StateNumbers? { numbers[place] }

  /// By kind index and state number (``StateNumbers``); kinds without counted machines are omitted.
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
      let value = cell + slot.valueOffset
      tally.add(
        population.kinds[kind], at: kind, state: Int(slot.machine.stateIndex(value)),
        data: slot.machine.stateData(value))
    }
    return true
  }

  /// How many selected machines are in each state, by kind index and state number.
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
