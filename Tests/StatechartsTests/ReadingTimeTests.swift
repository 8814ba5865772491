import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Statecharts

/// The time to read a document grows with its length, whatever it says.
@Suite("The reading of a long document")
struct ReadingTimeTests {
  struct Shape: Sendable, CustomTestStringConvertible {
    let name: String
    /// `nil` for SCXML.
    let notation: DiagramNotation?
    /// A document of about so many bytes.
    let text: @Sendable (Int) -> String
    var testDescription: String { name }

    static func diagram(_ name: String, _ text: @escaping @Sendable (Int) -> String) -> Self {
      Self(name: name, notation: .mermaid) { "stateDiagram-v2\n" + text($0) }
    }

    static func plantUML(_ name: String, _ text: @escaping @Sendable (Int) -> String) -> Self {
      Self(name: name, notation: .plantuml) { "@startuml\n[*] --> a\n" + text($0) }
    }

    static func xstate(_ name: String, _ text: @escaping @Sendable (Int) -> String) -> Self {
      Self(name: name, notation: .xstate) { "{\"initial\": \"a\", \"states\": {\"a\": {}\(text($0))}}" }
    }

    static func chart(_ name: String, _ text: @escaping @Sendable (Int) -> String) -> Self {
      Self(name: name, notation: nil) { "\(WithstandTests.head)\(text($0))</scxml>" }
    }

    func read(_ bytes: Int, while goesOn: @escaping () -> Bool = { true }) {
      let text = Array(text(bytes).utf8)
      _ =
        notation.map { Definition.compile(diagram: text, $0, reading: $0 == .mermaid ? .strict : .free, while: goesOn) }
        ?? Definition.compile(text, while: goesOn)
    }
  }

  private static func repeated(_ count: Int, _ part: (Int) -> String) -> String { (0..<count).map(part).joined() }

  private static func all(_ parts: String...) -> String { parts.joined() }

