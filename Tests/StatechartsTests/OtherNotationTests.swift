import StateMachines
import TestSupport
import Testing

@testable import Statecharts

@Suite("A state diagram of PlantUML, and a machine of XState")
struct OtherNotationTests {
  private static let notations: [(notation: DiagramNotation, documents: [(name: String, text: String)])] = [
    (.plantuml, PlantUMLDocuments.all), (.xstate, XStateDocuments.all),
  ]

  private static func load(
    _ text: String, _ notation: DiagramNotation, _ reading: DiagramReading = .free
  ) throws -> (definition: Definition, findings: [String]) {
    switch Definition.compile(diagram: Array(text.utf8), notation, reading: reading) {
    case .definition(let definition, let findings): return (definition, findings.map(\.description))
    case .mistakes(let findings, let missing): throw Definition.Mistakes(findings: findings, missing: missing)
    }
  }

  private static func findings(_ text: String, _ notation: DiagramNotation) -> [String] {
    switch Definition.compile(diagram: Array(text.utf8), notation, reading: .free) {
    case .definition(_, let findings), .mistakes(let findings, _): findings.map(\.description)
    }
  }

  private static func run(_ text: String, _ notation: DiagramNotation) throws -> VirtualRun {
    VirtualRun(try load(text, notation).definition)
  }

  private static func data(_ members: [(key: String, text: String)]) -> DataValue {
    JSON.value(of: ChartData.text(of: members) ?? "") ?? .undefined
  }

  /// The transitions of a document that no walk takes: each of them logs its number in a copy.
  private static func untaken(_ definition: Definition, _ scxml: String, seed: UInt64) throws -> [String] {
    var lines: [String] = []
    var arrows: [String] = []
    var owner = ""
    for line in scxml.split(separator: "\n") {
      let text = line.drop { $0 == " " }
      if text.hasPrefix("<initial") || text.hasPrefix("<history") { owner = "default" }
      if text.hasPrefix("</initial") || text.hasPrefix("</history") { owner = "" }
      guard text.hasPrefix("<transition"), owner.isEmpty else {
        lines.append(String(line))
        continue
      }
      let log = "<log label=\"arrow \(arrows.count)\"/>"
      arrows.append(String(text))
      lines.append(
        text.hasSuffix("/>") ? "\(line.dropLast(2))>\(log)</transition>" : String(line) + log)
    }
    let copy = try Definition.of(lines.joined(separator: "\n"))
    let chart = definition.charts[0].chart
    let events = copy.charts[0].chart.events.names.filter { definition.admits($0) && !$0.hasPrefix("done.state") }
    var taken: Set<String> = []
    var generator = Generator(salt: seed)
    for _ in 0..<60 where taken.count < arrows.count {
      var run = VirtualRun(copy)
      for _ in 0..<40 {
        if run.hasTimers, generator.draw(in: 0...2) == 0 || events.isEmpty {
          run.advance(by: .seconds([1, 60, 3_600][generator.draw(in: 0...2)]))
        } else if !events.isEmpty {
          let event = events[generator.draw(in: 0...(events.count - 1))]
          var samples = [DataValue.undefined]
          // The answers to several questions at once, as an event can give them.
          var all = DataObject()
          for text in (chart.eventData[event] ?? []) + (chart.eventData[""] ?? []) {
            guard case .object(let object)? = JSON.value(of: text) else { continue }
            samples.append(.object(object))
            for (key, value) in zip(object.keys, object.values) where generator.draw(in: 0...1) == 0 {
              try all.set(value, for: key)
            }
          }
          samples.append(.object(all))
          run.send(event, samples[generator.draw(in: 0...(samples.count - 1))])
        } else {
          break
        }
      }
      for case .log(let label, _) in run.told where label.hasPrefix("arrow ") { taken.insert(label) }
    }
    return arrows.indices.filter { !taken.contains("arrow \($0)") }.map { arrows[$0] }
  }

  @Test("takes PlantUML's short arrows, and a text that goes on in an indented line")
  func shortArrows() throws {
    let (definition, findings) = try Self.load(
      """
      @startuml
      [*] -r> a
      a -d> b : go
      b : entry / send tick\\n\u{A0}\u{A0}as t after 5s
      b -u> a : tick
      @enduml
      """, .plantuml)
    var run = VirtualRun(definition)
    run.send("go")
    run.advance(by: .seconds(5))
    expectEqual(run.word, "a", "\(findings)")
  }

