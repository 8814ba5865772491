internal import Glibc

/// Worlds in one SQLite database, in a separate folder; ``StoreFiles`` names its files.
///
/// A round is one transaction. The database is in WAL mode: a commit appends to the log, and ``writeBackLog()`` writes
/// the log back to the database. Others may read the database meanwhile.
package final class SQLiteStore: SQLiteReader, WorldStore {
  /// Settings that tests change.
  package struct Circumstances {
    /// Whether the store locks out other daemons. Without the lock (as on a network file system that ignores locks),
    /// epochs do.
    package var isLocked = true
    package var faults: FaultPlan?
    /// The name of an SQLite VFS; nil for the default.
    package var system: String?
    /// The id of the current boot.
    package var boot: UInt64
    /// Seconds since 1970.
    package var now: () -> Int64

    package init() {
      boot = CommitWatermarks.presentBoot()
      now = { Int64(time(nil)) }
    }
  }

  /// How long the log gets before it should be written back: 8 MB. A longer log makes commits cheaper on average, but
  /// the write-back, for which they wait, longer.
  static let logPages = 2000

  /// Up to this size the structure of a database is checked in full when it is opened, which takes about 20 ms. In
  /// larger ones each part is checked when it is read.
  static let largestCheckedInFull = 16 << 20

  private let lock: StoreLock?
  /// How the previous daemon ended; nil if there was none or its notes are missing.
  package let lastEnd: LastEnd?
  /// Nil while there was no room for them; then nothing is written either.
  private var notes: CommitWatermarks?
  private let durability: Durability
  private let faults: FaultPlan?
  let writer: StoreWriter
  let now: () -> Int64
  /// For other threads, which may outlive this store.
  package var readers: any StoreReaders { connections }
  private let connections: SQLiteReaders
  /// The rows of leased worlds, as last known.
  var held: [Int64: WorldRow] = [:]
  /// The latest checkpoint of each world whose bytes were verified, so that older segments may be removed.
  var trustedCheckpoints: [Int64: UInt64] = [:]
  /// Where to continue the search for names that no segment needs.
  var nameSweeps: [Int64: NamePlace] = [:]
  /// Receives warnings for the administrator, on the thread that called the store.
  private let warn: @Sendable (StoreWarning) -> Void
  /// Whether it was reported that watermarks cannot be written.
  private var isUnnoted = false
  private var isClosed = false
  /// Nil unless ``noteWork()`` was called.
  package private(set) var workNotes: WorkNotes?

  private(set) lazy var rowByIdentity = database.kept("SELECT \(WorldRow.columns) FROM worlds WHERE id = ?1")
  private(set) lazy var rowUpdate = database.kept(WorldRow.update)
  private(set) lazy var segmentInsertion = database.kept(SegmentSQL.insertion)
  private(set) lazy var nameInsertion = database.kept(NameSQL.insertion)

  private init(_ opened: Opened, _ writer: StoreWriter, _ warn: @escaping @Sendable (StoreWarning) -> Void) {
    let circumstances = opened.circumstances
    lock = opened.lock
    notes = opened.notes
    lastEnd = opened.lastEnd
    durability = opened.durability
    faults = circumstances.faults
    self.writer = writer
    now = circumstances.now
    self.warn = warn
    connections = SQLiteReaders(opened.files, identity: opened.store.identity, circumstances)
    super.init(opened.files, opened.database, boot: circumstances.boot)
  }

  deinit {
    close()
  }

  /// Opens the store in a folder for a daemon, and makes what is missing.
  ///
  /// A damaged store or one from a later release is left unchanged. Without room to write, existing data can still be
  /// read; each write tries again, and fails with `full` until there is room.
  ///
  /// - Parameters:
  ///   - folder: Made with mode 0700 if it is missing.
  ///   - writer: This process, named to others.
  ///   - warn: Receives warnings for the administrator, now and later, on the thread that calls the store.
  /// - Throws: `locked` while another daemon has it; `damaged`, `otherSchema`, `readOnly`, `cannotOpen`, `full`, `other`.
  /// - Complexity: O(worlds); O(size) up to ``largestCheckedInFull``.
  package static func open(
    folder: String, durability: Durability, writer: StoreWriter, _ circumstances: Circumstances = Circumstances(),
    warn: @escaping @Sendable (StoreWarning) -> Void
  ) throws(StoreFailure) -> SQLiteStore {
    let files = StoreFiles(folder: folder)
    try StoreFile.makeFolder(folder)
    let lock: StoreLock? =
      circumstances.isLocked
      ? try StoreLock(path: files.lock, store: files.database, for: writer, faults: circumstances.faults) : nil
    do throws(StoreFailure) {
      let opened: Opened
      do throws(StoreFailure) {
        opened = try Opened(files, lock, durability, circumstances, warn)
      } catch .full where circumstances.system == nil && StoreFile.exists(files.database) {
        // SQLite's shared index of the log needs a file, for which there is no room. This VFS keeps it in memory.
        var circumstances = circumstances
        circumstances.system = "unix-excl"
        opened = try Opened(files, lock, durability, circumstances, warn)
        warn(.alone(path: files.logIndex))
      }
      return SQLiteStore(opened, writer, warn)
    } catch {
      lock?.release()
      throw error
    }
  }

  /// The parts of a store that has passed its checks.
  private struct Opened {
    let files: StoreFiles
    let lock: StoreLock?
    let durability: Durability
    let circumstances: Circumstances
    let database: Database
    let store: StoreRow
    let lastEnd: LastEnd?
    let notes: CommitWatermarks?

    init(
      _ files: StoreFiles, _ lock: StoreLock?, _ durability: Durability, _ circumstances: Circumstances,
      _ warn: (StoreWarning) -> Void
    ) throws(StoreFailure) {
      (self.files, self.lock, self.durability, self.circumstances) = (files, lock, durability, circumstances)
      let faults = circumstances.faults
      let found = try CommitWatermarks.read(files.heads, faults: faults)
      if !StoreFile.exists(files.database) {
        try files.makeDatabase(system: circumstances.system, faults: faults)
        if found != nil { warn(.databaseGone(path: files.database)) }
      }
      let database = try Database(path: files.database, .writing, system: circumstances.system, faults: faults)
      do throws(StoreFailure) {
        try DatabaseHeader.check(database, hasWAL: StoreFile.size(files.log) > 0)
        try StoreSchema.check(database)
        let (store, rows) = try IntegrityCheck.check(database)
        for warning in try found?.check(store, rows, boot: circumstances.boot, path: files.database) ?? [] {
          warn(warning)
        }
        try database.run("PRAGMA synchronous = \(durability == .full ? "FULL" : "NORMAL")")
        database.watchLog()
        try database.run("PRAGMA journal_size_limit = \(2 * logPages * StoreSchema.pageSize)")
        // Debian's SQLite overwrites deleted data with zeros, which doubles the cost of removing old segments.
        try database.run("PRAGMA secure_delete = OFF")
        // SQLite has made the log by now, if there was none.
        try database.hold([files.database, files.log])
        // A previous daemon may not have synced the log: the watermarks must not promise more than is on the disk.
        if durability == .full { try StoreFile.sync(files.log, faults: faults) }
        var notes: CommitWatermarks?
        do throws(StoreFailure) {
          notes = try CommitWatermarks(
            path: files.heads, store, rows, boot: circumstances.boot, durability, faults: faults)
        } catch .full {
          warn(.noRoomYet(path: files.heads))
        }
        self.notes = notes
        lastEnd = found?.end(store, boot: circumstances.boot)
        self.store = store
        self.database = database
      } catch {
        database.close()
        throw error
      }
    }
  }

  /// Begins to note what is under way, and finds out what ended the daemon before.
  ///
  /// Call it before any world is loaded.
  package func noteWork() throws(StoreFailure) {
    let (identity, found, rows) = try database.reading { () throws(StoreFailure) in
      let identity = try StoreRow.read(database).identity
      let found = WorkNotes.read(files.work, identity: identity)
      // Most daemons end in order, and leave nothing to judge.
      return (identity, found, found.isEmpty ? [] : try IntegrityCheck.worlds(database))
    }
    for work in found.present {
      if let warning = work.warning(rows.first { $0.identity == work.world }) { warn(warning) }
    }
    let records = InterruptedWork.judge(found, rows)
    ended = records.filter(\.isFatal)
    do throws(StoreFailure) {
      workNotes = try WorkNotes(files.work, identity: identity, records: records)
      WorkNotes.noteFatalSignals()
    } catch {
      warn(.workNotNoted(path: files.work, reason: "\(error)"))
    }
  }

  /// Runs `body` in a transaction.
  func writing<Result>(_ body: () throws(StoreFailure) -> Result) throws(StoreFailure) -> Result {
    if notes == nil {
      let (store, rows) = try database.reading { () throws(StoreFailure) in
        (try StoreRow.read(database), try IntegrityCheck.worlds(database))
      }
      notes = try CommitWatermarks(path: files.heads, store, rows, boot: boot, durability, faults: faults)
    }
    return try database.writing(body)
  }

  package var waitsForLocks = true {
    didSet { if waitsForLocks != oldValue { database.wait(forLocks: waitsForLocks) } }
  }

  package var isLogLong: Bool { database.pagesInLog >= SQLiteStore.logPages }

  package func writeBackLog() throws(StoreFailure) { try database.writeBackLog() }

  package func tryWriting() throws(StoreFailure) {
    try writing { () throws(StoreFailure) in
      // No world has this number. A transaction without any change would not be written.
      try database.run("INSERT INTO removed(world) VALUES (-1)")
      try database.run("DELETE FROM removed WHERE world = -1")
    }
  }

  /// Writes the rest of the log to the database and releases the store. A store that was not written to stays as it
  /// was, with its log.
  package override func close() {
    guard !isClosed else { return }
    isClosed = true
    connections.close()
    // If this daemon wrote nothing, the recorded end of the previous one stays.
    let isInOrder = database.hasWritten || lastEnd == nil || lastEnd == .inOrder
    let isInPlace = database.isInPlace
    super.close()
    if isInOrder, isInPlace { try? notes?.end() }
    notes?.close()
    lock?.release()
    held = [:]
  }

  /// Writes notes after a commit. The commit stands, so an error here causes only a warning.
  func noting(_ note: (CommitWatermarks) throws(StoreFailure) -> Void) {
    guard let notes else { return }
    do throws(StoreFailure) {
      try note(notes)
      isUnnoted = false
    } catch {
      if !isUnnoted { warn(.notNoted(path: files.heads, reason: "\(error)")) }
      isUnnoted = true
    }
  }
}
