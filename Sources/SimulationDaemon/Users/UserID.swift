import UnixHost

/// The owner of a session or a world.
enum UserID: Hashable, Sendable {
  /// The user that the daemon runs as. Root counts as the same user, since root can do anything anyway.
  case owner
  /// Another user, by the number that the system gives its users.
  case other(UInt32)

  /// The number that the system gives the user.
  ///
  /// - Parameter owner: That of the user that the daemon runs as.
  func systemNumber(owner: UInt32 = Accounts.own) -> UInt32 {
    switch self {
    case .owner: owner
    case .other(let number): number
    }
  }

  /// Where the user's work runs in a ``WorkerPool``.
  var lane: WorkerPool.Lane { systemNumber() }

  /// The user at the other end of a connection.
  init(_ uid: UInt32) { self = uid == Accounts.own || uid == 0 ? .owner : .other(uid) }

  /// A user's number as the system writes it: neither `+7` nor `07`.
  static func number(_ text: some StringProtocol) -> UInt32? { UInt32(text).flatMap { "\($0)" == text ? $0 : nil } }
}

extension NewConnection {
  var user: UserID { UserID(peer.uid) }
}

/// A world's name in the daemon and in its store: `lab` for a world of the daemon's owner, `1007/lab` for one of the
/// user with that number. Users can be renamed, so their numbers count; but see ``UserNames/stored(_:)``.
struct WorldKey: Hashable, Sendable {
  let owner: UserID
  /// The owner's name for it.
  let name: String

  init(_ owner: UserID, _ name: String) {
    self.owner = owner
    self.name = name
  }

  init(_ text: String) {
    guard let slash = text.lastIndex(of: "/"), let number = UserID.number(text[..<slash]) else {
      owner = .owner
      name = text
      return
    }
    owner = .other(number)
    name = String(text[text.index(after: slash)...])
  }

  var text: String {
    switch owner {
    case .owner: name
    case .other(let number): "\(number)/\(name)"
    }
  }

  /// The name of the world in which every user begins.
  static let main = "main"
}
