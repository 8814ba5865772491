import TestSupport
@testable import Simulator
import StateMachines
import Testing

@Suite("Timers of one name, told apart by keys")
struct KeyedTimerTests {
  private func oven(_ limits: WorldLimits = WorldLimits()) throws -> WorldCore {
    var world = WorldCore(limits: limits)
    try world.make(Oven.kind, "o")
    return world
  }

  private func fired(_ world: borrowing WorldCore) -> [String] {
    world.journal().filter { $0.input == .expiry || $0.input == .fired }
      .map { "\($0.machine).\($0.kind.timers[$0.index].word($0.facts.key)) \($0.moment.text)" }
  }

  @Test("in due order, of equal due times in the order of arming, among those without keys")
  func order() throws {
    var world = try oven()
    world.send("o", "bake", .integer(3), .integer(2_000_000_000))
    world.send("o", "bake", .integer(1), .integer(2_000_000_000))
    world.send("o", "light", .integer(2_000_000_000))
    world.send("o", "bake", .integer(4_294_967_295), .integer(1_000_000_000))
    world.send("o", "bake", .integer(2), .integer(2_000_000_000))
    expectEqual(world.runningTimerCount, 6)
    expectEqual(
      world.runningTimers(of: world.known("o")).map { "\($0.timer) \($0.key)" },
      [
        "1 4294967295", "1 3", "1 1", "0 0", "1 2", "1 7",
      ])
    world.advance(to: 10)
    expectEqual(
      fired(world),
      [
        "o.done(4294967295) 1.000000000", "o.done(3) 2.000000000", "o.done(1) 2.000000000", "o.lamp 2.000000000",
        "o.done(2) 2.000000000", "o.done(7) 7.000000000",
      ])
    expectEqual(world.runningTimerCount, 0)
    expectEqual(world.checkInvariants(), [])
  }

  @Test("the step knows the key, and only that step")
  func keyOfTheStep() throws {
    var world = try oven()
    world.send("o", "light", .integer(8_000_000_000))
    world.advance(to: 10)
    expectEqual(
      world.journalText().suffix(2),
      [
        "3 7.000000000 o expiry done stayed usual usual; key 7; emitted baked [StateMachines.Value.integer(7)]",
        "4 8.000000000 o expiry lamp moved usual usual; emitted baked [StateMachines.Value.integer(0)]",
      ])
  }

  @Test("arming a key that runs replaces that one, and takes a new place among those due together")
  func replacing() throws {
    var world = try oven()
    world.send("o", "bake", .integer(1), .integer(9_000_000_000))
    world.send("o", "bake", .integer(2), .integer(1_000_000_000))
    world.send("o", "bake", .integer(1), .integer(1_000_000_000))
    expectEqual(world.runningTimerCount, 3)
    world.advance(to: 5)
    expectEqual(fired(world), ["o.done(2) 1.000000000", "o.done(1) 1.000000000"])
    expectEqual(world.checkInvariants(), [])
  }

  @Test("disarming stops one of them and leaves when it was due; one that does not run leaves no line")
  func disarming() throws {
    var world = try oven()
    world.send("o", "bake", .integer(1), .integer(1_000_000_000))
    world.send("o", "bake", .integer(2), .integer(1_000_000_000))
    world.send("o", "takeOut", .integer(1))
    expect(world.journalText().last, hasSuffix: "; disarmed done(1) 1.000000000")
    world.send("o", "takeOut", .integer(1))
    expectEqual(world.journalText().last?.contains("disarmed"), false)
    world.advance(to: 5)
    expectEqual(fired(world), ["o.done(2) 1.000000000"])
    expectEqual(world.checkInvariants(), [])
  }

  @Test("a refusal arms and disarms none")
  func refusal() throws {
    var world = try oven()
    world.send("o", "jam")
    expectEqual(world.answer.verdict, .refused)
    expectEqual(world.runningTimers(of: world.known("o")).map(\.key), [7])
    expectEqual(world.checkInvariants(), [])
  }

  @Test("one is fired by hand by its key; a key that does not run refuses, and so does none")
  func byHand() throws {
    var world = try oven()
    let oven = world.known("o")
    world.send("o", "bake", .integer(1), .integer(2_000_000_000))
    world.advance(to: 1)
    world.fire(oven, timer: 1, key: 1)
    expectEqual(
      world.journalText().last,
      "3 1.000000000 o fired done stayed usual usual; due 2.000000000; key 1; "
        + "emitted baked [StateMachines.Value.integer(1)]")
    world.fire(oven, timer: 1, key: 1)
    expectEqual(world.answer.verdict, .refused)
    expectEqual(world.answerDetails.reason, "this timer is not running")
    expectEqual(world.journalText().last, "4 1.000000000 o fired done refused usual usual; key 1")
    world.fire(oven, timer: 1)
    expectEqual(world.answer.verdict, .refused)
    expectEqual(world.runningTimerCount, 1)
    expectEqual(world.firings, 1)
    expectEqual(world.checkInvariants(), [])
  }

