import Glibc
import LineProtocol
import TestSupport
import Testing
import UnixHost

@testable import fsmrepl

/// Documents that are typed at a real terminal.
@Suite(.serialized)
struct PromptDocumentTests {
  private func start() throws -> Pseudoterminal {
    let terminal = try Pseudoterminal(["--private"], columns: 120)
    try terminal.wait(for: "main real ")
    try terminal.wait(for: "> ")
    return terminal
  }

  @Test("a document has a prompt that says what ends it, and TAB completes that alone")
  func document() throws {
    let terminal = try start()
    terminal.type("define foo format=mermaid\r")
    try terminal.wait(for: "the lines of the document follow: enddefine ends the document, Ctrl-C drops it\n")
    try terminal.wait(for: "define foo up to enddefine> ")
    for line in ["stateDiagram-v2", "[*] --> off", "off --> on : press", "on --> off : press"] {
      terminal.type("\(line)\r")
      try terminal.wait(for: "define foo up to enddefine> ")
    }
    // No verb begins with these.
    terminal.type("h\t\u{15}")
    terminal.type("e\t\r")
    try expect(!terminal.wait(for: "defined  foo").contains("help"))
    try terminal.wait(for: "main real ")
    terminal.type("new foo f\r")
    try terminal.wait(for: "f created, off")
  }

  @Test("a file whose name is taken, an event in quotes, and what a written diagram leaves out: each says what helps")
  func remedies() throws {
    let folder = try TemporaryFolder()
    let file = Descriptor(rawValue: open("\(folder.path)/power.mmd", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
    file.writeAll("stateDiagram-v2\n[*] --> dark\ndark --> lit : User opens\nlit --> dark : after 5s\n")
    file.close()
    let terminal = try start()
    terminal.type("load \(folder.path)/power.mmd\r")
    try terminal.wait(for: "'load FILE as NAME' gives the kind of a file another name\n")
    terminal.type("load \(folder.path)/power.mmd as bulb\rnew bulb b\r")
    try terminal.wait(for: "b created, dark")
    terminal.type("send b \"User o\t\r")
    try terminal.wait(for: "dark → lit")
    for line in [
      "define k format=scxml", "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\">",
      "<state id=\"a\"><transition event=\"after\" target=\"b\"/></state><state id=\"b\"/></scxml>", "enddefine",
      "graph k > \(folder.path)/k.mmd",
    ] { terminal.type("\(line)\r") }
    try terminal.wait(for: "1 part of the document cannot be drawn: lines with 'left out' say what\n")
  }

  @Test("what TAB lists stands below each other where names are wide")
  func wideNames() throws {
    let terminal = try start()
    for line in ["define foo format=mermaid", "stateDiagram-v2", "[*] --> 关闭", "关闭 --> 打开着 : press"] {
      terminal.type("\(line)\r")
      try terminal.wait(for: "define foo up to enddefine> ")
    }
    terminal.type("enddefine\rnew foo f\r")
    try terminal.wait(for: "f created, 关闭")
    terminal.type("expect f \t\t")
    try terminal.wait(for: "  关闭       initial yes — line 2\n  打开着     line 3\n  timers\n")
  }

  @Test("Ctrl-C drops a document")
  func dropped() throws {
    let terminal = try start()
    terminal.type("define foo format=mermaid\rstateDiagram-v2\r")
    try terminal.wait(for: "stateDiagram-v2\n")
    try terminal.wait(for: "define foo up to enddefine> ")
    terminal.type("[*] --\u{03}")
    try terminal.wait(for: "the document is dropped: nothing was defined\n")
    try terminal.wait(for: "main real ")
    terminal.type("count\r")
    try terminal.wait(for: "none\n")
  }

  @Test(
    "Ctrl-D says first what ends a document or a batch, and leaves the second time",
    arguments: [
      ("define foo format=mermaid", "enddefine ends the document, Ctrl-C drops it", "up to enddefine> "),
      ("begin", "end runs the batch, discard drops it", "batch> "),
    ])
  func leaving(line: String, ways: String, prompt: String) throws {
    let terminal = try start()
    terminal.type("\(line)\r")
    try terminal.wait(for: prompt)
    for _ in 0..<2 {
      terminal.type("\u{04}")
      try terminal.wait(for: "not left yet: \(ways), and Ctrl-D again leaves\n")
      try terminal.wait(for: prompt)
      terminal.type("\r")  // Whoever goes on is warned anew.
      try terminal.wait(for: prompt)
    }
    terminal.type("\u{04}")
    try terminal.wait(for: "not left yet")
    terminal.type("\u{04}")
    try expectEqual(terminal.waitForEnding(), .exited(0))
    expect(terminal.isRestored)
  }

  @Test("a define of another form begins no document, and help has the form of the prompt")
  func forms() throws {
    let terminal = try start()
    for line in ["define", "define foo", "define foo format=svg", "define foo bar format=mermaid"] {
      terminal.type("\(line)\r")
      try terminal.wait(
        for: "error: define is used as 'define KIND [resource=PATH] format=scxml|mermaid|plantuml|xstate' (USAGE)\n")
      try terminal.wait(for: "main real ")
    }
    terminal.type("help define\r")
    let help = try terminal.wait(for: "example  define lamp format=mermaid\n")
    expect(help.contains("'enddefine'") && !help.contains("bytes="), "\(help)")
    terminal.type("help\r")
    let all = try terminal.wait(for: "undefine KIND")
    expect(!all.contains("bytes="))
  }

  @Test("at the prompt the grammar has the form of the prompt alone")
  func grammar() {
    let usages = Grammar.builtIn.entries.filter { $0.verb == "define" }.map(\.usage)
    expectEqual(usages, ["define KIND [resource=PATH] format=scxml|mermaid|plantuml|xstate"])
  }
}
