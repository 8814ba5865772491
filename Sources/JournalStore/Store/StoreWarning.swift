/// A warning of a store that keeps working.
package enum StoreWarning: Hashable, Sendable {
  /// The system went down before the last rounds were on the disk, as durability `batch` allows.
  case lostWithPower(Damage)
  /// An earlier database is missing; a new one was made.
  case databaseGone(path: String)
  /// The watermarks could not be written. The worlds are stored, but damage at the end would not be detected.
  case notNoted(path: String, reason: String)
  /// There is no room even for opening: the store can be read, but not written until there is.
  case noRoomYet(path: String)
  /// There was no room for SQLite's index of the log, which is kept in memory: no other program can read the store.
  case alone(path: String)
}

extension StoreWarning: CustomStringConvertible {
  /// One line for a person, without a full stop.
  package var description: String {
    switch self {
    case .lostWithPower(let damage):
      "the system went down before the last rounds were on the disk (\(damage.finding); \(damage.path)); "
        + "--durability full waits for the disk"
    case .databaseGone(let path):
      "\(path) is missing; a new one was made"
    case .noRoomYet(let path):
      "no room on the disk for \(path): stored worlds can be read, but not changed until there is room"
    case .alone(let path):
      "no room on the disk for \(path): until the next start no other program can read the store"
    case .notNoted(let path, let reason):
      "\(path) could not be written (\(reason)); stored worlds are intact, but damage at their end would not be detected"
    }
  }
}
