import JournalStore
import StateMachines
import TestSupport
import Testing

@testable import SimulationDaemon

/// Stores written by an earlier release of a kind: what can be loaded comes back, and the rest is out of service.
@Suite("A later release of a kind")
struct UpgradeTests {
  // MARK: Releases

  enum First: LampRelease {}
  /// The same words at other indices, and new ones among them.
  enum Moved: LampRelease {
    static var states: [String] { ["blue", "lit", "dark"] }
    static var events: [String] { ["flash", "nudge", "dim", "press", "spare"] }
    static var timers: [String] { ["cool", "blink", "burn"] }
    static var outputs: [String] { ["off", "broken", "on", "warm"] }
    static var parameters: [String] { ["colour", "level", "burn"] }
  }
  /// The same words at indices of more than a byte.
  enum Wider: LampRelease {
    private static let others = (0..<300).map { "other\($0)" }
    static var states: [String] { others + ["lit", "dark"] }
    static var events: [String] { ["press"] + others + ["dim", "nudge", "spare"] }
    static var outputs: [String] { others + ["off", "on", "warm"] }
  }
  /// Without unused words.
  enum Leaner: LampRelease {
    static var events: [String] { ["dim", "nudge", "press"] }
    static var outputs: [String] { ["off", "on"] }
  }
  enum LaterVersion: LampRelease { static var version: Int { 2 } }
  enum OtherDefault: LampRelease { static var burn: Nanoseconds { .seconds(1) } }
  enum NoState: LampRelease { static var states: [String] { ["dark", "off"] } }
  enum NoEvent: LampRelease { static var events: [String] { ["press", "nudge"] } }
  enum RenamedEvent: LampRelease { static var events: [String] { ["press", "lower", "nudge"] } }
  enum NoTimer: LampRelease { static var timers: [String] { ["burn"] } }
  enum NoOutput: LampRelease { static var outputs: [String] { ["on", "warm"] } }
  enum NoParameter: LampRelease { static var parameters: [String] { ["burn"] } }
  enum OtherArgument: LampRelease { static var levels: ValueType { .text(bytes: 1...9) } }
  enum OtherRule: LampRelease { static var goesOut: Bool { false } }

  /// The effect of a change to a kind on a world.
  struct Change: CustomTestStringConvertible {
    let testDescription: String
    let entry: CatalogueEntry?
    /// The text in `worlds`, if the world is out of service.
    var reason: String?
    /// The same if the world has a checkpoint, and after it only inputs that every release can play.
    var reasonWithCheckpoint: String?
    /// The log line if the world is loaded from there in another way.
    var detour: String?
  }

  static let changes = [
    Change(testDescription: "nothing", entry: ReleasedLamp<First>.entry),
    Change(testDescription: "words added and in another order", entry: ReleasedLamp<Moved>.entry),
    Change(testDescription: "so many words added that indices are wider", entry: ReleasedLamp<Wider>.entry),
    Change(testDescription: "words removed that were not used", entry: ReleasedLamp<Leaner>.entry),
    Change(
      testDescription: "the version raised", entry: ReleasedLamp<LaterVersion>.entry,
      detour: "world z was replayed from its beginning: "),
    Change(testDescription: "another default", entry: ReleasedLamp<OtherDefault>.entry),
    Change(
      testDescription: "a state removed", entry: ReleasedLamp<NoState>.entry,
      reason: "input 4 has state 'lit' of kind 'lamp', which this release does not have",
      reasonWithCheckpoint: "'lit'"),
    Change(
      testDescription: "an event removed", entry: ReleasedLamp<NoEvent>.entry,
      reason: "input 7 has event 'dim' of kind 'lamp', which this release does not have"),
    Change(
      testDescription: "an event renamed", entry: ReleasedLamp<RenamedEvent>.entry,
      reason: "input 7 has event 'dim' of kind 'lamp', which this release does not have"),
    Change(
      testDescription: "an argument of another type", entry: ReleasedLamp<OtherArgument>.entry,
      reason: "input 7 has event 'dim' of kind 'lamp', which differs in this release: its 'level' takes other values"
    ),
    Change(
      testDescription: "a timer removed", entry: ReleasedLamp<NoTimer>.entry,
      reason: "input 6 has timer 'cool' of kind 'lamp', which this release does not have",
      reasonWithCheckpoint: "timer 'cool'"),
    Change(
      testDescription: "an output removed", entry: ReleasedLamp<NoOutput>.entry,
      reason: "input 6 has output 'off' of kind 'lamp', which this release does not have"),
    Change(
      testDescription: "a parameter removed", entry: ReleasedLamp<NoParameter>.entry,
      reason: "input 2 has parameter 'level' of kind 'lamp', which this release does not have",
      reasonWithCheckpoint: "parameter 'level'"),
    Change(
      testDescription: "another rule", entry: ReleasedLamp<OtherRule>.entry,
      reason:
        "input 11 has another outcome than before, since the rule of kind 'lamp' differs in this release (event 'press')"
    ),
    Change(
      testDescription: "the kind removed", entry: nil,
      reason: "input 1 makes 'lamp', a kind that this release lacks", reasonWithCheckpoint: "'lamp', which is not known"
    ),
  ]

