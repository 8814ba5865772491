import JournalStore
import LineProtocol
import Simulator
import StateMachines
import Synchronization
import Testing

@testable import SimulationDaemon

/// A daemon with durable worlds, without its process: a ``HostedService`` on a store in a folder, which can be killed at
/// any moment and started again.
final class KeptDaemon {
  /// What a daemon is started with.
  struct Setup {
    var limits = Limits()
    var onRestart = OnRestart.remaining
    var durability = Durability.batch
    var faults: FaultPlan?
    var kinds: [CatalogueEntry] = []
    /// Whether others are kept out of the folder.
    var isLocked = false
    /// Where long work is done; nil where all is done at once.
    var threads: HeldWorkers?
    var process: Int32 = 1
    var boot: UInt64 = 1

    init(_ limits: String...) {
      for limit in limits {
        if let problem = self.limits.set(limit) { preconditionFailure(problem) }
      }
    }
  }

  /// The time of day, in milliseconds since 1970, which goes on while no daemon runs.
  final class WallClock {
    var milliseconds: Int64 = 1_700_000_000_000
  }

  private final class Said {
    var lines: [String] = []
    var notes: [String] = []
  }

  /// What the store has said.
  final class Warnings: Sendable {
    private let all = Mutex<[StoreWarning]>([])

    func add(_ warning: StoreWarning) { all.withLock { $0.append(warning) } }

    var texts: [String] { all.withLock { $0.map { "\($0)" } } }
  }

  let folder: TestFolder
  let setup: Setup
  let wall: WallClock
  let host: HostedService
  let store: SQLiteStore
  let faults: FaultPlan
  let warnings = Warnings()
  /// What it has said to whoever runs it.
  var log: [String] { said.lines }
  /// What of that is as it should be.
  var notes: [String] { said.notes }
  // Of its own, since a daemon has something to say while it goes.
  private let said = Said()

  var service: Service { host.service }

  /// Starts a daemon in a folder.
  ///
  /// - Parameter trouble: Done when the store is open, before the worlds are brought back.
  init(
    _ setup: Setup = Setup(), in folder: TestFolder = TestFolder(), wall: WallClock = WallClock(),
    trouble: (SQLiteStore) throws -> Void = { _ in }
  ) throws {
    var circumstances = SQLiteStore.Circumstances()
    circumstances.isLocked = setup.isLocked
    faults = setup.faults ?? FaultPlan(call: 0, .insteadOfCall, code: 10)  // An I/O error to SQLite.
    circumstances.faults = faults
    circumstances.boot = setup.boot
    circumstances.now = { wall.milliseconds / 1_000 }
    let store = try SQLiteStore.open(
      folder: folder.path, durability: setup.durability,
      writer: StoreWriter(process: setup.process, socket: "/run/\(setup.process).sock"), circumstances
    ) { [warnings] in warnings.add($0) }
    host = HostedService(
      limits: setup.limits, with: setup.kinds, workers: setup.threads?.workers() ?? Workers()
    ) { catalogue in
      Persistence(store, catalogue, setup.limits, onRestart: setup.onRestart) { wall.milliseconds }
    }
    self.folder = folder
    self.setup = setup
    self.wall = wall
    self.store = store
    // The folder stays as long as somebody is served out of it.
    service.report = { [said, folder] in
      _ = folder
      said.lines.append($0)
    }
    service.note = { [said] in said.notes.append($0) }
    try trouble(store)
    try service.bringBackAll()
    host.settle()
    if let failure = service.failure { throw failure }
  }

  /// A daemon on what this one would leave if it was killed now.
  ///
  /// - Parameter change: What it is started with otherwise.
  func afterKill(_ change: (inout Setup) -> Void = { _ in }) throws -> KeptDaemon {
    var setup = setup
    setup.faults = nil
    setup.threads = nil
    change(&setup)
    return try KeptDaemon(setup, in: folder.asAfterKill(), wall: wall)
  }

  /// Ends the daemon in order and starts another one in its folder.
  func restarted(_ change: (inout Setup) -> Void = { _ in }) throws -> KeptDaemon {
    service.release()
    var setup = setup
    setup.faults = nil
    setup.threads = nil
    change(&setup)
    return try KeptDaemon(setup, in: folder, wall: wall)
  }

  /// Lets the next call to the disk fail, once, which something in `body` must make.
  func failOnce(_ body: () -> Void) {
    faults.strike(call: 1)
    let before = faults.calls
    body()
    if faults.calls == before { Issue.record("nothing has asked the store") }
  }

  /// A new client, in main or another world that is there.
  func connect(_ world: String = "main") -> Guest {
    let guest = host.connect()
    if world != "main" { _ = guest.say("use \(world)") }
    return guest
  }

  /// Lets time pass, for the daemon and the wall's clock.
  func pass(_ seconds: Double) {
    wall.milliseconds += Int64(seconds * 1_000)
    host.passTime(seconds)
  }
}

extension Guest {
  /// Sends requests and gives back the lines that end them.
  func ask(_ requests: String...) -> [String] {
    requests.flatMap { request in say(request).filter { $0.hasPrefix("+") || $0.hasPrefix("-") } }
  }

  /// The whole journal of its world, without what comes in front of each line.
  func journal(_ options: String = "since=1") -> [String] {
    say("journal \(options) limit=1000000").filter { $0.hasPrefix(". ") }.map { String($0.dropFirst(2)) }
  }

  /// All that can be seen of a world from outside, but its journal.
  func view() -> [String] {
    ["clock", "list", "agenda", "wires", "count"].flatMap { say($0) }
  }
}
