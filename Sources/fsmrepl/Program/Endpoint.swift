internal import Glibc
internal import LineProtocol
internal import UnixHost

/// Finds the daemon's socket and connects to it.
final class Endpoint {
  /// Why no connection can be made.
  enum Failure: Error, Equatable {
    case socket(SocketFailure)
    /// The daemon belongs to another user, who could be impersonating ours.
    case strangers(path: String, uid: UInt32)
    case launch(EphemeralDaemon.Failure)
  }

  private let path: SocketPath
  /// Whether only a daemon started for this session may be used.
  private let isPrivate: Bool
  /// What is started, and with which options.
  private let program: String?
  private let options: [String]
  /// Where other daemons are; nil if worlds are not followed there.
  let hosts: HostsFile?
  /// The daemon that was started for this session only.
  private(set) var own: EphemeralDaemon?

  /// How often it tries to connect while too many others do: for two seconds.
  private static let maxTries = 200

  /// - Parameters:
  ///   - program: The daemon to start; `nil` for the `fsmd` beside this program or in the path.
  ///   - options: Further options for it.
  ///   - hosts: Where other daemons are.
  init(
    _ path: SocketPath, isPrivate: Bool = false, program: String? = nil, options: [String] = [], hosts: HostsFile? = nil
  ) {
    self.hosts = hosts
    self.path = path
    self.program = program
    self.options = options
    self.isPrivate = isPrivate
  }

  /// The socket that connections use.
  var socketPath: String { own?.socketPath ?? path.path }

  /// Connects. Starts a daemon if no socket was named and none answers, or if the endpoint is private.
  ///
  /// - Parameters:
  ///   - note: Called with a line for the user when a daemon is started.
  ///   - isToStop: Polled while the daemon starts; `true` stops waiting.
  func connect(
    note: (String) -> Void = { _ in }, isToStop: () -> Bool = { false }
  ) throws(Failure) -> Connection {
    if let own, own.hasEnded {
      own.remove()
      self.own = nil
    } else if own != nil {
      return try connect(to: socketPath)
    }
    if isPrivate {
      note("starting a daemon for this session alone")
      return try launch(isToStop)
    }
    do throws(Failure) {
      return try connect(to: path.path)
    } catch .socket(.nobodyListens) where !path.isNamed {
      note("no daemon answers on \(path.path); starting one for this session alone")
      return try launch(isToStop)
    }
  }

  private func launch(_ isToStop: () -> Bool) throws(Failure) -> Connection {
    do throws(EphemeralDaemon.Failure) {
      let started = try EphemeralDaemon.start(program ?? Child.siblingProgram("fsmd"), options, isToStop: isToStop)
      own = started.daemon
      return Connection(started.connection)
    } catch {
      throw .launch(error)
    }
  }

  /// Makes another connection to the same daemon; starts none.
  func connectAgain() throws(Failure) -> Connection {
    try connect(to: socketPath)
  }

  /// Ends the daemon that was started for this session, if there is one.
  func close() {
    own?.end()
    own = nil
  }

  private func connect(to path: String) throws(Failure) -> Connection {
    let descriptor: Descriptor
    do throws(SocketFailure) {
      descriptor = try ClientSocket.connect(path: path, tries: Self.maxTries)
    } catch {
      throw .socket(error)
    }
    guard let peer = Peer(of: descriptor), peer.isTrusted || self.path.isNamed else {
      let uid = Peer(of: descriptor)?.uid ?? 0
      descriptor.close()
      throw .strangers(path: path, uid: uid)
    }
    return Connection(descriptor, hosts: hosts)
  }
}

extension Endpoint.Failure: CustomStringConvertible {
  var description: String {
    switch self {
    case .socket(let failure): "\(failure)"
    case .strangers(let path, let uid): "the daemon on \(path) is another user's (uid \(uid)); name it to use it"
    case .launch(let failure): "\(failure)"
    }
  }
}
