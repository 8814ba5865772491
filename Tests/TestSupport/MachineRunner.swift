@testable package import StateMachines
import Testing

/// One machine on its own, stepped without a kind. It keeps what was armed, and nothing expires by itself.
// Safety: `machine`, `parameters` and `events` are initialised from `init` to `deinit`.
package final class MachineRunner<M: Machine> {
  private let machine = UnsafeMutablePointer<M>.allocate(capacity: 1)
  private let parameters = UnsafeMutablePointer<M.Parameters>.allocate(capacity: 1)
  /// The events that timers bring.
  private let events: UnsafeMutableBufferPointer<M.Event>
  private let table: TimerTable<M.Event>
  private var record = StepRecord(generator: Generator(seed: 0))
  /// The moment of the next step.
  package var now = Instant.beginning
  /// The timers that run, and when they are due, in nanoseconds.
  package private(set) var timers: [String: Int64] = [:]
  /// What the machine has said while it was made.
  package private(set) var beginning: String = ""

  /// - Parameter events: Those that timers bring.
  package init(_ type: M.Type, in initial: String? = nil, timers events: [M.Event] = []) {
    self.events = .allocate(capacity: events.count)
    _ = self.events.initialize(from: events)
    table = TimerTable(events)
    parameters.initialize(to: M.Parameters())
    begin()
    let place = initial.flatMap { M.State.Name.words.firstIndex(of: $0) }
    _ = M.initialize(machine, initial: place, parameters, &record)
    follow()
    beginning = outputs
  }

  deinit {
    machine.deinitialize(count: 1)
    machine.deallocate()
    parameters.deinitialize(count: 1)
    parameters.deallocate()
    events.deinitialize()
    events.deallocate()
  }

  package var value: M { machine.pointee }
  package var state: String { machine.pointee.state.name.word }
  package var reason: String? { record.reason }

  /// `moved FROM TO > outputs`, as a reply would have it.
  @discardableResult
  package func send(_ event: M.Event) -> String {
    begin()
    return withUnsafePointer(to: event) { line(M.step(machine, event: $0, parameters, &record)) }
  }

  /// Lets a timer expire: the one of the case of `timer`, whatever its data.
  @discardableResult
  package func expire(_ timer: M.Event) -> String {
    let place = events.firstIndex { word($0) == word(timer) }
    expect(timers.removeValue(forKey: word(timer)) != nil, "\(timer) does not run")
    begin()
    return line(M.expire(machine, timer: UInt8(place ?? 0), parameters, &record))
  }

  /// The effects of the last step in their order: `disarm bell`, `emit left c`, `arm chime 3000000000`.
  package var effects: [String] {
    record.effects.map { effect in
      switch effect {
      case .emit(let output, let first, let count):
        "emit " + said(output, record.values[Int(first)..<Int(first + count)])
      case .arm(let timer, _, let due): "arm \(word(events[Int(timer)])) \(due.nanoseconds)"
      case .send(let output, _, _): "send \(output)"
      case .disarm(let timer, _): "disarm \(word(events[Int(timer)]))"
      }
    }
  }

  private func begin() {
    record.begin(at: now)
    let running = events.indices.reduce(UInt64(0)) { bits, place in
      timers[word(events[place])] == nil ? bits : bits | 1 << UInt64(place)
    }
    record.timers = table.stepTimers(running: running)
  }

  private func line(_ result: StepResult) -> String {
    follow()
    let to = M.State.Name(at: Int(result.to)).word
    if result.verdict != .moved && result.verdict != .stayed {
      expect(result.from == result.to && outputs.isEmpty, "\(result.verdict) with consequences in \(to)")
    }
    let outcome =
      result.verdict == .moved ? "moved \(M.State.Name(at: Int(result.from)).word) \(to)" : "\(result.verdict) \(to)"
    return outcome + outputs
  }

  private func follow() {
    for effect in record.effects {
      switch effect {
      case .emit, .send: break
      case .arm(let timer, _, let due): timers[word(events[Int(timer)])] = due.nanoseconds
      case .disarm(let timer, _): timers[word(events[Int(timer)])] = nil
      }
    }
  }

  private var outputs: String { effects.filter { $0.hasPrefix("emit ") }.map { " > " + $0.dropFirst(5) }.joined() }

  private func said(_ output: UInt16, _ data: ArraySlice<Value>) -> String {
    M.Output.Name(at: Int(output)).word
      + data.map { if case .text(let word) = $0 { " \(word)" } else { "" } }.joined()
  }

  private func word(_ event: M.Event) -> String { String("\(event)".prefix { $0 != "(" }) }
}
