import JournalStore
import StateMachines
import TestSupport
import Testing

@testable import SimulationDaemon

/// An intact store from which this program cannot make a world: the reason is reported, and the others are served.
@Suite("Worlds that cannot be brought back")
struct StartFailureTests {
  /// A kind that differs between releases.
  enum Release: CaseIterable {
    case first, later, otherRule, without

    var kinds: [CatalogueEntry] {
      switch self {
      case .first: [.machine(Ticker.kind(named: "relic", "a relic, for tests"))]
      case .later: [.machine(Ticker.kind(named: "relic", version: 2, "a relic, for tests"))]
      case .otherRule:
        [
          .machine(
            Kind(
              Hermit.self, "relic", "a relic that does not move",
              events: [.event(.start, "starts it"), .event(.stop, "stops it")]))
        ]
      case .without: []
      }
    }
  }

  /// A daemon with a relic in its second world, with or without a checkpoint of it.
  private func daemon(hasCheckpoint: Bool) throws -> KeptDaemon {
    var setup = KeptDaemon.Setup(hasCheckpoint ? "checkpointInputs=2" : "checkpointInputs=1000", "journal=1")
    setup.kinds = Release.first.kinds
    let daemon = try KeptDaemon(setup)
    _ = daemon.connect().ask(
      "new power p", "world new z durable=yes", "use z", "new relic r", "send r start", "advance 3s")
    try expect(daemon.store.checkpoints(of: "z").isEmpty != hasCheckpoint)
    return daemon
  }

  @Test(
    "a kind that is gone, of another version or with another rule is named, and all is left as it was",
    arguments: [
      (Release.without, true, "kind 'relic'"), (.without, false, "relic"),
      (.otherRule, true, "relic"), (.otherRule, false, "input 2"),
    ])
  func kinds(release: Release, hasCheckpoint: Bool, words: String) throws {
    let daemon = try daemon(hasCheckpoint: hasCheckpoint)
    let again = try daemon.afterKill { $0.kinds = release.kinds }
    let text = again.connect().say("worlds")[1]
    expect(text, hasPrefix: ". z out-of-service : world z cannot be brought back: ", "\(text)")
    expect(text.contains(words), "\(text)")
    expect(text, contains: "; nothing of it was changed")
    // The right program can load it.
    let back = try again.afterKill { $0.kinds = Release.first.kinds }
    expectEqual(back.connect("z").say("list"), [". r relic running", "+ 1"])
  }

  @Test(
    "a later version of a kind plays what has happened again, since it reads no checkpoint of the earlier one",
    arguments: [false, true])
  func laterVersion(hasCheckpoint: Bool) throws {
    let daemon = try daemon(hasCheckpoint: hasCheckpoint)
    let again = try daemon.afterKill { $0.kinds = Release.later.kinds }
    expectEqual(again.connect("z").say("list"), [". r relic running", "+ 1"])
    expectEqual(again.log.count, (hasCheckpoint ? 1 : 0))
  }

  @Test("settings that are none are shown")
  func settings() throws {
    let folder = TemporaryFolder.inMemory()
    var circumstances = SQLiteStore.Circumstances()
    circumstances.boot = 1
    let store = try SQLiteStore.open(
      folder: folder.path, durability: .batch, writer: StoreWriter(process: 1, socket: ""), circumstances
    ) { _ in }
    try store.create("main", head: 0, moment: 0, settings: Array("clock=sundial".utf8))
    store.close()
    let daemon = try KeptDaemon(in: folder)
    expect(daemon.connect().say("worlds")[0], contains: "its settings are 'clock=sundial'")
    expectEqual(daemon.connect().ask("world new w", "use w", "new power p").last, "+ created p off t=0.000 seq=1")
  }
}

/// A relic's later rule: nothing moves it.
private struct Hermit: Machine {
  enum State: MachineState { case idle, running }
  enum Event: MachineEvent { case start, stop }

  var state = State.idle

  mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> { .ignore }
}
