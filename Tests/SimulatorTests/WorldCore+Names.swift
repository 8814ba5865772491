import Simulator
import StateMachines

/// A world addressed by names, as the daemon does for its clients.
extension WorldCore {
  @discardableResult
  mutating func make(
    _ kind: Kind, _ name: String, initial: Int? = nil, _ parameters: [(parameter: Int, value: Value)] = []
  ) throws(CreationFailure) -> MachineID {
    let bytes = Array(name.utf8)
    let result = bytes.withUnsafeBytes { name in
      Result { () throws(CreationFailure) in
        try create(kind, named: name, initial: initial, parameters: parameters)
      }
    }
    return try result.get()
  }

  func machine(_ name: String) -> MachineID? {
    Array(name.utf8).withUnsafeBytes { find($0) }
  }

  /// A machine that must exist.
  func known(_ name: String) -> MachineID {
    guard let machine = machine(name) else { preconditionFailure("there is no \(name)") }
    return machine
  }

  /// One event to a machine, after the timers that are due.
  mutating func send(_ name: String, _ event: String, _ arguments: Value...) {
    guard let machine = machine(name), let place = kind(of: machine).events.firstIndex(where: { $0.name == event })
    else { preconditionFailure("\(name) has no \(event)") }
    fireDue()
    if arguments.isEmpty, kind(of: machine).isPlain(place) {
      send(machine, plain: place)
    } else {
      send(machine, event: place, arguments)
    }
  }

  mutating func drop(_ name: String) {
    fireDue()
    drop(known(name))
  }

  /// A wire between two machines, its ends as `name.output` and `name.event`.
  func wire(from: String, to: String) -> Wire {
    func end(_ text: String) -> (machine: MachineID, word: Substring) {
      guard let dot = text.lastIndex(of: "."), let machine = machine(String(text[..<dot])) else {
        preconditionFailure("there is no \(text)")
      }
      return (machine, text[text.index(after: dot)...])
    }
    let (source, target) = (end(from), end(to))
    guard let output = kind(of: source.machine).outputs.firstIndex(where: { $0.name == source.word }),
      let event = kind(of: target.machine).events.firstIndex(where: { $0.name == target.word })
    else { preconditionFailure("no wire goes from \(from) to \(to)") }
    return Wire(from: source.machine, output: output, to: target.machine, event: event)
  }

  /// Moves time without a limit on timers; true if it arrived.
  @discardableResult
  mutating func advance(to seconds: Double) -> Bool {
    guard let interval = Nanoseconds(seconds: seconds) else { preconditionFailure("\(seconds) s is no time") }
    return advance(toNanoseconds: interval.nanoseconds)
  }

  @discardableResult
  mutating func advance(toNanoseconds nanoseconds: Int64) -> Bool {
    var budget = Int.max
    return advance(to: Instant(nanoseconds: nanoseconds), budget: &budget) == .reached
  }

  func state(_ name: String) -> String { state(of: known(name)) }
}
