/// A type whose own `Codable` coding does not suit the format. The standard library's coding writes neither the number
/// of elements nor whether a value is `nil`, or uses an order that differs between processes. A ``Value`` has a shorter
/// form.
protocol DirectlyStored {
  func store(in encoder: ValueEncoder) throws
  static func restored(from decoder: ValueDecoder) throws -> Self
}

extension Value: DirectlyStored {
  func store(in encoder: ValueEncoder) { encoder.value(self) }

  static func restored(from decoder: ValueDecoder) throws -> Value { try decoder.value() }
}

extension Instant: DirectlyStored {
  func store(in encoder: ValueEncoder) { encoder.moment(self) }

  static func restored(from decoder: ValueDecoder) throws -> Instant { Instant(nanoseconds: try decoder.signed()) }
}

extension Optional: DirectlyStored where Wrapped: Codable {
  func store(in encoder: ValueEncoder) throws {
    encoder.flag(self != nil)
    if let self { try encoder.encode(self) }
  }

  static func restored(from decoder: ValueDecoder) throws -> Wrapped? {
    try decoder.flag() ? try decoder.decode(Wrapped.self) : nil
  }
}

extension Array: DirectlyStored where Element: Codable {
  func store(in encoder: ValueEncoder) throws {
    encoder.count(count)
    for element in self { try encoder.encode(element) }
  }

  static func restored(from decoder: ValueDecoder) throws -> [Element] {
    let count = try decoder.count()
    var elements: [Element] = []
    // Reserves a limited capacity: the count may be damaged, and an element may be larger than a byte.
    elements.reserveCapacity(Swift.min(count, 1_024))
    for _ in 0..<count { elements.append(try decoder.decode(Element.self)) }
    return elements
  }
}

extension Set: DirectlyStored where Element: Codable {
  func store(in encoder: ValueEncoder) throws {
    encoder.count(count)
    for element in try inOrderOfBytes({ $0 }) { try encoder.encode(element) }
  }

  static func restored(from decoder: ValueDecoder) throws -> Set {
    let elements = try [Element].restored(from: decoder)
    let set = Set(elements)
    guard set.count == elements.count else { throw StorageFailure.damaged("an element of a set comes twice") }
    return set
  }
}

extension Dictionary: DirectlyStored where Key: Codable, Value: Codable {
  func store(in encoder: ValueEncoder) throws {
    encoder.count(count)
    for (key, value) in try inOrderOfBytes({ $0.key }) {
      try encoder.encode(key)
      try encoder.encode(value)
    }
  }

  static func restored(from decoder: ValueDecoder) throws -> [Key: Value] {
    var dictionary: [Key: Value] = [:]
    for _ in 0..<(try decoder.count()) {
      let key = try decoder.decode(Key.self)
      guard dictionary.updateValue(try decoder.decode(Value.self), forKey: key) == nil else {
        throw StorageFailure.damaged("a key of a dictionary comes twice")
      }
    }
    return dictionary
  }
}

extension Collection {
  /// The elements sorted by the encoded bytes of a part of each, which is the same order in every process.
  fileprivate func inOrderOfBytes(_ part: (Element) -> some Encodable) throws -> [Element] {
    try map { (bytes: try ValueEncoder.bytes(of: part($0)), element: $0) }
      .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
      .map(\.element)
  }
}