  // MARK: What they do

  /// A daemon whose second world has lamps in all states, with wires, running timers, refusals and undone inputs.
  private func daemon(_ engine: Engine = .sqlite, _ limits: String...) throws -> KeptDaemon {
    var setup = KeptDaemon.Setup()
    setup.engine = engine
    for limit in limits { expectNil(setup.limits.set(limit)) }
    setup.kinds = [ReleasedLamp<First>.entry]
    let daemon = try KeptDaemon(setup)
    let guest = daemon.connect()
    _ = guest.ask(
      "new power p", "send p buttonClick", "world new z durable=yes", "use z", "new lamp l",
      "new lamp m level=5 burn=30s",
      "wire l on m press", "send l press", "advance 30s", "send l dim 2", "send m dim 9", "send l press", "undo",
      "send l press", "send l press", "advance 7s", "send l press", "send l press")
    expect(guest.say("list").count == 3 && guest.say("agenda").count > 1)
    return daemon
  }

  private func restarted(_ daemon: KeptDaemon, _ change: Change) throws -> KeptDaemon {
    try daemon.afterKill { $0.kinds = change.entry.map { [$0] } ?? [] }
  }

  /// Checks what clients see of a world that is out of service.
  private func expectOut(_ daemon: KeptDaemon, _ reason: String, _ place: Comment) {
    let guest = daemon.connect()
    let worlds = guest.say("worlds")
    expectEqual(worlds[0], ". main clock=real t=0.000 seq=2", place)
    expect(worlds[1], hasPrefix: ". z out-of-service : world z cannot be brought back: ", place)
    expect(worlds[1].contains(reason), "\(place): \(worlds[1])")
    let way = "'\(ProgramName.current) repair z' says what this one can save"
    expect(worlds[1].hasSuffix(way) && worlds.count == 3, place)
    expectEqual(
      guest.ask("use z", "world"), Array(repeating: "+ world=z clock=virtual t=0.000 seq=0 service=out", count: 2))
    for request in ["list", "send l press", "new power q", "undo", "journal", "world fork f", "diff main z"] {
      let answer = guest.ask("@t \(request)")
      expect(answer.count == 1 && answer[0].hasPrefix("- @t STORAGE world=z : world z cannot"), "\(place): \(answer)")
    }
    expectEqual(guest.ask("use main", "send p buttonClick").last, "+ moved on off t=0.000 seq=3", place)
    expect(daemon.log.count == 1 && daemon.log[0].hasPrefix("world z is out of service: "), place)
  }

  @Test(
    "is played from the beginning, or the world is out of service with the kind, the word and the input",
    arguments: changes)
  func played(change: Change) throws {
    let daemon = try daemon()
    let again = try restarted(daemon, change)
    if let reason = change.reason {
      expectOut(again, reason, "\(change.testDescription)")
    } else {
      try expectSame(daemon, again, undoing: "undo 3")
    }
    // With the right release it is there, whatever was done to other worlds.
    let first = try again.restarted { $0.kinds = [ReleasedLamp<First>.entry] }
    if change.reason != nil { expectEqual(first.connect("z").view(), daemon.connect("z").view()) }
  }

  @Test("takes over what a checkpoint has by its words, whatever came before it", arguments: Engine.here, changes)
  func checkpointed(engine: Engine, change: Change) throws {
    let daemon = try daemon(engine, "checkpointInputs=4", "journal=1")
    let guest = daemon.connect("z")
    for _ in 0..<8 { _ = guest.ask("send l nudge") }
    let (view, journal) = (guest.view().sorted(), guest.journal())
    let kinds = change.entry.map { [$0] } ?? []
    let again = try engine == .sqlite ? daemon.afterKill { $0.kinds = kinds } : daemon.restarted { $0.kinds = kinds }
    if let reason = change.reasonWithCheckpoint { return expectOut(again, reason, "\(change.testDescription)") }
    let other = again.connect("z")
    expectEqual(other.view().sorted(), view)
    expectEqual(other.journal(), journal)
    if let detour = change.detour { expect(again.log.count == 1 && again.log[0].hasPrefix(detour), "\(again.log)") }
  }

