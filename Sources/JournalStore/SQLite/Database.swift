internal import CSQLite

/// One connection to an SQLite database.
///
/// One thread at a time may use it, not always the same. Only this type translates SQLite errors to ``StoreFailure``.
final class Database {
  enum Access {
    case writing
    case reading
    /// For a file without writers, in a folder where no `-shm` can be made.
    case readingFrozen
  }

  let path: String
  // Safety: opened in `init` and closed in `close`, which sets it to nil; no call is made afterwards.
  private var handle: OpaquePointer?
  let faults: FaultPlan?
  private var statements: [Statement] = []
  private(set) var isInTransaction = false
  /// Whether a write was attempted. Until then, closing leaves the WAL as it is.
  private(set) var hasWritten = false
  /// The files that must stay in place, so that commits can be found again.
  private var places: [FilePlace] = []
  /// Whether one of them was missing at the last check.
  private var isDisplaced = false
  /// How many pages the log had after the last commit.
  private let log = Log()
  private lazy var begin = kept("BEGIN IMMEDIATE")
  private lazy var beginReading = kept("BEGIN")
  private lazy var commit = kept("COMMIT")
  private lazy var rollback = kept("ROLLBACK")

  /// How long a call waits for a program that has locked the database, in milliseconds. All users of the store wait as
  /// long, so it is short.
  private static let patience: Int32 = 250

