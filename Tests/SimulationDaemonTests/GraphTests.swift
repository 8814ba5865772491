@testable import Scripts
import Glibc
import LineProtocol
import Simulations
import StateMachines
import TestSupport
import Testing

@testable import SimulationDaemon

/// `graph` over the protocol, and the paths in refusals.
struct GraphTests {
  static let names = Catalogue.simulations.entries.map(\.name)

  @Test("a picture leads where its size suggests, or where it is asked to")
  func wishedDirection() {
    let guest = HostedService().connect(toWorld: "w")
    func leads(_ request: String, _ word: String) -> Bool { guest.say(request).contains { $0.contains(word) } }
    expect(leads("graph shiftKey format=dot", "rankdir=LR") && leads("graph smtp format=dot", "rankdir=TB"))
    expect(leads("graph shiftKey format=dot direction=down", "rankdir=TB"))
    expect(leads("graph smtp format=dot direction=right", "rankdir=LR"))
    expect(leads("graph shiftKey format=stateDiagram direction=down", "direction TB"))
    expect(leads("graph phoneCall format=mermaid direction=right", "graph LR"))
    expect(leads("graph shiftKey direction=up", "- BAD-ARGUMENT argument=direction got=up allowed=down,right"))
  }

  @Test("the columns of a table stand below each other where characters are wide")
  func wideTable() {
    let guest = HostedService().connect(toWorld: "w")
    let document = """
      stateDiagram-v2
        [*] --> 关闭
        关闭 --> 打开着 : 按
        打开着 --> 关闭 : 按
        关闭 --> plain : push

      """
    _ = guest.say("define lamp format=mermaid bytes=\(document.utf8.count)\n\(document)")
    expectEqual(
      guest.say("graph lamp").prefix(5),
      [
        ".   state   按        push",
        ".   ------  --------  -------",
        ".   关闭    → 打开着  → plain",
        ".   打开着  → 关闭    ignored",
        ".   plain   ignored   ignored",
      ])
  }

  @Test("of a machine that only time moves no pairs are counted")
  func noEvents() {
    let guest = HostedService().connect(toWorld: "w")
    let document = "stateDiagram-v2\n[*] --> dark\ndark --> lit : after 5s\nlit --> dark : after 5s\n"
    _ = guest.say("define lamp format=mermaid bytes=\(document.utf8.count)\n\(document)")
    let lines = guest.say("graph lamp")
    expect(lines.contains(". 2 states, no event") && !lines.contains { $0.contains("pairs") }, "\(lines)")
  }