  @Test("loads as people write it, every arrow can be taken, and it is written again", arguments: 0..<2)
  func documents(place: Int) throws {
    let (notation, documents) = Self.notations[place]
    expect(documents.count >= (notation == .plantuml ? 25 : 15))
    for (name, text) in documents {
      do {
        let (definition, findings) = try Self.load(text, notation)
        expect(findings.allSatisfy { !$0.contains(" error : ") }, "\(name): \(findings)")
        let scxml = try #require(Definition.scxml(diagram: Array(text.utf8), notation, reading: .free))
        let untaken = try Self.untaken(definition, scxml, seed: 1)
        expect(untaken.isEmpty, "\(name): \(untaken)\n\(findings)\n\(scxml)")
        let (diagram, omissions) = definition.stateDiagram()
        expect(omissions.isEmpty, "\(name): \(omissions)\n\(diagram)")
        guard case .definition(let again, _) = Definition.compile(mermaid: Array(diagram.utf8), reading: .free) else {
          Issue.record("\(name) is written so that it is refused:\n\(diagram)")
          continue
        }
        let events = definition.charts[0].chart.events.names
        // States called like words of Mermaid have other names there.
        for seed in Thorough.rounds(0..<4 as Range<UInt64>) where !diagram.contains("%% renamed: ") {
          let difference = DiagramTests.difference(definition, again, seed: seed, events: events)
          expectNil(difference, "\(name) \(seed): \(difference ?? "")\n\(diagram)")
        }
      } catch let error as Definition.Mistakes {
        Issue.record("\(name): \(error)")
      }
    }
  }

  @Test("of PlantUML reads what only draws as nothing, and says nothing of it")
  func quiet() throws {
    for name in ["order", "composite with a title", "notes everywhere", "comments", "legend, header, footer"] {
      let text = try #require(PlantUMLDocuments.all.first { $0.name == name }).text
      let findings = try Self.load(text, .plantuml).findings
      expect(
        findings.allSatisfy { $0.contains("is the event") || $0.contains("is the output") || $0.contains("condition") },
        "\(findings)")
    }
  }

  @Test("of PlantUML does what its words say")
  func plantUML() throws {
    var run = try Self.run(
      """
      @startuml
      state Wash {
        state back <<history>>
        [*] --> Fill
        Fill --> Spin : full
      }
      [*] --> Wash
      Wash --> Dark : off
      Dark --> back : on
      Dark --> [*] : never
      @enduml
      """, .plantuml)
    for (event, word) in [("full", "Spin"), ("off", "Dark"), ("on", "Spin")] {
      run.send(event)
      expectEqual(run.word, word)
    }
    let actions = try #require(PlantUMLDocuments.all.first { $0.name == "actions and guards" }).text
    run = try Self.run(actions, .plantuml)
    for (event, word) in [
      ("wrongCode", "Locked"), ("wrongCode", "Locked"), ("wrongCode", "Alarm"), ("reset", "Locked"),
      ("rightCode", "Unlocked"),
    ] {
      run.send(event)
      expectEqual(run.word, word)
    }
    run.advance(by: .seconds(5))
    expectEqual(run.word, "Locked")
    // A state is where it is mentioned first.
    let place = try #require(PlantUMLDocuments.all.first { $0.name.hasPrefix("a state that is mentioned") }).text
    run = try Self.run(place, .plantuml)
    for (event, word) in [
      ("Succeeded", "State2"), ("Succeeded", "long1"), ("enoughData", "Process"), ("Pause", "State2"),
      ("Resume", "Process"),
    ] {
      run.send(event)
      expectEqual(run.word, word)
    }
  }

  @Test(
    "of PlantUML takes a circle or a cross at an arrow's end in either case, and a state of that name",
    arguments: ["o", "x"])
  func plantUMLHeads(letter: String) throws {
    for head in [letter, letter.uppercased()] {
      var run = try Self.run(
        """
        @startuml
        [*] -->\(head) A
        A \(head)--> B : go
        B -->\(head) A : back
        A -->\(head) : leave
        \(head) --> A : home
        @enduml
        """, .plantuml)
      for (event, word) in [("go", "B"), ("back", "A"), ("leave", head), ("home", "A")] {
        run.send(event)
        expectEqual(run.word, word)
      }
    }
  }

