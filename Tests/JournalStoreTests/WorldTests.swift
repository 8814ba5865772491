import TestSupport
import Testing

@testable import JournalStore

@Suite("Worlds in a store")
struct WorldTests {
  let fixture = Fixture()

  @Test("worlds are made, listed by name, and removed", arguments: Engine.here)
  func lifecycle(engine: Engine) throws {
    let store = try fixture.open(engine)
    try expectEqual(store.worlds(), [])
    try store.create("b", head: 7, moment: 9, settings: [4])
    try store.create("a", settings: [])
    let worlds = try store.worlds()
    expectEqual(worlds.map(\.name), ["a", "b"])
    expectEqual(worlds[1].head, 7)
    expectEqual(worlds[1].first, 8)
    expectEqual(worlds[1].moment, 9)
    expectEqual(worlds[1].settings, [4])
    expectEqual(worlds[0].settings, [])
    expectNil(worlds[0].holder)
    expectEqual(failure { () throws(StoreFailure) in try store.create("a") }, .worldExists("a"))
    try store.remove("a")
    expectEqual(failure { () throws(StoreFailure) in try store.remove("a") }, .noSuchWorld("a"))
    expectEqual(failure { () throws(StoreFailure) in try store.take("a") }, .noSuchWorld("a"))
    expectEqual(failure { () throws(StoreFailure) in try store.segments(of: "a") }, .noSuchWorld("a"))
    try expectEqual(store.worlds().map(\.name), ["b"])
    try store.create("a")
    try expectEqual(store.segments(of: "a"), [])
  }

  @Test("a copy has all that is stored of a world; each then goes on without the other", arguments: Engine.here)
  func copies(engine: Engine) throws {
    let store = try fixture.open(engine)
    try store.create("a")
    let lease = try store.take("a").lease
    let made = StoredCreation(sequence: 2, number: 7, name: "m", kind: "k")
    try store.append(lease, after: 0, [1, 2, 3], moment: 5, creations: [made])
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    let kind = StoredKind(name: "k", since: 1, bytes: [9])
    try store.append(Append(lease, head: 10, last: 10, nothing, moment: 6, undone: [3...5, 8...9], kinds: [kind]))
    try store.putCheckpoint(lease, at: 10, hash: 77, [4, 5, 6])
    try store.append(lease, after: 10, [7], moment: 7)
    try store.copy(lease, to: "b", moment: 8, settings: [2])
    expectEqual(
      failure { () throws(StoreFailure) in try store.copy(lease, to: "b", moment: 8, settings: [2]) }, .worldExists("b")
    )
    let copy = try store.take("b")
    expect(copy.world.epoch == 1 && copy.world.moment == 8 && copy.world.settings == [2])
    try expectEqual(store.holdings(of: "b"), store.holdings(of: "a"))
    try expectEqual(store.segments(of: "b"), store.segments(of: "a"))
    try expectEqual(store.checkpoint(of: "b", atOrBefore: 20), store.checkpoint(of: "a", atOrBefore: 20))
    try expectEqual(store.undone(in: "b", 1...20), [3...5, 8...9])
    try expectEqual(store.kinds(of: "b"), [kind])
    try expectEqual(store.creations(of: "b"), [made])
    try store.append(copy.lease, after: 20, [8])
    try expect(store.segments(of: "a").count == 2 && store.segments(of: "b").count == 3)
    try store.inspect()
    _ = try store.take("a")
    let ended = failure { () throws(StoreFailure) in try store.copy(lease, to: "c", moment: 0, settings: []) }
    if case .fenced? = ended {} else { Issue.record("a lease that has ended copies: \(String(describing: ended))") }
    try store.remove("a")
    while try store.sweep() {}
    try expectEqual(store.segments(of: "b").count, 3)
    try store.inspect()
  }

