internal import Glibc

/// Worlds in one SQLite database, in a folder of their own; ``StoreFiles`` names what is in it.
///
/// A round is one transaction. The database is in WAL mode: a commit appends to the log, which SQLite writes back to the
/// database every ``logPages``. Others may read the database meanwhile.
package final class SQLiteStore: WorldStore {
  /// What tests want otherwise than daemons.
  package struct Circumstances {
    /// Whether the store keeps other daemons out. Without, as on a network file system that forgets locks, epochs do.
    package var isLocked = true
    package var faults: FaultPlan?
    /// What this boot of the system is called.
    package var boot: UInt64
    /// Seconds since 1970.
    package var now: () -> Int64

    package init() {
      boot = HeadNotes.presentBoot()
      now = { Int64(time(nil)) }
    }
  }

  /// How long the log gets before it is written back: 16 MB. Longer makes commits cheaper on the average and the longest
  /// of them longer.
  static let logPages = 4000

  /// A database up to this size has its structure checked in full when it is opened, which takes some 20 ms. In larger
  /// ones each part is checked when it is read.
  static let largestCheckedInFull = 16 << 20

  package let files: StoreFiles
  let database: Database
  private let lock: StoreLock?
  /// Nil for a store that is only read.
  let notes: HeadNotes?
  let writer: StoreWriter
  let now: () -> Int64
  let boot: UInt64
  /// The rows of the worlds that this store has taken, as they are in the database as far as is known.
  var held: [Int64: WorldRow] = [:]
  /// The checkpoints whose bytes were found good, for whose sake older segments may go; the latest of each world.
  var trustedCheckpoints: [Int64: UInt64] = [:]
  /// From where names are still to be looked at that no segment needs any more.
  var nameSweeps: [Int64: NamePlace] = [:]
  private var warnings: [StoreWarning]
  private var isClosed = false

  private(set) lazy var rowByName = database.kept("SELECT \(WorldRow.columns) FROM worlds WHERE name = ?1")
  private(set) lazy var rowByIdentity = database.kept("SELECT \(WorldRow.columns) FROM worlds WHERE id = ?1")
  private(set) lazy var rowUpdate = database.kept(WorldRow.update)
  private(set) lazy var segmentInsertion = database.kept(SegmentSQL.insertion)
  private(set) lazy var nameAtInput = database.kept(NameSQL.atInput)
  private(set) lazy var nameInsertion = database.kept(NameSQL.insertion)

  private init(
    _ files: StoreFiles, _ database: Database, _ lock: StoreLock?, _ notes: HeadNotes?, _ writer: StoreWriter,
    _ circumstances: Circumstances, _ warnings: [StoreWarning]
  ) {
    self.files = files
    self.database = database
    self.lock = lock
    self.notes = notes
    self.writer = writer
    now = circumstances.now
    boot = circumstances.boot
    self.warnings = warnings
  }

  deinit {
    close()
  }

  /// Opens the store in a folder for a daemon, and makes what is missing.
  ///
  /// What is damaged or from a later release is left untouched.
  ///
  /// - Parameters:
  ///   - folder: Made with mode 0700 where it is missing.
  ///   - writer: This process, which others are told about.
  /// - Throws: `locked` while another daemon has it; `damaged`, `newer`, `readOnly`, `cannotOpen`, `full`, `other`.
  /// - Complexity: O(worlds), and up to ``largestCheckedInFull`` O(size).
  package static func open(
    folder: String, durability: Durability, writer: StoreWriter, _ circumstances: Circumstances = Circumstances()
  ) throws(StoreFailure) -> SQLiteStore {
    let files = StoreFiles(folder: folder)
    let faults = circumstances.faults
    try StoreFile.makeFolder(folder)
    let lock: StoreLock? =
      circumstances.isLocked
      ? try StoreLock(path: files.lock, store: files.database, for: writer, faults: faults) : nil
    do throws(StoreFailure) {
      let found = try HeadNotes.read(files.heads, faults: faults)
      var warnings: [StoreWarning] = []
      if !StoreFile.exists(files.database) {
        try files.makeDatabase(faults: faults)
        if found != nil { warnings.append(.databaseGone(path: files.database)) }
      }
      let database = try Database(path: files.database, .writing, faults: faults)
      do throws(StoreFailure) {
        try DatabaseHeader.check(database, hasWAL: StoreFile.size(files.log) > 0)
        try Schema.check(database)
        let (store, rows) = try Soundness.check(database)
        warnings += try found?.check(store, rows, boot: circumstances.boot, path: files.database) ?? []
        try database.run("PRAGMA synchronous = \(durability == .full ? "FULL" : "NORMAL")")
        try database.run("PRAGMA wal_autocheckpoint = \(logPages)")
        try database.run("PRAGMA journal_size_limit = \(2 * logPages * Schema.pageSize)")
        // Debian's SQLite overwrites what is deleted with zeros, which doubles the work of removing old segments.
        try database.run("PRAGMA secure_delete = OFF")
        let notes = try HeadNotes(
          path: files.heads, store, rows, boot: circumstances.boot, durability, faults: faults)
        return SQLiteStore(files, database, lock, notes, writer, circumstances, warnings)
      } catch {
        database.close()
        throw error
      }
    } catch {
      lock?.release()
      throw error
    }
  }

  /// Opens the store in a folder for reading only, whether or not a daemon writes it; nothing is locked.
  ///
  /// - Throws: `absent` when there is none; `damaged`, `newer`, `cannotOpen`, `other`.
  package static func openForReading(
    folder: String, _ circumstances: Circumstances = Circumstances()
  ) throws(StoreFailure) -> SQLiteStore {
    let files = StoreFiles(folder: folder)
    guard StoreFile.exists(files.database) else { throw .absent(path: files.database) }
    let hasLog = StoreFile.size(files.log) > 0
    // SQLite reads a database with a log through a `-shm` that it must be able to make.
    let isFrozen = !hasLog && access(folder, W_OK) != 0
    let database = try Database(
      path: files.database, isFrozen ? .readingFrozen : .reading, faults: circumstances.faults)
    do throws(StoreFailure) {
      try DatabaseHeader.check(database, hasWAL: hasLog)
      try Schema.check(database)
    } catch {
      database.close()
      throw error
    }
    let nobody = StoreWriter(process: 0, socket: "")
    return SQLiteStore(files, database, nil, nil, nobody, circumstances, [])
  }

  /// Writes what is left in the log to the database and gives the store free. One to which nothing was written stays as
  /// it was, with its log.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    database.close()
    notes?.close()
    lock?.release()
    held = [:]
  }

  /// Gives what there is to warn of, once.
  package func takeWarnings() -> [StoreWarning] {
    defer { warnings = [] }
    return warnings
  }

  /// Does `body` on one state of the store, whatever a daemon writes meanwhile.
  package func withSnapshot<Result>(_ body: () throws(StoreFailure) -> Result) throws(StoreFailure) -> Result {
    try database.reading(body)
  }

  /// What the database and its log take up on the disk, in bytes.
  package var fileSize: Int { StoreFile.size(files.database) + StoreFile.size(files.log) }

  /// Does what follows a commit. What is stored is stored, so that an error here is only one to warn of.
  func noting(_ note: (HeadNotes) throws(StoreFailure) -> Void) {
    guard let notes else { return }
    do throws(StoreFailure) {
      try note(notes)
    } catch {
      let isNew = !warnings.contains { if case .notNoted = $0 { true } else { false } }
      if isNew { warnings.append(.notNoted(path: files.heads, reason: "\(error)")) }
    }
  }
}
