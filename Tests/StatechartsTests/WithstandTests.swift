import StateMachines
import TestSupport
import Testing

@testable import Statecharts

/// Documents and machines that want too much end with a clear error or a limit, in bounded time and memory.
@Suite("A hostile document")
struct WithstandTests {
  static let head = "<scxml xmlns='http://www.w3.org/2005/07/scxml' datamodel='ecmascript'>"

  static func findings(_ text: String) -> [String] { DocumentTests.findings(document: text) }

  @Test(
    "that is no XML has one error with its place",
    arguments: [
      ("", "1:1 error : the document is empty; expected <scxml>"),
      ("nonsense", "1:1 error : expected <scxml>; found nonsense"),
      (
        "stateDiagram-v2\n",
        "1:1 error : expected <scxml>; found stateDiagram-v2; this is Mermaid: give the file a name that ends with .mmd, "
          + "or write format=mermaid"
      ),
      ("<scxml>", "1:8 error : the document ends, and <scxml> of line 1 is still open"),
      ("<scxml>\n<state></scxml>", "2:10 error : </scxml> ends no open element; <state> of line 2 is open"),
      ("<scxml\u{0}/>", "1:7 error : this is not XML; the character U+0000 is not allowed"),
      ("<scxml name=a/>", "1:13 error : this is not XML; a value stands in quotes"),
      ("<scxml name=“a”/>", "1:13 error : this is not XML; the quotes of a value are \""),
      (
        "<scxml name='a < b'/>",
        "1:16 error : this is not XML; < is written &lt;, or a quote or > is missing in front of it"
      ),
      ("<scxml name='a && b'/>", "1:17 error : this is not XML; & is written &amp;"),
      ("<a/>", "1:1 error : a statechart starts with <scxml>, not with <a>"),
      ("<scxml xmlns='http://www.w3.org/2005/07/scxml'>&amp", "1:48 error : the document ends within a tag or a text"),
    ])
  func broken(text: String, expected: String) {
    let found = Self.findings(text)
    expect(found.contains(expected), "\(found)")
  }

  @Test("that is not UTF-8 says so")
  func encoding() {
    func first(_ compilation: Definition.Compilation) -> String {
      guard case .mistakes(let findings, _) = compilation else { return "" }
      return findings[0].description
    }
    let latin: [UInt8] = [0x67, 0x65, 0xF6]
    let diagram = Array("stateDiagram-v2\n[*] --> ".utf8) + latin
    expectEqual(
      first(Definition.compile(mermaid: diagram)), "2:11 error : the text is not UTF-8; save the file as UTF-8")
    expect(first(Definition.compile(mermaid: [0xFF, 0xFE, 0x73, 0])), hasPrefix: "1:1 error : the text is not UTF-8")
    let document = Array("<scxml name='".utf8) + latin + Array("'/>".utf8)
    expectEqual(
      first(Definition.compile(document)),
      "1:16 error : this is not XML; the text is not UTF-8: save the file as UTF-8, or name its encoding in the first line"
    )
  }

  @Test("that carries out much in many transitions has no table of it, which would take gigabytes")
  func plainTable() throws {
    func hasTable(_ assignments: Int, _ value: String = "1", names: Int = 2) throws -> Bool {
      let assign = String(repeating: "<assign location='n' expr='\(value)'/>", count: assignments)
      let others = (0..<names).map { "<transition event='e\($0)'/>" }.joined()
      let text = """
        \(Self.head)<datamodel><data id='n' expr='0'/></datamodel>
        <state id='a'><transition event='*'>\(assign)</transition>\(others)</state></scxml>
        """
      return try Definition.of(text).plain != nil
    }
    // For each of the names, and for any other.
    try expect(hasTable(128, names: 31))
    try expect(!hasTable(128, names: 32))
    // What one event carries out is counted if it is much.
    try expect(hasTable(500))
    try expect(!hasTable(501))
    try expect(hasTable(160, "n + 1"))
    try expect(!hasTable(170, "n + 1"))
  }

