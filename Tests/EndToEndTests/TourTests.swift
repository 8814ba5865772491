import Foundation
import LineProtocol
import TestSupport
import Testing
import UnixHost

/// What the documentation says, held against the programs: its transcripts to the byte, its lists to the daemon's own.
struct TourTests {
  /// Documents with transcripts, in the order in which a check of the package takes them.
  static let transcripts = [
    "Docs/Json.md", "Docs/Protocol.md", "Docs/Transcripts.md",
  ]

  @Test("every transcript of the documentation is what the daemon answers, line by line")
  func transcript() throws {
    let docs = Document.root.appending(path: "Docs").path
    let run = try ProgramRun("fsmrepl", ["check", "--keep-going", docs], in: try TemporaryFolder())
    try expectEqual(run.ending(), .exited(0), "\(run.output)\(run.log)")
    let rows = run.output.matches(of: #/ok +(\S+)  \S+ s, (\d+) requests, (\d+) lines/#)
    expectEqual(rows.map(\.output.1), Self.transcripts.map { "\(Document.root.path)/\($0)"[...] }, "\(run.output)")
    for row in rows { expect((Int(row.output.2) ?? 0) > 10, "\(row.output.1) has lost its transcripts") }
  }

  @Test("every relative link of the documentation leads to a file, and to a heading of it")
  func links() throws {
    for document in try Document.all() {
      for link in document.links {
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let target = parts[0].isEmpty ? document.path : document.path(of: String(parts[0]))
        let isThere = FileManager.default.fileExists(atPath: Document.root.appending(path: target).path)
        expect(isThere, "\(document.path) links to \(link)")
        guard isThere, parts.count == 2 else { continue }
        try expect(Document(target).anchors.contains(String(parts[1])), "\(document.path) links to \(link)")
      }
    }
  }

  @Test("the files that the documents name are there")
  func namedFiles() throws {
    try expect(Document("ARCHITECTURE.md").namedFiles.count > 30)
    for document in try Document.all() {
      for path in document.namedFiles {
        let isThere = FileManager.default.fileExists(atPath: Document.root.appending(path: path).path)
        expect(isThere, "\(document.path) names \(path)")
      }
    }
  }

  @Test("the reference has every verb with all its forms, and every code of a failure")
  func verbs() throws {
    // A bar within a table stands behind a backslash.
    let text = try Document("Docs/Protocol.md").text.replacingOccurrences(of: "\\|", with: "|")
    for entry in VerbEntry.table {
      for usage in entry.usages { expect(text, contains: "`\(usage)`", "\(usage)") }
    }
    for code in FailureCode.allCases { expect(text, contains: "`\(code.word)`", "\(code.word)") }
  }

  @Test("the reference has every limit with its value and unit")
  func limits() throws {
    let reference = try Document("Docs/Protocol.md").text
    // As much that no limit is lower for it.
    let daemon = try DaemonProcess("--memory", "8G")
    defer { daemon.letGo() }
    let client = try daemon.connect()
    let limits = try client.askAll("limits").dropLast()
    expect(limits.count > 10)
    for line in limits {
      let words = line.split(separator: " ")
      let value = words[1] == "memory" ? "half of what there is" : words[2]
      expect(reference, contains: "| `\(words[1])` | \(value) | \(words[3]) |", "\(line)")
    }
  }

  @Test("the reference has every word that a line of describe begins with, of plain kinds and of composed ones")
  func describe() throws {
    let row = try #require(
      try Document("Docs/Protocol.md").text.firstMatch(
        of:
          #/\| `describe KIND\\\|NAME \[width=N\]` \| [^|]+ \| `\.` lines that begin with (.+?); of a composed kind (.+?) \|/#
      ))
    func words(_ text: Substring) -> Set<Substring> { Set(text.matches(of: #/`(\w+)`/#).map(\.output.1)) }
    let daemon = try DaemonProcess()
    defer { daemon.letGo() }
    let client = try daemon.connect()
    var (plain, composed): (Set<Substring>, Set<Substring>) = ([], [])
    for kind in try client.askAll("kinds").dropLast() {
      let lines = try client.askAll("describe \(kind.split(separator: " ")[1])").dropLast()
      let found = Set(lines.map { $0.split(separator: " ")[1] })
      if found.contains("member") { composed.formUnion(found) } else { plain.formUnion(found) }
    }
    expectEqual(plain, words(row.output.1))
    expectEqual(composed, words(row.output.2))
  }

  @Test(
    "the man pages have every option that the programs tell of, and all name one version",
    arguments: ["fsmd", "fsmrepl"])
  func manPages(program: String) throws {
    let folder = try TemporaryFolder()
    let page = try Document("Docs/man/\(program).1").text.replacingOccurrences(of: "\\-", with: "-")
    let help = try ProgramRun(program, ["--help"], in: folder)
    try expectEqual(help.ending(), .exited(0))
    let options = Set(help.output.matches(of: #/--[a-z][a-z-]+/#).map { String($0.output) })
    expect(options.count > 4, "\(help.output)")
    for option in options { expect(page.contains(option), "\(option)") }
    let version = try ProgramRun(program, ["--version"], in: folder)
    try expectEqual(version.ending(), .exited(0))
    let number = version.output.split(whereSeparator: \.isWhitespace).last ?? ""
    expect(page.split(separator: "\n").first, contains: "\"fsmd \(number)\"", "\(number)")
    try expect(Document("CHANGELOG.md").text, contains: "\n## \(number) ", "\(number)")
  }
}
