import UnixHost

/// A listening socket, and what its clients may do.
struct Door {
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

/// A connection that is not served yet.
struct Arrival {
  let descriptor: Descriptor
  let peer: Peer
  let user: UserID
  let mayChange: Bool
}
