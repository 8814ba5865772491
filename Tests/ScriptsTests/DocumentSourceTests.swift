import LineProtocol
import TestSupport
import Testing

@testable import Scripts

/// Documents in scripts and transcripts, and those that `load` brings.
@Suite("Documents in scripts")
struct DocumentSourceTests {
  private let reader = ScriptReader(path: "a/s.fsm")

  private func sent(_ script: Script) -> [String] {
    script.steps.map { step in script.withRequest(of: step) { String(decoding: $0, as: UTF8.self) } }
  }

  @Test("the lines up to enddefine are bytes, whatever stands in them, and those after it are requests again")
  func block() throws {
    let script = try reader.parse(
      "after 1s @d define lamp format=mermaid => ok\nbegin\r\n\n  # $x => \"\n\tenddefine\nlist\n")
    let document = "begin\n\n  # $x => \"\n"
    expectEqual(
      sent(script),
      [
        "advance 1s\n", "@d define lamp format=mermaid bytes=\(document.utf8.count)\n\(document)", "list\n",
      ])
    expectEqual(script.steps.map(\.line), [1, 1, 6])
    expectEqual(script.request(of: script.steps[1]), "@d define lamp format=mermaid bytes=19")
    guard case .request(.define, let outcome) = script.steps[1].action else { throw Unexpected() }
    expectEqual(script.outcomes[Int(outcome)].text, "ok")
  }

  private struct Unexpected: Error {}

  @Test("a document that is too long is told once, and its lines are skipped up to its end")
  func tooLong() {
    var lines = DocumentLines()
    let line = [UInt8](repeating: 0x61, count: DocumentSource.maxBytes - 1)
    expect(lines.take(line) == .taken && lines.bytes.count == DocumentSource.maxBytes && !lines.isSkipped)
    expect(lines.take([]) == .tooLong && lines.isSkipped && lines.bytes.isEmpty)
    expect(lines.take([]) == .taken && lines.bytes.isEmpty)
    expectEqual(lines.take(Array("enddefine".utf8)), .end)
    let text = String(decoding: line, as: UTF8.self)
    expectEqual(
      reader.failures("define l format=scxml\n\(text)\n\nsned\nenddefine\nlits\n").map { $0.prefix(12) },
      [
        "a/s.fsm:3:1:", "a/s.fsm:6:1:",
      ])
  }

  @Test("blanks and a remark can follow enddefine, but no other word")
  func ends() throws {
    for end in ["enddefine ", "\tenddefine\t # lamp", "enddefine #", "enddefine \r"] {
      let script = try reader.parse("define l format=scxml\n<a/>\n\(end)\nlist\n")
      expectEqual(sent(script), ["define l format=scxml bytes=5\n<a/>\n", "list\n"], "\(end)")
    }
    for line in ["enddefine x", "enddefine#", "enddefined"] {
      expect(
        reader.failure("define l format=scxml\n\(line)\n"), hasSuffix: "this 'define' has no 'enddefine'", "\(line)")
    }
  }

  @Test(
    "mistakes around a document",
    arguments: [
      ("define l format=scxml\n<scxml/>\n", "a/s.fsm:1:1: this 'define' has no 'enddefine'"),
      ("define l format=scxml bytes=3\nenddefine\n", "a/s.fsm:1:23: the bytes are counted here"),
      ("define l format=scxml\nenddefine\nenddefine\n", "a/s.fsm:3:1: 'enddefine' is no verb"),
      ("begin\ndefine l format=scxml\nenddefine\nend\n", "a/s.fsm:2:1: 'define' cannot stand between"),
      ("begin\nload l.mmd\nend\n", "a/s.fsm:2:1: 'load' cannot stand between"),
      ("load\n", "a/s.fsm:1:5: 'load' is used as"), ("load a.mmd is b\n", "a/s.fsm:1:12: 'load' is used as"),
      ("load a.mmd\n", "a/s.fsm:1:6: cannot read 'a/a.mmd': No such file"),
      ("load a.fsm\n", "a/s.fsm:1:6: 'a/a.fsm' is no document"),
      (
        "load a.yaml\n",
        "a/s.fsm:1:6: 'a/a.yaml' is no document: the name of one ends with .htm, .html, .iuml, .json, .markdown, .md, "
          + ".mermaid, .mmd, .plantuml, .pu, .puml, .scxml, .wsd, .xml; YAML is none of these: write the machine as JSON"
      ),
      ("load a.ts\n", "a/s.fsm:1:6: 'a/a.ts' is no document"),
      ("load 2nd.mmd\n", "a/s.fsm:1:6: '2nd' cannot name a kind: give it a name of letters"),
    ])
  func mistakes(text: String, message: String) {
    expect(reader.failure(text), hasPrefix: message, "\(reader.failure(text))")
  }

