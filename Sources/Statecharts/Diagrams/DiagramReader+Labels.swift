import LineProtocol
import StateMachines

// Labels: what triggers an arrow, its guard and its actions.

extension DiagramReader {
  /// Thrown after a mistake was noted; the text with it is skipped.
  struct Mistake: Error {}

  mutating func fail(
    _ text: PlacedText, _ message: String, hint: String = "", write: String? = nil, isOpen: Bool = false
  ) -> Mistake {
    diagram.error(text.start, message, hint: hint, write: write, isOpen: isOpen)
    return Mistake()
  }

  /// `words` in place of `text`, with the rest of its line.
  func proposal(_ words: String, for text: PlacedText) -> String {
    let end = bytes[text.end...].firstIndex(of: 0x0A) ?? bytes.count
    return words + String(decoding: bytes[text.end..<end], as: UTF8.self)
  }

  /// Reads the label of an arrow or of something that is handled within a state.
  mutating func label(_ whole: PlacedText) throws(Mistake) -> DiagramLabel {
    var text = whole.withoutMark
    var label = DiagramLabel(offset: text.start)
    if let rest = text.rest(after: "internal") { (label.isInternal, text) = (true, rest) }
    let head = text.firstTopLevel("[/") ?? text.bytes.count
    try triggers(text[0..<head].trimmed, of: &label)
    text = text.dropFirst(head)
    if text.hasPrefix("[") {
      guard let close = text.closing(0) else { throw fail(text, "the guard has no ]") }
      let condition = text[1..<close].trimmed
      text = text.dropFirst(close + 1).trimmed
      if condition.isEmpty { throw fail(condition, "the guard is empty; expected an expression, as in [count < 3]") }
      if condition.is("else") { label.isElse = true } else { label.condition = condition }
    }
    if text.isEmpty { return label }
    guard text.hasPrefix("/") else {
      throw fail(text, "expected / and actions after the guard; found \(text.string)")
    }
    (label.content, label.actions) = try content(of: text.dropFirst(1))
    return label
  }

  /// Reads `press`, `press, release`, `set(on)`, `after 5s`, `ring after 5s`, `loaded, or after 5s`.
  mutating func triggers(_ text: PlacedText, of label: inout DiagramLabel) throws(Mistake) {
    if text.isEmpty { return }
    if text.is("always") { return label.isAlways = true }
    var last: PlacedText?
    for part in text.split(",") {
      if let last, part.is("or timer") || part.is("timer") {
        throw fail(
          part, "the text does not say how long the timer runs", hint: "; write \(last.string), or after DURATION",
          isOpen: true)
      }
      let follows = part.rest(after: "or")
      let part = follows ?? part
      if let time = part.rest(after: "after") {
        if follows == nil { diagram.timerTexts[part.start] = part.string }
        let nanoseconds = try duration(time)
        label.triggers.append(.timer(name: follows == nil ? nil : last, nanoseconds: nanoseconds, offset: part.start))
      } else {
        last = try event(part, of: &label)
      }
    }
    if label.samples != nil, label.triggers.count > 1 {
      throw fail(text, "only the data of one event can be read; give each event an arrow of its own")
    }
  }

