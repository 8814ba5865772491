@testable import Scripts
import Simulations
import StateMachines
import TestSupport
import Testing

@testable import SimulationDaemon

/// `coverage` over the protocol.
struct CoverageTests {
  @Test("of one key: the figures, and what was not tried by name")
  func shiftKey() {
    Transcript(
      """
      > coverage
      + 0
      > new shiftKey key
      + created key off t=0.000 seq=1
      > send key tap
      + moved off on t=0.000 seq=2
      > advance 200ms
      + advanced fired=0 t=0.200 seq=2
      > send key tap
      + moved on capsLock t=0.200 seq=3
      > send key character a
      + stayed capsLock t=0.200 seq=4 outputs=text
      > send key tap
      + moved capsLock off t=0.200 seq=5
      > @c coverage
      . @c kind shiftKey machines=1 states=3/3 transitions=3/5 pairs=4/6 timers=0/1 disarmed=1/1 guards=0/1 switches=2/7 unreachable=0 impossible=0
      . @c untried shiftKey transition on off event=tap
      . @c untried shiftKey transition on off event=character
      . @c untried shiftKey pair off character
      . @c untried shiftKey pair on character
      . @c untried shiftKey timer doubleTap expired
      . @c untried shiftKey guard on event=tap lacks=off
      . @c untried shiftKey switch off tap on tap off
      . @c untried shiftKey switch off tap on character off
      . @c untried shiftKey switch on tap off tap on
      . @c untried shiftKey switch on character off tap on
      . @c untried shiftKey switch capsLock tap off tap on
      + @c 12
      > coverage nosuch*
      + 0
      > coverage kind=power
      + 0
      > coverage kind=nosuch
      - UNKNOWN-KIND kind=nosuch : there is no kind 'nosuch'; 'kinds' lists them
      """
    ).expectHolds()
  }

  @Test("a kind's name stands for its machines, unless a machine has or had the name")
  func kindsName() {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play("new shiftKey key", "new power p", "send p buttonClick")
    let figures = guest.say("coverage kind=power")
    expect(figures.count > 1 && guest.say("coverage power") == figures)
    expect(guest.say("coverage shiftKe?") == ["+ 0"] && guest.say("coverage phoneCall") == ["+ 0"])
    _ = guest.play("new shiftKey power")
    let ofMachine = guest.say("coverage power")
    expect(ofMachine[0], hasPrefix: ". kind shiftKey machines=1 ")
    _ = guest.play("drop power")
    expect(guest.say("coverage power")[0], hasPrefix: ". kind shiftKey machines=1 ")
  }

  @Test("all there is to try gives all there is to cover")
  func everything() {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play(
      "new shiftKey key", "send key character a", "send key tap", "send key character a", "send key tap", "advance 1s",
      "send key tap", "send key tap", "send key tap", "send key character a", "send key tap", "send key tap",
      "advance 1s", "send key tap", "send key tap", "send key tap", "send key tap")
    expectEqual(
      guest.say("coverage kind=shiftKey key"),
      [
        ". kind shiftKey machines=1 states=3/3 transitions=5/5 pairs=6/6 timers=1/1 disarmed=1/1 guards=1/1 switches=7/7 unreachable=0 impossible=0",
        "+ 1",
      ])
  }

  /// The script that tries every pair covers every state, pair, transition and choice.
  ///
  /// - Parameter tests: Its lines, which a guest has played in a world without other machines.
  static func expectCovered(_ kind: String, by tests: [String], _ guest: Guest) throws {
    let leavesOut = tests.contains { text in
      ["not at will", "by itself, at once", "while a timer is due"].contains(where: text.hasSuffix)
    }
    let figures = try figures(guest.say("coverage kind=\(kind)"))
    for key in ["states", "transitions", "pairs"] + (leavesOut ? [] : ["timers", "guards"]) {
      let parts = try #require(figures[key]?.split(separator: "/"))
      let (seen, possible) = (Int(parts[0]) ?? 0, Int(parts[1]) ?? 0)
      expect(leavesOut ? seen * 4 >= possible * 3 : seen == possible, "\(kind) \(key)=\(figures[key] ?? "")")
    }
  }

  private static func figures(_ lines: [String]) throws -> [String: String] {
    let line = try #require(lines.first { $0.hasPrefix(". kind ") })
    return Dictionary(
      uniqueKeysWithValues: line.split(separator: " ").filter { $0.contains("=") }.map { word in
        let parts = word.split(separator: "=")
        return (String(parts[0]), String(parts[1]))
      })
  }

