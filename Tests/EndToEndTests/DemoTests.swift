import Foundation
import TestSupport
import Testing
import UnixHost

/// The demonstrations, played by the real programs, and their index.
struct DemoTests {
  private static let folder = Document.root.appending(path: "Demos")

  /// No daemon but one of the session's own.
  private static let alone: [(String, String?)] = [
    ("FSMD_SOCKET", nil), ("XDG_RUNTIME_DIR", "/nonexistent"), ("TMPDIR", nil),
  ]

  /// The scripts, by their paths below the folder, in the order in which `run` takes them.
  private static func scripts() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".fsm") }
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private static func text(_ path: String) throws -> String { try Document("Demos/\(path)").text }

  @Test("every demonstration passes, in one run")
  func pass() throws {
    let scripts = try Self.scripts()
    expect(scripts.count > 50)
    let run = try ProgramRun(
      "fsmrepl", ["run", "--keep-going", Self.folder.path], in: try TemporaryFolder(), environment: Self.alone)
    try expectEqual(run.ending(), .exited(0), "\(run.output)\(run.log)")
    let lines = run.output.split(separator: "\n")
    let names = lines.dropLast().compactMap { $0.wholeMatch(of: #/ok +(\S+)  .*/#).map { String($0.output.1) } }
    expectEqual(names, scripts.map { "\(Self.folder.path)/\($0)" }, "\(run.output)")
    expectEqual(lines.last, "\(scripts.count) of \(scripts.count) passed")
  }

  @Test("every demonstration begins with what it is about, and expects something")
  func explained() throws {
    for script in try Self.scripts() {
      let lines = try Self.text(script).split(separator: "\n", omittingEmptySubsequences: false)
      expect(lines.first, hasPrefix: "# ", "\(script) begins without a word")
      expect(lines.contains { $0.contains("=>") || $0.hasPrefix("expect ") }, "\(script) expects nothing")
      for (place, line) in lines.enumerated() where line.count > 120 {
        Issue.record("\(script):\(place + 1) is too wide")
      }
    }
  }

  @Test("the index names every demonstration once, and no other")
  func index() throws {
    let links = try Self.text("README.md").matches(of: #/\| \[(\S+)\]\((\S+)\) \| \S/#)
    let named = links.map { String($0.output.2) }
    expectEqual(named.sorted(), (try Self.scripts()).sorted())
    for link in links {
      expect(link.output.2 == link.output.1 || link.output.2.hasSuffix("/\(link.output.1)"), "\(link.output.0)")
    }
  }

  @Test("every kind is made by a demonstration")
  func kinds() throws {
    var made: Set<Substring> = []
    for script in try Self.scripts() {
      made.formUnion(try Self.text(script).matches(of: #/(?m)^(?:[^#\n]* )?new (\w+) /#).map { $0.output.1 })
    }
    let daemon = try DaemonProcess()
    defer { daemon.letGo() }
    let kinds = try daemon.connect().askAll("kinds").dropLast().map { $0.split(separator: " ")[1] }
    expect(kinds.count > 40)
    for kind in kinds where !made.contains(kind) { Issue.record("nothing shows \(kind)") }
  }

  @Test("the demonstration of two worlds tells what is different in them")
  func whatIf() throws {
    let run = try ProgramRun(
      "fsmrepl", ["--private", "--echo", "-f", Self.folder.appending(path: "worlds/what-if.requests").path],
      in: try TemporaryFolder(), environment: Self.alone)
    try expectEqual(run.ending(), .exited(0), "\(run.log)")
    let lines = run.output.split(separator: "\n")
    expect(lines, contains: ". reading f door closed open", "\(run.output)")
    expect(lines, contains: ". state key off on", "\(run.output)")
    expect(!lines.contains { $0.hasPrefix("- ") }, "\(run.output)")
  }

  @Test("what `make run` plays without a terminal shows requests and answers, and ends well")
  func withoutTerminal() throws {
    let makefile = try Document("Makefile").text
    let words = try #require(makefile.firstMatch(of: #/else set -- (.*); fi\n/#)).output.1.split(separator: " ").map {
      $0.hasPrefix("Demos/") ? Document.root.appending(path: String($0)).path : String($0)
    }
    let run = try ProgramRun(
      "fsmrepl", ["--private"] + words, in: try TemporaryFolder(), environment: Self.alone)
    try expectEqual(run.ending(), .exited(0), "\(run.log)")
    let lines = run.output.split(separator: "\n")
    expect(lines.filter { $0.hasPrefix("> ") }.count > 20, "\(run.output)")
    expect(lines.filter { $0.hasPrefix("+ ") }.count > 20, "\(run.output)")
    expect(!lines.contains { $0.hasPrefix("- ") }, "\(run.output)")
  }
}
