import LineProtocol

// Guards in words, and guards with names that nothing declares.

/// The source of an expression, with tokens that can be replaced.
struct TokenText {
  private let lexer: Lexer
  let tokens: [(token: Token, range: Range<Int>)]
  private var written = ""
  private var end = 0

  /// `nil` if a part of the text is no token.
  init?(_ text: String) {
    var lexer = Lexer(text)
    var tokens: [(token: Token, range: Range<Int>)] = []
    while let (token, start) = try? lexer.next() {
      guard token != .end else {
        (self.lexer, self.tokens) = (lexer, tokens)
        return
      }
      tokens.append((token, start..<lexer.offset))
    }
    return nil
  }

  subscript(place: Int) -> Token { tokens.indices.contains(place) ? tokens[place].token : .end }

  func start(of place: Int) -> Int { place < tokens.count ? tokens[place].range.lowerBound : lexer.offset }

  /// The words of some tokens, as they stand there.
  func source(of places: ClosedRange<Int>) -> String {
    lexer.text(start(of: places.lowerBound)..<tokens[places.upperBound].range.upperBound)
  }

  /// Replaces a part; parts must be replaced from left to right. One that begins within another stays as it is.
  mutating func replace(_ range: Range<Int>, with text: String) {
    guard range.lowerBound >= end else { return }
    written += lexer.text(end..<range.lowerBound) + text
    end = range.upperBound
  }

  mutating func replace(_ places: ClosedRange<Int>, with text: String) {
    replace(start(of: places.lowerBound)..<tokens[places.upperBound].range.upperBound, with: text)
  }

  var text: String { written + lexer.text(end..<lexer.offset) }
}

extension Token {
  fileprivate func isOne(of symbols: [String]) -> Bool { symbols.contains { self == .symbol($0) } }

  fileprivate var isEquality: Bool { isOne(of: ["==", "!=", "===", "!=="]) }
  fileprivate var isComparison: Bool { isEquality || isOne(of: ["<", ">", "<=", ">="]) }
  fileprivate var isOperator: Bool { isComparison || isOne(of: ["+", "-", "*", "/", "%"]) }

  fileprivate var isValue: Bool {
    switch self {
    case .number, .string, .name("true"), .name("false"), .name("null"): true
    case .name, .symbol, .end: false
    }
  }
}

extension DiagramReader {
  /// Finds the expressions for all guards.
  mutating func resolveGuards() {
    // The same words at several choices are asked at each of them.
    var choices: [String: Set<Int>] = [:]
    for state in diagram.states.indices where diagram.states[state].kind == .choice {
      for arrow in diagram.states[state].arrows {
        if let condition = diagram.arrows[arrow].label.condition {
          choices[Prose.identity(of: condition.string), default: []].insert(state)
        }
      }
    }
    for arrow in diagram.arrows { noteNumbers(in: arrow.label.condition?.string ?? "") }
    for arrow in diagram.arrows.indices {
      guard let condition = diagram.arrows[arrow].label.condition else { continue }
      let isShared = choices[Prose.identity(of: condition.string)]?.count ?? 0 > 1
      let choice = diagram.arrows[arrow].source.state.map { diagram.states[$0] }
      resolve(condition, of: arrow, at: isShared && choice?.kind == .choice ? choice?.id ?? "" : "")
    }
  }

  /// Notes the names that a guard compares with numbers: these are numbers for all guards, also where they stand alone.
  private mutating func noteNumbers(in guarded: String) {
    guard guarded.utf8.contains(where: Self.isDigit), let text = TokenText(Self.formal(guarded)) else { return }
    func isNumber(_ place: Int) -> Bool { if case .number = text[place] { true } else { false } }
    for place in text.tokens.indices {
      guard case .name(let name) = text[place], text[place - 1] != .symbol("."),
        text[place + 1].isComparison && isNumber(place + 2) || text[place - 1].isComparison && isNumber(place - 2)
      else { continue }
      formsOfConditions[name] = .number
    }
  }