  @Test("that is cut anywhere, or has a byte changed, ends with a finding or a definition")
  func cut() {
    let text = Array(
      "\(Self.head)<!-- c --><state id='a'><onentry><log expr='1'/></onentry><transition event='e' target='b'/></state><final id='b'/></scxml>"
        .utf8)
    for end in text.indices {
      if case .definition = Definition.compile(Array(text[..<end])) { Issue.record("cut at \(end)") }
      for byte: UInt8 in [0, 0x3C, 0x26, 0xFF] {
        var changed = text
        changed[end] = byte
        _ = Definition.compile(changed)
      }
    }
  }

  @Test("of ten megabytes is too long")
  func tooLong() {
    let text = Self.head + String(repeating: "<state/>", count: 10 << 17) + "</scxml>"
    expect(Self.findings(text).first, contains: "and the limit is 4194304")
  }

  @Test("of very many states runs")
  func manyStates() throws {
    var text = Self.head
    let count = Thorough.rounds(100_000, atLeast: 5_000)
    for state in 0..<count {
      text += "<state id='s\(state)'><transition event='e' target='s\((state + 7) % count)'/></state>"
    }
    text += "</scxml>"
    var limits = DocumentLimits()
    limits.bytes = 16 << 20
    guard case .definition(let definition, _) = Definition.compile(Array(text.utf8), limits: limits) else {
      Issue.record("it has mistakes")
      return
    }
    var run = VirtualRun(definition)
    for _ in 0..<3 { run.send("e") }
    expectEqual(run.word, "s21")
  }

  @Test("of 10,000 nested states is too deep")
  func tooDeep() {
    let text =
      Self.head + String(repeating: "<state>", count: 10_000) + String(repeating: "</state>", count: 10_000)
      + "</scxml>"
    expectEqual(Self.findings(text), ["1:1814 error : elements are nested more than 250 deep"])
  }

  @Test("that is nested as deeply as is allowed runs")
  func deep() throws {
    let depth = DocumentLimits().depth - 1
    let text =
      Self.head + String(repeating: "<state>", count: depth) + String(repeating: "</state>", count: depth) + "</scxml>"
    let run = VirtualRun(try Definition.of(text))
    expectEqual(run.machine.configuration.count, depth)
  }

  @Test(
    "with entities that grow, or lie elsewhere, is rejected",
    arguments: [
      (
        "<!DOCTYPE scxml [<!ENTITY a0 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'>"
          + (1..<12).map { "<!ENTITY a\($0) '\(String(repeating: "&a\($0 - 1);", count: 10))'>" }.joined()
          + "]>\(head)<datamodel><data id='x'>&a11;</data></datamodel><state/></scxml>",
        "the entities of the document expand to more than is allowed"
      ),
      (
        "<!DOCTYPE scxml [<!ENTITY a '&b;'><!ENTITY b '&a;'>]>\(head)<datamodel><data id='x'>&a;</data></datamodel></scxml>",
        "an entity contains itself"
      ),
      (
        "<!DOCTYPE scxml [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>\(head)<datamodel><data id='x'>&a;</data></datamodel></scxml>",
        "the entity a lies outside of the document, which is never read; put its text here"
      ),
    ])
  func entities(text: String, expected: String) {
    let found = Self.findings(text)
    expect(found.count == 1 && found[0].hasSuffix(expected), "\(found)")
  }

  @Test("with entities that stay small is read")
  func smallEntities() throws {
    let definition = try Definition.of(
      "<!DOCTYPE scxml [<!ENTITY go 'start'>]>\(Self.head)<state id='a'><transition event='&go;' target='b'/></state><state id='b'/></scxml>"
    )
    var run = VirtualRun(definition)
    run.send("start")
    expectEqual(run.word, "b")
  }

