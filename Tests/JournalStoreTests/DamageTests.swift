import TestSupport
import Testing

@testable import JournalStore

/// Whatever happens to the files: a store says that it is damaged, or gives what was written.
@Suite("Damage")
struct DamageTests {
  /// The files of a small store, closed, or as a killed process leaves them.
  private static func image(isClosed: Bool) throws -> (files: [String: [UInt8]], Snapshot) {
    let fixture = Fixture()
    let store = try fixture.open()
    for name in ["a", "b"] { try store.create(name) }
    let leases = try ["a", "b"].map { try store.take($0).lease }
    for round in 0..<6 {
      try store.appendAll(
        leases.map { lease in
          let head = UInt64(round * 4)
          let bytes = (0..<round * 500 + 90).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ round) }
          let creation = StoredCreation(sequence: head + 1, number: UInt32(round % 3), name: "m\(round)", kind: "kind")
          return (lease, head, head + 4, bytes, Int64(round), [UInt8(round)], [creation])
        })
    }
    for lease in leases {
      try store.putCheckpoint(lease, at: 12, hash: 3, [UInt8](repeating: 9, count: 6000))
      try store.putCheckpoint(lease, at: 24, hash: 4, [1, 2])
    }
    let snapshot = try Snapshot(of: store, numbers: 0..<4)
    if isClosed { store.close() }
    return (fixture.image(), snapshot)
  }

  /// Opens damaged files and reads everything.
  private func check(_ files: [String: [UInt8]], _ expected: Snapshot, _ comment: Comment) {
    let folder = TemporaryFolder.inMemory()
    Fixture.write(files, to: folder.path)
    do throws(StoreFailure) {
      let fixture = Fixture()
      let store = try fixture.open(in: folder.path)
      try expectEqual(Snapshot(of: store, numbers: 0..<4), expected, comment)
      store.close()
    } catch {
      switch error {
      case .damaged, .otherSchema: break
      case .fenced, .outOfStep, .lost, .noSuchWorld, .worldExists, .unknown, .full, .readOnly, .locked, .absent, .gone,
        .cannotOpen, .other:
        Issue.record("\(comment): \(error)")
      }
    }
  }

  @Test("cut off anywhere", arguments: [true, false])
  func truncated(isClosed: Bool) throws {
    let (files, expected) = try Self.image(isClosed: isClosed)
    for (name, bytes) in files {
      let step = (name == "journal.heads" ? 8 : 512) * Thorough.distance
      for length in stride(from: 0, to: bytes.count, by: step) {
        var cut = files
        cut[name] = Array(bytes.prefix(length))
        check(cut, expected, "\(name) with \(length) of \(bytes.count) bytes")
      }
      // A database whose notes are gone as well: nothing may be wrong, but the end may be missing.
      guard name == "journal.sqlite" else { continue }
      for length in stride(from: 0, to: bytes.count, by: 512 * Thorough.distance) {
        check([name: Array(bytes.prefix(length))], expected, "\(name) alone with \(length) bytes")
        if !isClosed { break }
      }
    }
  }

  @Test("a bit turned over", arguments: [true, false])
  func flipped(isClosed: Bool) throws {
    let (files, expected) = try Self.image(isClosed: isClosed)
    var dice = Dice(seed: isClosed ? 1 : 2)
    for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
      // Each byte of what steers SQLite, and a bit in every few of the rest; with less than `FSMD_THOROUGH=10` a part of
      // these, from any of the first on.
      var place = dice.number(below: Thorough.distance)
      while place < bytes.count {
        var turned = files
        let bit = (place &* 5 &+ place / 64) & 7
        turned[name]?[place] ^= 1 << bit
        check(turned, expected, "\(name), byte \(place), bit \(bit)")
        place += place % 4096 < 110 && (isClosed || place < 4200) ? Thorough.distance : 97 * Thorough.distance
      }
    }
  }

  @Test("a page written over with zeros or with another page")
  func pages() throws {
    let (files, expected) = try Self.image(isClosed: true)
    let database = try #require(files["journal.sqlite"])
    let pages = database.count / 4096
    var dice = Dice(seed: 3)
    for page in (0..<pages).shuffled(using: &dice).prefix(Thorough.rounds(pages)) {
      for source in [nil, 0, (page + 1) % pages, (page + 5) % pages] as [Int?] where source != page {
        var changed = files
        let bytes = source.map { Array(database[$0 * 4096..<($0 + 1) * 4096]) } ?? [UInt8](repeating: 0, count: 4096)
        changed["journal.sqlite"]?.replaceSubrange(page * 4096..<(page + 1) * 4096, with: bytes)
        check(changed, expected, "page \(page) from \(source.map(String.init) ?? "zeros")")
      }
    }
  }

  @Test("what is damaged is left as it is, and the message says where")
  func untouched() throws {
    let (files, _) = try Self.image(isClosed: true)
    let database = try #require(files["journal.sqlite"])
    // Somewhere in the bytes of the checkpoint of 6,000 equal bytes.
    let place = try #require(
      database.indices.first { $0 + 600 < database.count && database[$0..<$0 + 600].allSatisfy { $0 == 9 } })
    var changed = files
    changed["journal.sqlite"]?[place + 300] = 8
    let fixture = Fixture()
    Fixture.write(changed, to: fixture.folder.path)
    let store = try fixture.open()
    let found = try #require(failure { () throws(StoreFailure) in try store.inspect() })
    expect("\(found)", contains: "journal.sqlite")
    expect("\(found)", contains: "input 12")
    store.close()
    expectEqual(fixture.image()["journal.sqlite"], changed["journal.sqlite"])
  }

  @Test(
    "segments that are missing, doubled or exchanged are named",
    arguments: [
      "DELETE FROM segments WHERE first = 9", "DELETE FROM segments WHERE first = 1",
      "DELETE FROM segments WHERE first = 21",
      "UPDATE segments SET first = 10 WHERE first = 9", "UPDATE segments SET last = 13 WHERE first = 9",
      "UPDATE segments SET stored = 1 WHERE first = 9", "UPDATE segments SET bytes = x'00' WHERE first = 9",
      "UPDATE segments SET world = 3 - world WHERE first = 9 AND world = 1 AND 0 OR first = 13 AND world = 9",
      "DELETE FROM checkpoints WHERE sequence = 24", "UPDATE checkpoints SET hash = 1 WHERE sequence = 12",
      "DELETE FROM names WHERE number = 2 AND sequence = 9", "UPDATE names SET name = 'x'",
      "DELETE FROM worlds WHERE id = 2",
      "UPDATE worlds SET head = 20, epoch = 0 WHERE id = 1", "UPDATE store SET worlds = 3", "DELETE FROM store",
    ])
  func edited(statement: String) throws {
    let (files, expected) = try Self.image(isClosed: true)
    let fixture = Fixture()
    Fixture.write(files, to: fixture.folder.path)
    let database = try Database(path: fixture.files.database, .writing, faults: nil)
    try database.run(statement)
    let isChanged = database.changes > 0
    database.tidyOnClose()
    database.close()
    let found = failure { () throws(StoreFailure) in try Snapshot(of: try fixture.open(), numbers: 0..<4) }
    expectEqual(found?.kind, (isChanged ? .damaged : nil), "\(expected.worlds.count)")
  }
}
