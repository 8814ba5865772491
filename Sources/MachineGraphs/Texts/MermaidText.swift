public import StateMachines

extension StateGraph {
  /// The moves to other states as a Mermaid flow chart, one per line, in the order of the states.
  ///
  /// - Parameter mark: The state to draw with a thick border.
  public func mermaid(_ mark: GraphMark? = nil) -> String {
    let ids = MermaidText.ids(of: states.map(\.word))
    var lines = ["graph TB;"]
    for (id, state) in zip(ids, states) where id != state.word {
      lines.append("\(id)[\"\(MermaidText.escaped(state.word))\"];")
    }
    for edge in edges where edge.from != edge.to {
      lines.append("\(ids[edge.from]) --\(MermaidText.edgeLabel(edge.label))--> \(ids[edge.to]);")
    }
    if let mark {
      // A state without moves is not drawn yet.
      let isDrawn =
        ids[mark.state] != states[mark.state].word
        || edges.contains { $0.from != $0.to && ($0.from == mark.state || $0.to == mark.state) }
      if !isDrawn { lines.append("\(ids[mark.state]);") }
      lines.append("style \(ids[mark.state]) stroke-width:4px;")
    }
    return lines.joined(separator: "\n")
  }
}

extension Composition {
  /// The members as nodes and the wires as edges, as a Mermaid flow chart.
  public var mermaid: String {
    let ids = MermaidText.ids(of: members.map(\.name))
    let nodes = zip(ids, members).map { "\($0)[\"\(MermaidText.escaped("\($1.name): \($1.kind.name)"))\"];" }
    let edges = wires.map { "\(ids[$0.from]) --\(MermaidText.edgeLabel(label(of: $0)))--> \(ids[$0.to]);" }
    return (["graph TB;"] + nodes + edges).joined(separator: "\n")
  }
}

enum MermaidText {
  /// A name for each word: the word itself if it has only letters and digits and is not reserved, else a generated one.
  static func ids(of words: [String]) -> [String] {
    words.enumerated().map { place, word in isPlain(word) ? word : "s\(place + 1)" }
  }

  private static func isPlain(_ word: String) -> Bool {
    let isWord = word.first.map { ("a"..."z").contains($0) || ("A"..."Z").contains($0) } ?? false
    // A word must not look like a generated name.
    let isGenerated = word.first == "s" && word.count > 1 && word.dropFirst().allSatisfy(\.isNumber)
    return isWord && !isGenerated && word.utf8.allSatisfy(DiagramID.isAlphanumeric)
      && !DiagramID.reserved.contains(word.lowercased())
  }

  /// A label as it is if it is one word, else in quotes; also in quotes if its first letter would be read as an arrow
  /// head.
  static func edgeLabel(_ label: String) -> String {
    let isHead = label.first == "o" || label.first == "x"
    return !isHead && label.utf8.allSatisfy(DiagramID.isAlphanumeric)
      && !DiagramID.reserved.contains(label.lowercased())
      ? label : "\"\(escaped(label))\""
  }

  /// Escapes characters that have a meaning in Mermaid.
  static func escaped(_ text: String) -> String {
    text.reduce(into: "") { text, character in
      switch character {
      case "#": text += "#35;"
      case ";": text += "#59;"
      case ":": text += "#58;"
      case "\"": text += "#quot;"
      case "<": text += "#lt;"
      case ">": text += "#gt;"
      case "`": text += "#96;"
      case "%", "{", "}", "\\": text += "#\(character.unicodeScalars.first?.value ?? 0);"
      case let other: text.append(other)
      }
    }
  }
}

/// State names that diagram languages accept.
enum DiagramID {
  /// Reserved words of Mermaid or PlantUML.
  static let reserved: Set<String> = [
    "as", "call", "choice", "class", "classdef", "click", "default", "direction", "end", "flowchart", "fork", "graph",
    "h", "hide", "history", "href", "interpolate", "join", "left", "linkstyle", "note", "of", "over", "right", "scale",
    "state", "statediagram", "style", "subgraph", "title",
  ]

  static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    case _: false
    }
  }

  /// The word with every other character replaced, with an underscore after a reserved word and a number after a
  /// duplicate.
  static func unique(_ word: String, among taken: inout Set<String>) -> String {
    var id = String(word.unicodeScalars.map { $0.isASCII && isAlphanumeric(UInt8($0.value)) ? Character($0) : "_" })
    if id.first.map({ $0.isNumber }) ?? true { id = "s" + id }
    if reserved.contains(id.lowercased()) { id += "_" }
    var number = 2
    let plain = id
    while !taken.insert(id).inserted {
      id = "\(plain)_\(number)"
      number += 1
    }
    return id
  }
}
