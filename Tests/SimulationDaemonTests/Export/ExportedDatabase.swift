import CSQLite

/// A database as `sqlite3` reads it.
final class ExportedDatabase {
  // Safety: opened in `init`, closed in `deinit`, used by one test.
  private var handle: OpaquePointer?

  struct Failure: Error {
    let text: String
  }

  init(_ path: String) throws {
    guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY, nil) == SQLITE_OK else { throw failure }
  }

  /// Changes a database without its owner.
  static func change(_ path: String, _ statement: String) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK,
      sqlite3_exec(handle, statement, nil, nil, nil) == SQLITE_OK
    else { throw Failure(text: String(cString: sqlite3_errmsg(handle))) }
  }

  deinit {
    sqlite3_close(handle)
  }

  private var failure: Failure { Failure(text: String(cString: sqlite3_errmsg(handle))) }

  /// The rows of a query as the program prints them: columns separated by `|`, nothing for `NULL`.
  func rows(_ query: String) throws -> [String] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, query, -1, &statement, nil) == SQLITE_OK else { throw failure }
    defer { sqlite3_finalize(statement) }
    var rows: [String] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        let columns = (0..<sqlite3_column_count(statement)).map { column in
          sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
        }
        rows.append(columns.joined(separator: "|"))
      case SQLITE_DONE: return rows
      case _: throw failure
      }
    }
  }

  /// The plan of a query, as text.
  func plan(_ query: String) throws -> String { try rows("EXPLAIN QUERY PLAN \(query)").joined(separator: "\n") }
}
