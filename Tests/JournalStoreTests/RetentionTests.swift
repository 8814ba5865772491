import TestSupport
import Testing

@testable import JournalStore

@Suite("Retention")
struct RetentionTests {
  let fixture = Fixture()

  /// A world with segments of 1,000 bytes and ten inputs, one a second.
  private func fill(_ store: SQLiteStore, _ rounds: Int) throws -> Lease {
    try store.create("main")
    let lease = try store.take("main").lease
    for round in 0..<rounds {
      fixture.now += 1
      try store.append(lease, after: UInt64(round * 10), [UInt8](repeating: UInt8(round & 255), count: 1000))
    }
    return lease
  }

  @discardableResult
  private func retain(_ store: SQLiteStore, _ lease: Lease, _ retention: Retention) throws -> Int {
    var calls = 1
    while try store.retain(lease, retention) { calls += 1 }
    return calls
  }

  @Test("without a checkpoint nothing is removed, whatever the limit")
  func noCheckpoint() throws {
    let store = try fixture.open()
    let lease = try fill(store, 10)
    try expectEqual(retain(store, lease, Retention(bytes: 0, age: 0)), 1)
    try expectEqual(
      store.holdings(of: "main"),
      StorageStats(first: 1, head: 100, bytes: 10000, removedBytes: 0, machines: 0, checkpoints: []))
  }

  @Test("the oldest go until the limit of bytes is kept, and nothing behind the latest checkpoint", arguments: 0...10)
  func bytes(checkpoint: Int) throws {
    let store = try fixture.open()
    let lease = try fill(store, 10)
    try store.putCheckpoint(lease, at: UInt64(checkpoint * 10), hash: 5, [1, 2, 3])
    try retain(store, lease, Retention(bytes: 4500))
    let removed = min(checkpoint, 6)
    let holdings = try store.holdings(of: "main")
    expectEqual(holdings.first, UInt64(removed * 10 + 1))
    expectEqual(holdings.bytes, 10000 - removed * 1000)
    expectEqual(holdings.removedBytes, removed * 1000)
    expectEqual(holdings.checkpoints.map(\.sequence), [UInt64(checkpoint * 10)])
    try expectEqual(store.segments(of: "main").first?.first, holdings.first)
    try expectEqual(store.worlds()[0].first, holdings.first)
    try store.inspect()
    try retain(store, lease, Retention(bytes: 0))
    try expectEqual(store.holdings(of: "main").first, UInt64(checkpoint * 10 + 1))
    try store.inspect()
    store.close()
    let again = try fixture.open()
    try again.inspect()
    let taken = try again.take("main")
    let latest = try again.checkpoint(of: "main", atOrBefore: taken.world.head)
    expectEqual(latest?.bytes, [1, 2, 3])
    expectEqual(latest?.mark.hash, 5)
    try again.append(taken.lease, after: 100, [1])
    try again.inspect()
  }

  @Test("segments older than the limit go, and those as old as the limit stay")
  func age() throws {
    let store = try fixture.open()
    let lease = try fill(store, 10)
    try store.putCheckpoint(lease, at: 100, hash: 5, [1])
    try retain(store, lease, Retention(age: 4))
    try expectEqual(store.holdings(of: "main").first, 51)
    try retain(store, lease, Retention(bytes: 2000, age: 1000))
    try expectEqual(store.holdings(of: "main").first, 81)
    fixture.now += 100
    try retain(store, lease, Retention(age: 4))
    try expectEqual(store.holdings(of: "main").first, 101)
    try store.append(lease, after: 100, [1])
    try store.inspect()
  }

  @Test("it is done in batches")
  func batches() throws {
    let store = try fixture.open()
    let lease = try fill(store, 200)
    try store.putCheckpoint(lease, at: 2000, hash: 5, [1])
    try expect(store.retain(lease, Retention(bytes: 0)))
    try expectEqual(store.holdings(of: "main").removedBytes, 64_000)
    try store.append(lease, after: 2000, [1])
    try expect(retain(store, lease, Retention(bytes: 0)) > 3)
    try expectEqual(store.holdings(of: "main").bytes, 1)
  }

  @Test("checkpoints go with the segments behind them")
  func checkpoints() throws {
    let store = try fixture.open()
    let lease = try fill(store, 10)
    for sequence in [20, 50, 90] { try store.putCheckpoint(lease, at: UInt64(sequence), hash: UInt64(sequence), [1]) }
    try retain(store, lease, Retention(bytes: 7000))
    try expectEqual(store.checkpoints(of: "main").map(\.sequence), [50, 90])
    try retain(store, lease, Retention(bytes: 5000))
    try expectEqual(store.checkpoints(of: "main").map(\.sequence), [50, 90])
    try retain(store, lease, Retention(bytes: 4000))
    try expectEqual(store.checkpoints(of: "main").map(\.sequence), [90])
    try expectNil(store.checkpoint(of: "main", atOrBefore: 89))
    try store.inspect()
  }

