/// How statements go on.
enum Flow {
  case next
  case breakLoop
  case continueLoop
  case leave(DataValue)
}

extension Code {
  func value(at place: Place, in scope: inout DataScope) throws(EvaluationError) -> DataValue {
    try value(at: place, in: &scope, base: 0)
  }

  func run(in scope: inout DataScope) throws(EvaluationError) {
    _ = try run(at: root, in: &scope, base: 0)
  }

  func assign(_ value: DataValue, at place: Place, in scope: inout DataScope) throws(EvaluationError) {
    try assign(value, at: place, in: &scope, base: 0)
  }

  private func string(_ number: Int) -> String {
    guard case .string(let text) = constants[number] else { return "" }
    return text
  }

  // MARK: Expressions

  private func value(at place: Place, in scope: inout DataScope, base: Int) throws(EvaluationError) -> DataValue {
    try scope.budget.spend(steps: 1)
    scope.depth += 1
    defer { scope.depth -= 1 }
    guard scope.depth <= DataScope.deepest else { throw .limit(.depth) }
    switch nodes[Int(place)] {
    case .constant(let number): return constants[number]
    case .variable(let slot):
      guard slot < scope.variables.count, let value = scope.variables[slot] else {
        throw .failed("\(scope.symbols.names[slot]) is not defined")
      }
      return value
    case .local(let number): return scope.locals[base + number]
    case .system(let system): return scope.value(of: system)
    case .builtIn(let builtIn): throw .failed("\(builtIn.rawValue) can only be called")
    case .member(let object, let name):
      if case .builtIn(let builtIn) = nodes[Int(object)] { return try scope.constant(string(name), of: builtIn) }
      return try scope.member(string(name), of: try value(at: object, in: &scope, base: base))
    case .element(let object, let key):
      let object = try value(at: object, in: &scope, base: base)
      return try scope.element(try value(at: key, in: &scope, base: base), of: object)
    case .unary(let operation, let operand): return try unary(operation, operand, in: &scope, base: base)
    case .binary(let operation, let left, let right):
      if operation == .isInstance { return try isInstance(left, of: right, in: &scope, base: base) }
      let left = try value(at: left, in: &scope, base: base)
      return try scope.apply(operation, left, try value(at: right, in: &scope, base: base))
    case .and, .or, .coalesce, .conditional, .sequence: return try choice(nodes[Int(place)], in: &scope, base: base)
    case .assign, .compound, .update: return try assignment(nodes[Int(place)], in: &scope, base: base)
    case .array(let list): return .array(try DataArray(try values(of: list, in: &scope, base: base)))
    case .object(let list): return try object(list, in: &scope, base: base)
    case .call(let callee, let list): return try call(callee, list, in: &scope, base: base)
    case .construct(let callee, let list): return try construct(callee, list, in: &scope, base: base)
    case .function(let number): return .function(number)
    case .block, .declare, .declareLocal, .ifElse, .loop, .leave, .breakLoop, .continueLoop, .nothing:
      throw .failed("a statement has no value")
    }
  }

  // What follows has functions of its own, so that the frames of those that are nested stay small.

  /// One of several parts, or the last.
  @inline(never)
  private func choice(_ node: Node, in scope: inout DataScope, base: Int) throws(EvaluationError) -> DataValue {
    switch node {
    case .and(let left, let right):
      let left = try value(at: left, in: &scope, base: base)
      return left.isTruthy ? try value(at: right, in: &scope, base: base) : left
    case .or(let left, let right):
      let left = try value(at: left, in: &scope, base: base)
      return left.isTruthy ? left : try value(at: right, in: &scope, base: base)
    case .coalesce(let left, let right):
      let left = try value(at: left, in: &scope, base: base)
      return left.isNothing ? try value(at: right, in: &scope, base: base) : left
    case .conditional(let condition, let yes, let no):
      let isTrue = try value(at: condition, in: &scope, base: base).isTruthy
      return try value(at: isTrue ? yes : no, in: &scope, base: base)
    case .sequence(let left, let right):
      _ = try value(at: left, in: &scope, base: base)
      return try value(at: right, in: &scope, base: base)
    case _: throw .failed("this is no choice")
    }
  }

