import LineProtocol

// State diagrams of PlantUML: each statement is put into the words that Mermaid has for it, with its places, and is read
// as one of these. What only draws is left out.

extension DiagramReader {
  /// What was found in a text of PlantUML that Mermaid has no words for.
  struct PlantUML {
    /// The names of notes, which lines lead to.
    var notes: Set<String> = []
    /// States with a mark that makes them the beginning of a block or its history, and what stands for them.
    var pseudoStates: [String: String] = [:]
    /// The names of states in quotes, and those that have another name, as a note has said.
    var quotedNames = Prose.Names()
    var toldNames: Set<String> = []
    /// The bars `==name==`.
    var bars: Set<String> = []
    /// Whether there was a state or `[*]`, as every state diagram has.
    var isStateDiagram = false
    var isPreprocessorTold = false
    /// The states around those that are named `outer.inner`, and whether names have parts.
    var outerStates: [String: String] = [:]
    var hasSeparator = true
  }

  mutating func readPlantUML() {
    let hasMarks = bytes.includes("@startuml")
    let hint = Self.hint(insteadOf: .plantuml, bytes)
    if !hasMarks, reading == .strict || hint != nil { return diagram.error(0, "expected @startuml\(hint ?? "")") }
    diagram.isHomeFirst = true
    openOuterState()
    var isWithin = !hasMarks
    var isOver = false
    while let line = plantUMLLine() {
      if line.hasPrefix("@start"), !line.hasPrefix("@startuml") {
        return diagram.error(line.start, "of PlantUML's diagrams only state diagrams run; found \(line.string)")
      } else if line.hasPrefix("@startuml") {
        if isOver {
          diagram.warn(line.start, "only the first diagram of the text is read; put this one into a file of its own")
          break
        }
        isWithin = true
      } else if line.hasPrefix("@enduml") {
        (isWithin, isOver) = (false, true)
      } else if isWithin {
        plantUMLStatement(line)
      }
    }
    if !plantUML.isStateDiagram, !diagram.hasErrors {
      diagram.error(0, "this is no state diagram: it has neither [*] nor state")
    }
    placeInnerNames()
    for state in diagram.states.indices where plantUML.bars.contains(diagram.states[state].id) {
      diagram.states[state].kind = diagram.states[state].arrows.count > 1 ? .fork : .join
    }
  }

  /// Which other notation a text probably has; `nil` if it begins as none.
  static func hint(insteadOf notation: DiagramNotation?, _ bytes: [UInt8]) -> String? {
    let start = String(decoding: bytes.drop { $0 <= 0x20 }.prefix(12), as: UTF8.self)
    for (beginning, other, name, ending) in [
      ("stateDiagram", DiagramNotation.mermaid, "Mermaid", "mmd"), ("@start", .plantuml, "PlantUML", "puml"),
      ("{", .xstate, "JSON", "json"),
    ] where start.hasPrefix(beginning) && notation != other {
      return "; this is \(name): write format=\(other.rawValue), or name the file *.\(ending)"
    }
    return start.hasPrefix("<") ? "; this is XML: write format=scxml, or name the file *.scxml" : nil
  }

  // MARK: Lines

  /// The next line that has something, without comments.
  private mutating func plantUMLLine() -> PlacedText? {
    while var line = takeLine() {
      if line.hasPrefix("'") {
        comment(line.dropFirst(1))
        continue
      }
      while line.hasSuffix("\\"), let more = takeLine() {
        line = line[0..<line.bytes.count - 1]
        line.join(more)
      }
      guard line.place(of: "/'") != nil else {
        if line.isEmpty { continue }
        return line
      }
      var kept = PlacedText(at: line.start)
      var place = 0
      while let start = line.place(of: "/'", from: place) {
        kept.join(line[place..<start])
        let offset = line.offset(of: start)
        var end = line.place(of: "'/", from: start + 2)
        while end == nil {
          guard let more = takeLine() else {
            diagram.error(offset, "the comment has no end; expected '/")
            return nil
          }
          (line, end) = (more, more.place(of: "'/"))
        }
        place = (end ?? 0) + 2
      }
      kept.join(line.dropFirst(place))
      if !kept.trimmed.isEmpty { return kept.trimmed }
    }
    return nil
  }

