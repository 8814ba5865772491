// Decodes what `ValueEncoder` wrote. Members must have the names and the order of the type.

extension ValueDecoder: Decoder {
  public var codingPath: [any CodingKey] { [] }
  public var userInfo: [CodingUserInfoKey: Any] { [:] }

  public func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Members<Key>(decoder: self))
  }

  public func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw StorageFailure.unsupported("an unkeyed container")
  }

  public func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ValueDecoder
    var codingPath: [any CodingKey] { [] }

    /// The next key. Only enums read it, to find their case.
    var allKeys: [Key] {
      guard let name = try? decoder.nameAhead(), let key = Key(stringValue: name) else { return [] }
      return [key]
    }

    func contains(_ key: Key) -> Bool { (try? decoder.nameAhead()) == key.stringValue }

    func decodeNil(forKey key: Key) throws -> Bool {
      throw StorageFailure.unsupported("asking whether '\(key.stringValue)' is missing")
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
      try decoder.expect(name: key.stringValue)
      return try decoder.decode(type)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? { try optional(type, key) }

    private func optional<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T? {
      try decoder.expect(name: key.stringValue)
      return try decoder.flag() ? try decoder.decode(type) : nil
    }

    // One overload per type, because the default implementation checks whether the key exists.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try optional(type, key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try optional(type, key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try optional(type, key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try optional(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try optional(type, key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try optional(type, key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try optional(type, key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try optional(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try optional(type, key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try optional(type, key) }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
      try decoder.expect(name: key.stringValue)
      return KeyedDecodingContainer(Members<Nested>(decoder: decoder))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try decoder.unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { decoder }

    func superDecoder(forKey key: Key) throws -> any Decoder {
      try decoder.expect(name: key.stringValue)
      return decoder
    }
  }
}

extension ValueDecoder: SingleValueDecodingContainer {
  public func decodeNil() -> Bool { false }
  public func decode(_ type: Bool.Type) throws -> Bool { try flag() }
  public func decode(_ type: String.Type) throws -> String { try text() }
  public func decode(_ type: Double.Type) throws -> Double { Double(bitPattern: try word()) }
  public func decode(_ type: Float.Type) throws -> Float {
    guard let bits = UInt32(exactly: try word()) else { throw StorageFailure.damaged("a number is too long") }
    return Float(bitPattern: bits)
  }
  public func decode(_ type: Int.Type) throws -> Int { Int(try signed()) }
  public func decode(_ type: Int8.Type) throws -> Int8 { try narrow() }
  public func decode(_ type: Int16.Type) throws -> Int16 { try narrow() }
  public func decode(_ type: Int32.Type) throws -> Int32 { try narrow() }
  public func decode(_ type: Int64.Type) throws -> Int64 { try signed() }
  public func decode(_ type: UInt.Type) throws -> UInt { try number(as: UInt.self) }
  public func decode(_ type: UInt8.Type) throws -> UInt8 { try byte() }
  public func decode(_ type: UInt16.Type) throws -> UInt16 { try number(as: UInt16.self) }
  public func decode(_ type: UInt32.Type) throws -> UInt32 { try number(as: UInt32.self) }
  public func decode(_ type: UInt64.Type) throws -> UInt64 { try number() }

  private func narrow<N: FixedWidthInteger>() throws(StorageFailure) -> N {
    let number = try signed()
    guard let narrow = N(exactly: number) else { throw .damaged("\(number) is too large") }
    return narrow
  }
}