  @Test("the work for a picture grows with its states and arrows, not with their product")
  func largePictures() {
    let guest = HostedService().connect(toWorld: "w")
    func define(_ name: String, states: Int) {
      let states = (0..<states).map { state in
        let moves = (0..<6).map { "<transition event=\"e\($0)\" target=\"s\((state * $0 + 1) % states)\"/>" }
        return
          "<state id=\"s\(state)\"><onentry><send event=\"t\(state % 3)\" delay=\"1s\"/></onentry>\(moves.joined())"
          + "<transition event=\"f\(state % 20)\"/><transition event=\"t\(state % 3)\" target=\"s0\"/></state>"
      }
      let document =
        "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\" initial=\"s0\">\(states.joined())</scxml>"
      expectEqual(guest.say("define \(name) format=scxml bytes=\(document.utf8.count)\n\(document)").count, 1)
      _ = guest.say("graph \(name)")  // Explores it.
    }
    /// The processor time of this thread for a request, in nanoseconds.
    func time(_ request: String) -> Int {
      func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
      }
      let start = now()
      expect(guest.say(request).last, hasPrefix: "+ ")
      return now() - start
    }
    let states = Thorough.rounds(60, atLeast: 40)
    define("small", states: states)
    define("large", states: 5 * states)
    for format in ["dot", "mermaid", "stateDiagram", "plantuml", "json"] {
      for detail in ["plain", "all"] {
        let small = (0..<2).map { _ in time("graph small format=\(format) show=\(detail)") }.min() ?? 0
        var large = Int.max
        // Again, if something else has taken the time.
        for _ in 0..<3 where large >= 12 * small {
          large = min(large, time("graph large format=\(format) show=\(detail)"))
        }
        expect(large < 12 * small, "\(format) show=\(detail): \(small) and \(large) ns")
      }
    }
  }

  private static func chart(_ states: some Sequence<String>) -> String {
    "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\">\(states.joined())</scxml>"
  }

  @Test("a diagram is explored and drawn without the world, which others use meanwhile")
  func withoutWorld() {
    let threads = HeldWorkers()
    let host = HostedService(graphs: Graphs(), workers: threads.workers())
    let (guest, other) = (host.connect(), host.connect())
    // The only worker waits for the test.
    host.round { guest.arrive("graph fridge\n") }
    expect(guest.isBusy && host.service.main.home != nil)
    expect(other.say("new power p").last, hasPrefix: "+ created p")
    threads.letGo()
    while guest.isBusy { threads.round(host) }
    expect(guest.lines().last, hasPrefix: "+ ")
  }

  @Test("so many pairs of state and event are tried, and no more")
  func manyPairs() {
    expect(RequestContext.mayExplore(states: 1_000, events: 1_000))
    expect(!RequestContext.mayExplore(states: 1_000, events: 1_001))
    expect(!RequestContext.mayExplore(states: 2_001, events: 1))
  }

  @Test("tests with more lines than the limit are not written: each has the whole way to its state")
  func manyTests() {
    let guest = HostedService().connect(toWorld: "w")
    for (states, isShort) in [(690, true), (720, false)] {
      let chart = Self.chart(
        (0..<states).map {
          "<state id=\"s\($0)\"><transition event=\"e\" target=\"s\(min($0 + 1, states - 1))\"/></state>"
        })
      _ = guest.say("define k format=scxml bytes=\(chart.utf8.count)\n\(chart)")
      let lines = guest.say("graph k format=tests")
      let end = isShort ? "+ \(lines.count - 1)" : "- LIMIT name=testLines value=250000 : "
      expect(lines.last?.hasPrefix(end) == true && (isShort || lines.count == 1), "\(lines.last ?? "")")
    }
  }

  @Test("the coverage of a kind that is too large for a diagram is that of what was seen, and partial")
  func coverageOfMany() {
    let guest = HostedService().connect(toWorld: "w")
    for (states, isDrawn) in [(2_000, true), (2_001, false)] {
      let chart = Self.chart(
        (0..<states).map { "<state id=\"s\($0)\"><transition event=\"e\" target=\"s\(($0 + 1) % states)\"/></state>" })
      _ = guest.say("define k\(states) format=scxml bytes=\(chart.utf8.count)\n\(chart)")
      _ = guest.say("new k\(states) m\(states)")
      let line = guest.say("coverage m\(states)").first ?? ""
      expect(
        line.contains(isDrawn ? " states=1/2000 " : " states=1/1 ") && line.hasSuffix(" graph=partial") != isDrawn,
        "\(line)")
    }
  }

  @Test("each line of a diagram is a line of data as it stands, and their number ends it")
  func wire() {
    Transcript(
      """
      > graph doorFridge format=mermaid show=plain
      . graph TB;
      . cooling --minTemperatureReached--> waiting;
      . cooling --doorOpened--> waiting;
      . waiting --maxTemperatureReached--> cooling;
      + 4
      > @a graph doorFridge format=dot show=plain
      . @a digraph {
      . @a     graph [rankdir=LR]
      . @a 
      . @a     0 [label="", shape=plaintext]
      . @a     0 -> 1 [label="START"]
      . @a 
      . @a     1 [label="cooling"]
      . @a     2 [label="waiting"]
      . @a 
      . @a     1 -> 2 [label="minTemperatureReached"]
      . @a     1 -> 2 [label="doorOpened"]
      . @a     2 -> 1 [label="maxTemperatureReached"]
      . @a }
      + @a 13
      > graph fridge format=mermaid show=plain
      . graph TB;
      . cooling --minTemperatureReached--> waiting;
      . waiting --maxTemperatureReached--> cooling;
      + 3
      """
    ).expectHolds()
  }

  @Test("of a machine, the present state is marked, and what is possible now")
  func machine() {
    Transcript(
      """
      > new shiftKey key doubleTap=1s
      + created key off t=0.000 seq=1
      > send key tap
      + moved off on t=0.000 seq=2
      > graph key
      .   state     tap                          character  doubleTap
      .                                                     after 1s
      .   --------  ---------------------------  ---------  ---------
      .   off       → on                         ⟲          –
      . > on        [window open]: → capsLock *  → off *    ⟲ *
      .             [not window open]: → off
      .   capsLock  → off                        ⟲          –
      . 
      . 3 states, 2 events: 6 pairs, 5 transitions
      . 6 pairs with the classes of data: 4 move, 2 stay
      . ⟲ handled within the state; – does not run; * possible now; > present state
      + 11
      > graph key format=mermaid show=plain
      . graph TB;
      . off --tap--> on;
      . on --tap--> off;
      . on --tap--> capsLock;
      . on --character--> off;
      . capsLock --tap--> off;
      . style on stroke-width:4px;
      + 7
      """
    ).expectHolds()
  }

  @Test("only the arrow that would be taken now is possible, of those that guards tell apart")
  func possible() {
    let guest = HostedService().connect(toWorld: "w")
    for request in ["new shiftKey key", "send key tap"] { _ = guest.say(request) }
    func possible() -> [String] {
      guest.say("graph key format=dot").filter { $0.contains(" -> ") && $0.contains("penwidth=3") }.map {
        $0.split(separator: "\"")[1].description
      }
    }
    expectEqual(possible(), ["tap [window open]", "character / text"])
    _ = guest.say("advance 350ms")
    expectEqual(possible(), ["tap [not window open]\\ncharacter / text"])
    // What is only ignored is not possible.
    _ = guest.say("new doorFridge cold")
    expect(!guest.say("graph cold").contains { $0.contains("ignored *") })
  }

  @Test("a picture reads from left to right if it is small")
  func direction() {
    let guest = HostedService().connect(toWorld: "w")
    for (name, direction) in [("power", "LR"), ("job", "TB"), ("resumeApp", "TB"), ("checkinApp", "TB")] {
      expect(guest.say("graph \(name) format=dot").contains { $0.contains("rankdir=\(direction)") }, "\(name)")
    }
  }

  @Test("in a large composition members stand beside those from which wires lead to them")
  func largeCompositions() {
    let guest = HostedService().connect(toWorld: "w")
    let wires = guest.say("graph proxy format=dot").filter { $0.contains("lhead=cluster_") }
    expectEqual(wires.count, 16)
    expect(wires.allSatisfy { $0.contains("minlen=9") }, "\(wires)")
    expect(wires.allSatisfy { $0.contains("dir=back") == $0.contains(#"label="ended""#) }, "\(wires)")
    let app = guest.say("graph checkinApp format=dot").filter { $0.contains(#"label="refresh\nlogout""#) }
    expect(app.count == 2 && app.allSatisfy { $0.contains("constraint=false") }, "\(app)")
    for request in ["graph phoneCall format=dot", "graph proxy format=dot show=plain"] {
      expect(!guest.say(request).contains { $0.contains("minlen") || $0.contains("dir=back") }, "\(request)")
    }
  }

  @Test(
    "a move that all states have is drawn once, of nine from a node for all; regions lose nothing by it")
  func hubs() {
    let guest = HostedService().connect(toWorld: "w")
    let lines = guest.say("graph smtp format=dot")
    expectEqual(lines.count { $0.contains("sessionTimeout") }, 1)
    for count in [8, 9] {
      let stops = (1...count).map { "s\($0) --> s1 : stop\n" }.joined()
      let moves = (1..<count).map { "s\($0) --> s\($0 + 1) : go\n" }.joined() + stops
      let document = "stateDiagram-v2\n[*] --> s1\n\(moves)"
      _ = guest.say("define ring\(count) format=mermaid bytes=\(document.utf8.count)\n\(document)")
      let ring = guest.say("graph ring\(count) format=dot")
      expectEqual(ring.count { $0.contains("\"stop\"") }, 1, "\(count)")
      expectEqual(
        ring.contains(".     any_state [label=\"any state\", style=\"rounded,dashed\"]"), (count == 9), "\(count)")
    }
    let fridge = guest.say("graph smartFridge format=dot")
    expectEqual(fridge.count { $0.contains("\"powerLost") }, 1, "whatever the state of the compressor is")
    // A program gets each of them.
    expect(guest.say("graph smtp format=json").count { $0.contains("sessionTimeout") } > 5)
  }

  @Test("a composed name has the diagram of its kind")
  func composedName() {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.say("new phoneCall c")
    expectEqual(guest.say("graph c format=dot show=plain").contains(". subgraph cluster_0 {"), false)
    let made = guest.say("graph c format=json")
    expectEqual(made.first, ". {\"name\":\"c: phoneCall\",")
    expectEqual(
      made.count { $0.contains("\"current\":true") }, 4, "the tracker's state, and the phone's in each region")
    // It takes precedence over a kind with the same name, as a machine does.
    _ = guest.say("new phoneCall power")
    expectEqual(guest.say("graph power format=json").first, ". {\"name\":\"power: phoneCall\",")
  }

  @Test("what has no diagram is told")
  func failures() {
    Transcript(
      """
      > graph nosuch
      - UNKNOWN-MACHINE machine=nosuch : there is neither a machine nor a kind 'nosuch'; 'list' and 'kinds' show them
      > graph fridgf
      - UNKNOWN-MACHINE machine=fridgf did-you-mean=fridge : there is neither a machine nor a kind 'fridgf'; 'list' and 'kinds' show them
      > graph fridge format=png
      - BAD-ARGUMENT argument=format got=png allowed=table,dot,mermaid,stateDiagram,plantuml,svg,json,tests,scxml : format is one of table,dot,mermaid,stateDiagram,plantuml,svg,json,tests,scxml
      > graph
      - USAGE : graph is used as 'graph KIND|NAME [format=table|dot|mermaid|stateDiagram|plantuml|svg|json|tests|scxml] [show=plain|usual|all|parts|members] [width=N] [direction=down|right] [present=yes|no]'
      """
    ).expectHolds()
  }

  @Test("a picture is not drawn between begin and end, where others would have to wait")
  func batch() {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play("begin", "graph power format=mermaid", "graph power format=svg")
    let lines = guest.say("end")
    expectEqual(
      lines.suffix(2),
      [
        "- USAGE : 'graph … format=svg' cannot stand between 'begin' and 'end'",
        "- BATCH index=2 : line 2 failed; what was done before it stays",
      ])
  }

  @Test("a machine goes before a kind of its name")
  func sameName() {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.say("new power fridge")
    let arrow = guest.say("graph fridge format=mermaid show=plain").first { $0.contains("-->") }
    expect(arrow, contains: "buttonClick")
  }

  /// The kinds of which graphs are asked for in objects, too: these are made of any lines in one way.
  private static let asObjects = Set(Thorough.some(of: names))

  /// One test, so that a kind is explored, drawn and written as tests once.
  @Test("every kind in every form that needs no other program; lines and objects say the same", arguments: names)
  func everyKind(name: String) throws {
    let host = HostedService()
    let (guest, objects) = (host.connect(toWorld: "w"), host.connect())
    _ = objects.say("mode json")
    func lines(of request: String) -> [String] {
      let lines = guest.say(request)
      if request.contains(" show=") || request.hasPrefix("graph ") && !Self.asObjects.contains(name) { return lines }
      let came = objects.say(request)
      expectEqual(came.map(textLine), lines, "\(request)")
      expectEqual(came.compactMap { JSONSchema.ofLines.problem(in: $0) }, [], "\(request)")
      return lines
    }
    _ = lines(of: "describe \(name)")
    for format in [
      "table", "dot", "dot show=plain", "mermaid", "mermaid show=all", "stateDiagram", "plantuml", "json",
      "json show=all", "tests",
    ] {
      let lines = lines(of: "graph \(name) format=\(format)")
      guard lines.count > 1 || format == "tests" else { continue }
      expectEqual(lines.last, "+ \(lines.count - 1)")
      expect(lines.dropLast().allSatisfy { $0.hasPrefix(". ") }, "\(name) \(format)")
      expect(lines.reduce(0) { $0 + $1.utf8.count } < 1 << 20, "\(name) \(format)")
      switch format {
      case "dot": expectShortLabels(lines)
      case "stateDiagram", "plantuml": expectPlainIDs(lines)
      case "json": expectOneEndPerLabel(lines, name)
      case "tests": try expectTestsHold(lines, guest, name)
      default: break
      }
    }
  }

  /// In a picture no label has a long line, and equal moves of many states are one arrow.
  private func expectShortLabels(_ lines: [String]) {
    let labels = lines.filter { $0.contains(" -> ") && $0.contains("label=") }.map { $0.split(separator: "\"")[1] }
    for line in labels.flatMap({ $0.split(separator: "\\") }) {
      // A word is not cut, and a wire names an output and an event.
      expect(line.count <= 34 || !line.dropFirst(34).contains(" ") || line.contains("→"), "\(line)")
    }
  }

  private func expectPlainIDs(_ lines: [String]) {
    let sides = lines.filter { $0.contains(" --> ") }.map { line in
      line.dropFirst(2).split(separator: " : ", maxSplits: 1)[0].split(separator: " --> ").map {
        $0.split(separator: " ").joined()
      }
    }
    for id in sides.joined() where id != "[*]" {
      expect(
        id.utf8.allSatisfy {
          $0 == 0x5F || Character(UnicodeScalar($0)).isLetter || Character(UnicodeScalar($0)).isNumber
        }, "\(id)")
    }
  }

  /// No two arrows of a kind have one label and different ends.
  private func expectOneEndPerLabel(_ lines: [String], _ name: String) {
    let lines = lines.map { $0.dropFirst(2) }
    var ends: [String: Set<String>] = [:]
    for line in lines where line.hasPrefix("{\"from\"") && !line.contains("\"output\":") {
      let members = line.drop { $0 != "{" }.dropFirst().split(separator: ",\"").map(String.init)
      func member(_ name: String) -> String {
        String(
          (members.first { $0.hasPrefix("\(name)\":") || $0.hasPrefix("\"\(name)\":") } ?? "").prefix { $0 != "}" })
      }
      let effect = member("effect")
      guard effect.contains("moved") || effect.contains("stayed") else { continue }
      let label = ["from", "event", "timer", "samples", "guard"].map(member).joined(separator: " ")
      ends[label, default: []].insert("\(member("to")) \(effect)")
    }
    for (label, ends) in ends { expectEqual(ends.count, 1, "\(name): \(label) \(ends)") }
  }

  /// Each pair gives what the graph says.
  private func expectTestsHold(_ lines: [String], _ guest: Guest, _ name: String) throws {
    let lines = lines.dropLast().map { String($0.dropFirst(2)) }
    expect(lines.contains { $0.contains(" => ") })
    let script = Array(lines.joined(separator: "\n").utf8)
    expectEqual(ScriptParser.read("t.fsm", script) { _ in .failed("") }.mistakes?.lines, nil)
    for failure in Self.failures(of: lines, guest).prefix(3) { Issue.record("\(failure)") }
    expectEqual(guest.violations(), [])
    if Catalogue.simulations.kinds.contains(where: { $0.name == name }) {
      try CoverageTests.expectCovered(name, by: lines, guest)
    }
  }

  @Test(
    "a machine that reads texts is drawn with the places of its automaton, and for programs with its states",
    arguments: [
      ("regex r pattern=a*b", "aab", ["reading.q0", "accepting.q", "rejecting"]),
      ("acceptor r pattern=hello", "hel", ["reading.q0", "reading.q3", "accepting.q"]),
      ("spamFilter r words=ABABAC", "ABAB", ["clean.q0", "clean.q4", "dirty.q6"]),
      (
        "automaton r states=even,odd alphabet=01 transitions=even:0:even,even:1:odd,odd:0:odd,odd:1:even accepting=even",
        "01", ["accepting.even", "reading.odd"]
      ),
    ])
  func automata(new: String, text: String, words: [String]) {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play("new \(new)", "send r text \(text)")
    let table = guest.say("graph r width=1000")
    for word in words { expect(table.contains { $0.contains(word) }, "\(word): \(table)") }
    expectEqual(table.count { $0.hasPrefix(". > ") }, 1, "\(table)")
    let json = guest.say("graph r format=json").joined()
    expect(!json.contains(".q") && !json.contains(".even"))
    expectEqual(guest.violations(), [])
  }

  @Test("from one place of an automaton to the next leads an arrow, which is emphasised where it is taken now")
  func moves() {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play("new acceptor r pattern=hello", "send r text hel")
    let lines = guest.say("graph r format=mermaid").map { String($0.dropFirst(2)) }
    let arrows = lines.filter { $0.contains(" -->") || $0.contains("--> ") || $0.contains(" --- ") }
    let word = ["q0 --\"char(h)\"--> reading_q2", "q2 --\"char(e)\"--> reading_q3", "q4 --\"char(l)\"--> reading_q5"]
      .map { step in arrows.firstIndex { $0.contains("reading_\(step)") } }
    expect(!word.contains(nil), "\(lines)")
    // After "hel" the next letter is an "l".
    func isEmphasised(_ place: Int?) -> Bool { lines.contains { $0.hasPrefix("linkStyle \(place ?? -1) ") } }
    expectEqual(word.map(isEmphasised), [false, false, true], "\(lines)")
  }

  @Test("automata of more places than fit a picture are drawn by their states")
  func largeAutomata() {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play("new acceptor r pattern=\(String(repeating: "ab", count: 100))")
    expect(!guest.say("graph r").contains { $0.contains(".q") })
  }

  @Test("a width is a number that a table can have")
  func width() {
    let guest = HostedService().connect(toWorld: "w")
    expectEqual(
      guest.say("graph power width=39"),
      [
        "- BAD-ARGUMENT argument=width got=39 allowed=40..1000 : width is a whole number from 40 to 1000"
      ])
    for name in ["job", "smartFridge", "http"] {
      expect(guest.say("graph \(name) width=80").allSatisfy { $0.count <= 82 }, "\(name)")
    }
  }

  @Test("the tests of a payment fail if a timer takes longer, or shorter, or an output is missing")
  func falseTests() {
    for parameters in ["capture=31s", "capture=29s", "maxAttempts=4", "service=auto"] {
      let guest = HostedService().connect(toWorld: "w")
      let lines = guest.say("graph payment format=tests").dropLast().map { String($0.dropFirst(2)) }
      let changed = lines.map { $0.hasPrefix("new payment ") ? $0 + " " + parameters : $0 }
      expect(!Self.failures(of: changed, guest).isEmpty, "\(parameters)")
    }
  }

  /// The lines of a script that do not hold.
  private static func failures(of lines: [String], _ guest: Guest) -> [String] {
    var failures: [String] = []
    // What came of the last input.
    var notices: [String] = []
    _ = guest.say("watch *")
    for text in lines where !text.isEmpty && !text.hasPrefix("#") {
      if text.hasPrefix("expect output ") {
        let words = text.split(separator: " ").dropFirst(2)
        let output = " \(words.first ?? "") output \(words.dropFirst().joined(separator: " "))"
        if !notices.contains(where: { "\($0) ".contains("\(output) ") }) { failures.append("\(text): \(notices)") }
        continue
      }
      let parts = text.split(separator: " => ", maxSplits: 1).map(String.init)
      let answers = guest.say(parts[0])
      let answer = answers.last ?? ""
      if !text.hasPrefix("expect ") { notices = answers.filter { $0.hasPrefix("* ") } }
      guard parts.count > 1 else {
        if !answer.hasPrefix("+") { failures.append("\(text): \(answer)") }
        continue
      }
      var words = parts[1].split(separator: " ").map(String.init)
      let outputs = words.last.flatMap { $0.hasPrefix("outputs=") ? words.removeLast() : nil }
      let isRight: Bool =
        if words.first == "ok" {
          answer.hasPrefix("+") && words.dropFirst().allSatisfy { answer.contains(" \($0)") }
        } else {
          answer.hasPrefix(words == ["refused"] ? "- REFUSED " : "+ \(words.joined(separator: " ")) ")
        }
      let given = answer.split(separator: " ").last { $0.hasPrefix("outputs=") } ?? "outputs="
      if !isRight || outputs.map({ $0 != given }) ?? false { failures.append("\(text): \(answer)") }
    }
    return failures
  }

  @Test("a refusal names the shortest way to where the event is possible, if there is one")
  func way() {
    Transcript(
      """
      > new phone p
      + created p foreground+noAlert+idle t=0.000 seq=1
      > send p pressCall
      - REFUSED machine=p state=foreground+noAlert+idle event=pressCall allowed=openTel,goHome ignores=openApp from=inactive+alert+idle way=openTel,alert t=0.000 seq=2 : no alert is shown
      > can p pressCall
      + no from=inactive+alert+idle way=openTel,alert : no alert is shown
      > can p openTel
      + yes effect=stayed
      > new appCoordinator a
      + created a launching t=0.000 seq=3
      > can a pop
      + no from=loggedOut way=launched,push : the app is still launching
      > send a loggedOut
      - REFUSED machine=a state=launching event=loggedOut allowed=launched,deepLink ignores=lock,unlock from=main way=launched t=0.000 seq=4 : the app is still launching
      """
    ).expectHolds()
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.play("new till t initial=open", "send t add 99")
    // The till is full; one path is to close and open it again.
    expectEqual(guest.say("send t add 50").first?.contains(" from="), false, "an amount that fits is possible at once")
  }
}
