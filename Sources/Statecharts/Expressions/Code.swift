/// A parsed expression or script: nodes that refer to each other by place, so that nothing is nested in memory.
struct Code: Sendable {
  typealias Place = Int32

  enum Unary: Sendable { case not, minus, plus, complement, typeOf, void, delete }

  enum Binary: Sendable {
    case add, subtract, multiply, divide, remainder, power
    case equal, unequal, same, different, less, lessOrEqual, greater, greaterOrEqual
    case bitAnd, bitOr, bitXor, shiftLeft, shiftRight, shiftRightUnsigned
    case isIn, isInstance

    /// Whether it says which of two values comes first.
    var isOrder: Bool {
      switch self {
      case .less, .lessOrEqual, .greater, .greaterOrEqual: true
      case .add, .subtract, .multiply, .divide, .remainder, .power: false
      case .equal, .unequal, .same, .different, .isIn, .isInstance: false
      case .bitAnd, .bitOr, .bitXor, .shiftLeft, .shiftRight, .shiftRightUnsigned: false
      }
    }
  }

  enum System: Sendable { case event, sessionID, name, ioProcessors, x }

  enum Node: Sendable {
    case constant(Int)
    case variable(Int)
    case local(Int)
    case system(System)
    case builtIn(BuiltIn)
    case member(Place, Int)
    case element(Place, Place)
    case unary(Unary, Place)
    case binary(Binary, Place, Place)
    case and(Place, Place)
    case or(Place, Place)
    case coalesce(Place, Place)
    case conditional(Place, Place, Place)
    case assign(Place, Place)
    case compound(Binary, Place, Place)
    case update(Place, by: Double, isPrefix: Bool)
    case array(List)
    /// Keys are constants; keys and values alternate.
    case object(List)
    case call(Place, List)
    case construct(Place, List)
    case function(Int)
    case sequence(Place, Place)
    // Statements.
    case block(List)
    case declare(variable: Int, Place?)
    case declareLocal(Int, Place?)
    case ifElse(Place, Place, Place?)
    case loop(condition: Place?, step: Place?, body: Place, testsFirst: Bool)
    case leave(Place?)
    case breakLoop
    case continueLoop
    case nothing
  }

  /// A range of ``lists``.
  struct List: Sendable {
    var start: Int32
    var count: Int32
    var range: Range<Int> { Int(start)..<Int(start + count) }
  }

  var nodes: [Node] = []
  var constants: [DataValue] = []
  var lists: [Place] = []
  var root: Place = 0
}

/// A function of a script or an expression. It sees its parameters, its local variables and those of the session, but
/// not those of a function around it.
struct Function: Sendable {
  var parameters: Int
  var locals: Int
  var code: Code
  var text: String
}

/// What the names of ECMAScript's own objects and functions stand for.
enum BuiltIn: String, Sendable, CaseIterable {
  case math = "Math"
  case json = "JSON"
  case string = "String"
  case number = "Number"
  case boolean = "Boolean"
  case array = "Array"
  case object = "Object"
  case isActive = "In"
  case isNaN
  case isFinite
  case parseInt
  case parseFloat
}
