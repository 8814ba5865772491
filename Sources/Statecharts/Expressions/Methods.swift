/// The methods of arrays, strings and numbers, with the semantics of ECMAScript; but a method that changes its array
/// changes this value, and not others that were assigned from it.
extension DataScope {
  mutating func call(
    _ name: String, on receiver: DataValue, _ arguments: [DataValue]
  ) throws(EvaluationError) -> DataValue {
    let first = arguments.first ?? .undefined
    // Whatever the method does, it may read all of its receiver, and look for the argument everywhere in it.
    let (work, overflow) = (receiver.size >> 6).multipliedReportingOverflow(by: 1 + first.size >> 4)
    try budget.spend(steps: overflow ? .max : work)
    // What is no element of an array becomes a text, a number or a place.
    if case .array = receiver {} else { for argument in arguments { try chargeReading(argument) } }
    switch (receiver, name) {
    case (.number(let number), "toString"): return .string(try Self.text(of: number, radix: first))
    case (.number(let number), "toFixed"):
      try budget.spend(steps: 500)
      return .string(try Self.text(of: number, decimals: first))
    case (.undefined, _), (.null, _): throw .failed("\(receiver.text) has no member \(name)")
    case (_, "toString"): return .string(try text(of: receiver))
    case (.object(let object), "hasOwnProperty"): return .boolean(object.place(of: first.text) != nil)
    case (.array(let array), _): return try call(name, on: array, first, arguments)
    case (.string(let string), _): return try call(name, on: string, first, arguments)
    case (.object, _), (.boolean, _), (.number, _), (.function, _): throw .failed("\(name) is not a function")
    }
  }

  // MARK: Arrays

  private mutating func call(
    _ name: String, on array: DataArray, _ first: DataValue, _ arguments: [DataValue]
  ) throws(EvaluationError) -> DataValue {
    let second = arguments.count > 1 ? arguments[1] : .undefined
    switch name {
    case "concat":
      var elements = array.elements
      for argument in arguments {
        if case .array(let more) = argument { elements += more.elements } else { elements.append(argument) }
        try budget.spend(bytes: elements.count * 24)
      }
      return .array(try DataArray(elements))
    case "join":
      let separator = first == .undefined ? "," : try text(of: first)
      try budget.spend(bytes: array.size + separator.utf8.count * array.count)
      return .string(array.elements.map { $0.isNothing ? "" : $0.text }.joined(separator: separator))
    case "indexOf":
      try chargeReading(second)
      let start = Self.place(second, of: array.count)
      return .number(Double(array.elements[start...].firstIndex { DataValue.same($0, first) } ?? -1))
    case "lastIndexOf": return .number(Double(array.elements.lastIndex { DataValue.same($0, first) } ?? -1))
    // It finds NaN, which equals nothing.
    case "includes":
      try chargeReading(second)
      let rest = array.elements[Self.place(second, of: array.count)...]
      return .boolean(rest.contains { DataValue.same($0, first) || $0.isNaN && first.isNaN })
    case "at":
      try chargeReading(first)
      return Self.element(first, of: array.elements)
    case "slice":
      try chargeReading(first)
      try chargeReading(second)
      try budget.spend(bytes: array.count * 24)
      return .array(try DataArray(Array(array.elements[Self.range(first, second, of: array.count)])))
    case "map", "forEach", "filter", "find", "findIndex", "some", "every", "reduce":
      return try visit(array, name, first, arguments.count > 1 ? second : nil)
    case _: throw .failed("\(name) is not a function")
    }
  }

