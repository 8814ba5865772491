/// Parses expressions and scripts by recursive descent, to a bounded depth.
struct Parser {
  private var lexer: Lexer
  private var token = Token.end
  private var start = 0
  private var tokens = 0
  /// Whether a line ends between the last token and this one.
  private var isOnNewLine = false
  private var code = Code()
  private var depth = 0
  /// How many nodes are below each other under each node, itself included.
  private var heights: [Int] = []
  /// The local names of the function that is being parsed; `nil` outside of functions.
  private var locals: Locals?
  private var symbols: SymbolTable

  private struct Locals {
    private(set) var count = 0
    private var places: [String: Int] = [:]

    init(_ names: [String]) {
      for name in names { add(name) }
    }

    /// A name that comes again is that of the first.
    mutating func add(_ name: String) {
      if places[name] == nil { places[name] = count }
      count += 1
    }

    subscript(name: String) -> Int? { places[name] }
  }

  /// How deeply expressions and statements can be nested.
  private static var deepest: Int { 60 }
  /// How many nodes can be below each other.
  private static var highest: Int { 200 }
  /// How many nodes a text can have.
  private static var most: Int { 100_000 }

  private init(_ text: String, _ symbols: consuming SymbolTable) {
    lexer = Lexer(text)
    self.symbols = symbols
  }

  /// Parses with a table that is lent for it: a copy would be made whole for the first name that a text adds. After a
  /// mistake the table is as it was.
  private static func parse(
    _ text: String, _ symbols: inout SymbolTable, _ body: (inout Parser) throws(SyntaxError) -> Void
  ) throws(SyntaxError) -> Code {
    let mark = symbols.mark
    var parser = Parser(text, SymbolTable())
    swap(&symbols, &parser.symbols)
    defer { swap(&symbols, &parser.symbols) }
    do throws(SyntaxError) {
      try parser.advance()
      try body(&parser)
    } catch {
      parser.symbols.takeBack(to: mark)
      throw error
    }
    return parser.code
  }

  static func expression(_ text: String, _ symbols: inout SymbolTable) throws(SyntaxError) -> Code {
    try parse(text, &symbols) { parser throws(SyntaxError) in
      parser.code.root = try parser.expression()
      if parser.token == .symbol(";") { try parser.advance() }
      try parser.expect(.end)
    }
  }

  static func location(_ text: String, _ symbols: inout SymbolTable) throws(SyntaxError) -> Code {
    let code = try expression(text, &symbols)
    guard code.isPlace(code.root) else { throw SyntaxError("expected a variable or a member of one", at: 0) }
    return code
  }

  static func script(_ text: String, _ symbols: inout SymbolTable) throws(SyntaxError) -> Code {
    try parse(text, &symbols) { parser throws(SyntaxError) in
      var statements: [Code.Place] = []
      while parser.token != .end { statements.append(try parser.statement()) }
      parser.code.root = try parser.add(.block(parser.list(statements)))
    }
  }

  /// Whether a text is the name of a variable.
  static func isVariable(_ text: String) -> Bool {
    var symbols = SymbolTable()
    guard let code = try? expression(text, &symbols), case .variable = code.nodes[Int(code.root)] else { return false }
    return symbols.names == [text]
  }

  // MARK: Tokens and nodes

  private mutating func advance() throws(SyntaxError) {
    let end = lexer.offset
    tokens &+= 1
    if tokens & 0xFFF == 0, Budget.pause.get()?() == false { throw SyntaxError("reading was interrupted", at: start) }
    (token, start) = try lexer.next()
    isOnNewLine = start > end && lexer.hasLineEnd(end..<start)
  }

  private func error(_ expected: String) -> SyntaxError {
    let found =
      switch token {
      case .end: "the text ends"
      case .name("and"), .name("AND"): "found and; did you mean &&?"
      case .name("or"), .name("OR"): "found or; did you mean ||?"
      case .name(let name), .symbol(let name): "found \(name)"
      case .number(let number): "found \(number)"
      case .string: "found a string"
      }
    return SyntaxError("expected \(expected); \(found)", at: start)
  }

  private mutating func expect(_ expected: Token) throws(SyntaxError) {
    guard token == expected else {
      if case .symbol(let symbol) = expected { throw error(symbol) }
      throw error("the end")
    }
    if token != .end { try advance() }
  }

  private mutating func expect(_ symbol: String) throws(SyntaxError) { try expect(.symbol(symbol)) }

  private mutating func take(_ symbol: String) throws(SyntaxError) -> Bool {
    guard token == .symbol(symbol) else { return false }
    try advance()
    return true
  }