  @Test(
    "what was appended is read back in order, from any input, also after opening again", arguments: Durability.allCases)
  func appending(durability: Durability) throws {
    var store = try fixture.open(durability)
    try store.create("main")
    let taken = try store.take("main")
    expectEqual(taken.world.epoch, 1)
    expectEqual(taken.world.holder?.writer.process, 1)
    expectEqual(taken.world.holder?.since, fixture.now)
    try expectEqual(store.checkpoints(of: taken.world.name), [])
    var head: UInt64 = 0
    var expected: [SegmentCopy] = []
    for round in 0..<20 {
      let bytes = (0...round * 700).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ round) }
      let first = head + 1
      head = try store.append(taken.lease, after: head, inputs: UInt64(round + 1), bytes, moment: Int64(round))
      expected.append(SegmentCopy(first: first, last: head, bytes: bytes))
    }
    for _ in 0..<2 {
      try expectEqual(store.segments(of: "main"), expected)
      for sequence in 0...head + 1 {
        try expectEqual(store.segments(of: "main", from: sequence), expected.filter { $0.last >= sequence })
      }
      let world = try #require(try store.worlds().first)
      expectEqual(world.head, head)
      expectEqual(world.first, 1)
      expectEqual(world.moment, 19)
      try store.inspect()
      store.close()
      store = try fixture.open(durability)
      expectEqual(fixture.takeWarnings(), [])
    }
  }

  @Test("reading stops when it is told to, and may read other things meanwhile", arguments: Engine.here)
  func stopping(engine: Engine) throws {
    let store = try fixture.open(engine)
    try store.create("main")
    let lease = try store.take("main").lease
    for round in 0..<5 { try store.append(lease, after: UInt64(round * 10), [UInt8(round)]) }
    var seen: [UInt64] = []
    try store.readSegments(of: "main", from: 15) { segment in
      seen.append(segment.first)
      expectEqual((try? store.segments(of: "main").count), 5)
      return seen.count < 2
    }
    expectEqual(seen, [11, 21])
    try store.append(lease, after: 50, [9])
  }

  @Test("time and settings change without an input", arguments: Engine.here)
  func properties(engine: Engine) throws {
    let store = try fixture.open(engine)
    try store.create("main")
    let lease = try store.take("main").lease
    try store.append(lease, after: 0, [], moment: 5)
    try expectEqual(store.worlds()[0].moment, 5)
    try expectEqual(store.worlds()[0].settings, [1, 2, 3])
    try store.append(lease, after: 0, [], moment: 6, settings: [9])
    try expectEqual(store.worlds()[0].moment, 6)
    try expectEqual(store.worlds()[0].settings, [9])
    try expectEqual(store.segments(of: "main"), [])
  }

  @Test("a world that is out of step does not keep out the others of its round", arguments: Engine.here)
  func rounds(engine: Engine) throws {
    let store = try fixture.open(engine)
    for name in ["a", "b", "c"] { try store.create(name) }
    let leases = try ["a", "b", "c"].map { try store.take($0).lease }
    try store.appendAll(leases.map { ($0, 0, 3, Array($0.world.utf8), 1, nil, []) })
    try expectEqual(store.worlds().map(\.head), [3, 3, 3])
    let wrong = failure { () throws(StoreFailure) in
      try store.appendAll([
        (leases[0], 3, 4, [1], 2, nil, []), (leases[1], 2, 4, [1], 2, nil, []), (leases[2], 3, 4, [1], 2, nil, []),
      ])
    }
    expectEqual(wrong, .outOfStep(world: "b", expected: 2, found: 3))
    try expectEqual(store.worlds().map(\.head), [4, 3, 4])
    try expectEqual(store.append([]), [:])
    try store.inspect()
  }

  @Test("a machine's number has the name that it was given last before an input", arguments: Engine.here)
  func names(engine: Engine) throws {
    let store = try fixture.open(engine)
    try store.create("main")
    try store.create("other")
    let lease = try store.take("main").lease
    let creations = [
      StoredCreation(sequence: 3, number: 0, name: "door", kind: "door"),
      StoredCreation(sequence: 5, number: 1, name: "", kind: ""),
      StoredCreation(sequence: 8, number: 0, name: "a rather long name for a lamp", kind: "lamp"),
    ]
    try store.append(lease, after: 0, [1], creations: creations)
    try expectNil(store.creation(of: 0, in: "main", at: 2))
    try expectEqual(store.creation(of: 0, in: "main", at: 3), creations[0])
    try expectEqual(store.creation(of: 0, in: "main", at: 7), creations[0])
    try expectEqual(store.creation(of: 0, in: "main", at: 8), creations[2])
    try expectEqual(store.creation(of: 1, in: "main", at: .max >> 1), creations[1])
    try expectNil(store.creation(of: 2, in: "main", at: 9))
    try expectNil(store.creation(of: 0, in: "other", at: 9))
    try store.inspect()
  }

  @Test("what a removed world had is given back in batches")
  func sweeping() throws {
    let store = try fixture.open()
    try expectEqual(store.sweep(), false)
    try store.create("main")
    let lease = try store.take("main").lease
    for round in 0..<100 {
      try store.append(
        lease, after: UInt64(round * 10), [UInt8](repeating: 1, count: 100),
        creations: (0..<30).map {
          StoredCreation(sequence: UInt64(round * 10 + 1), number: UInt32(round * 30 + $0), name: "m", kind: "k")
        })
    }
    for sequence in [200, 400] { try store.putCheckpoint(lease, at: UInt64(sequence), hash: 1, [1]) }
    try store.remove("main")
    try store.create("main")
    let again = try store.take("main").lease
    try store.append(again, after: 0, [7])
    var batches = 0
    while try store.sweep() { batches += 1 }
    expect(batches > 3)
    for table in ["segments", "names", "checkpoints", "removed"] {
      try expectEqual(store.database.number("SELECT count(*) FROM \(table)"), (table == "segments" ? 1 : 0), "\(table)")
    }
    try store.inspect()
  }

  @Test("readers see one moment while the daemon writes, and write nothing")
  func reading() throws {
    expectEqual(
      failure { () throws(StoreFailure) in try fixture.openForReading() }, .absent(path: fixture.files.database))
    let store = try fixture.open()
    try store.create("main")
    let lease = try store.take("main").lease
    try store.append(lease, after: 0, [1])
    let reader = try fixture.openForReading()
    try reader.withSnapshot { () throws(StoreFailure) in
      try expectEqual(reader.segments(of: "main").count, 1)
      try store.append(lease, after: 10, [2])
      try expectEqual(reader.segments(of: "main").count, 1)
      try reader.inspect()
    }
    try expectEqual(reader.segments(of: "main").count, 2)
    reader.close()
    try store.append(lease, after: 20, [3])
    store.close()
    try expectEqual(fixture.openForReading().segments(of: "main").count, 3)
  }
}