  @Test("all die with their machine, and leave those of others alone")
  func dropping() throws {
    var world = try oven()
    try world.make(Oven.kind, "p")
    world.send("o", "fill", .integer(200))
    world.send("p", "fill", .integer(3))
    world.drop("o")
    expectEqual(world.runningTimerCount, 4)
    expectEqual(world.checkInvariants(), [])
    world.advance(to: 9)
    expectEqual(fired(world).map { $0.prefix(10) }, ["p.done(1) ", "p.done(2) ", "p.done(3) ", "p.done(7) "])
    expectEqual(world.agenda.living, 0)
  }

  @Test("the agenda lists them in order, by pattern and with a limit, and knows which still run")
  func agenda() throws {
    var world = try oven()
    try world.make(Oven.kind, "p")
    world.send("p", "light", .integer(1_000_000_000))
    world.send("o", "fill", .integer(2))
    func listed(_ pattern: String, _ limit: Int) -> [String] {
      world.agendaItems(matching: NamePattern(pattern.utf8), limit: limit).map {
        "\(world.name(of: $0.machine)).\(world.kind(of: $0.machine).timers[$0.timer].word($0.key))"
      }
    }
    expectEqual(listed("*", 9), ["p.lamp", "o.done(1)", "o.done(2)", "o.done(7)", "p.done(7)"])
    expectEqual(listed("o", 2), ["o.done(1)", "o.done(2)"])
    let items = world.agendaItems(matching: .all, limit: 9)
    world.send("o", "takeOut", .integer(1))
    world.send("o", "bake", .integer(2), .integer(5))
    let areRunning = items.map { world.isRunning($0) }
    expectEqual(areRunning, [true, false, false, true, true])
  }

  @Test("the dead do not pile up")
  func theDead() throws {
    var world = try oven()
    for number in 0..<5_000 {
      world.send("o", "bake", .integer(number % 10 + 1), .integer(1_000_000_000 + number))
      if number % 3 == 0 { world.send("o", "takeOut", .integer(number % 7 + 1)) }
      try #require(world.agenda.count - world.agenda.living <= world.agenda.living + 1_000)
    }
    expectEqual(world.checkInvariants(), [])
  }

  @Test("a chain of them without time is a livelock that names the key, and disarming that one ends it")
  func livelock() throws {
    var limits = WorldLimits()
    limits.chain = 10
    var world = try oven(limits)
    world.send("o", "spin", .integer(1))
    expectEqual(world.firings, 10)
    let livelock = world.takeLivelock()
    expectEqual(livelock?.chain, .timers(timer: 1, key: 2))
    let hasArrived = world.advance(to: 1)
    expect(!hasArrived)
    world.send("o", "takeOut", .integer(2))
    _ = world.takeLivelock()
    let arrivesNow = world.advance(to: 1)
    expect(arrivesNow)
    expectEqual(world.checkInvariants(), [])
  }

  @Test(
    "a machine has so many and no more; which one was not armed is said, and what runs may be armed anew",
    arguments: [5, 6, 8])
  func limit(trays: Int) throws {
    var limits = WorldLimits()
    limits.keyedTimers = 6
    var world = try oven(limits)
    world.send("o", "fill", .integer(trays))
    // Tray 7 runs since the oven was made.
    expectEqual(world.runningTimerCount, 6)
    let livelock = world.takeLivelock()
    expectEqual((livelock == nil), (trays <= 5))
    if trays == 6 {
      expectEqual(livelock?.chain, .keyedTimers(timer: 1, key: 6))
      expectEqual(livelock?.machine, world.known("o"))
    }
    let isStalled = world.isStalled
    expect(!isStalled)
    world.send("o", "bake", .integer(5), .integer(0))
    world.send("o", "light", .integer(10))
    try world.make(Oven.kind, "p")
    expectNil(world.livelock)
    expectEqual(world.checkInvariants(), [])
    let hasArrived = world.advance(to: 9)
    expect(hasArrived)
    expectEqual(world.runningTimerCount, 0)
  }

  @Test("as many as there may be by default, all at once")
  func many() throws {
    var world = try oven()
    let most = world.limits.keyedTimers
    for tray in 1...most { world.send("o", "bake", .integer(tray), .integer(1_000_000_000)) }
    expectNil(world.livelock)
    world.send("o", "bake", .integer(most + 1), .integer(0))
    let livelock = world.takeLivelock()
    expectEqual(livelock?.chain, .keyedTimers(timer: 1, key: UInt32(most + 1)))
    expectEqual(world.runningTimerCount, most)
    world.advance(to: 1)
    expect(world.firings == most)
    expectEqual(world.runningTimerCount, 0)
    expectEqual(world.checkInvariants(), [])
  }