  /// Finds the expression for a guard: its own, if all its names are declared, or one that asks for a condition.
  mutating func resolve(_ condition: PlacedText, of arrow: Int, at place: String) {
    var label = diagram.arrows[arrow].label
    defer { diagram.arrows[arrow].label = label }
    label.condition = condition
    let text = condition.string
    for candidate in [text, Self.formal(text)] {
      var symbols = SymbolTable()
      guard let code = try? Parser.expression(candidate, &symbols) else { continue }
      if case .constant(let number) = code.nodes[Int(code.root)] {
        if label.isWorded { continue }
        if case .string = code.constants[number] { continue }
      }
      let unknown = Set(symbols.names.filter { !vocabulary.data.contains($0) || mayBeginOtherwise($0) })
      if unknown.allSatisfy(vocabulary.data.contains), !unknown.contains(where: { isCompared($0, in: candidate) }) {
        if candidate != text || label.isWorded { label.expression = candidate }
        if label.isWorded { diagram.assume(condition.start, "\"\(text)\" is the guard [\(candidate)]") }
        return
      }
      if code.nodes.contains(where: \.isAssignment) { continue }
      if ask(candidate, for: unknown, at: place, &label) { return }
    }
    let (words, isNegated) = Self.withoutNot(text)
    let flag = ChartCondition(name: conditionName(of: place.isEmpty ? words : "\(place) \(words)"), form: .flag)
    label.conditions = [flag]
    if !isNegated { affirmedConditions.insert(flag.name) }
    label.expression = (isNegated ? "!" : "") + Self.question(flag)
    label.isWorded = true
  }

  private static func withoutNot(_ text: String) -> (words: String, isNegated: Bool) {
    for (prefix, kept) in [("!", ""), ("not ", ""), ("Not ", ""), ("is not ", "is ")] where text.hasPrefix(prefix) {
      return (kept + text.dropFirst(prefix.count), true)
    }
    return (text, false)
  }

  /// A guard in words as the formal notation has it, in brackets; "" for a text without words.
  static func formalGuard(_ words: String) -> String {
    let guarded = words.removing(prefix: "if ") ?? words.removing(prefix: "If ") ?? words
    let formal = Self.formal(guarded)
    var symbols = SymbolTable()
    if (try? Parser.expression(formal, &symbols)) != nil, !symbols.names.isEmpty { return "[\(formal)]" }
    let (rest, isNegated) = withoutNot(guarded)
    let name = Prose.name(of: rest)
    return name.isEmpty ? "" : "[\(isNegated ? "!" : "")\(name)]"
  }

  /// Lets conditions be off at first that all guards ask for with a "not": so the arrows that are drawn are taken.
  mutating func denyConditions() {
    for arrow in diagram.arrows.indices {
      for (place, condition) in diagram.arrows[arrow].label.conditions.enumerated()
      where condition.form == .flag && !affirmedConditions.contains(condition.name) {
        diagram.arrows[arrow].label.conditions[place].form = .denied
      }
    }
  }

  /// Whether a variable is one that only actions have: what it begins as is asked for where it is compared with numbers.
  private func mayBeginOtherwise(_ name: String) -> Bool {
    vocabulary.undeclared.contains(name) && !["strict", "initial"].contains(name)
  }

  private func isCompared(_ name: String, in text: String) -> Bool {
    guard let text = TokenText(text) else { return false }
    return text.tokens.indices.contains {
      text[$0] == .name(name) && (text[$0 - 1].isComparison || text[$0 + 1].isComparison)
    }
  }

  /// Says which conditions the guards ask for.
  mutating func tellConditions() {
    var seen: Set<String> = []
    for label in diagram.arrows.map(\.label) {
      for condition in label.conditions where seen.insert(condition.name).inserted {
        diagram.conditions.append(condition)
        guard let place = label.condition else { continue }
        let (name, text) = (condition.name, place.string)
        let value = condition.form.otherwise.isEmpty ? "''" : condition.form.otherwise
        let what =
          text == name
          ? "nothing declares \(text): it is a condition"
          : isBroken(text)
            ? "\"\(text)\" is no expression and is read as the condition \(name)"
            : "\"\(text)\" asks for \(name), which is a condition"
        diagram.assume(
          place.start,
          label.isAlternative
            ? "another arrow has the same event: this one is taken first, and not with \(name)=off"
            : "\(what), \(name)=\(value) unless new or the event says otherwise", isFoundStrictly: true)
      }
    }
  }

