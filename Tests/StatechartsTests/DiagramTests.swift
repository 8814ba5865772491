import StateMachines
import TestSupport
import Testing

@testable import Statecharts

extension Definition {
  /// Compiles a diagram that has no mistakes.
  static func of(mermaid text: String) throws -> Definition { try of(text, .mermaid) }

  static func of(_ text: String, _ notation: DiagramNotation) throws -> Definition {
    switch compile(diagram: Array(text.utf8), notation) {
    case .definition(let definition, _): return definition
    case .mistakes(let findings, let missing): throw Mistakes(findings: findings, missing: missing)
    }
  }
}

@Suite("A Mermaid diagram")
struct DiagramTests {
  static func findings(_ text: String) -> [String] {
    switch Definition.compile(mermaid: Array("stateDiagram-v2\n\(text)".utf8)) {
    case .definition(_, let warnings): warnings.map(\.description)
    case .mistakes(let findings, _): findings.map(\.description)
    }
  }

  static func run(_ text: String) throws -> VirtualRun { VirtualRun(try .of(mermaid: "stateDiagram-v2\n\(text)")) }

  @Test("runs with guards, assignments, outputs, logs and timers")
  func lamp() throws {
    var run = try Self.run(
      """
      %% data count = 0
      [*] --> off
      off : entry / dark
      off --> on : press [count < 2] / count = count + 1; beep
      off --> broken : press
      on --> off : after 5s
      on --> off : press, release / log count as "n"
      on : tick [count > 1] / blink ×2, if (count > 5) { a } else { level(value = count) }
      broken --> [*]
      """)
    expectEqual(run.word, "off")
    expectEqual(run.send("release"), .ignored)
    run.send("press")
    expect(run.word == "on" && run.hasTimers)
    expectEqual(run.send("tick"), .ignored)
    run.advance(by: .seconds(5))
    expect(run.word == "off" && !run.hasTimers)
    run.send("press")
    expectEqual(run.send("tick"), .stayed)
    run.send("release")
    run.send("press")
    expect(run.word == "broken" && run.machine.final != nil)
    var level = DataObject()
    try level.set(.number(2), for: "value")
    expectEqual(
      run.told,
      [
        .output(name: "dark", data: .undefined), .output(name: "beep", data: .undefined),
        .output(name: "dark", data: .undefined), .output(name: "beep", data: .undefined),
        .output(name: "blink", data: .undefined), .output(name: "blink", data: .undefined),
        .output(name: "level", data: .object(level)), .log(label: "n", value: .number(2)),
        .output(name: "dark", data: .undefined),
      ])
  }

  @Test("has states within states, histories and completion")
  func player() throws {
    var run = try Self.run(
      """
      [*] --> off
      off --> player[H] : power
      off --> player[H*] : resume
      player --> off : power
      player --> off
      state player {
        [*] --> stopped
        stopped --> playing : play
        state playing {
          [*] --> slow
          slow --> fast : faster
        }
        playing --> [*] : eject
      }
      """)
    for (event, word) in [
      ("power", "stopped"), ("play", "slow"), ("faster", "fast"), ("power", "off"), ("power", "slow"),
      ("faster", "fast"), ("power", "off"), ("resume", "fast"), ("eject", "off"),
    ] {
      run.send(event)
      expectEqual(run.word, word, "\(event)")
    }
  }

  @Test("has regions, choices, forks and joins")
  func regions() throws {
    var run = try Self.run(
      """
      %% data n = 0
      state split <<fork>>
      state ready <<join>>
      state big <<choice>>
      [*] --> idle
      idle --> split : go / n = n + 1
      split --> B : / b
      split --> X
      state work {
        [*] --> A
        A --> B : a
        --
        [*] --> X
        X --> Y : x
        --
        [*] --> Z
      }
      B --> ready
      Y --> ready : y
      ready --> big : / joined
      big --> [*] : [n > 1]
      big --> idle : [else] / again
      """)
    run.send("go")
    expectEqual(run.word, "B+X+Z")
    run.send("x")
    expectEqual(run.word, "B+Y+Z")
    run.send("y")
    expectEqual(run.word, "idle")
    for event in ["go", "x", "y"] { run.send(event) }
    expect(run.word == "final" && run.machine.final != nil)
    let names = run.told.map { effect in if case .output(let name, _) = effect { name } else { "" } }
    expectEqual(names, ["b", "joined", "again", "b", "joined"])
  }

