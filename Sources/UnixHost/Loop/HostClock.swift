internal import Glibc

/// The host's monotonic clock, for durations and deadlines.
package enum HostClock {
  /// Nanoseconds of CLOCK_MONOTONIC, the clock that Dispatch's timers run on.
  package static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }
}
