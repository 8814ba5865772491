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
