// The containers that synthesised `Codable` code uses. Each member is written after the number of its name, in the
// type's order. A case of an enum is the number of its name, followed by its members.

extension ValueEncoder: Encoder {
  public var codingPath: [any CodingKey] { [] }
  public var userInfo: [CodingUserInfoKey: Any] { [:] }

  public func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Members<Key>(encoder: self))
  }

  public func unkeyedContainer() -> any UnkeyedEncodingContainer { Elements(encoder: self) }

  public func singleValueContainer() -> any SingleValueEncodingContainer { self }

  private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ValueEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { try encoder.encodeNil() }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
      encoder.name(key.stringValue)
      try encoder.encode(value)
    }

    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws { try optional(value, key) }

    private func optional<T: Encodable>(_ value: T?, _ key: Key) throws {
      encoder.name(key.stringValue)
      encoder.flag(value != nil)
      if let value { try encoder.encode(value) }
    }

    // One overload per type, because the default implementation writes nothing for `nil`.
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try optional(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try optional(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try optional(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try optional(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try optional(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try optional(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try optional(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try optional(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try optional(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try optional(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try optional(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try optional(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try optional(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try optional(value, key) }

    func nestedContainer<Nested: CodingKey>(
      keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
      encoder.name(key.stringValue)
      return KeyedEncodingContainer(Members<Nested>(encoder: encoder))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      encoder.name(key.stringValue)
      return Elements(encoder: encoder)
    }

    func superEncoder() -> any Encoder { encoder }

    func superEncoder(forKey key: Key) -> any Encoder {
      encoder.name(key.stringValue)
      return encoder
    }
  }

  /// An unkeyed container of hand-written coding. It is unsupported, since a reader could not find its end.
  private struct Elements: UnkeyedEncodingContainer {
    let encoder: ValueEncoder
    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }

    func encode<T: Encodable>(_ value: T) throws {
      throw StorageFailure.unsupported("\(T.self) in an unkeyed container; an array can be written as one value")
    }

    func encodeNil() throws { try encode(Bool?.none) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
      KeyedEncodingContainer(Members<Nested>(encoder: encoder))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }

    func superEncoder() -> any Encoder { encoder }
  }
}

extension ValueEncoder: SingleValueEncodingContainer {
  public func encodeNil() throws {
    throw StorageFailure.unsupported("a missing value by hand; an optional can be written as one value")
  }
  public func encode(_ value: Bool) throws { flag(value) }
  public func encode(_ value: String) throws { text(value) }
  public func encode(_ value: Double) throws { word(value.bitPattern) }
  public func encode(_ value: Float) throws { word(UInt64(value.bitPattern)) }
  public func encode(_ value: Int) throws { signed(Int64(value)) }
  public func encode(_ value: Int8) throws { signed(Int64(value)) }
  public func encode(_ value: Int16) throws { signed(Int64(value)) }
  public func encode(_ value: Int32) throws { signed(Int64(value)) }
  public func encode(_ value: Int64) throws { signed(value) }
  public func encode(_ value: UInt) throws { number(UInt64(value)) }
  public func encode(_ value: UInt8) throws { byte(value) }
  public func encode(_ value: UInt16) throws { number(UInt64(value)) }
  public func encode(_ value: UInt32) throws { number(UInt64(value)) }
  public func encode(_ value: UInt64) throws { number(value) }
}