  @Test("files that srcexpr may name come, too")
  func namedFiles() throws {
    let files = [
      "a/m.scxml": "<scxml><data id=\"v\" expr=\"'file:n.scxml'\"/><invoke srcexpr=\"v\"/></scxml>",
      "a/n.scxml": "<scxml/>", "a/o.scxml": "<scxml><data expr=\"'file:n.scxml'\"/></scxml>",
    ]
    func lines(_ script: String) throws -> [String] {
      sent(try reader.parse(script, files: files)).map { String($0.prefix { $0 != "\n" }) }
    }
    try expectEqual(lines("load m.scxml\n").first, "define m format=scxml resource=n.scxml bytes=8")
    try expectEqual(lines("load o.scxml\n").count, 1)
  }

  @Test("a file beside the script brings the kind of its name, or of another, with the files that it refers to")
  func load() throws {
    let files = [
      "a/b/light.scxml":
        "<scxml><invoke src='sub.scxml'/><script src = \"file:x.js\"/><data src=\"gone.txt\"/></scxml>",
      "a/b/sub.scxml": "<scxml><invoke src=\"deep/c.scxml\"/><invoke src=\"sub.scxml\"/></scxml>",
      "a/b/deep/c.scxml": "<scxml/>", "a/b/x.js": "1", "a/secret.txt": "s", "a/lamp.mmd": "src=\"x.js\"",
    ]
    let script = try reader.parse("load b/light.scxml\nload lamp.mmd as bulb => ok\n", files: files)
    let lines = sent(script).map { String($0.prefix { $0 != "\n" }) }
    expectEqual(
      lines,
      [
        "define light format=scxml resource=sub.scxml bytes=\(files["a/b/sub.scxml"]?.utf8.count ?? 0)",
        "define light format=scxml resource=x.js bytes=1",
        "define light format=scxml resource=deep/c.scxml bytes=8",
        "define light format=scxml bytes=\(files["a/b/light.scxml"]?.utf8.count ?? 0)",
        "define bulb format=mermaid bytes=10",
      ])
  }

  @Test("a document has the notation of its name, and a diagram of a page that of its block")
  func notations() throws {
    let page = """
      # Doors
      ```plantuml
      @startuml
      [*] --> a
      @enduml
      ```
      ```plantuml
      Alice -> Bob
      ```
      ## Lamp
      ```mermaid
      stateDiagram-v2
      a --> b
      ```
      """
    let files = ["a/d.puml": "x", "a/e.wsd": "x", "a/m.json": "{}", "a/p.md": page]
    let script = "load d.puml strict\nload e.wsd\nload m.json\nload p.md#1\nload p.md#Lamp\n"
    let lines = sent(try reader.parse(script, files: files))
    expectEqual(
      lines.map { line in
        line.split(separator: "\n")[0].split(separator: " ").filter { !$0.hasPrefix("bytes=") }.joined(separator: " ")
      },
      [
        "define d format=plantuml strict=yes", "define e format=plantuml", "define m format=xstate",
        "define p-1 format=plantuml", "define Lamp format=mermaid",
      ])
    // Findings tell the lines of the page.
    expect(lines[3], hasSuffix: "\n\n\n@startuml\n[*] --> a\n@enduml\n", "\(lines[3])")
    expectEqual(DocumentSource.FolderJSON(Array(#"{"states": {}, "initial": "a"}"#.utf8)), .machine)
    expectEqual(DocumentSource.FolderJSON(Array(#"{"stats": {}, "initial": "a"}"#.utf8)), .doubtful)
    expectEqual(DocumentSource.FolderJSON(Array("{\"initial\" \t\r\n: 1}".utf8)), .doubtful)
    for other in ["{}", #"{"name": "initial", "a": ["states"]}"#, #"{"initial""#] {
      expectEqual(DocumentSource.FolderJSON(Array(other.utf8)), .other, "\(other)")
    }
  }

  @Test("no path leads out of the document's folder, and files of other kinds are not read")
  func outside() throws {
    let document = "<scxml><data src='../secret.txt'/><data src='/etc/x.txt'/><data src='b/key.pem'/></scxml>"
    let files = ["a/l.scxml": document, "secret.txt": "s", "/etc/x.txt": "s", "a/b/key.pem": "s"]
    try expectEqual(reader.parse("load l.scxml\n", files: files).steps.count, 1)
  }

  @Test("in a transcript the lines of a document have '> |' before them, and stay there when answers change")
  func transcript() throws {
    let text = """
      > define lamp format=mermaid
      > | a
      > |
      > |   b | c
      + defined lamp
      > list
      """
    let transcript = try TranscriptParser.parse("t", Array(text.utf8))
    expectEqual(transcript.exchanges.map(\.verb), [.define, .list])
    expectEqual(transcript.document(of: transcript.exchanges[0]), Array("a\n\n  b | c\n".utf8))
    expectEqual(
      String(decoding: transcript.updated(with: [[". 1:1 warning : w", "+ defined lamp"], ["+ 0"]]), as: UTF8.self),
      """
      > define lamp format=mermaid
      > | a
      > |
      > |   b | c
      . 1:1 warning : w
      + defined lamp
      > list
      + 0

      """)
    #expect(throws: ScriptFailure.self) { try TranscriptParser.parse("t", Array("> list\n> | a\n".utf8)) }
  }
}
