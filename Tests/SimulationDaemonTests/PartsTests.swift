import Foundation
import Simulations
import StateMachines
import TestSupport
import Testing

@testable import SimulationDaemon

@Suite("The parts of a feature, drawn")
struct PartsTests {
  private let guest = HostedService().connect(toWorld: "w")

  private func text(_ request: String) -> String {
    guest.say(request).dropLast().map { $0.dropFirst(2) }.joined(separator: "\n")
  }

  @Test("every format draws the parts and what flows, or says which formats do")
  func formats() throws {
    for format in ["table", "dot", "mermaid", "stateDiagram", "plantuml", "json"] {
      let drawn = text("graph resume show=parts format=\(format)")
      for word in ["bootstrapper", "postProcessor", "newsPublisher", "changedOutside", "markViewed", "closeScreen"] {
        expect(drawn.contains(word), "\(format) has no \(word)")
      }
      expect(!drawn.contains("loading"), "\(format) draws states")
    }
    for format in ["tests", "scxml"] {
      expect(
        guest.say("graph resume show=parts format=\(format)")[0],
        hasPrefix:
          "- BAD-ARGUMENT argument=format got=\(format) allowed=table,dot,mermaid,stateDiagram,plantuml,svg,json : ")
    }
  }

  @Test("json has the parts and the flows in the order of a turn")
  func json() throws {
    let parsed = try JSONSerialization.jsonObject(with: Data(text("graph mviTrace show=parts format=json").utf8))
    let object = try #require(parsed as? [String: Any])
    expectEqual(object["name"] as? String, "mviTrace")
    let flows = try #require(object["flows"] as? [[String: Any]])
    expect(flows.first?["what"] as? String == "wish" && flows.first?["to"] as? String == "actor")
    expectEqual((flows.first?["names"] as? [String])?.first, "I")
  }

  @Test("a machine stands for its kind; what is no feature has no parts")
  func subjects() {
    _ = guest.say("new pagination p")
    expectEqual(text("graph p show=parts"), text("graph pagination show=parts"))
    _ = guest.say("new resumeApp a")
    let refusal =
      " has no parts; these kinds have: mviTrace, resume, pagination"
    for (name, other) in [("fridge", ""), ("resumeApp", ",members"), ("a", ",members")] {
      let line = guest.say("graph \(name) show=parts")[0]
      expect(line, hasPrefix: "- BAD-ARGUMENT argument=show got=parts allowed=plain,usual,all\(other) : ", "\(line)")
      expect(line, hasSuffix: "is no MVI feature, so it" + refusal, "\(line)")
    }
    // What is allowed instead is allowed for this kind.
    expect(guest.say("graph mviTrace show=members")[0], contains: " got=members allowed=plain,usual,all,parts : ")
    expect(guest.say("graph nothing show=parts")[0], hasPrefix: "- UNKNOWN-MACHINE machine=nothing")
    for (name, allowed) in [
      ("fridge", "plain,usual,all"), ("p", "plain,usual,all,parts"), ("a", "plain,usual,all,members"),
    ] {
      expectEqual(
        guest.say("graph \(name) show=some")[0],
        "- BAD-ARGUMENT argument=show got=some allowed=\(allowed) : show is one of \(allowed)")
    }
  }

  @Test("show=members draws a composition as boxes and wires, of a made one what is left of it")
  func members() throws {
    func object(_ request: String) throws -> (members: [[String: String]], wires: [[String: String]]) {
      let parsed = try JSONSerialization.jsonObject(with: Data(text(request).utf8)) as? [String: Any]
      return try (
        #require(parsed?["members"] as? [[String: String]]), #require(parsed?["wires"] as? [[String: String]])
      )
    }
    let all = try object("graph phoneCall show=members format=json")
    expectEqual(all.members, [["name": "tracker", "kind": "callTracker"], ["name": "phone", "kind": "phone"]])
    expectEqual(all.wires.first, ["from": "tracker", "output": "open", "to": "phone", "event": "openTel"])
    _ = guest.say("new phoneCall c")
    _ = guest.say("unwire c.tracker open c.phone openTel")
    try expectEqual(object("graph c show=members format=json").wires, Array(all.wires.dropFirst()))
    _ = guest.say("drop c.phone")
    let left = try object("graph c show=members format=json")
    expect(left.members == [all.members[0]] && left.wires.isEmpty)
    for format in ["table", "dot", "mermaid", "stateDiagram", "plantuml"] {
      let drawn = text("graph phoneCall show=members format=\(format)")
      expect(drawn.contains("openTel") && !drawn.contains("foreground+"), "\(format)")
    }
    expect(guest.say("graph fridge show=members")[0], hasPrefix: "- BAD-ARGUMENT argument=show got=members ")
    expect(guest.say("graph phoneCall show=members format=tests")[0], hasPrefix: "- BAD-ARGUMENT argument=format ")
  }

