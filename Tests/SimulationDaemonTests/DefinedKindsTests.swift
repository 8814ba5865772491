import Simulator
import StateMachines
import Statecharts
import Synchronization
import TestSupport
import Testing

@testable import SimulationDaemon

@Suite("Kinds from documents, on the wire")
struct DefinedKindsTests {
  static let toggle = """
    <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" initial="off">
      <state id="off"><transition event="press" target="on"/></state>
      <state id="on"><transition event="press" target="off"/></state>
    </scxml>
    """

  /// Counts to a number, with data and timers.
  static func counter(to most: Int) -> String {
    """
    <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" initial="low">
      <datamodel><data id="n" expr="0"/></datamodel>
      <state id="low">
        <transition event="add" cond="n + (_event.data ? _event.data.by : 1) &gt;= \(most)" target="full"/>
        <transition event="add"><assign location="n" expr="n + (_event.data ? _event.data.by : 1)"/></transition>
      </state>
      <state id="full">
        <onentry><send event="drain" delay="5s"/><send type="output" event="beep"/></onentry>
        <transition event="drain" target="low"><assign location="n" expr="0"/></transition>
      </state>
    </scxml>
    """
  }

  private func define(_ name: String, _ document: String, _ guest: Guest) -> [String] {
    guest.say("define \(name) format=scxml bytes=\(document.utf8.count)\n\(document)")
  }

  @Test("a defined kind is listed, described, made, sent to, drawn and covered like any other")
  func whole() {
    let guest = HostedService().connect(toWorld: "w")
    expectEqual(
      define("tally", Self.counter(to: 3), guest), ["+ defined tally version=1 states=2 events=2 t=0.000 seq=1"])
    expect(guest.say("kinds").contains { $0.hasPrefix(". tally states=2 events=2 timers=1 ") })
    expect(guest.say("describe tally").last, hasPrefix: "+ ")
    expectEqual(guest.say("new tally c"), ["+ created c low t=0.000 seq=2"])
    expectEqual(guest.say("send c add"), ["+ stayed low t=0.000 seq=3"])
    expectEqual(guest.say("send c add by=2"), ["+ moved low full t=0.000 seq=4 outputs=beep"])
    expectEqual(guest.say("agenda"), [". 5.000 c drain(1) left=5.000", "+ 1"])
    expectEqual(guest.say("send c add"), ["+ ignored full t=0.000 seq=5"])
    expectEqual(guest.say("fire c drain(1)"), ["+ moved full low t=0.000 seq=6"])
    expect(guest.say("send c add by=2 by=3")[0], hasPrefix: "- BAD-ARGUMENT argument=by")
    expect(guest.say("send c add 2")[0], hasPrefix: "- BAD-ARGUMENT argument=1 got=2")
    expect(guest.say("send c unheard")[0], hasPrefix: "- UNKNOWN-EVENT machine=c event=unheard allowed=add,drain ")
    expect(guest.say("can c"), contains: ". add data")
    expect(guest.say("graph tally format=table").last, hasPrefix: "+ ")
    expect(guest.say("coverage kind=tally").last, hasPrefix: "+ ")
    expectEqual(
      guest.say("journal since=4 limit=1"),
      [
        ". 4 0.000 c moved low full event=add", ". 4 0.000 c armed drain(1) due=5.000",
        ". 4 0.000 c output beep", "+ 3",
      ])
  }

  @Test("a diagram in Mermaid is a document; it is written as SCXML, and as a diagram that can be loaded again")
  func mermaid() {
    let guest = HostedService().connect(toWorld: "w")
    let diagram = """
      stateDiagram-v2
        [*] --> off
        off --> on : press [count < 2] / count = count + 1
        on --> off : after 5s / beep
        %% data count = 0
      """
    func define(_ name: String, _ format: String, _ document: String) -> [String] {
      guest.say("define \(name) format=\(format) bytes=\(document.utf8.count)\n\(document)")
    }
    func text(_ request: String) -> String {
      guest.say(request).filter { $0.hasPrefix(".") }.map { String($0.dropFirst(2)) }.joined(separator: "\n")
    }
    expect(define("a", "mermaid", diagram).last, hasPrefix: "+ defined a version=1 states=2 ")
    expect(define("b", "scxml", text("graph a format=scxml")).last, hasPrefix: "+ defined b ")
    expect(define("c", "mermaid", text("graph b format=stateDiagram")).last, hasPrefix: "+ defined c ")
    let walks = ["a", "b", "c"].map { kind in
      ["new \(kind) m"] + ["send m press", "advance 5s", "send m press", "advance 5s", "send m press", "show m"]
    }.map { requests -> [String] in
      defer { _ = guest.say("drop m") }
      return requests.flatMap { guest.say($0) }.map { line in
        line.split(separator: " ").filter { !$0.hasPrefix("seq=") && !$0.hasPrefix("t=") }.joined(separator: " ")
      }
    }
    expect(walks.allSatisfy { $0.contains(". reading count 2") }, "\(walks)")
    expect(guest.say("describe a"), contains: ". reading count type=json")
    expect(walks[0].contains("+ moved off on") && walks[0].contains { $0.hasPrefix("+ ignored off") })
    expectEqual(walks[1].dropFirst().map { $0.prefix(12) }, walks[0].dropFirst().map { $0.prefix(12) })
    expectEqual(walks[2].dropFirst().map { $0.prefix(12) }, walks[0].dropFirst().map { $0.prefix(12) })
    expect(guest.say("graph power format=scxml")[0], hasPrefix: "- BAD-ARGUMENT argument=format got=scxml ")
    let wrong = define("d", "mermaid", "stateDiagram-v2\n  off --> on : press [\n")
    expect(
      wrong.first?.hasPrefix(". 2:") == true && wrong.last?.hasPrefix("- BAD-DEFINITION line=2 ") == true, "\(wrong)")
  }

  @Test("a label that says timer and a time is a timer, and the note says it once")
  func timerLabel() {
    let guest = HostedService().connect(toWorld: "w")
    for (label, note) in [("timer 5s", "a timer: after 5s"), ("pump timer 5s", "the timer pumpTimer: after 5s")] {
      let document = "stateDiagram-v2\n[*] --> a\na --> b : \(label)\n"
      let lines = guest.say("define k format=mermaid bytes=\(document.utf8.count)\n\(document)")
      expect(lines, contains: ". 3:11 note : \"\(label)\" is \(note)")
    }
  }

  @Test("an arrow into two regions is no choice; a block that is not entered first shows where it begins")
  func blocks() {
    let guest = HostedService().connect(toWorld: "w")
    let document = """
      stateDiagram-v2
      [*] --> off
      off --> both : start
      both --> off : stop
      off --> inner : enter
      inner --> off : leave
      state both {
        [*] --> left
        --
        [*] --> right
      }
      state block {
        [*] --> first
        first --> inner : go
      }
      """
    _ = guest.say("define k format=mermaid bytes=\(document.utf8.count)\n\(document)")
    _ = guest.play("new k m", "send m start")
    let coverage = guest.say("coverage kind=k list=all")
    expect(coverage.first?.contains(" guards=0/0 ") == true, "\(coverage)")
    let dots = guest.say("graph k format=dot").count { $0.contains("shape=circle") }
    expectEqual(dots, 4)
  }

