import LineProtocol

/// How the text of a diagram is read.
public enum DiagramReading: Sendable {
  /// By the formal notation alone.
  case strict
  /// As a person reads it: what is not formal gets a meaning, and a note says which.
  case free
}

/// The notation of a diagram.
public enum DiagramNotation: String, Sendable, CaseIterable {
  /// `stateDiagram-v2`
  case mermaid
  /// `@startuml`
  case plantuml
  /// A machine of XState in JSON.
  case xstate
}

/// Reads the text of a diagram. All mistakes are noted; reading goes on in the next line.
struct DiagramReader {
  let bytes: [UInt8]
  let notation: DiagramNotation
  let reading: DiagramReading
  /// What a first look at the whole text has found, which decides how words in it are read freely.
  var vocabulary = Vocabulary()
  /// Whether the meaning of something that was read depends on the vocabulary.
  var asksVocabulary = false
  /// The names of states, events and conditions.
  var stateNames = Prose.Names()
  var eventWords = Prose.Names()
  var conditionNames = Prose.Names()
  /// The data of the event that the actions which are being read may ask for.
  var parameters: Set<String> = []
  /// The outputs that were named after words, to tell of each once.
  var wordedOutputs: Set<String> = []
  /// What each condition is compared with, and those that are not only asked for with a "not".
  var formsOfConditions: [String: ChartCondition.Form] = [:]
  var affirmedConditions: Set<String> = []
  var diagram = Diagram()
  var plantUML = PlantUML()
  var xstate = XState()
  /// How deeply actions are nested in what is being read.
  var depth = 0
  let limits: DocumentLimits
  let pace: ReadingPace
  /// How many outputs the actions stand for.
  var outputs = 0
  /// The events of the arrows.
  private var eventNames: Set<String> = []
  private var numbers: [String: Int] = [:]
  /// Which regions have mentioned which states: a region and, in the upper half, a state.
  private var mentions: Set<Int> = []
  /// The blocks that are open, from the outside to the inside: the state and the region that is being read.
  private(set) var open: [(state: Int, region: Int, offset: Int)] = []
  private var region = 0
  /// The number of the line that is being read, and where the next one begins.
  private var line = 0
  private var next = 0
  /// The state whose declaration is the last statement, whose block may begin in the next line.
  private var declaration: (state: Int, offset: Int)?

  /// Words that begin a statement of Mermaid.
  private static let keywords: Set<String> = [
    "state", "note", "class", "classdef", "style", "direction", "acctitle", "accdescr", "click", "scale", "hide",
    "linkstyle", "title",
  ]

  private static let longestKeyword = keywords.map(\.utf8.count).max() ?? 0

  /// Whether Mermaid takes a word for the beginning of a statement.
  static func isKeyword(_ word: String) -> Bool { keywords.contains(word.lowercased()) || word.lowercased() == "end" }

  init(
    _ bytes: [UInt8], _ notation: DiagramNotation, _ reading: DiagramReading, limits: DocumentLimits,
    _ pace: ReadingPace
  ) {
    self.bytes = bytes
    self.notation = notation
    self.reading = reading
    self.limits = limits
    self.pace = pace
  }

  mutating func read() {
    next = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    if let place = bytes.firstNotUTF8 { return diagram.error(place, "the text is not UTF-8; save the file as UTF-8") }
    switch notation {
    case .mermaid: readMermaid()
    case .plantuml: readPlantUML()
    case .xstate: readXState()
    }
    for block in open.dropFirst(outerBlocks) {
      diagram.error(block.offset, "the block of \(diagram.states[block.state].id) has no }")
    }
  }

  private mutating func readMermaid() {
    var hasHead = false
    skipFrontMatter()
    while let line = takeLine() {
      if hasHead {
        statements(line)
      } else if line.hasPrefix("%%{") {
        skip("the directive", from: line, to: "}%%")
      } else if line.hasPrefix("%%") {
        comment(line.dropFirst(2))
      } else if !line.isEmpty {
        hasHead = true
        let head = reading == .free ? String(line.string.prefix { !" \t;".contains($0) }) : line.string
        guard ["stateDiagram-v2", "stateDiagram"].contains(head) else {
          return diagram.error(
            line.start,
            "expected stateDiagram-v2; found \(line.string.prefix(40))\(Self.hint(insteadOfHead: line.string))")
        }
      }
    }
    if !hasHead { diagram.error(0, "the document is empty; expected stateDiagram-v2") }
  }

