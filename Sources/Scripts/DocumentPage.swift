import LineProtocol

/// A page of Markdown or HTML, and the state diagrams in it.
struct DocumentPage {
  struct Diagram {
    /// The heading above it; "" if there is none.
    var heading: String
    /// Where it begins in the page, counted from 1.
    var line: Int
    var lines: [Substring]
    /// The notation by its name on the wire.
    var format = "mermaid"
  }

  private(set) var diagrams: [Diagram] = []

  /// Whether a file is a page, by its name.
  static func isPage(_ file: String) -> Bool { endings.contains { file.lowercased().hasSuffix($0) } }

  static let endings = [".md", ".markdown", ".html", ".htm"]

  /// Finds the diagrams: in Markdown between fences with `mermaid` or `plantuml` after the first, in HTML within
  /// `<pre class="mermaid">` and other elements of this class.
  ///
  /// - Complexity: O(*n*).
  init(_ bytes: [UInt8]) {
    let lines = String(decoding: bytes, as: UTF8.self).split(omittingEmptySubsequences: false) { $0.isNewline }
    var heading = ""
    var index = 0
    while index < lines.count {
      let line = lines[index]
      index += 1
      let text = line.drop { $0 == " " || $0 == "\t" || $0 == ">" }
      if let mark = text.first, mark == "`" || mark == "~", text.hasPrefix(String(repeating: mark, count: 3)) {
        let fence = text.prefix { $0 == mark }
        let word = text.dropFirst(fence.count).lowercased().split { " {}\t:".contains($0) }.first ?? ""
        let start = index
        while index < lines.count, !Self.closes(fence, lines[index]) { index += 1 }
        if word == "mermaid" || word == "mmd" { add(lines[start..<index], at: start + 1, heading) }
        let begins = lines[start..<index].first?.hasPrefix("@startuml") == true
        if ["plantuml", "puml", "uml"].contains(word) || begins && ["", "text"].contains(word) {
          addPlantUML(lines[start..<index], at: start + 1, heading)
        }
        index += 1
      } else if text.hasPrefix("#"), text.drop(while: { $0 == "#" }).first == " " {
        heading = Self.plain(text.drop { $0 == "#" })
      } else if text.hasPrefix("<h"), text.dropFirst(2).first?.isNumber == true {
        heading = Self.plain(text)
      } else if let end = Self.classMermaid(text) {
        let start = index
        while index < lines.count, !Self.isEnd(lines[index]) { index += 1 }
        var inner = [end] + lines[start..<index]
        if index < lines.count, let rest = lines[index].find("</") {
          inner.append(lines[index][..<rest.lowerBound])
        }
        add(inner.map { Self.resolved($0) }[...], at: start, heading)
        index += 1
      }
    }
  }

  private static func closes(_ fence: Substring, _ line: Substring) -> Bool {
    let text = line.drop { $0 == " " || $0 == "\t" || $0 == ">" }
    guard text.hasPrefix(fence) else { return false }
    return text.drop { $0 == fence.first }.allSatisfy(\.isWhitespace)
  }

  private static func isEnd(_ line: Substring) -> Bool { ["</pre", "</div", "</code"].contains { line.includes($0) } }

  /// What follows the tag of an element of the class `mermaid` in its line.
  private static func classMermaid(_ line: Substring) -> Substring? {
    guard line.hasPrefix("<"), let range = line.find("mermaid"), line[..<range.lowerBound].includes("class"),
      let end = line[range.upperBound...].firstIndex(of: ">")
    else { return nil }
    return line[line.index(after: end)...]
  }

  private static func plain(_ text: Substring) -> String {
    var plain = ""
    var isTag = false
    for character in text {
      if character == "<" { isTag = true }
      if !isTag { plain.append(character) }
      if character == ">" { isTag = false }
    }
    return plain.split { $0.isWhitespace || $0 == "#" }.joined(separator: " ")
  }

  private static func resolved(_ line: Substring) -> Substring {
    var line = String(line)
    for (entity, character) in [("&gt;", ">"), ("&lt;", "<"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")] {
      line = line.replaced(entity, by: character)
    }
    return line[...]
  }

  /// Adds a block that is a state diagram.
  private mutating func add(_ lines: ArraySlice<Substring>, at line: Int, _ heading: String) {
    var isFrontMatter = false
    var isDirective = false
    for line in lines {
      let text = line.drop(while: \.isWhitespace)
      if isDirective || text.hasPrefix("%%{") {
        isDirective = !text.includes("}%%")
        continue
      }
      if text.hasPrefix("---") { isFrontMatter.toggle() }
      if text.isEmpty || isFrontMatter || text.hasPrefix("---") || text.hasPrefix("%%") { continue }
      guard text.hasPrefix("stateDiagram") else { return }
      break
    }
    guard lines.contains(where: { $0.includes("stateDiagram") }) else { return }
    diagrams.append(Diagram(heading: heading, line: line, lines: Array(lines)))
  }

  /// Adds a block that has states or their beginning, as other diagrams of PlantUML do not.
  private mutating func addPlantUML(_ lines: ArraySlice<Substring>, at line: Int, _ heading: String) {
    let isStateDiagram = lines.contains { line in
      let text = line.drop(while: \.isWhitespace)
      return text.hasPrefix("[*]") || text.hasPrefix("state ") || text.hasSuffix("[*]")
    }
    guard isStateDiagram else { return }
    diagrams.append(Diagram(heading: heading, line: line, lines: Array(lines), format: "plantuml"))
  }

  /// The diagrams that a part of a path names: the number of one, the heading above it, or its anchor.
  func diagrams(named name: String) -> [Int] {
    if let number = Int(name) { return diagrams.indices.contains(number - 1) ? [number - 1] : [] }
    func anchor(_ text: String) -> String {
      String(
        text.lowercased().compactMap {
          $0.isWhitespace ? "-" : $0.isLetter || $0.isNumber || "-_".contains($0) ? $0 : nil
        })
    }
    return diagrams.indices.filter { anchor(diagrams[$0].heading) == anchor(name) }
  }
}

extension DocumentPage.Diagram {
  /// The document, with an empty line for each line of the page above, so that findings have the lines of the page.
  var bytes: [UInt8] { Array((String(repeating: "\n", count: line - 1) + lines.joined(separator: "\n") + "\n").utf8) }
}
