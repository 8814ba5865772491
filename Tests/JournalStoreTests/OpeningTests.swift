import CSQLite
import Foundation
import TestSupport
import Testing

@testable import JournalStore

@Suite("Opening a store")
struct OpeningTests {
  let fixture = Fixture()

  private func write(_ bytes: [UInt8]) {
    Fixture.write(["journal.sqlite": bytes], to: fixture.folder.path)
  }

  /// Opens it both ways, which has to fail alike and leave everything as it is.
  private func failures(_ comment: Comment? = nil) throws -> StoreFailure {
    let before = try contents()
    let found = try #require(failure { () throws(StoreFailure) in try fixture.open() }, comment)
    let read = failure { () throws(StoreFailure) in try fixture.openForReading() }
    expectEqual(read, found, comment)
    try expectEqual(contents(), before, comment)
    return found
  }

  private func contents() throws -> [String: Data?] {
    let names = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
    return Dictionary(
      uniqueKeysWithValues: names.map { ($0, FileManager.default.contents(atPath: "\(fixture.folder.path)/\($0)")) })
  }

  private func mode(_ path: String) throws -> Int {
    try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }

  @Test("missing folders are made, for the user alone, and so are the files")
  func modes() throws {
    let folder = "\(fixture.folder.path)/state/fsmd"
    let store = try fixture.open(in: folder)
    try store.create("main")
    let files = StoreFiles(folder: folder)
    try expectEqual(mode("\(fixture.folder.path)/state"), 0o700)
    try expectEqual(mode(folder), 0o700)
    for path in [files.database, files.log, files.logIndex, files.heads] {
      try expectEqual(mode(path), 0o600, "\(path)")
    }
    store.close()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    expectEqual(Set(names), ["journal.sqlite", "journal.heads"])
    expectEqual(fixture.takeWarnings(), [])
  }

  @Test("an empty file is damage, not a new store")
  func empty() throws {
    write([])
    expect("\(try failures())", contains: "0 bytes")
  }

  @Test("what is no database, or one of somebody else, is told so", arguments: [1, 15, 16, 99, 100, 4096, 5000])
  func foreign(size: Int) throws {
    write([UInt8](repeating: 7, count: size))
    try expectEqual(failures().kind, .damaged)
    try FileManager.default.removeItem(atPath: fixture.files.database)
    write(Array("SQLite format 3\0".utf8.prefix(size)))
    try expectEqual(failures().kind, .damaged)
  }

  @Test("a database that is not ours is told so")
  func otherDatabase() throws {
    var handle: OpaquePointer?  // Safety: a connection, closed below.
    sqlite3_open(fixture.files.database, &handle)
    sqlite3_exec(handle, "CREATE TABLE t(a)", nil, nil, nil)
    sqlite3_close(handle)
    expect("\(try failures())", contains: "not one of fsmd's")
  }

  @Test("a later schema is told with both numbers, and the file is left as it is")
  func newer() throws {
    try fixture.open().close()
    var image = fixture.image()
    image["journal.sqlite"]?[63] = 5
    Fixture.write(image, to: fixture.folder.path)
    try expectEqual(failures(), .otherSchema(path: fixture.files.database, found: 5, known: 4))
  }

  @Test("a later schema that is only in the log yet is found as well, and the log stays")
  func newerInLog() throws {
    try fixture.open().close()
    let database = try Database(path: fixture.files.database, .writing, faults: nil)
    try database.run("PRAGMA user_version = 5")
    expectEqual(failure { () throws(StoreFailure) in try fixture.open() }?.kind, .otherSchema)
    database.close()
    let before = fixture.image()
    expectEqual(before["journal.sqlite-wal"]?.isEmpty, false)
    expectEqual(failure { () throws(StoreFailure) in try fixture.open() }?.kind, .otherSchema)
    expectEqual(fixture.image(), before)
  }

  @Test("a store of the version before is not read, and is left as it is")
  func older() throws {
    try fixture.open().close()
    var image = fixture.image()
    image["journal.sqlite"]?[63] = 3
    Fixture.write(image, to: fixture.folder.path)
    try expectEqual(failures(), .otherSchema(path: fixture.files.database, found: 3, known: 4))
    expectEqual(fixture.image()["journal.sqlite"], image["journal.sqlite"])
  }

  @Test("tables that are not those of the schema are damage")
  func tables() throws {
    try fixture.open().close()
    let database = try Database(path: fixture.files.database, .writing, faults: nil)
    try database.run("ALTER TABLE segments ADD COLUMN more INTEGER")
    database.tidyOnClose()
    database.close()
    expectEqual(failure { () throws(StoreFailure) in try fixture.open() }?.kind, .damaged)
  }

