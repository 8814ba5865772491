import Foundation
import JournalStore
import PostgresStore
import StateMachines
import Synchronization
import TestSupport
import Testing

@testable import SimulationDaemon

/// What can be saved of a world that is out of service.
@Suite("Repairing worlds")
struct RepairTests {
  /// A closed store with a world of lamps of the first release, and its view after each input.
  private struct Example {
    let folder: TemporaryFolder
    let address: String?
    var views: [UInt64: [String]] = [:]
    var journal: [String] = []
    var journals: [UInt64: [String]] = [:]
    var checkpoints: [UInt64] = []
    let setup: KeptDaemon.Setup

    init(_ engine: Engine = .sqlite, _ limits: String..., end: [String] = []) throws {
      var setup = KeptDaemon.Setup()
      setup.engine = engine
      for limit in limits { expectNil(setup.limits.set(limit)) }
      setup.kinds = [ReleasedLamp<UpgradeTests.First>.entry]
      self.setup = setup
      let daemon = try KeptDaemon(setup)
      let guest = daemon.connect()
      _ = guest.ask("world new z durable=yes seed=9", "use z")
      for request in [
        "new lamp l", "new lamp m burn=30s", "send l press", "advance 10s", "send m press", "undo", "send m press",
        "advance 25s", "send m nudge", "send l press", "send l dim 2", "send l press", "drop m", "new power p",
        "send p buttonClick",
      ] + end {
        expect(guest.ask(request)[0], hasPrefix: "+")
        views[guest.client.hosted.head] = guest.view()
        journals[guest.client.hosted.head] = guest.journal()
      }
      journal = guest.journal()
      checkpoints = try daemon.anyStore.checkpoints(of: "z").map(\.sequence)
      daemon.service.release()
      folder = daemon.folder
      address = daemon.address
    }

    /// The first input with the event that a later release lacks.
    var dim: UInt64 {
      let line = journal.first { $0.contains(" event=dim") }
      return line.flatMap { UInt64($0.prefix { $0 != " " }) } ?? 0
    }

    /// - Parameter naming: Translates names for the database.
    func repairing<R>(naming: WorldNaming = .same, _ body: (Repair) throws -> R) throws -> R {
      let writer = StoreWriter(process: 2, socket: "")
      var circumstances = SQLiteStore.Circumstances()
      circumstances.boot = 1
      let store: any WorldStore =
        if let address {
          try PostgresStore.open(address, writer: writer, naming: naming)
        } else {
          try SQLiteStore.open(folder: folder.path, durability: .full, writer: writer, circumstances) { _ in }
        }
      defer { store.close() }
      return try body(Repair(store, Example.catalogue, "z", wallClock: { 0 }))
    }

    /// The catalogue of a later release.
    private static let catalogue: Catalogue = {
      var catalogue = HostedService.catalogue
      catalogue.add(ReleasedLamp<UpgradeTests.NoEvent>.entry)
      return catalogue
    }()

    func survey() throws -> Repair.Survey {
      let store = try StoreAccess.open(address ?? folder.path)
      defer { store.close() }
      return try Repair.survey("z", in: store, Example.catalogue)
    }

    /// A daemon of a later release on these files.
    func later() throws -> KeptDaemon {
      var setup = setup
      setup.kinds = [ReleasedLamp<UpgradeTests.NoEvent>.entry]
      return try KeptDaemon(setup, in: folder, at: address)
    }
  }

  @Test("it is said what each way out loses, and nothing is changed")
  func survey() throws {
    let example = try Example()
    let before = example.folder.contents
    let survey = try example.survey()
    expect(survey.playable == example.dim - 1 && survey.checkpoint == nil)
    expect(survey.lines.count == 3 && survey.lines[0].contains("event 'dim' of kind 'lamp'"))
    expectEqual(
      survey.lines[1],
      "--to \(example.dim - 1) keeps all up to input \(example.dim - 1) and loses inputs \(example.dim) to \(survey.head)"
    )
    expectEqual(survey.lines[2], "--to-checkpoint saves nothing: there is no checkpoint that can be read")
    expectEqual(example.folder.contents[example.folder.files.database], before[example.folder.files.database])
    let later = Repair.Survey(
      name: "z", head: 23, reason: "why", playable: 6, endedByTimer: false, checkpoint: 22)
    expectEqual(
      later.lines.suffix(2),
      [
        "--to 6 keeps all up to input 6 and loses inputs 7 to 23",
        "--to-checkpoint keeps the state at input 22, before which nothing can be undone, and loses input 23",
      ])
    let whole = try Example()
    _ = try whole.repairing { _ in }
  }

  @Test("up to an input, in its place: the world is as it was then, and goes on", arguments: Engine.here)
  func place(engine: Engine) throws {
    let example = try Example(engine)
    try example.repairing { try $0.run(to: example.dim - 1, as: nil) }
    let daemon = try example.later()
    let guest = daemon.connect("z")
    expectEqual(daemon.log, [])
    expectEqual(guest.view(), example.views[example.dim - 1])
    expectEqual(guest.journal(), example.journal.filter { UInt64($0.prefix { $0 != " " }) ?? 0 < example.dim })
    expect(guest.ask("send l press")[0], contains: " seq=\(example.dim)")
    expect(guest.ask("undo 2")[0], hasPrefix: "+")
    let view = guest.view()
    try expectEqual(daemon.restarted().connect("z").view(), view)
  }

