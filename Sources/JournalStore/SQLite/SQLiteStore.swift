internal import Glibc

/// Worlds in one SQLite database, in a folder of their own; ``StoreFiles`` names what is in it.
///
/// A round is one transaction. The database is in WAL mode: a commit appends to the log, which is
/// written back to the database when somebody asks for it (``writeBackLog()``). Others may read the database meanwhile.
package final class SQLiteStore: SQLiteReader, WorldStore {
  /// What tests want otherwise than daemons.
  package struct Circumstances {
    /// Whether the store keeps other daemons out. Without, as on a network file system that forgets locks, epochs do.
    package var isLocked = true
    package var faults: FaultPlan?
    /// SQLite's name for a way to the files; nil for the usual one.
    package var system: String?
    /// What this boot of the system is called.
    package var boot: UInt64
    /// Seconds since 1970.
    package var now: () -> Int64

    package init() {
      boot = CommitWatermarks.presentBoot()
      now = { Int64(time(nil)) }
    }
  }

  /// How long the log gets before it is to be written back: 8 MB. Longer makes commits cheaper on the average, and the
  /// time longer for which they wait.
  static let logPages = 2000

  /// A database up to this size has its structure checked in full when it is opened, which takes some 20 ms. In larger
  /// ones each part is checked when it is read.
  static let largestCheckedInFull = 16 << 20

  private let lock: StoreLock?
  /// How the daemon before came to its end; nil where there was none, or what it noted is gone.
  package let lastEnd: LastEnd?
  /// Nil as long as there was no room for them; then nothing is written either.
  private var notes: CommitWatermarks?
  private let durability: Durability
  private let faults: FaultPlan?
  let writer: StoreWriter
  let now: () -> Int64
  /// For other threads, which may outlive this.
  package var readers: any StoreReaders { connections }
  private let connections: SQLiteReaders
  /// The rows of the worlds that this store has taken, as they are in the database as far as is known.
  var held: [Int64: WorldRow] = [:]
  /// The checkpoints whose bytes were found good, for whose sake older segments may go; the latest of each world.
  var trustedCheckpoints: [Int64: UInt64] = [:]
  /// From where names are still to be looked at that no segment needs any more.
  var nameSweeps: [Int64: NamePlace] = [:]
  /// Takes what is to be said to whoever runs the daemon, on the thread that asked the store.
  private let warn: @Sendable (StoreWarning) -> Void
  /// Whether it was said that notes cannot be written.
  private var isUnnoted = false
  private var isClosed = false

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
  /// What is damaged or from a later release is left untouched. Where there is no room to write anything, what is there
  /// can be read all the same; each call that writes tries again, and fails with `full` until there is.
  ///
  /// - Parameters:
  ///   - folder: Made with mode 0700 where it is missing.
  ///   - writer: This process, which others are told about.
  ///   - warn: Takes what is to be said to whoever runs the daemon, now and later, on the thread that asks the store.
  /// - Throws: `locked` while another daemon has it; `damaged`, `newer`, `readOnly`, `cannotOpen`, `full`, `other`.
  /// - Complexity: O(worlds), and up to ``largestCheckedInFull`` O(size).
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
        // SQLite shares its index of the log with others in a file, for which there is no room. This way it does not.
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

  /// What a store consists of, once it is found to be sound.
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
        try Schema.check(database)
        let (store, rows) = try IntegrityCheck.check(database)
        for warning in try found?.check(store, rows, boot: circumstances.boot, path: files.database) ?? [] {
          warn(warning)
        }
        try database.run("PRAGMA synchronous = \(durability == .full ? "FULL" : "NORMAL")")
        database.watchLog()
        try database.run("PRAGMA journal_size_limit = \(2 * logPages * Schema.pageSize)")
        // Debian's SQLite overwrites what is deleted with zeros, which doubles the work of removing old segments.
        try database.run("PRAGMA secure_delete = OFF")
        // SQLite has made the log by now, if there was none.
        try database.hold([files.database, files.log])
        // What a daemon left that did not wait for the disk: the notes must not promise more than the disk has.
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

  /// Does `body` in a transaction.
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
      // No world has this number. What changes nothing at all would not be written.
      try database.run("INSERT INTO removed(world) VALUES (-1)")
      try database.run("DELETE FROM removed WHERE world = -1")
    }
  }

  /// Writes what is left in the log to the database and gives the store free. One to which nothing was written stays as
  /// it was, with its log.
  package override func close() {
    guard !isClosed else { return }
    isClosed = true
    connections.close()
    // A daemon that did not come to writing leaves it at what was said of the one before.
    let isInOrder = database.hasWritten || lastEnd == nil || lastEnd == .inOrder
    let isInPlace = database.isInPlace
    super.close()
    if isInOrder, isInPlace { try? notes?.end() }
    notes?.close()
    lock?.release()
    held = [:]
  }

  /// Does what follows a commit. What is stored is stored, so that an error here is only one to warn of.
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