  @Test("a log without its database is damage, and stays")
  func orphanedLog() throws {
    let store = try fixture.open()
    try store.create("main")
    let image = fixture.image()
    store.close()
    let folder = TemporaryFolder.inMemory()
    Fixture.write(image.filter { $0.key != "journal.sqlite" }, to: folder.path)
    let found = failure { () throws(StoreFailure) in try fixture.open(in: folder.path) }
    expectEqual(found?.kind, .damaged)
    expect(!StoreFile.exists("\(folder.path)/journal.sqlite"))
    expectEqual(StoreFile.size("\(folder.path)/journal.sqlite-wal"), image["journal.sqlite-wal"]?.count)
  }

  @Test("a database that went away since is made anew, with a warning")
  func gone() throws {
    try fixture.open().close()
    try FileManager.default.removeItem(atPath: fixture.files.database)
    let store = try fixture.open()
    expectEqual(fixture.takeWarnings(), [.databaseGone(path: fixture.files.database)])
    expectEqual(fixture.takeWarnings(), [])
    store.close()
    _ = try fixture.open()
    expectEqual(fixture.takeWarnings(), [])
  }

  @Test("what is left of a store that was not made to its end does not matter")
  func halfMade() throws {
    Fixture.write(
      [
        "journal.sqlite.new": [1, 2], "journal.sqlite.new-wal": [3], "journal.heads.new": [4], "journal.sqlite-wal": [],
      ],
      to: fixture.folder.path)
    let store = try fixture.open()
    expectEqual(fixture.takeWarnings(), [])
    try expectEqual(store.worlds(), [])
    expect(!StoreFile.exists(fixture.files.database + ".new"))
  }

  @Test("a folder that cannot be made, or is a file, is told with the system's words")
  func noFolder() throws {
    let path = "\(fixture.folder.path)/file"
    Fixture.write(["file": [1]], to: fixture.folder.path)
    let found = try #require(failure { () throws(StoreFailure) in try fixture.open(in: "\(path)/fsmd") })
    expectEqual(found.kind, .cannotOpen)
    expect("\(found)", contains: "Not a directory")
  }

  /// Root may write everything, so the permissions are no use there.
  @Test("a folder or a file that is read-only is told so; a reader does not mind", .enabled(if: geteuid() != 0))
  func readOnly() throws {
    let store = try fixture.open()
    try store.create("main")
    store.close()
    let before = fixture.image()
    let manager = FileManager.default
    try manager.setAttributes([.posixPermissions: 0o400], ofItemAtPath: fixture.files.database)
    expectEqual(failure { () throws(StoreFailure) in try fixture.open() }, .readOnly(path: fixture.files.database))
    try expectEqual(fixture.openForReading().worlds().count, 1)
    try manager.setAttributes([.posixPermissions: 0o500], ofItemAtPath: fixture.folder.path)
    defer { try? manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: fixture.folder.path) }
    fixture.isLocked = true
    expectEqual(failure { () throws(StoreFailure) in try fixture.open() }, .readOnly(path: fixture.files.lock))
    try expectEqual(fixture.openForReading().worlds().count, 1)
    expectEqual(fixture.image(), before)
  }

  @Test("a database that nobody can write is read without a file beside it")
  func frozen() throws {
    let store = try fixture.open()
    try store.create("main")
    store.close()
    let database = try Database(path: fixture.files.database, .readingFrozen, faults: nil)
    try expectEqual(database.number("SELECT count(*) FROM worlds"), 1)
    expect(!StoreFile.exists(fixture.files.log))
    expectEqual(failure { () throws(StoreFailure) in try database.run("DELETE FROM worlds") }?.kind, .readOnly)
  }

  @Test("each failure says what was found, names the file, and is one line")
  func messages() throws {
    let holder = WorldHolder(writer: StoreWriter(process: 12, socket: ""), since: 3)
    let failures: [StoreFailure] = [
      .unknown(path: "/f", reason: "r"), .full(path: "/f"), .readOnly(path: "/f"), .locked(path: "/f", by: nil),
      .locked(path: "/f", by: holder.writer), .damaged(Damage("/f", world: "w", at: 3, "it is")),
      .otherSchema(path: "/f", found: 2, known: 1), .absent(path: "/f"), .gone(path: "/f"),
      .cannotOpen(path: "/f", reason: "r"),
      .other(path: "/f", reason: "r"),
    ]
    for failure in failures { expect("\(failure)".contains("/f") && !"\(failure)".contains("\n")) }
    expect("\(failures[5])", contains: "world w, input 3")
    expect("\(StoreFailure.fenced(world: "w", by: holder))", contains: "process 12")
    for warning in [
      StoreWarning.lostWithPower(Damage("/f", "lost")), .databaseGone(path: "/f"), .notNoted(path: "/f", reason: "r"),
      .noRoomYet(path: "/f"), .alone(path: "/f"),
    ] {
      expect("\(warning)", contains: "/f")
    }
  }
}
