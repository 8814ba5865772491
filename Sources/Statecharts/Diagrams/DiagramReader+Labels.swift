import StateMachines

// Labels: what triggers an arrow, its guard and its actions.

extension DiagramReader {
  /// Reads the label of an arrow or of something that is handled within a state.
  ///
  /// - Returns: `nil` after a mistake, which was noted.
  mutating func label(_ whole: PlacedText) -> DiagramLabel? {
    var text = whole
    // The mark of arrows that are possible now, in diagrams of machines.
    if text.hasPrefix("▶") { text = text.dropFirst("▶".utf8.count).trimmed }
    var label = DiagramLabel(offset: text.start)
    if let rest = text.rest(after: "internal") {
      label.isInternal = true
      text = rest
    }
    let head = text.firstTopLevel("[/") ?? text.bytes.count
    guard triggers(text[0..<head].trimmed, of: &label) else { return nil }
    text = text.dropFirst(head)
    if text.bytes.first == UInt8(ascii: "[") {
      guard let close = text.closing(0) else {
        diagram.error(text.start, "the guard has no ]")
        return nil
      }
      let condition = text[1..<close].trimmed
      text = text.dropFirst(close + 1).trimmed
      if condition.string == "else" {
        label.isElse = true
      } else if condition.isEmpty {
        diagram.error(condition.start, "the guard is empty; expected an expression, as in [count < 3]")
        return nil
      } else {
        label.condition = condition
      }
    }
    if text.isEmpty { return label }
    guard text.bytes[0] == UInt8(ascii: "/") else {
      diagram.error(text.start, "expected / and actions after the guard; found \(text.string)")
      return nil
    }
    var builder = XMLBuilder()
    guard actions(text.dropFirst(1), into: &builder) else { return nil }
    label.content = builder.nodes
    return label
  }

  /// Reads `press`, `press, release`, `set(on)`, `after 5s`, `ring after 5s`, `loaded, or after 5s`.
  mutating func triggers(_ text: PlacedText, of label: inout DiagramLabel) -> Bool {
    if text.isEmpty { return true }
    var last: PlacedText?
    if text.string == "always" {
      label.isAlways = true
      return true
    }
    for part in text.split(",") {
      if part.string == "or timer" || part.string == "timer", last != nil {
        return fail(
          part, "the text does not say how long the timer runs; write \(last?.string ?? ""), or after DURATION")
      }
      var part = part
      let follows = part.rest(after: "or")
      if let follows { part = follows }
      if let time = part.rest(after: "after") {
        guard let nanoseconds = duration(time) else { return false }
        if follows == nil { diagram.timerTexts[part.start] = part.string }
        label.triggers.append(.timer(name: follows == nil ? nil : last, nanoseconds: nanoseconds, offset: part.start))
        continue
      }
      guard let name = event(part, of: &label) else { return false }
      last = name
    }
    if label.samples != nil, label.triggers.count > 1 {
      return fail(text, "only the data of one event can be read; give each event an arrow of its own")
    }
    return true
  }

  mutating func fail(_ text: PlacedText, _ message: String) -> Bool {
    diagram.error(text.start, message)
    return false
  }

