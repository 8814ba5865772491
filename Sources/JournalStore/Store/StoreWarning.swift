/// What a store has to say though it goes on.
package enum StoreWarning: Hashable, Sendable {
  /// The system went down before the last rounds were on the disk, as durability `batch` allows.
  case lostWithPower(Damage)
  /// A database was there and is not any more; a new one was made.
  case databaseGone(path: String)
  /// It could not be noted how far the worlds are. They are stored, but damage at the end would not be found.
  case notNoted(path: String, reason: String)
  /// There is no room even for what goes with opening: it is read, and nothing can be written before there is.
  case noRoomYet(path: String)
  /// There was no room for SQLite's index of the log, which is in memory instead: no other program can read the store.
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
      "\(path) was there and is gone; a new one was made"
    case .noRoomYet(let path):
      "no room on the disk for \(path): what is stored can be read, and nothing be changed until there is"
    case .alone(let path):
      "no room on the disk for \(path): until the next start no other program can read the store"
    case .notNoted(let path, let reason):
      "\(path) could not be written (\(reason)); what is stored is good, but if its end is damaged nobody will know"
    }
  }
}
