import JournalStore
import PostgresStore
import UnixHost

/// The names of users, as far as they are known, and what the system says of others. Any thread may use it.
///
/// Worlds in a database that several hosts share go by them: `anna/lab` for what is `1007/lab` here, since the number may be
/// that of another user elsewhere.
final class UserNames: Sendable {
  /// How to ask the system, which may take long: an event loop must not.
  struct Directory: Sendable {
    var nameOf: @Sendable (UInt32) throws(SystemError) -> String? = Accounts.name(ofUser:)
    var numberOf: @Sendable (String) throws(SystemError) -> UInt32? = Accounts.user(named:)
  }

  /// The number of the user that the daemon runs as.
  private let owner: UInt32
  private let directory: Directory
  /// The name of each user that was learnt. A user without one, whose account may come later, goes by the number.
  private let known = Locked<[UInt32: String]>([:])

  init(owner: UInt32 = Accounts.own, _ directory: Directory = Directory()) {
    (self.owner, self.directory) = (owner, directory)
  }

  private func number(of user: UserID) -> UInt32 { user.systemNumber(owner: owner) }

  /// Whether ``learn(_:of:)`` was called for a user.
  func isKnown(_ user: UserID) -> Bool {
    let number = number(of: user)
    return known.withLock { $0[number] != nil }
  }

  /// Keeps what the system says of a user. One without a name goes by the number, and so does one whose name is that of
  /// another or could be another's number.
  func learn(_ name: String?, of user: UserID) { learn(name, of: number(of: user)) }

  private func learn(_ name: String?, of number: UInt32) {
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

  // MARK: Asking the system

  /// Asks for a user's name, unless it is known. If the system fails, it stays unknown.
  func ask(_ user: UserID) { _ = try? name(ofNumber: number(of: user)) }

  /// A user's name; nil if there is none.
  private func name(ofNumber number: UInt32) throws(SystemError) -> String? {
    let name = known.withLock { $0[number] }
    if let name, name != "\(number)" { return name }
    learn(try directory.nameOf(number), of: number)
    return known.withLock { $0[number] }.flatMap { $0 == "\(number)" ? nil : $0 }
  }

  /// The name of a world in the database. A user without a name, or one whose name could be another's number, goes by the
  /// number.
  ///
  /// - Throws: If the system cannot say whether the user has a name: under the number it would be another world.
  func stored(_ key: String) throws(StoreFailure) -> String {
    let world = WorldKey(key)
    guard case .other(let number) = world.owner else { return key }
    do throws(SystemError) {
      return try name(ofNumber: number).map { "\($0)/\(world.name)" } ?? key
    } catch {
      throw .other(path: "the directory of users", reason: "it does not say who user \(number) is: \(error)")
    }
  }

  /// The ``WorldKey`` of a name in the database; nil for a world of a user that this host does not have, or that the system
  /// cannot find now.
  func key(_ stored: String) -> String? {
    guard let slash = stored.lastIndex(of: "/") else { return stored }
    let user = String(stored[..<slash])
    do throws(SystemError) {
      // A host on which this number has no name wrote it; where it has one, it is another user's.
      if let number = UserID.number(user) { return try name(ofNumber: number) == nil ? stored : nil }
      let known = known.withLock { known in known.first { $0.value == user }?.key }
      guard let number = known == nil ? try directory.numberOf(user) : known, try name(ofNumber: number) == user else {
        return nil
      }
      return "\(number)\(stored[slash...])"
    } catch {
      return nil
    }
  }

  /// Of a daemon.
  var naming: WorldNaming { WorldNaming(stored: stored, local: key) }
}

extension WorldNaming {
  /// Of a program that works on all worlds, also those of users that this host does not have.
  static var ofAllUsers: WorldNaming {
    let names = UserNames()
    return WorldNaming(stored: names.stored) { names.key($0) ?? $0 }
  }
}

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