  /// Skips lines up to one of these.
  private mutating func skipLines(of line: PlacedText, _ what: String, to ends: [String]) {
    skip(what, from: line, to: ends[0]) { ends.contains($0.string.lowercased()) }
  }

  // MARK: Statements

  /// Words that begin a line that only draws.
  private static let drawing: Set<String> = [
    "hide", "show", "scale", "left", "right", "top", "bottom", "center", "skinparam", "skin", "allowmixing", "remove",
    "restore", "set", "newpage", "caption", "mainframe", "url", "sprite", "title", "header", "footer", "legend", "json",
    "autonumber",
  ]
  /// Words that begin lines of other diagrams.
  private static let otherDiagrams: Set<String> = [
    "participant", "actor", "class", "interface", "enum", "usecase", "component", "activate", "object", "entity",
    "database", "boundary", "collections", "abstract", "start", "node", "rectangle", "package", "robust", "concise",
  ]

  private mutating func plantUMLStatement(_ line: PlacedText) {
    if line.hasPrefix("!") { return preprocessor(line) }
    if line.hasPrefix("<style>") { return skipLines(of: line, "the style", to: ["</style>"]) }
    if line.bytes.allSatisfy({ $0 == line.bytes[0] && "-|".utf8.contains($0) }) && line.bytes.count > 1 {
      _ = divide(line)
      return
    }
    let text = line.string.lowercased()
    if line.hasPrefix("}") || text == "end state" || text == "endstate" {
      _ = close(line)
      return
    }
    let word = String(decoding: line.bytes.prefix(while: Self.isPartOfName), as: UTF8.self).lowercased()
    let rest = line.dropFirst(word.utf8.count).trimmed
    if word.isEmpty || rest.hasPrefix(":") || rest.link != nil || rest.hasPrefix("<<") { return plantUMLArrow(line) }
    switch word {
    case "state", "frame": return plantUMLState(rest, line)
    case "note", "floating": return plantUMLNote(line)
    case "set" where rest.hasPrefix("separator") || rest.hasPrefix("namespaceSeparator"):
      plantUML.hasSeparator = rest.hasSuffix(" .")
    case _ where Self.drawing.contains(word):
      let words = text.split(separator: " ").filter { !["left", "right", "center", "top", "bottom"].contains($0) }
      if words.count == 1, let kind = words.first, ["title", "header", "footer", "legend"].contains(kind) {
        return skipLines(of: line, "the \(kind)", to: ["end \(kind)", "end\(kind)"])
      }
      guard line.hasSuffix("{") else { return }
      var depth = 1
      skip("the block", from: line, to: "}") { line in
        depth += (line.hasSuffix("{") ? 1 : 0) - (line.hasPrefix("}") ? 1 : 0)
        return depth <= 0
      }
    case _ where Self.otherDiagrams.contains(word):
      diagram.error(line.start, "of PlantUML's diagrams only state diagrams run; found \(line.string.prefix(40))")
      stopReading()
    case _: plantUMLArrow(line)
    }
  }

  private mutating func preprocessor(_ line: PlacedText) {
    let word = line.string.dropFirst().prefix { $0.isLetter || $0 == "_" }
    if ["procedure", "function", "definelong", "unquoted", "final"].contains(String(word)),
      !line.string.includes("return")
    {
      let kind = word == "definelong" ? "definelong" : line.string.includes("procedure") ? "procedure" : "function"
      skipLines(of: line, "!\(word)", to: ["!end\(kind)", "!end \(kind)"])
    }
    if ["theme", "pragma", "log", "option"].contains(String(word)) || line.string.includes("!include <") { return }
    guard !plantUML.isPreprocessorTold else { return }
    plantUML.isPreprocessorTold = true
    diagram.warn(line.start, "\(line.string.prefix(40)) is left out: write what it stands for, if states hang on it")
  }

