import TestSupport
import Testing

@testable import Statecharts

/// What is said of documents that have mistakes, and of legal ones that are surely wrong.
@Suite("A document")
struct DocumentTests {
  /// The findings of a chart with this content, from line 2 on.
  static func findings(_ content: String, attributes: String = "") -> [String] {
    let text = "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\"\(attributes)>\n\(content)\n</scxml>"
    return findings(document: text)
  }

  static func findings(document text: String, limits: DocumentLimits = DocumentLimits()) -> [String] {
    switch Definition.compile(Array(text.utf8), limits: limits) {
    case .definition(_, let warnings): warnings.map(\.description)
    case .mistakes(let findings, let missing): findings.map(\.description) + missing.map { "missing \($0)" }
    }
  }

  @Test("has all its mistakes told at once, each with its place and what was meant")
  func allMistakes() {
    let found = Self.findings(
      """
      <state id="red"><transition event="go" target="grene"/></state>
      <state id="green"><transition event="go"
          traget="red"/></state>
      <state id="red"/>
      <stat id="x"/>
      """)
    expectEqual(
      found.filter { $0.contains(" error ") },
      [
        "2:40 error : there is no state grene; did you mean green?",
        "4:5 error : <transition> has no attribute traget; did you mean target?",
        "5:8 error : the id red is that of the state in line 2 already",
        "6:1 error : <scxml> has no <stat>; did you mean <state>?",
      ], "\(found)")
  }

  @Test(
    "that breaks a rule says which",
    arguments: [
      ("<state id='a'/>text", "2:16 error : <scxml> contains elements only, no text"),
      (
        "<state id='a' initial='a'><state id='b'/></state>",
        "2:15 error : a is not within the state whose initial state it shall be"
      ),
      (
        "<final id='f'><transition event='e'/></final>",
        "2:15 error : <transition> cannot stand in <final>; expected <onentry>, <onexit>, <donedata>"
      ),
      ("<state id='a'><onentry><raise/></onentry></state>", "2:24 error : <raise> lacks event="),
      (
        "<state id='a'><onentry><send event='e' eventexpr='e'/></onentry></state>",
        "2:40 error : <send> has either event or eventexpr, not both"
      ),
      (
        "<state id='a'><history id='h'/><state id='b'/></state>",
        "2:15 error : <history> has one <transition> with a target"
      ),
      (
        "<state id='a'><transition event='e' target='b c'/></state><state id='b'/><state id='c'/>",
        "2:37 error : b and c cannot be active together: they are not in regions of one <parallel>"
      ),
      (
        "<state id='a'><transition event='e' type='inner' target='a'/></state>",
        "2:37 error : type=\"inner\" means nothing; expected internal or external"
      ),
      ("<state id='a'><onentry><foreach item='x'/></onentry></state>", "2:24 error : <foreach> lacks array="),
    ])
  func rules(content: String, expected: String) {
    let found = Self.findings(content)
    expect(found.contains(expected), "\(found)")
  }

  @Test(
    "that is legal and surely wrong has a warning",
    arguments: [
      (
        "<state id='a'><transition event='e' target='b'/></state><state id='b'><transition event='e' target='a'/></state><state id='c'><transition event='e' target='a'/></state>",
        "2:113 warning : nothing leads to c"
      ),
      (
        "<state id='a'><transition event='e' target='b'/></state><state id='b'/>",
        "2:57 warning : nothing leads out of b; an end is a <final>"
      ),
      (
        "<state id='a'><transition event='e' target='b'/><transition event='e.f' target='c'/></state><final id='b'/><final id='c'/>",
        "2:49 warning : the transition in line 2 is always taken before this one"
      ),
      ("<state id='a'><onentry><raise event='gone'/></onentry></state>", "2:31 warning : no transition awaits gone"),
      (
        "<state id='a'><transition event='e' cond='1 +' target='a'/></state>",
        "2:37 warning : cond=\"1 +\" will be error.execution: expected a value; the text ends"
      ),
      (
        "<state id='a'><onentry><send event='e' delay='soon'/></onentry></state>",
        "2:40 warning : delay=\"soon\" will be error.execution: expected a number with s or ms"
      ),
    ])
  func warnings(content: String, expected: String) {
    checkWarning(content, expected)
  }

  @Test(
    "that refers to what is not there has a warning with what was meant",
    arguments: [
      (
        "<datamodel><data id='count' expr='0'/></datamodel><state id='a'><transition event='e' cond='cuont == 1' target='a'/></state>",
        "2:87 warning : nothing declares cuont; did you mean count?"
      ),
      (
        "<state id='a'><transition event='e' target='a'><assign location='x' expr='1'/></transition></state>",
        "2:56 warning : nothing declares x; write <data id=\"x\"/> in the <datamodel>"
      ),
      (
        "<state id='green'><transition event='e' cond=\"In('grene')\" target='green'/></state>",
        "2:41 warning : In('grene') is never true: there is no state grene; did you mean green?"
      ),
      (
        "<state id='a'><transition event='done.state.a' target='a'/><state id='b'/></state>",
        "2:27 warning : done.state.a never comes: the state has no end in it"
      ),
      (
        "<state id='a'><onentry><send event='tick' delay='1s'/></onentry><transition event='e' target='a'/></state>",
        "2:30 warning : no transition awaits tick"
      ),
      (
        "<state id='a'><onentry><send event='e' type='http' target='x'/></onentry></state>",
        "2:40 warning : type=\"http\" will be error.execution: there are scxml, for machines, and output"
      ),
    ])
  func references(content: String, expected: String) {
    checkWarning(content, expected)
  }

