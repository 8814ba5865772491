import LineProtocol

// Labels in words: what people write who do not know the formal notation.

extension DiagramReader {
  /// What the whole text has, as a first reading finds it.
  struct Vocabulary {
    /// Events of arrows, choices, forks and joins, variables of `%% data`, variables that actions assign to, and the
    /// ids of delayed sends.
    var events: Set<String> = []
    var kinds: [String: Diagram.State.Kind] = [:]
    var data: Set<String> = []
    var sends: Set<String> = []
    /// The variables that only actions have.
    private(set) var undeclared: Set<String> = []
    /// The name of a state around all, if there are regions outside of all blocks, which nobody has named.
    private(set) var outerState: String?

    init() {}

    init(_ diagram: Diagram) {
      for state in diagram.states where state.kind != .plain { kinds[state.id] = state.kind }
      if diagram.hasOuterRegions {
        var ids = Prose.Names(taken: Set(diagram.states.map(\.id)))
        outerState = ids.new(like: "regions")
      }
      data = Set(diagram.data.map(\.name.string))
      for arrow in diagram.arrows {
        if arrow.target != nil || arrow.label.condition != nil || !arrow.label.content.isEmpty {
          for case .event(let name) in arrow.label.triggers { events.insert(name.string) }
          for case .timer(let name?, _, _) in arrow.label.triggers { events.insert(name.string) }
        }
        collect(arrow.label.content)
      }
      for state in diagram.states { (state.entries + state.exits).forEach { collect($0) } }
      undeclared.subtract(diagram.data.map(\.name.string))
    }

    private mutating func collect(_ content: [XMLDocument.Node]) {
      for node in content {
        switch node.content {
        case .element(let element):
          if element.name == "send", let id = element["id"] { sends.insert(id) }
          if element.name == "assign", let place = element["location"] {
            data.insert(String(place.prefix { $0 != "." && $0 != "[" }))
            undeclared.insert(place)
          }
          if element.name == "foreach" { data.formUnion([element["item"], element["index"]].compactMap(\.self)) }
        case .text(let script):
          var symbols = SymbolTable()
          if let code = try? Parser.script(script, &symbols), code.nodes.contains(where: \.isChange) {
            data.formUnion(symbols.names)
            undeclared.formUnion(symbols.names)
          }
        }
      }
    }

    /// Whether some arrow has an event of this name.
    func awaits(_ name: String) -> Bool {
      if events.contains(name) || events.contains("*") { return true }
      return name.indices.contains { name[$0] == "." && events.contains(String(name[..<$0])) }
    }
  }

  /// A name of a state with characters that only Mermaid takes.
  ///
  /// - Parameter start: Where the first such character is.
  /// - Returns: `nil` if there is none.
  mutating func freeName(_ text: PlacedText, from start: Int) -> (name: PlacedText, rest: PlacedText)? {
    var end = start
    let bytes = text.bytes
    scan: while end < bytes.count {
      let byte = bytes[end]
      switch byte {
      case UInt8(ascii: ":"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "\""): break scan
      case UInt8(ascii: "-"):
        guard end > 0, end + 1 < bytes.count, Self.isPartOfName(bytes[end + 1]) else { break scan }
      case UInt8(ascii: "["), UInt8(ascii: "<"), UInt8(ascii: "%"):
        if ["[[", "[H]", "[H*]", "[*]", "<<", "<-", "%%"].contains(where: { bytes[end...].starts(with: $0.utf8) }) {
          break scan
        }
      case _: if PlacedText.isBlank(byte) { break scan }
      }
      end += 1
    }
    let rest = text.dropFirst(end)
    while end > start, bytes[end - 1] == UInt8(ascii: ";") { end -= 1 }
    guard end > start else { return end < text.bytes.count - rest.bytes.count ? (text[0..<end], rest) : nil }
    let name = text[0..<end]
    return name.bytes.contains(where: Self.isPartOfName) ? (name, rest) : nil
  }

  // MARK: Names

  /// The name for words, the same for the same words and for no others.
  mutating func name(ofWords text: String, otherwise: String) -> String {
    let base = Prose.name(of: text)
    return eventWords.name(for: Prose.identity(of: text), like: base.isEmpty ? otherwise : base)
  }

