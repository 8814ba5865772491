import Synchronization

/// A clock that advances only when told to, for tests of code that sleeps.
///
/// ```swift
/// let clock = ManualClock()
/// let lamp = LiveMachine(Lamp(), clock: clock)
/// lamp.send(.pressed)
/// clock.advance(by: .seconds(60))
/// #expect(lamp.state == .dark)
/// ```
public final class ManualClock: Clock, Sendable {
  /// A time on the clock.
  public struct Instant: InstantProtocol {
    /// The time since the clock was created.
    public let offset: Duration

    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleepers {
    var now = Instant(offset: .zero)
    var next: UInt64 = 0
    var asleep: [UInt64: (until: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
    /// Sleepers that were cancelled before they slept.
    var cancelled: Set<UInt64> = []
  }

  private let sleepers = Mutex(Sleepers())

  public init() {}

  public var now: Instant { sleepers.withLock { $0.now } }

  public var minimumResolution: Duration { .zero }

  /// Advances the clock and wakes the sleepers that are due, the earliest deadline first.
  ///
  /// - Precondition: `duration` is not negative.
  public func advance(by duration: Duration) {
    precondition(duration >= .zero, "a clock does not go back")
    let woken = sleepers.withLock { sleepers in
      sleepers.now = sleepers.now.advanced(by: duration)
      let due = sleepers.asleep.filter { $0.value.until <= sleepers.now }
      for number in due.keys { sleepers.asleep[number] = nil }
      return due.sorted { ($0.value.until, $0.key) < ($1.value.until, $1.key) }.map(\.value.continuation)
    }
    for continuation in woken { continuation.resume() }
  }

  /// Sleeps until the clock reaches a deadline; returns immediately if it already has.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = sleepers.withLock { sleepers in
      sleepers.next += 1
      return sleepers.next
    }
    defer { sleepers.withLock { _ = $0.cancelled.remove(number) } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let ended: Result<Void, any Error>? = sleepers.withLock { sleepers in
          if sleepers.cancelled.contains(number) { return .failure(CancellationError()) }
          if deadline <= sleepers.now { return .success(()) }
          sleepers.asleep[number] = (deadline, continuation)
          return nil
        }
        if let ended { continuation.resume(with: ended) }
      }
    } onCancel: {
      let sleeper = sleepers.withLock { sleepers in
        sleepers.cancelled.insert(number)
        return sleepers.asleep.removeValue(forKey: number)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }
}
