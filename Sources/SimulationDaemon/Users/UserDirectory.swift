import UnixHost

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
