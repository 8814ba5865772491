import LineProtocol

/// An expression of the data model, parsed.
///
/// The language is a bounded subset of ECMAScript.
public final class Expression: Sendable {
  /// As it stands in the document.
  public let text: String
  /// Whether the document has other words for it, which ``text`` has: a guard, in brackets if data in parentheses are in
  /// front of it.
  let isWorded: Bool
  /// Whether the words begin with data of the event.
  let hasSamples: Bool
  let code: Code
  /// Whether there are numbers, truth values and variables only, so that it is worth trying without ``DataValue``.
  let isArithmetic: Bool

  /// - Parameter symbols: The names of the definition, to which new ones are added.
  public convenience init(parsing text: String, in symbols: inout SymbolTable) throws(SyntaxError) {
    try self.init(parsing: text, in: &symbols, written: nil)
  }

  /// - Parameter written: The words that the document has for the expression, if it has others.
  init(parsing text: String, in symbols: inout SymbolTable, written: String?) throws(SyntaxError) {
    code = try Parser.expression(text, &symbols)
    isArithmetic = code.isArithmetic
    isWorded = written != nil
    hasSamples = written?.hasPrefix("(") == true
    let isGuardAlone = written?.hasPrefix("[") == true && written?.hasSuffix("]") == true
    self.text = written.map { isGuardAlone ? String($0.dropFirst().dropLast()) : $0 } ?? text
  }

  /// Reads the one expression of the null data model: `In(id)`, also with quotes around the id. ``text`` has them.
  init(parsingPredicate text: String, in symbols: inout SymbolTable) throws(SyntaxError) {
    let parts = text.split(separator: "(", maxSplits: 1, omittingEmptySubsequences: false)
    let id = (parts.count == 2 ? parts[1] : "").split(whereSeparator: \.isWhitespace).joined()
    let bare = id.dropLast(id.hasSuffix(")") ? 1 : 0).filter { $0 != "'" && $0 != "\"" }
    guard parts.count == 2, parts[0].allSatisfy({ "In \t\n".contains($0) }), parts[0].includes("In"), id.hasSuffix(")"),
      !bare.isEmpty, !bare.contains(where: { "()\\".contains($0) })
    else { throw SyntaxError("the null data model has no expressions but In(id)", at: 0) }
    (isWorded, hasSamples) = (false, false)
    self.text = "In('\(bare)')"
    code = try Parser.expression(self.text, &symbols)
    isArithmetic = false
  }

  /// - Throws: ``EvaluationError/failed(_:)`` where ECMAScript throws an error, for instance at the name of an
  ///   undeclared variable; ``EvaluationError/limit(_:)`` when the scope's budget is used up.
  public func value(in scope: inout DataScope) throws(EvaluationError) -> DataValue {
    if isArithmetic {
      switch code.scalar(at: code.root, in: scope.variables) {
      case .number(let number)?:
        try scope.budget.spend(steps: code.nodes.count)
        return .number(number)
      case .boolean(let flag)?:
        try scope.budget.spend(steps: code.nodes.count)
        return .boolean(flag)
      case nil: break
      }
    }
    return try code.value(at: code.root, in: &scope)
  }

  /// The value if it is a number or a truth value, and was made of such only; no budget is spent.
  func scalar(in variables: [DataValue?]) -> Scalar? {
    isArithmetic ? code.scalar(at: code.root, in: variables) : nil
  }

  /// The value as a condition: whether ECMAScript takes it for true.
  public func isTrue(in scope: inout DataScope) throws(EvaluationError) -> Bool {
    if isArithmetic, let scalar = code.scalar(at: code.root, in: scope.variables) {
      try scope.budget.spend(steps: code.nodes.count)
      return scalar.isTruthy
    }
    return try value(in: &scope).isTruthy
  }
}

/// A place that can be assigned to: a variable, a member, an element.
public final class Location: Sendable {
  /// As it stands in the document.
  public let text: String
  let code: Code

  public init(parsing text: String, in symbols: inout SymbolTable) throws(SyntaxError) {
    code = try Parser.location(text, &symbols)
    self.text = text
  }

  /// The variable's, if the place is one.
  var slot: Int? {
    guard case .variable(let slot) = code.nodes[Int(code.root)] else { return nil }
    return slot
  }

  public func value(in scope: inout DataScope) throws(EvaluationError) -> DataValue {
    try code.value(at: code.root, in: &scope)
  }

  /// - Throws: ``EvaluationError/failed(_:)`` if the variable is not declared, is a system variable, or the place does
  ///   not exist.
  public func assign(_ value: DataValue, in scope: inout DataScope) throws(EvaluationError) {
    // A copy counts, since a change of either makes it one.
    try scope.budget.spend(bytes: value.size)
    if let slot, scope.isDeclared(slot) {
      try scope.budget.spend(steps: 1)
      scope.noteChange(of: slot)
      scope.variables[slot] = value
      return
    }
    try code.assign(value, at: code.root, in: &scope)
  }
}

/// Statements.
public final class Script: Sendable {
  /// As it stands in the document.
  public let text: String
  let code: Code

  public init(parsing text: String, in symbols: inout SymbolTable) throws(SyntaxError) {
    code = try Parser.script(text, &symbols)
    self.text = text
  }

  /// Runs the statements. Variables that they declare are variables of the session.
  public func run(in scope: inout DataScope) throws(EvaluationError) {
    try code.run(in: &scope)
  }
}
