import PostgresStore
import UnixHost

/// The names of worlds in a database that several hosts share: `anna/lab` for what is `1007/lab` here, since the number may
/// be that of another user elsewhere.
///
/// Calls ask the system for users and may block, so the event loop must not make them. A user that was found is kept; one
/// that was not is asked for again, since the account may come later, or the directory be away.
final class SharedNames: Sendable {
  private let nameOf: @Sendable (UInt32) -> String?
  private let numberOf: @Sendable (String) -> UInt32?
  private let names = Locked<[UInt32: String]>([:])
  private let numbers = Locked<[String: UInt32]>([:])

  init(
    nameOf: @escaping @Sendable (UInt32) -> String? = Accounts.name(ofUser:),
    numberOf: @escaping @Sendable (String) -> UInt32? = Accounts.user(named:)
  ) {
    (self.nameOf, self.numberOf) = (nameOf, numberOf)
  }

  /// The name in the database. A user without a name, or one whose name could be another's number, goes by the number.
  func stored(_ key: String) -> String {
    let world = WorldKey(key)
    guard case .other(let number) = world.owner, let name = name(of: number) else { return key }
    return "\(name)/\(world.name)"
  }

  /// The ``WorldKey`` of a name in the database; nil for a world of a user that this host does not have.
  func key(_ stored: String) -> String? {
    guard let slash = stored.lastIndex(of: "/") else { return stored }
    let user = String(stored[..<slash])
    // A host on which this number has no name wrote it; where it has one, it is another user's.
    if let number = UserID.number(user) { return name(of: number) == nil ? stored : nil }
    guard let number = number(of: user), name(of: number) == user else { return nil }
    return "\(number)\(stored[slash...])"
  }

  /// Of a daemon.
  var naming: WorldNaming { WorldNaming(stored: stored, local: key) }

  /// Of a program that works on all worlds, also those of users that this host does not have.
  var namingOfAll: WorldNaming { WorldNaming(stored: stored) { [self] in key($0) ?? $0 } }

  private func name(of number: UInt32) -> String? {
    if let known = names.withLock({ $0[number] }) { return known }
    guard let name = nameOf(number), UInt32(name) == nil else { return nil }
    names.withLock { $0[number] = name }
    return name
  }

  private func number(of name: String) -> UInt32? {
    if let known = numbers.withLock({ $0[name] }) { return known }
    guard let number = numberOf(name) else { return nil }
    numbers.withLock { $0[name] = number }
    return number
  }
}
