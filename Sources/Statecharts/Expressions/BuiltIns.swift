import StateMachines

/// Members, operators and methods of values.
extension DataScope {
  // MARK: Operators

  mutating func apply(
    _ operation: Code.Binary, _ left: DataValue, _ right: DataValue
  ) throws(EvaluationError) -> DataValue {
    switch operation {
    case .equal, .unequal, .same, .different, .less, .lessOrEqual, .greater, .greaterOrEqual:
      try budget.spend(steps: min(left.size, right.size) >> 6)
    case .add, .subtract, .multiply, .divide, .remainder, .power, .bitAnd, .bitOr, .bitXor, .shiftLeft, .shiftRight,
      .shiftRightUnsigned, .isIn, .isInstance:
      break
    }
    switch operation {
    case .add:
      if case .number(let left) = left, case .number(let right) = right { return .number(left + right) }
      if left.isText || right.isText { return .string(try joined(try text(of: left), try text(of: right))) }
      return .number(left.asNumber + right.asNumber)
    case .subtract: return .number(left.asNumber - right.asNumber)
    case .multiply: return .number(left.asNumber * right.asNumber)
    case .divide: return .number(left.asNumber / right.asNumber)
    case .remainder: return .number(left.asNumber.truncatingRemainder(dividingBy: right.asNumber))
    case .power: return .number(Self.power(left.asNumber, right.asNumber))
    case .equal: return .boolean(DataValue.equal(left, right))
    case .unequal: return .boolean(!DataValue.equal(left, right))
    case .same: return .boolean(DataValue.same(left, right))
    case .different: return .boolean(!DataValue.same(left, right))
    case .less: return .boolean(DataValue.compare(left, right, <))
    case .lessOrEqual: return .boolean(DataValue.compare(left, right, <=))
    case .greater: return .boolean(DataValue.compare(left, right, >))
    case .greaterOrEqual: return .boolean(DataValue.compare(left, right, >=))
    case .bitAnd: return .number(Double(left.asInt32 & right.asInt32))
    case .bitOr: return .number(Double(left.asInt32 | right.asInt32))
    case .bitXor: return .number(Double(left.asInt32 ^ right.asInt32))
    case .shiftLeft: return .number(Double(left.asInt32 &<< (right.asInt32 & 31)))
    case .shiftRight: return .number(Double(left.asInt32 &>> (right.asInt32 & 31)))
    case .shiftRightUnsigned:
      return .number(Double(UInt32(bitPattern: left.asInt32) &>> UInt32(right.asInt32 & 31)))
    case .isIn:
      switch right {
      case .object(let object): return .boolean(object.place(of: left.text) != nil)
      case .array(let array): return .boolean(place(left, in: array) != nil)
      case .undefined, .null, .boolean, .number, .string, .function: throw .failed("in asks for an object")
      }
    case .isInstance: return .boolean(false)
    }
  }

  private static func power(_ base: Double, _ exponent: Double) -> Double {
    guard exponent == exponent.rounded(), exponent.magnitude <= 1024 else {
      return exponent == 0.5 ? base.squareRoot() : .nan
    }
    var result = 1.0
    var factor = base
    var left = UInt(exponent.magnitude)
    while left > 0 {
      if left & 1 == 1 { result *= factor }
      factor *= factor
      left >>= 1
    }
    return exponent < 0 ? 1 / result : result
  }

  private mutating func joined(_ left: String, _ right: String) throws(EvaluationError) -> String {
    try budget.spend(bytes: left.utf8.count + right.utf8.count)
    return left + right
  }

  mutating func text(of value: DataValue) throws(EvaluationError) -> String {
    if case .string(let text) = value { return text }
    try budget.spend(bytes: value.size)
    return value.text
  }

  // MARK: Members

  private func place(_ key: DataValue, in array: DataArray) -> Int? {
    let number = key.asNumber
    guard number >= 0, number < Double(array.count), number == number.rounded() else { return nil }
    return Int(number)
  }

