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
  private var bySource: [MachineID: [Wire]] = [:]
  /// How many wires end at a machine, so that dropping one that none ends at costs nothing.
  private var endings: [MachineID: Int] = [:]
  private(set) var count = 0

  @inline(__always)
  var isEmpty: Bool { count == 0 }

  /// The wires from a machine, in the order in which they were made.
  func from(_ machine: MachineID) -> [Wire] { bySource[machine] ?? [] }

  func contains(_ wire: Wire) -> Bool { from(wire.from).contains(wire) }

  /// All wires, those of a machine together and in the order in which they were made.
  var all: [Wire] { bySource.values.flatMap { $0 } }

  mutating func add(_ wire: Wire) {
    bySource[wire.from, default: []].append(wire)
    endings[wire.to, default: 0] += 1
    count += 1
  }

  mutating func remove(_ wire: Wire) {
    guard let place = bySource[wire.from]?.firstIndex(of: wire) else { return }
    bySource[wire.from]?.remove(at: place)
    if bySource[wire.from]?.isEmpty == true { bySource[wire.from] = nil }
    endings[wire.to, default: 1] -= 1
    if endings[wire.to] == 0 { endings[wire.to] = nil }
    count -= 1
  }

  /// Takes away every wire that begins or ends at a machine.
  mutating func removeAll(of machine: MachineID) {
    for wire in from(machine) { remove(wire) }
    guard endings[machine] != nil else { return }
    for wire in all where wire.to == machine { remove(wire) }
  }
}