  /// What a text probably is that does not begin as a state diagram.
  private static func hint(insteadOfHead line: String) -> String {
    if line.hasPrefix("```") || line.hasPrefix("# ") || line.hasPrefix("~~~") {
      return "; the file has the diagram alone, without the Markdown around it"
    }
    if line.hasPrefix("<"), !line.hasPrefix("<scxml"), !line.hasPrefix("<?xml") {
      return "; this is a page of HTML, and no diagram"
    }
    if let other = hint(insteadOf: .mermaid, Array(line.utf8)) { return other }
    if line.includes("-->") { return "; write stateDiagram-v2 in a line above" }
    let word = String(line.prefix { !$0.isWhitespace })
    if ["graph", "flowchart", "classDiagram", "erDiagram", "gantt", "pie", "journey", "mindmap"].contains(word)
      || word.hasPrefix("sequence")
    {
      return "; of Mermaid's diagrams only state diagrams run"
    }
    return Spelling.suggestion(for: word, in: ["stateDiagram-v2", "stateDiagram"])
  }

  /// The next line, without blanks at its ends.
  mutating func takeLine() -> PlacedText? {
    guard next < bytes.count, diagram.errors <= limits.findings, pace.mayGoOn() else { return nil }
    line += 1
    let (start, end) = (next, bytes[next...].firstIndex(of: 0x0A) ?? bytes.count)
    next = end + 1
    if end - start <= limits.line { return PlacedText(bytes, start..<end).trimmed }
    diagram.error(start, "a line of a diagram has at most \(limits.line) bytes")
    stopReading()
    return nil
  }

  mutating func stopReading() { next = bytes.count }

  /// The title and the configuration between `---`.
  private mutating func skipFrontMatter() {
    let (start, first) = (next, line)
    var isFirst = true
    while let line = takeLine() {
      // A page in HTML begins its diagram on the line after the tag.
      if isFirst, line.isEmpty { continue }
      if isFirst, line.string != "---" { break }
      if !isFirst, line.string == "---" { return }
      isFirst = false
    }
    (next, line) = (start, first)
  }

  /// Skips lines up to the one that ends something.
  mutating func skip(_ what: String, from start: PlacedText, to end: String, until isEnd: (PlacedText) -> Bool) {
    while let line = takeLine() { if isEnd(line) { return } }
    diagram.error(start.start, "\(what) has no end; expected \(end)")
  }

  /// Skips lines up to the one that ends with a text.
  private mutating func skip(_ what: String, from line: PlacedText, to text: String) {
    if !line.string.includes(text) { skip(what, from: line, to: text) { $0.string.hasSuffix(text) } }
  }

  /// Skips the lines of a note, up to `end note`, which is no part of a word there.
  private mutating func skipNote(from text: PlacedText) {
    skip("the note", from: text, to: "end note") { line in
      let last = line.bytes.suffix(9)
      let isEnd = String(decoding: last, as: UTF8.self).lowercased().drop { $0 == " " || $0 == "\t" } == "end note"
      return isEnd && (line.bytes.count == 8 || last.first.map(PlacedText.isBlank) == true)
    }
  }

  // MARK: Statements

  private mutating func statements(_ line: PlacedText) {
    var rest = line
    if let declared = declaration, !line.isEmpty, !line.hasPrefix("%%") {
      declaration = nil
      // Mermaid takes the { of a block in the next line as well.
      if line.bytes[0] == UInt8(ascii: "{") {
        rest = (try? open(declared.state, declared.offset, line)) ?? PlacedText(at: line.end)
      }
    }
    while !rest.isEmpty, diagram.errors <= limits.findings, pace.mayGoOn() {
      rest = (try? statement(rest)) ?? PlacedText(at: rest.end)
    }
  }