  /// Whether a guard lacks an operand, or has no words at all.
  private func isBroken(_ text: String) -> Bool {
    let signs: [Character] = ["<", ">", "=", "&", "|", "≥", "≤", "≠"]
    return Prose.words(of: text).isEmpty || signs.contains(text.first ?? " ") || signs.contains(text.last ?? " ")
  }

  // MARK: Operators

  /// A guard with the operators of the language: `≥`, `and`, `not`, `is` and `=` in front of a value, `between`. Beside
  /// `&&` and `||`, operands of several words are names: `n >= 3 && isAdmin` for `n ≥ 3 and is admin`.
  static func formal(_ text: String) -> String {
    var plain = text
    for (word, sign) in [
      ("≥", ">="), ("≤", "<="), ("≠", "!="), ("&gt;", ">"), ("&lt;", "<"), ("&amp;", "&"),
    ] { plain = plain.replaced(word, by: sign) }
    guard var formal = TokenText(plain) else { return plain }
    /// The operator that a word between blanks stands for.
    func junction(_ place: Int) -> String? {
      guard place > 0, place + 1 < formal.tokens.count,
        formal.tokens[place - 1].range.upperBound < formal.start(of: place),
        formal.tokens[place].range.upperBound < formal.start(of: place + 1)
      else { return nil }
      return ["and": "&&", "AND": "&&", "or": "||", "OR": "||"][formal.source(of: place...place)]
    }
    let isCompound = formal.tokens.indices.contains { junction($0) != nil || formal[$0].isOne(of: ["&&", "||"]) }
    /// Whether an operand may begin.
    var mayBegin = true
    /// How many parentheses are open, and how many were at each `!(` for a `not`, which asks for all up to the next `&&`,
    /// `||` or end of its parentheses.
    var (depth, opened) = (0, [Int]())
    func isValue(_ place: Int) -> Bool {
      if formal[place] == .symbol("-"), case .number = formal[place + 1] { return true }
      return formal[place].isValue
    }
    func isBetween(_ place: Int) -> Bool {
      formal[place] == .name("between")
        || [.name("is"), .name("not")].contains(formal[place])
          && (formal[place + 1] == .name("between")
            || formal[place + 1] == .name("not") && formal[place + 2] == .name("between"))
    }
    func isWord(_ place: Int) -> Bool {
      switch formal[place] {
      case _ where isBetween(place): false
      case .name("is"): !isValue(place + 1) && !(formal[place + 1] == .name("not") && isValue(place + 2))
      case .name, .number: junction(place) == nil
      case .string, .symbol, .end: false
      }
    }
    /// Whether an operand can begin with a token.
    func isBeginning(_ place: Int) -> Bool {
      switch formal[place] {
      case .name(let name): junction(place) == nil && !["and", "or", "AND", "OR", "is", "between"].contains(name)
      case .number, .string: true
      case .symbol: formal[place].isOne(of: ["(", "!", "-", "+", "["])
      case .end: false
      }
    }
    /// The end of one of the bounds that `between` has.
    func endOfBound(_ first: Int) -> Int? {
      var (place, open) = (first, 0)
      search: while place < formal.tokens.count {
        switch formal[place] {
        case .symbol("("), .symbol("["): open += 1
        case .symbol(")"), .symbol("]"):
          if open == 0 { break search }
          open -= 1
        case .name("between"): return nil
        case .name("and"), .name("or"), .name("AND"), .name("OR"), .symbol("&&"), .symbol("||"):
          if open == 0 { break search }
        case _: break
        }
        place += 1
      }
      return place > first && open == 0 ? place : nil
    }
    func bound(_ places: Range<Int>) -> String {
      let text = formal.source(of: places.lowerBound...places.upperBound - 1)
      return places.count > 1 && !(places.count == 2 && isValue(places.lowerBound)) ? "(\(text))" : text
    }
    /// What asks whether a name is between two bounds, and the last token of that.
    func between(_ name: String, from first: Int) -> (text: String, last: Int)? {
      var place = first
      if formal[place] == .name("is") { place += 1 }
      let isDenied = formal[place] == .name("not")
      if isDenied { place += 1 }
      guard formal[place] == .name("between"), let middle = endOfBound(place + 1),
        formal[middle] == .name("and"), let end = endOfBound(middle + 1)
      else { return nil }
      let (low, high) = (bound(place + 1..<middle), bound(middle + 1..<end))
      return ("\(isDenied ? "!" : "")(\(name) >= \(low) && \(name) <= \(high))", end - 1)
    }
    func closeNots(before place: Int) {
      let end = formal.tokens[place - 1].range.upperBound
      while let last = opened.last, last >= depth {
        formal.replace(end..<end, with: ")")
        opened.removeLast()
      }
    }
    var place = 0
    while place < formal.tokens.count {
      var last = place
      switch formal[place] {
      case .name("not") where mayBegin && isBeginning(place + 1):
        formal.replace(formal.start(of: place)..<formal.start(of: place + 1), with: "!(")
        opened.append(depth)
      case .name where mayBegin && isWord(place):
        mayBegin = false
        while isWord(last + 1) { last += 1 }
        var name = formal.source(of: place...last)
        if last > place, isCompound {
          let (words, isNegated) = withoutNot(name)
          name = (isNegated ? "!" : "") + Prose.name(of: words)
        } else {
          while formal[last + 1] == .symbol("."), case .name = formal[last + 2] { last += 2 }
          name = formal.source(of: place...last)
        }
        if isBetween(last + 1), let asked = between(name, from: last + 1) { (name, last) = asked }
        formal.replace(place...last, with: name)
      case .name("is") where !mayBegin && !isWord(place):
        mayBegin = true
        if formal[place + 1] == .name("not") { last += 1 }
        formal.replace(place...last, with: last > place ? "!=" : "==")
      case .name where !mayBegin && junction(place) != nil:
        closeNots(before: place)
        formal.replace(place...place, with: junction(place) ?? "")
        mayBegin = true
      case .symbol("="):
        formal.replace(place...place, with: "==")
        mayBegin = true
      case .symbol(let symbol):
        if place > 0, ["&&", "||", ")"].contains(symbol) { closeNots(before: place) }
        depth += symbol == "(" ? 1 : symbol == ")" ? -1 : 0
        mayBegin = ![")", "]", "."].contains(symbol)
      case .name, .number, .string, .end: mayBegin = false
      }
      place = last + 1
    }
    depth = .min
    if place > 0 { closeNots(before: place) }
    return formal.text
  }

