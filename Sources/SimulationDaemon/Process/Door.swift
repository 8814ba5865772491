import UnixHost

/// A socket that clients connect to, and what they may do who come through it.
struct Door {
  var listener: Listener
  /// Its token in the poller.
  let token: UInt32
  let mayChange: Bool
  /// Whether only the daemon's owner and root are served. Otherwise everybody is whom the file's mode lets in.
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

/// Asks the system for users' names on a thread of its own, since an answer may come from another machine.
final class UserDirectory: Sendable {
  private let pool = WorkerPool(places: 1)
  private let found = Locked<[(uid: UInt32, name: String?)]>([])
  private let wake: @Sendable () -> Void

  /// - Parameter wake: Called from that thread when a name was found.
  init(wake: @escaping @Sendable () -> Void) {
    self.wake = wake
  }

  func ask(_ uid: UInt32) {
    pool.submit { [self] in
      let name = Accounts.name(ofUser: uid)
      found.withLock { $0.append((uid, name)) }
      wake()
    }
  }

  /// The answers since the last call.
  func takeFound() -> [(uid: UInt32, name: String?)] {
    found.withLock { found in
      defer { found = [] }
      return found
    }
  }
}
