import Simulator
import StateMachines
import Statecharts
import TestSupport
import Testing

@Suite("Machines from documents in a world")
struct DocumentMachineTests {
  static func kind(_ name: String, _ document: String, limits: StatechartLimits = StatechartLimits()) throws -> Kind {
    switch Definition.compile(Array(document.utf8)) {
    case .definition(let definition, _):
      return Kind(name, version: 1, origin: "a document", try ChartProgram(definition, limits: limits))
    case .mistakes(let findings, let missing):
      throw Mistakes(text: findings.map(\.description).joined(separator: "\n") + missing.joined(separator: ","))
    }
  }

  struct Mistakes: Error {
    let text: String
  }

  static let toggle = """
    <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" initial="off">
      <state id="off"><transition event="press" target="on"/></state>
      <state id="on"><transition event="press" target="off"/><transition event="hold"/></state>
    </scxml>
    """

  static let lamp = """
    <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" initial="dark">
      <datamodel><data id="count" expr="0"/></datamodel>
      <state id="dark">
        <transition event="press" cond="count &lt; 2" target="lit">
          <assign location="count" expr="count + 1"/>
        </transition>
        <transition event="reset"><assign location="count" expr="_event.data.to"/></transition>
      </state>
      <state id="lit">
        <onentry>
          <send id="s" event="burnt" delay="10s"/>
          <send type="output" event="shine"><param name="count" expr="count"/></send>
        </onentry>
        <onexit><cancel sendid="s"/></onexit>
        <transition event="press burnt" target="dark"><log label="out" expr="count"/></transition>
        <transition event="dim.*" target="dark"/>
      </state>
    </scxml>
    """

  static let player = """
    <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">
      <parallel id="both">
        <state id="power" initial="off">
          <state id="off"><transition event="power" target="on"/></state>
          <state id="on"><transition event="power" target="off"/></state>
        </state>
        <state id="mode" initial="radio">
          <state id="radio"><transition event="mode" target="tape"/></state>
          <state id="tape"><transition event="mode" target="radio"/></state>
        </state>
      </parallel>
    </scxml>
    """

  @Test("a kind has the words of its document")
  func words() throws {
    let lamp = try Self.kind("lamp", Self.lamp)
    expectEqual(lamp.states.map(\.word), ["dark", "lit"])
    expectEqual(lamp.events.map(\.name), ["press", "reset", "burnt", "dim", "*"])
    expectEqual(lamp.timers.map(\.name), ["burnt"])
    expectEqual(lamp.outputs.map(\.name), ["log", "shine", "error"])
    expectEqual(lamp.event(named: "dim.slowly")?.place, 4)
    expectNil(lamp.event(named: "unheard"))
    expect(!lamp.hasStatesNamedByData)
    let player = try Self.kind("player", Self.player)
    expectEqual(player.states.map(\.word), ["off", "on", "radio", "tape"])
    expect(player.hasStatesNamedByData)
  }

