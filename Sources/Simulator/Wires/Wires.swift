import StateMachines

/// A route from one machine's output to another's event.
package struct Wire: Hashable, Sendable {
  package let from: MachineID
  /// The place of the output in its machine's kind.
  package let output: Int
  package let to: MachineID
  /// The place of the event in its machine's kind.
  package let event: Int

  package init(from: MachineID, output: Int, to: MachineID, event: Int) {
    self.from = from
    self.output = output
    self.to = to
    self.event = event
  }
}

/// The wires of a world, by the machine they come from.
struct Wires {
  private var all: Set<Wire> = []
  private var bySource: [MachineID: [Wire]] = [:]
  /// For each machine that wires end at, how many come from which, so that dropping one costs what ends at it.
  private var sources: [MachineID: [MachineID: Int]] = [:]

  @inline(__always)
  var isEmpty: Bool { all.isEmpty }

  var count: Int { all.count }

  /// About how many bytes all of it takes.
  ///
  /// - Complexity: O(1), since lists and inner tables are taken to be as full as they are on the average.
  var bytes: Int {
    let wire = MemoryLayout<Wire>.stride
    let reference = 2 * MemoryLayout<UInt64>.stride
    return tableBytes(capacity: all.capacity, stride: wire)
      + tableBytes(capacity: bySource.capacity, stride: reference) + bySource.count * 48
      + tableBytes(capacity: sources.capacity, stride: reference) + sources.count * 112
      + count * (wire + wire / 2)
  }

  /// The wires from a machine, in the order in which they were made.
  func from(_ machine: MachineID) -> [Wire] { bySource[machine] ?? [] }

  func contains(_ wire: Wire) -> Bool { all.contains(wire) }

  /// The machines that wires come from, in no order.
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

  /// Takes away every wire that begins or ends at a machine.
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