  /// Reads `press`, `set(on|off)` or `ring after 5s`.
  ///
  /// - Returns: The name.
  private mutating func event(_ text: PlacedText, of label: inout DiagramLabel) throws(Mistake) -> PlacedText {
    let end = text.bytes.firstIndex { PlacedText.isBlank($0) || $0 == UInt8(ascii: "(") } ?? text.bytes.count
    let name = text[0..<end]
    let rest = text.dropFirst(end).trimmed
    let expected = "expected EVENT [GUARD] / ACTIONS; found \(text.isEmpty ? "nothing" : text.string)"
    if name.isEmpty || name.bytes.contains(where: { "()[]{};\"'<>".utf8.contains($0) }) { throw fail(text, expected) }
    if let time = rest.rest(after: "after") {
      diagram.timerTexts[text.start] = text.string
      label.triggers.append(.timer(name: name, nanoseconds: try duration(time), offset: text.start))
      return name
    }
    if rest.is("(timer)") {
      throw fail(
        rest, "the text does not say how long the timer runs", hint: "; write \(name.string) after DURATION",
        isOpen: true)
    }
    label.triggers.append(.event(name))
    if rest.isEmpty { return name }
    if Self.isDigit(rest.dropFirst(rest.hasPrefix("(") ? 1 : 0).bytes.first ?? 0),
      name.is("every") || Spelling.closest(to: name.string, in: ["after", "after."]) != nil
    {
      let timer = "after \(rest.string.filter { !"() ".contains($0) })"
      throw fail(text, expected, hint: "; a timer is \(timer)", write: proposal(timer, for: text))
    }
    guard let inner = rest.inside("(") else {
      if text.bytes.contains(where: { "<>=!".utf8.contains($0) }) {
        let guarded = text.rest(after: "if") ?? text
        throw fail(text, expected, hint: "; a guard stands in brackets: [\(guarded.string)]")
      }
      let word = Prose.name(of: text.string)
      throw fail(text, expected, hint: "; an event is one word: \(word)")
    }
    // `press()` is the event as a function.
    if rest.bytes.count == 2 { return name }
    label.samples = EventSamples(inner)
    return name
  }

  /// A string of the expression language.
  static func quoted(_ text: String) -> String {
    "'\(text.replaced("\\", by: "\\\\").replaced("'", by: "\\'"))'"
  }

  /// Reads a duration as requests have it: `250ms`, `1.5s`, `2d`; without a unit it is in seconds.
  mutating func duration(_ text: PlacedText) throws(Mistake) -> Int64 {
    guard let nanoseconds = Self.nanoseconds(of: text) else {
      throw fail(text, "expected a duration; found \(text.string)", hint: "; one is 350ms, 5s or 1.5h")
    }
    guard nanoseconds <= Double(TimeText.longest) else { throw fail(text, "a duration is at most 36500d") }
    if TimeText.duration(text.string) == nil {
      let rounded = TimeText.written(Int64(nanoseconds))
      diagram.warn(text.start, "\(text.string) has a part of a nanosecond, so it is rounded to \(rounded)")
    }
    return Int64(nanoseconds)
  }

  static func nanoseconds(of text: PlacedText) -> Double? {
    let digits = text.bytes.prefix { "0123456789.".utf8.contains($0) }
    guard let unit = TimeText.duration("1" + text.dropFirst(digits.count).string), !text.hasPrefix("."),
      let number = Double(literal: digits)
    else { return nil }
    return (number * Double(unit)).rounded()
  }

  /// A duration as `delay=` has it.
  static func delay(_ nanoseconds: Int64) -> String {
    if nanoseconds % 1_000_000_000 == 0 { return "\(nanoseconds / 1_000_000_000)s" }
    let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
    if rest == 0 { return "\(whole)ms" }
    var digits = String(String(rest + 1_000_000).dropFirst())
    while digits.hasSuffix("0") { digits.removeLast() }
    return "\(whole).\(digits)ms"
  }

  // MARK: Actions

  /// Reads actions on their own.
  ///
  /// - Returns: Their elements, and them as the formal notation has them.
  mutating func content(
    of text: PlacedText
  ) throws(Mistake) -> (nodes: [XMLDocument.Node], formal: [DiagramLabel.Action]) {
    var builder = XMLBuilder()
    let formal = try actions(text, into: &builder)
    return (builder.nodes, formal)
  }

  /// Reads actions between commas or semicolons.
  @discardableResult
  private mutating func actions(
    _ text: PlacedText, into builder: inout XMLBuilder
  ) throws(Mistake) -> [DiagramLabel.Action] {
    if text.trimmed.isEmpty { return [] }
    var formal: [DiagramLabel.Action] = []
    var mistake: Mistake?
    // A separator at the end is no mistake.
    for part in text.split(",;") where !part.isEmpty {
      guard pace.mayGoOn() else { throw Mistake() }
      do throws(Mistake) {
        if reading == .free, let words = try freeAction(part, into: &builder) {
          formal.append((part.start, words))
        } else {
          try action(part, into: &builder)
          formal.append((part.start, part.string))
        }
      } catch {
        mistake = error
      }
    }
    if let mistake { throw mistake }
    return formal
  }