  @inline(never)
  private func assignment(_ node: Node, in scope: inout DataScope, base: Int) throws(EvaluationError) -> DataValue {
    switch node {
    case .assign(let place, let right):
      let value = try value(at: right, in: &scope, base: base)
      try scope.budget.spend(bytes: value.size)
      try assign(value, at: place, in: &scope, base: base)
      return value
    case .compound(let operation, let place, let right):
      let old = try value(at: place, in: &scope, base: base)
      let new = try scope.apply(operation, old, try value(at: right, in: &scope, base: base))
      try assign(new, at: place, in: &scope, base: base)
      return new
    case .update(let place, let difference, let isPrefix):
      let old = try scope.number(of: try value(at: place, in: &scope, base: base))
      try assign(.number(old + difference), at: place, in: &scope, base: base)
      return .number(isPrefix ? old + difference : old)
    case _: throw .failed("this is no assignment")
    }
  }

  @inline(never)
  private func object(_ list: List, in scope: inout DataScope, base: Int) throws(EvaluationError) -> DataValue {
    var object = DataObject()
    let places = Array(lists[list.range])
    for pair in stride(from: 0, to: places.count, by: 2) {
      let key = try value(at: places[pair], in: &scope, base: base).text
      try scope.budget.spend(bytes: 48 + key.utf8.count)
      try object.set(try value(at: places[pair + 1], in: &scope, base: base), for: key)
    }
    return .object(object)
  }

  @inline(never)
  private func construct(
    _ callee: Place, _ list: List, in scope: inout DataScope, base: Int
  ) throws(EvaluationError) -> DataValue {
    guard case .function(let number) = try value(at: callee, in: &scope, base: base) else {
      throw .failed("only a function can be constructed with")
    }
    let arguments = try values(of: list, in: &scope, base: base)
    return try scope.call(number, with: arguments, this: .object(DataObject()), returnsThis: true)
  }

  private func values(of list: List, in scope: inout DataScope, base: Int) throws(EvaluationError) -> [DataValue] {
    try scope.budget.spend(bytes: Int(list.count) * 24)
    var all: [DataValue] = []
    all.reserveCapacity(Int(list.count))
    for place in list.range { all.append(try value(at: lists[place], in: &scope, base: base)) }
    return all
  }

  private func unary(
    _ operation: Unary, _ operand: Place, in scope: inout DataScope, base: Int
  ) throws(EvaluationError) -> DataValue {
    switch operation {
    case .typeOf:
      if case .variable(let slot) = nodes[Int(operand)], !scope.isDeclared(slot) {
        return .string("undefined")
      }
      return .string(try value(at: operand, in: &scope, base: base).typeName)
    case .delete:
      switch nodes[Int(operand)] {
      case .member(let object, let name):
        let name = string(name)
        try change(at: object, in: &scope, base: base) { (value, scope) throws(EvaluationError) in
          try scope.remove(.string(name), of: &value)
        }
      case .element(let object, let key):
        let key = try value(at: key, in: &scope, base: base)
        try change(at: object, in: &scope, base: base) { (value, scope) throws(EvaluationError) in
          try scope.remove(key, of: &value)
        }
      case _: throw .failed("only members can be deleted")
      }
      return .boolean(true)
    case .not: return .boolean(!(try value(at: operand, in: &scope, base: base).isTruthy))
    case .minus: return .number(-(try scope.number(of: try value(at: operand, in: &scope, base: base))))
    case .plus: return .number(try scope.number(of: try value(at: operand, in: &scope, base: base)))
    case .complement: return .number(Double(~(try scope.int32(of: try value(at: operand, in: &scope, base: base)))))
    case .void:
      _ = try value(at: operand, in: &scope, base: base)
      return .undefined
    }
  }

  private func isInstance(
    _ left: Place, of right: Place, in scope: inout DataScope, base: Int
  ) throws(EvaluationError) -> DataValue {
    let value = try value(at: left, in: &scope, base: base)
    guard case .builtIn(let type) = nodes[Int(right)] else { throw .failed("instanceof knows Array and Object only") }
    switch value {
    case .array: return .boolean(type == .array || type == .object)
    case .object, .function: return .boolean(type == .object)
    case .undefined, .null, .boolean, .number, .string: return .boolean(false)
    }
  }