  /// Reads `press`, `set(on|off)` or `ring after 5s`.
  ///
  /// - Returns: The name.
  private mutating func event(_ text: PlacedText, of label: inout DiagramLabel) -> PlacedText? {
    let end = text.bytes.firstIndex { PlacedText.isBlank($0) || $0 == UInt8(ascii: "(") } ?? text.bytes.count
    let name = text[0..<end]
    let rest = text.dropFirst(end).trimmed
    if name.isEmpty || name.bytes.contains(where: { "()[]{};\"'<>".utf8.contains($0) }) {
      diagram.error(text.start, "expected EVENT [GUARD] / ACTIONS; found \(text.isEmpty ? "nothing" : text.string)")
      return nil
    }
    if rest.isEmpty {
      label.triggers.append(.event(name))
      return name
    }
    if let time = rest.rest(after: "after") {
      guard let nanoseconds = duration(time) else { return nil }
      diagram.timerTexts[text.start] = text.string
      label.triggers.append(.timer(name: name, nanoseconds: nanoseconds, offset: text.start))
      return name
    }
    if rest.string == "(timer)" {
      diagram.error(rest.start, "the text does not say how long the timer runs; write \(name.string) after DURATION")
      return nil
    }
    if Self.isDigit(rest.dropFirst(rest.bytes[0] == UInt8(ascii: "(") ? 1 : 0).bytes.first ?? 0),
      name.string == "every" || Spelling.closest(to: name.string, in: ["after", "after."]) != nil
    {
      let time = rest.string.filter { !"() ".contains($0) }
      diagram.error(text.start, "expected EVENT [GUARD] / ACTIONS; found \(text.string); a timer is after \(time)")
      return nil
    }
    guard rest.bytes[0] == UInt8(ascii: "("), let close = rest.closing(0), close == rest.bytes.count - 1 else {
      if text.bytes.contains(where: { "<>=!".utf8.contains($0) }) {
        let guarded = text.rest(after: "if") ?? text
        diagram.error(
          text.start,
          "expected EVENT [GUARD] / ACTIONS; found \(text.string); a guard stands in brackets: [\(guarded.string)]")
        return nil
      }
      let words = text.string.split(whereSeparator: { !$0.isLetter && !$0.isNumber }).map(String.init)
      let joined = (words.first ?? "") + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
      diagram.error(
        text.start, "expected EVENT [GUARD] / ACTIONS, and an event is one word: \(joined), not \(text.string)")
      return nil
    }
    let samples = EventSamples(rest[1..<close])
    if rest.bytes.count == 2 {
      // `press()` is the event as a function.
    } else if reading == .free, samples.areNames {
      diagram.assume(rest.start, "\(samples.text) names the data of \(name.string), whatever their values are")
    } else {
      label.samples = samples
    }
    label.triggers.append(.event(name))
    return name
  }

  /// A string of the expression language.
  static func quoted(_ text: String) -> String {
    let inner = text.reduce(into: "") { inner, character in
      if character == "'" || character == "\\" { inner += "\\" }
      inner.append(character)
    }
    return "'\(inner)'"
  }

  /// Reads a duration as requests have it: `250ms`, `1.5s`, `2d`; without a unit it is in seconds.
  mutating func duration(_ text: PlacedText) -> Int64? {
    let nanoseconds = Self.nanoseconds(of: text)
    if nanoseconds == nil { diagram.error(text.start, "expected a duration, as in after 350ms; found \(text.string)") }
    guard let nanoseconds, nanoseconds <= 36_500 * 86_400e9 else {
      if nanoseconds != nil { diagram.error(text.start, "a duration is at most 36500d") }
      return nil
    }
    let whole = Int64(clamping: nanoseconds)
    if Self.isRounded(text) {
      diagram.warn(text.start, "\(text.string) has a part of a nanosecond, so it is rounded to \(Self.delay(whole))")
    }
    return whole
  }

  /// Whether a duration has more digits after the dot than nanoseconds have.
  private static func isRounded(_ text: PlacedText) -> Bool {
    let words = text.string
    guard let dot = words.firstIndex(of: ".") else { return false }
    let digits = words[words.index(after: dot)...].prefix { $0.isNumber }
    let most = ["ms": 6, "us": 3, "ns": 0][String(words[digits.endIndex...])] ?? 9
    return digits.dropFirst(most).contains { $0 != "0" }
  }

