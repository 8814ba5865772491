/// A value of a statechart's data model.
///
/// Values have value semantics: assigning an array or object copies it, and two of them are equal when their contents
/// are. In ECMAScript they would be shared, and equal only when they are the same.
public enum DataValue: Sendable {
  case undefined
  case null
  case boolean(Bool)
  case number(Double)
  case string(String)
  case array(DataArray)
  case object(DataObject)
  /// A function, by its number in the ``SymbolTable`` of its definition.
  case function(Int)

  /// Arrays and objects can be nested this deeply. A value's end, its comparison and its hash recurse this far.
  public static var deepest: Int { 100 }

  /// 0 for a plain value; one more than the deepest element for an array or object.
  public var depth: Int {
    switch self {
    case .array(let array): array.depth
    case .object(let object): object.depth
    case .undefined, .null, .boolean, .number, .string, .function: 0
    }
  }

  /// The memory of the value in bytes, roughly: what is counted against a budget. Each copy counts.
  public var size: Int {
    switch self {
    case .undefined, .null, .boolean, .number, .function: 24
    case .string(let string): 24 + string.utf8.count
    case .array(let array): array.size
    case .object(let object): object.size
    }
  }
}

/// The elements of an array.
public struct DataArray: Hashable, Sendable {
  public private(set) var elements: [DataValue] = []
  /// The memory of the array in bytes, with that of its elements.
  public private(set) var size = 56
  /// One more than the depth of the deepest element that was ever in it.
  private var bound = 1

  public init() {}

  public var depth: Int { bound < DataValue.deepest ? bound : elements.reduce(0) { max($0, $1.depth) } + 1 }
  public var count: Int { elements.count }

  /// - Throws: ``EvaluationError`` if an element is nested too deeply.
  public init(_ elements: [DataValue]) throws(EvaluationError) {
    for element in elements { try note(element) }
    self.elements = elements
  }

  private mutating func note(_ element: DataValue) throws(EvaluationError) {
    let depth = element.depth
    guard depth < DataValue.deepest else { throw .limit(.depth) }
    bound = max(bound, depth + 1)
    size += element.size
  }

  public mutating func append(_ element: DataValue) throws(EvaluationError) {
    try note(element)
    elements.append(element)
  }

  /// Replaces an element. If the place is past the end, `undefined` fills up to it; the caller has charged for that.
  public mutating func set(_ element: DataValue, at place: Int) throws(EvaluationError) {
    try note(element)
    if elements.count <= place { resize(to: place + 1) }
    size -= elements[place].size
    elements[place] = element
  }

  /// Changes an element in place.
  mutating func change<Result>(
    at place: Int, _ body: (inout DataValue) throws(EvaluationError) -> Result
  ) throws(EvaluationError) -> Result {
    size -= elements[place].size
    let result = try body(&elements[place])
    try note(elements[place])
    return result
  }

  /// Removes elements from the end, or adds `undefined`.
  public mutating func resize(to count: Int) {
    while elements.count > count { size -= elements.removeLast().size }
    while elements.count < count {
      size += DataValue.undefined.size
      elements.append(.undefined)
    }
  }

  public static func == (left: Self, right: Self) -> Bool { left.elements == right.elements }
  public func hash(into hasher: inout Hasher) { hasher.combine(elements) }
}

/// The members of an object, in the order of their insertion.
public struct DataObject: Hashable, Sendable {
  public private(set) var keys: [String] = []
  public private(set) var values: [DataValue] = []
  /// The memory of the object in bytes, with that of its members.
  public private(set) var size = 88
  /// Where each key is; kept once there are many.
  private var places: [String: Int] = [:]
  private var bound = 1

  private static var few: Int { 8 }

  public init() {}

  /// A few members, each with a key of its own. One whose value is nested too deeply is left out.
  init(few keys: [String], _ values: [DataValue]) {
    precondition(keys.count <= Self.few, "there is no index of the keys")
    guard values.allSatisfy({ $0.depth < DataValue.deepest }) else {
      for (key, value) in zip(keys, values) where (try? set(value, for: key)) == nil {}
      return
    }
    (self.keys, self.values) = (keys, values)
    for (key, value) in zip(keys, values) {
      bound = max(bound, value.depth + 1)
      size += 24 + key.utf8.count + value.size
    }
  }

  public var depth: Int { bound < DataValue.deepest ? bound : values.reduce(0) { max($0, $1.depth) } + 1 }
  public var count: Int { keys.count }

  public func place(of key: String) -> Int? {
    keys.count > Self.few ? places[key] : keys.firstIndex(of: key)
  }

  /// The value of a member.
  public subscript(key: String) -> DataValue? { place(of: key).map { values[$0] } }

  private mutating func note(_ value: DataValue) throws(EvaluationError) {
    let depth = value.depth
    guard depth < DataValue.deepest else { throw .limit(.depth) }
    bound = max(bound, depth + 1)
    size += value.size
  }

  /// Adds a member at the end, or replaces its value.
  ///
  /// - Throws: ``EvaluationError`` if the value is nested too deeply.
  public mutating func set(_ value: DataValue, for key: String) throws(EvaluationError) {
    try note(value)
    if let place = place(of: key) {
      size -= values[place].size
      return values[place] = value
    }
    size += 24 + key.utf8.count
    keys.append(key)
    values.append(value)
    if keys.count > Self.few {
      if places.isEmpty { return index() }
      places[key] = keys.count - 1
    }
  }

  mutating func change<Result>(
    at place: Int, _ body: (inout DataValue) throws(EvaluationError) -> Result
  ) throws(EvaluationError) -> Result {
    size -= values[place].size
    let result = try body(&values[place])
    try note(values[place])
    return result
  }

  public mutating func remove(_ key: String) {
    guard let place = place(of: key) else { return }
    size -= 24 + key.utf8.count + values[place].size
    keys.remove(at: place)
    values.remove(at: place)
    index()
  }

  private mutating func index() {
    places = [:]
    if keys.count > Self.few { for (place, key) in keys.enumerated() { places[key] = place } }
  }

  public static func == (left: Self, right: Self) -> Bool { left.keys == right.keys && left.values == right.values }
  public func hash(into hasher: inout Hasher) {
    hasher.combine(keys)
    hasher.combine(values)
  }
}

/// Equality of values as parts of a machine: all that is stored counts, and NaN equals itself. The operators of
/// expressions have rules of their own.
extension DataValue: Hashable {
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.undefined, .undefined), (.null, .null): true
    case (.boolean(let left), .boolean(let right)): left == right
    case (.number(let left), .number(let right)): bits(of: left) == bits(of: right)
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    case (.function(let left), .function(let right)): left == right
    case (.undefined, _), (.null, _), (.boolean, _), (.number, _), (.string, _), (.array, _), (.object, _),
      (.function, _):
      false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .undefined: hasher.combine(0)
    case .null: hasher.combine(1)
    case .boolean(let flag): hasher.combine(flag)
    case .number(let number): hasher.combine(Self.bits(of: number))
    case .string(let string): hasher.combine(string)
    case .array(let array): hasher.combine(array)
    case .object(let object): hasher.combine(object)
    case .function(let number): hasher.combine(number)
    }
  }

  /// The bits of a number; all NaNs have the same.
  private static func bits(of number: Double) -> UInt64 { number.isNaN ? Double.nan.bitPattern : number.bitPattern }
}