  // MARK: Calls

  private func call(
    _ callee: Place, _ list: List, in scope: inout DataScope, base: Int
  ) throws(EvaluationError) -> DataValue {
    switch nodes[Int(callee)] {
    case .builtIn(let builtIn):
      return try scope.call(builtIn, try values(of: list, in: &scope, base: base))
    case .member(let object, let name):
      let name = string(name)
      if case .builtIn(let builtIn) = nodes[Int(object)] {
        return try scope.call(name, of: builtIn, try values(of: list, in: &scope, base: base))
      }
      if DataScope.changers.contains(name), isPlace(object) {
        let arguments = try values(of: list, in: &scope, base: base)
        // In place: while anybody else had the array, each change would copy it.
        return try change(at: object, in: &scope, base: base) { (value, scope) throws(EvaluationError) in
          try scope.change(&value, name, arguments)
        }
      }
      var receiver = try value(at: object, in: &scope, base: base)
      if case .object(let members) = receiver, case .function(let number)? = members[name] {
        let arguments = try values(of: list, in: &scope, base: base)
        return try scope.call(number, with: arguments, this: receiver)
      }
      let arguments = try values(of: list, in: &scope, base: base)
      if DataScope.changers.contains(name) { return try scope.change(&receiver, name, arguments) }
      return try scope.call(name, on: receiver, arguments)
    case _:
      let function = try value(at: callee, in: &scope, base: base)
      guard case .function(let number) = function else { throw .failed("\(function.text) is not a function") }
      return try scope.call(number, with: try values(of: list, in: &scope, base: base), this: .undefined)
    }
  }

  // MARK: Places

  private func assign(
    _ value: DataValue, at place: Place, in scope: inout DataScope, base: Int
  ) throws(EvaluationError) {
    switch nodes[Int(place)] {
    case .member(let object, let name):
      let key = string(name)
      try change(at: object, in: &scope, base: base) { (object, scope) throws(EvaluationError) in
        try scope.set(value, for: .string(key), of: &object)
      }
    case .element(let object, let key):
      let key = try self.value(at: key, in: &scope, base: base)
      try change(at: object, in: &scope, base: base) { (object, scope) throws(EvaluationError) in
        try scope.set(value, for: key, of: &object)
      }
    case _:
      try change(at: place, in: &scope, base: base) { (old, _) throws(EvaluationError) in old = value }
    }
  }

  /// Changes the value of a place. Meanwhile the place is `undefined`, so that nothing is copied.
  private func change<Result>(
    at place: Place, in scope: inout DataScope, base: Int,
    _ body: (inout DataValue, inout DataScope) throws(EvaluationError) -> Result
  ) throws(EvaluationError) -> Result {
    try scope.budget.spend(steps: 1)
    scope.depth += 1
    defer { scope.depth -= 1 }
    guard scope.depth <= DataScope.deepest else { throw .limit(.depth) }
    switch nodes[Int(place)] {
    case .variable(let slot):
      guard slot < scope.variables.count, var value = scope.variables[slot] else {
        throw .failed("\(scope.symbols.names[slot]) is not defined")
      }
      scope.noteChange(of: slot)
      scope.variables[slot] = .some(.undefined)
      defer { scope.variables[slot] = value }
      return try body(&value, &scope)
    case .local(let number):
      var value = scope.locals[base + number]
      scope.locals[base + number] = .undefined
      defer { scope.locals[base + number] = value }
      return try body(&value, &scope)
    case .member(let object, let name):
      let key = string(name)
      return try change(at: object, in: &scope, base: base) { (object, scope) throws(EvaluationError) in
        try scope.change(&object, at: .string(key), body)
      }
    case .element(let object, let key):
      let key = try value(at: key, in: &scope, base: base)
      return try change(at: object, in: &scope, base: base) { (object, scope) throws(EvaluationError) in
        try scope.change(&object, at: key, body)
      }
    case .system: throw .failed("a system variable cannot be changed")
    case _: throw .failed("this cannot be assigned to")
    }
  }