  private mutating func action(_ text: PlacedText, into builder: inout XMLBuilder) throws(Mistake) {
    for (word, attribute) in [("raise", "event"), ("cancel", "sendid")] {
      guard let name = keyword(word, text) else { continue }
      try check(name, after: word)
      return builder.empty(word, [name.attribute(attribute)], at: text.start)
    }
    if let rest = keyword("log", text) { return try log(rest, text.start, into: &builder) }
    if let rest = keyword("send", text) { return try send(rest, text.start, into: &builder) }
    if let open = text.parenthesis(after: "if") { return try conditional(text, open, into: &builder) }
    if let open = text.parenthesis(after: "for"), text.hasSuffix("}"), try loop(text, open, into: &builder) { return }
    if try output(text, into: &builder) { return }
    if let sign = assignment(text) {
      let value = text.dropFirst(sign + 1).trimmed
      if value.isEmpty { throw fail(text, "expected a value after =; found \(text.string)", isOpen: true) }
      return builder.empty(
        "assign", [text[0..<sign].trimmed.attribute("location"), value.attribute("expr")], at: text.start)
    }
    var symbols = SymbolTable()
    if (try? Parser.script(text.string, &symbols)) == nil,
      text.string.unicodeScalars.allSatisfy({ $0.properties.isXIDContinue || $0 == " " || $0 == "\t" })
    {
      throw fail(
        text, "expected an action; found \(text.string)",
        hint: "; an output is one word: \(Prose.name(of: text.string))")
    }
    builder.begin("script", at: text.start)
    builder.text(text)
    builder.end()
  }

  /// What follows a word that begins an action; `nil` if the word is a variable.
  func keyword(_ word: String, _ text: PlacedText) -> PlacedText? {
    guard let rest = text.rest(after: word), let next = rest.bytes.first, !"=+-*/%&|^<>.,)".utf8.contains(next) else {
      return nil
    }
    return rest
  }

  private mutating func check(_ name: PlacedText, after word: String) throws(Mistake) {
    if name.bytes.contains(where: { PlacedText.isBlank($0) || "()[]{}\"'=".utf8.contains($0) }) {
      throw fail(name, "expected one name after \(word); found \(name.string)")
    }
  }

  /// `beep`, `beep ×3`, `beep(volume = 3)`.
  ///
  /// - Returns: Whether the action is one of these.
  private mutating func output(_ text: PlacedText, into builder: inout XMLBuilder) throws(Mistake) -> Bool {
    let end = text.bytes.firstIndex { !Self.isPartOfName($0) } ?? text.bytes.count
    guard end > 0, !Self.isDigit(text.bytes[0]) else { return false }
    let name = text[0..<end]
    let rest = text.dropFirst(end).trimmed
    var count = 1
    var parameters: [(PlacedText, PlacedText)] = []
    if rest.is("?") {
      throw fail(
        text, "whether \(name.string) is emitted depends on data that the text does not have", hint: "; write a guard",
        isOpen: true)
    } else if rest.hasPrefix("×") {
      guard let number = Int(rest.string.dropFirst().filter { $0 != " " }), (1...1_000).contains(number) else {
        throw fail(rest, "expected how many times, as in \(name.string) ×2")
      }
      count = number
    } else if !rest.isEmpty {
      guard let inner = rest.inside("("), let found = self.parameters(inner) else { return false }
      parameters = found
    }
    try countOutputs(count * (1 + parameters.count), text)
    for _ in 0..<count {
      builder.begin("send", [("type", "output", nil), name.attribute("event")], at: text.start)
      add(parameters, to: &builder)
      builder.end()
    }
    return true
  }

  mutating func countOutputs(_ more: Int, _ text: PlacedText) throws(Mistake) {
    outputs += more
    if outputs > limits.nodes {
      throw fail(text, "the diagram emits more than \(limits.nodes) outputs and data of outputs")
    }
  }

