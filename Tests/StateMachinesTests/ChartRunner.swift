import StateMachines
import Testing

/// One machine on its own, stepped without a kind. It keeps what was armed, and raised events wait until they are
/// fired.
// Safety: `machine`, `parameters` and `events` are initialised from `init` to `deinit`.
final class ChartRunner<M: Machine> {
  private let machine = UnsafeMutablePointer<M>.allocate(capacity: 1)
  private let parameters = UnsafeMutablePointer<M.Parameters>.allocate(capacity: 1)
  private var record = StepRecord(generator: Generator(seed: 0))
  /// The timers that run, and when they are due, in nanoseconds.
  private(set) var timers: [String: Int64] = [:]
  /// What the machine has said while it was made.
  private(set) var beginning: String = ""

  /// The events that timers bring.
  private let events: UnsafeMutableBufferPointer<M.Event>

  /// - Parameter events: Those that timers bring.
  init(_ type: M.Type, in initial: String? = nil, timers events: [M.Event] = []) {
    self.events = .allocate(capacity: events.count)
    _ = self.events.initialize(from: events)
    parameters.initialize(to: M.Parameters())
    begin()
    let place = initial.flatMap { M.State.Name.words.firstIndex(of: $0) }
    _ = M.initialize(machine, initial: place, parameters, &record)
    beginning = effects()
  }

  deinit {
    machine.deinitialize(count: 1)
    machine.deallocate()
    parameters.deinitialize(count: 1)
    parameters.deallocate()
    events.deinitialize()
    events.deallocate()
  }

  var value: M { machine.pointee }
  var state: String { machine.pointee.state.name.word }

  /// `moved FROM TO > outputs`, as a reply would have it.
  @discardableResult
  func send(_ event: M.Event) -> String {
    begin()
    return withUnsafePointer(to: event) { line(M.step(machine, event: $0, parameters, &record)) }
  }

  @discardableResult
  func expire(_ timer: M.Event) -> String {
    #expect(timers.removeValue(forKey: "\(timer)") != nil, "\(timer) does not run")
    begin()
    return line(M.expire(machine, timer: UInt8(events.firstIndex(of: timer) ?? 0), parameters, &record))
  }

  private func begin() {
    record.begin(at: .beginning)
    let running = events.indices.reduce(UInt64(0)) { bits, place in
      timers["\(events[place])"] == nil ? bits : bits | 1 << UInt64(place)
    }
    record.timers = StepTimers(
      events: UnsafeRawPointer(events.baseAddress), count: events.count, withData: 0, running: running)
  }

  var reason: String? { record.reason }

  private func line(_ result: StepResult) -> String {
    let to = M.State.Name(at: Int(result.to)).word
    if result.verdict != .moved && result.verdict != .stayed {
      #expect(result.from == result.to && record.effects.isEmpty, "\(result.verdict) with consequences in \(to)")
    }
    let outcome =
      result.verdict == .moved ? "moved \(M.State.Name(at: Int(result.from)).word) \(to)" : "\(result.verdict) \(to)"
    return outcome + effects()
  }

  private func effects() -> String {
    var text = ""
    for effect in record.effects {
      switch effect {
      case .emit(let output, let first, let count):
        text += " > " + M.Output.Name(at: Int(output)).word
        for value in record.values[Int(first)..<Int(first + count)] {
          if case .text(let word) = value { text += " \(word)" }
        }
      case .arm(let timer, _, let due): timers["\(events[Int(timer)])"] = due.nanoseconds
      case .disarm(let timer, _): timers["\(events[Int(timer)])"] = nil
      }
    }
    return text
  }
}