  @Test("with an initial state that leads back to itself is rejected")
  func cyclicInitial() {
    let found = Self.findings(
      "\(Self.head)<state id='a' initial='a'><state id='b' initial='a'><state/></state></state></scxml>")
    expectEqual(
      found.count(where: { $0.contains("is not within the state whose initial state it shall be") }), 2, "\(found)")
  }

  // MARK: Machines

  /// A machine that does this at the event `go`, and counts `tick`s.
  static func run(_ content: String, data: String = "", steps: Int = Budget().steps) throws -> VirtualRun {
    var limits = StatechartLimits()
    limits.budget.steps = steps
    return VirtualRun(
      try Definition.of(
        """
        \(head)<datamodel><data id='n' expr='0'/>\(data)</datamodel>
        <state id='a'><transition event='tick'><assign location='n' expr='n + 1'/></transition>
        <transition event='go' target='b'>\(content)</transition></state>
        <state id='b'><transition cond='n &lt; 0' target='a'/></state></scxml>
        """), limits: limits)
  }

  @Test(
    "ends with a limit, and the machine goes on as it was before",
    arguments: [
      (
        "<foreach array='[1,2,3,4,5,6,7,8,9,10]' item='i'><foreach array='[1,2,3,4,5,6,7,8,9,10]' item='j'><script>for (var k = 0; k != 100000; k++) {}</script></foreach></foreach>",
        StatechartLimit.steps
      ),
      ("<script>while (true) {}</script>", .steps),
      ("<script>var s = 'x'; while (true) s += s;</script>", .bytes),
      ("<script>var l = []; while (true) l.push('x');</script>", .steps),
      ("<script>var l = [1]; while (true) l = l.concat(l);</script>", .steps),
      ("<script>var l = [1]; l[4000000000] = 1;</script>", .bytes),
      ("<script>var l = []; l.length = 4000000000;</script>", .bytes),
      ("<script>var l = []; while (true) l = [l];</script>", .depth),
      ("<script>var o = {}; while (true) { var p = {}; p.o = o; o = p; }</script>", .depth),
      ("<script>function f() { return f(); } f();</script>", .depth),
      ("<script>var s = 'x'; for (var i = 0; i != 21; i++) s += s; var t = s;</script>", .data),
      (
        "<foreach array='l' item='x'><send event='e' delay='1s'/></foreach>",
        .sends
      ),
      (
        "<foreach array='l' item='x'><foreach array='[1,2,3,4,5,6,7,8,9,10]' item='y'><raise event='e'/></foreach></foreach>",
        .events
      ),
      (
        "<foreach array='l' item='x'><foreach array='[1,2,3,4,5,6,7,8,9,10]' item='y'><log expr='x'/></foreach></foreach>",
        .effects
      ),
    ])
  func limits(content: String, limit: StatechartLimit) throws {
    let list = "<data id='l' expr='[\(String(repeating: "0,", count: 1_100))0]'/>"
    // A quarter of the usual steps, which is more than any other limit needs.
    var run = try Self.run(content, data: list, steps: 250_000)
    run.send("tick")
    let before = run.machine
    expectEqual(run.send("go"), .limit(limit))
    expectEqual(run.machine, before)
    expect(run.send("tick") == .stayed && run.word == "a" && !run.hasTimers)
  }

  @Test("with a list of a million elements goes through it or ends with a limit")
  func million() throws {
    var run = try Self.run(
      "<script>var l = []; for (var i = 0; i != 1000000; i++) l.push(i);</script><foreach array='l' item='x'/>",
      steps: Thorough.rounds(Budget().steps, atLeast: 200_000))
    expectEqual(run.send("go"), .limit(.steps))
  }

  @Test(
    "with an eventless loop ends with a limit",
    arguments: [
      "<state id='a'><transition target='b'/></state><state id='b'><transition target='a'/></state>",
      "<state id='a'><transition/></state>",
      "<state id='a'><onentry><raise event='e'/></onentry><transition event='e' target='a'/></state>",
      "<state id='a'><transition event='error.*' target='a'/><onentry><script>f(</script></onentry></state>",
    ])
  func eventless(content: String) throws {
    var limits = StatechartLimits()
    limits.budget.steps = 100_000
    let run = VirtualRun(try Definition.of(Self.head + content + "</scxml>"), limits: limits)
    expectEqual(run.outcome, .limit(.steps))
  }

