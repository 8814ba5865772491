import Foundation
import TestSupport
import Testing

@testable import JournalStore

/// Two stores on one file, as two daemons that both believe they are alone.
@Suite("Fencing")
struct FencingTests {
  let fixture = Fixture()

  @Test(
    "who took a world last writes it; the other learns who that is, and goes on with its other worlds",
    arguments: Engine.here)
  func fenced(engine: Engine) throws {
    let one = try fixture.open(engine, process: 1)
    try one.create("main")
    try one.create("other")
    let first = try one.take("main").lease
    let elsewhere = try one.take("other").lease
    try one.append(first, after: 0, [1])
    fixture.now += 5
    let two = try fixture.open(engine, process: 2)
    let second = try two.take("main")
    expectEqual(second.world.epoch, 2)
    expectEqual(second.world.head, 10)
    let holder = WorldHolder(writer: StoreWriter(process: 2, socket: "/run/2.sock"), since: fixture.now)
    let expected = StoreFailure.fenced(world: "main", by: holder)
    expectEqual(failure { () throws(StoreFailure) in try one.append(first, after: 10, [2]) }, expected)
    expectEqual(
      failure { () throws(StoreFailure) in
        try one.appendAll([(elsewhere, 0, 1, [5], 1, nil, []), (first, 10, 11, [2], 1, nil, [])])
      }, expected)
    expectEqual(failure { () throws(StoreFailure) in try one.putCheckpoint(first, at: 10, hash: 1, [1]) }, expected)
    // Nothing to remove, and so nothing is asked of the database.
    if engine == .sqlite { try expectEqual(one.retain(first, Retention()), false) }
    expect("\(expected)".contains("process 2") && "\(expected)".contains("/run/2.sock"))
    try one.release(first)
    try expectEqual(two.worlds().first { $0.name == "main" }?.holder, holder)
    try two.append(second.lease, after: 10, [3])
    try expectEqual(one.segments(of: "main").map(\.bytes), [[1], [3]])
    try expectEqual(one.segments(of: "other").map(\.bytes), [[5]])
    // And back.
    let third = try one.take("main")
    expectEqual(third.world.head, 20)
    expectEqual(failure { () throws(StoreFailure) in try two.append(second.lease, after: 20, [4]) }?.kind, .fenced)
    try one.append(third.lease, after: 20, [4])
    try two.inspect()
  }

  @Test("the earlier of two leases of one store is shut out as well", arguments: Engine.here)
  func takenTwice(engine: Engine) throws {
    let store = try fixture.open(engine)
    try store.create("main")
    let early = try store.take("main").lease
    let late = try store.take("main").lease
    expectEqual(failure { () throws(StoreFailure) in try store.append(early, after: 0, [1]) }?.kind, .fenced)
    try store.append(late, after: 0, [1])
    try store.release(early)
    try expect(store.worlds()[0].holder != nil)
    try store.release(late)
    try expectNil(store.worlds()[0].holder)
    let ended = failure { () throws(StoreFailure) in try store.append(late, after: 10, [1]) }
    expectEqual(ended?.kind, (engine == .sqlite ? .outOfStep : .fenced))
  }

  @Test(
    "a world that another daemon removed is written no more, though one of the same name is there",
    arguments: Engine.here)
  func removed(engine: Engine) throws {
    let one = try fixture.open(engine, process: 1)
    try one.create("main")
    let lease = try one.take("main").lease
    let two = try fixture.open(engine, process: 2)
    try two.remove("main")
    expectEqual(
      failure { () throws(StoreFailure) in try one.append(lease, after: 0, [1]) }, .fenced(world: "main", by: nil))
    try two.create("main")
    expectEqual(failure { () throws(StoreFailure) in try one.append(lease, after: 0, [1]) }?.kind, .fenced)
    try one.inspect()
  }

  @Test("a second daemon finds the store locked and is told by whom; a reader does not mind")
  func locked() throws {
    fixture.isLocked = true
    var store: SQLiteStore? = try fixture.open(process: 41)
    try store?.create("main")
    let found = try #require(failure { () throws(StoreFailure) in try fixture.open(process: 42) })
    let writer = StoreWriter(process: 41, socket: "/run/41.sock")
    expectEqual(found, .locked(path: fixture.files.database, by: writer))
    expect("\(found)".contains("process 41") && "\(found)".contains("--ephemeral"))
    try expectEqual(fixture.openForReading().worlds().count, 1)
    store?.close()
    store = nil
    try expectEqual(fixture.open(process: 42).worlds().count, 1)
  }

  @Test("a database that another program keeps locked is not waited for long, and nothing is lost")
  func busy() throws {
    let store = try fixture.open()
    try store.create("main")
    let lease = try store.take("main").lease
    let other = try Database(path: fixture.files.database, .writing, faults: nil)
    try other.run("BEGIN EXCLUSIVE")
    let found = failure { () throws(StoreFailure) in try store.append(lease, after: 0, [1]) }
    expectEqual(found, .locked(path: fixture.files.database, by: nil))
    try other.run("ROLLBACK")
    other.close()
    try store.append(lease, after: 0, [1])
    try expectEqual(store.segments(of: "main").count, 1)
  }
}
