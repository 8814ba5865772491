import JournalStore
import Simulator
import StateMachines
import TestSupport
import Testing

@testable import SimulationDaemon

@Suite("Where a replay of a stored world can start")
struct ReplayStartsTests {
  /// The starts for a replay to `end`. Unless `fromTable`, what was undone is read from the segments, also at the head.
  private func starts(
    _ history: StoredHistory, to end: UInt64, fromTable: Bool = true, _ marks: [CheckpointMark]
  ) throws -> [UInt64] {
    let world = history.world
    return try ReplayStarts(
      history.store, of: world.name, first: world.first, head: fromTable ? world.head : .max, end: end
    ).valid(marks.filter { $0.sequence <= end })
  }

  @Test("an undo before a checkpoint or after it leaves it valid; one across it does not, from then on")
  func positions() throws {
    let daemon = try KeptDaemon(KeptDaemon.Setup("checkpointInputs=10"))
    let guest = daemon.begin("w")
    var sequence: UInt64 { guest.client.hosted.live.world.lastSequence }
    func marks() throws -> [CheckpointMark] { try daemon.store.checkpoints(of: "w") }
    func sendUntilCheckpoint() throws -> UInt64 {
      let before = try marks().count
      while try marks().count == before { _ = guest.ask("send p buttonClick") }
      return try #require(try marks().last).sequence
    }
    _ = guest.ask("clock virtual", "new power p", "send p buttonClick", "send p buttonClick", "undo 1")
    let first = try sendUntilCheckpoint()
    _ = guest.ask("send p buttonClick", "send p buttonClick", "undo 2")
    let second = try sendUntilCheckpoint()
    _ = guest.ask("send p buttonClick")
    let end = sequence
    try expectEqual(starts(daemon.history(of: "w"), to: end, marks()), [0, first, second])
    _ = guest.ask("undo \(end - second + 1)", "send p buttonClick")
    try expectEqual(starts(daemon.history(of: "w"), to: sequence, [marks()[0], marks()[1]]), [0, first])
    let last = try sendUntilCheckpoint()

    let history = try daemon.history(of: "w")
    let (all, head) = (try marks(), history.world.head)
    let later = all.map(\.sequence).filter { $0 > end }
    expect(later.last == last && all.count == 2 + later.count)
    try expectEqual(starts(history, to: head, all), [0, first] + later)
    try expectEqual(starts(history, to: head, fromTable: false, all), [0, first] + later)
    // The undo across the second checkpoint had not happened yet.
    try expectEqual(starts(history, to: end, all), [0, first, second])
    try expectEqual(starts(history, to: second, all), [0, first, second])

    let damaged = ReplayStarts(history.store, of: "w", first: 1, head: second - 1, end: second - 1)
    try expectEqual(damaged.valid(all), [0, first, second] + later)
    try expectNil(damaged.undone(after: last).first)

    let present = try history.present().presentHash
    expectEqual(present, guest.client.hosted.live.world.hash)
    for latest in [0, first, second, last] {
      let played = try history.played(from: latest, to: head, at: history.moment, WorldLimits())
      try expectEqual(played.presentHash, present, "from \(latest)")
    }
    try expectEqual(daemon.afterKill().connect("w").client.hosted.live.world.hash, present)
  }

  @Test("the store and its segments agree on it, for every end", arguments: Thorough.rounds(0..<12 as Range<UInt64>))
  func agree(seed: UInt64) throws {
    let daemon = try KeptDaemon(KeptDaemon.Setup("checkpointInputs=15"))
    daemon.begin("w", "seed=\(seed)").play(seed: seed, requests: 200)
    let history = try daemon.history(of: "w")
    let marks = try history.store.checkpoints(of: "w")
    var undone: [ClosedRange<UInt64>] = []
    try history.read { _, entry, _ in
      if entry.input == .rewound { undone.append(JournalInput(entry).firstUndone...entry.sequence) }
    }
    var ends: [UInt64] = []
    try history.readSegments(from: 1) { segment in
      ends.append(segment.last)
      return true
    }
    expect(!undone.isEmpty && marks.count > 1, "seed \(seed)")
    for end in ends {
      let expected =
        [0]
        + marks.map(\.sequence).filter { start in
          start <= end && !undone.contains { $0.upperBound <= end && $0.lowerBound <= start && start < $0.upperBound }
        }
      try expectEqual(starts(history, to: end, marks), expected, "seed \(seed), to \(end)")
      try expectEqual(starts(history, to: end, fromTable: false, marks), expected, "seed \(seed), to \(end)")
    }
  }
}

extension WorldCore {
  /// The hash of its state; nil if it cannot be archived.
  fileprivate var hash: UInt64? { try? presentHash }
}