  /// `volume = 3, pitch = x`; `nil` for anything else.
  private func parameters(_ inner: PlacedText) -> [(PlacedText, PlacedText)]? {
    if inner.trimmed.isEmpty { return [] }
    var all: [(PlacedText, PlacedText)] = []
    for part in inner.split(",") {
      guard let sign = assignment(part) else { return nil }
      let name = part[0..<sign].trimmed
      guard name.bytes.allSatisfy(Self.isPartOfName), !name.isEmpty else { return nil }
      all.append((name, part.dropFirst(sign + 1).trimmed))
    }
    return all
  }

  private func add(_ parameters: [(PlacedText, PlacedText)], to builder: inout XMLBuilder) {
    for (name, value) in parameters {
      builder.empty("param", [name.attribute("name"), value.attribute("expr")], at: name.start)
    }
  }

  /// The place of an `=` that assigns.
  func assignment(_ text: PlacedText) -> Int? {
    // What has an operator in front of the sign is no place.
    guard let place = text.firstTopLevel("=?:&|<>!+-*/%"), text.bytes[place] == UInt8(ascii: "=") else { return nil }
    return text.dropFirst(place + 1).hasPrefix("=") || place > 0 && text.bytes[place - 1] == UInt8(ascii: "^")
      ? nil : place
  }

  private mutating func log(_ text: PlacedText, _ offset: Int, into builder: inout XMLBuilder) throws(Mistake) {
    var (value, label) = (text, text.rest(after: "as"))
    if label != nil {
      value = PlacedText(at: text.start)
    } else if let place = text.topLevelWord("as") {
      (value, label) = (text[0..<place].trimmed, text.dropFirst(place + 2).trimmed)
    }
    var attributes: [XMLBuilder.Attribute] = []
    if let label {
      guard let inner = label.unquoted else {
        throw fail(label, "expected a label in quotes; found \(label.string)")
      }
      attributes.append(("label", inner, label.start))
    }
    if !value.isEmpty { attributes.append(value.attribute("expr")) }
    builder.empty("log", attributes, at: offset)
  }

  /// `send EVENT(key = value) to MACHINE as ID after 5s`.
  private mutating func send(_ text: PlacedText, _ offset: Int, into builder: inout XMLBuilder) throws(Mistake) {
    let end = text.bytes.firstIndex { PlacedText.isBlank($0) || $0 == UInt8(ascii: "(") } ?? text.bytes.count
    let name = text[0..<end]
    try check(name, after: "send")
    var rest = text.dropFirst(end).trimmed
    var parameters: [(PlacedText, PlacedText)] = []
    if rest.hasPrefix("("), let close = rest.closing(0) {
      guard let found = self.parameters(rest[1..<close]) else {
        throw fail(rest, "expected data as in send \(name.string)(count = 3)")
      }
      parameters = found
      rest = rest.dropFirst(close + 1).trimmed
    }
    var attributes = [name.attribute("event")]
    while !rest.isEmpty {
      let words: [(String, String)] = [("to", "target"), ("as", "id"), ("after", "delay")]
      guard let (word, attribute) = words.first(where: { rest.rest(after: $0.0) != nil }),
        let tail = rest.rest(after: word), !tail.isEmpty
      else { throw fail(rest, "expected to MACHINE, as ID or after DURATION; found \(rest.string)") }
      let end = tail.bytes.firstIndex(where: PlacedText.isBlank) ?? tail.bytes.count
      let value = tail[0..<end]
      rest = tail.dropFirst(end).trimmed
      let written =
        switch word {
        case "to" where !value.hasPrefix("#"): "#" + value.string
        case "after": Self.delay(try duration(value))
        case _: value.string
        }
      attributes.append((attribute, written, value.start))
    }
    builder.begin("send", attributes, at: offset)
    add(parameters, to: &builder)
    builder.end()
  }

