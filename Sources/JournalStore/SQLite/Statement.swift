internal import CSQLite

/// A compiled statement of a connection.
///
/// Parameters are counted from 1, columns from 0, as in SQLite.
final class Statement {
  private unowned let database: Database
  private let text: String
  // Safety: made on first use, finalized with the connection; nil before and after.
  private var handle: OpaquePointer?
  private var isClean = true

  init(_ database: Database, _ text: String) {
    self.database = database
    self.text = text
  }

  func finalize() {
    sqlite3_finalize(handle)
    handle = nil
  }

  private func compile() throws(StoreFailure) {
    if handle == nil { handle = try database.prepare(text) }
  }

  // MARK: Parameters

  @discardableResult
  func bind(_ place: Int32, _ number: Int64) throws(StoreFailure) -> Statement {
    try bind { sqlite3_bind_int64($0, place, number) }
  }

  @discardableResult
  func bind(_ place: Int32, _ number: UInt64) throws(StoreFailure) -> Statement {
    try bind(place, Int64(bitPattern: number))
  }

  @discardableResult
  func bind(_ place: Int32, _ number: Double) throws(StoreFailure) -> Statement {
    try bind { sqlite3_bind_double($0, place, number) }
  }

  @discardableResult
  func bind(_ place: Int32, _ text: String) throws(StoreFailure) -> Statement {
    try bind { statement in
      var text = text
      return text.withUTF8 { bytes in
        // An empty text has no address, which SQLite would take for NULL.
        bytes.isEmpty
          ? fsm_bind_text(statement, place, "", 0)
          : bytes.withMemoryRebound(to: CChar.self) {
            fsm_bind_text(statement, place, $0.baseAddress, UInt64($0.count))
          }
      }
    }
  }

  @discardableResult
  func bindNull(_ place: Int32) throws(StoreFailure) -> Statement {
    try bind { sqlite3_bind_null($0, place) }
  }

  /// Binds a copy.
  @discardableResult
  func bind(_ place: Int32, _ bytes: [UInt8]) throws(StoreFailure) -> Statement {
    try bind { statement in
      bytes.withUnsafeBytes { fsm_bind_copied(statement, place, $0.baseAddress, UInt64($0.count)) }
    }
  }

  /// Binds bytes that stay valid until ``reset()``, which ``run()`` calls.
  @discardableResult
  func bind(_ place: Int32, lent bytes: UnsafeRawBufferPointer) throws(StoreFailure) -> Statement {
    try bind { fsm_bind_lent($0, place, bytes.baseAddress, UInt64(bytes.count)) }
  }

  private func bind(_ call: (OpaquePointer?) -> Int32) throws(StoreFailure) -> Statement {
    if !isClean { reset() }
    try compile()
    let code = database.calling { call(handle) }
    guard code == SQLITE_OK else {
      reset()
      throw database.failure(code)
    }
    return self
  }

  // MARK: Running

  /// Steps to the next row; false after the last one, when the statement has been reset.
  func step() throws(StoreFailure) -> Bool {
    try compile()
    isClean = false
    let code = database.calling { sqlite3_step(handle) }
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      reset()
      return false
    case let code:
      let failure = database.failure(code)
      reset()
      throw failure
    }
  }

  /// Runs it to its end.
  func run() throws(StoreFailure) {
    while try step() {}
  }

  /// Clears the bindings and the position.
  func reset() {
    guard handle != nil else { return }
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
    isClean = true
  }

  // MARK: Columns of the current row

  func number(_ column: Int32) -> Int64 {
    sqlite3_column_int64(handle, column)
  }

  func unsigned(_ column: Int32) -> UInt64 {
    UInt64(bitPattern: number(column))
  }

  func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  func text(_ column: Int32) -> String {
    String(decoding: bytes(column), as: UTF8.self)
  }

  /// Lent until the next step or reset.
  func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    let base = sqlite3_column_blob(handle, column)
    return UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, column)))
  }
}