  // MARK: Conditions

  /// Lets a guard ask for what nothing declares.
  ///
  /// - Returns: `false` if something is more than a name: an object or a function.
  private mutating func ask(
    _ text: String, for unknown: Set<String>, at place: String, _ label: inout DiagramLabel
  ) -> Bool {
    guard var guarded = TokenText(text) else { return false }
    var conditions: [ChartCondition] = []
    var values: [[(key: String, text: String)]] = []
    /// One value for each condition, with which the guard may be true.
    var fitting: [(key: String, text: String)] = []
    for first in guarded.tokens.indices {
      guard case .name(var name) = guarded[first], unknown.contains(name), guarded[first - 1] != .symbol(".") else {
        continue
      }
      // `user.age` is one name, `userAge`.
      var last = first
      while guarded[last + 1] == .symbol("."), case .name(let member) = guarded[last + 2] {
        name += " \(member)"
        last += 2
      }
      let (before, after) = (guarded[first - 1], guarded[last + 1])
      if after.isOne(of: [".", "(", "[", "=>", ":"]) { return false }
      // A name that another one is compared with is a word: `branch == main`.
      if before.isEquality, !after.isOperator, case .name(let other) = guarded[first - 2],
        guarded[first - 3] == .symbol(".") || unknown.contains(other)
      {
        guarded.replace(first...last, with: Self.quoted(name))
        continue
      }
      let isOperand = after.isOperator || before.isOperator
      let other = after.isOperator ? guarded[last + 2] : isOperand ? guarded[first - 2] : .end
      var (form, texts) = (ChartCondition.Form.flag, [String]())
      switch other {
      case _ where !isOperand: break
      case .name("true"), .name("false"): break
      case .string(let text): (form, texts) = (.text, [text])
      case .name(let word) where after.isEquality && unknown.contains(word): (form, texts) = (.text, [word])
      case .name where before.isComparison: (form, texts) = (.limit, ["0", "-1"])
      case .name: (form, texts) = (.number, ["2"])
      case .number(let limit):
        let isLess = after.isOne(of: ["<", "<="]) || before.isOne(of: [">", ">="])
        let step: Double = isLess ? 1 : -1
        let numbers =
          after.isEquality || before.isEquality ? [limit, limit + 1] : [limit - step, limit, limit + step]
        (form, texts) = (.number, numbers.map { ChartData.word(of: .number($0)) })
      case .symbol, .end: form = .number
      }
      let isOwn = vocabulary.data.contains(name)
      if isOwn, !form.isNumber { continue }
      let words = place.isEmpty || isOperand ? name : "\(place) \(name)"
      var condition = ChartCondition(name: isOwn ? name : conditionName(of: words), form: form)
      condition.form = formsOfConditions[condition.name] ?? form
      formsOfConditions[condition.name] = condition.form
      if !conditions.contains(condition) { conditions.append(condition) }
      if form == .flag, condition.form.isNumber {
        texts = ["1"]
      } else if form == .flag {
        let isUnequal = before.isOne(of: ["!=", "!=="]) || after.isOne(of: ["!=", "!=="])
        var isNegated = other == .name(isUnequal ? "true" : "false")
        var place = first - 1
        while place >= 0 {
          if place > 0, guarded[place] == .symbol("("), after == .symbol(")") { place -= 1 }
          guard guarded[place] == .symbol("!") else { break }
          isNegated.toggle()
          place -= 1
        }
        if !isNegated { affirmedConditions.insert(condition.name) }
        texts = [isNegated ? "off" : "on"]
      }
      if let first = texts.first { fitting.append((condition.name, first)) }
      if form != .flag { values += texts.map { [(condition.name, $0)] } }
      guarded.replace(first...last, with: Self.question(condition))
    }
    var seen: Set<String> = []
    let all = fitting.filter { seen.insert($0.key).inserted }
    if all.count > 1 { values.insert(all, at: 0) }
    (label.expression, label.conditions) = (guarded.text, conditions)
    label.valuesOfConditions += values
    return true
  }

  /// What asks for a condition: the data of the event that is handled, or else the machine's own. Before the first event
  /// an engine of SCXML may have no `_event`.
  static func question(_ condition: ChartCondition) -> String {
    let value = "((typeof _event == 'object' && _event.data || {}).\(condition.name) ?? \(condition.name))"
    return condition.form == .flag ? "!['off', 'no', 0, false].includes\(value)" : value
  }

  /// The name of a condition, which no variable, parameter or word of the language has; other words have another one.
  private mutating func conditionName(of words: String) -> String {
    var name = Prose.name(of: words)
    if name.isEmpty { name = "condition" }
    if name.utf8.first.map(Self.isDigit) == true { name = "is\(name)" }
    while !Parser.isVariable(name) || vocabulary.data.contains(name) || ["strict", "initial"].contains(name) {
      name += "_"
    }
    return conditionNames.name(for: Prose.identity(of: words), like: name)
  }
}

extension Code.Node {
  fileprivate var isAssignment: Bool {
    switch self {
    case .assign, .compound, .update: true
    case _: false
    }
  }
}
