import CSQLite
import Foundation
import JournalStore
import TestSupport
import Testing

@Suite("Databases and files for people")
struct TableWriterTests {
  private let folder = TemporaryFolder.inMemory()

  private var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
  }

  /// The first column of a query's first row as text.
  private func text(_ query: String, in path: String) -> String? {
    var database: OpaquePointer?
    var statement: OpaquePointer?
    defer {
      sqlite3_finalize(statement)
      sqlite3_close(database)
    }
    guard sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, nil) == SQLITE_OK,
      sqlite3_prepare_v2(database, query, -1, &statement, nil) == SQLITE_OK, sqlite3_step(statement) == SQLITE_ROW
    else { return nil }
    return sqlite3_column_text(statement, 0).map { String(cString: $0) }
  }

  @Test("rows of all sorts of values come back as they were, and can be asked for meanwhile")
  func values() throws {
    let path = "\(folder.path)/a.sqlite"
    try TableWriter.make(path) { tables in
      try tables.run("CREATE TABLE a(b INTEGER, c REAL, d TEXT, e TEXT)")
      try tables.insert([.integer(.min), .real(0.35), .text("é'\"|"), .null], into: "a")
      try tables.insert([.integer(2), .real(-0.5), .text(""), .text("x")], into: "a")
      try tables.run("UPDATE a SET e = ?2 WHERE b = ?1", .integer(2), .text("y"))
      try expectEqual(tables.text("SELECT e FROM a WHERE b = ?1", .integer(2)), "y")
      try expectNil(tables.text("SELECT e FROM a WHERE b < ?1", .integer(0)))
      try expectNil(tables.text("SELECT e FROM a WHERE b = ?1", .integer(7)))
    }
    expectEqual(names, ["a.sqlite"])
    expectEqual(text("SELECT d FROM a WHERE b = -9223372036854775808 AND c = 0.35 AND e IS NULL", in: path), "é'\"|")
    expectEqual(text("SELECT e FROM a WHERE c = -0.5 AND d = ''", in: path), "y")
    expectEqual(text("PRAGMA integrity_check", in: path), "ok")
    expectEqual(text("PRAGMA journal_mode", in: path), "delete")
  }

  @Test("a statement that is wrong is a failure, and nothing is left")
  func wrong() {
    #expect(throws: StoreFailure.self) {
      try TableWriter.make("\(folder.path)/a.sqlite") { tables in
        try tables.run("CREATE TABLE a(b)")
        try tables.insert([.integer(1), .integer(2)], into: "a")
      }
    }
    expectEqual(names, [])
  }

  @Test("a failure is that of the file that was asked for, not of the one that it is written as")
  func name() {
    let path = "\(folder.path)/none/a"
    for make in [{ try NewFile.write([1], to: path) }, { try TableWriter.make(path) { _ in } }] {
      let failure = #expect(throws: StoreFailure.self) { try make() }
      expectEqual(failure.map { "\($0)" }, "cannot open \(path): No such file or directory")
    }
    let failure = #expect(throws: StoreFailure.self) {
      try NewFile.make("\(folder.path)/a") { new in throw StoreFailure.full(path: new) }
    }
    expectEqual(failure, .full(path: "\(folder.path)/a"))
    expectEqual(names, [])
  }

  @Test("a file that is there stays, also one that came meanwhile")
  func exists() throws {
    let path = "\(folder.path)/a"
    try NewFile.write(Array("one".utf8), to: path)
    #expect(throws: NewFile.Exists(path: path)) { try NewFile.write(Array("two".utf8), to: path) }
    let late = "\(folder.path)/b"
    #expect(throws: NewFile.Exists(path: late)) {
      try NewFile.make(late) { _ in try Data("mine".utf8).write(to: URL(filePath: late)) }
    }
    try expectEqual(String(contentsOfFile: path, encoding: .utf8), "one")
    try expectEqual(String(contentsOfFile: late, encoding: .utf8), "mine")
    expectEqual(names.sorted(), ["a", "b"])
  }
}
