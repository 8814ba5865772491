import TestSupport
import Testing

@testable import JournalStore

@Suite("A full disk")
struct FullDiskTests {
  let fixture = Fixture()

  @Test("a database that may not grow is full; what was acknowledged stays, and with room it goes on")
  func full() throws {
    let store = try fixture.open()
    try store.create("main")
    let lease = try store.take("main").lease
    let pages = try #require(try store.database.number("PRAGMA page_count"))
    try store.database.run("PRAGMA max_page_count = \(pages + 20)")
    var head: UInt64 = 0
    var found: StoreFailure?
    while found == nil, head < 1000 {
      found = failure { () throws(StoreFailure) in
        head = try store.append(lease, after: head, [UInt8](repeating: 1, count: 5000))
      }
    }
    expectEqual(found, .full(path: fixture.files.database))
    expect(head > 50)
    expectEqual(
      failure { () throws(StoreFailure) in
        try store.putCheckpoint(lease, at: head, hash: 1, [UInt8](repeating: 1, count: 50000))
      }, .full(path: fixture.files.database))
    try expectEqual(store.segments(of: "main").last?.last, head)
    // What needs no page more goes on.
    try store.append(lease, after: head, [], moment: 5)
    try store.inspect()
    try store.database.run("PRAGMA max_page_count = 1000000")
    head = try store.append(lease, after: head, [UInt8](repeating: 1, count: 5000))
    store.close()
    let again = try fixture.open()
    try expectEqual(again.segments(of: "main").last?.last, head)
    try again.inspect()
  }

  @Test("whether anything can be written is tried for next to nothing: one page of the log")
  func trying() throws {
    let disk = RecordedDisk(folder: fixture.folder.path)
    fixture.disk = disk
    var store: SQLiteStore? = try fixture.open()
    try store?.create("main")
    let before = disk.events.count
    try store?.tryWriting()
    let written = disk.events[before...].reduce(0) { sum, event in
      if case .wrote(_, _, let bytes) = event { sum + bytes.count } else { sum }
    }
    expectEqual(written, StoreSchema.pageSize + 24)
    try expectEqual(store?.worlds().map(\.name), ["main"])
    try store?.inspect()
    disk.hasRoom = false
    for _ in 0..<2 {
      expectEqual(failure { () throws(StoreFailure) in try store?.tryWriting() }, .full(path: fixture.files.database))
    }
    disk.hasRoom = true
    try store?.tryWriting()
    try expectEqual(store?.sweep(), false)
    store = nil
  }

  @Test(
    "a store is opened without any room, to be read; it is written as soon as there is some", arguments: [true, false])
  func opening(isKilled: Bool) throws {
    let sound = try fixture.open()
    try sound.create("main")
    try sound.append(try sound.take("main").lease, after: 0, [1])
    let image = isKilled ? fixture.image() : [:]
    sound.close()
    if isKilled { Fixture.write(image, to: fixture.folder.path) }
    let disk = RecordedDisk(folder: fixture.folder.path)
    disk.hasRoom = false
    fixture.disk = disk
    fixture.takeWarnings().forEach { Issue.record("\($0)") }
    let store = try fixture.open()
    try expectEqual(store.segments(of: "main").map(\.bytes), [[1]])
    try expectEqual(store.readers.reading { (reader) throws(StoreFailure) in try reader.worlds() }.map(\.head), [10])
    expectEqual(failure { () throws(StoreFailure) in try store.take("main") }, .full(path: fixture.files.database))
    disk.hasRoom = true
    try store.tryWriting()
    try store.append(try store.take("main").lease, after: 10, [2])
    try expectEqual(store.segments(of: "main").count, 2)
    store.close()
    fixture.disk = nil
    try expectEqual(fixture.open().segments(of: "main").count, 2)
  }

  @Test("without room for the notes nothing is written, which is said once")
  func notes() throws {
    let sound = try fixture.open()
    try sound.create("main")
    sound.close()
    // SQLite's code of a full disk. Opening the notes is one call, writing them the next.
    let plan = FaultPlan(call: 0, .insteadOfCall, code: 13)
    fixture.faults = plan
    let counting = try fixture.open()
    let calls = plan.calls
    counting.close()
    fixture.faults = FaultPlan(call: calls - 1, .fromThenOn, code: 13)
    let store = try fixture.open()
    expectEqual(fixture.takeWarnings(), [.noRoomYet(path: fixture.files.heads)])
    fixture.faults?.strike(call: 0)
    try expectEqual(store.worlds().count, 1)
    fixture.faults?.strike(call: 1, .fromThenOn)
    expectEqual(failure { () throws(StoreFailure) in try store.take("main") }?.kind, .full)
    fixture.faults?.strike(call: 0)
    try store.append(try store.take("main").lease, after: 0, [1])
    expectEqual(fixture.takeWarnings(), [])
    store.close()
    try expectEqual(fixture.open().lastEnd, .inOrder)
  }
}
