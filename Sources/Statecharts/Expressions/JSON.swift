/// JSON of data values. Recursion ends at ``DataValue/deepest``.
enum JSON {
  static func text(of value: DataValue) -> String {
    var bytes: [UInt8] = []
    write(value, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func write(_ value: DataValue, to bytes: inout [UInt8]) {
    switch value {
    case .undefined, .null, .function: bytes += "null".utf8
    case .boolean(let flag): bytes += (flag ? "true" : "false").utf8
    case .number(let number): bytes += (number.isFinite ? DataValue.text(of: number) : "null").utf8
    case .string(let string): write(string, to: &bytes)
    case .array(let array):
      bytes.append(UInt8(ascii: "["))
      for (place, element) in array.elements.enumerated() {
        if place > 0 { bytes.append(UInt8(ascii: ",")) }
        write(element, to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let object):
      bytes.append(UInt8(ascii: "{"))
      var isFirst = true
      for (key, member) in zip(object.keys, object.values) {
        if case .undefined = member { continue }
        if case .function = member { continue }
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        write(key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        write(member, to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private static func write(_ string: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0x0A: bytes += "\\n".utf8
      case 0x0D: bytes += "\\r".utf8
      case 0x09: bytes += "\\t".utf8
      case 0..<0x20:
        let digits = String(byte, radix: 16)
        bytes += ("\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits).utf8
      case _: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// - Returns: `nil` if the text is not JSON, or is nested too deeply.
  static func value(of text: String) -> DataValue? {
    var reader = JSONReader(Array(text.utf8))
    return try? reader.document()
  }
}