  mutating func event(ofWords text: PlacedText) -> PlacedText {
    let words = text.string.replaced("’", by: "'").split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let name = name(ofWords: words, otherwise: "event")
    if diagram.eventTexts[name] == nil, name != words {
      diagram.eventTexts[name] = words
      if words != "\(name)()" { diagram.assume(text.start, "\"\(words)\" is the event \(name)") }
    }
    return PlacedText(name, at: text.start)
  }

  // MARK: Labels

  /// The labels of an arrow: several in lines only if each is formal.
  mutating func arrowLabels(_ text: PlacedText) -> [PlacedText] {
    let parts = labels(text)
    guard reading == .free, parts.count > 1, !parts.allSatisfy(isFormalLabel) else { return parts }
    var whole = PlacedText(at: text.start)
    for part in parts { whole.join(part) }
    return [whole]
  }

  private func isFormalLabel(_ text: PlacedText) -> Bool {
    let marked = text.withoutMark
    let text = marked.rest(after: "internal") ?? marked
    return isFormalTrigger(text[0..<(text.firstTopLevel("[/") ?? text.bytes.count)].trimmed)
  }

  /// Whether words are the formal triggers of an arrow.
  func isFormalTrigger(_ text: PlacedText) -> Bool {
    if text.isEmpty || text.is("always") { return true }
    return text.split(",").allSatisfy { part in
      let part = part.rest(after: "or") ?? part
      if let time = part.rest(after: "after") { return Self.nanoseconds(of: time) != nil }
      let end = part.bytes.firstIndex { PlacedText.isBlank($0) || $0 == UInt8(ascii: "(") } ?? part.bytes.count
      guard end > 0, isEventWord(part[0..<end].string) else { return false }
      let rest = part.dropFirst(end)
      if rest.isEmpty { return true }
      if let time = rest.trimmed.rest(after: "after") { return Self.nanoseconds(of: time) != nil }
      return rest.inside("(")?.isEmpty == false && Prose.time(in: part.string) == nil
    }
  }

  /// Whether a word can name an event: it has letters, digits and the marks of names only, and is no time.
  func isEventWord(_ word: String) -> Bool {
    guard word.unicodeScalars.allSatisfy({ $0.properties.isXIDContinue || "-.:*$".unicodeScalars.contains($0) }),
      !["else", "otherwise"].contains(word.lowercased())
    else { return false }
    return !((word.utf8.first.map(Self.isDigit) == true || word.hasPrefix("after")) && Prose.time(in: word) != nil)
  }

  /// Reads a label as a person does. What is formal means what it always does.
  mutating func freeLabel(_ whole: PlacedText, from source: Diagram.End) throws(Mistake) -> DiagramLabel {
    var text = plainWords(whole)
    var label = DiagramLabel(offset: text.start)
    if let rest = text.rest(after: "internal"), rest.isEmpty || isFormalLabel(rest) {
      (label.isInternal, text) = (true, rest)
    }
    if let open = text.firstTopLevel("["), !text.dropFirst(open).bytes.contains(UInt8(ascii: "]")) {
      throw fail(text.dropFirst(open), "the guard has no ]")
    }
    var (head, condition, actions, remark) = parts(of: text)
    if let condition, let second = remark?.inside("["), condition.hasSuffix("(\(second.trimmed.string))"), let remark {
      diagram.assume(remark.start, "both guards are asked: [\(condition.string)]")
    } else if let remark {
      diagram.assume(remark.start, "\"\(remark.string)\" after the guard is a remark")
    }
    if let inner = head.quoted { head = inner.trimmed }
    if let condition {
      if Self.isElse(condition) {
        label.isElse = true
      } else if condition.isEmpty {
        diagram.assume(condition.start, "an empty guard is none")
      } else {
        label.condition = condition
      }
    }
    let kind = source.state.map { vocabulary.kinds[diagram.states[$0].id] ?? .plain }
    if !head.isEmpty {
      switch kind {
      case nil:
        label.remark = head
      case .choice:
        if Self.isElse(head) {
          label.isElse = true
        } else if condition != nil || label.isElse {
          diagram.assume(head.start, "\"\(head.string)\" at a choice is a remark: its guard decides")
        } else {
          (label.condition, label.isWorded) = (head.afterIf ?? head, true)
        }
      case .fork:
        diagram.assume(head.start, "\"\(head.string)\" at a fork is a remark")
      case .plain, .final, .join: try freeTriggers(head, of: &label)
      }
    }
    if kind == .fork, label.condition != nil || label.isElse {
      (label.condition, label.isElse) = (nil, false)
      diagram.assume(text.start, "a guard at a fork is a remark")
    }
    let texts = [condition, actions].compactMap { $0.flatMap { TokenText($0.string) } }
    var asked: Set<String> = []
    var assigned: Set<String> = []
    for text in texts {
      for (place, (token, _)) in text.tokens.enumerated() {
        guard case .name(let name) = token else { continue }
        asked.insert(name)
        if text[place + 1].isChange || text[place - 1] == .symbol("++") || text[place - 1] == .symbol("--") {
          assigned.insert(name)
        }
      }
    }
    func isAsked(_ name: String) -> Bool { asked.contains(name) && !assigned.contains(name) }
    if let samples = label.samples, let first = samples.names.first,
      samples.names.count > 1 || !vocabulary.data.contains(first) && isAsked(first)
    {
      diagram.assume(head.start, "\(samples.text) names the data of \(label.firstWords), whatever their values are")
      label.samples = nil
      parameters = Set(samples.names.filter { !vocabulary.data.contains($0) && isAsked($0) })
    }
    defer { parameters = [] }
    if let actions {
      (label.content, label.actions) = try content(of: actions)
      if !parameters.isEmpty { askEvent(in: &label) }
    }
    return label
  }