  /// - Parameter system: The name of an SQLite VFS; nil for the default.
  init(path: String, _ access: Access, system: String? = nil, faults: FaultPlan?) throws(StoreFailure) {
    self.path = path
    self.faults = faults
    let flags =
      switch access {
      case .writing: SQLITE_OPEN_READWRITE
      case .reading: SQLITE_OPEN_READONLY
      case .readingFrozen: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      }
    let name = access == .readingFrozen ? "file:\(Self.escaped(path))?immutable=1" : path
    var opened: OpaquePointer?
    let code = Self.calling(faults) { sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX, system) }
    handle = opened
    guard code == SQLITE_OK, opened != nil else {
      let failure = failure(code)
      close()
      throw failure
    }
    sqlite3_extended_result_codes(opened, 1)
    sqlite3_busy_timeout(opened, Self.patience)
    // Closing must not change the file while nothing has been written.
    _ = fsm_checkpoint_on_close(opened, 0)
    if access == .writing, sqlite3_db_readonly(opened, "main") != 0 {
      close()
      throw .readOnly(path: path)
    }
  }

  deinit {
    close()
  }

  /// Whether a call waits for a program that has locked the database.
  func wait(forLocks waits: Bool) {
    sqlite3_busy_timeout(handle, waits ? Self.patience : 0)
  }

  private final class Log {
    var pages: Int32 = 0
  }

  var pagesInLog: Int { Int(log.pages) }

  /// Records the length of the log after each commit, instead of letting a commit write a long log back.
  func watchLog() {
    // Safety: `log` lives as long as this value, which closes the connection before it goes.
    let context = Unmanaged.passUnretained(log).toOpaque()
    sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        if let context { Unmanaged<Log>.fromOpaque(context).takeUnretainedValue().pages = pages }
        return SQLITE_OK
      }, context)
  }

  /// Writes the log back to the database, up to the oldest snapshot in use.
  func writeBackLog() throws(StoreFailure) {
    var (inLog, written): (Int32, Int32) = (0, 0)
    let code = Self.calling(faults) {
      sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_PASSIVE, &inLog, &written)
    }
    guard code == SQLITE_OK else { throw failure(code) }
    // If all is written, the next commit restarts the log; until then the count is unknown.
    log.pages = 0
  }

  /// Lets closing write the WAL back to the database.
  func tidyOnClose() {
    _ = fsm_checkpoint_on_close(handle, 1)
    hasWritten = true
  }

  /// From now on nothing is read or counts as stored unless these paths still name the same files.
  ///
  /// - Throws: `gone` if there is no such file.
  func hold(_ paths: [String]) throws(StoreFailure) {
    places = try paths.map { (path) throws(StoreFailure) in try FilePlace(path) }
  }

  private func checkPlaces() throws(StoreFailure) {
    let displaced = places.first { !$0.isKept }
    isDisplaced = displaced != nil
    if let displaced { throw .gone(path: displaced.path) }
  }

  /// Whether all files are in place.
  var isInPlace: Bool { places.allSatisfy(\.isKept) }

  /// Closes the connection. Calling it twice is harmless; any other call after it fails.
  func close() {
    // SQLite removes the log by name, which may belong to another file by now.
    if handle != nil, !isInPlace { _ = fsm_checkpoint_on_close(handle, 0) }
    for statement in statements { statement.finalize() }
    statements = []
    sqlite3_close_v2(handle)
    handle = nil
  }

  /// The first bytes of the file, padded with zeros, and the file's length; takes no lock.
  func start(_ count: Int) throws(StoreFailure) -> (bytes: [UInt8], length: Int) {
    var bytes = [UInt8](repeating: 0, count: count)
    var length: sqlite3_int64 = 0
    let code = calling { fsm_read_start(handle, &bytes, Int32(count), &length) }
    guard code == SQLITE_OK else { throw failure(code) }
    return (bytes, Int(length))
  }

  /// How many rows the last statement changed.
  var changes: Int { Int(sqlite3_changes(handle)) }

  var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// A statement that lives as long as the connection; compiled on first use.
  func kept(_ text: String) -> Statement {
    let statement = Statement(self, text)
    statements.append(statement)
    return statement
  }

  /// Runs one statement and ignores its results.
  func run(_ text: String) throws(StoreFailure) {
    _ = try number(text)
  }

  /// The first number of a statement's first row; nil without a row.
  func number(_ text: String) throws(StoreFailure) -> Int64? {
    let statement = Statement(self, text)
    defer { statement.finalize() }
    return try statement.step() ? statement.number(0) : nil
  }

  /// Runs `body` in a transaction and rolls back when `body` fails.
  ///
  /// Afterwards, closing the database writes the WAL back.
  ///
  /// - Throws: What `body` throws; `unknown` when the commit fails without a certain outcome; `gone`.
  /// - Precondition: No transaction is open.
  func writing<Result>(_ body: () throws(StoreFailure) -> Result) throws(StoreFailure) -> Result {
    precondition(!isInTransaction, "a read transaction cannot write")
    if isDisplaced { try checkPlaces() }
    try start(begin)
    defer { isInTransaction = false }
    if !hasWritten { tidyOnClose() }
    let result: Result
    do throws(StoreFailure) {
      result = try body()
    } catch {
      undo()
      throw error
    }
    do throws(StoreFailure) {
      try commit.run()
    } catch {
      undo()
      // A full disk is a certain failure: the frame that completes the commit is the last one, and it had no room.
      if case .full = error { throw error }
      let reason = if case .other(_, let reason) = error { reason } else { "\(error)" }
      throw .unknown(path: path, reason: reason)
    }
    // Check after the commit: a file may have been moved while it was written.
    try checkPlaces()
    return result
  }

  /// Runs `body` on one snapshot of the database, whatever is written meanwhile. In a transaction it is part of that.
  func reading<R: ~Copyable>(_ body: () throws(StoreFailure) -> R) throws(StoreFailure) -> R {
    if isInTransaction { return try body() }
    // Data in a file that has been moved away must not count as stored.
    try checkPlaces()
    try start(beginReading)
    // Nothing was written, so a rollback equals a commit, and its failure does not matter.
    defer {
      undo()
      isInTransaction = false
    }
    return try body()
  }

  /// Copies the whole database to another, empty one, in steps of some pages.
  ///
  /// Within ``reading(_:)`` the copy is of one snapshot, however long it takes, and does not block writers.
  ///
  /// - Parameter rest: Called between two steps.
  func copy(to other: Database, pages: Int32, _ rest: () -> Void) throws(StoreFailure) {
    // Safety: SQLite's own object, finished before this returns.
    guard let copying = sqlite3_backup_init(other.handle, "main", handle, "main") else {
      throw other.failure(sqlite3_extended_errcode(other.handle))
    }
    var code: Int32
    repeat {
      code = sqlite3_backup_step(copying, pages)
      if code == SQLITE_OK { rest() }
    } while code == SQLITE_OK
    sqlite3_backup_finish(copying)
    guard code == SQLITE_DONE else {
      // If the error belongs to the written file, that connection has the system's message.
      let failure = other.failure(code)
      if case .other = failure { throw self.failure(code) }
      throw failure
    }
  }

  private func start(_ begin: Statement) throws(StoreFailure) {
    // A failed ROLLBACK may have left a transaction open; end it first.
    undo()
    do throws(StoreFailure) {
      try begin.run()
    } catch {
      undo()
      throw error
    }
    isInTransaction = true
  }

  /// Rolls back the open transaction, if any.
  private func undo() {
    guard let handle, sqlite3_get_autocommit(handle) == 0 else { return }
    for statement in statements { statement.reset() }
    // If this fails, it is repeated before the next transaction.
    try? rollback.run()
  }

  // MARK: Calls made by statements

  /// Makes a call that may touch the disk.
  func calling(_ call: () -> Int32) -> Int32 {
    Self.calling(faults, call)
  }

  static func calling(_ faults: FaultPlan?, _ call: () -> Int32) -> Int32 {
    guard let faults else { return call() }
    return faults.calling(call)
  }

  func prepare(_ text: String) throws(StoreFailure) -> OpaquePointer? {
    var statement: OpaquePointer?
    let code = calling { sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) }
    guard code == SQLITE_OK else {
      sqlite3_finalize(statement)
      throw failure(code)
    }
    return statement
  }

  /// The failure for a result code.
  func failure(_ code: Int32) -> StoreFailure {
    let known = handle != nil && sqlite3_extended_errcode(handle) == code
    let reason = String(cString: known ? sqlite3_errmsg(handle) : sqlite3_errstr(code))
    // The system error number stays from earlier errors; only these two codes set it.
    let isOfSystem = known && [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xFF)
    var system = isOfSystem ? sqlite3_system_errno(handle) : 0
    if isOfSystem, system == 0 { system = fsm_last_errno(handle) }
    if StoreFailure.isNoRoom(system) { return .full(path: path) }
    switch code & 0xFF {
    case SQLITE_FULL: return .full(path: path)
    case SQLITE_READONLY, SQLITE_PERM: return .readOnly(path: path)
    case SQLITE_BUSY, SQLITE_LOCKED: return .locked(path: path, by: nil)
    case SQLITE_CORRUPT, SQLITE_NOTADB: return .damaged(Damage(path, reason))
    case SQLITE_CANTOPEN, SQLITE_AUTH:
      return .cannotOpen(path: path, reason: system == 0 ? reason : StoreFailure.text(ofError: system))
    case _:
      let cause = system == 0 ? "" : ", \(StoreFailure.text(ofError: system))"
      return .other(path: path, reason: "\(reason) (SQLite's code \(code)\(cause))")
    }
  }

  private static func escaped(_ path: String) -> String {
    var escaped = ""
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "%"): escaped += "%25"
      case UInt8(ascii: "?"): escaped += "%3f"
      case UInt8(ascii: "#"): escaped += "%23"
      case let plain: escaped.unicodeScalars.append(Unicode.Scalar(plain))
      }
    }
    return escaped
  }
}