  /// Reads a statement.
  ///
  /// - Returns: What comes after it in the line.
  private mutating func statement(_ text: PlacedText) throws(Mistake) -> PlacedText {
    let nothing = PlacedText(at: text.end)
    if text.hasPrefix("%%{") {
      skip("the directive", from: text, to: "}%%")
      return nothing
    }
    if text.hasPrefix("%%") {
      comment(text.dropFirst(2))
      return nothing
    }
    if text.hasPrefix("#") || reading == .free && (text.hasPrefix("//") || text.is("...")) { return nothing }
    if text.bytes[0] == UInt8(ascii: "}") { return close(text) }
    if text.is("--") || text.hasPrefix("-- ") { return divide(text) }
    // No more of a long line than the longest of these words.
    let first = text.bytes.prefix(Self.longestKeyword + 1).prefix { !PlacedText.isBlank($0) && $0 != UInt8(ascii: ":") }
    let word = String(decoding: first, as: UTF8.self)
    let behind = text.dropFirst(word.utf8.count).trimmed
    if Self.keywords.contains(word.lowercased()), word.utf8.count < text.bytes.count {
      let isName = behind.hasPrefix("-->") || behind.hasPrefix(":") && !word.lowercased().hasPrefix("acc")
      if isName, reading == .free { return try arrow(text) }
      if isName { throw fail(text, "\(word) is a word of Mermaid and cannot name a state") }
      switch word.lowercased() {
      case "state": return try state(behind, text)
      // A note of several lines; one that is read from the text or has `:` is in its line.
      case "note" where !behind.bytes.contains(UInt8(ascii: ":")) && behind.bytes.first != UInt8(ascii: "\""):
        skipNote(from: text)
      case "accdescr" where behind.hasPrefix("{"): skip("the description", from: text, to: "}")
      case _: break
      }
      return nothing
    }
    return try arrow(text)
  }

  /// After the mark of a comment: `data count = 0`; other comments mean nothing.
  mutating func comment(_ text: PlacedText) {
    guard let rest = text.trimmed.rest(after: "data") else { return }
    let sign = rest.bytes.firstIndex(of: UInt8(ascii: "=")) ?? rest.bytes.count
    let name = rest[0..<sign].trimmed
    guard Parser.isVariable(name.string) else {
      if sign < rest.bytes.count, !name.bytes.contains(where: PlacedText.isBlank) {
        diagram.error(name.start, "expected the name of a variable; found \(name.isEmpty ? "nothing" : name.string)")
      }
      return
    }
    let value = rest.dropFirst(sign + 1).trimmed
    if sign < rest.bytes.count, value.isEmpty { return diagram.error(value.start, "expected a value after =") }
    diagram.data.append(Diagram.Data(name: name, value: sign < rest.bytes.count ? value : nil))
  }

  mutating func close(_ text: PlacedText) -> PlacedText {
    if open.count <= outerBlocks {
      diagram.error(text.start, "there is no block that } could close")
    } else {
      open.removeLast()
      region = open.last?.region ?? 0
    }
    return text.dropFirst(1).trimmed
  }

  mutating func divide(_ text: PlacedText) -> PlacedText {
    guard let block = open.last else {
      diagram.hasOuterRegions = notation == .plantuml
      if notation == .mermaid {
        diagram.error(text.start, "regions are within a state: put state NAME { … } around them")
      }
      return PlacedText(at: text.end)
    }
    region = addRegion(to: block.state, at: text.start)
    open[open.count - 1].region = region
    return text.dropFirst(2).trimmed
  }

  /// Begins the state around all, if there are regions outside of all blocks.
  mutating func openOuterState() {
    guard let id = vocabulary.outerState else { return }
    let whole = diagram.states.count
    numbers[id] = whole
    diagram.states.append(Diagram.State(id: id, offset: 0))
    // Nobody has written it, so a picture shows no name.
    (diagram.states[whole].title, diagram.states[whole].declared) = (" ", 0)
    append(.edge(region: 0), .state(whole), DiagramLabel(offset: 0), at: 0)
    region = addRegion(to: whole, at: 0)
    open = [(whole, region, 0)]
    if reading == .free { diagram.assume(0, "the regions of the whole diagram are in a state \(id)") }
  }

  /// The blocks that no brace closes.
  private var outerBlocks: Int { vocabulary.outerState == nil ? 0 : 1 }

  mutating func addRegion(to state: Int, at offset: Int) -> Int {
    diagram.regions.append(Diagram.Region(owner: state, offset: offset))
    diagram.states[state].regions.append(diagram.regions.count - 1)
    return diagram.regions.count - 1
  }

  // MARK: States

  /// The lines that a title may have beside its first one.
  private static let mostTitleLines = 20

