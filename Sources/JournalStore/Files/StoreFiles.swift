internal import Glibc

/// The names of a store's files.
package struct StoreFiles: Hashable, Sendable {
  package let folder: String

  package let database: String

  package init(folder: String) {
    self.folder = folder
    database = "\(folder)/journal.sqlite"
  }

  /// The files of a copy, which bears any name and has nothing but the database.
  init(copy path: String) {
    folder = StoreFile.folder(of: path)
    database = path
  }

  /// What was committed and is not in the database yet; SQLite's.
  package var log: String { database + "-wal" }
  /// SQLite's index of the log; made anew whenever it is missing.
  package var logIndex: String { database + "-shm" }
  /// Locked while a daemon lives, and says which.
  package var lock: String { "\(folder)/journal.lock" }
  /// How far each world was when it was acknowledged last.
  package var heads: String { "\(folder)/journal.heads" }

  /// Makes a database, complete under another name first, so that what bears its name is one.
  ///
  /// - Throws: `damaged` when a log without its database is there: it has inputs that were acknowledged.
  func makeDatabase(system: String?, faults: FaultPlan?) throws(StoreFailure) {
    guard StoreFile.size(log) == 0 else {
      throw .damaged(Damage(database, "it is missing, but \(log) is there, with inputs that belong to it"))
    }
    let new = database + ".new"
    for path in [new, new + "-wal", new + "-shm", log, logIndex] { StoreFile.remove(path) }
    // SQLite takes an empty file for a new database, and gives its own files the same mode.
    try StoreFile(new, O_RDWR | O_CREAT | O_EXCL, faults: faults).close()
    let made = try Database(path: new, .writing, system: system, faults: faults)
    defer { made.close() }
    var generator = SystemRandomNumberGenerator()
    try Schema.make(in: made, identity: generator.next())
    made.close()
    guard StoreFile.size(new + "-wal") == 0 else {
      throw .other(path: new, reason: "SQLite could not write it; \(new)-wal is left")
    }
    try StoreFile.sync(new, faults: faults)
    try StoreFile.rename(new, to: database, faults: faults)
    try StoreFile.sync(folder, faults: faults)
  }
}
