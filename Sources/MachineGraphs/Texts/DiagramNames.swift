/// Names of nodes that Mermaid and PlantUML accept.
enum DiagramNames {
  /// Reserved words of Mermaid or PlantUML.
  private static let reserved: Set<String> = [
    "as", "call", "choice", "class", "classdef", "click", "default", "direction", "end", "flowchart", "fork", "graph",
    "h", "hide", "history", "href", "interpolate", "join", "left", "linkstyle", "note", "of", "over", "right", "scale",
    "state", "statediagram", "style", "subgraph", "title",
  ]

  /// A name for each node of a drawing: its own with every other character replaced, with an underscore after a
  /// reserved word and a number after a duplicate.
  static func names(of drawing: Drawing) -> [String] {
    var taken: Set<String> = []
    return drawing.nodes.map { node in
      // Leaves come first to their names: they are in more lines.
      unique(node.isComposite && drawing.hasOwnLeaf(node) ? node.name + "_group" : node.name, among: &taken)
    }
  }

  static func isAlphanumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    case _: false
    }
  }

  static func isReserved(_ word: String) -> Bool { reserved.contains(word.lowercased()) }

  private static func unique(_ word: String, among taken: inout Set<String>) -> String {
    var id = String(word.unicodeScalars.map { $0.isASCII && isAlphanumeric(UInt8($0.value)) ? Character($0) : "_" })
    if id.first.map({ $0.isNumber }) ?? true { id = "s" + id }
    if isReserved(id) { id += "_" }
    var number = 2
    let plain = id
    while !taken.insert(id).inserted {
      id = "\(plain)_\(number)"
      number += 1
    }
    return id
  }
}

/// A writer of a format in which nodes have names.
protocol NamingWriter {
  var drawing: Drawing { get }
  /// The name of each node; see ``DiagramNames/names(of:)``.
  var ids: [String] { get }
}

extension NamingWriter {
  var isPlain: Bool { drawing.detail == .plain }

  /// What is true in a state, if there is room for it, and what is handled within it: the lines of each text. A text is
  /// one statement, so that it can be read again.
  func texts(of place: Int, _ wrapped: (String) -> [String]) -> [[String]] {
    guard !isPlain else { return [] }
    let about = drawing.hasFewStates ? drawing.nodes[place].about : ""
    return ([about].filter { !$0.isEmpty } + drawing.innerLines(place)).map(wrapped)
  }
}

extension Drawing {
  /// Whether a composite node contains a leaf for itself.
  package func hasOwnLeaf(_ node: Node) -> Bool {
    node.regions.contains { $0.nodes.contains { nodes[$0].isOwnLeaf && nodes[$0].name == node.name } }
  }
}
