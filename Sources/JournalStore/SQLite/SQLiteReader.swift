internal import Glibc

/// Reads worlds in an SQLite database, over its own connection.
package class SQLiteReader: StoreReading {
  package let files: StoreFiles
  let database: Database
  /// The id of the current boot.
  let boot: UInt64

  /// What ended a daemon and must not be done again.
  lazy var ended: [InterruptedWork] = {
    guard let identity = try? StoreRow.read(database).identity else { return [] }
    let found = WorkNotes.read(files.work, identity: identity)
    return (found.records + found.present).filter(\.isFatal)
  }()

  private lazy var rowByName = database.kept("SELECT \(WorldRow.columns) FROM worlds WHERE name = ?1")
  private(set) lazy var nameAtInput = database.kept(NameSQL.atInput)

  init(_ files: StoreFiles, _ database: Database, boot: UInt64) {
    self.files = files
    self.database = database
    self.boot = boot
  }

  /// Opens the store in a folder for reading only, whether or not a daemon writes it; takes no lock.
  ///
  /// - Throws: `absent` when there is none; `damaged`, `otherSchema`, `cannotOpen`, `other`.
  package static func open(
    folder: String, _ circumstances: SQLiteStore.Circumstances = SQLiteStore.Circumstances()
  ) throws(StoreFailure) -> SQLiteReader {
    let files = StoreFiles(folder: folder)
    guard StoreFile.exists(files.database) else { throw .absent(path: files.database) }
    let hasLog = StoreFile.size(files.log) > 0
    // SQLite reads a database with a log through a `-shm`, which it must be able to make.
    let isFrozen = !hasLog && access(folder, W_OK) != 0
    let database = try Database(
      path: files.database, isFrozen ? .readingFrozen : .reading, faults: circumstances.faults)
    do throws(StoreFailure) {
      try DatabaseHeader.check(database, hasWAL: hasLog)
      try StoreSchema.check(database)
    } catch {
      database.close()
      throw error
    }
    return SQLiteReader(files, database, boot: circumstances.boot)
  }

  package func close() {
    database.close()
  }

  package func withSnapshot<R: ~Copyable>(_ body: () throws(StoreFailure) -> R) throws(StoreFailure) -> R {
    try database.reading(body)
  }

  package func worlds() throws(StoreFailure) -> [StoredWorld] {
    try database.reading { () throws(StoreFailure) in try IntegrityCheck.worlds(database).map { $0.world(ended) } }
  }

  package func world(_ name: String) throws(StoreFailure) -> StoredWorld? {
    try database.reading { () throws(StoreFailure) in try find(name)?.world(ended) }
  }

  /// The row of a world in the database.
  ///
  /// - Throws: `noSuchWorld`, `damaged`.
  func row(of world: String) throws(StoreFailure) -> WorldRow {
    guard let row = try find(world) else { throw .noSuchWorld(world) }
    return row
  }

  func find(_ world: String) throws(StoreFailure) -> WorldRow? {
    try rowByName.bind(1, world)
    return try readRow(rowByName)
  }

  func readRow(_ statement: Statement) throws(StoreFailure) -> WorldRow? {
    defer { statement.reset() }
    return try statement.step() ? try WorldRow(statement, path: files.database) : nil
  }
}
