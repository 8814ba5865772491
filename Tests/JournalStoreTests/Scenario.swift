@testable import JournalStore

/// What a daemon does with a store, step by step, beside a model of what the store must say afterwards.
struct Scenario {
  enum Step: Hashable {
    case open
    case close
    case create(String)
    case take(String)
    /// A round that brings each world that is taken a segment.
    case append(Int)
    case checkpoint(String)
    case retain(String, bytes: Int)
    case release(String)
    case remove(String)
    case sweep
  }

  static let numbers: Range<UInt32> = 0..<4

  static let all: [Step] = {
    var steps: [Step] = [.open, .create("a"), .take("a"), .append(0), .create("b"), .take("b")]
    steps += (1...3).map { .append($0) }
    steps += [
      .checkpoint("a"), .append(4), .append(5), .retain("a", bytes: 1200), .close, .open, .take("a"), .take("b"),
    ]
    steps += [.append(6), .checkpoint("a"), .remove("b"), .sweep, .append(7), .release("a"), .close]
    return steps
  }()

  let fixture: Fixture
  var store: SQLiteStore?
  var leases: [String: Lease] = [:]
  /// What was acknowledged.
  var model = Snapshot()

  init(_ fixture: Fixture) {
    self.fixture = fixture
  }

  /// Does a step; the model follows when it has succeeded.
  mutating func run(_ step: Step) throws(StoreFailure) {
    let next = after(step)
    switch step {
    case .open: store = try fixture.open()
    case .close:
      store?.close()
      store = nil
      leases = [:]
    case .create(let world): try store?.create(world)
    case .take(let world): leases[world] = try store?.take(world).lease
    case .append(let round):
      try store?.appendAll(
        leases.values.sorted { $0.world < $1.world }.compactMap { lease in
          guard let before = model[lease.world], let after = next[lease.world], let last = after.segments.last
          else { return nil }
          return (
            lease, before.head, after.head, last.bytes, after.moment, after.settings,
            [Self.creation(round, before.head + 1)]
          )
        })
    case .checkpoint(let world):
      if let lease = leases[world], let last = next[world]?.checkpoints.last {
        try store?.putCheckpoint(lease, at: last.mark.sequence, hash: last.mark.hash, last.bytes)
      }
    case .retain(let world, let bytes):
      if let lease = leases[world] { _ = try store?.retain(lease, Retention(bytes: bytes)) }
    case .release(let world):
      if let lease = leases.removeValue(forKey: world) { try store?.release(lease) }
    case .remove(let world):
      try store?.remove(world)
      leases[world] = nil
    case .sweep: _ = try store?.sweep()
    }
    model = next
  }

  private static func creation(_ round: Int, _ sequence: UInt64) -> StoredCreation {
    StoredCreation(sequence: sequence, number: UInt32(round % 3), name: "machine-\(round)", kind: "kind")
  }

  /// What the store must have when a step was done.
  func after(_ step: Step) -> Snapshot {
    var next = model
    switch step {
    case .open, .close, .take, .release, .sweep: break
    case .create(let world): next[world] = Snapshot.WorldCore(name: world, settings: [1, 2, 3])
    case .append(let round):
      for world in leases.keys {
        guard var after = next[world] else { continue }
        let bytes = [UInt8](repeating: UInt8(round), count: 400 + round)
        after.segments.append(SegmentCopy(first: after.head + 1, last: after.head + 5, bytes: bytes))
        let creation = Self.creation(round, after.head + 1)
        after.creations = (after.creations.filter { $0.number != creation.number } + [creation])
          .sorted { $0.number < $1.number }
        after.head += 5
        after.moment = Int64(round)
        after.settings = [UInt8(round)]
        next[world] = after
      }
    case .checkpoint(let world):
      if var after = next[world] {
        let bytes = [UInt8](repeating: 7, count: 500)
        let mark = CheckpointMark(sequence: after.head, hash: after.head &* 3, size: bytes.count, stored: fixture.now)
        after.checkpoints.append(StoredCheckpoint(mark: mark, bytes: bytes))
        next[world] = after
      }
    case .retain(let world, let most):
      if var after = next[world], let checkpoint = after.checkpoints.last {
        var bytes = after.segments.reduce(0) { $0 + $1.bytes.count }
        while bytes > most, let oldest = after.segments.first, oldest.last <= checkpoint.mark.sequence {
          after.segments.removeFirst()
          bytes -= oldest.bytes.count
          after.removedBytes += oldest.bytes.count
          after.first = oldest.last + 1
        }
        next[world] = after
      }
    case .remove(let world): next[world] = nil
    }
    return next
  }
}
