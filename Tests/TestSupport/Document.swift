package import Foundation

/// A text file of the package that people read, and what tests want of it.
package struct Document: Sendable {
  /// From the package's root.
  package let path: String
  /// Without the line feed at its end.
  package let text: String

  /// The package that these tests were built from.
  package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  package init(_ path: String) throws {
    let whole = try String(contentsOf: Document.root.appending(path: path), encoding: .utf8)
    self.init(path: path, text: whole.hasSuffix("\n") ? String(whole.dropLast()) : whole)
  }

  package init(path: String, text: String) {
    self.path = path
    self.text = text
  }

  package static func all() throws -> [Document] {
    let files = FileManager.default
    let first = try files.contentsOfDirectory(atPath: root.path)
    let docs = try files.subpathsOfDirectory(atPath: root.appending(path: "Docs").path).map { "Docs/\($0)" }
    return try (first + docs + ["Demos/README.md", "Lessons/README.md"]).filter { $0.hasSuffix(".md") }.sorted()
      .map { try Document($0) }
  }

  package var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

  /// Lines between two fences.
  package struct Block: Sendable {
    /// What stands after the first fence; empty if nothing does.
    package let mark: Substring
    /// Of its first line, counted from 1.
    package let line: Int
    package let lines: [Substring]

    /// Each line with a line feed.
    package var text: String { lines.map { $0 + "\n" }.joined() }
  }

  package var blocks: [Block] {
    var blocks: [Block] = []
    var begin: Int?
    let lines = lines
    for (place, line) in lines.enumerated() {
      if let first = begin, line == "```" {
        blocks.append(Block(mark: lines[first - 1].dropFirst(3), line: first + 1, lines: Array(lines[first..<place])))
        begin = nil
      } else if begin == nil, line.hasPrefix("```"), !line.hasPrefix("````") {
        begin = place + 1
      }
    }
    return blocks
  }

  package func blocks(marked mark: String) -> [Block] { blocks.filter { $0.mark == mark } }

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
  package var links: [String] {
    prose.flatMap { line in
      line.matches(of: #/\]\(([^)\s]+)\)/#).map { String($0.output.1) }
    }.filter { !$0.contains("://") }
  }

  /// From the package's root, the path of a file that it links to.
  package func path(of link: String) -> String {
    URL(filePath: "/\(path)").deletingLastPathComponent().appending(path: link).standardized.path
      .trimmingCharacters(in: ["/"])
  }

  /// The names by which headings are linked to, as they are made of a heading on the usual sites.
  package var anchors: [String] {
    prose.filter { $0.hasPrefix("#") }.map { heading in
      heading.drop { $0 == "#" || $0 == " " }.lowercased().compactMap { character -> Character? in
        if character == " " { return "-" }
        return character.isLetter || character.isNumber || character == "-" || character == "_" ? character : nil
      }.reduce(into: "") { $0.append($1) }
    }
  }

  /// The paths in backquotes that begin with a folder of the package and end with a name of a file.
  package var namedFiles: Set<String> {
    Set(
      prose.flatMap { line in
        line.matches(of: #/`((?:Sources|Tests|Docs|Demos|Examples)/[\w+./]+\.\w+)`/#).map { String($0.output.1) }
      })
  }
}