  /// The notation, a document of two states, and the event between them.
  static let documents = [
    (
      "plantuml", "@startuml\n[*] --> off\noff -> on : user pushes [is admin]\non -> off : after 5s / beep\n@enduml",
      "\"user pushes\""
    ),
    (
      "xstate",
      #"{"initial":"off","states":{"off":{"on":{"PUSH":{"target":"on","guard":"isAdmin"}}},"on":{"after":{"5000":{"target":"off","actions":"beep"}}}}}"#,
      "PUSH"
    ),
  ]

  @Test(
    "PlantUML and XState are notations of documents as well: notes, SCXML, a script of the world that is read the same",
    arguments: documents)
  func otherNotations(format: String, document: String, event: String) throws {
    let guest = HostedService().connect(toWorld: "w")
    let defined = guest.say("define k format=\(format) bytes=\(document.utf8.count)\n\(document)")
    expect(defined.last, hasPrefix: "+ defined k version=1 states=2 events=1 ", "\(defined)")
    expect(
      defined.contains { $0.contains(" note : ") && $0.contains("isAdmin=on unless new or the event says otherwise") })
    expect(guest.say("describe k"), contains: ". origin : a document in \(format)")
    let walk = guest.play("new k m", "send m \(event) isAdmin=off", "send m \(event)", "advance 5s", "show m")
    expect(
      walk.contains { $0.hasPrefix("+ ignored off") } && walk.contains { $0.hasPrefix("+ moved off on") }, "\(walk)")
    expect(guest.say("send m \(event)").last, hasPrefix: "+ moved off on")
    let scxml = guest.say("graph k format=scxml").dropLast().map { $0.dropFirst(2) }.joined(separator: "\n")
    expect(guest.say("define s format=scxml bytes=\(scxml.utf8.count)\n\(scxml)").last, hasPrefix: "+ defined s ")
    let diagram = guest.say("graph k format=stateDiagram").dropLast().map { $0.dropFirst(2) }.joined(separator: "\n")
    expect(guest.say("define d format=mermaid bytes=\(diagram.utf8.count)\n\(diagram)").last, hasPrefix: "+ defined d ")
    // Read as strictly as it says, and kept so: an undone and repeated definition is the same.
    let strict = guest.say("define k format=\(format) strict=yes bytes=\(document.utf8.count)\n\(document)")
    expect(
      format == "plantuml"
        ? strict.last?.hasPrefix("- BAD-DEFINITION ") == true : strict.first?.contains(" warning : ") == true,
      "\(strict)")
  }

  @Test("states that an input enters and leaves again stand in its answer")
  func passedStates() {
    let guest = HostedService().connect(toWorld: "w")
    let text = """
      stateDiagram-v2
      state check <<choice>>
      [*] --> idle
      idle --> check : submit
      check --> done : [ok]
      check --> idle : [else]
      done --> kept : / store
      kept --> idle : reset
      """
    expect(guest.say("define k format=mermaid bytes=\(text.utf8.count)\n\(text)").last, hasPrefix: "+ ")
    let walk = guest.play("new k m", "send m submit", "send m reset", "send m submit ok=off").filter {
      $0.hasPrefix("+ ")
    }
    expectEqual(
      walk.map { line in line.split(separator: " ").filter { !$0.contains("=") }.joined(separator: " ") },
      [
        "+ created m idle", "+ moved idle kept : by way of check, done", "+ moved kept idle",
        "+ moved idle idle : by way of check",
      ])
  }

  @Test("states that no author has named stand in no answer")
  func helpers() {
    let guest = HostedService().connect(toWorld: "w")
    let text = """
      stateDiagram-v2
      [*] --> idle : [fast]
      [*] --> Work : [else]
      idle --> Work : go
      state Work {
        [*] --> a
        a --> [*] : finish
      }
      Work --> idle
      """
    expect(guest.say("define k format=mermaid bytes=\(text.utf8.count)\n\(text)").last, hasPrefix: "+ ")
    expect(guest.play("new k m", "send m go", "send m finish").allSatisfy { !$0.contains("by way of") })
  }

  @Test("data that are nearly named as a condition are a mistake, unless the document may read them")
  func misspelledCondition() {
    let guest = HostedService().connect(toWorld: "w")
    func define(_ kind: String, _ label: String) {
      let text = "stateDiagram-v2\n[*] --> a\na --> b : enter(isAdmit=yes) [isAdmin]\nb --> a : back\(label)"
      expect(guest.say("define \(kind) format=mermaid bytes=\(text.utf8.count)\n\(text)").last, hasPrefix: "+ ")
      expect(guest.say("new \(kind) m\(kind)").last, hasPrefix: "+ ")
    }
    define("k", "")
    let misfit = "- BAD-ARGUMENT argument=isAdmn got=off allowed=isAdmin did-you-mean=isAdmin : k asks for no 'isAdmn'"
    for request in ["send mk enter", "cast m* enter", "send mk back"] {
      expect(guest.say("\(request) isAdmn=off").last, hasPrefix: misfit)
    }
    expect(guest.say("send mk enter isAdmit=yes isAdmin=off other=1").last, hasPrefix: "+ ignored a ")
    define("l", " / n = _event.data.isAdmn")
    expect(guest.say("send ml enter isAdmn=off isAdmit=no").last, hasPrefix: "+ ignored a ")
  }

  @Test("workers have all requests to machines whose inputs may be long, from the first on")
  func longInputs() {
    func mayStepLong(_ script: String) -> Bool {
      let guest = HostedService().connect(toWorld: "w")
      let document = """
        <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><datamodel><data id="n" expr="0"/></datamodel>
        <state id="a"><transition event="e" target="a"><script>\(script)</script></transition></state></scxml>
        """
      expectEqual(guest.say("define k format=scxml bytes=\(document.utf8.count)\n\(document)").count, 1)
      expectEqual(guest.say("new k m"), ["+ created m a t=0.000 seq=2"])
      let hosted = guest.client.hosted
      expectEqual(guest.say("world fork x\nuse x").count, 2)
      expectEqual(guest.client.hosted.live.mayStepLong, hosted.live.mayStepLong)
      return hosted.live.mayStepLong
    }
    expect(mayStepLong("while (n != 100000) n++;"))
    expect(!mayStepLong("n = n + 1;"))
  }

  @Test("a document is no longer read after its define is cancelled, and nothing is defined")
  func cancelledReading() {
    let threads = HeldWorkers()
    let host = HostedService(workers: threads.workers())
    let guest = host.connect()
    let states = (0..<2_000).map { "<state id=\"s\($0)\"/>" }.joined()
    let document = "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\">\(states)</scxml>"
    host.round { guest.arrive("@d define k format=scxml bytes=\(document.utf8.count)\n\(document)") }
    // The only worker has not begun.
    host.round { guest.arrive("@c cancel\n") }
    threads.finish(host)
    host.round { guest.arrive("@k describe k\n") }
    let lines = guest.lines()
    expect(lines.count == 3 && lines[0].hasPrefix("- @d CANCELLED ") && lines[1] == "+ @c", "\(lines)")
    expect(lines.last, hasPrefix: "- @k UNKNOWN-KIND ")
  }

