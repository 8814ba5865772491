import TestSupport
import Testing

@testable import JournalStore

@Suite("Notes of what was acknowledged")
struct CommitWatermarksTests {
  let fixture = Fixture()

  /// The files as they are after each of some rounds, as a killed process would leave them.
  private func images(_ rounds: Int, _ durability: Durability = .batch) throws -> [[String: [UInt8]]] {
    let store = try fixture.open(durability)
    try store.create("main")
    let lease = try store.take("main").lease
    var images = [fixture.image()]
    for round in 0..<rounds {
      try store.append(lease, after: UInt64(round * 10), [UInt8](repeating: UInt8(round), count: 3000))
      images.append(fixture.image())
    }
    return images
  }

  private func open(_ image: [String: [UInt8]], _ durability: Durability = .batch) throws -> SQLiteStore {
    let folder = TemporaryFolder.inMemory()
    fixture.others.append(folder)
    Fixture.write(image, to: folder.path)
    return try fixture.open(durability, in: folder.path)
  }

  private func failureOfOpening(_ image: [String: [UInt8]]) -> StoreFailure? {
    let folder = TemporaryFolder.inMemory()
    Fixture.write(image, to: folder.path)
    return failure { () throws(StoreFailure) in try fixture.open(in: folder.path) }
  }

  @Test("a process killed between any two rounds loses none of them")
  func killed() throws {
    for (round, image) in try images(12).enumerated() {
      let store = try open(image)
      expectEqual(fixture.takeWarnings(), [])
      try expectEqual(store.segments(of: "main").count, round)
      try store.inspect()
    }
  }

