public import StateMachines
import Synchronization

/// One machine that runs by a clock: in an app, or in a test with a ``ManualClock``.
///
/// ```swift
/// let lamp = LiveMachine(Lamp(), clock: ContinuousClock())
/// lamp.send(.pressed)
/// for await change in lamp.changes { print(change) }
/// ```
///
/// It can be used from any thread or actor at once, and its calls return at once: nothing awaits. Inputs are taken one
/// after the other. A timer expires by itself when the clock has come to its due time; one that is late, because the
/// device was asleep, expires before anything else is done, with its own due time as ``StateMachines/Step/now``. So what
/// is read here never lags behind the clock, and a test need not wait.
///
/// Timers run as long as the object is kept.
public final class LiveMachine<M: Machine>: Sendable {
  private let running: Mutex<RunningMachine<M>>
  /// The clock's time since this began.
  private let elapsed: @Sendable () -> Duration
  /// Sleeps until so long after this began.
  private let sleep: @Sendable (Duration) async throws -> Void
  /// How many changes a reader of ``changes`` may be behind.
  private static var backlog: Int { 1_000 }

  /// A machine that begins now.
  ///
  /// - Parameters:
  ///   - machine: Its value. It enters its state: outputs of entry are the first of ``changes``' life, and are not told.
  ///   - kind: Where one type has several kinds; otherwise the type's own.
  ///   - seed: What ``StateMachines/Step/draw(in:)`` draws from.
  ///   - clock: What timers run by.
  ///   - configure: Changes the parameters, which are the defaults.
  /// - Precondition: The parameters do not contradict each other.
  public init<C: Clock>(
    _ machine: M, kind: Kind? = nil, seed: UInt64 = .random(in: 0 ... .max), clock: C,
    configure: (inout M.Parameters) -> Void = { _ in }
  ) where C.Duration == Duration {
    var parameters = M.Parameters()
    configure(&parameters)
    if let conflict = parameters.conflict {
      preconditionFailure("\(conflict.parameter) of \(M.self) must be \(conflict.allowed)")
    }
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
    sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    running = Mutex(RunningMachine(machine, kind ?? M.kind, parameters, seed: seed))
    access { _ in }
  }

  deinit {
    running.withLock { $0.end() }
  }

  /// The machine's value now: its state, and data beside that.
  public var value: M { access { $0.machine } }

  /// The machine's state now.
  public var state: M.State { value.state }

  /// The timers that run, with the time that each has left.
  public var timers: [String: Duration] { access { $0.remaining } }

  /// Lets the machine take an event.
  ///
  /// - Returns: What came of it. Its verdict says whether the machine refused it.
  @discardableResult
  public func send(_ event: M.Event) -> LiveChange<M> { access { $0.send(event) } }

  /// What changes from now on, in order: each input that the machine has moved or stayed on.
  ///
  /// Every call makes a sequence of its own, which ends with the machine. A reader that is more than a thousand changes
  /// behind misses the oldest; the numbers of changes tell.
  public var changes: AsyncStream<LiveChange<M>> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: LiveChange<M>.self, bufferingPolicy: .bufferingNewest(Self.backlog))
    let reader = access { $0.add(continuation) }
    continuation.onTermination = { [weak self] _ in self?.running.withLock { $0.remove(reader) } }
    return stream
  }

  /// Lets what is due happen, then something else, and sees to it that the next timer is not missed.
  private func access<R: Sendable>(_ body: (inout RunningMachine<M>) -> R) -> R {
    running.withLock { machine in
      machine.catchUp(with: elapsed())
      let result = body(&machine)
      // What has no delay expires in the same call.
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

/// One input of a ``LiveMachine``, and what came of it.
public struct LiveChange<M: Machine>: Sendable {
  /// What an input was.
  public enum Cause: Hashable, Sendable {
    case event(M.Event)
    /// A timer, by the name that its kind gives it; the key is 0 where its timers bear none.
    case timer(String, key: Int = 0)
  }

  /// Inputs are numbered from 1.
  public let number: UInt64
  /// When, as time since the machine began; of a timer, when it was due.
  public let moment: Duration
  public let cause: Cause
  public let verdict: Verdict
  /// The states before and after.
  public let from: M.State
  public let to: M.State
  /// What the machine said, in order.
  public let outputs: [M.Output]
  /// Why the input was refused, in the machine's words; `nil` otherwise, or if it has none.
  public let reason: String?
}

extension LiveChange: CustomStringConvertible {
  public var description: String {
    let said = outputs.isEmpty ? "" : ", said \(outputs.map { "\($0)" }.joined(separator: ", "))"
    let change = verdict == .moved ? "moved \(from) → \(to)" : "\(verdict) in \(to)"
    return "#\(number) at \(moment): \(cause): \(change)" + (reason.map { ": \($0)" } ?? "") + said
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