  /// `state "title" as NAME {`, `state NAME <<choice>>`.
  mutating func state(_ rest: PlacedText, _ text: PlacedText) throws(Mistake) -> PlacedText {
    let nothing = PlacedText(at: text.end)
    var rest = rest
    var title: PlacedText?
    if rest.bytes.first == UInt8(ascii: "\"") {
      var lines = 0
      while !rest.bytes.dropFirst().contains(UInt8(ascii: "\"")), lines < Self.mostTitleLines, let more = takeLine() {
        rest.join(more)
        lines += 1
      }
      guard let end = rest.bytes.dropFirst().firstIndex(of: UInt8(ascii: "\"")) else {
        throw fail(rest, "the title has no second quote")
      }
      title = rest[1..<end]
      guard let name = rest.dropFirst(end + 1).trimmed.rest(after: "as") else {
        throw fail(rest, "expected as NAME after the title, as in state \"Title\" as NAME")
      }
      rest = name
    }
    let state: Int
    switch try end(rest) {
    case (.state(let named), let behind): (state, rest) = (named, behind)
    case (.history, let behind): return behind
    case (.edge, _), (.regionHistory, _): throw fail(rest, "expected the name of a state; found \(rest.string)")
    }
    if diagram.states[state].declared == nil {
      diagram.states[state].declared = region
      diagram.states[state].offset = text.start
    }
    for (mark, kind) in [("choice", Diagram.State.Kind.choice), ("fork", .fork), ("join", .join)] {
      for form in ["<<\(mark)>>", "[[\(mark)]]", "&lt;&lt;\(mark)&gt;&gt;"] where rest.hasPrefix(form) {
        diagram.states[state].kind = kind
        if title != nil, reading == .strict { diagram.error(text.start, "a \(mark) has no title") }
        return rest.dropFirst(form.utf8.count).trimmed
      }
    }
    if rest.hasPrefix("<<") || rest.hasPrefix("[[") {
      throw fail(
        rest, "expected <<choice>>, <<fork>> or <<join>>; found \(rest.string). A history is NAME[H] or NAME[H*]")
    }
    if let title {
      diagram.states[state].title = title.lines.first.map { $0.trimmed.string } ?? ""
      titleLabels(title, of: state)
    }
    rest = skipClass(rest)
    if rest.hasPrefix(":") {
      describe(state, rest.dropFirst(1))
      return nothing
    }
    guard rest.bytes.first == UInt8(ascii: "{") else {
      if rest.isEmpty || rest.hasPrefix("%%") {
        declaration = (state, text.start)
        return rest
      }
      throw stop(rest)
    }
    return try open(state, text.start, rest)
  }

  /// Begins the block of a state.
  ///
  /// - Parameter rest: The text from `{` on.
  private mutating func open(_ state: Int, _ offset: Int, _ rest: PlacedText) throws(Mistake) -> PlacedText {
    guard open.count < limits.depth - 4 else {
      stopReading()
      throw fail(PlacedText(at: offset), "states are nested more than \(limits.depth - 4) deep")
    }
    let own = diagram.states[state]
    if open.contains(where: { $0.state == state }) { diagram.error(offset, "a state cannot be within itself") }
    if let before = own.block, reading == .free, let first = own.regions.first {
      diagram.assume(offset, "this block of \(own.id) continues the one in line \(before)")
      region = first
    } else {
      if let before = own.block { diagram.error(offset, "the state \(own.id) has a block in line \(before) already") }
      region = addRegion(to: state, at: rest.start)
    }
    diagram.states[state].block = own.block ?? line
    open.append((state, region, offset))
    return rest.dropFirst(1).trimmed
  }

  private mutating func stop(_ rest: PlacedText) -> Mistake {
    let line = bytes[..<rest.start].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    let words = PlacedText(bytes, line..<rest.start).string + rest.string
    let hint =
      words.contains(where: { "“”„".contains($0) })
      ? "; the quotes of a title are \"" : words.includes(" as ") ? "; a title stands in quotes" : Self.namesHint
    return fail(rest, "expected {, a line's end or <<choice>>; found \(rest.string)\(hint)")
  }