  func member(_ name: String, of value: DataValue) throws(EvaluationError) -> DataValue {
    switch value {
    case .object(let object): return object[name] ?? .undefined
    case .array(let array): return name == "length" ? .number(Double(array.count)) : .undefined
    case .string(let string): return name == "length" ? .number(Double(string.utf16.count)) : .undefined
    case .boolean, .number, .function: return .undefined
    case .undefined, .null: throw .failed("\(value.text) has no member \(name)")
    }
  }

  func element(_ key: DataValue, of value: DataValue) throws(EvaluationError) -> DataValue {
    switch value {
    case .array(let array):
      if let place = place(key, in: array) { return array.elements[place] }
      return try member(key.text, of: value)
    case .string(let string):
      let units = string.utf16
      let number = key.asNumber
      guard number >= 0, number < Double(units.count), number == number.rounded() else {
        return try member(key.text, of: value)
      }
      return .string(String(decoding: units.dropFirst(Int(number)).prefix(1), as: UTF16.self))
    case .object, .boolean, .number, .function, .undefined, .null: return try member(key.text, of: value)
    }
  }

  /// Sets a member of an object or an element of an array.
  mutating func set(_ value: DataValue, for key: DataValue, of target: inout DataValue) throws(EvaluationError) {
    switch target {
    case .object(var object):
      target = .undefined
      defer { target = .object(object) }
      let name = key.text
      try budget.spend(bytes: 48 + name.utf8.count)
      try object.set(value, for: name)
    case .array(var array):
      target = .undefined
      defer { target = .array(array) }
      let number = key.asNumber
      guard number >= 0, number == number.rounded(), number < 4_294_967_295 else {
        if key.text == "length", let count = Int(exactly: value.asNumber), count >= 0 {
          try budget.spend(bytes: max(0, count - array.count) * 24)
          return array.resize(to: count)
        }
        throw .failed("\(key.text) is no index of an array")
      }
      try budget.spend(bytes: max(1, Int(number) + 1 - array.count) * 24)
      try array.set(value, at: Int(number))
    case .undefined, .null, .boolean, .number, .string, .function:
      throw .failed("\(target.text) has no members to set")
    }
  }

  /// Changes a member of an object or an element of an array in place.
  mutating func change<Result>(
    _ target: inout DataValue, at key: DataValue,
    _ body: (inout DataValue, inout DataScope) throws(EvaluationError) -> Result
  ) throws(EvaluationError) -> Result {
    switch target {
    case .object(var object):
      guard let place = object.place(of: key.text) else { throw .failed("there is no member \(key.text)") }
      target = .undefined
      defer { target = .object(object) }
      return try object.change(at: place) { (value) throws(EvaluationError) in try body(&value, &self) }
    case .array(var array):
      guard let place = place(key, in: array) else { throw .failed("there is no element \(key.text)") }
      target = .undefined
      defer { target = .array(array) }
      return try array.change(at: place) { (value) throws(EvaluationError) in try body(&value, &self) }
    case .undefined, .null, .boolean, .number, .string, .function:
      throw .failed("\(target.text) has no members to change")
    }
  }

  // MARK: Functions

  mutating func call(_ builtIn: BuiltIn, _ arguments: [DataValue]) throws(EvaluationError) -> DataValue {
    let first = arguments.first ?? .undefined
    switch builtIn {
    case .isActive: return .boolean(states[first.text].map(configuration.contains) ?? false)
    case .string: return .string(arguments.isEmpty ? "" : try text(of: first))
    case .number: return .number(arguments.isEmpty ? 0 : first.asNumber)
    case .boolean: return .boolean(first.isTruthy)
    case .isNaN: return .boolean(first.asNumber.isNaN)
    case .isFinite: return .boolean(first.asNumber.isFinite)
    case .parseFloat: return .number(first.asNumber)
    case .parseInt: return .number(first.asNumber.rounded(.towardZero))
    case .array: return .array(try DataArray(arguments))
    case .object: return .object(DataObject())
    case .math, .json: throw .failed("\(builtIn.rawValue) is not a function")
    }
  }

