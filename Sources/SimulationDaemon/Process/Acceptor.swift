import UnixHost

/// A listening socket, and what its clients may do.
struct Acceptor {
  var listener: Listener
  /// Its token in the poller.
  let token: UInt32
  let mayChange: Bool
  /// Whether only the daemon's owner and root are served. Otherwise the mode of the file decides.
  let isForTrusted: Bool

  init(_ listener: Listener, token: UInt32, mayChange: Bool, isForTrusted: Bool) {
    self.listener = listener
    self.token = token
    self.mayChange = mayChange
    self.isForTrusted = isForTrusted
  }
}

extension Acceptor {
  /// The name of a passed socket for connections that may only look.
  private static let watch = "watch"

  /// Opens the sockets that the command line and the environment ask for; what the service manager has passed is taken
  /// instead.
  ///
  /// The sockets come before the store: if another daemon runs, that is the error to report. Clients wait until the store
  /// is open.
  ///
  /// - Parameter tokens: In the poller; of the acceptor for looking last.
  static func all(
    _ invocation: Invocation, _ sockets: [ServiceManager.Socket], tokens: (UInt32, UInt32)
  ) throws -> [Acceptor] {
    let group = try invocation.group.map { try SocketGroup(named: $0) }
    var acceptors: [Acceptor] = []
    do {
      for socket in sockets {
        let mayChange = socket.name != watch
        let listener = try Listener(inherited: socket.descriptor, for: group)
        let given = mayChange ? invocation.socket : invocation.watchSocket
        if given.map({ $0 != listener.path }) ?? false || acceptors.contains(where: { $0.mayChange == mayChange }) {
          throw SocketFailure.passed(
            path: listener.path, option: given == nil ? "second socket" : mayChange ? "--socket" : "--watch-socket")
        }
        acceptors.append(
          Acceptor(
            listener, token: mayChange ? tokens.0 : tokens.1, mayChange: mayChange,
            isForTrusted: mayChange ? group == nil : !invocation.hasUsers))
      }
      if !acceptors.contains(where: \.mayChange) {
        let path = try SocketPath.resolve(option: invocation.socket)
        if group != nil, !path.isNamed { throw SocketFailure.groupNeedsPath }
        if invocation.watchSocket == path.path { throw SocketFailure.samePath(path.path) }
        try path.prepareDirectory()
        acceptors.append(
          Acceptor(
            try Listener(path: path.path, for: group), token: tokens.0, mayChange: true, isForTrusted: group == nil))
      }
      if let path = invocation.watchSocket, acceptors.allSatisfy(\.mayChange) {
        acceptors.append(
          Acceptor(try Listener(path: path, for: group), token: tokens.1, mayChange: false, isForTrusted: false))
      }
    } catch {
      for acceptor in acceptors { acceptor.listener.closeAndRemove() }
      throw error
    }
    return acceptors.sorted { $0.mayChange && !$1.mayChange }
  }

  /// Tells clients that wait already why they are not served, and closes. Those of a passed socket started this process,
  /// and would wait for its successor.
  mutating func close(because text: String) {
    while case .connection(let connection, let peer) = listener.accept() {
      var text = text
      if !isForTrusted || peer.isTrusted {
        text.withUTF8 { _ = connection.send(UnsafeRawBufferPointer($0)) }
      }
      connection.close()
    }
    listener.closeAndRemove()
  }
}

/// A connection that is not served yet.
struct NewConnection {
  let descriptor: Descriptor
  let peer: Peer
  let mayChange: Bool
}