  /// Lets actions ask for the data of their event that its parentheses name.
  private mutating func askEvent(in label: inout DiagramLabel) {
    func asking(_ text: String) -> String {
      guard var asking = TokenText(text) else { return text }
      for (place, (token, _)) in asking.tokens.enumerated() {
        // A name in front of `:` in braces is that of a member.
        let isMember = asking[place + 1] == .symbol(":") && [.symbol("{"), .symbol(",")].contains(asking[place - 1])
        guard case .name(let name) = token, parameters.contains(name), asking[place - 1] != .symbol("."), !isMember
        else { continue }
        asking.replace(place...place, with: "_event.data.\(name)")
        diagram.namedData.insert(name)
      }
      return asking.text
    }
    for node in label.content.indices {
      switch label.content[node].content {
      case .text(let script): label.content[node].content = .text(asking(script))
      case .element(var element):
        for place in element.attributes.indices
        where ["expr", "cond", "array"].contains(element.attributes[place].name) {
          element.attributes[place].value = asking(element.attributes[place].value)
        }
        label.content[node].content = .element(element)
      }
    }
    label.actions = label.actions.map { ($0.offset, asking($0.text)) }
    label.valuesOfConditions = [parameters.sorted().map { ($0, "1") }]
  }

  /// Whether the diagram has a variable, or the event that is read data, of this name.
  private func isKnown(_ name: String) -> Bool { vocabulary.data.contains(name) || parameters.contains(name) }