  @Test("a document with a line that no script can have is what the refusal of a script is about")
  func longLineInScript() {
    let guest = HostedService().connect(toWorld: "w")
    let document =
      "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\"><!--\(String(repeating: "x", count: 65_536))--><state/></scxml>"
    expectEqual(guest.say("define k format=scxml bytes=\(document.utf8.count)\n\(document)").count, 1)
    expectEqual(
      guest.say("script"),
      [
        "- REFUSED seq=1 : input 1 cannot be written as a line of a script: the document of 'k' has a line of more than 65536 bytes"
      ])
  }

  @Test("a machine whose start is long is not made after its new is cancelled")
  func cancelledStart() {
    let threads = HeldWorkers()
    let host = HostedService(workers: threads.workers())
    let guest = host.connect()
    let document = """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript"><state id="a"><onentry><script>
      for (var i = 0; i != 50000; i++) {}</script></onentry></state></scxml>
      """
    host.round { guest.arrive("define k format=scxml bytes=\(document.utf8.count)\n\(document)") }
    threads.finish(host)
    _ = guest.lines()
    host.round { guest.arrive("@n new k m\n") }
    // The only worker has not begun.
    host.round { guest.arrive("@c cancel\n") }
    threads.finish(host)
    expectEqual(guest.lines(), ["- @n CANCELLED t=0.000 seq=1 : cancelled", "+ @c"])
    host.round { guest.arrive("new k m\n") }
    threads.finish(host)
    expectEqual(guest.lines(), ["+ created m a t=0.000 seq=2"])
  }

  @Test(
    "a machine that does not come to rest when it begins is not made, whatever makes it so",
    arguments: [("isOpen", "off", "on"), ("!isOpen", "on", "off")])
  func endlessStart(condition: String, good: String, bad: String) {
    let guest = HostedService().connect(toWorld: "w")
    let diagram = "stateDiagram-v2\n[*] --> a\na --> b : always [\(condition)]\nb --> a : always\n"
    _ = guest.say("define k format=mermaid bytes=\(diagram.utf8.count)\n\(diagram)")
    expectEqual(guest.say("new k m isOpen=\(good)"), ["+ created m a t=0.000 seq=2"])
    expect(guest.say("new k n isOpen=\(bad)").last, hasPrefix: "- LIMIT name=chartSteps ")
    expect(guest.say("show n").last, hasPrefix: "- UNKNOWN-MACHINE ")
  }

  /// Begins with a loop of so many rounds.
  private static func slowStart(rounds: Int) -> String {
    """
    <scxml xmlns='http://www.w3.org/2005/07/scxml' version='1.0'><datamodel><data id='n' expr='0'/></datamodel>
    <state id='a'><onentry><script>for (var i = 0; i &lt; \(rounds); i++) { n += i }</script></onentry></state></scxml>
    """
  }

  /// Asks with so many pauses before the interruption; returns how many there were, and the last line.
  private static func ask(
    _ request: String, _ guest: Guest, pauses most: Int = .max
  ) -> (pauses: Int, answer: String) {
    let pauses = Atomic(0)
    let pause = Budget.Pause { pauses.add(1, ordering: .relaxed).newValue <= most }
    let answer = Budget.pause.withValue(pause) { guest.say(request).last ?? "" }
    return (pauses.load(ordering: .relaxed), answer)
  }

  @Test("a machine begins once, and whenever that is interrupted, it is not made")
  func interruptedStart() {
    let guest = HostedService().connect(toWorld: "w")
    _ = define("k", Self.slowStart(rounds: 2_000), guest)
    let (pauses, answer) = Self.ask("new k m", guest)
    expect(answer, hasPrefix: "+ created m a ")
    expect(pauses > 2)
    for most in 0..<pauses {
      expect(Self.ask("new k n", guest, pauses: most).answer, hasPrefix: "- LIMIT ", "after \(most) pauses")
    }
    expect(guest.say("show n").last, hasPrefix: "- UNKNOWN-MACHINE ")
  }

  @Test("describe begins a machine of a document once if that takes long")
  func describedStart() {
    let guest = HostedService().connect(toWorld: "w")
    _ = define("k", Self.slowStart(rounds: 20_000), guest)
    let described = Self.ask("describe k", guest)
    expect(described.answer, hasPrefix: "+ ")
    expect(described.pauses < 2 * Self.ask("new k m", guest).pauses)
  }

  @Test(
    "of the smallest charts everything can be asked",
    arguments: [
      "<state id='a'/>", "<final id='a'/>", "<state id='a'><state id='b'/></state>",
      "<state id='a'><transition event='*'/></state>", "<state id='a'/><state id='b'/>",
      "<state id='a'><transition event='e'/></state><state id='b'/>",
      "<parallel id='p'><state id='a'/><state id='b'/></parallel>",
      "<parallel id='p'><state id='a'/><state id='b'><transition event='e' target='c'/></state><state id='c'/></parallel>",
      "<state id='a'><transition target='b'/></state><state id='b'/>",
      "<state id='a'><history id='h'><transition target='b'/></history><state id='b'/></state>",
      "<state id='a'><onentry><send event='e' delay='1s'/></onentry></state>",
    ])
  func smallest(states: String) {
    let guest = HostedService().connect(toWorld: "w")
    let chart = "<scxml xmlns='http://www.w3.org/2005/07/scxml' version='1.0'>\(states)</scxml>"
    expect(define("k", chart, guest).last, hasPrefix: "+ defined k ")
    expect(guest.say("new k m").last, hasPrefix: "+ created m ")
    let graphs = ["k", "m"].flatMap { name in
      // Another program makes the SVG, of what `dot` says.
      GraphFormat.allCases.filter { $0 != .svg }.flatMap { format in
        ["", " show=all", " width=20", " width=300 show=all"].map { "graph \(name) format=\(format)\($0)" }
      }
    }
    let requests = [
      "describe k", "describe m", "kinds k", "can m", "show m", "list", "count", "agenda", "wires", "coverage",
      "coverage m", "wave", "wave m format=svg", "wave m format=json", "script", "journal", "send m e", "advance 2s",
      "wave m width=40", "coverage m", "undo 1", "redo 1", "expect m a", "await m a within=1s", "kinds", "undefine k",
    ]
    for request in graphs + requests {
      let answer = guest.say(request).last ?? ""
      expect(answer.hasPrefix("+") || answer.hasPrefix("- "), "\(request): \(answer)")
      expect(!answer.hasPrefix("- INTERNAL"), "\(request): \(answer)")
    }
  }