  private mutating func take(word: String) throws(SyntaxError) -> Bool {
    guard token == .name(word) else { return false }
    try advance()
    return true
  }

  private mutating func add(_ node: Code.Node) throws(SyntaxError) -> Code.Place {
    guard code.nodes.count < Self.most else { throw SyntaxError("the text is too long", at: start) }
    // Chains of operators and members are read in a loop, and evaluated by recursion all the same.
    let height = code.height(below: node, heights) + 1
    guard height <= Self.highest else { throw SyntaxError("the expression is too long", at: start) }
    heights.append(height)
    code.nodes.append(node)
    return Code.Place(code.nodes.count - 1)
  }

  private mutating func constant(_ value: DataValue) throws(SyntaxError) -> Code.Place {
    code.constants.append(value)
    return try add(.constant(code.constants.count - 1))
  }

  private mutating func list(_ places: [Code.Place]) -> Code.List {
    code.lists += places
    return Code.List(start: Int32(code.lists.count - places.count), count: Int32(places.count))
  }

  private mutating func nested<Result>(
    _ body: (inout Parser) throws(SyntaxError) -> Result
  ) throws(SyntaxError) -> Result {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.deepest else { throw SyntaxError("nested too deeply", at: start) }
    return try body(&self)
  }

  // MARK: Statements

  private static let reserved: Set<String> = [
    "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do", "else", "export",
    "extends", "false", "finally", "for", "function", "if", "import", "in", "instanceof", "let", "new", "null",
    "return",
    "super", "switch", "this", "throw", "true", "try", "typeof", "var", "void", "while", "with", "yield",
  ]

  private mutating func statement() throws(SyntaxError) -> Code.Place {
    try nested { parser throws(SyntaxError) in try parser.plainStatement() }
  }

  private mutating func plainStatement() throws(SyntaxError) -> Code.Place {
    if try take(";") { return try add(.nothing) }
    if try take("{") {
      var statements: [Code.Place] = []
      while token != .symbol("}"), token != .end { statements.append(try statement()) }
      try expect("}")
      return try add(.block(list(statements)))
    }
    guard case .name(let word) = token else { return try expressionStatement() }
    switch word {
    case "var", "let", "const":
      try advance()
      let declaration = try declarations()
      try endStatement()
      return declaration
    case "function":
      let start = start
      try advance()
      guard case .name(let name) = token, !Self.reserved.contains(name) else { throw error("the function's name") }
      try advance()
      let function = try functionRest(from: start)
      return try declaration(of: name, as: function)
    case "if":
      try advance()
      try expect("(")
      let condition = try expression()
      try expect(")")
      let then = try statement()
      let otherwise = try take(word: "else") ? try statement() : nil
      return try add(.ifElse(condition, then, otherwise))
    case "while":
      try advance()
      try expect("(")
      let condition = try expression()
      try expect(")")
      return try add(.loop(condition: condition, step: nil, body: try statement(), testsFirst: true))
    case "do":
      try advance()
      let body = try statement()
      guard try take(word: "while") else { throw error("while") }
      try expect("(")
      let condition = try expression()
      try expect(")")
      _ = try take(";")
      return try add(.loop(condition: condition, step: nil, body: body, testsFirst: false))
    case "for": return try forStatement()
    case "return":
      guard locals != nil else { throw SyntaxError("return stands outside of a function", at: start) }
      try advance()
      let isBare = isOnNewLine || token == .symbol(";") || token == .symbol("}") || token == .end
      let value = isBare ? nil : try expression()
      try endStatement()
      return try add(.leave(value))
    case "break":
      try advance()
      try endStatement()
      return try add(.breakLoop)
    case "continue":
      try advance()
      try endStatement()
      return try add(.continueLoop)
    case _: return try expressionStatement()
    }
  }

  private mutating func forStatement() throws(SyntaxError) -> Code.Place {
    try advance()
    try expect("(")
    var first: Code.Place?
    if token != .symbol(";") {
      if case .name(let word) = token, ["var", "let", "const"].contains(word) {
        try advance()
        first = try declarations()
      } else {
        first = try expression()
      }
    }
    try expect(";")
    let condition = token == .symbol(";") ? nil : try expression()
    try expect(";")
    let step = token == .symbol(")") ? nil : try expression()
    try expect(")")
    let loop = try add(.loop(condition: condition, step: step, body: try statement(), testsFirst: true))
    return try add(.block(list([first, loop].compactMap { $0 })))
  }

