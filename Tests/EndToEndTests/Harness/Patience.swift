import Glibc
import UnixHost

/// What went wrong in the harness itself, or in waiting for the daemon.
struct HarnessFailure: Error, CustomStringConvertible {
  let what: String
  var description: String { what }
}

/// The bounds of waiting: the one place where a test waits for another process.
enum Patience {
  /// How long anything may take before it counts as hung. Far more than it takes, since machines are shared.
  static let seconds: UInt64 = 240
  /// Between two looks at something that cannot be waited for in another way, in milliseconds.
  private static let interval: Int32 = 3

  /// A time of the host's clock after which patience is at its end.
  static func deadline(_ seconds: UInt64 = Patience.seconds) -> UInt64 {
    HostClock.now() + seconds * 1_000_000_000
  }

  static func deadline(milliseconds: UInt64) -> UInt64 { HostClock.now() + milliseconds * 1_000_000 }

  /// Looks again and again until something is there.
  ///
  /// - Throws: ``HarnessFailure`` naming `what` when it is not there in time.
  static func wait<Found>(for what: String, _ look: () throws -> Found?) throws -> Found {
    let end = deadline()
    while true {
      if let found = try look() { return found }
      guard HostClock.now() < end else { throw HarnessFailure(what: "waited in vain for \(what)") }
      _ = poll(nil, 0, interval)
    }
  }

  /// Waits until a condition holds.
  static func wait(until what: String, _ holds: () throws -> Bool) throws {
    _ = try wait(for: what) { try holds() ? true : nil }
  }

  /// Lets the host's clock go on for a while, during which nothing is looked at: only tests of clocks need that.
  static func pass(milliseconds: UInt64) {
    let end = HostClock.now() + milliseconds * 1_000_000
    while HostClock.now() < end { _ = poll(nil, 0, interval) }
  }

  /// Waits until a descriptor is ready for `events`, or hung up; false if that is not so by `deadline`.
  static func wait(for descriptor: Descriptor, _ events: Int32, deadline: UInt64) -> Bool {
    var wanted = pollfd(fd: descriptor.rawValue, events: Int16(events), revents: 0)
    while true {
      let now = HostClock.now()
      guard now < deadline else { return false }
      let milliseconds = min((deadline - now) / 1_000_000 + 1, 60_000)
      let count = poll(&wanted, 1, Int32(milliseconds))
      if count > 0 { return true }
      guard count == 0 || errno == EINTR else { return false }
    }
  }
}