  func constant(_ name: String, of builtIn: BuiltIn) throws(EvaluationError) -> DataValue {
    switch (builtIn, name) {
    case (.math, "PI"): return .number(.pi)
    case (.math, "E"): return .number(2.718281828459045)
    case _: return .undefined
    }
  }

  mutating func call(
    _ name: String, of builtIn: BuiltIn, _ arguments: [DataValue]
  ) throws(EvaluationError) -> DataValue {
    let numbers = arguments.map(\.asNumber)
    let first = numbers.first ?? .nan
    switch (builtIn, name) {
    case (.math, "random"): return .number(Double(generator.next() >> 11) * 0x1p-53)
    case (.math, "floor"): return .number(first.rounded(.down))
    case (.math, "ceil"): return .number(first.rounded(.up))
    case (.math, "round"): return .number((first + 0.5).rounded(.down))
    case (.math, "trunc"): return .number(first.rounded(.towardZero))
    case (.math, "abs"): return .number(first.magnitude)
    case (.math, "sqrt"): return .number(first.squareRoot())
    case (.math, "pow"): return .number(Self.power(first, numbers.count > 1 ? numbers[1] : .nan))
    case (.math, "max"): return .number(numbers.contains { $0.isNaN } ? .nan : numbers.max() ?? -.infinity)
    case (.math, "min"): return .number(numbers.contains { $0.isNaN } ? .nan : numbers.min() ?? .infinity)
    case (.json, "stringify"):
      guard let value = arguments.first else { return .undefined }
      try budget.spend(bytes: value.size * 2)
      return .string(JSON.text(of: value))
    case (.json, "parse"):
      let text = try text(of: arguments.first ?? .undefined)
      try budget.spend(bytes: text.utf8.count * 48)
      guard let value = JSON.value(of: text) else { throw .failed("this is no JSON") }
      return value
    case (.object, "keys"), (.object, "values"):
      let elements: [DataValue]
      switch arguments.first {
      case .object(let object)?: elements = name == "keys" ? object.keys.map { .string($0) } : object.values
      case .array(let array)?:
        elements = name == "keys" ? array.elements.indices.map { .string(String($0)) } : array.elements
      case nil, .undefined?, .null?: throw .failed("Object.\(name) asks for an object")
      case .boolean?, .number?, .string?, .function?: elements = []
      }
      try budget.spend(bytes: 2 * (arguments.first?.size ?? 0))
      return .array(try DataArray(elements))
    case (.array, "isArray"):
      if case .array? = arguments.first { return .boolean(true) }
      return .boolean(false)
    case _: throw .failed("\(builtIn.rawValue).\(name) is not a function")
    }
  }

  /// Methods that change their array.
  static let changers: Set<String> = ["push", "pop", "shift", "unshift", "reverse"]

  mutating func change(
    _ target: inout DataValue, _ name: String, _ arguments: [DataValue]
  ) throws(EvaluationError) -> DataValue {
    guard case .array(var array) = target else { throw .failed("\(name) is not a function") }
    target = .undefined
    defer { target = .array(array) }
    if name == "push" {
      for argument in arguments {
        try budget.spend(bytes: argument.size)
        try array.append(argument)
      }
      return .number(Double(array.count))
    }
    try budget.spend(bytes: array.count * 24)
    var elements = array.elements
    var result = DataValue.undefined
    switch name {
    case "pop": result = elements.popLast() ?? .undefined
    case "shift": result = elements.isEmpty ? .undefined : elements.removeFirst()
    case "unshift":
      elements.insert(contentsOf: arguments, at: 0)
      result = .number(Double(elements.count))
    case _: elements.reverse()
    }
    array = try DataArray(elements)
    return name == "reverse" ? .array(array) : result
  }