  /// The timers that should run, by the simplest model.
  private struct Model {
    struct Timer: Equatable {
      let name: String
      var due: Int64
      let order: Int
    }
    var timers: [Timer] = []
    var fired: [String] = []
    var armings = 0

    mutating func arm(_ name: String, _ due: Int64) {
      stop(name)
      armings += 1
      timers.append(Timer(name: name, due: due, order: armings))
    }

    mutating func stop(_ name: String) { timers.removeAll { $0.name == name } }

    mutating func advance(to now: Int64) {
      while let next = timers.min(by: { ($0.due, $0.order) < ($1.due, $1.order) }), next.due <= now {
        stop(next.name)
        fired.append(next.name)
      }
    }
  }

  @Test(
    "random arming, disarming, firing, dropping and time do what a list would do", arguments: Thorough.rounds(0..<60))
  func model(seed: Int) throws {
    var dice = Dice(seed: seed)
    var world = WorldCore()
    var model = Model()
    var ovens: [String] = []
    // Some walks pass the point at which stamps are renewed.
    if seed % 3 == 0 {
      world.armings = Agenda.lastStamp - UInt64(dice.number(0...100))
      world.instantStamp = world.armings
    }
    for number in 0..<200 {
      if ovens.count < 2 || dice.once(in: 25) {
        ovens.append("o\(number)")
        try world.make(Oven.kind, "o\(number)")
        model.arm("o\(number).done(7)", world.now.nanoseconds + 7_000_000_000)
      }
      let oven = dice.one(of: ovens)
      let tray = dice.number(1...5)
      let delay = dice.one(of: [0, 1, 2, 3, dice.number(0...1_000)])
      switch dice.number(0...11) {
      case 0...4:
        world.send(oven, "bake", .integer(tray), .integer(delay))
        model.arm("\(oven).done(\(tray))", world.now.nanoseconds + Int64(delay))
      case 5:
        world.send(oven, "light", .integer(delay))
        model.arm("\(oven).lamp", world.now.nanoseconds + Int64(delay))
      case 6, 7:
        world.send(oven, "takeOut", .integer(tray))
        model.stop("\(oven).done(\(tray))")
      case 8:
        world.fire(world.known(oven), timer: 1, key: UInt32(tray))
        let name = "\(oven).done(\(tray))"
        expectEqual((world.answer.verdict != .refused), model.timers.contains { $0.name == name }, "seed \(seed)")
        if world.answer.verdict != .refused { model.fired.append(name) }
        model.stop(name)
      case 9:
        guard dice.once(in: 6) else { break }
        world.drop(oven)
        ovens.removeAll { $0 == oven }
        model.timers.removeAll { $0.name.hasPrefix("\(oven).") }
      default:
        world.advance(toNanoseconds: world.now.nanoseconds + Int64(dice.number(0...500)))
      }
      model.advance(to: world.now.nanoseconds)
      try #require(world.runningTimerCount == model.timers.count, "seed \(seed), move \(number)")
      try #require(world.checkInvariants() == [], "seed \(seed), move \(number)")
    }
    world.advance(to: 100)
    model.advance(to: world.now.nanoseconds)
    let happened = world.journal().filter { $0.input == .expiry || ($0.input == .fired && $0.verdict != .refused) }
      .map { "\($0.machine).\($0.kind.timers[$0.index].word($0.facts.key))" }
    expectEqual(happened, model.fired, "seed \(seed)")
  }

  @Test(
    "however time is cut, and replayed from its journal, the journal is the same", arguments: Thorough.rounds(0..<40))
  func determinism(seed: Int) throws {
    var script = Script(seed: seed, of: [.machine(Oven.kind), .machine(Relay.kind)], inputs: 100)
    // One that nothing drops, so that something expires.
    script.inputs.insert(
      (.beginning, .create(.machine(Oven.kind), name: "oven", initial: nil, parameters: [[]])), at: 0)
    var limits = Script.limits()
    limits.keyedTimers = 4
    func world(_ cut: Script.Cut) -> [JournalLine] {
      var world = WorldCore(seed: UInt64(seed), limits: limits)
      script.play(into: &world, cut)
      expectEqual(world.checkInvariants(), [], "seed \(seed), \(cut)")
      return world.journal()
    }
    let whole = world(.whole)
    expect(whole.contains { $0.kind === Oven.kind && $0.input == .expiry }, "seed \(seed)")
    expectEqual(world(.pieces(seed: 1)).map(\.text), whole.map(\.text), "seed \(seed)")
    expectEqual(world(.pieces(seed: 2)).map(\.text), whole.map(\.text), "seed \(seed)")
    expectEqual(world(.steps).map(\.text), whole.map(\.text), "seed \(seed)")
    var second = WorldCore(seed: UInt64(seed), limits: limits)
    second.replay(whole)
    Script.advance(&second, to: script.end, .whole)
    expectEqual(second.journalText(), whole.map(\.text), "seed \(seed)")
  }
}
