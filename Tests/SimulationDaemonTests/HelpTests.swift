import LineProtocol
import StateMachines
import TestSupport
import Testing

@testable import SimulationDaemon

@Suite("What the daemon says of itself")
struct HelpTests {
  let host = HostedService()

  /// The page of each kind, by its name.
  private static let pages: [String: [String]] = {
    let guest = HostedService().connect()
    let names = HostedService.catalogue.entries.map(\.name)
    return Dictionary(uniqueKeysWithValues: names.map { ($0, guest.say("describe \($0)")) })
  }()

  @Test("help prints the verb table, and each verb with its example")
  func help() {
    let guest = host.connect()
    let lines = guest.say("help")
    expectEqual(lines.count, VerbEntry.table.reduce(0) { $0 + $1.forms.count } + 1)
    for entry in VerbEntry.table {
      let page = guest.say("@h help \(entry.verb.name)")
      expectEqual(page.last, "+ @h \(entry.forms.count + 1)")
      for (usage, text) in entry.lines { expect(page, contains: ". @h \(usage) : \(text)", "\(entry.verb)") }
      expectEqual(page.dropLast().last, ". @h example : \(entry.example)")
    }
  }

  @Test("every example works where it makes sense", arguments: Verb.allCases)
  func examples(_ verb: Verb) {
    let guest = host.connect(toWorld: "w")
    let needsRealClock = [Verb.speed, .pause, .resume].contains(verb)
    _ = guest.say("new shiftKey key initial=capsLock\nnew power lamp\nworld new lesson\nwatch *")
    if needsRealClock { _ = guest.say("clock real") }
    if verb != .new { _ = guest.say("new fridge f start=4") }
    switch verb {
    case .unwire: _ = guest.say("wire f compressorOn lamp buttonClick")
    case .fire: _ = guest.say("send key tap\nsend key tap")
    case .world: _ = guest.say("world drop lesson")
    case .end, .discard: _ = guest.say("begin")
    case .goto: _ = guest.say("advance 2s")
    case .redo: _ = guest.say("undo")
    case .diff: _ = guest.say("world fork trial")
    case .undefine: _ = guest.say("\(Verb.define.entry.example)\n\(Self.document)")
    case _: break
    }
    let lines = guest.say("@x \(verb.entry.example)" + (verb == .define ? "\n\(Self.document)" : "")).filter {
      !$0.hasPrefix("*")
    }
    expect(lines.contains { $0.hasPrefix("+ @x") }, "\(verb.entry.example): \(lines)")
  }

  /// A document as long as the example of `define` says.
  private static let document: String = {
    let document = DefinedKindsTests.toggle
    return document + String(repeating: " ", count: max(0, 412 - document.utf8.count))
  }()

  @Test("the catalogue names every kind, and a kind's page its every word")
  func kinds() {
    let guest = host.connect()
    let lines = guest.say("kinds")
    expectEqual(lines.last, "+ \(HostedService.catalogue.entries.count)")
    for entry in HostedService.catalogue.entries {
      let row = lines.first { $0.hasPrefix(". \(entry.name) states=") }
      expect(row, hasSuffix: " : \(entry.about)")
      let page = Self.pages[entry.name, default: []]
      expectEqual(page.last, "+ \(page.count - 1)")
      guard case .machine(let kind) = entry else { continue }
      for (section, words) in [
        ("event", kind.events.map(\.name)), ("timer", kind.timers.map(\.name)),
        ("output", kind.outputs.filter { !$0.isTold }.map(\.name)),
        ("told", kind.outputs.filter(\.isTold).map(\.name)), ("reading", kind.readings.map(\.name)),
        ("parameter", kind.parameters.map(\.name) + ["initial"]),
      ] {
        let found = page.filter { $0.hasPrefix(". \(section) ") }.map { String($0.split(separator: " ")[2]) }
        expectEqual(found, words, "\(kind.name) \(section)")
      }
      // A state of several regions is listed by its parts, each once for its region.
      let states = page.filter { $0.hasPrefix(". state ") }.map { String($0.split(separator: " ")[2]) }
      if kind.regions == nil {
        expectEqual(states, kind.states.map(\.word), "\(kind.name)")
      } else {
        expectEqual(
          Set(states), Set(kind.states.flatMap { $0.word.split(separator: "+").map(String.init) }), "\(kind.name)")
      }
    }
  }

  @Test("a page has the table, or says where a large one is to be seen")
  func tables() {
    func table(_ kind: String) -> [String] { Self.pages[kind, default: []].filter { $0.hasPrefix(". table") } }
    expectEqual(
      table("smartFridge"),
      [
        ". table : 55 states of 6 + 3 + 3, and 1 outside them, and 22 inputs: 'graph smartFridge' shows what comes of each"
      ])
    for entry in HostedService.catalogue.entries {
      guard case .machine(let kind) = entry, kind.name != "smartFridge" else { continue }
      expect(table(kind.name).count > 1, "\(kind.name)")
    }
  }

  @Test("a kind's defaults and ends of ranges, as described, are what new takes")
  func describedValues() {
    let guest = host.connect(toWorld: "w")
    for entry in HostedService.catalogue.entries {
      let parameters = Self.pages[entry.name, default: []].compactMap { ServerLine($0) }
        .filter { $0.words.first == "parameter" }
      let required = parameters.compactMap { line in line["required"].map { " \(line.words[1])=\($0)" } }.joined()
      for line in parameters {
        guard let standard = line["default"] else { continue }
        let request = "new \(entry.name) x \(line.words[1])=\(standard)\(required)"
        expect(guest.say(request).last, hasPrefix: "+ created x", "\(request)")
        _ = guest.say("drop x")
      }
    }
  }

  @Test("counters count")
  func stats() {
    let (one, other) = (host.connect(), host.connect())
    _ = one.say("new shiftKey k\nsend k tap\nnew shiftKey b\nwire b text k character\nworld new w seed=9")
    host.passTime(2)
    let counters = other.say("@s stats").filter { !$0.hasPrefix(". @s memory") && !$0.hasPrefix(". @s resident") }
    expectEqual(
      counters,
      [
        ". @s uptime 2.000 s", ". @s clients 2 connections", ". @s connections 2 since-start",
        ". @s requests 6 since-start", ". @s gaps 0 since-start", ". @s worlds 2 worlds",
        ". @s machines 2 in-this-world", ". @s wires 1 in-this-world", ". @s timers 0 running",
        ". @s firings 1 since-start", ". @s inputs 5 since-start", ". @s journalFrom 1 seq",
        ". @s journalBytes 65536 bytes", ". @s checkpoints 0 kept", ". @s checkpointBytes 0 bytes",
        ". @s seed 0 of-this-world", ". @s lateness 0.000 s", "+ @s 30",
      ])
    _ = other.say("new shiftKey k2\nsend k2 tap")
    host.passTimeLate(1_000_000_000)
    expect(other.say("stats"), contains: ". lateness 0.650 s")
    expect(one.say("use w\nstats"), contains: ". seed 9 of-this-world")
  }
}
