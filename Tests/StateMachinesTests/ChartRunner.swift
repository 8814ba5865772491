import StateMachines
import Testing

/// One machine on its own, stepped without a kind. It keeps what was armed, and raised events wait until they are
/// fired.
// Safety: `machine` and `parameters` are initialised from `init` to `deinit`.
final class ChartRunner<M: LegacyMachine> {
  private let machine = UnsafeMutablePointer<M>.allocate(capacity: 1)
  private let parameters = UnsafeMutablePointer<M.Parameters>.allocate(capacity: 1)
  private var record = StepRecord(generator: Generator(seed: 0))
  /// The timers that run, and when they are due, in nanoseconds.
  private(set) var timers: [String: Int64] = [:]
  /// What the machine has said while it was made.
  private(set) var beginning: String = ""

  init(_ type: M.Type, in initial: String? = nil) {
    parameters.initialize(to: M.Parameters())
    record.begin(at: .beginning)
    let place = initial.flatMap { M.State.Name.words.firstIndex(of: $0) }
    _ = M.initialize(machine, initial: place, parameters, &record)
    beginning = effects()
  }

  deinit {
    machine.deinitialize(count: 1)
    machine.deallocate()
    parameters.deinitialize(count: 1)
    parameters.deallocate()
  }

  var value: M { machine.pointee }
  var state: String { machine.pointee.state.name.word }

  /// `moved FROM TO > outputs`, as a reply would have it.
  @discardableResult
  func send(_ event: M.Event) -> String {
    record.begin(at: .beginning)
    return withUnsafePointer(to: event) { line(M.step(machine, event: $0, parameters, &record)) }
  }

  @discardableResult
  func expire(_ timer: M.TimerName) -> String {
    #expect(timers.removeValue(forKey: timer.word) != nil, "\(timer) does not run")
    record.begin(at: .beginning)
    return line(M.expire(machine, timer: UInt8(timer.index), parameters, &record))
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
      case .arm(let timer, _, let due): timers[M.TimerName(at: Int(timer)).word] = due.nanoseconds
      case .disarm(let timer, _): timers[M.TimerName(at: Int(timer)).word] = nil
      }
    }
    for timer in timers.keys {
      let name = M.TimerName(at: M.TimerName.words.firstIndex(of: timer) ?? 0)
      #expect(machine.pointee.asksFor(name), "\(timer) runs in \(state)")
    }
    return text
  }
}
