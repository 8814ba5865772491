/// An expression of the data model, parsed.
///
/// The language is a bounded subset of ECMAScript.
public struct Expression: Sendable {
  /// As it stands in the document.
  public let text: String
  let code: Code

  /// - Parameter symbols: The names of the definition, to which new ones are added.
  public init(parsing text: String, in symbols: inout SymbolTable) throws(SyntaxError) {
    code = try Parser.expression(text, &symbols)
    self.text = text
  }

  /// Reads the one expression of the null data model: `In(id)`, also with quotes around the id.
  init(parsingPredicate text: String, in symbols: inout SymbolTable) throws(SyntaxError) {
    let parts = text.split(separator: "(", maxSplits: 1, omittingEmptySubsequences: false)
    let id = (parts.count == 2 ? parts[1] : "").split(whereSeparator: \.isWhitespace).joined()
    let bare = id.dropLast(id.hasSuffix(")") ? 1 : 0).filter { $0 != "'" && $0 != "\"" }
    guard parts.count == 2, parts[0].allSatisfy({ "In \t\n".contains($0) }), parts[0].contains("In"), id.hasSuffix(")"),
      !bare.isEmpty, !bare.contains(where: { "()\\".contains($0) })
    else { throw SyntaxError("the null data model has no expressions but In(id)", at: 0) }
    code = try Parser.expression("In('\(bare)')", &symbols)
    self.text = text
  }

  /// - Throws: ``EvaluationError/failed(_:)`` where ECMAScript throws an error, for instance at the name of an
  ///   undeclared variable; ``EvaluationError/limit(_:)`` when the scope's budget is used up.
  public func value(in scope: inout DataScope) throws(EvaluationError) -> DataValue {
    try code.value(at: code.root, in: &scope)
  }

  /// The value as a condition: whether ECMAScript takes it for true.
  public func isTrue(in scope: inout DataScope) throws(EvaluationError) -> Bool {
    try value(in: &scope).isTruthy
  }
}

/// A place that can be assigned to: a variable, a member, an element.
public struct Location: Sendable {
  /// As it stands in the document.
  public let text: String
  let code: Code

  public init(parsing text: String, in symbols: inout SymbolTable) throws(SyntaxError) {
    code = try Parser.location(text, &symbols)
    self.text = text
  }

  public func value(in scope: inout DataScope) throws(EvaluationError) -> DataValue {
    try code.value(at: code.root, in: &scope)
  }

  /// - Throws: ``EvaluationError/failed(_:)`` if the variable is not declared, is a system variable, or the place does
  ///   not exist.
  public func assign(_ value: DataValue, in scope: inout DataScope) throws(EvaluationError) {
    // A copy counts, since a change of either makes it one.
    try scope.budget.spend(bytes: value.size)
    try code.assign(value, at: code.root, in: &scope)
  }
}

/// Statements.
public struct Script: Sendable {
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