  @Test("nothing is removed for the sake of a checkpoint that cannot be read")
  func badCheckpoint() throws {
    let store = try fixture.open()
    let lease = try fill(store, 10)
    try store.putCheckpoint(lease, at: 90, hash: 5, [1, 2, 3])
    try store.database.run("UPDATE checkpoints SET bytes = x'01020300'")
    let found = try #require(failure { () throws(StoreFailure) in try store.retain(lease, Retention(bytes: 0)) })
    expectEqual(found.kind, .damaged)
    expect("\(found)", contains: "world main, input 90")
    try expectEqual(store.holdings(of: "main").first, 1)
    expectEqual(
      failure { () throws(StoreFailure) in _ = try store.checkpoint(of: "main", atOrBefore: 100) }?.kind, .damaged)
    // Nothing was written by the attempt.
    try store.append(lease, after: 100, [1])
  }

  @Test("names that no kept input needs go, the others stay")
  func names() throws {
    let store = try fixture.open()
    try store.create("main")
    let lease = try store.take("main").lease
    for round in 0..<10 {
      let sequence = UInt64(round * 10 + 1)
      // Number 0 is given again each round, number 1 once, and 2,000 others make it more than one batch.
      var creations = [StoredCreation(sequence: sequence, number: 0, name: "n\(round)", kind: "k")]
      if round == 0 {
        creations += (1...2000).map { StoredCreation(sequence: 2, number: UInt32($0), name: "m", kind: "k") }
      }
      try store.append(lease, after: UInt64(round * 10), [1], creations: creations)
    }
    try store.putCheckpoint(lease, at: 60, hash: 5, [1])
    try retain(store, lease, Retention(bytes: 0))
    try expectEqual(store.holdings(of: "main").first, 61)
    try expectNil(store.creation(of: 0, in: "main", at: 60))
    try expectEqual(store.creation(of: 0, in: "main", at: 61)?.name, "n6")
    try expectEqual(store.creation(of: 0, in: "main", at: 75)?.name, "n7")
    try expectEqual(store.creation(of: 2000, in: "main", at: 75)?.name, "m")
    try expectEqual(store.database.number("SELECT count(*) FROM names"), 2004)
    try store.inspect()
  }

  @Test("a checkpoint for the same input takes the place of the one before")
  func replaced() throws {
    let store = try fixture.open()
    let lease = try fill(store, 2)
    try store.putCheckpoint(lease, at: 10, hash: 1, [1])
    try store.putCheckpoint(lease, at: 10, hash: 2, [2, 2])
    try expectEqual(store.checkpoints(of: "main").map(\.hash), [2])
    try expectEqual(store.checkpoint(of: "main", atOrBefore: 10)?.bytes, [2, 2])
    try expectNil(store.checkpoint(of: "main", atOrBefore: 9))
    try expectEqual(store.checkpoints(of: "main").map(\.size), [2])
    try store.putCheckpoint(lease, at: 20, hash: 3, [])
    try expectEqual(store.checkpoint(of: "main", atOrBefore: 20)?.bytes, [])
    try expectEqual(store.take("main").world.head, 20)
  }
}

@Suite("Thinning of checkpoints")
struct CheckpointThinningTests {
  @Test("a few are all kept")
  func few() {
    for count in 0...CheckpointThinning.newest + 1 {
      expectEqual(CheckpointThinning.superfluous((0..<count).map { UInt64($0) }), [])
    }
  }

  @Test("with one after the other, the kept ones lie at doubling distances, and few are kept")
  func doubling() {
    var kept: [UInt64] = []
    for newest in UInt64(1)...2000 {
      kept.append(newest)
      for place in CheckpointThinning.superfluous(kept) { kept.remove(at: place) }
      expectEqual(kept.first, 1)
      expectEqual(kept.suffix(3), ArraySlice(Array(1...newest).suffix(3)))
      expect(kept.count <= 3 + 2 * (64 - newest.leadingZeroBitCount))
      // From whatever input one goes back to, the next checkpoint before is at most about as far again.
      for (older, younger) in zip(kept, kept.dropFirst()) where newest - younger > 2 {
        expect(newest - older <= 2 * (newest - younger) + 2, "\(newest): \(kept)")
      }
    }
  }
}
