import StateMachines
import Synchronization

/// Numbers for the events and parameters of a kind without descriptions. The journal stores the numbers.
///
/// Each distinct value is stored once, for the lifetime of the kind.
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
  /// Creates a kind for a machine type without its own. The journal stores numbers for its events with data and its
  /// parameters.
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
