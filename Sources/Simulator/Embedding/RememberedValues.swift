import StateMachines
import Synchronization

/// Values by number: what the journal keeps of events and parameters that nobody has described.
///
/// Each value is kept once, for as long as the kind lives: as many as different ones were sent.
final class RememberedValues<T: Hashable & Sendable>: Sendable {
  private let values = Mutex<(list: [T], numbers: [T: Int])>(([], [:]))

  func number(of value: T) -> Int {
    values.withLock { values in
      if let known = values.numbers[value] { return known }
      values.list.append(value)
      values.numbers[value] = values.list.count - 1
      return values.list.count - 1
    }
  }

  subscript(number: Int) -> T { values.withLock { $0.list[number] } }
}

extension Kind {
  /// The kind of a machine that has none of its own, for a world: the journal keeps the numbers of its events with data and
  /// of its parameters.
  convenience init<M: Machine>(remembering machine: M.Type) {
    let events = RememberedValues<M.Event>()
    let sets = RememberedValues<M.Parameters>()
    let standard = sets.number(of: M.Parameters())
    let number = ValueType.integer(0...Int.max)
    self.init(
      machine,
      events: [
        .anyEvent(
          "event", [ArgumentEntry(name: "number", type: number, samples: [])],
          make: { events[Int($0[0]) ?? 0] }, values: { [.integer(events.number(of: $0))] })
      ],
      parameters: [
        ParameterForm(
          "parameters", number, get: { .integer(sets.number(of: $0)) }, set: { $0 = sets[Int($1) ?? standard] })
      ])
  }
}