  /// `a = 1, b` after `var`.
  private mutating func declarations() throws(SyntaxError) -> Code.Place {
    var all: [Code.Place] = []
    repeat {
      guard case .name(let name) = token, !Self.reserved.contains(name) else { throw error("a name") }
      try advance()
      all.append(try declaration(of: name, as: try take("=") ? try assignment() : nil))
    } while try take(",")
    return try add(.block(list(all)))
  }

  private mutating func declaration(of name: String, as value: Code.Place?) throws(SyntaxError) -> Code.Place {
    guard locals != nil else { return try add(.declare(variable: symbols.slot(of: name), value)) }
    return try add(.declareLocal(local(name), value))
  }

  private mutating func local(_ name: String) -> Int {
    if let place = locals?[name] { return place }
    locals?.add(name)
    return (locals?.count ?? 1) - 1
  }

  private mutating func expressionStatement() throws(SyntaxError) -> Code.Place {
    let value = try expression()
    try endStatement()
    return value
  }

  /// A semicolon may be left out where the line ends, and in front of `}` and `else`.
  private mutating func endStatement() throws(SyntaxError) {
    if try take(";") { return }
    guard isOnNewLine || [.end, .symbol("}"), .name("else")].contains(token) else {
      throw error("; or a line's end after the statement")
    }
  }

  // MARK: Expressions

  private mutating func expression() throws(SyntaxError) -> Code.Place {
    var left = try assignment()
    while try take(",") { left = try add(.sequence(left, try assignment())) }
    return left
  }

  private static let compounds: [String: Code.Binary] = [
    "+=": .add, "-=": .subtract, "*=": .multiply, "/=": .divide, "%=": .remainder, "**=": .power, "&=": .bitAnd,
    "|=": .bitOr, "^=": .bitXor, "<<=": .shiftLeft, ">>=": .shiftRight, ">>>=": .shiftRightUnsigned,
  ]

  private mutating func assignment() throws(SyntaxError) -> Code.Place {
    try nested { parser throws(SyntaxError) in
      let start = parser.start
      if let (names, rest) = parser.arrowFunction() {
        parser.lexer = rest
        try parser.advance()
        return try parser.function(names, from: start)
      }
      let left = try parser.conditional()
      guard case .symbol(let symbol) = parser.token else { return left }
      let compound = Self.compounds[symbol]
      guard symbol == "=" || compound != nil else { return left }
      guard parser.code.isPlace(left) else { throw SyntaxError("this cannot be assigned to", at: start) }
      try parser.advance()
      let right = try parser.assignment()
      return try parser.add(compound.map { .compound($0, left, right) } ?? .assign(left, right))
    }
  }

  private mutating func conditional() throws(SyntaxError) -> Code.Place {
    let condition = try binary(above: 0)
    guard try take("?") else { return condition }
    let yes = try assignment()
    try expect(":")
    return try add(.conditional(condition, yes, try assignment()))
  }

  private static let levels: [String: Int] = [
    "??": 1, "||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7, "===": 7, "!==": 7, "<": 8, "<=": 8, ">": 8,
    ">=": 8, "in": 8, "instanceof": 8, "<<": 9, ">>": 9, ">>>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "%": 11,
    "**": 12,
  ]

  private static let binaries: [String: Code.Binary] = [
    "|": .bitOr, "^": .bitXor, "&": .bitAnd, "==": .equal, "!=": .unequal, "===": .same, "!==": .different, "<": .less,
    "<=": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual, "in": .isIn, "instanceof": .isInstance, "<<": .shiftLeft,
    ">>": .shiftRight, ">>>": .shiftRightUnsigned, "+": .add, "-": .subtract, "*": .multiply, "/": .divide,
    "%": .remainder, "**": .power,
  ]

  private mutating func binary(above level: Int) throws(SyntaxError) -> Code.Place {
    var left = try unary()
    while true {
      let symbol: String
      switch token {
      case .symbol(let text), .name(let text): symbol = text
      case .number, .string, .end: return left
      }
      guard let own = Self.levels[symbol], own > level else { return left }
      try advance()
      let right = try nested { parser throws(SyntaxError) in
        try parser.binary(above: symbol == "**" ? own - 1 : own)
      }
      left =
        switch symbol {
        case "&&": try add(.and(left, right))
        case "||": try add(.or(left, right))
        case "??": try add(.coalesce(left, right))
        case _:
          if let operation = Self.binaries[symbol] { try add(.binary(operation, left, right)) } else { left }
        }
    }
  }