  /// `note left of a : text`, `note "text" as N`, and notes up to `end note`.
  private mutating func plantUMLNote(_ line: PlacedText) {
    let words = line.string.split(whereSeparator: \.isWhitespace).map(String.init)
    if let place = words.lastIndex(of: "as"), place + 1 < words.count { plantUML.notes.insert(words[place + 1]) }
    if plainMarkup(line).bytes.contains(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "\"") }) { return }
    skipLines(of: line, "the note", to: ["end note", "endnote"])
  }

  // MARK: States

  /// The marks of states that are passed at once.
  private static let points: Set<String> = [
    "choice", "entrypoint", "exitpoint", "inputpin", "outputpin", "expansioninput", "expansionoutput",
  ]

  /// `state "Title" as a <<choice>> #red {`, with the parts after the title in any order.
  private mutating func plantUMLState(_ text: PlacedText, _ line: PlacedText) {
    plantUML.isStateDiagram = true
    var rest = text
    guard var name = takeName(&rest) else {
      return diagram.error(text.start, "expected the name of a state; found \(text.isEmpty ? "nothing" : text.string)")
    }
    var title = name.hasPrefix("\"") ? name : nil
    if var behind = rest.rest(after: "as"), let second = takeName(&behind) {
      if second.hasPrefix("\"") { title = second } else { name = second }
      rest = behind
    }
    name = wordOfName(name)
    let mark = takeMarks(&rest)
    if rest.is("begin") { rest = PlacedText("{", at: rest.start) }
    var parts = [name]
    switch mark {
    case "start":
      plantUML.pseudoStates[name.string] = "[*]"
      return
    case "history", "history*":
      guard let owner = open.last?.state else {
        return diagram.error(line.start, "a history belongs to a state: put \(name.string) into the state's block")
      }
      plantUML.pseudoStates[name.string] = "\(diagram.states[owner].id)[\(mark == "history" ? "H" : "H*")]"
      return
    case "fork", "join": parts.append(PlacedText("<<\(mark)>>", at: rest.start))
    case _ where Self.points.contains(mark): parts.append(PlacedText("<<choice>>", at: rest.start))
    case _: if let title { parts = [title, PlacedText("as", at: name.start), name] }
    }
    if rest.isEmpty || rest.hasPrefix("{") || rest.hasPrefix(":") {
      if !rest.isEmpty { parts.append(plainMarkup(rest)) }
    } else {
      let hint = title == nil ? #"; a name is one word, and state "Two words" as name gives it a title"# : ""
      diagram.error(rest.start, "expected {, : or a line's end; found \(rest.string)\(hint)")
    }
    _ = try? state(.joined(parts), line)
    if mark == "end" { _ = try? arrow(.joined([name, PlacedText("--> [*]", at: line.start)])) }
  }

  /// Takes a name from the beginning of a text: a word, a title in quotes, `[*]`, `[H]` or a bar `==name==`.
  private mutating func takeName(_ text: inout PlacedText) -> PlacedText? {
    var end = 0
    if text.hasPrefix("\"") {
      guard let close = text.bytes.dropFirst().firstIndex(of: UInt8(ascii: "\"")) else { return nil }
      end = close + 1
    } else if text.hasPrefix("==") {
      end = text.bytes.firstIndex { $0 != UInt8(ascii: "=") } ?? text.bytes.count
      let start = end
      end = text.bytes[end...].firstIndex { $0 == UInt8(ascii: "=") } ?? text.bytes.count
      let name = text[start..<end].trimmed
      text = text.dropFirst(text.bytes[end...].firstIndex { $0 != UInt8(ascii: "=") } ?? text.bytes.count).trimmed
      plantUML.bars.insert(name.string)
      return name.isEmpty ? nil : name
    } else {
      end = text.bytes.firstIndex { !Self.isPartOfName($0) } ?? text.bytes.count
    }
    let rest = text.dropFirst(end)
    if let mark = ["[*]", "[H]", "[H*]", "[h]", "[h*]"].first(where: rest.hasPrefix), mark != "[*]" || end == 0 {
      if end == 0 { plantUML.isStateDiagram = true }
      let history = PlacedText(mark.uppercased(), at: rest.start)
      let name = text[0..<end]
      text = rest.dropFirst(mark.utf8.count).trimmed
      return name.isEmpty ? history : PlacedText(name.string + history.string, at: name.start)
    }
    guard end > 0 else { return nil }
    let name = text[0..<end]
    text = rest.trimmed
    return name
  }

  /// A name without quotes, with `_` for what a name does not have.
  private mutating func wordOfName(_ name: PlacedText) -> PlacedText {
    guard name.hasPrefix("\""), name.bytes.count > 1 else {
      return plantUML.hasSeparator && name.bytes.contains(UInt8(ascii: ".")) ? innerName(name) : name
    }
    let words = Prose.words(of: name.string.replaced("\\n", by: " ")).joined(separator: "_")
    let plain = words.isEmpty ? "state" : words
    let word = plantUML.quotedNames.name(for: name.string, like: plain)
    if word != plain, plantUML.toldNames.insert(word).inserted {
      diagram.assume(name.start, "the state \(name.string) is called \(word), since another one is \(plain)")
    }
    return PlacedText(word, at: name.start)
  }

  /// Takes stereotypes, colours, links and tags from the beginning of a text.
  ///
  /// - Returns: The last stereotype in small letters; "" if there is none.
  private func takeMarks(_ text: inout PlacedText) -> String {
    var mark = ""
    while let first = text.bytes.first {
      if text.hasPrefix("<<"), let end = text.place(of: ">>") {
        mark = text[2..<end].trimmed.string.lowercased()
        text = text.dropFirst(end + 2).trimmed
      } else if text.hasPrefix("[["), let end = text.place(of: "]]") {
        text = text.dropFirst(end + 2).trimmed
      } else if first == UInt8(ascii: "#") || first == UInt8(ascii: "$") {
        let end = text.bytes.firstIndex { $0 == 0x20 || $0 == UInt8(ascii: "{") } ?? text.bytes.count
        text = text.dropFirst(text.bytes[end - 1] == UInt8(ascii: ":") ? end - 1 : end).trimmed
      } else {
        break
      }
    }
    return mark
  }

  // MARK: Arrows

  private mutating func plantUMLArrow(_ line: PlacedText) {
    var rest = line
    guard let first = takeName(&rest) else {
      return diagram.error(line.start, "expected a state or an arrow; found \(line.string.prefix(40))")
    }
    let mark = takeMarks(&rest)
    guard let link = rest.link else {
      if !mark.isEmpty { return plantUMLState(line, line) }
      guard rest.isEmpty || rest.hasPrefix(":") else {
        return diagram.error(rest.start, "expected --> or : after \(first.string); found \(rest.string)")
      }
      _ = try? arrow(.joined([wordOfName(first), plainMarkup(rest)]))
      return
    }
    let sign = rest
    rest = rest.dropFirst(link.count).trimmed
    guard let second = takeName(&rest) else {
      return diagram.error(
        rest.start, "expected a state after the arrow; found \(rest.isEmpty ? "nothing" : rest.string)")
    }
    // Hidden arrows, and lines to notes, are there for the looks.
    if plantUML.notes.contains(first.string) || plantUML.notes.contains(second.string)
      || sign[0..<link.count].place(of: "hidden") != nil
    {
      return
    }
    guard link.leadsBack != link.leadsOn else {
      return diagram.error(sign.start, "an arrow has one head: write -->; found \(sign[0..<link.count].string)")
    }
    let marked = takeMarks(&rest)
    if !marked.isEmpty { plantUMLState(.joined([second, PlacedText("<<\(marked)>>", at: second.start)]), line) }
    guard rest.isEmpty || rest.hasPrefix(":") || rest.hasPrefix("'") else {
      return diagram.error(rest.start, "expected : and a label, or the line's end; found \(rest.string)")
    }
    if rest.hasPrefix("'") { rest = rest.dropFirst(rest.bytes.count) }
    let ends = [first, second].map { end in
      plantUML.pseudoStates[end.string].map { PlacedText($0, at: end.start) } ?? wordOfName(end)
    }
    let arrow = PlacedText("-->", at: sign.start)
    _ = try? self.arrow(.joined([ends[link.leadsOn ? 0 : 1], arrow, ends[link.leadsOn ? 1 : 0], plainMarkup(rest)]))
  }

  /// A text without marks of looks, `**bold**`, with the words of links, `[[url words]]`, and one sort of line breaks.
  private func plainMarkup(_ text: PlacedText) -> PlacedText {
    guard text.bytes.contains(where: { "\\*[".utf8.contains($0) }) else { return text }
    var plain = PlacedText(at: text.start)
    var place = 0
    while place < text.bytes.count {
      let rest = text.bytes[place...]
      if rest.starts(with: "**".utf8) || rest.starts(with: "]]".utf8) {
        place += 2
        continue
      }
      if rest.starts(with: "[[".utf8) {
        let tip = rest.prefix(1_000).prefix { $0 != UInt8(ascii: "]") && $0 != UInt8(ascii: "}") }.endIndex
        let isTip = tip < text.bytes.count && text.bytes[tip] == UInt8(ascii: "}")
        let link = text.bytes[(isTip ? tip : place)...]
        place = link.firstIndex { $0 == 0x20 || $0 == UInt8(ascii: "]") } ?? text.bytes.count
        continue
      }
      var byte = text.bytes[place]
      if place > 0, text.bytes[place - 1] == UInt8(ascii: "\\"), "lr".utf8.contains(byte) { byte = UInt8(ascii: "n") }
      plain.append(byte, at: text.offset(of: place), end: text.offset(of: place + 1))
      place += 1
    }
    return plain
  }
}

