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
  /// A step of a request ended the daemon before. Nil for a world that is not stored.
  case endedByRequest(request: String, world: String?, cause: String)
  /// What is under way cannot be noted: a step that ends the daemon would be taken again at the next start.
  case workNotNoted(path: String, reason: String)
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
    case .endedByRequest(let request, let world, let cause):
      "the daemon before ended (\(cause)) in world \(world ?? "that is not stored") while it took "
        + (request.isEmpty ? "a request" : "'\(request)'")
        + "; what was not stored of it did not happen, and it is not taken again"
    case .workNotNoted(let path, let reason):
      "\(path) could not be written (\(reason)): a step that ends the daemon would be taken again at the next start"
    case .notNoted(let path, let reason):
      "\(path) could not be written (\(reason)); stored worlds are intact, but damage at their end would not be detected"
    }
  }
}