  @Test(
    "that asks for what is not here loads with a warning, and has its error when it runs",
    arguments: [
      (
        "<onentry><send targetexpr=\"_ioprocessors['http']['x']\" type='http://www.w3.org/TR/scxml/#BasicHTTPEventProcessor'><param name='_scxmleventname' expr='1'/></send></onentry>",
        "type=\"http://www.w3.org/TR/scxml/#BasicHTTPEventProcessor\" will be error.execution: there are scxml, for machines, and output"
      ),
      ("<onentry><send typeexpr=\"'scx' + 'ml'\"/></onentry>", nil),
      (
        "<onentry><send event='e' target='http://x'/></onentry>",
        "target=\"http://x\" will be error.execution: expected #NAME of a machine, #_parent, #_internal or #_ID"
      ),
      (
        "<invoke type='vxml' src='dialog.vxml'/>",
        "type=\"vxml\" will be error.execution: only charts can be invoked, scxml"
      ),
      (
        "<invoke type='vxml'><content><vxml xmlns='http://www.w3.org/2001/vxml'/></content></invoke>",
        "type=\"vxml\" will be error.execution: only charts can be invoked, scxml"
      ),
      ("<invoke/>", "<invoke> will be error.execution: it lacks src=, srcexpr= or a <content>"),
      ("<invoke typeexpr=\"'vxml'\"/>", "<invoke> will be error.execution: it lacks src=, srcexpr= or a <content>"),
    ])
  func unsupported(content: String, warning: String?) throws {
    let body = """
      <state id='a'>\(content)<transition event='error.execution' target='failed'/><transition event='e' target='b'/></state>
      <state id='b'><transition event='e' target='a'/></state><final id='failed'/>
      """
    let found = Self.findings(body)
    expect(!found.contains { $0.contains(" error ") || $0.hasPrefix("missing") }, "\(found)")
    if let warning { expect(found.contains { $0.hasSuffix("warning : \(warning)") }, "\(found)") }
    expectEqual(VirtualRun(try Definition.of("\(WithstandTests.head)\(body)</scxml>")).word, "failed")
  }

  @Test("that has elements and attributes of something else says what to write instead")
  func advice() {
    let found = Self.findings(
      "<state id='a'><transition event='e' to='a'/><timer/><onentry><assign name='x' value='1'/></onentry></state>")
    expectEqual(
      found.filter { $0.contains(" error ") },
      [
        "2:37 error : <transition> has no attribute to; write target=",
        "2:45 error : <timer> is no part of SCXML; write <send delay=…>",
        "2:70 error : <assign> has no attribute name; write location=",
        "2:79 error : <assign> has no attribute value; write expr=",
      ], "\(found)")
  }

  @Test("of the null data model has no expressions but In")
  func nullModel() throws {
    let content =
      "<parallel id='p'><state id='a'><transition event='e' target='b'/></state><state id='x'><transition event='f' cond='In(b)' target='y'/><transition event='g' cond='1' target='y'/></state><state id='b'/><state id='y'/></parallel>"
    let found = Self.findings(content, attributes: " datamodel='null'")
    expect(
      found.contains {
        $0.hasSuffix("cond=\"1\" will be error.execution: the null data model has no expressions but In(id)")
      }, "\(found)")
    let head = "<scxml xmlns='http://www.w3.org/2005/07/scxml' datamodel='null'>"
    let text =
      "\(head)<parallel id='p'><state id='r'><state id='a'><transition event='e' target='b'/></state><state id='b'/></state><state id='s'><state id='x'><transition event='f' cond='In(b)' target='y'/><transition event='g' cond='1' target='y'/></state><state id='y'/></state></parallel></scxml>"
    var run = VirtualRun(try Definition.of(text))
    expect(run.send("g") == .ignored && run.send("f") == .ignored)
    run.send("e")
    run.send("f")
    expectEqual(run.word, "b+y")
    let scripts = Self.findings(
      "<state id='a'><onentry><script>var x = 1</script><assign location='x' expr='2'/></onentry></state>",
      attributes: " datamodel='null'")
    expect(scripts.count { $0.contains("the null data model has no") } >= 2, "\(scripts)")
  }

  private func checkWarning(_ content: String, _ expected: String) {
    let found = Self.findings(content)
    expect(found.contains(expected) && !found.contains { $0.contains(" error ") }, "\(found)")
  }

  @Test("asks for the resources that it refers to")
  func missing() {
    let found = Self.findings(
      "<datamodel><data id='d' src='file:d.json'/></datamodel><state id='a'><invoke src='b.scxml'/></state>")
    expect(found.contains("missing d.json") && found.contains("missing b.scxml"), "\(found)")
  }

  @Test("in another encoding is read")
  func encodings() throws {
    let text =
      "<?xml version='1.0' encoding='ENC'?><scxml xmlns='http://www.w3.org/2005/07/scxml'><state id='caf\u{E9}'/></scxml>"
    func compile(_ bytes: [UInt8]) -> String? {
      guard case .definition(let definition, _) = Definition.compile(bytes) else { return nil }
      return definition.stateIDs.first
    }
    for name in ["ISO-8859-1", "windows-1252"] {
      let latin = text.replacing("ENC", with: name).unicodeScalars.map { UInt8($0.value) }
      expectEqual(compile(latin), "café", "\(name)")
    }
    let wide = text.replacing("ENC", with: "UTF-16").utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    expectEqual(compile([0xFF, 0xFE] + wide), "café")
  }

  @Test("whose states have no id names them by number")
  func numbers() throws {
    let definition = try Definition.of(
      "<scxml xmlns='http://www.w3.org/2005/07/scxml'><state><state id='b'/><state/></state></scxml>")
    expectEqual(definition.stateIDs, ["_1", "b", "_2"])
    expectEqual(VirtualRun(definition).word, "b")
  }
}