  /// A label without what only its looks need: the mark of arrows that are possible, and tags of HTML. An apostrophe within
  /// a word is no quote.
  private func plainWords(_ whole: PlacedText) -> PlacedText {
    var text = whole.withoutMark
    if let comment = text.bytes.indices.first(where: {
      text.bytes[$0] == UInt8(ascii: "%") && text.bytes[$0...].starts(with: "%%".utf8)
        && ($0 == 0 || PlacedText.isBlank(text.bytes[$0 - 1]))
    }) {
      text = text[0..<comment].trimmed
    }
    while text.hasSuffix(";") { text = text[0..<(text.bytes.count - 1)].trimmed }
    guard text.bytes.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "'") }) else { return text }
    var plain = PlacedText(at: text.start)
    var place = 0
    while place < text.bytes.count {
      let byte = text.bytes[place]
      // `<<timeout>>` is no tag.
      if byte == UInt8(ascii: "<"), place == 0 || text.bytes[place - 1] != byte, let end = text.tagEnd(at: place) {
        place = end
        continue
      }
      let offset = (text.offset(of: place), text.offset(of: place + 1))
      if byte == UInt8(ascii: "'"), place > 0, place + 1 < text.bytes.count, Self.isPartOfName(text.bytes[place - 1]),
        Self.isPartOfName(text.bytes[place + 1])
      {
        for byte in "’".utf8 { plain.append(byte, at: offset.0, end: offset.1) }
      } else {
        plain.append(byte, at: offset.0, end: offset.1)
      }
      place += 1
    }
    return plain.trimmed
  }

  /// The trigger, the guard and the actions of a label. A bracket without its other half, and a slash within words, are
  /// parts of these words. The rest is what comes after the guard: words, or a second guard, which is joined to it.
  private func parts(
    of text: PlacedText
  ) -> (head: PlacedText, condition: PlacedText?, actions: PlacedText?, remark: PlacedText?) {
    var (head, condition, actions): (PlacedText, PlacedText?, PlacedText?) = (text, nil, nil)
    var rest = text
    func firstSlash(in text: PlacedText, before end: Int) -> Int? {
      text.firstTopLevel { $0 < end && text.bytes[$0] == UInt8(ascii: "/") && isSlash($0, in: text) }
    }
    if let open = text.firstTopLevel("["), let close = text.closing(open), firstSlash(in: text, before: open) == nil {
      condition = text[(open + 1)..<close].trimmed
      head = text[0..<open].trimmed
      rest = text.dropFirst(close + 1).trimmed
      if rest.hasPrefix("/") { return (head, condition, rest.dropFirst(1), nil) }
      let end = firstSlash(in: rest, before: rest.bytes.count) ?? rest.bytes.count
      let more = rest[0..<end].trimmed
      if more.hasSuffix("]"), let first = condition, let both = Self.joined(first, more) {
        (condition, rest) = (both, rest.dropFirst(end))
        if rest.hasPrefix("/") { return (head, condition, rest.dropFirst(1), nil) }
      } else if !head.isEmpty {
        let actions = end < rest.bytes.count ? rest.dropFirst(end + 1) : nil
        return (head, condition, actions, more.isEmpty ? nil : more)
      }
      guard head.isEmpty else { return (head, condition, nil, nil) }
      // `[n] click [m]`: an event between two guards.
      if let open = more.firstTopLevel("["), open > 0, more.hasSuffix("]"), let first = condition,
        let both = Self.joined(first, more.dropFirst(open))
      {
        let actions = end < rest.bytes.count ? rest.dropFirst(end + 1) : nil
        return (more[0..<open].trimmed, both, actions, more.dropFirst(open))
      }
      head = rest
    }
    if let slash = firstSlash(in: rest, before: rest.bytes.count) {
      let before = rest[0..<slash].trimmed
      let after = rest.dropFirst(slash + 1)
      if condition == nil, let guarded = after.trimmed.inside("[") { return (before, guarded.trimmed, nil, nil) }
      if condition == nil, isAlternative(after.trimmed, to: before) { return (rest, nil, nil, nil) }
      (head, actions) = (before, after)
    }
    return (head, condition, actions, nil)
  }

  /// One guard for `[first] and [second]`, `[first] or [second]` or `[first] [second]`; nil for anything else in front of
  /// the second.
  private static func joined(_ first: PlacedText, _ more: PlacedText) -> PlacedText? {
    guard let open = more.firstTopLevel("["), more.closing(open) == more.bytes.count - 1 else { return nil }
    let words = ["": "&&", "and": "&&", "&&": "&&", "&": "&&", ",": "&&", "or": "||", "||": "||"]
    guard let junction = words[more[0..<open].trimmed.string.lowercased()] else { return nil }
    let second = more[(open + 1)..<more.bytes.count - 1].trimmed
    guard !first.isEmpty, !second.isEmpty, !isElse(first), !isElse(second) else { return nil }
    return PlacedText("(\(first.string)) \(junction) (\(second.string))", at: first.start)
  }

  /// Whether what follows a slash is no action but another thing that may happen: a time, or in words what has happened,
  /// as in `card is declined / timed out`.
  private func isAlternative(_ text: PlacedText, to before: PlacedText) -> Bool {
    if text.bytes.contains(where: { ",;=(".utf8.contains($0) }) { return false }
    let words = Prose.words(of: text.string.lowercased())
    guard let first = words.first, let last = words.last, !Self.orders.contains(first) else { return false }
    if words.count > 1, case .time? = Prose.time(in: text.string) { return true }
    if isFormalTrigger(before) || Prose.time(in: before.string) != nil { return false }
    return words.count == 1 ? Prose.timers.contains(last) : last.hasSuffix("ed")
  }

  /// Words that begin an order in front of what has happened: `mark as failed`.
  private static let orders: Set<String> = [
    "mark", "set", "log", "send", "emit", "raise", "notify", "show", "record", "publish", "return", "report", "flag",
  ]

  /// Whether a slash begins actions: there is a blank around it, or an event in front of it and no words after it.
  private func isSlash(_ place: Int, in text: PlacedText) -> Bool {
    let after = text.dropFirst(place + 1)
    // A path of HTTP, or one of two numbers.
    if Self.methods.contains(text[0..<place].trimmed.string), after.bytes.first.map(PlacedText.isBlank) == false {
      return false
    }
    if !after.isEmpty, !after.string.contains(where: \.isLetter) { return false }
    // A path has more of them.
    if !text.bytes.contains(where: PlacedText.isBlank), after.bytes.contains(UInt8(ascii: "/")) { return false }
    if place == 0 || PlacedText.isBlank(text.bytes[place - 1]) { return true }
    if place + 1 == text.bytes.count || PlacedText.isBlank(text.bytes[place + 1]) { return true }
    return isFormalTrigger(text[0..<place]) && !text.hasPrefix("http")
      && text.dropFirst(place + 1).split(",;").allSatisfy { action in
        !action.bytes.contains(where: PlacedText.isBlank) || action.bytes.contains { "=(+{".utf8.contains($0) }
      }
  }

  private static let methods: Set<String> = ["GET", "PUT", "POST", "HEAD", "PATCH", "DELETE", "OPTIONS"]

  // MARK: Triggers

  /// Words between a time and what is asked when it is over.
  private static let guardWords = ["if", "when", "while", "unless"]

  private static func isElse(_ text: PlacedText) -> Bool {
    ["else", "otherwise", "default"].contains(text.string.lowercased())
  }

  private mutating func freeTriggers(_ text: PlacedText, of label: inout DiagramLabel) throws(Mistake) {
    let words = text.string
    if Self.isElse(text), words.lowercased() != "default" { return label.isElse = true }
    if label.condition == nil, let guarded = text.afterIf, !guarded.isEmpty {
      return (label.condition, label.isWorded) = (guarded, true)
    }
    if isFormalTrigger(text), !(text.bytes.count > 1 && words.hasSuffix(":")) { return try triggers(text, of: &label) }
    // What is asked when a time is over is no part of it.
    let askings = Self.guardWords.compactMap { word in text.topLevelWord(word).map { (word, $0) } }
    if words.contains(where: \.isNumber), let (word, place) = askings.min(by: { $0.1 < $1.1 }),
      case .time? = Prose.time(in: text[0..<place].string)
    {
      var asked = text.dropFirst(place + word.utf8.count).trimmed
      if word == "unless" {
        let isWord = !asked.bytes.contains(where: PlacedText.isBlank)
        asked = PlacedText(isWord ? "not \(asked.string)" : "not (\(asked.string))", at: asked.start)
      }
      if let bracketed = label.condition {
        asked = PlacedText("(\(asked.string)) && (\(bracketed.string))", at: asked.start)
      }
      (label.condition, label.isWorded) = (asked, true)
      return try freeTriggers(text[0..<place].trimmed, of: &label)
    }
    // A time and something else are two triggers; a comma has one word on its other side, as `after 5 s, late`.
    let comma = text.firstTopLevel { text.bytes[$0] == UInt8(ascii: ",") && text.dropFirst($0 + 1).hasPrefix(" ") }
    for (place, count) in [(text.topLevelWord("or"), 2), (comma, 1)] {
      guard let place else { continue }
      var halves = [text[0..<place].trimmed, text.dropFirst(place + count).trimmed]
      if halves[0].hasSuffix(",") { halves[0] = halves[0][0..<halves[0].bytes.count - 1].trimmed }
      let times = halves.map { Prose.time(in: $0.string) != nil }
      guard times[0] != times[1], count == 2 || isEventWord(halves[times[0] ? 1 : 0].string) else { continue }
      // `30 s or more` is one time.
      if times[1] || !["more", "so", "longer", "later", "less"].contains(halves[1].string) {
        for half in halves { try freeTriggers(half, of: &label) }
        return
      }
    }
    switch Prose.time(in: words) {
    case .unclear?:
      throw fail(text, "a timer is one duration, as in after 5s or after 1m 30s; found \(words)")
    case .comma(nil)?:
      throw fail(text, "a comma separates events; a duration has none, as 1.5s or 1500ms; found \(words)")
    case .comma(let meant?)?:
      throw fail(
        text, "a comma separates events", hint: "; write after \(meant)", write: proposal("after \(meant)", for: text))
    case .time(let time)?:
      let name = time.name.map { PlacedText($0, at: text.start) }
      let what = name.flatMap { $0.is("timer") ? nil : "the timer \($0.string)" } ?? "a timer"
      diagram.timerTexts[text.start] = words
      diagram.assume(text.start, "\"\(words)\" is \(what): after \(TimeText.written(time.nanoseconds))")
      return label.triggers.append(.timer(name: name, nanoseconds: time.nanoseconds, offset: text.start))
    case nil: break
    }
    if label.condition == nil, let place = text.topLevelWord("if") {
      (label.condition, label.isWorded) = (text.dropFirst(place + 2).trimmed, true)
      return try freeTriggers(text[0..<place].trimmed, of: &label)
    }
    if label.condition == nil, let open = text.bytes.firstIndex(of: UInt8(ascii: "(")), open > 0,
      let inner = text.dropFirst(open).inside("(")?.trimmed, Self.isGuard(inner.string),
      !Self.isComparison(text[0..<open].string)
    {
      (label.condition, label.isWorded) = (inner, true)
      return try freeTriggers(text[0..<open].trimmed, of: &label)
    }
    if label.condition == nil, Self.isGuard(words) { return (label.condition, label.isWorded) = (text, true) }
    let parts = text.split(",/").map { $0.rest(after: "or") ?? $0 }
    if parts.count > 1, parts.contains(where: { Prose.time(in: $0.string) != nil }) {
      for part in parts where !part.isEmpty { try freeTriggers(part, of: &label) }
      return
    }
    label.triggers.append(.event(event(ofWords: text)))
  }

  /// Whether a text that compares something is an expression as it stands, or with the operators that people write: prose
  /// that compares is none.
  private static func isGuard(_ text: String) -> Bool {
    isComparison(text)
      && [text, formal(text)].contains { candidate in
        var symbols = SymbolTable()
        return (try? Parser.expression(candidate, &symbols)) != nil
      }
  }

  /// Whether a text compares something, and has no arrow instead.
  private static func isComparison(_ text: String) -> Bool {
    guard text.utf8.contains(where: { "<>=".utf8.contains($0) || $0 >= 0x80 }) else { return false }
    let bare = ["-->", "->", "=>", "<-", "<=>"].reduce(text) { $0.replaced($1, by: " ") }
    let signs: [Character] = ["<", ">", "=", "≥", "≤", "≠"]
    guard let sign = bare.firstIndex(where: signs.contains) else { return false }
    // With something at both sides.
    let before = Prose.words(of: String(bare[..<sign]))
    let after = Prose.words(of: String(bare[bare.index(after: sign)...]))
    return !before.isEmpty && !after.isEmpty
  }

  // MARK: Texts of states

  /// `entry: x`, `on entry / x`, `do / x`: what a state does, as people write it; `nil` for anything else.
  func freeHandler(_ text: PlacedText) -> (word: String, isEntry: Bool, actions: PlacedText)? {
    var rest = text
    if let next = rest.rest(after: "on") ?? rest.rest(after: "On") { rest = next }
    for (word, isEntry) in Self.handlers {
      guard String(decoding: rest.bytes.prefix(word.utf8.count), as: UTF8.self).lowercased() == word else { continue }
      let after = rest.dropFirst(word.utf8.count).trimmed
      guard let mark = after.bytes.first, mark == UInt8(ascii: ":") || mark == UInt8(ascii: "/") else { continue }
      // `entry / x` is the formal notation, and so is `leave / x` of an event.
      if mark == UInt8(ascii: "/"),
        text.hasPrefix(word) && Self.formalWords.contains(word) || vocabulary.events.contains(word)
      {
        return nil
      }
      return (word, isEntry, after.dropFirst(1).trimmed)
    }
    return nil
  }

  /// Words of the formal notation, and one that is more often an event; after `on` they are handlers all the same.
  private static let formalWords: Set = ["entry", "exit", "leave"]

  /// The words for what a state does, and whether that is at its beginning.
  static let handlers: [(word: String, isEntry: Bool)] = [
    ("entry", true), ("enter", true), ("entering", true), ("exit", false), ("leave", false), ("leaving", false),
    ("exiting", false), ("do", true),
  ]

  mutating func handle(_ text: (word: String, isEntry: Bool, actions: PlacedText), in state: Int) {
    guard let content = try? content(of: text.actions) else { return }
    let moment = text.isEntry ? "entry" : "exit"
    diagram.assume(
      text.actions.start, "\(text.word) of \(diagram.states[state].id) is read as \(moment) / \(text.actions.string)")
    addHandler(of: state, isEntry: text.isEntry, content.nodes)
  }

  /// Whether a text that could be a label is one: it has an event of an arrow, a time, or actions.
  func isFreelyFormal(_ text: PlacedText, _ head: PlacedText, _ end: Int) -> Bool {
    if head.isEmpty { return text.hasPrefix("[") && text.firstTopLevel("/") != nil }
    if end < text.bytes.count, case .time? = Prose.time(in: head.string) { return true }
    guard isFormalTrigger(head) else { return false }
    if end < text.bytes.count { return parts(of: text).actions != nil || vocabulary.knows(head) }
    return vocabulary.knows(head)
  }

  // MARK: Actions

  /// Reads an action in words, or one that would do nothing, as an output.
  ///
  /// - Returns: It as the formal notation has it; `nil` if the action is formal.
  mutating func freeAction(_ text: PlacedText, into builder: inout XMLBuilder) throws(Mistake) -> String? {
    asksVocabulary = true
    let words = text.string
    if let isFormal = isFormalKeyword(text) { return try isFormal ? nil : output(ofWords: text, into: &builder) }
    if text.parenthesis(after: "if") != nil || text.parenthesis(after: "for") != nil, words.contains("{") { return nil }
    let name = text.bytes.prefix { Self.isPartOfName($0) }
    let rest = text.dropFirst(name.count).trimmed
    if !name.isEmpty, !Self.isDigit(text.bytes[0]) {
      if rest.isEmpty || rest.hasPrefix("×") { return nil }
      if let inner = rest.inside("(")?.trimmed {
        return try call(String(decoding: name, as: UTF8.self), text, inner, into: &builder)
      }
    }
    var symbols = SymbolTable()
    if let sign = assignment(text) {
      let place = text[0..<sign].trimmed
      let value = text.dropFirst(sign + 1).trimmed
      guard (try? Parser.location(place.string, &symbols)) != nil, !value.isEmpty else {
        return try output(ofWords: text, into: &builder)
      }
      let isUnknown = Parser.isVariable(value.string) && !isKnown(value.string)
      if (try? Parser.expression(value.string, &symbols)) != nil, !isUnknown { return nil }
      let constant = Self.quoted((value.quoted ?? value).string)
      diagram.assume(value.start, "\(value.string) is a text")
      builder.empty("assign", [place.attribute("location"), ("expr", constant, value.start)], at: text.start)
      return "\(place.string) = \(constant)"
    }
    if let code = try? Parser.script(words, &symbols), code.nodes.contains(where: \.hasEffect),
      symbols.names.contains(where: vocabulary.data.contains) || code.nodes.contains(where: \.isChange)
    {
      return nil
    }
    return try output(ofWords: text, into: &builder)
  }

  /// Whether an action that begins with a word of the notation is formal; `nil` if it begins otherwise.
  private func isFormalKeyword(_ text: PlacedText) -> Bool? {
    if let rest = keyword("raise", text) { return vocabulary.awaits(rest.string) }
    if let rest = keyword("cancel", text) { return vocabulary.sends.contains(rest.string) }
    if let rest = keyword("log", text) {
      if rest.hasPrefix("("), rest.closing(0) != nil { return true }
      if let label = rest.rest(after: "as"), label.quoted != nil || label.hasPrefix("'") { return true }
      return isKnownExpression(rest.string.cut(at: " as ").map { String($0.before) } ?? rest.string)
    }
    guard let rest = keyword("send", text) else { return nil }
    let name = rest.string.prefix { !$0.isWhitespace && $0 != "(" }
    if vocabulary.awaits(String(name)) { return true }
    let words = rest.string.split(separator: " ")
    return words.count > 2 && words[0] == name && ["to", "as", "after"].contains(words[1]) && isEventWord(String(name))
  }

  /// `turnOn(lamp)`: an output with a value, unless the name is that of a function or of a list.
  private mutating func call(
    _ name: String, _ text: PlacedText, _ inner: PlacedText, into builder: inout XMLBuilder
  ) throws(Mistake) -> String? {
    let root = String(name.prefix { $0 != "." })
    if vocabulary.data.contains(root) || BuiltIn(rawValue: root) != nil { return nil }
    let areNamed = inner.split(",").allSatisfy { part in
      assignment(part).map { isKnownExpression(part.dropFirst($0 + 1).trimmed.string) } ?? false
    }
    if inner.isEmpty || areNamed { return nil }
    let value = isKnownExpression(inner.string) ? inner.string : Self.quoted((inner.quoted ?? inner).string)
    try countOutputs(2, text)
    if wordedOutputs.insert(name).inserted {
      diagram.assume(text.start, "\"\(text.string)\" is the output \(name) with value=\(inner.string)")
    }
    builder.begin("send", [("type", "output", nil), ("event", name, text.start)], at: text.start)
    builder.empty("param", [("name", "value", nil), ("expr", value, inner.start)], at: inner.start)
    builder.end()
    return "\(name)(value = \(value))"
  }

  /// Whether a text is an expression that has no names but declared ones.
  private func isKnownExpression(_ text: String) -> Bool {
    var symbols = SymbolTable()
    guard (try? Parser.expression(text, &symbols)) != nil else { return false }
    return symbols.names.allSatisfy(isKnown)
  }

  private mutating func output(
    ofWords text: PlacedText, into builder: inout XMLBuilder
  ) throws(Mistake) -> String {
    let words = (text.quoted ?? text).string.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let base = Prose.name(of: words)
    let name = base.isEmpty ? "output" : base
    try countOutputs(1, text)
    if wordedOutputs.insert(name).inserted { diagram.assume(text.start, "\"\(words)\" is the output \(name)") }
    builder.empty("send", [("type", "output", nil), ("event", name, text.start)], at: text.start)
    return name
  }
}