  @Test("whose fork has no regions gets them")
  func fork() throws {
    var run = try Self.run(
      """
      state f <<fork>>
      state j <<join>>
      [*] --> f
      f --> left
      f --> right
      left --> left2 : l
      left2 --> j
      right --> j : r
      j --> end2
      """)
    expectEqual(run.word, "left+right")
    run.send("r")
    expectEqual(run.word, "left+j_1")
    run.send("l")
    expectEqual(run.word, "end2")
  }

  @Test("asks for the data of an event, and reads what machines draw of themselves")
  func samples() throws {
    var run = try Self.run(
      """
      [*] --> off
      state "off" as off
      off : no power
      state "on" as on
      on : power is there, and all<br/>lamps are lit
      off --> on : buttonClick<br/>set(on|full)
      on --> off : buttonClick<br/>/ lampOff, beep<br/>▶ set(off)<br/>timeout after 350ms
      """)
    func set(_ text: String) throws -> DataValue {
      var data = DataObject()
      try data.set(.string(text), for: "state")
      return .object(data)
    }
    expectEqual(run.send("set", try set("off")), .ignored)
    expectEqual(run.send("set"), .ignored)
    run.send("set", try set("full"))
    expectEqual(run.word, "on")
    run.advance(by: .milliseconds(350))
    expectEqual(run.word, "off")
    run.send("buttonClick")
    run.send("buttonClick")
    expect(run.told.count == 2 && run.word == "off")
  }

  @Test("has all its mistakes told at once, each with its place and what was expected")
  func mistakes() {
    let found = Self.findings(
      """
      [*] -> off
      off --> on : user presses the button
      on --> off : press [count < ] / beep
      on --> off : after soon
      on : do / heat
      state c <<choise>>
      -- 
      off --> on : press [a
      note --> on
      state player {
        [H] --> off
      on --> off : x / if (a) beep
      }}
      """)
    expectEqual(
      found,
      [
        "2:5 error : expected --> or : after the state; found ->; did you mean -->?",
        "3:14 error : expected EVENT [GUARD] / ACTIONS; found user presses the button; write userPressesTheButton",
        "4:28 error : count < is no expression: expected a value; the text ends",
        "5:20 error : expected a duration; found soon; one is 350ms, 5s or 1.5h",
        "6:6 error : do / cannot run here: use entry /, exit / or after DURATION",
        "7:9 error : expected <<choice>>, <<fork>> or <<join>>; found <<choise>>. A history is NAME[H] or NAME[H*]",
        "8:1 error : regions are within a state: put state NAME { … } around them",
        "9:20 error : the guard has no ]",
        "10:1 error : note is a word of Mermaid and cannot name a state",
        "13:25 error : expected { and actions and }; found beep",
        "14:2 error : there is no block that } could close",
      ], "\(found.joined(separator: "\n"))")
  }

