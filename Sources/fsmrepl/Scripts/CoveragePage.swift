import LineProtocol

/// A page about the coverage of a run: figures, what is untried, and the diagram of each kind with the untried states and
/// arrows marked.
struct CoveragePage {
  let coverage: RunCoverage
  /// By kind; a kind without a picture has none here.
  let pictures: [String: Picture]

  /// The daemon's diagram of a kind.
  struct Picture: Sendable {
    /// The lines of `graph KIND format=svg`.
    let svg: [String]
    /// Those of `format=json`, which names the states and arrows of the picture; a state or transition each.
    let json: [String]
  }

  /// Red is refused and amber present, as in all pictures. It can be read on a light and on a dark ground.
  private static let untried = "#a052c8"

  /// The files of the page, by name.
  var files: [(name: String, text: String)] {
    let svgs = coverage.kinds.compactMap { kind in
      pictures[kind.name].map { ("\(kind.name).svg", Self.marked($0, kind)) }
    }
    return [("index.html", html), ("coverage.json", coverage.json)] + svgs
  }

  private var html: String {
    var text = """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><title>Coverage</title><style>
      :root { color-scheme: light dark; } body { font: 16px sans-serif; margin: 2em; } td, th { padding: 0.2em 1em; text-align: right; }
      td:first-child, th:first-child { text-align: left; } .low { color: \(Self.untried); } img { max-width: 100%; }
      </style></head><body><h1>Coverage</h1>
      <p>Untried states and arrows are purple and dashed; so is an arrow that stands for several transitions, if one is untried.</p>
      <table><tr><th>kind</th>\(RunCoverage.Level.allCases.map { "<th>\($0.rawValue)</th>" }.joined())</tr>

      """
    for kind in coverage.kinds {
      let name = XMLText.escaped(kind.name)
      text += "<tr><td><a href=\"#\(name)\">\(name)</a></td>"
      for level in RunCoverage.Level.allCases {
        let (reached, all) = kind.figure(level)
        text += "<td\(reached < all ? " class=\"low\"" : "")>\(reached)/\(all)</td>"
      }
      text += "</tr>\n"
    }
    text += "</table>\n"
    for kind in coverage.kinds {
      let name = XMLText.escaped(kind.name)
      text += "<h2 id=\"\(name)\">\(name)</h2>\n"
      if kind.isPartial { text += "<p>The daemon could not try everything that this kind can do.</p>\n" }
      if pictures[kind.name] != nil { text += "<img src=\"\(name).svg\" alt=\"diagram of \(name)\">\n" }
      for level in RunCoverage.Level.allCases where !kind.untried(level).isEmpty {
        let items = kind.untried(level).map { "<li>\(XMLText.escaped($0.description))</li>" }.joined()
        text += "<details><summary>untried \(level.rawValue)</summary><ul>\(items)</ul></details>\n"
      }
    }
    return text + "</body></html>\n"
  }

  /// The picture with a style for what is untried.
  private static func marked(_ picture: Picture, _ kind: RunCoverage.Kind) -> String {
    var marks: [String] = []
    for state in kind.untried(.states) {
      let start = "{\"name\":\(JSONWriter.quoted(state.words[0])),"
      for row in picture.json where row.includes(start) {
        guard let id = ids(in: row, after: "\"id\":").first else { continue }
        marks.append("#\(id) path, #\(id) polygon { stroke: \(untried); stroke-dasharray: 6 4; }")
        marks.append("#\(id) text { fill: \(untried); }")
      }
    }
    let arrows = picture.json.compactMap(Arrow.init)
    let parents = Dictionary(
      picture.json.compactMap { row in
        value("name", in: row).flatMap { name in value("parent", in: row).map { (name, $0) } }
      }, uniquingKeysWith: { first, _ in first })
    func isIn(_ state: Substring, _ drawn: Substring) -> Bool {
      sequence(first: state) { parents[$0] }.prefix(parents.count + 1).contains(drawn)
    }
    for move in kind.untried(.transitions) where move.words.count == 2 {
      let (from, to) = (inner(move.words[0]), inner(move.words[1]))
      let leaving = arrows.filter { isIn(from, $0.from) && $0.waits(for: move.trigger ?? "") }
      // A transition may go through states that it leaves at once, and a drawn arrow ends at the first.
      let straight = leaving.filter { isIn(to, $0.to) }
      for id in (straight.isEmpty ? leaving : straight).flatMap(\.ids) {
        marks.append("#\(id) path { stroke: \(untried); stroke-dasharray: 6 4; }")
        marks.append("#\(id) polygon { fill: \(untried); }")
        marks.append("#\(id) text { fill: \(untried); }")
      }
    }
    let style = marks.isEmpty ? "" : "<style>\n\(marks.joined(separator: "\n"))\n</style>\n"
    var isInside = false
    var text = ""
    for line in picture.svg {
      // The tag of the picture may take several lines; the style follows it, and what stands there before.
      if !isInside, line.hasPrefix("<g ") {
        isInside = true
        text += style
      }
      text += "\(line)\n"
    }
    return text
  }

  /// A transition of the picture: names as JSON has them, and its arrows. The picture of a document has the author's words
  /// for an event, the time of a timer, and the block that an arrow leaves or enters.
  private struct Arrow {
    let from: Substring
    let to: Substring
    /// What stands for the event or the timer, as ``letters(of:)``; several if the label has several.
    private let triggers: [String]
    private let isTimed: Bool
    let ids: [String]

    init?(_ row: String) {
      guard let from = CoveragePage.value("from", in: row), let to = CoveragePage.value("to", in: row) else {
        return nil
      }
      let event = CoveragePage.value("event", in: row)
      (self.from, self.to) = (from, to)
      let label = event ?? CoveragePage.value("timer", in: row) ?? ""
      triggers = label.split(separator: ",").map { CoveragePage.letters(of: $0.prefix { $0 != "(" }) }
      isTimed = event == nil || label.includes("after ")
      ids = CoveragePage.ids(in: row, after: "\"arrows\":[")
    }

    /// Whether it waits for an event or a timer with this name. A timer without a name is called by its state and time.
    func waits(for trigger: String) -> Bool {
      let name = CoveragePage.letters(of: trigger[...])
      return triggers.contains {
        $0 == name || isTimed && !$0.isEmpty && (name.hasSuffix($0) || $0.hasPrefix(name) && !name.isEmpty)
      }
    }
  }

  /// The letters and digits of a text in small letters: an event is called so by the author's words, whatever they are
  /// written with.
  private static func letters(of text: Substring) -> String {
    text.lowercased().filter { $0.isLetter || $0.isNumber }
  }

  /// A name as it stands between the quotes of a JSON string.
  private static func inner(_ text: String) -> Substring { Substring(JSONWriter.quoted(text)).dropFirst().dropLast() }

  /// The string of a member, as JSON has it between quotes; nil if the member is missing or no string.
  private static func value(_ member: String, in row: String) -> Substring? {
    guard let rest = row.cut(at: "\"\(member)\":\"")?.after else { return nil }
    var isEscaped = false
    return rest.prefix { character in
      defer { isEscaped = character == "\\" && !isEscaped }
      return character != "\"" || isEscaped
    }
  }

  /// The quoted ids after a word, up to the first that does not follow at once.
  private static func ids(in row: String, after word: String) -> [String] {
    guard let (_, rest) = row.cut(at: word) else { return [] }
    return rest.prefix { $0 != "]" && $0 != "}" }.split(separator: ",").compactMap { part in
      guard part.hasPrefix("\""), part.hasSuffix("\"") else { return nil }
      return String(part.dropFirst().dropLast())
    }
  }
}
