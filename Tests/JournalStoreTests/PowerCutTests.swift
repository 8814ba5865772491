import TestSupport
import Testing

@testable import JournalStore

/// The system goes down at every point of a daemon's life, and the disk has what was synced, with any part of the rest:
/// 4,000 different images of a disk with `FSMD_THOROUGH=10`.
@Suite("Power cuts")
struct PowerCutTests {
  /// A run that was recorded, and what the store had to have after each step.
  private struct Run {
    var events: [RecordedDisk.Event] = []
    /// What is acknowledged from each event `acknowledged` on; the first is what there is before anything.
    var models: [Snapshot] = [Snapshot()]
    /// The models before which nothing may fall, whatever is promised: what was written back at an end in order.
    var floors: [Int] = [0]
    /// The model from which on everything was promised to be on the disk.
    var promised = Int.max
  }

  /// - Parameters:
  ///   - worlds: That are made before the scenario begins.
  ///   - isKilled: Whether the daemon is killed, and not ended in order, in the middle.
  private static func record(_ durability: Durability, worlds: Int = 0, isKilled: Bool = false) throws -> Run {
    let fixture = Fixture()
    let disk = RecordedDisk(folder: fixture.folder.path)
    fixture.faults = FaultPlan(call: 0, .insteadOfCall, code: 10) { [unowned disk] in disk.noteChange($0) }
    fixture.disk = disk
    // A killed daemon's connection stays open until all is recorded.
    var killed: [SQLiteStore] = []
    fixture.durability = isKilled ? .batch : durability
    var scenario = Scenario(fixture)
    var run = Run()
    func acknowledge(_ floor: Bool) {
      run.models.append(scenario.model)
      run.floors.append(floor ? run.models.count - 1 : run.floors[run.floors.count - 1])
      disk.note(.acknowledged(run.models.count - 1))
    }
    var steps = Scenario.all
    steps.insert(contentsOf: (0..<worlds).map { .create("w\(10 + $0)") }, at: 1)
    // Late, so that its note is not in the same sector as the head of the notes.
    if worlds > 0 { steps.insert(.remove("w\(9 + worlds)"), at: steps.count - 4) }
    for step in steps {
      if step == .close, isKilled, let store = scenario.store {
        killed.append(store)
        scenario.store = nil
        scenario.leases = [:]
        // What it acknowledged was promised for its own death only; from now on for power cuts as well.
        fixture.durability = durability
        continue
      }
      try scenario.run(step)
      if step == .open, fixture.durability == .full { run.promised = min(run.promised, run.models.count) }
      // Written back often, so that this is cut off too.
      if step == .open { try scenario.store?.database.run("PRAGMA wal_autocheckpoint = 6") }
      acknowledge(step == .close)
    }
    disk.stopRecording()
    run.events = disk.events
    // Its files are closed before the way to them goes.
    withExtendedLifetime(disk) { killed = [] }
    return run
  }

  /// How often the power fails after each event.
  private static let seeds = Thorough.rounds(8)

  /// Lets the power fail after each event, `seeds` times.
  ///
  /// - Parameter first: The model with which this begins.
  /// - Returns: How many different images of a disk there were.
  private static func cut(_ run: Run, from first: Int = 0) throws -> Int {
    var image = DiskImage()
    var acknowledged = 0
    var seen: Set<Int> = []
    for (place, event) in run.events.enumerated() {
      if case .acknowledged(let model) = event { acknowledged = model }
      image.apply(event)
      guard acknowledged >= first else { continue }
      let oldest = acknowledged >= run.promised ? acknowledged : run.floors[acknowledged]
      // What is under way may have happened already.
      let possible = run.models[oldest...min(acknowledged + 1, run.models.count - 1)]
      for seed in 0..<seeds {
        var dice = Dice(seed: place << 16 | seed)
        let files = image.files(using: &dice)
        var hasher = Hasher()
        hasher.combine(files)
        hasher.combine(possible.indices)
        guard seen.insert(hasher.finalize()).inserted else { continue }
        let words = "event \(place) of \(run.events.count), seed \(seed): \(event.words)"
        try check(files, possible, words)
      }
    }
    return seen.count
  }

  private static func check(_ files: [String: [UInt8]], _ possible: ArraySlice<Snapshot>, _ words: String) throws {
    let fixture = Fixture()
    fixture.boot += 1
    Fixture.write(files, to: fixture.folder.path)
    do throws(StoreFailure) {
      let store = try fixture.open(.full)
      let found = try Snapshot(of: store, numbers: Scenario.numbers)
      expect(possible.contains(found), "\(words)")
      // And it can be written.
      for world in found.worlds { try store.append(try store.take(world.name).lease, after: world.head, [1]) }
    } catch {
      Issue.record("\(words): \(error)")
    }
  }

  @Test("with durability full, what was acknowledged is there, once")
  func full() throws {
    let count = try Self.cut(try Self.record(.full))
    expect(count > 100 * Self.seeds, "\(count)")
  }

  @Test("with durability batch, only whole rounds at the end are missing")
  func batch() throws {
    let count = try Self.cut(try Self.record(.batch))
    expect(count > 100 * Self.seeds, "\(count)")
  }

  @Test("notes that are older in part, of more worlds than a sector has room for, are no damage")
  func manyWorlds() throws {
    let run = try Self.record(.full, worlds: 20)
    let count = try Self.cut(run, from: run.models.count - 6)
    expect(count > 15 * Self.seeds, "\(count)")
  }

  @Test("durability full begins with what a killed daemon left that did not wait for the disk")
  func afterKill() throws {
    let count = try Self.cut(try Self.record(.full, isKilled: true))
    expect(count > 100 * Self.seeds, "\(count)")
  }
}

extension RecordedDisk.Event {
  fileprivate var words: String {
    switch self {
    case .wrote(let path, let offset, let bytes): "wrote \(bytes.count) bytes at \(offset) of \(path)"
    case let other: "\(other)"
    }
  }
}