  @Test("of XState may begin with a mark of the byte order")
  func byteOrderMark() throws {
    expectEqual(try Self.run("\u{FEFF}{\"initial\": \"a\", \"states\": {\"a\": {}}}", .xstate).word, "a")
  }

  @Test("of PlantUML has regions as a whole, and states that are named with the one around them")
  func wholeAndParts() throws {
    var run = try Self.run(
      "@startuml\n[*] --> A\nA --> B : go\n--\n[*] --> C\nC --> D : hop\nD --> C : jump\n@enduml", .plantuml)
    expectEqual(run.word, "A+C")
    for (event, word) in [("hop", "A+D"), ("go", "B+D"), ("jump", "B+C")] {
      run.send(event)
      expectEqual(run.word, word)
    }
    let dotted = """
      [*] --> A.X
      A.X --> A.Y : step
      state A {
        state X
        state Y
      }
      A.Y --> B.X : leave
      B.X --> A : return
      """
    run = try Self.run("@startuml\n\(dotted)\n@enduml", .plantuml)
    for (event, word) in [("step", "Y"), ("leave", "B.X"), ("return", "X")] {
      run.send(event)
      expectEqual(run.word, word)
    }
    // Of two states that are named within each other, one is outside.
    run = try Self.run("@startuml\n[*] --> A.B\nA.B --> B.A : turn\nB.A --> A.B : back\n@enduml", .plantuml)
    run.send("turn")
    expect(run.word != "")
    // Without a separator, a name with a dot is a name.
    run = try Self.run("@startuml\nset separator none\n\(dotted)\n@enduml", .plantuml)
    expectEqual(run.word, "A.X")
  }

  @Test("of PlantUML has in a block what its beginning leads to")
  func beginningElsewhere() throws {
    var run = try Self.run(
      "@startuml\nstate Menu\n[*] --> Shop\nstate Shop {\n[*] --> Menu\nMenu --> Cart : add\n}\nShop --> Off : quit\n@enduml",
      .plantuml)
    expectEqual(run.word, "Menu")
    run.send("quit")
    expectEqual(run.word, "Off")
  }

  @Test("of XState takes the arrow of an event before that of the wildcard")
  func wildcard() throws {
    let text = """
      {"initial": "a", "states": {"a": {"on": {"*": "b", "STOP.NOW": "c"}}, "b": {"on": {"BACK": "a"}}, "c": {}}}
      """
    for (event, word) in [("STOP.NOW", "c"), ("other", "b")] {
      var run = try Self.run(text, .xstate)
      run.send(event)
      expectEqual(run.word, word)
    }
  }

  @Test(
    "of PlantUML that cannot be read says what to do",
    arguments: [
      (
        "@startuml\nAlice -> Bob : hello\n@enduml", "1:1 error : this is no state diagram: it has neither [*] nor state"
      ),
      (
        "@startuml\nactor Bob\nBob -> Eve : hi\n@enduml",
        "2:1 error : of PlantUML's diagrams only state diagrams run; found actor Bob"
      ),
      (
        "@startmindmap\n* a\n@endmindmap",
        "1:1 error : of PlantUML's diagrams only state diagrams run; found @startmindmap"
      ),
      ("stateDiagram-v2\na --> b", "; this is Mermaid: write format=mermaid, or name the file *.mmd"),
      ("@startuml\n[*] --> A\nA -- B\n@enduml", "3:3 error : an arrow has one head: write -->; found --"),
      ("@startuml\n[*] --> A\nA --> : x\n@enduml", "3:7 error : expected a state after the arrow; found : x"),
      ("@startuml\n[*] --> A\nA of B --> C\n@enduml", "3:3 error : expected --> or : after A; found of B --> C"),
      (
        "@startuml\nstate two words\n[*] --> two\n@enduml",
        "2:11 error : expected {, : or a line's end; found words; a name is one word"
      ),
      ("@startuml\n[*] --> A\nnote left of A\ntext\n@enduml", "3:1 error : the note has no end; expected end note"),
      ("@startuml\n/' no end\n[*] --> A\n@enduml", "2:1 error : the comment has no end; expected '/"),
      ("@startuml\nstate A {\n[*] --> B\n@enduml", "2:1 error : the block of A has no }"),
      ("@startuml\nstate h <<history>>\n[*] --> A\nA --> h : x\n@enduml", "2:1 error : a history belongs to a state"),
      (
        "@startuml\n!include other.puml\n[*] --> A\nA --> B : x\nB --> A : y\n@enduml",
        "2:1 warning : !include other.puml is left out"
      ),
      (
        "@startuml\n[*] --> A\nA --> B : x\nB --> A : y\n@enduml\n@startuml\n@enduml",
        "6:1 warning : only the first diagram of the text is read"
      ),
      (
        "@startuml\n[*] --> A\nA --> B : after 1,5s\n@enduml", "3:11 error : a comma separates events; write after 1.5s"
      ),
    ])
  func plantUMLFindings(text: String, expected: String) {
    let found = Self.findings(text, .plantuml)
    expect(found.contains { $0.contains(expected) }, "\(found)")
  }