  static func nanoseconds(of text: PlacedText) -> Double? {
    let units: [(String, Double)] = [
      ("ns", 1), ("us", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3_600e9), ("d", 86_400e9),
    ]
    let digits = text.bytes.prefix { "0123456789.".utf8.contains($0) }
    let unit = String(decoding: text.bytes.dropFirst(digits.count), as: UTF8.self)
    let factor = unit.isEmpty ? 1e9 : units.first { $0.0 == unit }?.1
    guard let factor, let number = Double(literal: digits), digits.first != UInt8(ascii: ".") else { return nil }
    return (number * factor).rounded()
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

  /// A duration in the largest unit that divides it.
  static func duration(_ nanoseconds: Int64) -> String {
    for (unit, seconds) in [("d", 86_400), ("h", 3_600), ("m", 60)] as [(String, Int64)]
    where nanoseconds > 0 && nanoseconds % (seconds * 1_000_000_000) == 0 {
      return "\(nanoseconds / (seconds * 1_000_000_000))\(unit)"
    }
    return delay(nanoseconds)
  }

  // MARK: Actions

  /// Reads actions between commas or semicolons.
  mutating func actions(_ text: PlacedText, into builder: inout XMLBuilder) -> Bool {
    if text.trimmed.isEmpty { return true }
    var isRead = true
    var formal = formalActions
    for part in text.split(",;") {
      // A separator at the end is no mistake.
      if part.isEmpty { continue }
      guard pace.mayGoOn() else { return false }
      formalActions = []
      if reading == .free, let isWorded = freeAction(part, into: &builder) {
        if !isWorded { isRead = false }
        formal += formalActions
        continue
      }
      if !action(part, into: &builder) { isRead = false }
      formal.append((part.start, part.string))
    }
    formalActions = formal
    return isRead
  }

  private mutating func action(_ text: PlacedText, into builder: inout XMLBuilder) -> Bool {
    if let rest = keyword("raise", text) {
      builder.empty("raise", [XMLBuilder.attribute("event", rest)], at: text.start)
      return isName(rest, "raise")
    }
    if let rest = keyword("cancel", text) {
      builder.empty("cancel", [XMLBuilder.attribute("sendid", rest)], at: text.start)
      return isName(rest, "cancel")
    }
    if let rest = keyword("log", text) { return log(rest, text.start, into: &builder) }
    if let rest = keyword("send", text) { return send(rest, text.start, into: &builder) }
    if let open = text.parenthesis(after: "if") { return conditional(text, open, into: &builder) }
    if let open = text.parenthesis(after: "for"), text.bytes.last == UInt8(ascii: "}"),
      let loop = loop(text, open, into: &builder)
    {
      return loop
    }
    if let isRead = output(text, into: &builder) { return isRead }
    if let sign = assignment(text) {
      if text.dropFirst(sign + 1).trimmed.isEmpty {
        return fail(text, "expected a value after =; found \(text.string)")
      }
      builder.empty(
        "assign",
        [
          XMLBuilder.attribute("location", text[0..<sign].trimmed),
          XMLBuilder.attribute("expr", text.dropFirst(sign + 1).trimmed),
        ], at: text.start)
      return true
    }
    var symbols = SymbolTable()
    if (try? Parser.script(text.string, &symbols)) == nil,
      text.string.unicodeScalars.allSatisfy({ $0.properties.isXIDContinue || $0 == " " || $0 == "\t" })
    {
      return fail(
        text, "expected an action; found \(text.string); an output is one word: \(Prose.name(of: text.string))")
    }
    builder.begin("script", at: text.start)
    builder.text(text)
    builder.end()
    return true
  }

  /// What follows a word that begins an action; `nil` if the word is a variable.
  func keyword(_ word: String, _ text: PlacedText) -> PlacedText? {
    guard let rest = text.rest(after: word), let next = rest.bytes.first, !"=+-*/%&|^<>.,)".utf8.contains(next) else {
      return nil
    }
    return rest
  }

  private mutating func isName(_ text: PlacedText, _ what: String) -> Bool {
    if text.bytes.allSatisfy({ !PlacedText.isBlank($0) && !"()[]{}\"'=".utf8.contains($0) }) { return true }
    return fail(text, "expected one name after \(what); found \(text.string)")
  }

  /// `beep`, `beep ×3`, `beep(volume = 3)`; `nil` if the action is something else.
  private mutating func output(_ text: PlacedText, into builder: inout XMLBuilder) -> Bool? {
    let end = text.bytes.firstIndex { !Self.isPartOfName($0) } ?? text.bytes.count
    guard end > 0, !Self.isDigit(text.bytes[0]) else { return nil }
    let name = text[0..<end]
    let rest = text.dropFirst(end).trimmed
    var count = 1
    var parameters: [(PlacedText, PlacedText)] = []
    if rest.string == "?" {
      return fail(
        text, "whether \(name.string) is emitted depends on data that the text does not have; write a guard")
    } else if let times = rest.bytes.isEmpty ? nil : rest.string.first, times == "×" {
      guard let number = Int(String(rest.string.dropFirst()).filter { $0 != " " }), (1...1_000).contains(number) else {
        return fail(rest, "expected how many times, as in \(name.string) ×2")
      }
      count = number
    } else if rest.bytes.first == UInt8(ascii: "("), rest.closing(0) == rest.bytes.count - 1 {
      guard let found = self.parameters(rest) else { return nil }
      parameters = found
    } else if !rest.isEmpty {
      return nil
    }
    outputs += count * (1 + parameters.count)
    guard outputs <= limits.nodes else {
      return fail(text, "the diagram emits more than \(limits.nodes) outputs and data of outputs")
    }
    for _ in 0..<count {
      builder.begin("send", [("type", "output", nil), XMLBuilder.attribute("event", name)], at: text.start)
      add(parameters, to: &builder)
      builder.end()
    }
    return true
  }

  /// `(volume = 3, pitch = x)`; `nil` if there is something else in the brackets.
  private func parameters(_ text: PlacedText) -> [(PlacedText, PlacedText)]? {
    let inner = text[1..<(text.bytes.count - 1)]
    if inner.trimmed.isEmpty { return [] }
    var all: [(PlacedText, PlacedText)] = []
    for part in inner.split(",") {
      guard let sign = assignment(part) else { return nil }
      let name = part[0..<sign].trimmed
      guard name.bytes.allSatisfy({ Self.isPartOfName($0) }), !name.isEmpty else { return nil }
      all.append((name, part.dropFirst(sign + 1).trimmed))
    }
    return all
  }

  private func add(_ parameters: [(PlacedText, PlacedText)], to builder: inout XMLBuilder) {
    for (name, value) in parameters {
      builder.empty(
        "param", [XMLBuilder.attribute("name", name), XMLBuilder.attribute("expr", value)], at: name.start)
    }
  }

  /// The place of an `=` that assigns.
  func assignment(_ text: PlacedText) -> Int? {
    var found: Int?
    var isOver = false
    text.visitTopLevel { place in
      guard !isOver else { return }
      let byte = text.bytes[place]
      if byte == UInt8(ascii: "=") {
        let before = place > 0 ? text.bytes[place - 1] : 0x20
        let after = place + 1 < text.bytes.count ? text.bytes[place + 1] : 0x20
        if after != UInt8(ascii: "="), !"=!<>+-*/%&|^".utf8.contains(before) { found = place }
        isOver = true
      } else if "?:&|<>!+-*/%".utf8.contains(byte) {
        // What has an operator in front of the sign is no place.
        isOver = true
      }
    }
    return found
  }

  private mutating func log(_ text: PlacedText, _ offset: Int, into builder: inout XMLBuilder) -> Bool {
    var value = text
    var label: PlacedText?
    if let rest = text.rest(after: "as") {
      (value, label) = (PlacedText(at: text.start), rest)
    } else if let place = text.topLevelWord("as") {
      (value, label) = (text[0..<place].trimmed, text.dropFirst(place + 2).trimmed)
    }
    var attributes: [XMLBuilder.Attribute] = []
    if let label {
      guard let inner = label.unquoted else { return fail(label, "expected a label in quotes; found \(label.string)") }
      attributes.append(("label", inner, label.start))
    }
    if !value.isEmpty { attributes.append(XMLBuilder.attribute("expr", value)) }
    builder.empty("log", attributes, at: offset)
    return true
  }

  /// `send EVENT(key = value) to MACHINE as ID after 5s`.
  private mutating func send(_ text: PlacedText, _ offset: Int, into builder: inout XMLBuilder) -> Bool {
    let end = text.bytes.firstIndex { PlacedText.isBlank($0) || $0 == UInt8(ascii: "(") } ?? text.bytes.count
    let name = text[0..<end]
    guard isName(name, "send") else { return false }
    var rest = text.dropFirst(end).trimmed
    var parameters: [(PlacedText, PlacedText)] = []
    if rest.bytes.first == UInt8(ascii: "("), let close = rest.closing(0) {
      guard let found = self.parameters(rest[0..<(close + 1)]) else {
        return fail(rest, "expected data as in send \(name.string)(count = 3)")
      }
      parameters = found
      rest = rest.dropFirst(close + 1).trimmed
    }
    var attributes = [XMLBuilder.attribute("event", name)]
    while !rest.isEmpty {
      let words: [(String, String)] = [("to", "target"), ("as", "id"), ("after", "delay")]
      guard let (word, attribute) = words.first(where: { rest.rest(after: $0.0) != nil }),
        let behind = rest.rest(after: word), !behind.isEmpty
      else { return fail(rest, "expected to MACHINE, as ID or after DURATION; found \(rest.string)") }
      let end = behind.bytes.firstIndex(where: PlacedText.isBlank) ?? behind.bytes.count
      let value = behind[0..<end]
      rest = behind.dropFirst(end).trimmed
      switch word {
      case "to": attributes.append((attribute, value.hasPrefix("#") ? value.string : "#" + value.string, value.start))
      case "as": attributes.append(XMLBuilder.attribute(attribute, value))
      case _:
        guard let nanoseconds = duration(value) else { return false }
        attributes.append((attribute, Self.delay(nanoseconds), value.start))
      }
    }
    builder.begin("send", attributes, at: offset)
    add(parameters, to: &builder)
    builder.end()
    return true
  }

  /// `if (n > 1) { beep } else if (n > 0) { … } else { … }`.
  private mutating func conditional(_ text: PlacedText, _ open: Int, into builder: inout XMLBuilder) -> Bool {
    guard let close = text.closing(open) else { return fail(text, "the condition has no )") }
    let condition = text[(open + 1)..<close].trimmed
    builder.begin("if", [XMLBuilder.attribute("cond", condition)], at: text.start)
    guard var rest = block(text.dropFirst(close + 1).trimmed, into: &builder) else { return false }
    while let branch = rest.rest(after: "else") {
      if let open = branch.parenthesis(after: "if") {
        guard let close = branch.closing(open) else { return fail(branch, "the condition has no )") }
        let condition = branch[(open + 1)..<close].trimmed
        builder.empty("elseif", [XMLBuilder.attribute("cond", condition)], at: rest.start)
        guard let next = block(branch.dropFirst(close + 1).trimmed, into: &builder) else { return false }
        rest = next
      } else {
        builder.empty("else", [], at: rest.start)
        guard let next = block(branch, into: &builder) else { return false }
        rest = next
      }
    }
    builder.end()
    if rest.isEmpty { return true }
    return fail(rest, "expected , or ; after }; found \(rest.string)")
  }

  /// Reads actions in braces.
  ///
  /// - Returns: What comes after them; `nil` after a mistake.
  private mutating func block(_ text: PlacedText, into builder: inout XMLBuilder) -> PlacedText? {
    guard text.bytes.first == UInt8(ascii: "{"), let close = text.closing(0) else {
      diagram.error(text.start, "expected { and actions and }; found \(text.isEmpty ? "nothing" : text.string)")
      return nil
    }
    depth += 1
    defer { depth -= 1 }
    guard depth <= 60 else {
      diagram.error(text.start, "actions are nested more than 60 deep")
      return nil
    }
    guard actions(text[1..<close], into: &builder) else { return nil }
    return text.dropFirst(close + 1).trimmed
  }

  /// `for (item of list) { … }`, `for (item, index of list) { … }`; `nil` for another loop, which is a script.
  private mutating func loop(_ text: PlacedText, _ open: Int, into builder: inout XMLBuilder) -> Bool? {
    guard let close = text.closing(open) else { return fail(text, "the loop has no )") }
    let head = text[(open + 1)..<close]
    guard let place = head.topLevelWord("of") else { return nil }
    let names = head[0..<place].split(",")
    guard names.count <= 2 else { return nil }
    var attributes = [
      XMLBuilder.attribute("array", head.dropFirst(place + 2).trimmed), XMLBuilder.attribute("item", names[0]),
    ]
    if names.count > 1 { attributes.append(XMLBuilder.attribute("index", names[1])) }
    builder.begin("foreach", attributes, at: text.start)
    guard let rest = block(text.dropFirst(close + 1).trimmed, into: &builder) else { return false }
    builder.end()
    if rest.isEmpty { return true }
    return fail(rest, "expected , or ; after }; found \(rest.string)")
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
  fileprivate func topLevelWord(_ word: String) -> Int? {
    var found: Int?
    visitTopLevel { place in
      guard found == nil, place > 0, PlacedText.isBlank(bytes[place - 1]), bytes[place...].starts(with: word.utf8)
      else { return }
      let after = place + word.utf8.count
      if after == bytes.count || PlacedText.isBlank(bytes[after]) { found = place }
    }
    return found
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