  /// The methods that call a function for the elements.
  private mutating func visit(
    _ array: DataArray, _ name: String, _ function: DataValue, _ initial: DataValue?
  ) throws(EvaluationError) -> DataValue {
    guard case .function(let number) = function else { throw .failed("\(name) asks for a function") }
    if name == "reduce" {
      guard var result = initial ?? array.elements.first else { throw .failed("there is nothing to reduce") }
      for place in array.elements.indices.dropFirst(initial == nil ? 1 : 0) {
        result = try call(number, [result, array.elements[place], .number(Double(place)), .array(array)])
      }
      return result
    }
    var kept: [DataValue] = []
    for (place, element) in array.elements.enumerated() {
      let result = try call(number, [element, .number(Double(place)), .array(array)])
      switch name {
      case "map":
        try budget.spend(bytes: result.size)
        kept.append(result)
      case "filter" where result.isTruthy:
        try budget.spend(bytes: element.size)
        kept.append(element)
      case "find" where result.isTruthy: return element
      case "findIndex" where result.isTruthy: return .number(Double(place))
      case "some" where result.isTruthy: return .boolean(true)
      case "every" where !result.isTruthy: return .boolean(false)
      case _: break
      }
    }
    switch name {
    case "map", "filter": return .array(try DataArray(kept))
    case "findIndex": return .number(-1)
    case "some", "every": return .boolean(name == "every")
    case _: return .undefined
    }
  }

  /// Calls a function with those arguments that it has parameters for: each costs a copy.
  private mutating func call(_ number: Int, _ arguments: [DataValue]) throws(EvaluationError) -> DataValue {
    let wanted = number < symbols.functions.count ? symbols.functions[number].parameters : 0
    return try call(number, with: Array(arguments.prefix(wanted)), this: .undefined)
  }