extension PlacedText {
  /// The place of a text from a place on.
  fileprivate func place(of text: String, from start: Int = 0) -> Int? {
    guard start < bytes.count, let first = text.utf8.first else { return nil }
    return bytes[start...].indices.first { bytes[$0] == first && bytes[$0...].starts(with: text.utf8) }
  }

  /// Texts with a blank between each two.
  fileprivate static func joined(_ parts: [PlacedText]) -> PlacedText {
    var whole = PlacedText(at: parts[0].start)
    for part in parts where !part.isEmpty { whole.join(part) }
    return whole
  }

  /// The arrow that a text begins with: `-->`, `->`, `-left->`, `-[#red,dashed]->`, `..>`, `<--`, or a line without a
  /// head.
  fileprivate var link: (count: Int, leadsBack: Bool, leadsOn: Bool)? {
    var place = 0
    func next(_ wanted: String) -> Bool { place < bytes.count && wanted.utf8.contains(bytes[place]) }
    if next("xoXO"), place + 1 < bytes.count, "-.<".utf8.contains(bytes[place + 1]) { place += 1 }
    let leadsBack = next("<")
    if leadsBack { place += 1 }
    let start = place
    while place < bytes.count {
      if next("-.=~") {
        place += 1
      } else if next("["), place > start, let close = bytes[place...].firstIndex(of: UInt8(ascii: "]")) {
        place = close + 1
      } else if place > start {
        let word = bytes[place...].prefix(6).prefix { $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z") }
        let text = String(decoding: word, as: UTF8.self)
        guard !text.isEmpty, ["left", "right", "up", "down"].contains(where: { $0.hasPrefix(text) }),
          place + word.count < bytes.count, "-.[>".utf8.contains(bytes[place + word.count])
        else { break }
        place += word.count
      } else {
        break
      }
    }
    guard place > start else { return nil }
    let leadsOn = next(">")
    while next(">") { place += 1 }
    // A letter before a name is a head; alone, or before a label, it is the name.
    if next("xoXO"), place + 1 < bytes.count, Self.isBlank(bytes[place + 1]),
      let after = bytes[place...].dropFirst().first(where: { !Self.isBlank($0) }), after != UInt8(ascii: ":")
    {
      place += 1
    }
    return (place, leadsBack, leadsOn)
  }
}
