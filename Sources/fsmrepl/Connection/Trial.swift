internal import Glibc
internal import LineProtocol
internal import UnixHost

/// Trying something in a fork of a world, which is dropped afterwards.
enum Trial {
  enum Failure: Error, Equatable {
    /// The daemon's answer to a request that failed.
    case refused(ServerLine)
    /// The connection was lost, or the daemon takes too long.
    case silence
  }

  /// How long the daemon may take to drop the fork, in nanoseconds.
  private static let parting: UInt64 = 2_000_000_000

  /// Lets `body` ask in a fork of a world.
  ///
  /// - Parameter patience: How long all of it may take, in nanoseconds.
  static func run<Result>(
    in world: String, of endpoint: Endpoint, patience: UInt64 = 2_000_000_000,
    _ body: (Dialogue) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let side = Dialogue(to: endpoint, until: HostClock.now() + patience) else { throw .silence }
    defer { side.close(until: HostClock.now() + parting) }
    let fork = "trial-\(getpid())"
    guard side.use(world) else { throw .silence }
    var isMade = true
    // A daemon that answers late has made it all the same.
    defer {
      if isMade {
        side.deadline = HostClock.now() + parting
        _ = side.use(world)
        _ = side.ask("world drop \(fork)")
      }
    }
    guard let made = side.ask("world fork \(fork)")?.last else { throw .silence }
    guard made.lineClass == .success else {
      isMade = false
      throw .refused(made)
    }
    guard side.use(fork) else { throw .silence }
    return try body(side)
  }
}