  /// `if (n > 1) { beep } else if (n > 0) { … } else { … }`.
  private mutating func conditional(
    _ text: PlacedText, _ open: Int, into builder: inout XMLBuilder
  ) throws(Mistake) {
    let (condition, body) = try condition(of: text, open)
    builder.begin("if", [condition.attribute("cond")], at: text.start)
    var rest = try block(body, into: &builder)
    while let branch = rest.rest(after: "else") {
      if let open = branch.parenthesis(after: "if") {
        let (condition, body) = try self.condition(of: branch, open)
        builder.empty("elseif", [condition.attribute("cond")], at: rest.start)
        rest = try block(body, into: &builder)
      } else {
        builder.empty("else", [], at: rest.start)
        rest = try block(branch, into: &builder)
      }
    }
    builder.end()
    if !rest.isEmpty { throw fail(rest, "expected , or ; after }; found \(rest.string)") }
  }

  /// What is in parentheses, and what comes after them.
  private mutating func condition(
    of text: PlacedText, _ open: Int
  ) throws(Mistake) -> (inner: PlacedText, rest: PlacedText) {
    guard let close = text.closing(open) else { throw fail(text, "the parenthesis has no )") }
    return (text[(open + 1)..<close].trimmed, text.dropFirst(close + 1).trimmed)
  }

  /// Reads actions in braces.
  ///
  /// - Returns: What comes after them.
  private mutating func block(_ text: PlacedText, into builder: inout XMLBuilder) throws(Mistake) -> PlacedText {
    guard text.hasPrefix("{"), let close = text.closing(0) else {
      throw fail(text, "expected { and actions and }; found \(text.isEmpty ? "nothing" : text.string)")
    }
    depth += 1
    defer { depth -= 1 }
    guard depth <= 60 else { throw fail(text, "actions are nested more than 60 deep") }
    try actions(text[1..<close], into: &builder)
    return text.dropFirst(close + 1).trimmed
  }

  /// `for (item of list) { … }`, `for (item, index of list) { … }`.
  ///
  /// - Returns: `false` for another loop, which is a script.
  private mutating func loop(
    _ text: PlacedText, _ open: Int, into builder: inout XMLBuilder
  ) throws(Mistake) -> Bool {
    let (head, body) = try condition(of: text, open)
    guard let place = head.topLevelWord("of") else { return false }
    let names = head[0..<place].split(",")
    guard names.count <= 2 else { return false }
    let variables = zip(names, ["item", "index"]).map { $0.attribute($1) }
    builder.begin("foreach", [head.dropFirst(place + 2).trimmed.attribute("array")] + variables, at: text.start)
    let rest = try block(body, into: &builder)
    builder.end()
    if !rest.isEmpty { throw fail(rest, "expected , or ; after }; found \(rest.string)") }
    return true
  }

  /// A name with `_` for the bytes that only Mermaid takes.
  static func plainName(_ name: String) -> String {
    String(decoding: name.utf8.map { isPartOfName($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
  }

  static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

  /// Whether a name of a state or an output can have a byte.
  static func isPartOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
      UInt8(ascii: "."), UInt8(ascii: "$"):
      true
    case 0x80...: true
    case let byte: isDigit(byte)
    }
  }
}

extension PlacedText {
  /// The place of the parenthesis that follows a word.
  func parenthesis(after word: String) -> Int? {
    guard hasPrefix(word) else { return nil }
    let place = bytes.dropFirst(word.utf8.count).firstIndex { !PlacedText.isBlank($0) }
    return place.flatMap { bytes[$0] == UInt8(ascii: "(") ? $0 : nil }
  }

  /// The place of a word between blanks, outside of brackets and quotes.
  func topLevelWord(_ word: String) -> Int? {
    firstTopLevel { place in
      let after = place + word.utf8.count
      return place > 0 && Self.isBlank(bytes[place - 1]) && after < bytes.count && Self.isBlank(bytes[after])
        && bytes[place...].starts(with: word.utf8)
    }
  }

  /// The content of a string in quotes.
  fileprivate var unquoted: String? {
    var lexer = Lexer(string)
    guard let first = try? lexer.next(), case .string(let inner) = first.token, let second = try? lexer.next(),
      second.token == .end
    else { return nil }
    return inner
  }
}