  @Test("two machines of a kind count together; a pattern, a kind and a composed kind choose")
  func chosen() throws {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play("new shiftKey a1", "new shiftKey b1", "new power b2", "send a1 tap", "send b1 character x")
    var figures = try Self.figures(guest.say("coverage kind=shiftKey"))
    expect(figures["machines"] == "2" && figures["pairs"] == "2/6" && figures["states"] == "2/3")
    figures = try Self.figures(guest.say("coverage a*"))
    expect(figures["machines"] == "1" && figures["pairs"] == "1/6" && figures["transitions"] == "1/5")
    expectEqual(names(guest.say("coverage")), ["power", "shiftKey"])
    expectEqual(names(guest.say("coverage b?")), ["power", "shiftKey"])
    expectEqual(names(guest.say("coverage b* kind=power")), ["power"])
    _ = guest.play("new phoneCall c")
    expectEqual(names(guest.say("coverage kind=phoneCall")), ["callTracker", "phone"])
    // What a dropped machine has done still counts.
    _ = guest.play("drop a1", "drop b1")
    figures = try Self.figures(guest.say("coverage kind=shiftKey"))
    expect(figures["machines"] == "2" && figures["pairs"] == "2/6")
  }

  private func names(_ lines: [String]) -> [String] {
    lines.filter { $0.hasPrefix(". kind ") }.map { String($0.split(separator: " ")[2]) }
  }

  @Test("a journal that has forgotten its beginning says from where it counts")
  func forgetting() throws {
    var limits = Limits()
    expectNil(limits.set("journal=4"))
    let guest = HostedService(limits: limits).connect(toWorld: "w")
    _ = guest.play("new shiftKey key", "send key character a", "send key tap", "send key tap")
    try expectNil(Self.figures(guest.say("coverage"))["since"])
    _ = guest.play("send key tap", "send key tap")
    let figures = try Self.figures(guest.say("coverage"))
    expect(figures["since"] == "3" && figures["pairs"] == "3/6" && figures["machines"] == "1")
  }

  @Test("the fridge of many regions: each of them, and no more lines than one can read")
  func smartFridge() throws {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play("new smartFridge f", "advance 1h")
    let lines = guest.say("coverage")
    expectEqual(lines.last, "+ \(lines.count - 1)")
    expect(lines.count < 200)
    let figures = try Self.figures(lines)
    // The combinations, and the state without power.
    expect(figures["combinations"] == "6/42" && figures["states"] == "6/43")
    expectNil(figures["switches"])
    expect(lines.contains { $0.hasPrefix(". region smartFridge ") })
    expect(lines.contains { $0.hasPrefix(". more smartFridge pair ") })
    expectEqual(guest.say("coverage"), lines)
  }

  @Test("the same world gives the same lines, whoever asks and whatever was asked before")
  func determinism() {
    func lines(askingBefore: Bool) -> [String] {
      let host = HostedService(graphs: Graphs())
      if askingBefore { _ = host.connect(toWorld: "other").play("new checkinApp c", "coverage", "graph shiftKey") }
      let guest = host.connect(toWorld: "w")
      _ = guest.play("new shiftKey key", "new checkinApp app", "new doorFridge f", "advance 1h", "send key tap")
      let lines = guest.say("coverage")
      expectEqual(host.connect(toWorld: "w").say("coverage"), lines)
      return lines
    }
    expectEqual(lines(askingBefore: false), lines(askingBefore: true))
  }

  @Test("others are served while a long journal is read, and what they do does not count")
  func slices() {
    let host = HostedService()
    let (reader, other) = (host.connect(toWorld: "w"), host.connect(toWorld: "w"))
    for number in 0..<100 { _ = other.say("new power p\(number)") }
    for _ in 0..<500 { _ = other.say("cast * buttonClick") }
    host.round { reader.arrive("coverage\n") }
    expect(reader.isBusy)
    host.round { other.arrive("new shiftKey key\n") }
    expect(other.lines().last, hasPrefix: "+ created key")
    expect(reader.isBusy)
    host.settle()
    let lines = reader.lines()
    expect(names(lines) == ["power"] && lines.first?.contains(" machines=100 ") == true)
  }
}