  private mutating func unary() throws(SyntaxError) -> Code.Place {
    try nested { parser throws(SyntaxError) in
      let operation: Code.Unary
      switch parser.token {
      case .symbol("!"): operation = .not
      case .symbol("-"): operation = .minus
      case .symbol("+"): operation = .plus
      case .symbol("~"): operation = .complement
      case .name("typeof"): operation = .typeOf
      case .name("void"): operation = .void
      case .name("delete"): operation = .delete
      case .symbol("++"), .symbol("--"):
        let difference: Double = parser.token == .symbol("++") ? 1 : -1
        try parser.advance()
        let start = parser.start
        let place = try parser.unary()
        guard parser.code.isPlace(place) else { throw SyntaxError("this cannot be assigned to", at: start) }
        return try parser.add(.update(place, by: difference, isPrefix: true))
      case _: return try parser.postfix()
      }
      try parser.advance()
      return try parser.add(.unary(operation, try parser.unary()))
    }
  }

  private mutating func postfix() throws(SyntaxError) -> Code.Place {
    let place = try chain(from: try primary())
    guard token == .symbol("++") || token == .symbol("--"), code.isPlace(place) else { return place }
    let difference: Double = token == .symbol("++") ? 1 : -1
    try advance()
    return try add(.update(place, by: difference, isPrefix: false))
  }

  /// Members, elements and calls after an expression.
  private mutating func chain(from first: Code.Place, calls: Bool = true) throws(SyntaxError) -> Code.Place {
    var place = first
    while true {
      if try take(".") {
        guard case .name(let name) = token else { throw error("the member's name") }
        try advance()
        code.constants.append(.string(name))
        place = try add(.member(place, code.constants.count - 1))
      } else if try take("[") {
        let key = try expression()
        try expect("]")
        place = try add(.element(place, key))
      } else if calls, try take("(") {
        place = try add(.call(place, try arguments()))
      } else {
        return place
      }
    }
  }

  /// After the opening parenthesis.
  private mutating func arguments() throws(SyntaxError) -> Code.List {
    var places: [Code.Place] = []
    while token != .symbol(")") {
      places.append(try assignment())
      guard try take(",") else { break }
    }
    try expect(")")
    return list(places)
  }

  private mutating func primary() throws(SyntaxError) -> Code.Place {
    switch token {
    case .number(let number):
      try advance()
      return try constant(.number(number))
    case .string(let string):
      try advance()
      return try constant(.string(string))
    case .name(let name): return try named(name)
    case .symbol("("):
      try advance()
      let inner = try expression()
      try expect(")")
      return inner
    case .symbol("["):
      try advance()
      var places: [Code.Place] = []
      while token != .symbol("]") {
        places.append(try assignment())
        guard try take(",") else { break }
      }
      try expect("]")
      return try add(.array(list(places)))
    case .symbol("{"): return try objectLiteral()
    case .symbol, .end: throw error("a value")
    }
  }

  private mutating func objectLiteral() throws(SyntaxError) -> Code.Place {
    try advance()
    var places: [Code.Place] = []
    while token != .symbol("}") {
      let key: String
      switch token {
      case .name(let name): key = name
      case .string(let string): key = string
      case .number(let number): key = DataValue.number(number).text
      case .symbol, .end: throw error("a member's name")
      }
      try advance()
      places.append(try constant(.string(key)))
      try expect(":")
      places.append(try assignment())
      guard try take(",") else { break }
    }
    try expect("}")
    return try add(.object(list(places)))
  }

  private mutating func named(_ name: String) throws(SyntaxError) -> Code.Place {
    let start = start
    if name == "function" {
      try advance()
      if case .name = token { try advance() }
      return try functionRest(from: start)
    }
    if name == "new" {
      try advance()
      let callee = try chain(from: try primary(), calls: false)
      return try add(.construct(callee, try take("(") ? try arguments() : list([])))
    }
    switch name {
    case "true", "false":
      try advance()
      return try constant(.boolean(name == "true"))
    case "null":
      try advance()
      return try constant(.null)
    case "undefined":
      try advance()
      return try constant(.undefined)
    case "NaN":
      try advance()
      return try constant(.number(.nan))
    case "Infinity":
      try advance()
      return try constant(.number(.infinity))
    case "this" where locals != nil:
      try advance()
      return try add(.local(0))
    case _: break
    }
    guard !Self.reserved.contains(name) else { throw error("a value") }
    try advance()
    if let place = locals?[name] { return try add(.local(place)) }
    switch name {
    case "_event":
      symbols.usesEvent = true
      return try add(.system(.event))
    case "_sessionid": return try add(.system(.sessionID))
    case "_name": return try add(.system(.name))
    case "_ioprocessors": return try add(.system(.ioProcessors))
    case "_x": return try add(.system(.x))
    case _:
      if let builtIn = BuiltIn(rawValue: name) { return try add(.builtIn(builtIn)) }
      return try add(.variable(symbols.slot(of: name)))
    }
  }