  @Test("that sends itself an event at once, for ever, lets others have their turn")
  func selfSend() throws {
    let run = VirtualRun(
      try Definition.of(
        "\(Self.head)<state id='a'><onentry><send event='e'/></onentry><transition event='e' target='a'/></state></scxml>"
      ))
    expect(run.hasTimers && run.now == .beginning)
  }

  @Test("that invokes itself ends with a limit")
  func invokesItself() throws {
    let text = "\(Self.head)<state id='a'><invoke src='self.scxml'/></state></scxml>"
    let run = VirtualRun(try Definition.of(text, resources: ["self.scxml": Array(text.utf8)]))
    expectEqual(run.outcome, .limit(.sessions))
  }

  @Test(
    "that nests statements, calls, callbacks, places and data within each other has a limit for all together",
    arguments: [
      // Each function sorts by the next, in many blocks.
      (0..<49).map { "function f\($0)(x, y) { \(open) [a, b].sort(f\($0 + 1)); \(close) return x < y ? 1 : -1; }" }
        .joined() + "function f49(x, y) { return 0; } [a, b].sort(f0);",
      "function f(x) { \(open) [a].map(f); \(close) } f(a);",
      "function f(x) { \(String(repeating: "if (1) ", count: 50)) f(x); } f(a);",
      "function f(x) { \(String(repeating: "while (1) ", count: 50)) return f(x); } f(a);",
      "function f(x) { return [[[[[[[[[[{k: f(x)}]]]]]]]]]]; } f(a);",
      "function f(x) { return \(String(repeating: "1+(", count: 15))f(x)\(String(repeating: ")", count: 15)); } f(a);",
      "function f(x) { return f(x)\(String(repeating: "+1", count: 190)); } f(a);",
      "function f(x) { return x ? x && (0 || (1, f(x))) : f(x); } f(a);",
      "function f(x) { var o = new f(x); } f(a);",
      "function f(x) { a\(String(repeating: "[0]", count: 90)) = f(x); } f(a);",
      "function f(x) { return 'x'.replace('x', f); } f(a);",
    ])
  func deepPrograms(script: String) throws {
    let data = "a = []; b = []; for (var i = 0; i != 97; i++) { a = [a]; b = [b]; }"
    var run = try Self.run("<script><![CDATA[var a, b; \(data) \(script)]]></script>")
    let before = run.machine
    expectEqual(run.send("go"), .limit(.depth))
    expectEqual(run.machine, before)
    expectEqual(run.send("tick"), .stayed)
  }

  private static let open = String(repeating: "{", count: 40)
  private static let close = String(repeating: "}", count: 40)

  @Test("that nests loops of elements around deep scripts has the same limit")
  func deepLoops() throws {
    let loops = 200
    let content =
      String(repeating: "<foreach array='[1]' item='i'>", count: loops)
      + "<script>function f(x) { \(Self.open) f(x); \(Self.close) } f(1);</script>"
      + String(repeating: "</foreach>", count: loops)
    var run = try Self.run(content)
    expectEqual(run.send("go"), .limit(.depth))
  }

  @Test("may call functions within each other as often as ever, in blocks")
  func shallowPrograms() throws {
    var run = try Self.run(
      "<script>function f(x) { if (x == 0) { return 0; } else { return 1 + f(x - 1); } } n = f(48);</script>")
    expectEqual(run.send("go"), .moved)
    expect(run.machine.root.variables.contains(.number(48)))
  }

