import Simulator
import TestSupport
import Testing

@testable import SimulationDaemon

@Suite("Pointing at a state")
struct PointTests {
  private let host = HostedService()
  private let one: Guest
  private let other: Guest

  init() {
    one = host.connect(toWorld: "w")
    _ = one.play("new shiftKey key", "new power lamp")
    other = host.connect()
    _ = other.say("use w")
  }

  @Test("those who watch the machine hear of it, also with what=moves; nothing else changes")
  func tells() throws {
    _ = one.say("watch key")
    _ = other.say("watch k* what=all")
    let seen = try one.client.hosted.live.world.stateHash
    expectEqual(one.say("@p point key capsLock"), ["* 2 0.000 key pointed capsLock", "+ @p"])
    expectEqual(other.lines(), ["* 2 0.000 key pointed capsLock"])
    try expectEqual(one.client.hosted.live.world.stateHash, seen)
    expectEqual(one.say("journal").last, "+ 2")
    expect(one.say("undo").last, contains: "seq=3")
  }

  @Test("those who watch others, or are in another world, hear nothing")
  func silence() {
    let third = host.connect()
    _ = third.say("watch *")
    _ = other.say("watch lamp")
    expectEqual(one.say("point key on"), ["+"])
    expect(other.lines().isEmpty)
    expect(third.lines().isEmpty)
  }

  @Test(
    "a state is one of the kind, as in other requests",
    arguments: [
      ("point key on", "+"), ("point nokey on", "- UNKNOWN-MACHINE"),
      ("point key onn", "- BAD-ARGUMENT argument=state"),
      ("point", "- USAGE"), ("point key", "- USAGE"), ("point predict=yes", "- USAGE"), ("point key on off", "- USAGE"),
      ("begin\npoint key on\nend", "- BATCH index=1"),
    ])
  func states(request: String, answer: String) {
    expect(one.say(request).last, hasPrefix: answer)
  }

  @Test("a part of a state will do, and comes back as it was written")
  func parts() {
    _ = one.say("new phone p\nwatch p")
    expectEqual(one.say("point p idle").first, "* 3 0.000 p pointed idle")
  }

  @Test("in JSON it is a notice like any other, and a program finds the state in its words")
  func json() {
    _ = one.say("mode json\nwatch key")
    expectEqual(
      one.say("point key on").first, #"{"class":"notice","seq":2,"t":0.000,"name":"key","what":"pointed","state":"on"}"#
    )
  }

  @Test("a text goes to all others who watch in the world, whatever they watch")
  func texts() {
    _ = one.say("watch *")
    _ = other.say("watch lamp")
    let third = host.connect(toWorld: "another")
    _ = third.say("watch *")
    expectEqual(one.say(#"@t point say="What is next?" predict=yes"#), ["+ @t"])
    expectEqual(other.lines(), [#"* 2 0.000 - pointed say="What is next?" predict=yes"#])
    expectEqual(one.say(#"point say="""#), ["+"])
    expectEqual(other.lines(), [#"* 2 0.000 - pointed say="""#])
    expect(third.lines().isEmpty)
    expect(one.say("point say=a predict=maybe").last, hasPrefix: "- BAD-ARGUMENT argument=predict")
    expect(one.say("point key on say=a").last, hasPrefix: "- USAGE")
  }

  @Test("a text that stands is told to those who begin to watch later, once; one that was taken away is not")
  func laterWatchers() {
    _ = one.say(#"point say="What is next?" predict=yes"#)
    let told = #"* 2 0.000 - pointed say="What is next?" predict=yes"#
    expectEqual(other.say("watch lamp"), ["+ watching 1", told])
    expectEqual(other.say("watch key"), ["+ watching 2"])
    let third = host.connect()
    _ = third.say("use w")
    expectEqual(third.say("watch * since=2"), ["* 2 0.000 lamp created power off", "+ watching 1", told])
    _ = one.say(#"point say="""#)
    let fourth = host.connect()
    _ = fourth.say("use w")
    expectEqual(fourth.say("watch *"), ["+ watching 1"])
  }

  @Test("a session that may only look may not point")
  func readOnly() {
    let viewer = host.connect(SessionTerms(mayChange: false))
    _ = viewer.say("use w")
    _ = one.say("watch key")
    expect(viewer.say("point key on").last, hasPrefix: "- READ-ONLY verb=point")
    expect(one.lines().isEmpty)
  }
}
