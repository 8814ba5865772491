import StateMachines

/// A route from one machine's output to another's event.
package struct Wire: Hashable, Sendable {
  package let from: MachineID
  /// The index of the output in its machine's kind.
  package let output: Int
  package let to: MachineID
  /// The index of the event in its machine's kind.
  package let event: Int

  package init(from: MachineID, output: Int, to: MachineID, event: Int) {
    self.from = from
    self.output = output
    self.to = to
    self.event = event
  }
}

/// The wires of a world, by source machine.
struct Wires {
  private var all: Set<Wire> = []
  private var bySource: [MachineID: [Wire]] = [:]
  /// For each target machine, how many wires come from which source, so that dropping it costs only its own wires.
  private var sources: [MachineID: [MachineID: Int]] = [:]

  @inline(__always)
  var isEmpty: Bool { all.isEmpty }

  var count: Int { all.count }

  /// The approximate memory, in bytes.
  ///
  /// - Complexity: O(1): assumes that lists and inner tables are filled as on average.
  var bytes: Int { bytesOfACopy + bySource.count * 48 + sources.count * 112 }

  /// The approximate memory that a copy takes once both have changed: lists and inner tables that neither has changed
  /// stay shared.
  ///
  /// - Complexity: O(1).
  var bytesOfACopy: Int {
    let wire = MemoryLayout<Wire>.stride
    let reference = 2 * MemoryLayout<UInt64>.stride
    return tableBytes(capacity: all.capacity, stride: wire) + tableBytes(capacity: bySource.capacity, stride: reference)
      + tableBytes(capacity: sources.capacity, stride: reference) + count * (wire + wire / 2)
  }

  /// The wires from a machine, in order of creation.
  func from(_ machine: MachineID) -> [Wire] { bySource[machine] ?? [] }

  func contains(_ wire: Wire) -> Bool { all.contains(wire) }

  /// The machines with outgoing wires, unordered.
  var origins: some Sequence<MachineID> { bySource.keys }

  mutating func add(_ wire: Wire) {
    guard all.insert(wire).inserted else { return }
    bySource[wire.from, default: []].append(wire)
    sources[wire.to, default: [:]][wire.from, default: 0] += 1
  }

  mutating func remove(_ wire: Wire) {
    guard all.remove(wire) != nil else { return }
    bySource[wire.from]?.removeAll { $0 == wire }
    if bySource[wire.from]?.isEmpty == true { bySource[wire.from] = nil }
    forgetSource(of: wire)
  }

  /// Removes every wire that begins or ends at a machine.
  ///
  /// - Complexity: O(wires of the machine, and of those that are wired to it).
  mutating func removeAll(of machine: MachineID) {
    for wire in bySource.removeValue(forKey: machine) ?? [] {
      all.remove(wire)
      forgetSource(of: wire)
    }
    for source in (sources.removeValue(forKey: machine) ?? [:]).keys {
      for wire in from(source) where wire.to == machine { all.remove(wire) }
      bySource[source]?.removeAll { $0.to == machine }
      if bySource[source]?.isEmpty == true { bySource[source] = nil }
    }
  }

  private mutating func forgetSource(of wire: Wire) {
    sources[wire.to]?[wire.from]? -= 1
    if sources[wire.to]?[wire.from] == 0 { sources[wire.to]?[wire.from] = nil }
    if sources[wire.to]?.isEmpty == true { sources[wire.to] = nil }
  }
}