  @Test("of PlantUML read strictly takes formal labels alone")
  func strict() throws {
    let text = "@startuml\n[*] --> A\nA --> B : user pushes\n@enduml"
    #expect(throws: Definition.Mistakes.self) { try Self.load(text, .plantuml, .strict) }
    #expect(throws: Definition.Mistakes.self) { try Self.load("[*] --> A\nA --> B : go", .plantuml, .strict) }
    let formal = "@startuml\n[*] --> A\nA -> B : go [n < 3] / n = n + 1\n' data n = 0\nB --> A : go\n@enduml"
    let (strict, findings) = try Self.load(formal, .plantuml, .strict)
    expect(findings.isEmpty)
    let free = try Self.load(formal, .plantuml)
    expect(free.findings.isEmpty)
    expectNil(DiagramTests.difference(strict, free.definition, seed: 1, events: ["go"]))
    let machine = #"{"initial": "a", "states": {"a": {"on": {"GO": {"target": "b", "guard": "mayGo"}}}, "b": {}}}"#
    try expect(Self.load(machine, .xstate).findings.contains { $0.contains(" note : nothing declares mayGo") })
    try expect(
      Self.load(machine, .xstate, .strict).findings.contains { $0.contains(" warning : nothing declares mayGo") })
  }

  @Test("of XState does what its words say, by version")
  func xstate() throws {
    func run(_ name: String) throws -> VirtualRun {
      try Self.run(try #require(XStateDocuments.all.first { $0.name == name }).text, .xstate)
    }
    var machine = try run("fetch of version 4")
    machine.send("FETCH")
    expectEqual(machine.told, [.output(name: "fetchData", data: .undefined)])
    machine.send("getData.error", Self.data([("canRetry", "off")]))
    expectEqual(machine.word, "failure")
    machine.send("RETRY")
    machine.send("getData.error")
    expectEqual(machine.word, "loading")
    machine.send("getData.done")
    expect(machine.word == "success" && machine.told.contains(.output(name: "keepData", data: .undefined)))

    machine = try run("self transitions")
    machine.send("SAME")
    expectEqual(machine.told.count, 1)
    machine.send("AGAIN")
    expectEqual(machine.told.count, 3)

    machine = try run("history")
    for (event, word) in [("SWITCH_CHECK", "check"), ("NEXT", "review"), ("PREVIOUS", "check")] {
      machine.send(event)
      expectEqual(machine.word, word)
    }
    machine = try run("guards with parameters and always")
    machine.send("ANSWER")
    expectEqual(machine.word, "won")
    expectEqual(machine.told.count, 1)
    guard case .output(name: "praise", let data) = machine.told[0] else {
      Issue.record("\(machine.told)")
      return
    }
    expectEqual(JSON.text(of: data), #"{"text":"well done","loud":true}"#)
    machine = try run("delays by name and as a list")
    machine.advance(by: .milliseconds(2_499))
    expectEqual(machine.word, "waiting")
    machine.advance(by: .milliseconds(1))
    expectEqual(machine.word, "asking")
    machine = try run("a parallel state that ends")
    machine.send("CLEAN")
    machine.send("COPIED")
    expect(machine.word == "done" && machine.told.count == 1)
    machine = try run("targets by id")
    machine.send("JUMP")
    expectEqual(machine.word, "inner")

    // A state that is its own target stays there, also if another one is the first.
    machine = try Self.run(
      #"{"initial": "a", "states": {"a": {"on": {"N": "b"}}, "b": {"on": {"SELF": {"target": "b", "actions": "x"}}}}}"#,
      .xstate)
    machine.send("N")
    machine.send("SELF")
    expect(machine.word == "b" && machine.told.count == 1)
    // What ends can have actions alone, and a name that no sibling has is that of a state around.
    machine = try Self.run(
      """
      {"initial": "a", "states": {"a": {"initial": "x", "onDone": {"actions": "cheer"}, "on": {"OUT": "b"},
      "states": {"x": {"on": {"END": "y", "FAR": "b"}}, "y": {"type": "final"}}}, "b": {}}}
      """, .xstate)
    machine.send("END")
    expect(machine.word == "y" && machine.told.count == 1)
    machine = try Self.run(
      #"{"initial": "a", "states": {"a": {"initial": "x", "states": {"x": {"on": {"FAR": "b"}}}}, "b": {}}}"#, .xstate)
    machine.send("FAR")
    expectEqual(machine.word, "b")

    // A composite that is its own target begins again within itself, and is not left unless it says so.
    func own(_ more: String) throws -> (word: String, told: Int) {
      var machine = try Self.run(
        """
        {"initial": "a", "states": {"a": {"initial": "x", "entry": "in", "states": {"x": {"on": {"N": "y"}}, "y": {}},
        "on": {"SELF": {"target": "a"\(more)}}}}}
        """, .xstate)
      machine.send("N")
      machine.send("SELF")
      return (machine.word, machine.told.count)
    }
    try expect(
      own("") == ("x", 1) && own(", \"reenter\": true") == ("x", 2) && own(", \"internal\": false") == ("x", 2))
  }

  @Test(
    "of XState that cannot be read says what to do",
    arguments: [
      ("{}", "1:1 error : this is no machine of XState: expected an object with states"),
      (#"{"states": {"a": {}},}"#, "1:22 error : this is no JSON; found }; a comma must not stand before } or ]"),
      (
        "import { createMachine } from 'xstate'",
        "; this is a program: write what JSON.stringify(machine.config) gives in it"
      ),
      ("id: light\nstates:\n  a: {}", "; YAML is not read: write the same as JSON"),
      ("@startuml\n@enduml", "; this is PlantUML: write format=plantuml, or name the file *.puml"),
      (#"{"initial": "b", "states": {"a": {}, "bb": {}}}"#, "1:13 error : machine has no state b"),
      (
        #"{"initial": "a", "states": {"a": {"on": {"X": "bee"}}, "be": {}}}"#, "there is no state bee; did you mean be?"
      ),
      (##"{"initial": "a", "states": {"a": {"on": {"X": "#no"}}}}"##, "there is no state #no"),
      (
        #"{"initial": "a", "states": {"a": {"type": "paralel"}}}"#,
        "expected type parallel, final, history, compound or atomic; found paralel"
      ),
      (
        #"{"initial": "a", "states": {"a": {"onn": {}}}}"#,
        "warning : onn means nothing in a state, and is left out; did you mean on?"
      ),
      (
        #"{"initial": "a", "states": {"a": {"on": {"X": {"target": "a", "gaurd": "g"}}}}}"#,
        "gaurd means nothing in a transition"
      ),
      (
        #"{"initial": "a", "states": {"a": {"on": {"X": 3}}}}"#,
        "a transition is a target, an object with target, guard and actions"
      ),
      (#"{"initial": "a", "states": {"a": 1}}"#, "the state a is no object; an empty state is {}"),
      (#"{"initial": "a", "states": {"a": {}, "a": {}}}"#, "the state a is there twice"),
      (
        #"{"initial": "a", "states": {"a": {"after": {"-5": "a"}}}}"#,
        "expected a delay from 0 to 36500d in milliseconds; found -5"
      ),
      (
        #"{"initial": "a", "states": {"a": {"after": {"1e300": "a"}}}}"#,
        "expected a delay from 0 to 36500d in milliseconds; found 1e300"
      ),
      (
        #"{"initial": "a", "states": {"a": {"onDone": "b", "initial": "x", "states": {"x": {}}}, "b": {}}}"#,
        "a has no final state that ends it, so onDone is never taken"
      ),
      (
        #"{"states": {"a": {"on": {"X": "b"}}, "b": {}}}"#,
        #"warning : machine begins in a, its first state; write "initial": "a""#
      ),
      (#"{"initial": "a", "context": {"a-b": 1}, "states": {"a": {}}}"#, "a-b of the context is left out"),
      (#"{"initial": "a", "states": {"a": {"entry": [1]}}}"#, "an action is a name, or an object with type and params"),
    ])
  func xstateFindings(text: String, expected: String) {
    let found = Self.findings(text, .xstate)
    expect(found.contains { $0.contains(expected) }, "\(found)")
  }

  @Test("that is nested or long beyond the limits is refused, and reading gives way")
  func limits() {
    let deep = String(repeating: #"{"states":{"a":"#, count: 200) + "{}" + String(repeating: "}}", count: 200)
    expectEqual(
      Self.findings(deep, .xstate),
      [
        "1:751 error : values are nested more than 100 deep; found {\"states\":{\"a\":{\"sta"
      ])
    var limits = DocumentLimits()
    limits.nodes = 100
    let wide = #"{"states":{"# + (0..<200).map { "\"s\($0)\":{}" }.joined(separator: ",") + "}}"
    guard
      case .mistakes(let findings, _) = Definition.compile(
        diagram: Array(wide.utf8), .xstate, reading: .free, limits: limits)
    else {
      Issue.record("it is read")
      return
    }
    expect(findings.map(\.message).contains { $0.hasPrefix("the document has more than 100 values") })
    for (notation, text) in [
      (DiagramNotation.xstate, wide), (.plantuml, String(repeating: "A --> B : x\n", count: 5_000)),
    ] {
      var questions = 0
      _ = Definition.compile(diagram: Array(text.utf8), notation, reading: .free) {
        questions += 1
        return questions < 2
      }
      expectEqual(questions, 2)
    }
  }

  @Test("that is cut, doubled and mixed by chance ends with findings or a machine", arguments: 0..<2)
  func mutations(place: Int) {
    let (notation, documents) = Self.notations[place]
    let pieces =
      notation == .plantuml
      ? [
        "-->", "<-", "[*]", "[H]", "{", "}", "--", "||", "/'", "'/", "<<choice>>", "<<history>>", "<<end>>", "\"",
        "state ", "note ", " as ", "==", "\\n", ":", "é", "\u{0}", "end note", "after ", "[", "]",
      ]
      : [
        "{", "}", "[", "]", ",", ":", "\"", "null", "1e999", "-1", "\"type\":\"parallel\",", "\"#m\"", "\".\"", "true",
        "\\uD800", "é", "\"history\":\"deep\",", "\"target\":[],",
      ]
    var dice = Dice(seed: place)
    var accepted = 0
    let rounds = Thorough.rounds(4_000)
    for _ in 0..<rounds {
      var bytes = Array(dice.one(of: documents).text.utf8)
      // Of JSON little is left that can be read after several changes, so half of the documents have one.
      for _ in 0...(dice.once(in: 2) ? 0 : dice.number(below: 3)) where !bytes.isEmpty {
        let place = dice.number(below: bytes.count)
        switch dice.number(below: 5) {
        case 0: bytes.removeSubrange(place..<min(bytes.count, place + 1 + dice.number(below: 40)))
        case 1: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 1 + dice.number(below: 60))], at: place)
        case 2: bytes[place] = UInt8(dice.number(below: 256))
        case 3: bytes = Array(bytes[..<place] + dice.one(of: documents).text.utf8.dropFirst(dice.number(below: 200)))
        case _: bytes.insert(contentsOf: dice.one(of: pieces).utf8, at: place)
        }
      }
      guard
        case .definition(let definition, _) = Definition.compile(
          diagram: bytes, notation, reading: dice.once(in: 4) ? .strict : .free)
      else { continue }
      accepted += 1
      _ = definition.stateDiagram()
      var limits = StatechartLimits()
      limits.budget.steps = 3_000
      var run = VirtualRun(definition, limits: limits)
      let events = definition.charts[0].chart.events.names
      for _ in 0..<4 where !events.isEmpty { run.send(dice.one(of: events)) }
      if run.hasTimers { run.advance(by: .seconds(1)) }
    }
    expect(accepted > rounds / 50)
  }
}