  static let shapes: [Shape] = [
    .diagram("braces that close nothing") { String(repeating: "}", count: $0) },
    .diagram("blocks in one line") { repeated($0 / 16) { "state s\($0) { x\($0) } " } },
    .diagram("blocks in lines of their own") { repeated($0 / 24) { "state s\($0) {\nx\($0)\n}\n" } },
    .diagram("arrows of one state") { repeated($0 / 16) { "a --> b\($0) : e\($0 % 1_000)\n" } },
    .diagram("timers of one state") { repeated($0 / 20) { "a --> b : after \($0)ms\n" } },
    .diagram("regions of one state") {
      all(
        "state P {\n",
        repeated($0 / 8) { "r\($0)\n--\n" },
        "q\n}\n")
    },
    .diagram("actions in one line") {
      all(
        "a : x / ",
        String(repeating: "n=1,", count: $0 / 4),
        "n=1")
    },
    .diagram("a guard in many lines") {
      all(
        "a : x / n = (1",
        String(repeating: "<br/>+1", count: $0 / 7),
        ")")
    },
    .diagram("branches of one if") {
      all(
        "a : x / if (1) {n=1}",
        String(repeating: " else if (2) {n=2}", count: $0 / 18))
    },
    .diagram("arrows to one join") {
      all(
        "state j <<join>>\nj --> z\n",
        repeated($0 / 20) { "a\($0) --> j : / n=1\n" })
    },
    .diagram("ends that are asked for") {
      all(
        "state s {\n",
        repeated($0 / 40) { "m\($0)\n" },
        "}\n",
        repeated($0 / 30) { "s --> t\($0)\n" })
    },
    .diagram("a name of many parts") {
      all(
        "a --> b : ",
        String(repeating: "a.", count: $0 / 2),
        "a\n")
    },
    .diagram("beginnings") { repeated($0 / 14) { "[*] --> s\($0)\n" } },
    .diagram("one beginning, many times") { String(repeating: "[*] --> a\n", count: $0 / 10) },
    .diagram("one arrow, many times") { String(repeating: "a --> b : e\n", count: $0 / 12) },
    .diagram("two arrows of each event") { repeated($0 / 30) { "a --> b : e\($0)\na --> b : e\($0)\n" } },
    .diagram("an arrow with a guard behind one without") {
      repeated($0 / 34) { "a --> b : e\($0)\na --> c : e\($0) [x]\n" }
    },
    .diagram("states that nothing leads out of") { repeated($0 / 16) { "a --> end\($0)\n" } },
    .diagram("conditions of one state") { repeated($0 / 20) { "a --> b : e [x\($0)]\n" } },
    .diagram("histories of states without states") { repeated($0 / 16) { "a --> s\($0)[H]\n" } },
    .plantUML("comments in one line") { String(repeating: "/' '/", count: $0 / 5) },
    .plantUML("continued lines") { String(repeating: "\\\n", count: $0 / 2) + "b" },
    .plantUML("marks of a state") { "state b " + String(repeating: "#red <<x>> ", count: $0 / 12) },
    .plantUML("labels with marks") { "a --> b : " + String(repeating: "**x** \\n ", count: $0 / 9) },
    .plantUML("states in states") { repeated($0 / 16) { "state s\($0) {\n}\n" } },
    .plantUML("names that differ in marks") {
      repeated($0 / 30) { number in
        let marks = String(number, radix: 2).map { $0 == "0" ? "!" : "?" }.joined()
        return "\"a \(marks)\" --> b : e\n"
      }
    },
    .plantUML("notes without end") { String(repeating: "note left of a\n", count: $0 / 15) },
    .plantUML("words of events") { repeated($0 / 24) { "a --> b : press it \($0)\n" } },
    .plantUML("links in a label") { "a --> b : " + String(repeating: "[[x ", count: $0 / 4) },
    .plantUML("links without end") { "a -" + String(repeating: "[", count: $0) },
    .xstate("states") { repeated($0 / 8) { ",\"s\($0)\":{}" } },
    .xstate("states with one name") { repeated($0 / 9) { _ in ",\"----\":{}" } },
    .xstate("states with one name in others") { repeated($0 / 30) { ",\"s\($0)\":{\"states\":{\"x\":{}}}" } },
    .xstate("states with names of marks") {
      repeated($0 / 12) { ",\"\(String(repeating: "-", count: $0 % 5 + 1))\($0)\":{}" }
    },
    .xstate("targets that are nowhere") {
      ",\"b\":{\"on\":{\"a\":null\(repeated($0 / 16) { ",\"e\($0)\":\"#x.y.z\"" })}}"
    },
    .xstate("a target of many parts") { ",\"b\":{\"on\":{\"a\":\"#\(String(repeating: "a.", count: $0 / 2))\"}}" },
    .xstate("events") { ",\"b\":{\"on\":{\"a\":null\(repeated($0 / 24) { ",\"e x\($0)\":{\"guard\":\"g\($0)\"}" })}}" },
    .xstate("timers") { ",\"b\":{\"after\":{\"1\":\"a\"\(repeated($0 / 10) { ",\"\($0 + 2)\":\"a\"" })}}" },
    .xstate("keys that mean nothing") { repeated($0 / 20) { ",\"s\($0)\":{\"k\($0)\":1}" } },
    .chart("a name of many parts") {
      all(
        "<state id='a'><transition event='",
        String(repeating: "a.", count: $0 / 2),
        "a'/></state>")
    },
    .chart("misspelled elements") { repeated($0 / 16) { "<stat id='s\($0)'/>" } },
    .chart("variables") {
      all(
        "<state><onentry>",
        repeated($0 / 40) { "<assign location='v\($0)' expr='1'/>" },
        "</onentry></state>")
    },
    .chart("functions") {
      all(
        "<state><onentry>",
        repeated($0 / 40) { "<log expr='() => \($0)'/>" },
        "</onentry></state>")
    },
    .chart("local variables") {
      all(
        "<script>function f() { var v",
        repeated($0 / 8) { ", v\($0)" },
        "; }</script><state/>")
    },
    .chart("resources that are missing") {
      all(
        "<state>",
        repeated($0 / 24) { "<invoke src='r\($0)'/>" },
        "</state>")
    },
    .chart("states of a region") {
      all(
        "<parallel><state>",
        repeated($0 / 60) { "<state id='s\($0)'/>" },
        "</state><state><state>",
        repeated($0 / 60) { "<transition event='e' target='s\($0)'/>" },
        "</state></state></parallel>")
    },
    .chart("transitions around states") {
      all(
        "<state>",
        repeated($0 / 60) { "<state id='s\($0)'><transition target='s\($0 + 1)'/></state>" },
        "<state id='s\($0 / 60)'/>",
        repeated($0 / 60) { "<transition event='e\($0)'/>" },
        "</state>")
    },
    .chart("names of two transitions") {
      let names = repeated($0 / 14) { "e\($0) " }
      return "<state><transition event='\(names)'/><transition event='\(names)'/></state>"
    },
    .chart("ends that are awaited") {
      all(
        "<state id='r'>",
        repeated($0 / 60) { "<state id='s\($0)'/>" },
        String(repeating: "<transition event='done.state.r'/>", count: $0 / 60),
        "</state>")
    },
    .chart("states without ids") { String(repeating: "<state/>", count: $0 / 8) },
  ]

  @Test("takes a time that grows with the length", arguments: shapes)
  func linear(shape: Shape) {
    /// The processor time of this thread, in nanoseconds.
    func time(_ bytes: Int) -> Int {
      func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
      }
      let start = now()
      shape.read(bytes)
      return now() - start
    }
    // Eight times as much; what is quadratic takes sixty-four times as long.
    let bytes = Thorough.rounds(2_000, atLeast: 1_000)
    let small = min(time(bytes), time(bytes))
    var large = time(8 * bytes)
    // Once more, if something else has taken the time.
    if large >= 24 * small { large = min(large, time(8 * bytes)) }
    expect(large < 24 * small, "\(small) and \(large) ns")
  }

  @Test("ends soon after it is told to", arguments: [true, false])
  func interrupted(isDiagram: Bool) {
    var questions = 0
    func goesOn() -> Bool {
      questions += 1
      return questions < 3
    }
    let text = Self.repeated(20_000) { isDiagram ? "a\($0) --> b\n" : "<state id='a\($0)'/>" }
    let compilation =
      isDiagram
      ? Definition.compile(mermaid: Array("stateDiagram-v2\n\(text)".utf8), while: goesOn)
      : Definition.compile(Array("\(WithstandTests.head)\(text)</scxml>".utf8), while: goesOn)
    guard case .mistakes = compilation else {
      Issue.record("it was read to its end")
      return
    }
    expectEqual(questions, 3)
  }

  @Test("asks whether it goes on in proportion to its length, and is the same whether anybody asks or not")
  func questions() throws {
    func asked(_ states: Int) throws -> Int {
      var questions = 0
      let text = "\(WithstandTests.head)\(Self.repeated(states) { "<state id='a\($0)'/>" })</scxml>"
      let compilation = Definition.compile(Array(text.utf8)) {
        questions += 1
        return true
      }
      guard case .definition(let definition, _) = compilation else { return 0 }
      expectEqual(definition.stateIDs.count, states)
      return questions
    }
    let (few, many) = (try asked(1_000), try asked(4_000))
    expect(few > 30 && many > 3 * few && many < 5 * few)
  }

  @Test(
    "asks within one text, too",
    arguments: [
      Shape.chart("events of one transition") {
        "<state id='a'><transition event='\(String(repeating: "e ", count: $0 / 2))'/></state>"
      },
      .chart("one script") {
        "<state id='a'><onentry><script>\(String(repeating: "n=1;", count: $0 / 4))</script></onentry></state>"
      },
      .diagram("arrows without events") { String(repeating: "a --> b\n", count: $0 / 8) },
    ])
  func questionsWithin(shape: Shape) {
    func asked(_ bytes: Int) -> Int {
      let questions = Atomic(0)
      @Sendable func goesOn() -> Bool {
        questions.add(1, ordering: .relaxed)
        return true
      }
      Budget.pause.withValue(Budget.Pause(goesOn)) { shape.read(bytes, while: goesOn) }
      return questions.load(ordering: .relaxed)
    }
    let (few, many) = (asked(30_000), asked(120_000))
    expect(few >= 3 && many > 3 * few, "\(few), \(many)")
  }

  @Test("a document with far more events than are allowed is not read to its end", arguments: [true, false])
  func tooManyEvents(isDiagram: Bool) {
    func reading(_ count: Int) -> (questions: Int, messages: [String]) {
      var questions = 0
      func goesOn() -> Bool {
        questions += 1
        return true
      }
      let text = Self.repeated(count) {
        isDiagram ? "a --> b : e\($0)\n" : "<state id='s\($0)'><transition event='e\($0)'/></state>"
      }
      let compilation =
        isDiagram
        ? Definition.compile(mermaid: Array("stateDiagram-v2\n\(text)".utf8), while: goesOn)
        : Definition.compile(Array("\(WithstandTests.head)\(text)</scxml>".utf8), while: goesOn)
      guard case .mistakes(let findings, _) = compilation else { return (questions, []) }
      return (questions, findings.map(\.message))
    }
    let most = ChartProgram.mostNamesRead
    expectEqual(reading(most).messages, [])
    let (few, many) = (reading(most + 1), reading(3 * most))
    expect(few.messages == many.messages && many.messages.count == 1, "\(many.messages)")
    expect(many.messages.first?.hasSuffix(" has more than 2000 events") == true)
    // XML is parsed before its elements are.
    expect(!isDiagram || many.questions < few.questions + 10, "\(few.questions) and \(many.questions)")
  }

  @Test("a line of a diagram, and a text of JSON, are not longer than their limit")
  func longLine() {
    let most = DocumentLimits().line
    func mistakes(_ notation: DiagramNotation, _ text: String) -> [String] {
      let compiled = Definition.compile(diagram: Array(text.utf8), notation, reading: .free)
      if case .mistakes(let findings, _) = compiled { return findings.map { String($0.message.prefix { $0 != ";" }) } }
      return []
    }
    func line(_ bytes: Int) -> String {
      "stateDiagram-v2\na : \(String(repeating: "x", count: bytes - 4))\n[*] --> a\n"
    }
    expectEqual(mistakes(.mermaid, line(most)), [])
    expectEqual(mistakes(.mermaid, line(most + 1)), ["a line of a diagram has at most \(most) bytes"])
    for part in ["x", "\\n"] {
      func text(_ bytes: Int) -> String {
        let text = String(repeating: part, count: bytes / part.utf8.count)
        return #"{"description": "\#(text)", "initial": "a", "states": {"a": {}}}"#
      }
      expectEqual(mistakes(.xstate, text(most)), [])
      expectEqual(mistakes(.xstate, text(most + part.utf8.count)), ["a text has at most \(most) bytes"])
    }
  }

  @Test(
    "long JSON gives way as it is read",
    arguments: [
      "\"" + String(repeating: "x", count: 1 << 20) + "\"", "\"" + String(repeating: "\\n", count: 1 << 19) + "\"",
      "[" + String(repeating: "1,", count: 1 << 19) + "1]",
    ])
  func longJSON(text: String) {
    let pauses = Atomic(0)
    let pause = Budget.Pause {
      pauses.add(1, ordering: .relaxed)
      return false
    }
    expect(Budget.pause.withValue(pause) { JSON.value(of: text) } != nil)
    expect((15...17).contains(pauses.load(ordering: .relaxed)))
  }
}