  @Test("whose resources invoke each other is read as deep as is allowed, and no deeper")
  func resources() throws {
    func chart(_ next: String) -> String { "\(Self.head)<state id='a'><invoke src='\(next)'/></state></scxml>" }
    func compile(_ count: Int) -> Definition.Compilation {
      var resources: [String: [UInt8]] = [:]
      for number in 0..<count {
        let name = String(String(1_000_000 + number).dropFirst())
        resources[name] = Array(chart(String(String(1_000_000 + (number + 1) % count).dropFirst())).utf8)
      }
      return Definition.compile(Array(chart("000000").utf8), resources: resources)
    }
    guard case .definition(let definition, _) = compile(400) else {
      Issue.record("400 resources are too many")
      return
    }
    expectEqual(definition.paths.count, 400)
    guard case .mistakes(let findings, let missing) = compile(20_000) else {
      Issue.record("20,000 resources are read")
      return
    }
    expect(missing.isEmpty)
    expect(findings[0].description, hasSuffix: "resources and elements are within each other more than 500 deep")
    // Each of them has as many elements within each other as it can have.
    let deep = (0..<100).map { number in
      let (open, close) = ("<if cond='1'>", "</if>")
      let inner = "<send><content>\(chart("\(number + 1)"))</content></send>"
      return
        "\(Self.head)<state><onentry>\(String(repeating: open, count: 235))\(inner)\(String(repeating: close, count: 235))</onentry></state></scxml>"
    }
    let all = Dictionary(uniqueKeysWithValues: deep.enumerated().map { ("\($0)", Array($1.utf8)) })
    guard case .mistakes(let more, _) = Definition.compile(Array(deep[0].utf8), resources: all) else {
      Issue.record("they are read")
      return
    }
    expect(more.contains { $0.message.hasSuffix("more than 500 deep") })
  }

  @Test("that stands for far more than it says is rejected")
  func growth() {
    var limits = DocumentLimits()
    limits.nodes = Thorough.rounds(limits.nodes, atLeast: 50_000)
    func first(_ diagram: String) -> String {
      let text = Array("stateDiagram-v2\n\(diagram)".utf8)
      guard case .mistakes(let findings, _) = Definition.compile(mermaid: text, limits: limits) else { return "" }
      return findings[0].description
    }
    expect(
      first("a : x / " + String(repeating: "beep ×1000, ", count: limits.nodes / 1_000 + 1)),
      hasSuffix: "the diagram emits more than \(limits.nodes) outputs and data of outputs")
    let actions = String(repeating: "n=1,", count: limits.nodes / 50)
    let arrows = (0..<60).map { "s\($0) --> f\n" }.joined()
    expect(
      first("state f <<fork>>\nf --> a : / \(actions)\nf --> a\n\(arrows)"),
      hasSuffix: "the diagram stands for more than \(limits.nodes) elements and texts")
    let forks = (0..<Thorough.rounds(5_000, atLeast: 500)).map {
      "state f\($0) <<fork>>\nf\($0) --> f\($0 + 1)\nf\($0) --> b\n"
    }.joined()
    _ = first(forks)
    let attributes = (0..<1_001).map { " x\($0)=''" }.joined()
    expect(
      Self.findings("\(Self.head)<state\(attributes)/></scxml>").first,
      hasSuffix: "an element has more than 1000 attributes")
  }

  @Test("with expressions that are nested deeply, or long, has them as errors of their evaluation")
  func deepExpressions() throws {
    // Short enough for a document and too high for a stack.
    for expression in [
      "1" + String(repeating: "+1", count: 40_000), String(repeating: "a.", count: 40_000) + "a",
      "f" + String(repeating: "()", count: 40_000),
      String(repeating: "[", count: 150) + String(repeating: "]", count: 150),
      String(repeating: "(", count: 100_000), String(repeating: "!", count: 100_000) + "1",
      String(repeating: "[", count: 100_000), "1" + String(repeating: "+1", count: 200_000),
      String(repeating: "a.", count: 100_000) + "a",
    ] {
      var run = try Self.run("<assign location='n' expr='\(expression)'/>")
      run.send("go")
      expectEqual(run.word, "b")
    }
  }
}
