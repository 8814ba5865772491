internal import Glibc

/// The names of a store's files.
package struct StoreFiles: Hashable, Sendable {
  package let folder: String

  package let database: String

  package init(folder: String) {
    self.folder = folder
    database = "\(folder)/journal.sqlite"
  }

  /// The files of a copy, which may have any name and consists of the database only.
  init(copy path: String) {
    folder = StoreFile.folder(of: path)
    database = path
  }

  /// SQLite's log: commits that are not in the database file yet.
  package var log: String { database + "-wal" }
  /// SQLite's index of the log; rebuilt whenever it is missing.
  package var logIndex: String { database + "-shm" }
  /// Locked while a daemon runs; names that daemon.
  package var lock: String { "\(folder)/journal.lock" }
  /// The last acknowledged head of each world.
  package var heads: String { "\(folder)/journal.heads" }
  /// What the threads of the daemon work on.
  package var work: String { "\(folder)/journal.work" }

  /// Whether a path leads to this folder, however it is written.
  package func areIn(folder path: String) -> Bool {
    var (one, other) = (stat(), stat())
    return stat(folder, &one) == 0 && stat(path, &other) == 0 && one.st_dev == other.st_dev
      && one.st_ino == other.st_ino
  }

  /// Makes a database in full under another name, so that a file with the final name is always complete.
  ///
  /// - Throws: `damaged` when there is a log without a database: it contains acknowledged inputs.
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
    try StoreSchema.make(in: made, identity: generator.next())
    made.close()
    guard StoreFile.size(new + "-wal") == 0 else {
      throw .other(path: new, reason: "SQLite could not write it; \(new)-wal is left")
    }
    try StoreFile.sync(new, faults: faults)
    try StoreFile.rename(new, to: database, faults: faults)
    try StoreFile.sync(folder, faults: faults)
  }
}