  @Test("the picture on the page about forms is what graph draws")
  func page() throws {
    let blocks = try Document("Docs/Forms.md").blocks(marked: "mermaid")
    expectEqual(blocks.first?.lines.joined(separator: "\n"), text("graph resume show=parts format=mermaid"))
  }

  @Test("the legend of the call tracker is in its description, and its signs are in its pictures but the plain one")
  func legend() {
    let page = guest.say("describe callTracker")
    expect(page, contains: ". legend custom phoneTapped openFailed waiting")
    expect(page.contains { $0.hasPrefix(". legend system willResignActive") })
    expect(page.contains { $0.hasPrefix(". reason : the system does not say whether Call or Cancel") })
    // A state diagram can be loaded again, so its events have no signs.
    let diagram = text("graph callTracker format=stateDiagram")
    expect(diagram.contains("%% events: custom: phoneTapped, openFailed, waiting; system: ") && !diagram.contains("◆"))
    for format in ["dot", "mermaid", "plantuml"] {
      let drawn = text("graph callTracker format=\(format)")
      expect(drawn.contains("◆ phoneTapped") && drawn.contains("◇ didBecomeActive"), "\(format)")
      expect(drawn, contains: "◆ custom, ◇ system", "\(format)")
      expect(!text("graph callTracker show=plain format=\(format)").contains("◆"), "\(format)")
    }
    expect(text("graph callTracker"), contains: "custom: phoneTapped, openFailed, waiting")
    expect(!text("graph phone format=dot").contains("◆"))
  }

  @Test("describe leads to the source of a kind, and says why a kind is as it is")
  func sources() {
    expect(guest.say("describe fridge").contains { $0.hasPrefix(". origin source=article : ") })
    expect(guest.say("describe proxy").contains { $0.hasPrefix(". origin source=talk : ") })
    expect(guest.say("describe employees").contains { $0.hasPrefix(". reason : a state object calls the service") })
    expect(!guest.say("describe power").contains { $0.hasPrefix(". reason") })
  }
}

@Suite("Options of composed kinds")
struct CompositionOptionTests {
  private let guest = HostedService().connect(toWorld: "w")

  @Test("an option decides the members; a wrong one is refused with what is allowed")
  func members() {
    expect(guest.say("new proxy p")[0], hasPrefix: "+ created p members=9 ")
    expect(guest.say("new proxy q clients=1")[0], hasPrefix: "+ created q members=5 ")
    let app = guest.say("new resumeApp a outside=on mode=faithful list.latency=2s")
    expect(app[0], hasPrefix: "+ created a members=4 ")
    expectEqual(
      guest.say("new proxy r clients=17")[0],
      "- BAD-ARGUMENT argument=clients got=17 allowed=1..16 : clients is 1..16, not '17'")
    expect(guest.say("new proxy r cleints=3")[0], contains: "did-you-mean=clients")
    expect(guest.say("new proxy r http-3.keepAlive=1s")[0], hasPrefix: "- BAD-ARGUMENT argument=http-3.keepAlive")
    expect(guest.say("new proxy r clients=3 http-3.keepAlive=1s")[0], hasPrefix: "+ created r members=13 ")
    expect(guest.say("graph a format=json").contains { $0.contains("listChanged") })
  }

  @Test("describe names the options, and the members of the defaults")
  func described() {
    let page = guest.say("describe resumeApp")
    expect(page[0], hasPrefix: ". kind resumeApp members=3 options=mode,outside : ")
    expect(page.contains { $0.hasPrefix(". parameter outside type=flag default=off allowed=") })
    expect(!page.contains { $0.hasPrefix(". member server") })
    expect(guest.say("describe phoneCall")[0], hasPrefix: ". kind phoneCall members=2 : ")
  }

  @Test("a batch is checked with the members that an option adds")
  func batch() {
    let lines = guest.say("begin\nnew proxy p clients=3\nsend p.http-3 line x\nend")
    expect(lines.last, hasPrefix: "+", "\(lines)")
  }

  @Test("a world as a script makes the same members again")
  func script() {
    _ = guest.say("new proxy p clients=3")
    _ = guest.say("send p.supervisor accept 80")
    let script = guest.say("script")
    expect(script.contains { $0.hasSuffix("new proxy p clients=3") }, "\(script)")
  }
}