  @Test(
    "that Mermaid takes and that cannot run says why",
    arguments: [
      ("a --> b : [else]", "2:11 error : [else] belongs to a choice: write state a <<choice>>, or a guard"),
      (
        "state f <<fork>>\na --> f\nf --> b : x\nf --> c",
        "4:11 error : an arrow out of a fork is taken at once and has no event; leave the label away"
      ),
      (
        "state j <<join>>\na --> b : x\na --> j\nb --> j\nj --> c",
        "2:1 error : a and b are not active together: the states before a join are in regions (--) of one state"
      ),
      ("a --> a[H] : x", "2:1 error : a has no states in it, so its history has nothing to remember"),
      (
        "[*] --> a : go",
        "2:13 error : an arrow from [*] is taken at once and has no event; leave go away"
      ),
      (
        "state p {\nx --> y : e\n}\nstate q {\nz --> x : e\n}",
        "3:1 error : x is mentioned within p and within q: declare it where it belongs, with state x"
      ),
      (
        "a --> b : tick, or timer",
        "2:17 error : the text does not say how long the timer runs; write tick, or after DURATION"
      ),
      ("a –> b", "2:3 error : expected --> or : after the state; found –>; did you mean -->?"),
      (
        "gate shut --> b : go",
        "2:6 error : expected --> or : after the state; found shut; a name is one word, and state \"Two words\" as name gives it a title"
      ),
      (
        "a --> gate shut : go",
        "2:12 error : expected : and a label, or the line's end; found shut : go; a name is one word, and state \"Two words\" as name gives it a title"
      ),
      (
        "a --> b --> c", "2:9 error : expected : and a label, or the line's end; found --> c; write one arrow in a line"
      ),
      (
        "state Gate shut as a",
        "2:12 error : expected {, a line's end or <<choice>>; found shut as a; a title stands in quotes"
      ),
      (
        "state “Gate” as a",
        "2:14 error : expected {, a line's end or <<choice>>; found as a; the quotes of a title are \""
      ),
      ("a --> b : afer 5s", "2:11 error : expected EVENT [GUARD] / ACTIONS; found afer 5s; write after 5s"),
      ("a --> b : after(5s)", "2:11 error : expected EVENT [GUARD] / ACTIONS; found after(5s); write after 5s"),
      ("a --> b : every 5s", "2:11 error : expected EVENT [GUARD] / ACTIONS; found every 5s; write after 5s"),
      (
        "a --> b : count >= 3",
        "2:11 error : expected EVENT [GUARD] / ACTIONS; found count >= 3; write next [count >= 3], and the line %% data count = 0"
      ),
      (
        "a --> b : if n < 0",
        "2:11 error : expected EVENT [GUARD] / ACTIONS; found if n < 0; write next [n < 0], and the line %% data n = 0"
      ),
      (
        "a --> b : go [n > 1 and n < 3]",
        "2:21 error : n > 1 and n < 3 is no expression: expected the end; found and; did you mean &&?"
      ),
      ("a --> b : go [n = 3]\n%% data n = 0", "2:15 warning : n = 3 assigns; a comparison is written =="),
      (
        "a --> b : go [n => 3]\n%% data n = 0",
        "2:15 warning : n => 3 is a function, which is always true; a comparison is written >="
      ),
      (
        "a --> b : go [n > 3, n < 5]\n%% data n = 0",
        "2:15 warning : n > 3, n < 5 counts by its last part alone; conditions are joined by &&"
      ),
      (
        "a --> b : go [3 < n < 5]\n%% data n = 0",
        "2:15 warning : 3 < n < 5 compares what a comparison has given; two are joined by &&"
      ),
      (
        "a --> b\na --> c",
        "3:7 warning : the transition in line 2 is always taken before this one: it has no event, so it is taken at once"
      ),
      (
        "[*] --> a\na --> b\nb --> c\nc --> a",
        "3:7 warning : this loops for ever: the states of the loop have neither events nor conditions"
      ),
      ("a --> b : go / n = ", "2:16 error : expected a value after =; found n ="),
      ("a : / beep", "2:5 error : an internal transition has an event, as in press / beep"),
    ])
  func reasons(text: String, expected: String) {
    let found = Self.findings(text)
    expect(found.contains(expected), "\(found.joined(separator: "\n"))")
  }

  @Test("that begins otherwise is none")
  func heads() {
    func first(_ text: String) -> String {
      guard case .mistakes(let findings, _) = Definition.compile(mermaid: Array(text.utf8)) else { return "" }
      return findings[0].description
    }
    expectEqual(first(""), "1:1 error : the document is empty; expected stateDiagram-v2")
    let head = "error : expected stateDiagram-v2; found"
    expectEqual(first("graph TD"), "1:1 \(head) graph TD; of Mermaid's diagrams only state diagrams run")
    expectEqual(first("---\ntitle: x\n---\n%% c\n\nnonsense"), "6:1 \(head) nonsense")
    expectEqual(first("statediagram"), "1:1 \(head) statediagram; did you mean stateDiagram?")
    expectEqual(first("[*] --> a"), "1:1 \(head) [*] --> a; write stateDiagram-v2 in a line above")
    expect(first("<!DOCTYPE html>"), hasSuffix: "; this is a page of HTML, and no diagram")
    expect(
      first("<?xml version='1.0'?>"),
      hasSuffix: "; this is XML: write format=scxml, or name the file *.scxml")
    let fences = "; the file has the diagram alone, without the Markdown around it"
    expect(first("```mermaid\nstateDiagram-v2").hasSuffix(fences) && first("# Title").hasSuffix(fences))
  }

  // MARK: Properties

