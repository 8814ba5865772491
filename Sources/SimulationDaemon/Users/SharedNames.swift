import PostgresStore
import UnixHost

/// The names of worlds in a database that several hosts share: `anna/lab` for what is `1007/lab` here, since the number may
/// be that of another user elsewhere.
///
/// It asks the system for users, each once, so no event loop may wait for it.
final class SharedNames: Sendable {
  private let nameOf: @Sendable (UInt32) -> String?
  private let numberOf: @Sendable (String) -> UInt32?
  private let names = Locked<[UInt32: String?]>([:])
  private let numbers = Locked<[String: UInt32?]>([:])

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
    guard let slash = stored.lastIndex(of: "/"), UserID.number(stored[..<slash]) == nil else { return stored }
    let user = String(stored[..<slash])
    guard let number = number(of: user), name(of: number) == user else { return nil }
    return "\(number)\(stored[slash...])"
  }

  /// Of a daemon.
  var naming: WorldNaming { WorldNaming(stored: stored, local: key) }

  /// Of a program that works on all worlds, also those of users that this host does not have.
  var namingOfAll: WorldNaming { WorldNaming(stored: stored) { [self] in key($0) ?? $0 } }

  private func name(of number: UInt32) -> String? {
    if let known = names.withLock({ $0[number] }) { return known }
    let name = nameOf(number).flatMap { UserID.number($0) == nil ? $0 : nil }
    names.withLock { $0[number] = .some(name) }
    return name
  }

  private func number(of name: String) -> UInt32? {
    if let known = numbers.withLock({ $0[name] }) { return known }
    let number = numberOf(name)
    numbers.withLock { $0[name] = .some(number) }
    return number
  }
}