  @Test("the four verdicts: moved, stayed, ignored with the guard, refused at a limit")
  func verdicts() throws {
    var world = WorldCore()
    try world.make(Self.kind("toggle", Self.toggle), "t")
    world.send("t", "press")
    expect(world.answer.verdict == .moved && world.answer.from == 0 && world.answer.to == 1)
    world.send("t", "hold")
    expectEqual(world.answer.verdict, .stayed)
    world.send("t", "press")
    world.send("t", "hold")
    expectEqual(world.answer.verdict, .ignored)
    expectEqual(world.answer.hasDetails, false)
    try world.make(Self.kind("lamp", Self.lamp), "l")
    for _ in 0..<4 { world.send("l", "press") }
    world.send("l", "press")
    expectEqual(world.answer.verdict, .ignored)
    expectEqual(world.answerDetails.reason, "the guard \"count < 2\" of the transition in line 4 is false")
    world.send("l", "reset", .text(#"{"to":0}"#))
    expectEqual(world.answer.verdict, .stayed)
    world.send("l", "press")
    expectEqual(world.answer.verdict, .moved)
    expectEqual(world.checkInvariants(), [])
  }

  @Test("sends under way are timers of the world, which expire, are fired and are cancelled")
  func timers() throws {
    var world = WorldCore()
    let lamp = try world.make(Self.kind("lamp", Self.lamp), "l")
    world.send("l", "press")
    expectEqual(world.runningTimers(of: lamp).map(\.due.nanoseconds), [10_000_000_000])
    world.send("l", "press")
    expect(world.runningTimers(of: lamp).isEmpty)
    world.send("l", "press")
    var budget = 10
    expectEqual(world.advance(to: .beginning + .seconds(9), budget: &budget), .reached)
    expectEqual(world.state(of: lamp), "lit")
    expectEqual(world.advance(to: .beginning + .seconds(10), budget: &budget), .reached)
    expectEqual(world.state(of: lamp), "dark")
    expectEqual(world.runningTimerCount, 0)
    expectEqual(world.checkInvariants(), [])
  }

  @Test("regions are joined in the order of the document")
  func regions() throws {
    var world = WorldCore()
    let player = try world.make(Self.kind("player", Self.player), "p")
    expectEqual(world.state(of: player), "off+radio")
    world.send("p", "mode")
    expectEqual(world.state(of: player), "off+tape")
    expect(world.answerDetails.dataBefore == "off+radio" && world.answerDetails.dataAfter == "off+tape")
    let kind = world.kind(of: player)
    expectEqual(StateQuery("tape", of: kind)?.matches(world.stateIndex(of: player), data: "off+tape"), true)
    expectEqual(StateQuery("radio", of: kind)?.matches(world.stateIndex(of: player), data: "off+tape"), false)
  }

  @Test("a step over a limit changes nothing, and the world goes on; a start over a limit makes nothing")
  func limits() throws {
    let endless = """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" initial="a">
        <datamodel><data id="n" expr="0"/></datamodel>
        <state id="a">
          <transition event="spin" target="b"><assign location="n" expr="1"/></transition>
          <transition event="rest"/>
        </state>
        <state id="b"><transition target="c"/></state>
        <state id="c"><transition target="b"/></state>
      </scxml>
      """
    var world = WorldCore()
    let machine = try world.make(Self.kind("endless", endless), "e")
    let before = try world.stateHash
    world.send("e", "spin")
    expectEqual(world.answer.verdict, .refused)
    expectEqual(world.answerDetails.exceeded, ExceededLimit(name: "chartSteps", value: 1_000_000))
    expectEqual(world.state(of: machine), "a")
    try expect(world.stateHash != before, "the input has its number")
    world.send("e", "rest")
    expect(world.answer.verdict == .stayed && !world.answer.hasDetails)
    let stuck = endless.replacing("initial=\"a\"", with: "initial=\"b\"")
    let kind = try Self.kind("stuck", stuck)
    let sequence = world.lastSequence
    #expect(throws: WorldCore.CreationFailure.limit(ExceededLimit(name: "chartSteps", value: 1_000_000))) {
      try world.make(kind, "s")
    }
    expect(world.lastSequence == sequence && world.machine("s") == nil)
    expectEqual(world.checkInvariants(), [])
  }

  @Test("data that are logged again and again count each time")
  func loggedData() throws {
    let kind = try Self.kind(
      "parrot",
      """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" initial="a">
        <datamodel><data id="text" expr="'x'"/><data id="n" expr="[1,2,3,4,5,6,7,8,9]"/></datamodel>
        <state id="a">
          <transition event="grow">
            <foreach array="n" item="i"><assign location="text" expr="text + text"/></foreach>
          </transition>
          <transition event="say">
            <foreach array="n" item="i"><foreach array="n" item="j"><log expr="text"/></foreach></foreach>
          </transition>
        </state>
      </scxml>
      """)
    var world = WorldCore()
    try world.make(kind, "p")
    world.send("p", "grow")
    world.send("p", "say")
    expect(world.answer.verdict == .stayed && world.answerDetails.outputs.count == 81)
    world.send("p", "grow")
    world.send("p", "say")
    expectEqual(world.answer.verdict, .refused)
    expectEqual(world.answerDetails.exceeded?.name, "chartBytes")
  }

  @Test("a machine sends to another by name, and is told when there is none")
  func sends() throws {
    let caller = """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" initial="idle">
        <datamodel><data id="who" expr="''"/></datamodel>
        <state id="idle">
          <transition event="call" target="called">
            <send id="it" target="#lamp" event="press"/>
          </transition>
          <transition event="mistake" target="called"><send id="that" targetexpr="'#nobody'" event="press"/></transition>
          <transition event="strange" target="called"><send target="#lamp" event="unheard"/></transition>
        </state>
        <state id="called">
          <transition event="error.communication" target="failed"><assign location="who" expr="_event.sendid"/></transition>
        </state>
        <state id="failed"><transition event="again" cond="who == 'that'" target="idle"/></state>
      </scxml>
      """
    var world = WorldCore()
    let kind = try Self.kind("caller", caller)
    let lamp = try world.make(Self.kind("lamp", Self.lamp), "lamp")
    let first = try world.make(kind, "c")
    world.send("c", "call")
    expect(world.state(of: first) == "called" && world.state(of: lamp) == "lit")
    let second = try world.make(kind, "d")
    world.send("d", "mistake")
    expectEqual(world.state(of: second), "failed")
    world.send("d", "again")
    expectEqual(world.state(of: second), "idle")
    world.send("d", "strange")
    expectEqual(world.state(of: second), "failed")
    let third = try world.make(kind, "p")
    try world.make(Self.kind("toggle", Self.toggle), "t")
    try world.wire(world.wire(from: "lamp.shine", to: "t.press"))
    world.send("lamp", "press")
    world.send("lamp", "press")
    expectEqual(world.state(of: world.known("t")), "on")
    expectEqual(world.state(of: third), "idle")
    let hash = try world.presentHash
    try expectEqual(world.replayed().presentHash, hash)
  }

  @Test("undo, fork, archive and replay: a walk with all of them", arguments: Thorough.rounds(0..<12))
  func walk(seed: UInt64) throws {
    var world = WorldCore(seed: seed)
    let kinds = [
      try Self.kind("toggle", Self.toggle), try Self.kind("lamp", Self.lamp), try Self.kind("player", Self.player),
      try Self.kind(
        "dice",
        """
        <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" initial="wait">
          <datamodel><data id="sum" expr="0"/></datamodel>
          <state id="wait">
            <transition event="roll" target="wait">
              <assign location="sum" expr="sum + Math.floor(Math.random() * 6)"/>
              <send event="roll" delayexpr="(1 + Math.floor(Math.random() * 3)) + 's'"/>
            </transition>
            <transition event="stop" target="over" cond="sum &gt; 5"/>
          </state>
          <final id="over"/>
        </scxml>
        """),
    ]
    var chance = Generator(salt: seed)
    for (place, kind) in kinds.enumerated() {
      for copy in 0..<2 { try world.make(kind, "m\(place).\(copy)") }
    }
    for _ in 0..<120 {
      switch chance.draw(in: 0...9) {
      case 0:
        var budget = 20
        _ = world.advance(to: world.now + .seconds(Int64(chance.draw(in: 1...4))), budget: &budget)
      case 1:
        // There may be nothing left to undo.
        _ = try? world.undo(chance.draw(in: 1...3))
      default:
        let place = chance.draw(in: 0...3)
        let kind = kinds[place]
        let event = chance.draw(in: 0...(kind.events.count - 2))
        let name = "m\(place).\(chance.draw(in: 0...1))"
        if world.machine(name) == nil { try world.make(kind, name) }
        world.send(name, kind.events[event].name)
      }
      try #require(world.checkInvariants() == [], "seed \(seed)")
    }
    let catalogue = Catalogue(kinds.map { .machine($0) })
    let archive = try world.archive()
    let read = try WorldCore(archive: archive, kinds: { catalogue[$0] })
    try expectEqual(read.stateHash, world.stateHash, "seed \(seed)")
    try expectEqual(read.archive(), archive, "seed \(seed)")
    let fork = world.fork()
    try expectEqual(fork.stateHash, world.stateHash, "seed \(seed)")
    try expectEqual(world.replayed().presentHash, world.presentHash, "seed \(seed)")
  }
}

extension WorldCore {
  /// A world to which the journal's outside inputs that were not undone came, one by one.
  fileprivate func replayed() throws -> WorldCore {
    var copy = fork()
    let rewinding = Rewinding(of: copy, to: .moment(now))
    while !rewinding.hasArrived { try rewinding.advance(through: copy, by: 1_000) }
    _ = copy.rewind(rewinding)
    return copy
  }
}
