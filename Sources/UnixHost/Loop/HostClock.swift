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

/// The date and time of day: for log lines, and for how long the daemon was not running.
package enum WallClock {
  /// Now in milliseconds since 1970.
  package static func milliseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Now in UTC, to the millisecond: `2031-05-04T03:02:01.000Z`.
  package static func stamp() -> String {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return stamp(seconds: time.tv_sec, nanoseconds: time.tv_nsec)
  }

  static func stamp(seconds: Int, nanoseconds: Int) -> String {
    var seconds = seconds
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var text = [CChar](repeating: 0, count: 32)
    let length = strftime(&text, text.count, "%Y-%m-%dT%H:%M:%S", &parts)
    let milliseconds = String(1_000 + nanoseconds / 1_000_000).dropFirst()
    return String(decoding: text.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self) + ".\(milliseconds)Z"
  }
}
