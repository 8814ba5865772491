public import StateMachines
import Synchronization

/// One machine that runs on a clock: in an app, or in a test with a ``ManualClock``.
///
/// ```swift
/// let lamp = LiveMachine(Lamp(), clock: ContinuousClock())
/// lamp.send(.pressed)
/// for await change in lamp.changes { print(change) }
/// ```
///
/// It can be used from any thread or actor, and its calls return without waiting. Inputs are processed one after the
/// other. A timer expires by itself when the clock reaches its due time. A timer that is overdue, because the device
/// was asleep, expires before the next input or read, with its own due time as `Step.now`. A value read
/// here is therefore as new as the clock, and a test need not wait.
///
/// Timers run while the object lives.
public final class LiveMachine<M: Machine>: Sendable {
  private let running: Mutex<RunningMachine<M>>
  /// The clock's time since the start.
  private let elapsed: @Sendable () -> Duration
  /// Sleeps until a time after the start.
  private let sleep: @Sendable (Duration) async throws -> Void
  /// The number of unread changes that each sequence of ``changes`` keeps.
  private static var backlog: Int { 1_000 }

  /// Starts a machine now.
  ///
  /// - Parameters:
  ///   - machine: The initial value. It enters its state at once; ``changes`` does not report the outputs of that
  ///     entry.
  ///   - kind: The kind, if the type has several; by default the type's own.
  ///   - seed: The seed for `Step.draw(in:)`.
  ///   - clock: The clock for the timers.
  ///   - configure: Changes the default parameters.
  /// - Precondition: The parameters do not contradict each other; `kind` is a kind of `M`.
  public init<C: Clock>(
    _ machine: M, kind: Kind? = nil, seed: UInt64 = .random(in: 0 ... .max), clock: C,
    configure: (inout M.Parameters) -> Void = { _ in }
  ) where C.Duration == Duration {
    var parameters = M.Parameters()
    configure(&parameters)
    if let conflict = parameters.conflict {
      preconditionFailure("\(conflict.parameter) of \(M.self) must be \(conflict.allowed)")
    }
    let kind = kind ?? M.kind
    kind.expect(M.self)
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
    sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    running = Mutex(RunningMachine(machine, kind, parameters, seed: seed))
    access { _ in }
  }

  deinit {
    running.withLock { $0.end() }
  }

  /// The machine's current value: its state, and data outside the state.
  public var value: M { access { $0.machine } }

  /// The machine's current state.
  public var state: M.State { value.state }

  /// The running timers, with the remaining time of each.
  public var timers: [String: Duration] { access { $0.remaining } }

  /// Sends an event to the machine.
  ///
  /// Every event of the machine's type can be sent, also one that the kind does not list, that only a timer brings, or
  /// whose arguments are outside their ranges. A world accepts only listed events within their ranges, because its
  /// journal stores them in the kind's terms; a live machine has no journal.
  ///
  /// - Returns: The result. Its verdict says whether the machine refused the event.
  @discardableResult
  public func send(_ event: M.Event) -> LiveChange<M> { access { $0.send(event) } }

  /// The changes from now on, in order: each input with the verdict moved or stayed.
  ///
  /// Every call makes a new sequence, which ends with the machine. A reader that falls more than a thousand changes
  /// behind loses the oldest, which it can detect by the numbers of the changes.
  public var changes: AsyncStream<LiveChange<M>> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: LiveChange<M>.self, bufferingPolicy: .bufferingNewest(Self.backlog))
    let reader = access { $0.add(continuation) }
    continuation.onTermination = { [weak self] _ in self?.running.withLock { $0.remove(reader) } }
    return stream
  }

  /// Fires the timers that are due, runs `body`, and schedules the next timer.
  private func access<R: Sendable>(_ body: (inout RunningMachine<M>) -> R) -> R {
    running.withLock { machine in
      machine.catchUp(with: elapsed())
      let result = body(&machine)
      // Timers without delay expire in the same call.
      machine.catchUp(with: machine.now)
      machine.setAlarm { due in
        Task { [weak self, sleep] in
          guard (try? await sleep(due)) != nil else { return }
          self?.access { $0.forgetAlarm(at: due) }
        }
      }
      return result
    }
  }
}

/// One input of a ``LiveMachine`` and its result.
public struct LiveChange<M: Machine>: Sendable {
  /// The kind of an input.
  public enum Cause: Hashable, Sendable {
    case event(M.Event)
    /// A timer, by its name in the kind; the key is 0 if the kind's timer has no keys.
    case timer(String, key: Int = 0)
  }

  /// The serial number of the input, from 1.
  public let number: UInt64
  /// The time since the start; for a timer, its due time.
  public let moment: Duration
  public let cause: Cause
  public let verdict: Verdict
  /// The states before and after the input.
  public let from: M.State
  public let to: M.State
  /// The outputs, in order, without ``told``.
  public let outputs: [M.Output]
  /// The outputs about the machine's internals (`OutputForm.told(_:about:)`), in order.
  public let told: [M.Output]
  /// The machine's reason for a refusal; `nil` if there is none.
  public let reason: String?
}

extension LiveChange: CustomStringConvertible {
  public var description: String {
    func list(_ verb: String, _ outputs: [M.Output]) -> String {
      outputs.isEmpty ? "" : ", \(verb) \(outputs.map { "\($0)" }.joined(separator: ", "))"
    }
    let change = verdict == .moved ? "moved \(from) → \(to)" : "\(verdict) in \(to)"
    return "#\(number) at \(moment): \(cause): \(change)" + (reason.map { ": \($0)" } ?? "")
      + list("said", outputs) + list("told", told)
  }
}

extension LiveChange.Cause: CustomStringConvertible {
  public var description: String {
    switch self {
    case .event(let event): "\(event)"
    case .timer(let name, key: let key): key == 0 ? "timer \(name)" : "timer \(name)(\(key))"
    }
  }
}