  /// Parameters and body of a function.
  private mutating func functionRest(from start: Int) throws(SyntaxError) -> Code.Place {
    var names: [String] = []
    try expect("(")
    while case .name(let name) = token {
      names.append(name)
      try advance()
      guard try take(",") else { break }
    }
    try expect(")")
    guard token == .symbol("{") else { throw error("{") }
    return try function(names, from: start)
  }

  /// Looks for the parameters of an arrow function: `x =>`, `(x, y) =>`.
  ///
  /// - Returns: Their names, and the lexer after the arrow; `nil` if no such function begins here.
  private func arrowFunction() -> (names: [String], rest: Lexer)? {
    guard lexer.hasArrows else { return nil }
    var rest = lexer
    func next() -> Token? { try? rest.next().token }
    var names: [String] = []
    switch token {
    case .name(let name): names.append(name)
    case .symbol("("):
      var word = next()
      while case .name(let name)? = word {
        names.append(name)
        word = next()
        guard word == .symbol(",") else { break }
        word = next()
      }
      guard word == .symbol(")") else { return nil }
    case .symbol, .number, .string, .end: return nil
    }
    guard next() == .symbol("=>"), !names.contains(where: Self.reserved.contains) else { return nil }
    return (names, rest)
  }

  /// The body of a function: a block, or the expression that an arrow function returns.
  private mutating func function(_ names: [String], from start: Int) throws(SyntaxError) -> Code.Place {
    try nested { parser throws(SyntaxError) in
      let (outerCode, outerLocals, outerHeights) = (parser.code, parser.locals, parser.heights)
      (parser.code, parser.heights) = (Code(), [])
      // The first local is `this`, whose name nothing else can have.
      parser.locals = Locals(["this"] + names)
      var end = 0
      if try parser.take("{") {
        var statements: [Code.Place] = []
        while parser.token != .symbol("}"), parser.token != .end { statements.append(try parser.statement()) }
        end = parser.lexer.offset
        try parser.expect("}")
        parser.code.root = try parser.add(.block(parser.list(statements)))
      } else {
        let result = try parser.assignment()
        end = parser.start
        parser.code.root = try parser.add(.leave(result))
      }
      parser.symbols.functions.append(
        Function(
          parameters: names.count, locals: parser.locals?.count ?? 1, code: parser.code,
          text: parser.lexer.text(start..<end)))
      (parser.code, parser.locals, parser.heights) = (outerCode, outerLocals, outerHeights)
      return try parser.add(.function(parser.symbols.functions.count - 1))
    }
  }
}

extension Code {
  /// The greatest height of the nodes that a node refers to.
  fileprivate func height(below node: Node, _ heights: [Int]) -> Int {
    func most(_ places: Place?...) -> Int { places.reduce(0) { max($0, $1.map { heights[Int($0)] } ?? 0) } }
    func most(of list: List) -> Int { lists[list.range].reduce(0) { max($0, heights[Int($1)]) } }
    switch node {
    case .constant, .variable, .local, .system, .builtIn, .function, .breakLoop, .continueLoop, .nothing: return 0
    case .member(let object, _): return most(object)
    case .unary(_, let operand), .update(let operand, _, _): return most(operand)
    case .element(let left, let right), .binary(_, let left, let right), .and(let left, let right),
      .or(let left, let right), .coalesce(let left, let right), .assign(let left, let right),
      .compound(_, let left, let right), .sequence(let left, let right):
      return most(left, right)
    case .conditional(let condition, let yes, let no): return most(condition, yes, no)
    case .array(let list), .object(let list), .block(let list): return most(of: list)
    case .call(let callee, let list), .construct(let callee, let list): return max(most(callee), most(of: list))
    case .declare(_, let value), .declareLocal(_, let value), .leave(let value): return most(value)
    case .ifElse(let condition, let yes, let no): return most(condition, yes, no)
    case .loop(let condition, let step, let body, _): return most(condition, step, body)
    }
  }

  /// Whether a node can be assigned to.
  func isPlace(_ place: Place) -> Bool {
    switch nodes[Int(place)] {
    case .variable, .local, .system, .member, .element: true
    case .constant, .builtIn, .unary, .binary, .and, .or, .coalesce, .conditional, .assign, .compound, .update, .array,
      .object, .call, .construct, .function, .sequence, .block, .declare, .declareLocal, .ifElse, .loop, .leave,
      .breakLoop, .continueLoop, .nothing:
      false
    }
  }
}