  @Test("what a killed process left can be read without a daemon, and a reader's inspection finds what is missing")
  func readAfterKill() throws {
    let images = try images(3)
    let other = Fixture()
    Fixture.write(images[2], to: other.folder.path)
    try expectEqual(other.openForReading().segments(of: "main").count, 2)
    try expectEqual(other.openForReading().inspect(), [])
    Fixture.write(["journal.heads": try #require(images[3]["journal.heads"])], to: other.folder.path)
    try expectEqual(other.openForReading().segments(of: "main").count, 2)
    expectEqual(failure { () throws(StoreFailure) in try other.openForReading().inspect() }?.kind, .damaged)
    other.boot += 1
    try expectEqual(other.openForReading().inspect().count, 1)
    _ = try other.open()
    expectEqual(other.takeWarnings().count, 1)
    try expectEqual(other.openForReading().inspect(), [])
  }

  @Test("a log whose end was lost on the same boot is damage that names the inputs")
  func lostOnSameBoot() throws {
    let images = try images(5)
    var image = images[3]
    image["journal.heads"] = images[5]["journal.heads"]
    guard case .damaged(let damage)? = failureOfOpening(image) else {
      Issue.record("it was opened")
      return
    }
    expectEqual(damage.world, "main")
    expectNil(damage.sequence)
    // The store is not opened, so no command can repair the world.
    expect("\(StoreFailure.damaged(damage))", contains: "restore a backup")
    expectEqual(damage.finding, "inputs 31 to 50 that were acknowledged are missing")
  }

  @Test("after another boot it is a warning with durability batch, and damage with full")
  func lostOnOtherBoot() throws {
    let batch = try images(2)
    var image = batch[1]
    image["journal.heads"] = batch[2]["journal.heads"]
    fixture.boot += 1
    let store = try open(image)
    let warnings = fixture.takeWarnings()
    expectEqual(warnings.count, 1)
    expect("\(warnings)", contains: "inputs 11 to 20")
    try expectEqual(store.worlds()[0].head, 10)

    let other = CommitWatermarksTests()
    let full = try other.images(2, .full)
    image = full[1]
    image["journal.heads"] = full[2]["journal.heads"]
    other.fixture.boot += 1
    expectEqual(other.failureOfOpening(image)?.kind, .damaged)
  }

  @Test("where the system does not say which boot this is, a missing end may be a power cut's")
  func unknownBoot() throws {
    fixture.boot = 0
    let images = try images(2)
    var image = images[1]
    image["journal.heads"] = images[2]["journal.heads"]
    _ = try open(image)
    expectEqual(fixture.takeWarnings().count, 1)
  }

  @Test("this system says which boot this is, always the same")
  func presentBoot() {
    expect(CommitWatermarks.presentBoot() != 0)
    expectEqual(CommitWatermarks.presentBoot(), CommitWatermarks.presentBoot())
  }

  @Test("after a power cut a part of the notes may be older than another, which is no damage")
  func olderInPart() throws {
    let store = try fixture.open(.full)
    for number in 10..<40 { try store.create("w\(number)") }
    let before = try #require(fixture.image()["journal.heads"])
    try store.remove("w39")
    var image = fixture.image()
    let after = try #require(image["journal.heads"])
    image["journal.heads"] = Array(after[..<512] + before[512...])
    expectEqual(failureOfOpening(image)?.kind, .damaged)
    fixture.boot += 1
    try expectEqual(open(image).worlds().count, 29)
  }

  @Test("a store says how the daemon before ended")
  func lastEnd() throws {
    let first = try fixture.open()
    expectNil(first.lastEnd)
    try first.create("main")
    let killed = fixture.image()
    first.close()
    // One that does not come to writing changes nothing about that.
    for _ in 0..<2 {
      let second = try fixture.open()
      expectEqual(second.lastEnd, .inOrder)
      second.close()
    }
    for _ in 0..<2 {
      let folder = TemporaryFolder.inMemory()
      Fixture.write(killed, to: folder.path)
      var third: SQLiteStore? = try fixture.open(in: folder.path)
      expectEqual(third?.lastEnd, .cutShort)
      third?.close()
      third = try fixture.open(in: folder.path)
      expectEqual(third?.lastEnd, .cutShort)
      try third?.create("other")
      third?.close()
      try expectEqual(fixture.open(in: folder.path).lastEnd, .inOrder)
    }
    fixture.boot += 1
    try expectEqual(open(killed).lastEnd, .withSystem)
    var bare = killed
    bare["journal.heads"] = nil
    try expectNil(open(bare).lastEnd)
  }

  @Test("changes without inputs are missed too, and worlds that were made")
  func otherChanges() throws {
    let store = try fixture.open()
    try store.create("main")
    let lease = try store.take("main").lease
    let before = fixture.image()
    try store.append(lease, after: 0, [], moment: 1)
    var image = before
    image["journal.heads"] = fixture.image()["journal.heads"]
    expect("\(try #require(failureOfOpening(image)))", contains: "time or settings")
    try store.create("second")
    image["journal.heads"] = fixture.image()["journal.heads"]
    expect("\(try #require(failureOfOpening(image)))", contains: "made or removed")
  }

  @Test("worlds removed and made in between are right, also when the process ends before it is noted")
  func removedAndMade() throws {
    let store = try fixture.open()
    for name in ["a", "b", "c"] { try store.create(name) }
    let lease = try store.take("b").lease
    try store.append(lease, after: 0, [1])
    let before = fixture.image()
    try store.remove("b")
    var image = fixture.image()
    try expectEqual(open(image).worlds().map(\.name), ["a", "c"])
    // The commit was, the note was not.
    image["journal.heads"] = before["journal.heads"]
    try expectEqual(open(image).worlds().map(\.name), ["a", "c"])
    try store.create("d")
    try store.create("b")
    try store.append(try store.take("b").lease, after: 0, [2])
    try expectEqual(open(fixture.image()).worlds().map(\.name), ["a", "b", "c", "d"])
    image = fixture.image()
    image["journal.heads"] = before["journal.heads"]
    _ = try open(image)
    expectEqual(fixture.takeWarnings(), [])
    // The notes know of more than the database.
    image = before
    image["journal.heads"] = fixture.image()["journal.heads"]
    expectEqual(failureOfOpening(image)?.kind, .damaged)
  }

  @Test("notes that are torn anywhere count as absent, and are written anew")
  func torn() throws {
    let image = try images(2)[2]
    let notes = try #require(image["journal.heads"])
    expectEqual(notes.count, 96)
    var dice = Dice(seed: 1)
    for place in notes.indices.shuffled(using: &dice).prefix(Thorough.rounds(notes.count)) {
      var torn = image
      torn["journal.heads"]?[place] ^= 0x10
      try expectEqual(open(torn).segments(of: "main").count, 2)
      torn["journal.heads"] = Array(notes.prefix(place))
      try expectEqual(open(torn).segments(of: "main").count, 2)
    }
  }

  @Test("notes of another database do not matter")
  func otherDatabase() throws {
    let other = CommitWatermarksTests()
    var image = try images(1)[1]
    image["journal.heads"] = try other.images(5)[5]["journal.heads"]
    _ = try open(image)
    expectEqual(fixture.takeWarnings(), [])
  }

  @Test("notes that cannot be written are a warning, once; what was appended is stored")
  func notNoted() throws {
    var round: UInt64 = 0
    fixture.faults = FaultPlan(call: 0, .insteadOfCall, code: 10)
    let counting = try fixture.open()
    try counting.create("main")
    let lease = try counting.take("main").lease
    let before = try #require(fixture.faults).calls
    try counting.append(lease, after: 0, [1])
    let perRound = try #require(fixture.faults).calls - before
    counting.close()

    // The note is the last call of a round.
    let plan = FaultPlan(call: before + perRound, .fromThenOn, code: 10)
    let other = Fixture()
    other.faults = plan
    let store = try other.open()
    try store.create("main")
    round = try store.append(try store.take("main").lease, after: 0, [1])
    expectEqual(plan.calls, before + perRound)
    expect(plan.hasStruck)
    expectEqual(round, 10)
    expectEqual(other.takeWarnings().count, 1)
    store.close()
    other.faults = nil
    try expectEqual(other.open().segments(of: "main").count, 1)
  }
}