  @Test("an event that a guard has kept from a transition is ignored, and the guard is named")
  func guards() {
    let guest = HostedService().connect(toWorld: "w")
    let gate = Self.toggle.replacing("target=\"on\"", with: "cond=\"false\" target=\"on\"")
    _ = define("gate", gate, guest)
    expectEqual(
      guest.play("new gate g", "send g press").last,
      "+ ignored off t=0.000 seq=3 : the guard \"false\" of the transition in line 2 is false")
  }

  @Test("the event that stands for a diagram's after cannot be sent; the refusal names the way")
  func ownTimers() {
    let guest = HostedService().connect(toWorld: "w")
    let diagram = "stateDiagram-v2\n[*] --> a\na --> b : after 5s\nb --> a : back"
    expectEqual(
      guest.say("define k format=mermaid bytes=\(diagram.utf8.count)\n\(diagram)").last,
      "+ defined k version=1 states=2 events=1 t=0.000 seq=1")
    _ = guest.say("new k m")
    let refused = guest.say("send m a.after.5s")[0]
    expect(refused, hasPrefix: "- UNKNOWN-EVENT machine=m event=a.after.5s allowed=back", "\(refused)")
    expect(refused, contains: "'fire m a.after.5s(", "\(refused)")
    expect(guest.say("send m a.after.5s.x")[0], hasPrefix: "- UNKNOWN-EVENT")
    expect(guest.say("fire m a.after.5s(1)")[0], hasPrefix: "+ moved a b")
    // In the SCXML that the diagram is written as it is that of the timer, too.
    let document = guest.say("graph k format=scxml").dropLast().map { $0.dropFirst(2) }.joined(separator: "\n")
    _ = define("s", document, guest)
    expect(
      guest.play("new s n", "send n a.after.5s").last,
      hasPrefix: "- UNKNOWN-EVENT machine=n event=a.after.5s allowed=back")
    expect(guest.say("fire n a.after.5s(1)")[0], hasPrefix: "+ moved a b")
  }

  @Test("what data that a machine was sent would do now is marked as possible, like that of samples")
  func seenIsPossible() {
    let guest = HostedService().connect(toWorld: "w")
    let diagram = "stateDiagram-v2\n[*] --> off\noff --> on : press [_event.data.n * 2 == 8484]\non --> off : press"
    _ = guest.say("define k format=mermaid bytes=\(diagram.utf8.count)\n\(diagram)")
    _ = guest.play("new k m", "send m press n=4242", "send m press")
    let table = guest.say("graph m width=1000")
    expect(table.contains { $0.contains("[_event.data.n * 2 == 8484]: → on *") }, "\(table)")
  }

  @Test("a machine's state diagram is its kind's, with the active states marked, and can be loaded again")
  func markedDiagram() {
    let guest = HostedService().connect(toWorld: "w")
    let diagram = "stateDiagram-v2\n[*] --> a\na --> b : go\nb --> a : after 5s / beep"
    _ = guest.say("define k format=mermaid bytes=\(diagram.utf8.count)\n\(diagram)")
    _ = guest.play("new k m", "send m go")
    func lines(_ request: String) -> [Substring] { guest.say(request).dropLast().map { $0.dropFirst(2) } }
    let marked = lines("graph m format=stateDiagram")
    expect(marked.contains("    class b current") && !marked.contains("    class a current"))
    expectEqual(marked.filter { !$0.contains("current") }, lines("graph k format=stateDiagram"))
    let text = marked.joined(separator: "\n")
    expect(
      guest.say("define again format=mermaid bytes=\(text.utf8.count)\n\(text)").last, hasPrefix: "+ defined again ")
  }

  @Test("the diagram of a chart that does not read its events is complete")
  func completeDiagrams() {
    let guest = HostedService().connect(toWorld: "w")
    _ = define("toggle", Self.toggle, guest)
    _ = define("tally", Self.counter(to: 3), guest)
    let random = Self.toggle.replacing("target=\"on\"", with: "cond=\"Math.random() &lt; 0.5\" target=\"on\"")
    _ = define("chance", random, guest)
    func why(_ kind: String) -> String {
      guest.say("graph \(kind) format=json").suffix(4).joined()
    }
    expect(why("toggle"), contains: "\"complete\":true")
    expect(why("tally"), contains: "add was tried with no data and ", "\(why("tally"))")
    expect(why("chance"), contains: "press in off depends on random numbers", "\(why("chance"))")
  }

  @Test("a kind of very many states has machines, but no diagram; one of very many events is none")
  func large() {
    func document(_ states: Int, _ events: Int) -> String {
      let moves = (0..<events).map { "<transition event=\"e\($0)\" target=\"s0\"/>" }.joined()
      let others = (1..<states).map { "<state id=\"s\($0)\"/>" }.joined()
      return
        "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\"><state id=\"s0\">\(moves)</state>\(others)</scxml>"
    }
    let guest = HostedService().connect(toWorld: "w")
    expect(define("wide", document(2_000, 1), guest).last, hasPrefix: "+ defined wide ")
    expect(guest.say("graph wide format=dot").last, hasPrefix: "+ ")
    expect(define("large", document(2_001, 1), guest).last, hasPrefix: "+ defined large ")
    expect(guest.play("new large m", "send m e0").last, hasPrefix: "+ moved s0 s0 ")
    for format in ["table", "dot", "mermaid", "stateDiagram", "json", "tests"] {
      expect(
        guest.say("graph m format=\(format)").last, hasPrefix: "- LIMIT name=diagramStates value=2000 : ", "\(format)")
    }
    expect(define("many", document(1_001, 1_000), guest).last, hasPrefix: "+ defined many ")
    expect(guest.say("graph many").last, hasPrefix: "- LIMIT name=diagramPairs value=1000000 : ")
    expect(RequestContext.mayExplore(states: 1_000, events: 1_000))
    expect(define("loud", document(1, 2_000), guest).last, hasPrefix: "+ defined loud ")
    expect(define("noisy", document(1, 2_001), guest).last, hasPrefix: "- LIMIT name=documentEvents value=2000 : ")
  }

  @Test("a document that is nested as deeply as is allowed has machines and diagrams of all formats")
  func deepest() {
    let depth = DocumentLimits().depth - 2
    let open = (0..<depth).map { "<state id=\"s\($0)\">" }.joined()
    let move = "<transition event=\"e\" target=\"s0\"/>"
    let text =
      "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\">\(open)\(move)"
      + String(repeating: "</state>", count: depth) + "</scxml>"
    let nested =
      "stateDiagram-v2\n[*] --> s0\n" + (0..<200).map { "state s\($0) {\n[*] --> s\($0 + 1)\n" }.joined()
      + "s200 --> s200 : e\n" + String(repeating: "}\n", count: 200)
    let guest = HostedService().connect(toWorld: "w")
    expect(define("deep", text, guest).last, hasPrefix: "+ defined deep ")
    let read = guest.say("define nest format=mermaid bytes=\(nested.utf8.count)\n\(nested)").last ?? ""
    expect(read.hasPrefix("+ defined nest ") || read.hasPrefix("- BAD-DEFINITION "), "\(read)")
    expect(guest.play("new deep m", "send m e", "undo").last, hasPrefix: "+ ")
    for format in ["table", "dot", "mermaid", "stateDiagram", "plantuml", "json", "tests", "scxml"] {
      for kind in ["deep", "nest"] where kind == "deep" || read.hasPrefix("+") {
        expect(guest.say("graph \(kind) show=all format=\(format)").last, hasPrefix: "+ ", "\(kind) \(format)")
      }
    }
    expect(guest.say("coverage kind=deep").last, hasPrefix: "+ ")
  }

