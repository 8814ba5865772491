import Foundation
import LineProtocol
import TestSupport
import Testing
import UnixHost

/// What the documentation says, held against the programs: its transcripts to the byte, its lists to the daemon's own.
struct TourTests {
  /// Documents with transcripts, in the order in which a check of the package takes them.
  static let transcripts = [
    "README.md", "Docs/Json.md", "Docs/Protocol.md", "Docs/Statecharts.md", "Docs/Transcripts.md",
  ]

  @Test("every transcript of the documentation is what the daemon answers, line by line")
  func transcript() throws {
    let paths = ["README.md", "Docs"].map { Document.root.appending(path: $0).path }
    let run = try ProgramRun("fsmrepl", ["check", "--keep-going"] + paths, in: try TemporaryFolder())
    #expect(try run.ending() == .exited(0), "\(run.output)\(run.log)")
    let rows = run.output.matches(of: #/ok +(\S+)  \S+ s, (\d+) requests, (\d+) lines/#)
    #expect(rows.map(\.output.1) == Self.transcripts.map { "\(Document.root.path)/\($0)"[...] }, "\(run.output)")
    for row in rows { #expect((Int(row.output.2) ?? 0) > 10, "\(row.output.1) has lost its transcripts") }
  }

  @Test("every relative link of the documentation leads to a file, and to a heading of it")
  func links() throws {
    for document in try Document.all() {
      for link in document.links {
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let target = parts[0].isEmpty ? document.path : document.path(of: String(parts[0]))
        let isThere = FileManager.default.fileExists(atPath: Document.root.appending(path: target).path)
        #expect(isThere, "\(document.path) links to \(link)")
        guard isThere, parts.count == 2 else { continue }
        #expect(try Document(target).anchors.contains(String(parts[1])), "\(document.path) links to \(link)")
      }
    }
  }

  @Test("the files that the tour of the code and its pages name are there")
  func namedFiles() throws {
    #expect(try Document("ARCHITECTURE.md").namedFiles.count > 30)
    for document in try Document.all() where document.isForDevelopers {
      for path in document.namedFiles {
        let isThere = FileManager.default.fileExists(atPath: Document.root.appending(path: path).path)
        #expect(isThere, "\(document.path) names \(path)")
      }
    }
  }

  @Test("the reference has every verb with all its forms, and every code of a failure")
  func verbs() throws {
    // A bar within a table stands behind a backslash.
    let text = try Document("Docs/Protocol.md").text.replacingOccurrences(of: "\\|", with: "|")
    for entry in VerbEntry.table {
      for usage in entry.usages { #expect(text.contains("`\(usage)`"), "\(usage)") }
    }
    for code in FailureCode.allCases { #expect(text.contains("`\(code.word)`"), "\(code.word)") }
  }

  @Test("the reference has every limit with its value and unit, and the README every kind")
  func limitsAndKinds() throws {
    let reference = try Document("Docs/Protocol.md").text
    let readme = try Document("README.md").text
    // As much that no limit is lower for it.
    let daemon = try DaemonProcess("--memory", "8G")
    defer { daemon.letGo() }
    let client = try daemon.connect()
    let limits = try client.askAll("limits").dropLast()
    #expect(limits.count > 10)
    for line in limits {
      let words = line.split(separator: " ")
      let value = words[1] == "memory" ? "half of what there is" : words[2]
      #expect(reference.contains("| `\(words[1])` | \(value) | \(words[3]) |"), "\(line)")
    }
    let kinds = try client.askAll("kinds").dropLast()
    #expect(kinds.count > 5)
    for line in kinds {
      let name = line.split(separator: " ")[1]
      #expect(readme.contains("| `\(name)` |"), "\(name)")
    }
  }

  @Test("the reference has every word that a line of describe begins with, of plain kinds and of composed ones")
  func describe() throws {
    let row = try #require(
      try Document("Docs/Protocol.md").text.firstMatch(
        of: #/\| `describe KIND\\\|NAME` \| [^|]+ \| `\.` lines that begin with (.+?); of a composed kind (.+?) \|/#))
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
    #expect(plain == words(row.output.1))
    #expect(composed == words(row.output.2))
  }

  @Test(
    "the man pages have every option that the programs tell of, and all name one version",
    arguments: ["fsmd", "fsmrepl"])
  func manPages(program: String) throws {
    let folder = try TemporaryFolder()
    let page = try Document("Docs/man/\(program).1").text.replacingOccurrences(of: "\\-", with: "-")
    let help = try ProgramRun(program, ["--help"], in: folder)
    #expect(try help.ending() == .exited(0))
    let options = Set(help.output.matches(of: #/--[a-z][a-z-]+/#).map { String($0.output) })
    #expect(options.count > 4, "\(help.output)")
    for option in options { #expect(page.contains(option), "\(option)") }
    let version = try ProgramRun(program, ["--version"], in: folder)
    #expect(try version.ending() == .exited(0))
    let number = version.output.split(whereSeparator: \.isWhitespace).last ?? ""
    #expect(page.split(separator: "\n").first?.contains("\"fsmd \(number)\"") == true, "\(number)")
    #expect(try Document("CHANGELOG.md").text.contains("\n## \(number) "), "\(number)")
  }
}

/// A text file of the documentation.
private struct Document {
  /// From the package's root.
  let path: String
  /// Without the line feed at its end.
  let text: String

  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  init(_ path: String) throws {
    self.path = path
    let whole = try String(contentsOf: Document.root.appending(path: path), encoding: .utf8)
    text = whole.hasSuffix("\n") ? String(whole.dropLast()) : whole
  }

  static func all() throws -> [Document] {
    let docs = try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: "Docs").path).sorted()
    return try
      (["README.md", "HACKING.md", "ARCHITECTURE.md", "CHANGELOG.md", "Demos/README.md"]
      + docs.filter { $0.hasSuffix(".md") }.map { "Docs/\($0)" })
      .map { try Document($0) }
  }

  /// Whether it is about the code.
  var isForDevelopers: Bool {
    ["HACKING.md", "ARCHITECTURE.md"].contains(path) || path.hasPrefix("Docs/Internals/")
  }

  /// From the package's root, the path of a file that it links to.
  func path(of link: String) -> String {
    URL(filePath: "/\(path)").deletingLastPathComponent().appending(path: link).standardized.path
      .trimmingCharacters(in: ["/"])
  }

  var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

  struct Block {
    /// Of its first line, counted from 1.
    let line: Int
    let lines: [Substring]
  }

  /// The blocks between fences that bear a mark.
  func blocks(marked mark: String) -> [Block] {
    var blocks: [Block] = []
    var begin: Int?
    for (place, line) in lines.enumerated() {
      if let first = begin, line == "```" {
        blocks.append(Block(line: first + 1, lines: Array(lines[first..<place])))
        begin = nil
      } else if begin == nil, line == "```\(mark)" {
        begin = place + 1
      }
    }
    return blocks
  }

  /// The text outside of blocks.
  private var prose: [Substring] {
    var isInside = false
    return lines.filter { line in
      if line.hasPrefix("```") {
        isInside.toggle()
        return false
      }
      return !isInside
    }
  }

  /// Where the links lead that stay within the package.
  var links: [String] {
    prose.flatMap { line in
      line.matches(of: #/\]\(([^)\s]+)\)/#).map { String($0.output.1) }
    }.filter { !$0.contains("://") }
  }

  /// The names by which headings are linked to, as they are made of a heading on the usual sites.
  var anchors: [String] {
    prose.filter { $0.hasPrefix("#") }.map { heading in
      heading.drop { $0 == "#" || $0 == " " }.lowercased().compactMap { character -> Character? in
        if character == " " { return "-" }
        return character.isLetter || character.isNumber || character == "-" || character == "_" ? character : nil
      }.reduce(into: "") { $0.append($1) }
    }
  }

  /// The paths in backquotes that begin with a folder of the package and end with a name of a file.
  var namedFiles: Set<String> {
    Set(
      prose.flatMap { line in
        line.matches(of: #/`((?:Sources|Tests|Docs|Demos|Examples)/[\w+./]+\.\w+)`/#).map { String($0.output.1) }
      })
  }
}