  /// Methods that change their array.
  static let changers: Set<String> = ["push", "pop", "shift", "unshift", "reverse", "sort", "splice", "fill"]

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
    for argument in arguments { try budget.spend(bytes: argument.size) }
    let first = arguments.first ?? .undefined
    var elements = array.elements
    var result: DataValue?
    switch name {
    case "pop": result = elements.popLast() ?? .undefined
    case "shift": result = elements.isEmpty ? .undefined : elements.removeFirst()
    case "unshift":
      elements.insert(contentsOf: arguments, at: 0)
      result = .number(Double(elements.count))
    case "splice":
      for argument in arguments.prefix(2) { try chargeReading(argument) }
      let start = Self.place(first, of: elements.count)
      let most = elements.count - start
      let count =
        arguments.isEmpty ? 0 : arguments.count == 1 ? most : min(most, max(0, arguments[1].asPlace(default: 0)))
      result = .array(try DataArray(Array(elements[start..<start + count])))
      elements.replaceSubrange(start..<start + count, with: arguments.dropFirst(2))
    case "fill":
      for argument in arguments.dropFirst().prefix(2) { try chargeReading(argument) }
      let range = Self.range(
        arguments.count > 1 ? arguments[1] : .undefined, arguments.count > 2 ? arguments[2] : .undefined,
        of: elements.count)
      try budget.spend(bytes: range.count * first.size)
      for place in range { elements[place] = first }
    case "sort": elements = try sorted(elements, by: first)
    case _: elements.reverse()
    }
    array = try DataArray(elements)
    return result ?? .array(array)
  }

  /// Sorts stably, by a function or by the texts of the elements. Whatever the function answers, this ends.
  private mutating func sorted(_ elements: [DataValue], by function: DataValue) throws(EvaluationError) -> [DataValue] {
    var number: Int?
    switch function {
    case .undefined: break
    case .function(let given): number = given
    case .null, .boolean, .number, .string, .array, .object: throw .failed("sort asks for a function")
    }
    // What is undefined comes last, and is not asked for.
    var sorted = elements.filter { $0 != .undefined }
    let rest = elements.count - sorted.count
    var merged = sorted
    var width = 1
    while width < sorted.count {
      var start = 0
      while start < sorted.count {
        let (middle, end) = (min(start + width, sorted.count), min(start + 2 * width, sorted.count))
        var (left, right) = (start, middle)
        for place in start..<end {
          var takesRight = right < end
          if takesRight, left < middle { takesRight = try isBefore(sorted[right], sorted[left], number) }
          merged[place] = sorted[takesRight ? right : left]
          if takesRight { right += 1 } else { left += 1 }
        }
        start = end
      }
      swap(&sorted, &merged)
      width *= 2
    }
    return sorted + Array(repeating: .undefined, count: rest)
  }

  private mutating func isBefore(
    _ left: DataValue, _ right: DataValue, _ function: Int?
  ) throws(EvaluationError) -> Bool {
    if let function { return try number(of: try call(function, [left, right])) < 0 }
    try budget.spend(steps: 1 + (left.size + right.size) >> 6)
    return DataValue.compare(.string(try text(of: left)), .string(try text(of: right)), <)
  }

  // MARK: Strings

  private mutating func call(
    _ name: String, on string: String, _ first: DataValue, _ arguments: [DataValue]
  ) throws(EvaluationError) -> DataValue {
    let second = arguments.count > 1 ? arguments[1] : .undefined
    try budget.spend(bytes: 3 * string.utf8.count)
    let units = Array(string.utf16)
    switch name {
    case "slice": return Self.text(units[Self.range(first, second, of: units.count)])
    case "substring":
      let start = Self.limited(first.asPlace(default: 0), units.count)
      let end = Self.limited(second.asPlace(default: units.count), units.count)
      return Self.text(units[min(start, end)..<max(start, end)])
    case "substr":
      let start = Self.place(first, of: units.count)
      let length = Self.limited(second.asPlace(default: units.count), units.count - start)
      return Self.text(units[start..<start + length])
    case "at": return Self.element(first, of: units).map { Self.text([$0]) } ?? .undefined
    case "charAt": return Self.unit(first, of: units).map { Self.text([$0]) } ?? .string("")
    case "charCodeAt": return .number(Self.unit(first, of: units).map(Double.init) ?? .nan)
    case "indexOf":
      return .number(
        Double(Self.place(of: first, in: units, from: Self.limited(second.asPlace(default: 0), units.count)) ?? -1))
    case "lastIndexOf": return .number(Double(Self.lastPlace(of: first, in: units) ?? -1))
    case "includes":
      return .boolean(
        Self.place(of: first, in: units, from: Self.limited(second.asPlace(default: 0), units.count)) != nil)
    case "startsWith": return .boolean(units.starts(with: first.text.utf16))
    case "endsWith": return .boolean(units.reversed().starts(with: first.text.utf16.reversed()))
    case "split": return try split(units, first, most: second == .undefined ? .max : UInt32(bitPattern: second.asInt32))
    case "replace", "replaceAll": return try replaced(units, first, second, all: name == "replaceAll")
    case "repeat":
      let count = first.asPlace(default: 0)
      guard count >= 0, count < 1_000_000_000 else { throw .failed("a text cannot be repeated \(first.text) times") }
      try budget.spend(steps: count)
      try budget.spend(bytes: count * string.utf8.count)
      return .string(String(repeating: string, count: count))
    case "padStart", "padEnd": return try padded(units, first, second, atStart: name == "padStart")
    case "concat":
      var result = string
      for argument in arguments {
        let more = try text(of: argument)
        try budget.spend(bytes: result.utf8.count + more.utf8.count)
        result += more
      }
      return .string(result)
    case "trim": return Self.text(Self.trimmed(units, start: true, end: true))
    case "trimStart": return Self.text(Self.trimmed(units, start: true, end: false))
    case "trimEnd": return Self.text(Self.trimmed(units, start: false, end: true))
    case "toUpperCase": return .string(string.uppercased())
    case "toLowerCase": return .string(string.lowercased())
    case _: throw .failed("\(name) is not a function")
    }
  }

  private mutating func split(
    _ units: [UInt16], _ separator: DataValue, most: UInt32
  ) throws(EvaluationError) -> DataValue {
    try budget.spend(bytes: units.count * 40)
    func array(_ parts: [DataValue]) throws(EvaluationError) -> DataValue {
      .array(try DataArray(Array(parts.prefix(Int(most)))))
    }
    if separator == .undefined { return try array([Self.text(units[...])]) }
    if separator.text.isEmpty { return try array(units.map { Self.text([$0]) }) }
    let width = separator.text.utf16.count
    var parts: [DataValue] = []
    var start = 0
    while let place = Self.place(of: separator, in: units, from: start) {
      parts.append(Self.text(units[start..<place]))
      start = place + width
    }
    return try array(parts + [Self.text(units[start...])])
  }

  /// Texts are replaced as they are; there are no patterns.
  private mutating func replaced(
    _ units: [UInt16], _ wanted: DataValue, _ replacement: DataValue, all: Bool
  ) throws(EvaluationError) -> DataValue {
    let width = wanted.text.utf16.count
    var result: [UInt16] = []
    var start = 0
    while let place = Self.place(of: wanted, in: units, from: start) {
      let new: DataValue
      if case .function(let number) = replacement { new = try call(number, [wanted]) } else { new = replacement }
      let text = try text(of: new)
      try budget.spend(bytes: 2 * text.utf8.count)
      result += units[start..<place] + text.utf16
      start = place + width
      if width == 0, place < units.count {
        result.append(units[place])
        start += 1
      }
      if !all || width == 0 && place == units.count { break }
    }
    return Self.text((result + units[min(start, units.count)...])[...])
  }

  private mutating func padded(
    _ units: [UInt16], _ length: DataValue, _ filler: DataValue, atStart: Bool
  ) throws(EvaluationError) -> DataValue {
    let filling = Array((filler == .undefined ? " " : filler.text).utf16)
    let missing = length.asPlace(default: 0) - units.count
    guard missing > 0, !filling.isEmpty else { return Self.text(units[...]) }
    try budget.spend(bytes: 3 * missing)
    let padding = (0..<missing).map { filling[$0 % filling.count] }
    return Self.text((atStart ? padding + units : units + padding)[...])
  }

  private static func trimmed(_ units: [UInt16], start: Bool, end: Bool) -> ArraySlice<UInt16> {
    func isBlank(_ unit: UInt16) -> Bool {
      Unicode.Scalar(unit)?.properties.isWhitespace == true || unit == 0xFEFF
    }
    var rest = units[...]
    if start { rest = rest.drop(while: isBlank) }
    if end { while let last = rest.last, isBlank(last) { rest.removeLast() } }
    return rest
  }

  /// A text of UTF-16; half of a surrogate pair becomes U+FFFD.
  private static func text(_ units: ArraySlice<UInt16>) -> DataValue {
    .string(String(decoding: units, as: UTF16.self))
  }

  private static func place(of wanted: DataValue, in units: [UInt16], from start: Int) -> Int? {
    let wanted = Array(wanted.text.utf16)
    guard start + wanted.count <= units.count else { return nil }
    return (start...units.count - wanted.count).first { units[$0...].starts(with: wanted) }
  }

  private static func lastPlace(of wanted: DataValue, in units: [UInt16]) -> Int? {
    let wanted = Array(wanted.text.utf16)
    guard wanted.count <= units.count else { return nil }
    return (0...units.count - wanted.count).last { units[$0...].starts(with: wanted) }
  }

  private static func unit(_ place: DataValue, of units: [UInt16]) -> UInt16? {
    let place = place.asPlace(default: 0)
    return units.indices.contains(place) ? units[place] : nil
  }

  // MARK: Numbers

  private static func text(of number: Double, radix: DataValue) throws(EvaluationError) -> String {
    let radix = radix.asPlace(default: 10)
    guard radix != 10, number.isFinite else { return DataValue.text(of: number) }
    guard (2...36).contains(radix), let whole = Int(exactly: number) else {
      throw .failed("a number is written with a radix of 2 to 36 if it is whole")
    }
    return String(whole, radix: radix)
  }

  private static func text(of number: Double, decimals: DataValue) throws(EvaluationError) -> String {
    let decimals = decimals.asPlace(default: 0)
    guard (0...100).contains(decimals) else { throw .failed("toFixed takes 0 to 100 decimals") }
    return DataValue.text(of: number, decimals: decimals)
  }

  // MARK: Places

  private static func limited(_ place: Int, _ count: Int) -> Int { max(0, min(count, place)) }

  /// A place within a list; a negative one counts from the end.
  private static func place(_ value: DataValue, of count: Int) -> Int {
    let place = value.asPlace(default: 0)
    return min(count, place < 0 ? max(0, count + place) : place)
  }

  private static func range(_ from: DataValue, _ to: DataValue, of count: Int) -> Range<Int> {
    let start = place(from, of: count)
    return start..<max(start, to == .undefined ? count : place(to, of: count))
  }

  private static func element<Element>(_ place: DataValue, of list: [Element]) -> Element? {
    let place = place.asPlace(default: 0)
    let wanted = place < 0 ? list.count + place : place
    return list.indices.contains(wanted) ? list[wanted] : nil
  }

  private static func element(_ place: DataValue, of list: [DataValue]) -> DataValue {
    (element(place, of: list) as DataValue?) ?? .undefined
  }
}
