import Simulations
import Simulator
import StateMachines
import TestSupport
import Testing

@Suite("An event and what it comes to")
struct EventTests {
  @Test("the four verdicts, each with its number and its states")
  func verdicts() throws {
    var world = WorldCore()
    try world.make(Power.kind, "p")
    try world.make(Relay.kind, "r")
    world.send("p", "buttonClick")
    expectEqual(world.answer.verdict, .moved)
    expect(world.answer.sequence == 3 && world.answer.from == 0 && world.answer.to == 1)
    expectEqual(world.answer.hasDetails, false)
    world.send("p", "set", .flag(true))
    expectEqual(world.answer.verdict, .ignored)
    expect(world.answer.sequence == 4 && world.answer.from == 1 && world.answer.to == 1)
    world.send("r", "pulse")
    expectEqual(world.answer.verdict, .stayed)
    expectEqual(world.answerDetails.outputs, [0])
    world.send("r", "never")
    expectEqual(world.answer.verdict, .refused)
    expectEqual(world.answerDetails.reason, "a relay never does this")
    expectEqual(world.answerDetails.outputs, [])
    expectEqual(world.lastSequence, 6)
  }

  @Test("an answer keeps nothing of the one before")
  func answers() throws {
    var world = WorldCore()
    try world.make(Relay.kind, "r")
    try world.make(Power.kind, "p")
    world.send("r", "say", .text("one"))
    expect(world.answerDetails.dataBefore == nil && world.answerDetails.dataAfter == "one")
    expectEqual(world.answerDetails.outputs, [1])
    world.send("r", "never")
    expectEqual(world.answerDetails.dataAfter, "one")
    world.send("r", "pulse")
    expectNil(world.answerDetails.reason)
    world.send("p", "buttonClick")
    expectEqual(world.answer.hasDetails, false)
    world.send("r", "tell", .text("two"), .integer(3))
    expect(world.answerDetails.dataBefore == "one" && world.answerDetails.dataAfter == "two")
    expectEqual(world.answerDetails.outputs, [2])
    world.drop("p")
    expectEqual(world.answer.hasDetails, false)
    expectEqual(world.answer.sequence, world.lastSequence)
  }

  @Test("what follows through wires and timers is no part of the answer")
  func consequences() throws {
    var world = WorldCore()
    try world.make(Relay.kind, "a", [(1, .interval(.zero))])
    try world.make(Relay.kind, "b")
    try world.wire(world.wire(from: "a.said", to: "b.say"))
    world.send("a", "say", .text("x"))
    expectEqual(world.answer.sequence, 4)
    expectEqual(world.answerDetails.outputs, [1])
    expectEqual(world.state("a"), "idle", "its echo has gone by")
    expectEqual(world.answer.to, 1, "and the answer tells what the event did")
  }

  @Test("arguments stand in the journal, and what was left out too")
  func arguments() throws {
    var world = WorldCore()
    try world.make(Relay.kind, "r")
    world.send("r", "tell", .text("é \"x\""), .integer(7))
    world.send("r", "tell", .text("y"), .none)
    let lines = world.journal()
    expectEqual(lines[1].facts.arguments, [.text("é \"x\""), .integer(7)])
    expectEqual(lines[2].facts.arguments, [.text("y"), .none])
    expect(lines[2].text, contains: "; before é \"x\"; after y; emitted told ")
  }

  @Test("by the words of a request: a machine, a plain event, or nothing done")
  func byWords() throws {
    var world = WorldCore()
    try world.make(ShiftKey.kind, "key")
    func send(_ event: String, to name: String) -> Bool {
      event.bytes { event in name.bytes { world.send(plain: event, to: $0) != nil } }
    }
    expect(send("tap", to: "key"))
    expectEqual(world.answer.verdict, .moved)
    for (event, name) in [
      ("tap", "kez"), ("tap", ""), ("tip", "key"), ("", "key"), ("character", "key"), ("tapp", "key"),
    ] {
      expect(!send(event, to: name), "\(event) \(name)")
    }
    expectEqual(world.lastSequence, 2)
  }
}
