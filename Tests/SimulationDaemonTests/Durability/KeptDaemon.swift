import JournalStore
import LineProtocol
import PostgresStore
import Simulator
import StateMachines
import Synchronization
import TestSupport
import Testing
import UnixHost

@testable import SimulationDaemon

/// A daemon with durable worlds but without a process: a ``HostedService`` on a store in a folder, which can be killed
/// at any moment and started again; or on a database, which can only be started again.
final class KeptDaemon {
  /// The settings of a start.
  struct Setup {
    var engine = Engine.sqlite
    var limits = Limits()
    var onRestart = OnRestart.remaining
    var durability = Durability.batch
    var faults: FaultPlan?
    var kinds: [CatalogueEntry] = []
    /// Whether the store locks out other daemons.
    var isLocked = false
    /// The threads for long work; nil to do it at once.
    var threads: HeldWorkers?
    /// The names of other users, if they may connect.
    var users: [UInt32: String] = [:]
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

  /// The warnings of the store.
  final class Warnings: Sendable {
    private let all = Mutex<[StoreWarning]>([])

    func add(_ warning: StoreWarning) { all.withLock { $0.append(warning) } }

    var texts: [String] { all.withLock { $0.map { "\($0)" } } }
  }

  let folder: TemporaryFolder
  let setup: Setup
  let wall: WallClock
  let host: HostedService
  /// Of the database; nil for a folder.
  let address: String?
  let anyStore: any WorldStore
  /// - Precondition: It is in a folder.
  var store: SQLiteStore {
    guard let store = anyStore as? SQLiteStore else { preconditionFailure("this daemon keeps its worlds elsewhere") }
    return store
  }
  let faults: FaultPlan
  let warnings = Warnings()
  /// Its error messages to the administrator.
  var log: [String] { said.lines }
  /// Its normal messages.
  var notes: [String] { said.notes }
  // A separate object, since a daemon still writes messages while it is deinitialized.
  private let said = Said()

  var service: Service { host.service }

  /// Starts a daemon in a folder.
  ///
  /// - Parameters:
  ///   - address: Of its database; nil for a new one, if the setup is of one.
  ///   - trouble: Called when the store is open, before worlds are loaded.
  init(
    _ setup: Setup = Setup(), in folder: TemporaryFolder = TemporaryFolder.inMemory(), at address: String? = nil,
    wall: WallClock = WallClock(),
    trouble: (SQLiteStore) throws -> Void = { _ in }
  ) throws {
    var circumstances = SQLiteStore.Circumstances()
    circumstances.isLocked = setup.isLocked
    faults = setup.faults ?? FaultPlan(call: 0, .insteadOfCall, code: 10)  // An I/O error to SQLite.
    circumstances.faults = faults
    circumstances.boot = setup.boot
    circumstances.now = { wall.milliseconds / 1_000 }
    let writer = StoreWriter(process: setup.process, socket: "/run/\(setup.process).sock")
    let store: any WorldStore
    switch setup.engine {
    case .sqlite:
      self.address = nil
      store = try SQLiteStore.open(
        folder: folder.path, durability: setup.durability, writer: writer, circumstances
      ) { [warnings] in warnings.add($0) }
    case .postgres:
      let address = try address ?? PostgresServer.shared.get().makeDatabase()
      self.address = address
      store = try PostgresStore.open(address, writer: writer) { wall.milliseconds / 1_000 }
    }
    host = HostedService(
      limits: setup.limits, with: setup.kinds, workers: setup.threads?.workers() ?? Workers(),
      users: setup.users
    ) { catalogue in
      Persistence(
        store, catalogue, setup.limits, onRestart: setup.onRestart,
        threads: setup.threads?.stores ?? StoreThreads(writer: WorkerPool(places: 1))
      ) { wall.milliseconds }
    }
    self.folder = folder
    self.setup = setup
    self.wall = wall
    anyStore = store
    // The folder must exist as long as a world in it is served.
    service.report = { [said, folder] in
      _ = folder
      said.lines.append($0)
    }
    service.note = { [said] in said.notes.append($0) }
    if let store = store as? SQLiteStore { try trouble(store) }
    try service.restoreAll()
    host.settle()
    if let failure = service.failure { throw failure }
  }

  /// A daemon on the files that a kill would leave now.
  ///
  /// - Parameter change: Changes its settings.
  func afterKill(_ change: (inout Setup) -> Void = { _ in }) throws -> KeptDaemon {
    var setup = setup
    setup.faults = nil
    setup.threads = nil
    change(&setup)
    return try KeptDaemon(setup, in: folder.asAfterKill(), wall: wall)
  }

  /// Shuts the daemon down and starts another one in its folder.
  func restarted(_ change: (inout Setup) -> Void = { _ in }) throws -> KeptDaemon {
    service.release()
    var setup = setup
    setup.faults = nil
    setup.threads = nil
    change(&setup)
    return try KeptDaemon(setup, in: folder, at: address, wall: wall)
  }

  /// Makes the next disk call fail once; `body` must make one.
  func failOnce(_ body: () -> Void) {
    faults.strike(call: 1)
    let before = faults.calls
    body()
    if faults.calls == before { Issue.record("nothing has asked the store") }
  }

  /// A new client, in main or another existing world.
  func connect(_ world: String = "main") -> Guest {
    let guest = host.connect()
    if world != "main" { _ = guest.say("use \(world)") }
    return guest
  }

  /// Lets time pass, for the daemon and the wall clock.
  func pass(_ seconds: Double) {
    wall.milliseconds += Int64(seconds * 1_000)
    host.passTime(seconds)
  }
}

extension Guest {
  /// Sends requests and returns the last lines of their replies.
  func ask(_ requests: String...) -> [String] {
    requests.flatMap { request in say(request).filter { $0.hasPrefix("+") || $0.hasPrefix("-") } }
  }

  /// The whole journal of its world, without the prefix of each line.
  func journal(_ options: String = "since=1") -> [String] {
    say("journal \(options) limit=1000000").filter { $0.hasPrefix(". ") }.map { String($0.dropFirst(2)) }
  }

  /// Everything visible of a world, except its journal.
  func view() -> [String] {
    ["clock", "list", "agenda", "wires", "count"].flatMap { say($0) }
  }
}

extension Service {
  /// Stores everything, releases all worlds and closes the stores, however long that takes.
  ///
  /// - Returns: Whether everything is stored. Losses have been reported.
  @discardableResult
  func release() -> Bool {
    isShuttingDown = true
    passTime()
    while !endStores() { workers.waitForStores() }
    return !hasLost
  }
}