  @Test("before an undo that has absorbed an earlier one: the earlier one is known as such")
  func absorbed() throws {
    let example = try Example(end: ["undo 10"])
    let kept = try #require(example.journals[example.dim - 1])
    expect(kept.contains { $0.contains(" undone=") } && example.journal.starts(with: kept) == false)
    try example.repairing { try $0.run(to: example.dim - 1, as: "saved") }
    let saved = try example.later().connect("saved")
    expect(saved.journal() == kept && saved.view() == example.views[example.dim - 1])
  }

  @Test("as another world: the one that there is stays as it is", arguments: Engine.here)
  func other(engine: Engine) throws {
    let example = try Example(engine)
    try example.repairing { try $0.run(to: example.dim - 1, as: "saved") }
    #expect(throws: (any Error).self) { try example.repairing { try $0.run(to: 3, as: "saved") } }
    let daemon = try example.later()
    expectEqual(daemon.connect("saved").view(), example.views[example.dim - 1])
    expect(daemon.connect("z").ask("world")[0], hasSuffix: " service=out")
    let first = try daemon.restarted { $0.kinds = [ReleasedLamp<UpgradeTests.First>.entry] }
    expectEqual(first.connect("z").journal(), example.journal)
  }

  @Test(
    "an input up to which it cannot be played changes nothing, and there must be such an input", arguments: Engine.here)
  func impossible(engine: Engine) throws {
    let example = try Example(engine)
    for end in [example.dim, 1_000] {
      #expect(throws: (any Error).self) { try example.repairing { try $0.run(to: end, as: nil) } }
    }
    let daemon = try example.later()
    expectEqual(daemon.connect().say("worlds").count, 3)
    let first = try daemon.restarted { $0.kinds = [ReleasedLamp<UpgradeTests.First>.entry] }
    expectEqual(first.connect("z").journal(), example.journal)
  }

  @Test(
    "on a database it is not put in place of a world that a daemon has taken meanwhile",
    .enabled(if: PostgresServer.isInstalled))
  func taken() throws {
    let example = try Example(.postgres)
    let (address, server) = (try #require(example.address), try PostgresServer.shared.get())
    let hasTaken = Mutex(false)
    // The repaired world's name is asked for when it is made: then a daemon takes the broken one.
    let naming = WorldNaming(
      stored: { name throws(StoreFailure) in
        if name == "z repaired", !hasTaken.withLock({ $0 }) {
          hasTaken.withLock { $0 = true }
          let daemon = try PostgresStore.open(address, writer: StoreWriter(process: 3, socket: "", name: "b"))
          _ = try daemon.take("z")
          _ = try? server.sql("UPDATE fsmd.hosts SET ends = ends + interval '1 hour'", in: address)
        }
        return name
      }, local: { $0 })
    let failure = #expect(throws: StoreFailure.self) {
      try example.repairing(naming: naming) { try $0.run(to: example.dim - 1, as: nil) }
    }
    expect(failure.map { "\($0)" } ?? "", contains: "the daemon b has world z")
    try server.sql("UPDATE fsmd.hosts SET ends = now()", in: address)
    let first = try example.later().restarted { $0.kinds = [ReleasedLamp<UpgradeTests.First>.entry] }
    expectEqual(first.connect("z").journal(), example.journal)
    expectEqual(first.connect().say("worlds").count, 3)
  }

  @Test("up to a checkpoint, though what is before it cannot be played", arguments: Engine.here)
  func checkpoint(engine: Engine) throws {
    let example = try Example(engine, "checkpointInputs=3", "journal=1")
    let survey = try example.survey()
    let last = try #require(example.checkpoints.last { $0 > example.dim })
    expectEqual(survey.checkpoint, last)
    try example.repairing { try $0.run(to: last, as: nil) }
    let daemon = try example.later()
    expectEqual(daemon.connect("z").view(), example.views[last])
    // The journal before it can be read.
    expectEqual(daemon.connect("z").journal(), example.journal.filter { UInt64($0.prefix { $0 != " " }) ?? 0 <= last })
  }

  @Test("of a damage it is said what can be saved, and not that another release could read it")
  func damage() throws {
    let example = try Example()
    try ExportedDatabase.change(
      example.folder.files.database,
      "UPDATE segments SET bytes = zeroblob(length(bytes)) WHERE id = (SELECT max(id) FROM segments)")
    let daemon = try KeptDaemon(example.setup, in: example.folder)
    let answer = daemon.connect("z").ask("list")[0]
    expect(answer, contains: "repair z' says what can be saved")
    expect(!answer.contains("the release that wrote it"), "\(answer)")
    let failure = #expect(throws: StoreFailure.self) { _ = try daemon.history(of: "z").present() }
    expect(failure.map { "\($0)" } ?? "", contains: "'repair' says what can be saved")
  }

  @Test("its journal can be had without being played, as lines and as a database")
  func export() throws {
    let example = try Example()
    let store = try SQLiteReader.open(folder: example.folder.path)
    defer { store.close() }
    let history = try StoredHistory(store, StoreAccess.world("z", in: store), HostedService.catalogue)
    let text = String(decoding: try JournalExport.text(of: history), as: UTF8.self)
    let lines = text.split(separator: "\n").map(String.init)
    expect(lines.contains { $0.hasSuffix(" event=nudge") })
    expect(lines.contains { $0.hasSuffix("event=dim") })
    let file = "\(example.folder.path)/z.sqlite"
    try TableExport.write(history, to: file, release: "0")
    expect(FileManager.default.fileExists(atPath: file))
    #expect(throws: (any Error).self) { try ScriptExport.text(of: history, release: "0") }
  }
}
