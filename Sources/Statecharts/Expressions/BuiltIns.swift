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
      // Arrays and objects are compared as texts.
      if left.isText || right.isText { try budget.spend(bytes: min(left.size, 1 << 20) + min(right.size, 1 << 20)) }
    case .add, .subtract, .multiply, .divide, .remainder, .power, .bitAnd, .bitOr, .bitXor, .shiftLeft, .shiftRight,
      .shiftRightUnsigned, .isIn, .isInstance:
      break
    }
    switch operation {
    case .add:
      if case .number(let left) = left, case .number(let right) = right { return .number(left + right) }
      if left.isText || right.isText { return .string(try joined(try text(of: left), try text(of: right))) }
      return .number(left.asNumber + right.asNumber)
    case .subtract: return .number(try number(of: left) - number(of: right))
    case .multiply: return .number(try number(of: left) * number(of: right))
    case .divide: return .number(try number(of: left) / number(of: right))
    case .remainder: return .number(try number(of: left).truncatingRemainder(dividingBy: number(of: right)))
    case .power: return .number(try Self.power(number(of: left), number(of: right)))
    case .equal: return .boolean(DataValue.equal(left, right))
    case .unequal: return .boolean(!DataValue.equal(left, right))
    case .same: return .boolean(DataValue.same(left, right))
    case .different: return .boolean(!DataValue.same(left, right))
    case .less: return .boolean(DataValue.compare(left, right, <))
    case .lessOrEqual: return .boolean(DataValue.compare(left, right, <=))
    case .greater: return .boolean(DataValue.compare(left, right, >))
    case .greaterOrEqual: return .boolean(DataValue.compare(left, right, >=))
    case .bitAnd: return .number(Double(try int32(of: left) & int32(of: right)))
    case .bitOr: return .number(Double(try int32(of: left) | int32(of: right)))
    case .bitXor: return .number(Double(try int32(of: left) ^ int32(of: right)))
    case .shiftLeft: return .number(Double(try int32(of: left) &<< (int32(of: right) & 31)))
    case .shiftRight: return .number(Double(try int32(of: left) &>> (int32(of: right) & 31)))
    case .shiftRightUnsigned:
      return .number(Double(UInt32(bitPattern: try int32(of: left)) &>> UInt32(try int32(of: right) & 31)))
    case .isIn:
      try chargeReading(left)
      switch right {
      case .object(let object): return .boolean(object.place(of: left.text) != nil)
      case .array(let array): return .boolean(place(left, in: array.count) != nil || left.text == "length")
      case .undefined, .null, .boolean, .number, .string, .function: throw .failed("in asks for an object")
      }
    case .isInstance: return .boolean(false)
    }
  }

  /// Powers with a whole exponent, and square roots: the standard library alone gives the same bits everywhere.
  static func power(_ base: Double, _ exponent: Double) throws(EvaluationError) -> Double {
    if exponent.isNaN || base.isNaN && exponent != 0 { return .nan }
    if exponent == 0.5 { return base.squareRoot() }
    guard exponent == exponent.rounded(), exponent.magnitude <= 1024 else {
      throw .failed("an exponent is a whole number from -1024 to 1024, or 0.5")
    }
    var result = 1.0
    var factor = base
    var left = Int(clamping: exponent.magnitude)
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

  // MARK: Conversions

  /// Charges for going through all of a text, or the text of an array: who converts one, or looks for it, does that.
  mutating func chargeReading(_ value: DataValue) throws(EvaluationError) {
    switch value {
    case .string(let text): try budget.spend(steps: text.utf8.count / Self.bytesInAStep)
    case .array(let array): try budget.spend(steps: array.size / Self.bytesInAStep)
    case .undefined, .null, .boolean, .number, .object, .function: break
    }
  }

  /// So many bytes of a text are converted in the time of a step.
  private static var bytesInAStep: Int { 16 }

  mutating func number(of value: DataValue) throws(EvaluationError) -> Double {
    if case .number(let number) = value { return number }
    try chargeReading(value)
    return value.asNumber
  }

  mutating func int32(of value: DataValue) throws(EvaluationError) -> Int32 {
    try chargeReading(value)
    return value.asInt32
  }

  // MARK: Members

  /// The greatest length of an array in ECMAScript. The budget ends long before it.
  private static var mostElements: Double { 4_294_967_295 }

  /// The index that a key is: a whole number, or a text as such numbers are written.
  private func index(_ key: DataValue) -> Double? {
    switch key {
    case .number(let number): return number >= 0 && number == number.rounded() ? number : nil
    case .string(let text):
      guard let first = text.utf8.first, (0x30...0x39).contains(first) else { return nil }
      let number = key.asNumber
      return number == number.rounded() && DataValue.text(of: number) == text ? number : nil
    case .array: return index(.string(key.text))
    case .undefined, .null, .boolean, .object, .function: return nil
    }
  }

  private func place(_ key: DataValue, in count: Int) -> Int? {
    guard let number = index(key), number < Double(count) else { return nil }
    return Int(clamping: number)
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

  mutating func element(_ key: DataValue, of value: DataValue) throws(EvaluationError) -> DataValue {
    try chargeReading(key)
    switch value {
    case .array(let array):
      if let place = place(key, in: array.count) { return array.elements[place] }
      return try member(key.text, of: value)
    case .string(let string):
      let units = string.utf16
      guard let place = place(key, in: units.count) else { return try member(key.text, of: value) }
      return .string(String(decoding: units.dropFirst(place).prefix(1), as: UTF16.self))
    case .object, .boolean, .number, .function, .undefined, .null: return try member(key.text, of: value)
    }
  }

  /// Sets a member of an object or an element of an array.
  mutating func set(_ value: DataValue, for key: DataValue, of target: inout DataValue) throws(EvaluationError) {
    try chargeReading(key)
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
      guard let number = index(key), number < Self.mostElements else {
        guard key.text == "length" else { throw .failed("\(key.text) is no index of an array") }
        let wanted = try number(of: value)
        guard let count = Int(exactly: wanted), count >= 0, wanted <= Self.mostElements else {
          throw .failed("\(DataValue.text(of: wanted)) is no length of an array")
        }
        try budget.spend(bytes: max(0, count - array.count) * 24)
        return array.resize(to: count)
      }
      let place = Int(clamping: number)
      try budget.spend(bytes: max(1, place + 1 - array.count) * 24)
      try array.set(value, at: place)
    case .undefined, .null, .boolean, .number, .string, .function:
      throw .failed("\(target.text) has no members to set")
    }
  }

  /// Changes a member of an object or an element of an array in place.
  mutating func change<Result>(
    _ target: inout DataValue, at key: DataValue,
    _ body: (inout DataValue, inout DataScope) throws(EvaluationError) -> Result
  ) throws(EvaluationError) -> Result {
    try chargeReading(key)
    switch target {
    case .object(var object):
      guard let place = object.place(of: key.text) else { throw .failed("there is no member \(key.text)") }
      target = .undefined
      defer { target = .object(object) }
      return try object.change(at: place) { (value) throws(EvaluationError) in try body(&value, &self) }
    case .array(var array):
      guard let place = place(key, in: array.count) else { throw .failed("there is no element \(key.text)") }
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
    case .isActive, .number, .isNaN, .isFinite, .parseFloat, .parseInt:
      for argument in arguments.prefix(2) { try chargeReading(argument) }
    case .string, .boolean, .array, .object, .math, .json: break
    }
    switch builtIn {
    case .isActive: return .boolean(states[first.text].map(configuration.contains) ?? false)
    case .string: return .string(arguments.isEmpty ? "" : try text(of: first))
    case .number: return .number(arguments.isEmpty ? 0 : first.asNumber)
    case .boolean: return .boolean(first.isTruthy)
    case .isNaN: return .boolean(first.asNumber.isNaN)
    case .isFinite: return .boolean(first.asNumber.isFinite)
    case .parseFloat: return .number(DataValue.leadingNumber(of: try text(of: first)))
    case .parseInt:
      let radix = arguments.count > 1 ? Int(arguments[1].asInt32) : 0
      return .number(DataValue.leadingInteger(of: try text(of: first), radix: radix))
    case .array: return .array(try DataArray(arguments))
    case .object: return .object(DataObject())
    case .math, .json: throw .failed("\(builtIn.rawValue) is not a function")
    }
  }

  func constant(_ name: String, of builtIn: BuiltIn) throws(EvaluationError) -> DataValue {
    switch (builtIn, name) {
    case (.math, "PI"): .number(.pi)
    case (.math, "E"): .number(2.718281828459045)
    case (.number, "MAX_SAFE_INTEGER"): .number(9_007_199_254_740_991)
    case (.number, "MIN_SAFE_INTEGER"): .number(-9_007_199_254_740_991)
    case (.number, "MAX_VALUE"): .number(.greatestFiniteMagnitude)
    case (.number, "MIN_VALUE"): .number(.leastNonzeroMagnitude)
    case (.number, "EPSILON"): .number(.ulpOfOne)
    case _: .undefined
    }
  }

  mutating func call(
    _ name: String, of builtIn: BuiltIn, _ arguments: [DataValue]
  ) throws(EvaluationError) -> DataValue {
    switch builtIn {
    case .math:
      for argument in arguments { try chargeReading(argument) }
      return .number(try number(ofMath: name, arguments.map(\.asNumber)))
    case .json: return try json(name, arguments)
    case .object: return try members(name, arguments)
    case .number: return try number(name, arguments)
    case .array where name == "isArray":
      if case .array? = arguments.first { return .boolean(true) }
      return .boolean(false)
    case .array where name == "of": return .array(try DataArray(arguments))
    case .string where name == "fromCharCode":
      try budget.spend(bytes: arguments.count * 3)
      for argument in arguments { try chargeReading(argument) }
      return .string(
        String(decoding: arguments.map { UInt16(truncatingIfNeeded: $0.asInt32) }, as: UTF16.self))
    case .array, .string, .boolean, .isActive, .isNaN, .isFinite, .parseInt, .parseFloat:
      throw .failed("\(builtIn.rawValue).\(name) is not a function")
    }
  }

  private mutating func number(ofMath name: String, _ numbers: [Double]) throws(EvaluationError) -> Double {
    let first = numbers.first ?? .nan
    switch name {
    case "random": return Double(generator.next() >> 11) * 0x1p-53
    case "floor": return first.rounded(.down)
    case "ceil": return first.rounded(.up)
    case "round":
      // Halves are rounded up, also those of negative numbers.
      let below = first.rounded(.down)
      return Double(signOf: first, magnitudeOf: first - below < 0.5 ? below : below + 1)
    case "trunc": return first.rounded(.towardZero)
    case "abs": return first.magnitude
    case "sign": return first == 0 || first.isNaN ? first : first < 0 ? -1 : 1
    case "sqrt": return first.squareRoot()
    case "pow": return try Self.power(first, numbers.count > 1 ? numbers[1] : .nan)
    case "max": return numbers.reduce(-.infinity) { $0.isNaN || Self.isLess($1, $0) ? $0 : $1 }
    case "min": return numbers.reduce(.infinity) { $0.isNaN || Self.isLess($0, $1) ? $0 : $1 }
    case _: throw .failed("Math.\(name) is not a function")
    }
  }

  /// -0 is less than 0 here.
  private static func isLess(_ left: Double, _ right: Double) -> Bool {
    left < right || left == right && left.sign == .minus
  }

  private mutating func json(_ name: String, _ arguments: [DataValue]) throws(EvaluationError) -> DataValue {
    switch name {
    case "stringify":
      switch arguments.first {
      case nil, .undefined?, .function?: return .undefined
      case let value?:
        try budget.spend(bytes: value.size * 2)
        return .string(JSON.text(of: value))
      }
    case "parse":
      let text = try text(of: arguments.first ?? .undefined)
      try budget.spend(bytes: text.utf8.count * 48)
      guard let value = JSON.value(of: text) else { throw .failed("this is no JSON") }
      return value
    case _: throw .failed("JSON.\(name) is not a function")
    }
  }

  private mutating func members(_ name: String, _ arguments: [DataValue]) throws(EvaluationError) -> DataValue {
    try budget.spend(bytes: 2 * arguments.reduce(0) { $0 + $1.size })
    if name == "assign", case .object(var object)? = arguments.first {
      for case .object(let more) in arguments.dropFirst() {
        for (key, value) in zip(more.keys, more.values) { try object.set(value, for: key) }
      }
      return .object(object)
    }
    let members: [(key: String, value: DataValue)]
    switch arguments.first {
    case .object(let object)?: members = Array(zip(object.keys, object.values).map { ($0, $1) })
    case .array(let array)?: members = array.elements.enumerated().map { (String($0), $1) }
    case nil, .undefined?, .null?: throw .failed("Object.\(name) asks for an object")
    case .boolean?, .number?, .string?, .function?: members = []
    }
    switch name {
    case "keys": return .array(try DataArray(members.map { .string($0.key) }))
    case "values": return .array(try DataArray(members.map(\.value)))
    case "entries":
      var entries = DataArray()
      for (key, value) in members {
        try budget.spend(bytes: 80 + key.utf8.count)
        try entries.append(.array(try DataArray([.string(key), value])))
      }
      return .array(entries)
    case _: throw .failed("Object.\(name) is not a function")
    }
  }

  private mutating func number(_ name: String, _ arguments: [DataValue]) throws(EvaluationError) -> DataValue {
    var number: Double?
    if case .number(let given)? = arguments.first { number = given }
    switch name {
    case "isInteger": return .boolean(number.map { $0.isFinite && $0 == $0.rounded() } ?? false)
    case "isFinite": return .boolean(number?.isFinite ?? false)
    case "isNaN": return .boolean(number?.isNaN ?? false)
    case "parseInt": return try call(.parseInt, arguments)
    case "parseFloat": return try call(.parseFloat, arguments)
    case _: throw .failed("Number.\(name) is not a function")
    }
  }
}

extension DataScope {
  /// Removes a member of an object. All members that come later move up.
  mutating func remove(_ key: DataValue, of target: inout DataValue) throws(EvaluationError) {
    try chargeReading(key)
    guard case .object(var object) = target else { return }
    try budget.spend(steps: object.count)
    target = .undefined
    object.remove(key.text)
    target = .object(object)
  }
}

extension DataValue {
  /// Whether `+` joins texts if this is an operand.
  fileprivate var isText: Bool {
    switch self {
    case .string, .array, .object, .function: true
    case .undefined, .null, .boolean, .number: false
    }
  }
}
