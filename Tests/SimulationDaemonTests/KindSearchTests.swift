import Simulations
import StateMachines
import TestSupport
import Testing

@testable import SimulationDaemon

@Suite("Kinds by word, form and group, and the page of a machine")
struct KindSearchTests {
  let host = HostedService()

  private func names(_ request: String) -> [String] {
    host.connect(toWorld: "w").say(request).dropLast().map { String($0.split(separator: " ")[1]) }
  }

  @Test("a word is looked for in name, description and origin, whatever its case")
  func word() {
    expectEqual(names("kinds fridge"), ["fridge", "doorFridge", "openFridge", "smartFridge", "chiller"])
    expectEqual(names("kinds CAPS"), ["shiftKey"])
    expectEqual(names("kinds nothingOfTheSort"), [])
    expectEqual(names("kinds \"\""), HostedService.catalogue.entries.map(\.name))
  }

  @Test("a form may be a part of its name; a composition has the forms of its members")
  func form() {
    expectEqual(names("kinds form=hierarchical"), ["chiller"])
    expectEqual(names("kinds form=mvi"), ["mviTrace", "resume", "pagination", "resumeApp"])
    expectEqual(names("kinds form=\"MVI feature\" page"), ["pagination"])
    let guest = host.connect()
    expect(
      guest.say("kinds form=lisp")[0], hasPrefix: "- BAD-ARGUMENT argument=form got=lisp allowed=\"enum and switch,")
  }

  @Test("each kind of the program is in one group")
  func groups() {
    var all: [String] = []
    for group in ["devices", "screens", "services", "text", "frameworks"] { all += names("kinds group=\(group)") }
    expectEqual(all.sorted(), Catalogue.simulations.entries.map(\.name).sorted())
    expectEqual(names("kinds group=text"), ["spamFilter", "regex", "acceptor", "automaton"])
    expectEqual(
      host.connect().say("kinds group=device"),
      [
        "- BAD-ARGUMENT argument=group got=device allowed=devices,screens,services,text,frameworks,documents did-you-mean=devices : there is no group 'device'"
      ])
  }

  @Test("found kinds have their form and group; the whole list has the lines that it had")
  func lines() {
    let guest = host.connect()
    expectEqual(
      guest.say("@k kinds caps"),
      [
        ". @k shiftKey states=3 events=2 timers=1 form=\"enum and switch\" group=devices : Shift and Caps Lock in one key, distinguished by the speed of the taps",
        "+ @k 1",
      ])
    expect(guest.say("kinds").allSatisfy { !$0.contains("group=") && !$0.contains("form=") })
    expectEqual(guest.say("kinds proxy group=services").first { $0.hasPrefix(". proxy") }?.contains("form="), false)
  }

  @Test("what is said of a kind from a document has an end")
  func longName() throws {
    let guest = host.connect(toWorld: "w")
    let document = DefinedKindsTests.toggle.replacing(
      "<scxml ", with: "<scxml name=\"\(String(repeating: "é", count: 60_000))\" ")
    expectEqual(guest.say("define lamp format=scxml bytes=\(document.utf8.count)\n\(document)").last?.first, "+")
    let line = try #require(guest.say("kinds group=documents").first)
    expect(line, hasSuffix: " : " + String(repeating: "é", count: 200))
  }

  @Test("kinds that a world has defined are documents, also under the name of a kind of the program")
  func documents() {
    let guest = host.connect(toWorld: "w")
    let document = DefinedKindsTests.toggle
    _ = guest.say("define lamp format=scxml bytes=\(document.utf8.count)\n\(document)")
    expectEqual(guest.say("kinds group=documents").map { $0.split(separator: " ")[1] }, ["lamp", "1"])
  }

  @Test("describe tells of a machine as of its kind, with the machine's own parameters")
  func machine() throws {
    let guest = host.connect(toWorld: "w")
    _ = guest.say("new shiftKey key doubleTap=2s")
    let (kind, machine) = (guest.say("describe shiftKey"), guest.say("describe key"))
    expectEqual(machine[0], kind[0].replacing(" : ", with: " machine=key : ", maxReplacements: 1))
    expect(machine.contains { $0.hasPrefix(". timer doubleTap after=2") })
    expect(machine.contains { $0.hasPrefix(". parameter doubleTap ") && $0.contains(" made=2") })
    expect(kind.count == machine.count && kind.filter { $0.contains(" made=") }.isEmpty)
    let table = machine.filter { $0.hasPrefix(". table") }
    expect(table.contains { $0.contains("after 2s") }, "\(table)")
    expectEqual(machine.last, "+ \(machine.count - 1)")
  }

  @Test("the name of a kind means the kind; a composed name means its composition")
  func nameOfBoth() {
    let guest = host.connect(toWorld: "w")
    _ = guest.say("new power fridge\nnew phoneCall call")
    expect(guest.say("describe fridge")[0], hasPrefix: ". kind fridge ")
    expectEqual(guest.say("describe call"), guest.say("describe phoneCall"))
    expect(guest.say("describe call.phone")[0], contains: " machine=call.phone : ")
    expect(guest.say("describe nosuch")[0], hasPrefix: "- UNKNOWN-KIND kind=nosuch")
  }

  @Test("a machine with required parameters is described as it was made")
  func required() {
    let guest = host.connect(toWorld: "w")
    _ = guest.say("new acceptor a pattern=ab*")
    let lines = guest.say("describe a")
    expect(lines.contains { $0.hasPrefix(". parameter pattern ") && $0.contains("made=ab*") }, "\(lines)")
  }
}
