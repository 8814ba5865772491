import UnixHost

/// Asks the system for users' names on a thread of its own, since an answer may come from another machine.
final class UserDirectory: Sendable {
  private let names: UserNames
  private let pool = WorkerPool(places: 1)
  private let asked = Locked<[UserID]>([])
  private let wake: @Sendable () -> Void

  /// - Parameter wake: Called from that thread when an answer has come.
  init(_ names: UserNames, wake: @escaping @Sendable () -> Void) {
    (self.names, self.wake) = (names, wake)
  }

  func ask(_ user: UserID) {
    pool.submit { [self] in
      names.ask(user)
      asked.withLock { $0.append(user) }
      wake()
    }
  }

  /// The users for whom an answer has come since the last call.
  func takeFound() -> [UserID] {
    asked.withLock { asked in
      defer { asked = [] }
      return asked
    }
  }
}
