/// Writes a new SQLite database with the caller's tables.
///
/// It is one transaction on a ``NewFile``.
package final class TableWriter {
  /// The value of a column.
  package enum Value {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
  }

  private let database: Database
  private var statements: [String: Statement] = [:]

  /// Memory for data that is not on the disk yet, in KiB.
  private static let cache = 64 << 10

  private init(_ database: Database) {
    self.database = database
  }

  /// Makes a database.
  ///
  /// - Parameters:
  ///   - path: The file, in a folder that exists.
  ///   - body: Writes all of it.
  /// - Throws: ``NewFile/Exists``; ``StoreFailure``: `full`, `readOnly`, `cannotOpen`, `other`; and what `body` throws.
  ///   Then no file is left.
  package static func make(_ path: String, _ body: (TableWriter) throws -> Void) throws {
    // SQLite takes an empty file for a new database.
    try NewFile.make(path) { new in
      let database = try Database(path: new, .writing, faults: nil)
      defer { database.close() }
      // A half-made file never gets the final name, so it needs no journal.
      for pragma in ["journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE", "cache_size = -\(cache)"] {
        try database.run("PRAGMA \(pragma)")
      }
      let writer = TableWriter(database)
      defer { writer.finish() }
      try database.run("BEGIN")
      try body(writer)
      writer.finish()
      try database.run("COMMIT")
    }
  }

  /// Runs a statement with values for `?1`, `?2` and so on. It is compiled on first use.
  package func run(_ text: String, _ values: Value...) throws(StoreFailure) {
    let statement = statement(text)
    try bind(values, to: statement)
    try statement.run()
  }

  /// Appends a row, like ``run(_:_:)`` with an `INSERT` for as many columns as there are values.
  package func insert(_ values: [Value], into table: String) throws(StoreFailure) {
    let statement: Statement
    if let known = statements[table] {
      statement = known
    } else {
      let places = (1...values.count).map { "?\($0)" }.joined(separator: ", ")
      statement = Statement(database, "INSERT INTO \(table) VALUES (\(places))")
      statements[table] = statement
    }
    try bind(values, to: statement)
    try statement.run()
  }

  /// The first column of a query's first row; nil if there is none or it is `NULL`.
  package func text(_ query: String, _ values: Value...) throws(StoreFailure) -> String? {
    let statement = statement(query)
    try bind(values, to: statement)
    defer { statement.reset() }
    guard try statement.step(), !statement.isNull(0) else { return nil }
    return statement.text(0)
  }

  private func statement(_ text: String) -> Statement {
    if let known = statements[text] { return known }
    let statement = Statement(database, text)
    statements[text] = statement
    return statement
  }

  private func bind(_ values: [Value], to statement: Statement) throws(StoreFailure) {
    for (place, value) in values.enumerated() {
      let place = Int32(place + 1)
      switch value {
      case .null: try statement.bindNull(place)
      case .integer(let number): try statement.bind(place, number)
      case .real(let number): try statement.bind(place, number)
      case .text(let text): try statement.bind(place, text)
      }
    }
  }

  private func finish() {
    for statement in statements.values { statement.finalize() }
    statements = [:]
  }
}
