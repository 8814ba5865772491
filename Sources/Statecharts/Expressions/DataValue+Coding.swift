// Data values in storage: one text each, the same for equal values. Its form does not depend on the depth of the value,
// which the coding of nested types limits.

extension DataValue: Codable {
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    var reader = Reader(bytes: Array(text.utf8)[...])
    guard let value = reader.value(depth: 0), reader.bytes.isEmpty else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "not a value of a data model"))
    }
    self = value
  }

  public func encode(to encoder: any Encoder) throws {
    var bytes: [UInt8] = []
    write(to: &bytes)
    var container = encoder.singleValueContainer()
    try container.encode(String(decoding: bytes, as: UTF8.self))
  }

  private func write(to bytes: inout [UInt8]) {
    switch self {
    case .undefined: bytes.append(UInt8(ascii: "u"))
    case .null: bytes.append(UInt8(ascii: "n"))
    case .boolean(let flag): bytes.append(UInt8(ascii: flag ? "t" : "f"))
    case .number(let number):
      let bits = number.isNaN ? Double.nan.bitPattern : number.bitPattern
      bytes += "#\(String(bits, radix: 16));".utf8
    case .string(let string): Self.write(string, to: &bytes)
    case .array(let array):
      bytes += "[\(array.count);".utf8
      for element in array.elements { element.write(to: &bytes) }
    case .object(let object):
      bytes += "{\(object.count);".utf8
      for (key, value) in zip(object.keys, object.values) {
        Self.write(key, to: &bytes)
        value.write(to: &bytes)
      }
    case .function(let number): bytes += "F\(String(number, radix: 16));".utf8
    }
  }

  private static func write(_ string: String, to bytes: inout [UInt8]) {
    bytes += "\"\(string.utf8.count);".utf8
    bytes += string.utf8
  }

  private struct Reader {
    var bytes: ArraySlice<UInt8>

    mutating func value(depth: Int) -> DataValue? {
      guard depth < DataValue.deepest, let kind = bytes.popFirst() else { return nil }
      switch kind {
      case UInt8(ascii: "u"): return .undefined
      case UInt8(ascii: "n"): return .null
      case UInt8(ascii: "t"): return .boolean(true)
      case UInt8(ascii: "f"): return .boolean(false)
      case UInt8(ascii: "#"): return head().flatMap { UInt64($0, radix: 16) }.map { .number(Double(bitPattern: $0)) }
      case UInt8(ascii: "F"):
        return head().flatMap { Int($0, radix: 16) }.flatMap { $0 < 0 ? nil : .function($0) }
      case UInt8(ascii: "\""): return string().map { .string($0) }
      case UInt8(ascii: "["):
        guard let count = count() else { return nil }
        var elements: [DataValue] = []
        for _ in 0..<count {
          guard let element = value(depth: depth + 1) else { return nil }
          elements.append(element)
        }
        return (try? DataArray(elements)).map { .array($0) }
      case UInt8(ascii: "{"):
        guard let count = count() else { return nil }
        var object = DataObject()
        for _ in 0..<count {
          guard bytes.popFirst() == UInt8(ascii: "\""), let key = string(), object[key] == nil,
            let value = value(depth: depth + 1), (try? object.set(value, for: key)) != nil
          else { return nil }
        }
        return .object(object)
      case _: return nil
      }
    }

    private mutating func head() -> String? {
      guard let end = bytes.prefix(24).firstIndex(of: UInt8(ascii: ";")) else { return nil }
      defer { bytes = bytes[(end + 1)...] }
      return String(decoding: bytes[..<end], as: UTF8.self)
    }

    private mutating func count() -> Int? { head().flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil } }

    private mutating func string() -> String? {
      guard let count = count(), count <= bytes.count else { return nil }
      defer { bytes = bytes.dropFirst(count) }
      return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
  }
}