extension DiagramReader.Vocabulary {
  /// Whether a trigger of a state's text has an event that some arrow has, or a time.
  func knows(_ head: PlacedText) -> Bool {
    head.split(",").contains { part in
      let word = part.string.prefix { !$0.isWhitespace && $0 != "(" }
      return events.contains(String(word)) || part.string.includes("after ") || word == "*"
    }
  }
}

extension Token {
  /// Whether it changes what is in front of it.
  fileprivate var isChange: Bool {
    ["=", "++", "--", "+=", "-=", "*=", "/=", "%="].contains { self == .symbol($0) }
  }
}

extension Code.Node {
  /// Whether it changes something, or calls what may.
  fileprivate var hasEffect: Bool {
    switch self {
    case .assign, .compound, .update, .call, .declare, .construct: true
    case _: false
    }
  }

  var isChange: Bool {
    switch self {
    case .assign, .compound, .update, .declare: true
    case _: false
    }
  }
}

extension PlacedText {
  /// A text that stands for what is at a place of the document.
  init(_ text: String, at offset: Int) {
    self.init(at: offset)
    for byte in text.utf8 { append(byte, at: offset, end: offset) }
  }

  /// What is within the quotes of a text that is in quotes as a whole.
  var quoted: PlacedText? {
    for (open, close) in [("\"", "\""), ("“", "”"), ("`", "`")]
    where hasPrefix(open) && hasSuffix(close) && bytes.count > open.utf8.count + close.utf8.count {
      return self[open.utf8.count..<(bytes.count - close.utf8.count)]
    }
    return nil
  }

  /// The end of a tag of HTML at a place: `<b>`, `</b>`, `<br/>`, `<font color=red>`, `<color:red>`.
  fileprivate func tagEnd(at place: Int) -> Int? {
    let inner = bytes[(place + 1)...].prefix(40)
    guard let end = inner.firstIndex(of: UInt8(ascii: ">")) else { return nil }
    let name = inner[..<end].drop { $0 == UInt8(ascii: "/") }
    guard let first = name.first, (first | 0x20) >= UInt8(ascii: "a"), (first | 0x20) <= UInt8(ascii: "z") else {
      return nil
    }
    let rest = String(decoding: name.drop(while: DiagramReader.isPartOfName), as: UTF8.self)
    let hasAttributes = rest.hasPrefix(" ") && rest.contains("=") || rest.hasPrefix(":")
    return hasAttributes || rest.allSatisfy { $0 == " " || $0 == "/" } ? end + 1 : nil
  }

  /// What follows `if`.
  fileprivate var afterIf: PlacedText? { rest(after: "if") ?? rest(after: "If") }
}
