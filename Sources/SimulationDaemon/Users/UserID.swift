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

  /// The user at the other end of a connection.
  init(_ uid: UInt32) { self = uid == Accounts.own || uid == 0 ? .owner : .other(uid) }

  /// A user's number as the system writes it: neither `+7` nor `07`.
  static func number(_ text: some StringProtocol) -> UInt32? { UInt32(text).flatMap { "\($0)" == text ? $0 : nil } }
}

/// A world's name in the daemon and in its store: `lab` for a world of the daemon's owner, `1007/lab` for one of the
/// user with that number. Users can be renamed, so their numbers count; but see ``SharedNames``.
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

/// The names of users. Any thread may use it.
final class UserNames: Sendable {
  /// The number of the user that the daemon runs as.
  private let owner: UInt32
  private let known: Locked<[UInt32: String]>

  init(owner: UInt32 = Accounts.own) {
    self.owner = owner
    known = Locked([:])
  }

  private func number(of user: UserID) -> UInt32 { user.systemNumber(owner: owner) }

  /// Whether ``learn(_:of:)`` was called for a user.
  func isKnown(_ user: UserID) -> Bool {
    let number = number(of: user)
    return known.withLock { $0[number] != nil }
  }

  /// Keeps what the system says of a user. One without a name goes by the number, and so does one whose name is that of
  /// another or could be another's number.
  func learn(_ name: String?, of user: UserID) {
    let number = number(of: user)
    known.withLock { known in
      let isTaken = known.contains { $0.value == name && $0.key != number }
      let isNumber = name.map { UInt32($0) != nil } ?? true
      known[number] = isTaken || isNumber ? "\(number)" : name
    }
  }

  func name(of user: UserID) -> String {
    let number = number(of: user)
    return known.withLock { $0[number] } ?? "\(number)"
  }

  /// The user with this name, among those that the daemon knows.
  func user(named name: String) -> UserID? {
    let number = known.withLock { known in known.first { $0.value == name }?.key } ?? UserID.number(name)
    return number.map { $0 == owner ? .owner : .other($0) }
  }

  /// A world's name as a user writes it: without an owner if the world is the user's own.
  func shown(_ key: String, to viewer: UserID) -> String {
    let world = WorldKey(key)
    return world.owner == viewer ? world.name : "\(name(of: world.owner))/\(world.name)"
  }
}