  mutating func call(
    _ name: String, on receiver: DataValue, _ arguments: [DataValue]
  ) throws(EvaluationError) -> DataValue {
    let first = arguments.first ?? .undefined
    let second = arguments.count > 1 ? arguments[1] : .undefined
    // Whatever the method does, it may read all of its receiver, and look for the argument everywhere in it.
    let (work, overflow) = (receiver.size >> 6).multipliedReportingOverflow(by: 1 + first.size >> 4)
    try budget.spend(steps: overflow ? .max : work)
    switch (receiver, name) {
    case (_, "toString"): return .string(try text(of: receiver))
    case (.object(let object), "hasOwnProperty"): return .boolean(object.place(of: first.text) != nil)
    case (.array(let array), "concat"):
      var elements = array.elements
      for argument in arguments {
        if case .array(let more) = argument { elements += more.elements } else { elements.append(argument) }
        try budget.spend(bytes: elements.count * 24)
      }
      return .array(try DataArray(elements))
    case (.array(let array), "join"):
      let separator = first.isNothing ? "," : try text(of: first)
      try budget.spend(bytes: receiver.size + separator.utf8.count * array.count)
      return .string(array.elements.map { $0.isNothing ? "" : $0.text }.joined(separator: separator))
    case (.array(let array), "indexOf"):
      return .number(Double(array.elements.firstIndex { DataValue.same($0, first) } ?? -1))
    case (.array(let array), "includes"):
      return .boolean(array.elements.contains { DataValue.same($0, first) })
    case (.array(let array), "slice"):
      try budget.spend(bytes: array.count * 24)
      return .array(try DataArray(Array(array.elements[Self.range(first, second, of: array.count)])))
    case (.string(let string), "slice"), (.string(let string), "substring"):
      try budget.spend(bytes: string.utf8.count)
      let units = Array(string.utf16)
      return .string(String(decoding: units[Self.range(first, second, of: units.count)], as: UTF16.self))
    case (.string(let string), "indexOf"):
      let wanted = first.text
      guard let range = wanted.isEmpty ? string.startIndex..<string.startIndex : string.ranges(of: wanted).first else {
        return .number(-1)
      }
      return .number(Double(string.utf16.distance(from: string.startIndex, to: range.lowerBound)))
    case (.string(let string), "includes"):
      return .boolean(first.text.isEmpty || !string.ranges(of: first.text).isEmpty)
    case (.string(let string), "charAt"): return try element(.number(first.asNumber), of: .string(string))
    case (.string(let string), "split"):
      try budget.spend(bytes: string.utf8.count * 32)
      let parts = string.split(separator: first.text, omittingEmptySubsequences: false)
      return .array(try DataArray(parts.map { .string(String($0)) }))
    case (.string(let string), "toUpperCase"):
      try budget.spend(bytes: string.utf8.count * 3)
      return .string(string.uppercased())
    case (.string(let string), "toLowerCase"):
      try budget.spend(bytes: string.utf8.count * 3)
      return .string(string.lowercased())
    case _: throw .failed("\(name) is not a function")
    }
  }

  private static func range(_ from: DataValue, _ to: DataValue, of count: Int) -> Range<Int> {
    func place(_ value: Int) -> Int { min(count, value < 0 ? max(0, count + value) : value) }
    let start = place(from.asPlace(default: 0))
    return start..<max(start, place(to.asPlace(default: count)))
  }
}

extension DataValue {
  mutating func remove(_ member: String) {
    guard case .object(var object) = self else { return }
    self = .undefined
    object.remove(member)
    self = .object(object)
  }

  /// Whether `+` joins texts if this is an operand.
  fileprivate var isText: Bool {
    switch self {
    case .string, .array, .object, .function: true
    case .undefined, .null, .boolean, .number: false
    }
  }
}