  // MARK: Statements

  fileprivate func run(at place: Place, in scope: inout DataScope, base: Int) throws(EvaluationError) -> Flow {
    try scope.budget.spend(steps: 1)
    scope.depth += 1
    defer { scope.depth -= 1 }
    guard scope.depth <= DataScope.deepest else { throw .limit(.depth) }
    switch nodes[Int(place)] {
    case .block(let list):
      for place in list.range {
        switch try run(at: lists[place], in: &scope, base: base) {
        case .next: continue
        case .breakLoop: return .breakLoop
        case .continueLoop: return .continueLoop
        case .leave(let value): return .leave(value)
        }
      }
      return .next
    case .declare(let slot, let initial):
      var first: DataValue?
      if let initial { first = try value(at: initial, in: &scope, base: base) }
      scope.declare(slot, first)
      return .next
    case .declareLocal(let number, let initial):
      if let initial { scope.locals[base + number] = try value(at: initial, in: &scope, base: base) }
      return .next
    case .ifElse(let condition, let yes, let no):
      if try value(at: condition, in: &scope, base: base).isTruthy { return try run(at: yes, in: &scope, base: base) }
      if let no { return try run(at: no, in: &scope, base: base) }
      return .next
    case .loop(let condition, let step, let body, let testsFirst):
      var tests = testsFirst
      while true {
        try scope.budget.spend(steps: 1)
        if tests, let condition, !(try value(at: condition, in: &scope, base: base).isTruthy) { return .next }
        tests = true
        switch try run(at: body, in: &scope, base: base) {
        case .next, .continueLoop: break
        case .breakLoop: return .next
        case .leave(let value): return .leave(value)
        }
        if let step { _ = try value(at: step, in: &scope, base: base) }
      }
    case .leave(let result):
      guard let result else { return .leave(.undefined) }
      return .leave(try value(at: result, in: &scope, base: base))
    case .breakLoop: return .breakLoop
    case .continueLoop: return .continueLoop
    case .nothing: return .next
    case _:
      _ = try value(at: place, in: &scope, base: base)
      return .next
    }
  }
}

extension DataScope {
  /// Declares a variable. One that is declared already keeps its value unless it gets another.
  public mutating func declare(_ slot: Int, _ value: DataValue?) {
    while variables.count <= slot { variables.append(nil) }
    noteChange(of: slot)
    if let value { variables[slot] = value } else if variables[slot] == nil { variables[slot] = .some(.undefined) }
  }

  fileprivate func value(of system: Code.System) -> DataValue {
    switch system {
    case .event: event
    case .sessionID: .string(sessionID)
    case .name: .string(name)
    case .ioProcessors: ioProcessors
    case .x: .object(DataObject())
    }
  }

  /// `_ioprocessors`: the one processor there is, under its name and its short one.
  private var ioProcessors: DataValue {
    var processor = DataObject()
    var all = DataObject()
    guard (try? processor.set(.string(address), for: "location")) != nil,
      (try? all.set(.object(processor), for: ChartEvent.processor)) != nil,
      (try? all.set(.object(processor), for: "scxml")) != nil
    else { return .undefined }
    return .object(all)
  }

  /// Calls a function.
  mutating func call(
    _ number: Int, with arguments: [DataValue], this: DataValue, returnsThis: Bool = false
  ) throws(EvaluationError) -> DataValue {
    guard number < symbols.functions.count else { throw .failed("the function is gone") }
    guard calls < 50 else { throw .limit(.depth) }
    let function = symbols.functions[number]
    // A parameter that is changed is copied.
    for argument in arguments { try budget.spend(bytes: argument.size) }
    calls += 1
    let base = locals.count
    locals.append(this)
    for place in 0..<function.parameters { locals.append(place < arguments.count ? arguments[place] : .undefined) }
    while locals.count < base + function.locals { locals.append(.undefined) }
    defer {
      locals.removeSubrange(base...)
      calls -= 1
    }
    let flow = try function.code.run(at: function.code.root, in: &self, base: base)
    if returnsThis { return locals[base] }
    if case .leave(let value) = flow { return value }
    return .undefined
  }
}