  /// What is told where a name with blanks may have been meant.
  private static var namesHint: String { #"; a name is one word, and state "Two words" as name gives it a title"# }

  /// The name of a state in another one, `outer.inner`, which is `inner` unless another state has that name.
  mutating func innerName(_ name: PlacedText) -> PlacedText {
    let text = name.string
    guard let dot = text.lastIndex(of: "."), dot != text.startIndex, text.index(after: dot) != text.endIndex else {
      return name
    }
    let outer = String(text[..<dot].split(separator: ".").last ?? "")
    let inner = String(text[text.index(after: dot)...])
    guard name.bytes.allSatisfy(Self.isPartOfName), inner.first?.isNumber == false else { return name }
    if let number = numbers[inner] {
      let around = diagram.states[number].declared.flatMap { diagram.regions[$0].owner }.map { diagram.states[$0].id }
      guard plantUML.outerStates[inner] == outer || around == outer else { return name }
    }
    plantUML.outerStates[inner] = outer
    return PlacedText(inner, at: name.start)
  }

  /// Puts the states that were named with the ones around them, and are declared nowhere, into these.
  mutating func placeInnerNames() {
    for (inner, outer) in plantUML.outerStates.sorted(by: { $0.key < $1.key }) {
      guard let state = numbers[inner], diagram.states[state].declared == nil else { continue }
      let around = self.state(named: PlacedText(outer, at: diagram.states[state].offset))
      var outermost: Int? = around
      while let next = outermost, next != state {
        outermost = diagram.states[next].declared.flatMap { diagram.regions[$0].owner }
      }
      // No state is within itself.
      guard outermost == nil else { continue }
      diagram.states[state].declared =
        diagram.states[around].regions.first ?? addRegion(to: around, at: diagram.states[state].offset)
    }
  }

  /// The state of a name, which may be new.
  private mutating func state(named name: PlacedText) -> Int {
    // Two names that differ in characters which only Mermaid takes are two states.
    let plain = Self.plainName(name.string)
    let id = reading == .free ? stateNames.name(for: name.string, like: plain) : name.string
    let number: Int
    if let known = numbers[id] {
      number = known
    } else {
      if reading == .free, id != plain {
        diagram.assume(name.start, "the state \(name.string) is called \(id), since another one is \(plain)")
      }
      number = diagram.states.count
      numbers[id] = number
      diagram.states.append(Diagram.State(id: id, offset: name.start))
    }
    if diagram.states[number].mentions.last != region, mentions.insert(number << 32 | region).inserted {
      diagram.states[number].mentions.append(region)
    }
    return number
  }

  // MARK: Arrows

  /// Reads `a --> b : label`, `a : text`, `a`.
  mutating func arrow(_ text: PlacedText) throws(Mistake) -> PlacedText {
    let (source, behind) = try end(text)
    let rest = skipClass(behind)
    if rest.isEmpty || rest.hasPrefix("%%") || rest.bytes[0] == UInt8(ascii: "}") { return rest }
    if rest.hasPrefix(":") {
      let (text, braces) = withoutBraces(rest.dropFirst(1).trimmed)
      guard let state = source.state else { throw fail(rest, "only a state has a text") }
      describe(state, text)
      return braces
    }
    guard rest.hasPrefix("-->") else {
      let word = String(decoding: rest.bytes.prefix { !PlacedText.isBlank($0) }, as: UTF8.self)
      let meant =
        word.contains(where: { "-=→–—⟶".contains($0) })
        ? "; did you mean -->?" : rest.string.includes("-->") || rest.string.includes(":") ? Self.namesHint : ""
      throw fail(rest, "expected --> or : after \(word == "" ? "it" : "the state"); found \(word)\(meant)")
    }
    let place = rest.dropFirst(3).trimmed
    if place.isEmpty { throw fail(place, "expected a state after -->; the line ends") }
    let (target, end) = try end(place)
    let after = skipClass(end)
    if after.bytes.first == UInt8(ascii: ":") {
      let (label, braces) = withoutBraces(after.dropFirst(1).trimmed)
      for text in arrowLabels(label) { add(source, target, text, place.start) }
      return braces
    }
    add(source, target, PlacedText(at: place.start), place.start)
    if after.hasPrefix("#") { return PlacedText(at: text.end) }
    if after.isEmpty || after.hasPrefix("%%") || after.bytes[0] == UInt8(ascii: "}") { return after }
    let hint = after.hasPrefix("-->") ? "; write one arrow in a line" : after.string.contains(":") ? Self.namesHint : ""
    throw fail(after, "expected : and a label, or the line's end; found \(after.string)\(hint)")
  }

  /// A label, and the braces behind it that close blocks: `state a { b --> c : go }`.
  private func withoutBraces(_ text: PlacedText) -> (label: PlacedText, braces: PlacedText) {
    let end = text.bytes.lastIndex { !PlacedText.isBlank($0) && $0 != UInt8(ascii: "}") }.map { $0 + 1 } ?? 0
    guard reading == .free, notation == .mermaid, !open.isEmpty, end < text.bytes.count,
      PlacedText.isBlank(text.bytes[end]), !text.bytes.contains(UInt8(ascii: "{"))
    else { return (text, PlacedText(at: text.end)) }
    return (text[0..<end], text.dropFirst(end).trimmed)
  }

  /// Reads the end of an arrow.
  private mutating func end(_ text: PlacedText) throws(Mistake) -> (Diagram.End, PlacedText) {
    if text.hasPrefix("[*]") {
      var rest = text.dropFirst(3).trimmed
      while reading == .free, rest.hasPrefix(";") { rest = rest.dropFirst(1).trimmed }
      return (.edge(region: region), rest)
    }
    let count = text.bytes.firstIndex { !Self.isPartOfName($0) } ?? text.bytes.count
    var name = text[0..<count]
    var rest = text.dropFirst(count)
    if reading == .free, text.hasPrefix("\""), let close = text.bytes.dropFirst().firstIndex(of: UInt8(ascii: "\"")),
      text[1..<close].bytes.contains(where: Self.isPartOfName)
    {
      (name, rest) = (text[1..<close].trimmed, text.dropFirst(close + 1))
    } else if reading == .free, let (whole, behind) = freeName(text, from: count) {
      (name, rest) = (whole, behind)
    }
    let mark = ["[H]", "[H*]"].first { rest.hasPrefix($0) }
    if let mark {
      let behind = rest.dropFirst(mark.utf8.count).trimmed
      if !name.isEmpty {
        let state = state(named: name)
        mention(\.states[state].histories, mark == "[H*]")
        return (.history(of: state, isDeep: mark == "[H*]"), behind)
      }
      guard region > 0 else {
        throw fail(text, "a history belongs to a state: write NAME\(mark), or put it into the state's block")
      }
      mention(\.regions[region].histories, mark == "[H*]")
      return (.regionHistory(region, isDeep: mark == "[H*]"), behind)
    }
    guard !name.isEmpty else {
      throw fail(text, "expected a state, whose name has letters, digits, _ and dots; found \(text.string.prefix(20))")
    }
    if let next = rest.bytes.first, !PlacedText.isBlank(next), !":{}".utf8.contains(next), !rest.hasPrefix("-->"),
      !rest.hasPrefix("<<"), !rest.hasPrefix("[["), !rest.hasPrefix("%%")
    {
      throw fail(rest, "the name of a state has letters, digits, _ and dots; found \(rest.string.prefix(1))")
    }
    return (.state(state(named: name)), rest.trimmed)
  }

  /// Skips `:::class`.
  private func skipClass(_ text: PlacedText) -> PlacedText {
    guard text.hasPrefix(":::") else { return text }
    let end = text.bytes.dropFirst(3).firstIndex { !Self.isPartOfName($0) && $0 != UInt8(ascii: "-") }
    return text.dropFirst(end ?? text.bytes.count).trimmed
  }

  private mutating func add(_ source: Diagram.End, _ target: Diagram.End, _ text: PlacedText, _ place: Int) {
    do throws(Mistake) {
      try forbidEventAtOnce(source, text)
      let label = try reading == .free ? freeLabel(text, from: source) : label(text)
      append(source, target, label, at: place, text.isEmpty ? place : text.start)
    } catch {
      for case .state(let state) in [source, target] { diagram.states[state].isFaulty = true }
    }
  }

  /// Adds an arrow; one without a target is handled within its state.
  mutating func append(
    _ source: Diagram.End, _ target: Diagram.End?, _ label: DiagramLabel, at place: Int, _ offset: Int? = nil
  ) {
    for case .event(let name) in label.triggers { eventNames.insert(name.string) }
    if eventNames.count > ChartProgram.mostNamesRead, !pace.isInterrupted {
      diagram.error(offset ?? place, "the diagram has more than \(ChartProgram.mostEvents) events")
      pace.stop()
    }
    let number = diagram.arrows.count
    diagram.arrows.append(
      Diagram.Arrow(source: source, target: target, label: label, offset: offset ?? place, targetOffset: place))
    if case .edge(let region)? = target { diagram.regions[region].hasFinal = true }
    switch source {
    case .state(let state): diagram.states[state].arrows.append(number)
    case .edge(let region): diagram.regions[region].initials.append(number)
    case .history(let state, let isDeep): mention(\.states[state].histories, isDeep, number)
    case .regionHistory(let region, let isDeep): mention(\.regions[region].histories, isDeep, number)
    }
  }

  /// Notes a history, and the arrow to where it leads for the first time.
  mutating func mention(_ owner: WritableKeyPath<Diagram, Diagram.Histories>, _ isDeep: Bool, _ arrow: Int? = nil) {
    if let arrow, diagram[keyPath: owner][isDeep] != nil {
      diagram.error(diagram.arrows[arrow].targetOffset, "a history has one arrow, to where it leads for the first time")
    }
    diagram[keyPath: owner][isDeep] = arrow ?? diagram[keyPath: owner][isDeep]
  }

  /// A strict reading has no event where an arrow is taken at once.
  private mutating func forbidEventAtOnce(_ source: Diagram.End, _ text: PlacedText) throws(Mistake) {
    let head = text[0..<(text.firstTopLevel("[/") ?? text.bytes.count)].trimmed
    if reading == .free || head.isEmpty { return }
    if case .edge = source {
      throw fail(
        text, "an arrow from [*] is taken at once and has no event",
        hint: "; leave \(head.string) away, or write / and actions")
    }
    if let state = source.state, diagram.states[state].kind == .choice {
      throw fail(text, Self.choiceMistake, hint: Self.choiceHint(head.string))
    }
  }

  /// What is said of an arrow out of a choice that has words instead of a guard.
  static let choiceMistake = "an arrow out of a choice is taken at once and has no event"

  static func choiceHint(_ words: String) -> String {
    let guarded = formalGuard(words)
    return "; write \(["", "[else]"].contains(guarded) ? "" : "\(guarded) or ")[else]"
  }

  // MARK: Texts

  /// The labels of a text with line breaks: a line that cannot stand alone belongs to the one before it.
  func labels(_ text: PlacedText) -> [PlacedText] {
    guard text.bytes.contains(where: { "\\#&<".utf8.contains($0) }) else { return [text] }
    var labels: [PlacedText] = []
    var nesting = PlacedText.Nesting()
    for line in text.lines.map(\.trimmed) where !line.isEmpty {
      if let last = labels.last, nesting.isOpen || last.continues(with: line) {
        // Pictures indent the further lines of a text so.
        labels[labels.count - 1].join(line.hasPrefix("\u{A0}\u{A0}") ? line.dropFirst(4) : line)
        _ = nesting.take(0x20)
      } else {
        labels.append(line)
        nesting = PlacedText.Nesting()
      }
      for byte in line.bytes { _ = nesting.take(byte) }
    }
    return labels.isEmpty ? [PlacedText(at: text.start)] : labels
  }

  /// The lines below a title are as texts of the state.
  private mutating func titleLabels(_ title: PlacedText, of state: Int) {
    guard let rest = title.afterBreak else { return }
    for text in labels(rest.trimmed) { describe(state, label: text, isTitle: true) }
  }

  /// A text that begins as a description is one as a whole.
  private mutating func describe(_ state: Int, _ text: PlacedText) {
    diagram.states[state].isDescribed = true
    for text in labels(text.trimmed) { guard describe(state, label: text) else { return } }
  }

  /// `on : entry / lamp`, `on : press [n < 3] / beep`, or a description.
  ///
  /// - Returns: Whether it is no description.
  @discardableResult
  private mutating func describe(_ state: Int, label text: PlacedText, isTitle: Bool = false) -> Bool {
    if text.isEmpty || text.bytes[0] == UInt8(ascii: "\"") || text.hasPrefix("“") {
      note((text.quoted ?? text).string, of: state)
      return false
    }
    asksVocabulary = true
    if reading == .free, let text = freeHandler(text) {
      handle(text, in: state)
      return true
    }
    if reading == .free, let handled = text.rest(after: "on"), let slash = handled.firstTopLevel("/"), slash > 0,
      isFormalTrigger(handled[0..<(handled.firstTopLevel("[/") ?? slash)].trimmed)
    {
      diagram.assume(text.start, "\"\(text.string)\" is read as \(handled.string)")
      return describe(state, label: handled)
    }
    let end = text.firstTopLevel("[/") ?? text.bytes.count
    let head = text[0..<end].trimmed
    let first = text.string.split(separator: " ").first.map(String.init) ?? ""
    let isBare = end == text.bytes.count && reading == .free
    if head.is("entry") || head.is("exit"), !isBare {
      if !text.dropFirst(end).hasPrefix("/") {
        diagram.error(text.start, "expected actions, as in \(head.string) / lamp; \(head.string) has no guard")
      } else if let content = try? content(of: text.dropFirst(end + 1)) {
        addHandler(of: state, isEntry: head.is("entry"), content.nodes)
      }
      return true
    }
    if reading == .free, !isFreelyFormal(text, head, end) {
      let isTimer = Prose.time(in: text.string) != nil
      if !isTitle, isTimer || isFormal(text, head, end) {
        let id = diagram.states[state].id
        let why = text.is(head.string) ? "an event \(text.string) is handled by no arrow" : "it has no formal label"
        diagram.assume(
          text.start, "this describes \(id): \(isTimer ? "a timer has actions or leads on" : why)",
          hint: isTimer ? ", as in \(text.string) / beep, or \(id) --> NAME : \(text.string)" : "",
          write: "\"\(text.string)\"")
      }
      note(text.string, of: state)
      return false
    }
    if head.is("do") || ["entry", "exit", "do"].contains(first) {
      diagram.error(
        text.start,
        head.is("do")
          ? "do / cannot run here: use entry /, exit / or after DURATION"
          : "expected \(first) / ACTIONS; found \(text.string)")
      return true
    }
    guard isFormal(text, head, end) else {
      note(text.string, of: state)
      return false
    }
    guard let label = try? reading == .free ? freeLabel(text, from: .state(state)) : label(text) else { return true }
    append(.state(state), nil, label, at: text.start)
    return true
  }

  /// Notes a description.
  private mutating func note(_ text: String, of state: Int) {
    if !text.isEmpty { diagram.states[state].descriptions.append(text) }
  }

  mutating func addHandler(of state: Int, isEntry: Bool, _ content: [XMLDocument.Node]) {
    if isEntry { diagram.states[state].entries.append(content) } else { diagram.states[state].exits.append(content) }
  }

  /// Whether a text is a label and no description: what triggers it is one word, or several with commas or a time.
  private func isFormal(_ text: PlacedText, _ head: PlacedText, _ end: Int) -> Bool {
    if text.hasPrefix("ignores ") || text.hasPrefix("refuses ") { return false }
    if head.isEmpty { return true }
    let hasMarks = end < text.bytes.count
    for part in head.split(",") {
      let words = part.string.split(separator: " ")
      let isTrigger = words.count <= 1 || words.contains("after") || words.last == "timer" || words.last == "(timer)"
      if !isTrigger, !part.bytes.contains(UInt8(ascii: "(")) {
        // With a guard or actions it is a mistake, unless the mark is part of a word.
        return hasMarks && text.isMark(at: end)
      }
    }
    return hasMarks || !head.string.hasSuffix(".")
  }
}

extension PlacedText {
  /// Whether a line belongs to the one before it, which has no open brackets: it begins with a guard, actions or an
  /// operator, or the one before it ends with a word or a mark after which something has to come.
  fileprivate func continues(with line: PlacedText) -> Bool {
    if let first = line.bytes.first, "/[,;)]}+-%=<>&|?:.".utf8.contains(first) || line.hasPrefix("×") { return true }
    if let last = bytes.last, ",+-/%=<>&|?:".utf8.contains(last) { return true }
    return hasSuffix(" or") || hasSuffix(" after") || line.hasPrefix("\u{A0}\u{A0}")
  }

  /// Whether a mark has a blank in front of it.
  func isMark(at place: Int) -> Bool { place > 0 && PlacedText.isBlank(bytes[place - 1]) }
}