  /// A diagram with timers, made by chance.
  private static func timed(seed: UInt64) -> String {
    var generator = Generator(salt: seed)
    func pick(_ words: [String]) -> String { words[generator.draw(in: 0...(words.count - 1))] }
    let labels = [
      "after 2s", "after 350ms", "after 1.5ms", "ring after 6s", "go", "go, after 2s", "go, or after 3s / beep",
      "after 2s [n > 1] / n = 0", "ring", "after 0s [n < 9] / n = n + 1",
    ]
    var lines = ["stateDiagram-v2", "%% data n = 0", "[*] --> a", "a : entry / n = n + 1", "b : exit / beep"]
    lines += ["state c {", "[*] --> d", "d --> e : \(pick(labels))", "}"]
    for _ in 0..<7 { lines.append("\(pick(["a", "b", "c"])) --> \(pick(["a", "b", "c"])) : \(pick(labels))") }
    lines.append("\(pick(["a", "b"])) : \(pick(labels))")
    return lines.joined(separator: "\n")
  }

  @Test(
    "with timers is written with timers again, and behaves the same",
    arguments: Thorough.rounds(0..<200 as Range<UInt64>))
  func writtenTimers(seed: UInt64) throws {
    let diagram = Self.timed(seed: seed)
    let definition = try Definition.of(mermaid: diagram)
    let (text, omissions) = definition.stateDiagram()
    expect(omissions.isEmpty && !text.contains("send ") && !text.contains("cancel "), "\(diagram)\n\(text)")
    for notation in Self.notations(seed) {
      let text = definition.stateDiagram(notation).text
      let read = try Definition.of(text, notation)
      let difference = Self.difference(definition, read, seed: seed, events: ["go", "ring"])
      expectNil(difference, "\(difference ?? "")\n\(diagram)\n\(text)")
      expectEqual(read.stateDiagram(notation).text, text)
    }
    expect(!definition.admits("a.after.2s") && definition.admits("go") == diagram.contains("go"))
  }

  /// What is seen of a run, but for the numbers of states.
  private static func sight(_ run: VirtualRun) -> [String] {
    let slot = run.definition.charts[0].chart.symbols.known("n")
    let count =
      slot.flatMap { $0 < run.machine.root.variables.count ? run.machine.root.variables[$0]?.text : nil } ?? ""
    return [run.word, "\(run.outcome)", "\(run.machine.final == nil)", count] + run.told.map { "\($0)" }
  }

  /// Those in which a chart is written: both, or each in turn where rounds are few.
  private static func notations(_ seed: UInt64) -> [DiagramNotation] {
    if Thorough.isFull { [.mermaid, .plantuml] } else { [seed.isMultiple(of: 2) ? .mermaid : .plantuml] }
  }

  /// The first difference of two definitions in a walk.
  static func difference(_ first: Definition, _ second: Definition, seed: UInt64, events: [String]) -> String? {
    var generator = Generator(salt: seed)
    // Loops that do not end are the same in both, and take their time.
    var limits = StatechartLimits()
    limits.budget.steps = 600
    var runs = [VirtualRun(first, limits: limits), VirtualRun(second, limits: limits)]
    for step in 0..<30 {
      let sights = runs.map(sight)
      if sights[0] != sights[1] { return "step \(step): \(sights[0].prefix(4)), then \(sights[1].prefix(4))" }
      let event = events[generator.draw(in: 0...(events.count - 1))]
      for run in runs.indices {
        runs[run].send(event)
        if step % 5 == 4 { runs[run].advance(by: .seconds(2)) }
      }
    }
    return nil
  }

  @Test("in PlantUML has deep histories as states of their own, which each release takes")
  func deepHistory() throws {
    let diagram = """
      stateDiagram-v2
      [*] --> p
      state p {
        [*] --> a
        a --> p_history : go
        p_history --> a : ring
      }
      p --> q : go
      q --> p[H*] : ring
      """
    let definition = try Definition.of(mermaid: diagram)
    let text = definition.stateDiagram(.plantuml).text
    expect(text.contains("state \"H*\" as p_history_ <<history*>>") && !text.contains("[H*]"), "\(text)")
    let read = try Definition.of(text, .plantuml)
    expectNil(Self.difference(definition, read, seed: 1, events: ["go", "ring"]))
    expectEqual(read.stateDiagram(.plantuml).text, text)
  }

