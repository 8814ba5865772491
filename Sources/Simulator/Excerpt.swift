package import StateMachines

/// A stretch of a world's journal that is not in memory any more, in a form in which it can be read: a world with names and
/// kinds, but without machines.
package struct Excerpt: ~Copyable {
  /// Its journal has the inputs of the segment up to ``last``.
  package let world: World
  /// The last input that can be read with these names; another excerpt goes on behind it.
  package let last: UInt64

  /// - Parameters:
  ///   - bytes: A segment.
  ///   - from: The first input that is wanted of it.
  ///   - numbers: The inputs that it has.
  ///   - present: The world whose journal it is, which knows what was undone.
  ///   - undone: What else was undone of it: each stretch up to the input that undid it, in order.
  ///   - owner: Who had a number at an input, which may be the one that made it; nil if nobody.
  /// - Returns: Nil if what the segment speaks of is not known.
  package init?(
    of bytes: UnsafeRawBufferPointer, from start: UInt64, _ numbers: ClosedRange<UInt64>,
    in present: borrowing World, undone: [ClosedRange<UInt64>], _ catalogue: Catalogue,
    owner: (_ machine: MachineID, _ sequence: UInt64, _ isNew: Bool) throws -> (kind: String, name: String)?
  ) rethrows {
    guard let journal = Journal(segment: bytes, numbers) else { return nil }
    var world = World(limits: present.limits)
    world.journal = journal
    for stretch in undone {
      world.past.undone.append(Past.Undone(from: stretch.lowerBound, by: stretch.upperBound))
    }
    // What was undone last is not stored yet.
    for stretch in present.past.undone { Past.undo(from: stretch.from, by: stretch.by, in: &world.past.undone) }
    var reader = world.journal.reader(from: numbers.lowerBound)
    var known: Set<MachineID> = []
    var last = numbers.upperBound
    reading: while let entry = world.journal.read(&reader) {
      guard entry.sequence >= start else { continue }
      for machine in entry.machines where entry.input == .created || !known.contains(machine) {
        guard let (kindName, name) = try owner(machine, entry.sequence, entry.input == .created),
          case .machine(let kind)? = catalogue[kindName]
        else { return nil }
        if known.contains(machine), world.registry.speaks(of: machine, otherThan: name) {
          last = entry.sequence - 1
          break reading
        }
        known.insert(machine)
        world.registry.note(name, kind: world.population.place(of: kind), as: machine, world.population)
      }
    }
    self.world = world
    self.last = last
  }
}

extension JournalEntry {
  /// The machines that its lines name.
  var machines: [MachineID] {
    var machines = machine == .nobody ? [] : [machine]
    guard hasDetails else { return machines }
    var details = DetailReader(self)
    while let detail = details.next() {
      switch detail {
      case .source(let machine, _), .target(let machine, _): machines.append(machine)
      case .renewed(let timer): machines.append(timer.machine)
      case .emitted, .armed, .disarmed, .dataBefore, .dataAfter, .arguments, .parameters, .initial, .kind, .due, .key,
        .undone:
        break
      }
    }
    return machines
  }
}
