/// A number or a truth value on its way through an expression, without the memory management of ``DataValue``.
enum Scalar {
  case number(Double)
  case boolean(Bool)

  @inline(__always)
  var isTruthy: Bool {
    switch self {
    case .number(let number): !(number == 0 || number.isNaN)
    case .boolean(let flag): flag
    }
  }
}

extension DataValue {
  /// The value, if it is a number or a truth value.
  @inline(__always)
  var scalar: Scalar? {
    switch self {
    case .number(let number): .number(number)
    case .boolean(let flag): .boolean(flag)
    case .undefined, .null, .string, .array, .object, .function: nil
    }
  }

  init(_ scalar: Scalar) {
    switch scalar {
    case .number(let number): self = .number(number)
    case .boolean(let flag): self = .boolean(flag)
    }
  }
}

extension Code {
  /// Whether all nodes are of the kinds that ``scalar(at:in:)`` knows, and none of them can change anything.
  var isArithmetic: Bool {
    // Each node is evaluated by recursion.
    guard nodes.count <= 100 else { return false }
    return nodes.allSatisfy { node in
      switch node {
      case .constant(let number):
        switch constants[number] {
        case .number, .boolean: true
        case .undefined, .null, .string, .array, .object, .function: false
        }
      case .variable, .and, .or, .conditional, .unary(.not, _), .unary(.minus, _): true
      case .binary(let operation, _, _):
        switch operation {
        case .add, .subtract, .multiply, .divide, .remainder, .equal, .unequal, .same, .different, .less, .lessOrEqual,
          .greater, .greaterOrEqual:
          true
        case .power, .bitAnd, .bitOr, .bitXor, .shiftLeft, .shiftRight, .shiftRightUnsigned, .isIn, .isInstance: false
        }
      case .local, .system, .builtIn, .member, .element, .unary, .coalesce, .assign, .compound, .update, .array,
        .object, .call, .construct, .function, .sequence, .block, .declare, .declareLocal, .ifElse, .loop, .leave,
        .breakLoop,
        .continueLoop, .nothing:
        false
      }
    }
  }

  /// The value of a node of an arithmetic expression.
  ///
  /// - Returns: `nil` if a variable holds something else than a number or a truth value, or if types would have to be
  ///   converted: then the expression is evaluated as any other.
  func scalar(at place: Place, in variables: [DataValue?]) -> Scalar? {
    switch nodes[Int(place)] {
    case .constant(let number):
      return constants[number].scalar
    case .variable(let slot): return slot < variables.count ? variables[slot]?.scalar : nil
    case .and(let left, let right):
      guard let first = scalar(at: left, in: variables) else { return nil }
      return first.isTruthy ? scalar(at: right, in: variables) : first
    case .or(let left, let right):
      guard let first = scalar(at: left, in: variables) else { return nil }
      return first.isTruthy ? first : scalar(at: right, in: variables)
    case .conditional(let condition, let yes, let no):
      guard let test = scalar(at: condition, in: variables) else { return nil }
      return scalar(at: test.isTruthy ? yes : no, in: variables)
    case .unary(let operation, let operand):
      guard let value = scalar(at: operand, in: variables) else { return nil }
      if case .not = operation { return .boolean(!value.isTruthy) }
      guard case .number(let number) = value else { return nil }
      return .number(-number)
    case .binary(let operation, let left, let right):
      guard case .number(let left)? = scalar(at: left, in: variables),
        case .number(let right)? = scalar(at: right, in: variables)
      else { return nil }
      switch operation {
      case .add: return .number(left + right)
      case .subtract: return .number(left - right)
      case .multiply: return .number(left * right)
      case .divide: return .number(left / right)
      case .remainder: return .number(left.truncatingRemainder(dividingBy: right))
      case .equal, .same: return .boolean(left == right)
      case .unequal, .different: return .boolean(left != right)
      case .less: return .boolean(left < right)
      case .lessOrEqual: return .boolean(left <= right)
      case .greater: return .boolean(left > right)
      case .greaterOrEqual: return .boolean(left >= right)
      case .power, .bitAnd, .bitOr, .bitXor, .shiftLeft, .shiftRight, .shiftRightUnsigned, .isIn, .isInstance:
        return nil
      }
    case .local, .system, .builtIn, .member, .element, .coalesce, .assign, .compound, .update, .array, .object, .call,
      .construct, .function, .sequence, .block, .declare, .declareLocal, .ifElse, .loop, .leave, .breakLoop,
      .continueLoop, .nothing:
      return nil
    }
  }
}