  /// Checks that two daemons have the same world with the same past, and that both continue alike.
  private func expectSame(_ one: KeptDaemon, _ other: KeptDaemon, undoing: String) throws {
    let guests = [one.connect("z"), other.connect("z")]
    expectEqual(other.log, [])
    expectEqual(guests[0].view().sorted(), guests[1].view().sorted())
    expectEqual(guests[0].journal(), guests[1].journal())
    for request in [undoing, "advance 100s", "send l press", "send m dim 5", "step", "drop m"] {
      expectEqual(guests[0].ask(request), guests[1].ask(request), "\(request)")
    }
    expectEqual(guests[0].view().sorted(), guests[1].view().sorted())
    let again = try other.afterKill()
    expectEqual(again.connect("z").view().sorted(), guests[0].view().sorted())
    expectEqual(again.connect("z").journal(), guests[0].journal())
  }

  @Test("gives up what can be undone where only that needs what is gone, and says so")
  func undo() throws {
    let daemon = try daemon(.sqlite, "checkpointInputs=4", "journal=14")
    let guest = daemon.connect("z")
    _ = guest.ask("send l nudge", "send l nudge", "send l nudge", "send l nudge", "send l nudge", "send l nudge")
    let view = guest.view()
    let marks = try daemon.store.checkpoints(of: "z").map(\.sequence)
    expect(marks.count > 1)
    // What lies before the newest checkpoint is needed only for undo.
    let again = try daemon.afterKill { $0.kinds = [ReleasedLamp<NoOutput>.entry] }
    expectEqual(again.connect("z").view(), view)
    expectEqual(again.log.count, 1, "\(again.log)")
    expect(again.log.first, hasPrefix: "nothing up to input \(marks.last ?? 0) of world z can be undone: ")
    expect(again.log.first, contains: "output 'off' of kind 'lamp'")
    // The journal still shows it, in its own words.
    expectEqual(again.connect("z").journal(), guest.journal())
  }

  @Test("is told of in the journal by the words that it had")
  func journal() throws {
    let daemon = try daemon(.sqlite, "checkpointInputs=4", "journal=1")
    let told = daemon.connect("z").journal()
    let again = try daemon.afterKill { $0.kinds = [ReleasedLamp<Moved>.entry] }
    let guest = again.connect("z")
    expectEqual(guest.journal(), told)
    // New lines have today's words, next to the old ones.
    _ = guest.ask("send l flash", "send l press", "advance 61s")
    let later = guest.journal()
    expect(Array(later.prefix(told.count)) == told && later.count > told.count)
    let back = try again.afterKill { $0.kinds = [ReleasedLamp<Moved>.entry] }
    expectEqual(back.connect("z").journal(), later)
    try expectEqual(again.store.kinds(of: "z").map(\.name), ["lamp", "lamp"])
  }

  @Test(
    "can be verified: what an earlier one has stored comes out, by the words of today",
    arguments: [ReleasedLamp<Moved>.entry, ReleasedLamp<OtherDefault>.entry])
  func verified(entry: CatalogueEntry) throws {
    let daemon = try daemon(.sqlite, "checkpointInputs=4")
    daemon.service.release()
    var catalogue = HostedService.catalogue
    catalogue.add(entry)
    let store = try SQLiteReader.open(folder: daemon.folder.path)
    defer { store.close() }
    var stretches = 0
    Verification(try StoredHistory(store, StoreAccess.world("z", in: store), catalogue)).run { stretch in
      stretches += 1
      expect(stretch.isGood, "\(stretch)")
    }
    expect(stretches > 1)
  }

  @Test("a checkpoint after an undo has the document of a kind that was taken back, and its machines")
  func documents() throws {
    func define(_ name: String) -> String {
      "define \(name) format=scxml bytes=\(DefinedKindsTests.toggle.utf8.count)\n\(DefinedKindsTests.toggle)"
    }
    let first = try daemon(.sqlite, "checkpointInputs=4", "journal=30")
    _ = first.connect("z").ask(define("k"), "new k a", "send a press")
    // The next daemon's journal in memory begins after the definition.
    for _ in 0..<40 { _ = first.connect("z").ask("send l nudge") }
    let second = try first.afterKill()
    let guest = second.connect("z")
    _ = guest.ask("drop a", "undefine k")
    for _ in 0..<17 { _ = guest.ask(define("spare")) }
    expect(guest.ask("undo 19").first, hasPrefix: "+ ")
    for _ in 0..<6 { _ = guest.ask("send l nudge") }
    let again = try second.afterKill { $0.kinds = [ReleasedLamp<Moved>.entry] }
    expectEqual(again.log, [])
    let other = again.connect("z")
    expectEqual(other.view().sorted(), guest.view().sorted())
    for request in ["send a press", "new k b", "undefine k", "drop a", "drop b", "undefine k", "undo 2", "redo"] {
      expectEqual(other.ask(request), guest.ask(request), "\(request)")
    }
    expectEqual(other.view().sorted(), guest.view().sorted())
  }