  @Test("written from a chart with ids that are no names in Mermaid says so, and asks for the new names")
  func renamed() throws {
    let chart = try Definition.of(
      """
      \(WithstandTests.head)
      <state id='S-2'><transition event='e' target='o:1' cond="In('S-2') &amp;&amp; !In(&quot;o:1&quot;)"/></state>
      <state id='o:1'><state id='i'><transition event='e' target='f'/></state><final id='f'/>
      <onexit><if cond="In('o:1')"><raise event='own'/></if></onexit>
      <transition event='done.state.o:1' target='x'/></state>
      <state id='x'><transition event='own' target='S-2'/></state></scxml>
      """)
    let (text, omissions) = chart.stateDiagram()
    expect(omissions.isEmpty && text.contains("%% renamed: S-2 is S_2\n    %% renamed: o:1 is o_1\n"), "\(text)")
    var runs = [VirtualRun(chart), VirtualRun(try .of(mermaid: text))]
    for expected in [("i", "i"), ("S-2", "S_2"), ("i", "i")] {
      for place in runs.indices { runs[place].send("e") }
      expectEqual(runs.map(\.word), [expected.0, expected.1], "\(text)")
    }
    let workedOut = try Definition.of(
      """
      \(WithstandTests.head)<datamodel><data id='n' expr="'S-2'"/></datamodel>
      <state id='S-2'><transition event='e' target='x' cond='In(n)'/></state><state id='x'/></scxml>
      """)
    expectEqual(workedOut.stateDiagram().omissions, ["an In() of an id that is worked out"])
    let null = try Definition.of(
      """
      <scxml xmlns='http://www.w3.org/2005/07/scxml' datamodel='null'>
      <state id='S-2'><transition event='e' target='x' cond='In(S-2)'/></state><state id='x'/></scxml>
      """)
    var run = VirtualRun(try .of(mermaid: null.stateDiagram().text))
    run.send("e")
    expectEqual(run.word, "x")
  }

  @Test("a state in which a machine may rest is written as one, a choice and guards in parentheses as they are")
  func writtenChoices() throws {
    let diagram = """
      stateDiagram-v2
          state sorted <<choice>>
          [*] --> idle
          idle --> hot : [t > 26]
          idle --> cold : [t < 18]
          hot --> sorted : look
          sorted --> cold : [t < 18]
          sorted --> idle : [t > 18]
          cold --> idle : warm [(t > 18) || (t < 3)] / t = 20, raise alarm
          %% data t = 20
      """
    let definition = try Definition.of(mermaid: diagram)
    let (text, omissions) = definition.stateDiagram()
    expect(text.contains("state \"idle\" as idle\n") && text.contains("state sorted <<choice>>\n"), "\(text)")
    expect(text.contains("cold --> idle : warm [(t #gt; 18) || (t #lt; 3)] / t = 20"), "\(text)")
    // Nothing awaits the alarm, so freely it would be read as an output.
    expect(omissions.isEmpty, "\(omissions)")
    let free = "stateDiagram-v2\n[*] --> a\na --> b : open [(ready) && (willing)]"
    guard case .definition(let read, _) = Definition.compile(mermaid: Array(free.utf8), reading: .free) else {
      Issue.record("\(free)")
      return
    }
    expect(
      read.stateDiagram().text.contains("a --> b : open [(ready) #amp;#amp; (willing)]"), "\(read.stateDiagram())")
  }

  @Test("written from a chart made by chance behaves as the chart, and so does its SCXML", arguments: 0..<3)
  func writtenCharts(part: UInt64) throws {
    for seed in Thorough.rounds((part * 30)..<(part * 30 + 30)) {
      let chart = RandomChart(seed: seed)
      let definition = try Definition.of(chart.document)
      let events = Array(RandomChart.events.prefix(4))
      for notation in Self.notations(seed) {
        let (text, omissions) = definition.stateDiagram(notation)
        do {
          expect(omissions.isEmpty, "seed \(seed): \(omissions)")
          let read = try Definition.of(text, notation)
          if let difference = Self.difference(definition, read, seed: seed, events: events) {
            Issue.record("seed \(seed), \(difference)\n\(chart.document)\n\(text)")
            return
          }
          let document = try #require(Definition.scxml(diagram: Array(text.utf8), notation))
          if let difference = Self.difference(read, try .of(document), seed: seed, events: events) {
            Issue.record("seed \(seed), SCXML: \(difference)\n\(text)\n\(document)")
            return
          }
          expect(read.stateDiagram(notation).omissions.isEmpty)
        } catch {
          Issue.record("seed \(seed): \(error)\n\(text)")
          return
        }
      }
    }
  }
}
