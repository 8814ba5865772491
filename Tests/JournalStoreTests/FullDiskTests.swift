import Testing

@testable import JournalStore

@Suite("A full disk")
struct FullDiskTests {
  let fixture = Fixture()

  @Test("a database that may not grow is full; what was acknowledged stays, and with room it goes on")
  func full() throws {
    let store = try fixture.open()
    try store.create("main")
    let tenure = try store.take("main").tenure
    let pages = try #require(try store.database.number("PRAGMA page_count"))
    try store.database.run("PRAGMA max_page_count = \(pages + 20)")
    var head: UInt64 = 0
    var found: StoreFailure?
    while found == nil, head < 1000 {
      found = failure { () throws(StoreFailure) in
        head = try store.append(tenure, after: head, [UInt8](repeating: 1, count: 5000))
      }
    }
    #expect(found == .full(path: fixture.files.database))
    #expect(head > 50)
    #expect(
      failure { () throws(StoreFailure) in
        try store.putCheckpoint(tenure, at: head, hash: 1, [UInt8](repeating: 1, count: 50000))
      } == .full(path: fixture.files.database))
    #expect(try store.segments(of: "main").last?.last == head)
    // What needs no page more goes on.
    try store.append(tenure, after: head, [], moment: 5)
    try store.inspect()
    try store.database.run("PRAGMA max_page_count = 1000000")
    head = try store.append(tenure, after: head, [UInt8](repeating: 1, count: 5000))
    store.close()
    let again = try fixture.open()
    #expect(try again.segments(of: "main").last?.last == head)
    try again.inspect()
  }
}