  @Test(
    "documents in each notation are read as they were when they were defined, also in a later release of other kinds",
    arguments: DefinedKindsTests.documents)
  func notations(format: String, document: String, event: String) throws {
    let first = try daemon(.sqlite, "checkpointInputs=4", "journal=30")
    let guest = first.connect("z")
    let define = "define k format=\(format) bytes=\(document.utf8.count)\n\(document)"
    let made = guest.ask(define, "new k a", "send a \(event) isAdmin=off", "send a \(event)").filter {
      $0.hasPrefix("+")
    }
    expectEqual(made.count, 4)
    // Once played from the beginning, and once from a checkpoint.
    for nudges in [0, 8] {
      for _ in 0..<nudges { _ = guest.ask("send l nudge") }
      let again = try first.afterKill { $0.kinds = [ReleasedLamp<Moved>.entry] }
      expectEqual(again.log, [])
      let other = again.connect("z")
      expectEqual(other.view().sorted(), guest.view().sorted())
      expectEqual(other.journal(), guest.journal())
      expectEqual(other.say("describe k"), guest.say("describe k"))
      expectEqual(other.say("graph k format=scxml"), guest.say("graph k format=scxml"))
    }
  }

  @Test("a machine keeps the default that it was made with")
  func defaults() throws {
    let daemon = try daemon()
    let again = try daemon.afterKill { $0.kinds = [ReleasedLamp<OtherDefault>.entry] }
    let guest = again.connect("z")
    _ = guest.ask("new lamp young", "send young press")
    expect(guest.say("agenda young").first, contains: "left=1.000")
    _ = guest.ask("advance 100s", "send l press")
    expect(guest.say("agenda l").first, contains: "left=60.000")
    try expectEqual(again.afterKill().connect("z").say("agenda"), guest.say("agenda"))
  }

  // MARK: One world, and the others

  @Test("main may be out of service: the greeting says so, and other worlds serve")
  func main() throws {
    var setup = KeptDaemon.Setup()
    setup.kinds = [ReleasedLamp<First>.entry]
    let daemon = try KeptDaemon(setup)
    let guest = daemon.connect()
    _ = guest.ask("new lamp l", "world new w durable=yes", "use w", "new power p")
    let again = try daemon.afterKill { $0.kinds = [] }
    let client = again.service.open()
    let greeting = String(decoding: client.session.outbox.unwritten, as: UTF8.self)
    expectEqual(greeting, "+ fsmd protocol=1 version=0.0.0 world=main clock=virtual t=0.000 seq=0 service=out\n")
    let other = again.connect("w")
    expect(other.ask("send p buttonClick", "world new v", "use main", "list")[0], hasPrefix: "+ moved off on")
    expect(other.ask("new power q")[0], hasPrefix: "- STORAGE world=main : ")
    again.pass(10)
    try expectEqual(again.restarted { $0.kinds = setup.kinds }.connect().say("list"), [". l lamp dark", "+ 1"])
  }

  @Test("one that is out of service can be dropped, which whoever runs the daemon is told")
  func drop() throws {
    let daemon = try daemon()
    let again = try daemon.afterKill { $0.kinds = [] }
    let guest = again.connect()
    let user = again.connect("z")
    expectEqual(guest.ask("world drop z"), ["+ dropped z"])
    expect(user.lines(), contains: "! world dropped=z")
    expect(again.log.last, hasPrefix: "world z, which was out of service, was dropped with its ")
    expectEqual(guest.ask("world new z durable=yes", "use z", "new power p").last, "+ created p off t=0.000 seq=1")
  }

  @Test("a start says which worlds came back, and with how many inputs")
  func notes() throws {
    let again = try daemon().afterKill()
    expectEqual(again.notes.count, 2)
    expectEqual(again.notes[0], "world main is back with 2 inputs in 0 ms, the last 2 of them replayed")
    expect(again.notes[1], hasPrefix: "world z is back with ")
  }
}