  @Test("a diagram that leaves something out says so in its answer; PlantUML of a document is read again")
  func omitted() {
    let guest = HostedService().connect(toWorld: "w")
    let text = """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" initial="a">
      <state id="a"><transition event="after" target="b"/><transition event="go" target="b"/></state><state id="b"/></scxml>
      """
    expect(define("k", text, guest).last, hasPrefix: "+ defined k ")
    for (format, mark) in [("stateDiagram", "    %%"), ("plantuml", "'")] {
      let lines = guest.say("graph k format=\(format)")
      expect(lines.contains(". \(mark) left out: the event after in line 2"), "\(lines)")
      expect(lines.last, hasSuffix: " omitted=1")
      expect(guest.play("new k m-\(format)", "graph m-\(format) format=\(format)").last, hasSuffix: " omitted=1")
    }
    expect(guest.say("graph k format=scxml").last?.contains("omitted") == false)
    let picture = guest.say("graph k format=plantuml show=usual")
    expect(picture.contains(#". a --> b : after\ngo"#) && picture.last?.contains("omitted") == false, "\(picture)")
    for format in ["scxml", "stateDiagram", "plantuml", "table"] {
      expect(guest.say("graph nokind format=\(format)").last, hasPrefix: "- UNKNOWN-MACHINE machine=nokind ")
    }
    expect(guest.say("graph power format=scxml").last, hasPrefix: "- BAD-ARGUMENT argument=format ")
  }

  @Test("the guards of a document are those of its diagrams")
  func drawnGuards() {
    let guest = HostedService().connect(toWorld: "w")
    let diagram = """
      stateDiagram-v2
        [*] --> off
        off --> on : press [uses < 2] / uses = uses + 1
        off --> broken : press
        on --> off : press
        %% data uses = 0
      """
    _ = guest.say("define lamp format=mermaid bytes=\(diagram.utf8.count)\n\(diagram)")
    let arrows = guest.say("graph lamp format=json").filter { $0.contains(#""from":"off""#) }
    expect(arrows.contains { $0.contains(#""to":"on","event":"press","guard":"uses < 2""#) }, "\(arrows)")
    expect(arrows.contains { $0.contains(#""to":"broken","event":"press","outputs""#) }, "\(arrows)")
    expect(guest.say("graph lamp format=table").contains { $0.contains("[not (uses < 2)]: → broken") })
  }

  @Test("the data of a document are readings, written as `send` takes them")
  func readings() {
    let guest = HostedService().connect(toWorld: "w")
    let document = """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">
        <datamodel>
          <data id="n" expr="1.5"/><data id="text" expr="'two words'"/><data id="digits" expr="'12'"/>
          <data id="list" expr="[1, 'a']"/><data id="none"/>
        </datamodel>
        <state id="s"><transition event="set"><assign location="none" expr="_event.data.to"/></transition></state>
      </scxml>
      """
    _ = define("kept", document, guest)
    expect(guest.say("describe kept").contains { $0.hasPrefix(". reading n ") })
    _ = guest.say("new kept k")
    expectEqual(
      guest.say("show k"),
      [
        ". state s", ". reading n 1.5", ". reading text \"two words\"", #". reading digits "\"12\"""#,
        #". reading list "[1,\"a\"]""#, ". allowed set", "+ 6",
      ])
    _ = guest.say("send k set to=now")
    expect(guest.say("show k"), contains: ". reading none now")
  }

  @Test("all mistakes at once; nothing changes; missing files are named")
  func mistakes() {
    let guest = HostedService().connect(toWorld: "w")
    let broken = Self.toggle.replacing("target=\"on\"", with: "target=\"no\"").replacing(
      "target=\"off\"", with: "target=\"of\"")
    let lines = define("toggle", broken, guest)
    let errors = lines.filter { $0.contains(" error ") }
    expectEqual(errors.map { $0.prefix(4) }, [". 2:", ". 3:"])
    expect(lines.last, hasPrefix: "- BAD-DEFINITION line=2 column=")
    expect(guest.say("new toggle t")[0], hasPrefix: "- UNKNOWN-KIND kind=toggle")
    let split = """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">
        <script src="file:lib.js"/>
        <state id="a"/>
      </scxml>
      """
    expect(define("parts", split, guest).last, hasPrefix: "- BAD-DEFINITION missing=lib.js : ")
    expectEqual(guest.say("define parts format=scxml bytes=9 resource=file:lib.js\nvar x = 1"), ["+ resource lib.js"])
    expect(define("parts", split, guest).last, hasPrefix: "+ defined parts version=1")
    expect(define("power", Self.toggle, guest)[0], hasPrefix: "- NAME-TAKEN kind=power")
    expectEqual(guest.say("world"), ["+ world=w clock=virtual t=0.000 seq=1"])
  }

  @Test("a kind belongs to its world: others have it not, a fork has it, undo takes it back")
  func worlds() {
    let host = HostedService()
    let guest = host.connect(toWorld: "w")
    let other = host.connect(toWorld: "v")
    _ = define("toggle", Self.toggle, guest)
    expect(other.say("new toggle t")[0], hasPrefix: "- UNKNOWN-KIND")
    expectEqual(
      guest.play("new toggle t", "world fork f", "undo 2", "new toggle t").map { $0.prefix(20) },
      [
        "+ created t off t=0.", "+ created f", "+ t=0.000 seq=3", "- UNKNOWN-KIND kind=",
      ])
    expectEqual(guest.say("journal")[0], ". 1 0.000 - defined toggle version=1 undone=3")
    expectEqual(guest.play("use f", "send t press").last, "+ moved off on t=0.000 seq=3")
    expectEqual(guest.play("undo", "undo", "new toggle u").last, "+ created u off t=0.000 seq=6")
  }

  @Test("defined again, new machines have the next version, and old ones keep theirs")
  func versions() {
    let host = HostedService()
    let guest = host.connect(toWorld: "w")
    _ = define("tally", Self.counter(to: 2), guest)
    _ = guest.say("new tally a")
    expectEqual(
      define("tally", Self.counter(to: 3), guest), ["+ defined tally version=2 states=2 events=2 t=0.000 seq=3"])
    expectEqual(
      guest.play("new tally b", "send a add", "send b add", "send a add", "send b add").suffix(2),
      [
        "+ moved low full t=0.000 seq=7 outputs=beep", "+ stayed low t=0.000 seq=8",
      ])
    expect(guest.say("undefine tally")[0], hasPrefix: "- IN-USE kind=tally machine=a count=2")
    expectEqual(
      guest.play("drop a", "drop b", "undefine tally", "new tally c").suffix(2).map { $0.prefix(14) },
      [
        "+ t=0.000 seq=", "- UNKNOWN-KIND",
      ])
    expectEqual(
      guest.say("undefine power"),
      [
        "- BAD-ARGUMENT argument=KIND got=power : 'power' is part of the program; only what 'define' made is forgotten"
      ])
    expect(
      guest.say("undefine none")[0], hasPrefix: "- UNKNOWN-KIND kind=none : this world has defined no kind 'none'; ")
    expectEqual(guest.play("undo 3", "list").suffix(3), [". a tally full", ". b tally low", "+ 2"])
  }

  @Test("watchers are told, and a second connection in the world makes machines of it")
  func notices() {
    let host = HostedService()
    let guest = host.connect(toWorld: "w")
    let other = host.connect()
    _ = other.play("use w", "watch *")
    _ = define("toggle", Self.toggle, guest)
    expectEqual(other.lines(), ["* 1 0.000 - defined toggle version=1"])
    expectEqual(other.say("new toggle t").last, "+ created t off t=0.000 seq=2")
    _ = guest.play("drop t", "undefine toggle")
    expectEqual(other.lines().last, "* 4 0.000 - undefined toggle")
  }

  @Test("a machine whose steps are long is tried a little only; what was not tried counts as possible")
  func longTrials() throws {
    let guest = HostedService().connect(toWorld: "w")
    let long = "<script>for (i = 0; i &lt; 20000; i++) { n = n + 1; }</script>"
    let events = (0..<4).map { "<transition event='e\($0)' target='a'>\(long)</transition>" }.joined()
    let chart = """
      <scxml xmlns='http://www.w3.org/2005/07/scxml' version='1.0' datamodel='ecmascript'>
      <datamodel><data id='n' expr='0'/><data id='i' expr='0'/></datamodel>
      <state id='a'>\(events)<transition event='zz' cond='false'/></state></scxml>
      """
    expect(define("k", chart, guest).last, hasPrefix: "+ defined k ")
    expect(guest.say("new k m strict=on").last, hasPrefix: "+ created m ")
    expect(guest.say("can m zz").last, hasPrefix: "+ no ")
    // Two of the others are enough.
    expect(guest.say("can m").contains { $0.hasPrefix(". zz ") })
    expect(guest.say("show m"), contains: ". allowed e0 e1 e2 e3 zz")
    expect(guest.say("send m zz").last, contains: " allowed=e0,e1,e2,e3,zz ")
    expect(guest.say("graph k format=json"), contains: ". \"complete\":false,")
  }

  @Test("timers without delay that compute for long are not all behind one input, but before the next")
  func timersAtOnce() {
    let guest = HostedService().connect(toWorld: "w")
    let chart = """
      <scxml xmlns='http://www.w3.org/2005/07/scxml' version='1.0' datamodel='ecmascript'>
      <datamodel><data id='n' expr='0'/><data id='i' expr='0'/></datamodel>
      <state id='a'><transition event='arm'>
        <foreach array='[1,2,3,4,5,6,7,8,9,10,11,12]' item='i'><send event='go' delay='0s'/></foreach>
      </transition><transition event='go'>
        <script>for (i = 0; i &lt; 50000; i++) { } n = n + 1;</script>
      </transition></state></scxml>
      """
    expect(define("k", chart, guest).last, hasPrefix: "+ defined k ")
    _ = guest.play("new k m", "send m arm")
    var areLeft: Bool { guest.client.hosted.live.world.mayFireLong }
    expect(areLeft)
    expect(guest.say("sync").last == "+" && areLeft)
    expect(guest.say("show m"), contains: ". reading n 12")
    expect(!areLeft && guest.violations() == [])
    expect(guest.say("world").last, hasSuffix: " seq=15")
    _ = guest.play("undo 1", "redo 1")
    expect(guest.say("show m").contains(". reading n 12") && guest.violations() == [])
  }

  @Test("what one input causes through wires counts together against the limits of documents")
  func chain() {
    let guest = HostedService().connect(toWorld: "w")
    let head = "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\" datamodel=\"ecmascript\">"
    let caller = """
      \(head)<state id="a"><transition event="go"><foreach array="[1,2,3,4,5,6,7,8,9,10]" item="i">
        <send type="output" event="out"/>
      </foreach></transition></state></scxml>
      """
    let worker = """
      \(head)<datamodel><data id="n" expr="0"/><data id="i" expr="0"/></datamodel><state id="a">
        <transition event="go"><script>for (i = 0; i &lt; 30000; i++) { n = n + 1; }</script></transition>
      </state></scxml>
      """
    _ = define("caller", caller, guest)
    _ = define("worker", worker, guest)
    _ = guest.play("new caller x", "new worker y", "wire x out y go")
    let before = guest.client.hosted.live.world.chartSteps
    expect(guest.say("send x go").last, hasPrefix: "+ stayed a ")
    let used = guest.client.hosted.live.world.chartSteps - before
    expect(used > 500_000 && used < 1_100_000, "\(used)")
    let came = guest.say("journal y what=all")
    expect(came.count { $0.contains(" stayed ") } > 1 && came.count { $0.contains(" refused ") } > 1, "\(came)")
    // The next input has the whole of it again, and so has a replay.
    expect(guest.say("send y go").last, hasPrefix: "+ stayed a ")
    let readings = guest.say("show y")
    _ = guest.play("undo", "redo")
    expectEqual(guest.say("show y"), readings)
  }

  @Test("a step and a start over a limit are answered, and the world goes on")
  func limits() {
    let guest = HostedService().connect(toWorld: "w")
    let endless = """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" initial="a">
        <state id="a"><transition event="spin" target="b"/></state>
        <state id="b"><transition target="c"/></state>
        <state id="c"><transition target="b"/></state>
      </scxml>
      """
    _ = define("endless", endless, guest)
    _ = define("stuck", endless.replacing("initial=\"a\"", with: "initial=\"b\""), guest)
    _ = guest.say("new endless e")
    expect(
      guest.say("send e spin")[0],
      hasPrefix: "- LIMIT name=chartSteps value=1000000 machine=e state=a event=spin t=0.000 seq=4 : ")
    expect(guest.say("new stuck s")[0], hasPrefix: "- LIMIT name=chartSteps value=1000000 kind=stuck")
    expectEqual(guest.say("expect e a"), ["+ a t=0.000"])
    expect(guest.say("limits"), contains: ". chartSteps 1000000 per-input")
  }

  @Test("machines of more kinds and versions than the limit are not made, nor composed ones")
  func mostKinds() {
    var limits = Limits()
    expectNil(limits.set("kinds=64"))
    let guest = HostedService(limits: limits).connect(toWorld: "w")
    for version in 1...63 {
      expect(define("toggle", Self.toggle, guest)[0], hasPrefix: "+ defined toggle version=\(version) ")
      expect(guest.say("new toggle t\(version)")[0], hasPrefix: "+ created ")
    }
    expect(guest.say("new phoneCall c")[0], hasPrefix: "- LIMIT name=kinds value=64 : ")
    expect(guest.say("new power p")[0], hasPrefix: "+ created p ")
    _ = define("toggle", Self.toggle, guest)
    expect(guest.say("new toggle u")[0], hasPrefix: "- LIMIT name=kinds value=64 : ")
    expect(guest.say("count") == [". power off 1", ". toggle off 63", "+ 2"] || guest.say("count").last == "+ 64")
    expectEqual(guest.say("kinds").count { $0.hasPrefix(". toggle ") }, 1)
    expectEqual(guest.violations(), [])
  }

  @Test("durable worlds keep their kinds, old versions and undone ones: by replay and by checkpoint")
  func restarts() throws {
    let daemon = try KeptDaemon()
    let guest = daemon.connect()
    func define(_ name: String, _ document: String, _ guest: Guest) -> String {
      guest.say("define \(name) format=scxml bytes=\(document.utf8.count)\n\(document)").last ?? ""
    }
    _ = guest.say("clock virtual")
    expect(define("tally", Self.counter(to: 2), guest), hasPrefix: "+ defined tally version=1")
    _ = guest.ask("new tally a")
    expect(define("toggle", Self.toggle, guest), hasPrefix: "+ defined toggle")
    _ = guest.ask("new toggle t", "undo 2")
    expect(define("tally", Self.counter(to: 3), guest), hasPrefix: "+ defined tally version=2")
    _ = guest.ask("new tally b", "send a add", "send b add", "send a add", "send b add by=1")
    let list = guest.say("list")
    let agenda = guest.say("agenda")
    expectEqual(list, [". a tally full", ". b tally low", "+ 2"])
    var last = try daemon.afterKill()
    for _ in 0..<3 {
      let guest = last.connect()
      expectEqual(last.log, [])
      expectEqual(guest.say("list"), list)
      expectEqual(guest.say("agenda"), agenda)
      expect(guest.say("new toggle t")[0], hasPrefix: "- UNKNOWN-KIND")
      expect(guest.say("send b add by=0")[0], hasPrefix: "+ stayed low")
      expect(guest.say("journal").contains { $0.contains(" - defined toggle version=1 undone=") })
      last = try last.restarted()
    }
    let end = last.connect()
    expectEqual(end.play("advance 5s", "list").suffix(3), [". a tally low", ". b tally low", "+ 2"])
    expect(end.say("undo 3").last, hasPrefix: "+ ")
  }

  @Test("an event that another machine sent has its address, by which it can be answered, also in a fork")
  func origin() {
    let guest = HostedService().connect(toWorld: "w")
    let asker = """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">
        <state id="idle"><transition event="ask" target="asked"><send target="#server" event="question"/></transition></state>
        <state id="asked"><transition event="answer" target="idle"/></state>
      </scxml>
      """
    let server = """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">
        <datamodel><data id="who"/></datamodel>
        <state id="ready">
          <transition event="question"><assign location="who" expr="_event.origin"/></transition>
          <transition event="reply" cond="who"><send targetexpr="who" event="answer"/></transition>
          <transition event="reply" target="lost"/>
        </state>
        <state id="lost"/>
      </scxml>
      """
    expect(define("asker", asker, guest).last, hasPrefix: "+ defined asker ")
    expect(define("server", server, guest).last, hasPrefix: "+ defined server ")
    expectEqual(guest.play("new asker a", "new server server", "send a ask", "expect a asked").last, "+ asked t=0.000")
    expectEqual(guest.play("world fork f", "send server reply", "expect a idle").last, "+ idle t=0.000")
    expectEqual(guest.play("use f", "expect a asked", "send server reply", "expect a idle").last, "+ idle t=0.000")
    // What comes from outside has no origin.
    expectEqual(guest.play("send server question", "send server reply", "expect server lost").last, "+ lost t=0.000")
  }

  @Test("a file that srcexpr surely names is missing, like one of src")
  func missing() {
    let guest = HostedService().connect(toWorld: "w")
    let caller = """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">
        <datamodel><data id="file" expr="'file:inner.scxml'"/><data id="other" expr="'file:' + file"/></datamodel>
        <state id="s"><invoke srcexpr="file"/><transition event="done.invoke" target="e"/></state><final id="e"/>
      </scxml>
      """
    expect(define("caller", caller, guest).last, hasPrefix: "- BAD-DEFINITION missing=inner.scxml : ")
    let inner = "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\"><final id=\"f\"/></scxml>"
    expectEqual(
      guest.say("define caller format=scxml resource=inner.scxml bytes=\(inner.utf8.count)\n\(inner)"),
      ["+ resource inner.scxml"])
    expect(define("caller", caller, guest).last, hasPrefix: "+ defined caller ")
    expectEqual(guest.play("new caller c", "expect c e").last, "+ e t=0.000")
  }

  @Test("files that no document uses count towards the limit, also empty ones")
  func unusedFiles() {
    var limits = Limits()
    expectNil(limits.set("definitionBytes=4096"))
    let guest = HostedService(limits: limits).connect(toWorld: "w")
    let answers = (0..<100).map { guest.say("define k format=scxml resource=r\($0) bytes=0")[0] }
    expect(answers.prefix(50).allSatisfy { $0.hasPrefix("+ resource ") })
    expect(answers.contains { $0.hasPrefix("- LIMIT name=definitionBytes value=4096 ") })
    expect(define("toggle", Self.toggle, HostedService(limits: limits).connect())[0], hasPrefix: "+ defined ")
  }

  @Test("in mode json the document is raw bytes, and findings and mistakes are objects")
  func json() {
    let guest = HostedService().connect(toWorld: "w")
    _ = guest.say("mode json")
    let wrong = Self.toggle.replacing("target=\"off\"", with: "target=\"of\"")
    let failed = define("toggle", wrong, guest)
    expect(failed.allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
    expect(failed.contains { $0.contains("did you mean off?") })
    expect(failed.last, contains: "BAD-DEFINITION")
    expect(failed.last?.contains("\"line\":") == true && failed.last?.contains("\"column\":") == true)
    let made = define("toggle", Self.toggle, guest)
    expect(made.count == 1 && made[0].contains("\"version\":1") && made[0].contains("\"states\":2"))
  }

  @Test("a long diagram is translated for graph, too")
  func longDiagram() {
    let guest = HostedService().connect(toWorld: "w")
    let text = "stateDiagram-v2\n[*] --> s0\n" + (0..<1_500).map { "s\($0) --> s\(($0 + 1) % 1_500) : go\n" }.joined()
    let defined = guest.say("define long format=mermaid bytes=\(text.utf8.count)\n\(text)")
    expect(defined.last, hasPrefix: "+ defined long ")
    expectEqual(guest.say("graph long format=scxml").last, "+ 4503")
  }

  @Test(
    "the document comes back as it was written, line by line, and can be defined again",
    arguments: ["\n", "\r\n", "\r"])
  func printed(end: String) {
    let guest = HostedService().connect(toWorld: "w")
    let lines = Self.counter(to: 3).replacing("<state id=\"low\">", with: "<!-- né —\t x -->\n\n<state id=\"low\">")
      .split(separator: "\n", omittingEmptySubsequences: false)
    expect(define("tally", lines.joined(separator: end) + end, guest).last, hasPrefix: "+ defined ")
    let printed = guest.say("graph tally format=scxml")
    expectEqual(printed, lines.map { ". \($0)" } + ["+ \(lines.count)"])
    let again = printed.dropLast().map { $0.dropFirst(2) }.joined(separator: "\n")
    expect(define("tally", again, guest).last, hasPrefix: "+ defined tally version=2 states=2 events=2 ")
    expectEqual(guest.say("graph tally format=scxml"), printed)
  }

  @Test("a document in another encoding cannot be printed, and the reply says why")
  func otherEncoding() {
    let host = HostedService()
    let guest = host.connect(toWorld: "w")
    let text = "<?xml version='1.0' encoding='ISO-8859-1'?>" + Self.toggle.replacing("\"on\"", with: "\"\u{F6}n\"")
    let bytes = text.unicodeScalars.map { UInt8($0.value) }
    host.round { guest.arrive(Array("define umlaut format=scxml bytes=\(bytes.count)\n".utf8) + bytes) }
    host.settle()
    expect(guest.lines().last, hasPrefix: "+ defined umlaut ")
    expect(
      guest.say("graph umlaut format=scxml").last,
      hasSuffix: " : the document is not in UTF-8, as lines are; a copy in UTF-8 can be printed")
    expect(guest.say("graph umlaut format=stateDiagram").last, hasPrefix: "+ ")
  }

  @Test(
    "a machine made with strict=on refuses what no transition takes, with the way; a timer and an end are no mistake")
  func strict() throws {
    let daemon = try KeptDaemon()
    let guest = daemon.connect()
    _ = guest.say("clock virtual")
    _ = define("toggle", Self.toggle.replacing("off", with: "away"), guest)
    _ = define("tally", Self.counter(to: 2), guest)
    let door = """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" initial="shut">
        <datamodel><data id="n" expr="0"/></datamodel>
        <state id="shut"><transition event="open" target="wide"/></state>
        <state id="wide"><transition event="close" cond="n &gt; 0" target="shut"/><transition event="end" target="over"/>
          <transition event="count"><assign location="n" expr="n + 1"/></transition></state>
        <final id="over"/>
      </scxml>
      """
    _ = define("door", door, guest)
    expect(guest.say("describe door").contains { $0.hasPrefix(". parameter strict type=flag ") })
    _ = guest.ask("new door d strict=on", "new door free", "new toggle t strict=on")
    expectEqual(guest.say("can d"), [". open data", "+ 1"])
    expectEqual(guest.say("can free").last, "+ 4")
    expectEqual(
      guest.say("send d close"),
      [
        "- REFUSED machine=d state=shut event=close allowed=open from=wide way=open,count t=0.000 seq=7 : no transition takes close in shut"
      ])
    expectEqual(guest.say("send free close"), ["+ ignored shut t=0.000 seq=8"])
    expectEqual(guest.say("send d open"), ["+ moved shut wide t=0.000 seq=9"])
    expect(guest.say("send d close")[0], hasSuffix: " : the guard \"n > 0\" of the transition in line 4 is false")
    expectEqual(guest.play("send d count", "send d close").last, "+ moved wide shut t=0.000 seq=12")
    let last = try daemon.afterKill().connect()
    expect(last.say("send d end")[0], hasPrefix: "- REFUSED machine=d state=shut event=end allowed=open ")
    expect(last.play("send d open", "send d end", "send d open").last, hasPrefix: "+ ignored over ")
    expect(
      last.say("new tally x strict=maybe")[0], hasPrefix: "- BAD-ARGUMENT argument=strict got=maybe allowed=on,off")
  }

  @Test("a condition has a value of its own sort, from new and from an event's data, or nothing happens")
  func conditions() {
    let guest = HostedService().connect(toWorld: "w")
    let diagram = """
      stateDiagram-v2
      [*] --> shut
      shut --> open : press [key in]
      open --> shut : press [n >= 3]

      """
    _ = guest.say("define hatch format=mermaid bytes=\(diagram.utf8.count)\n\(diagram)")
    expect(guest.say("kinds hatch")[0], hasPrefix: ". hatch states=2 events=1 ")
    let refusal = "argument=keyIn got=maybe allowed=on,off,true,false : keyIn is one of on,off,true,false, not 'maybe'"
    expectEqual(
      guest.play(
        "new hatch d keyIn=maybe", "new hatch d keyIn=off", "send d press keyIn=maybe", "cast * press keyIn=maybe"),
      [
        "- BAD-ARGUMENT \(refusal)", "+ created d shut t=0.000 seq=2", "- BAD-ARGUMENT \(refusal)",
        "- BAD-ARGUMENT \(refusal)",
      ])
    expect(guest.say("send d press").first, hasPrefix: "+ ignored shut t=0.000 seq=3")
    for word in ["on", "yes", "true", "1"] {
      expect(guest.play("send d press keyIn=\(word)", "undo").first, hasPrefix: "+ moved shut open ")
    }
    for word in ["off", "no", "false", "0"] {
      expect(guest.play("send d press keyIn=\(word)", "undo").first, hasPrefix: "+ ignored shut ")
    }
    expect(
      guest.play("send d press keyIn=on", "send d press n=many").last, hasPrefix: "- BAD-ARGUMENT argument=n got=many ")
    expect(guest.say("send d press n=3 strict=maybe").last, hasPrefix: "+ moved open shut ")
  }

  @Test("while their world is with a worker, the kinds are told as they were")
  func lent() {
    let host = HostedService()
    let guest = host.connect(toWorld: "w")
    _ = define("toggle", Self.toggle, guest)
    let hosted = guest.client.hosted
    let box = hosted.lend(host.service.workers.slot(of: UserID.owner.lane))
    let kinds = guest.say("kinds")
    expect(kinds.contains { $0.hasPrefix(". toggle states=2 ") } && kinds.contains { $0.hasPrefix(". power ") })
    expectEqual(guest.say("list"), [])
    hosted.bringHome(box)
    expectEqual(guest.say("sync"), ["+ 0", "+"])
  }

  @Test("a long list of kinds is for workers, so it waits while its world is with one")
  func longList() {
    let host = HostedService()
    let guest = host.connect(toWorld: "w")
    for number in 0...RequestContext.kindsOnEventLoop { _ = define("k\(number)", Self.toggle, guest) }
    let hosted = guest.client.hosted
    let box = hosted.lend(host.service.workers.slot(of: UserID.owner.lane))
    expectEqual(guest.say("kinds k100"), [])
    hosted.bringHome(box)
    expectEqual(guest.say("sync").map { $0.prefix(6) }, [". k100", "+ 1", "+"])
    let turn = guest.client.turn
    expectEqual(guest.say("@k kinds k1").last, "+ @k 12")
    expect(guest.client.turn > turn)
  }
}
