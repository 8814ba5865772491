extension ServerLine {
  /// Parses a line in its JSON form. The result is the same as for its text form.
  ///
  /// - Parameter text: The object, without its line feed. White space between its parts is skipped.
  /// - Returns: `nil` for text that is not a line in this form: another kind of object, an unknown class, other value
  ///   types.
  package init?(json text: String) {
    var reader = JSONReader(Array(text.utf8))
    guard let members = reader.members({ $0.value() }), reader.isAtEnd else { return nil }
    self.init(members)
  }

  private init?(_ members: [JSONReader.Member]) {
    var rest = members[...]
    guard rest.first?.name == "class", case .text(let word)? = rest.popFirst()?.value,
      let lineClass = LineClass.allCases.first(where: { "\(JSONMembers.name(of: $0))" == word })
    else { return nil }
    var tag: String?
    if rest.first?.name == "tag" {
      guard lineClass.answersRequest, case .text(let found)? = rest.popFirst()?.value else { return nil }
      tag = found
    }
    var words: [String] = []
    for shape in ReplyShape.all(lineClass) {
      guard let found = shape.words(&rest) else { continue }
      words = found
      break
    }
    var fields: [Field] = []
    var note: String?
    for member in rest {
      switch (member.name, member.value) {
      case ("text", .text(let text)): note = text
      case ("text", _): return nil
      case ("arguments", .object(let arguments)):
        for argument in arguments {
          guard let value = argument.value.word else { return nil }
          fields.append(Field(key: argument.name, value: value))
        }
      case (let key, let value):
        guard let word = value.word else { return nil }
        fields.append(Field(key: key, value: word))
      }
    }
    self.init(lineClass: lineClass, tag: tag, words: words, fields: fields, note: note)
  }
}

extension ReplyShape {
  /// Takes the words of a line from the members of its object; `nil` if other members come first.
  fileprivate func words(_ members: inout ArraySlice<JSONReader.Member>) -> [String]? {
    var (words, rest) = ([String](), members)
    for token in tokens {
      guard let member = rest.first, member.name.utf8.elementsEqual(token.member) else {
        if token.isOptional { continue }
        return nil
      }
      switch member.value {
      case .list(let list) where token.isList: words += list
      case .text(let text) where isAsWritten:
        guard let line = ServerLine(". \(text)") else { return nil }
        words += line.words
        members = line.fields.map { JSONReader.Member(name: $0.key, value: .text($0.value)) } + rest.dropFirst()
        return words
      case .text(let word), .number(let word):
        guard !token.isList, token.literal.map({ word.utf8.elementsEqual($0) }) ?? true else { return nil }
        words.append(word)
      case .list, .object: return nil
      }
      rest.removeFirst()
    }
    members = rest
    return words
  }
}

/// Parses the part of JSON that lines use: an object of texts, numbers, lists of those, and one nested object.
private struct JSONReader {
  struct Member {
    let name: String
    let value: Value
  }

  enum Value {
    case text(String)
    /// As written.
    case number(String)
    case list([String])
    case object([Member])

    /// The value as a word of the text form; `nil` for an object.
    var word: String? {
      switch self {
      case .text(let text), .number(let text): text
      case .list(let words): words.joined(separator: ",")
      case .object: nil
      }
    }
  }

  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Whether only white space follows.
  var isAtEnd: Bool {
    mutating get {
      skipBlanks()
      return place == bytes.count
    }
  }

  /// The members of the object that begins here, with values read by `value`.
  mutating func members(_ value: (inout JSONReader) -> Value?) -> [Member]? {
    var members: [Member] = []
    guard take("{") else { return nil }
    if take("}") { return members }
    repeat {
      guard let name = text(), take(":"), let value = value(&self) else { return nil }
      members.append(Member(name: name, value: value))
    } while take(",")
    return take("}") ? members : nil
  }

  mutating func value() -> Value? {
    skipBlanks()
    guard place < bytes.count else { return nil }
    switch bytes[place] {
    case UInt8(ascii: "\""): return text().map(Value.text)
    case UInt8(ascii: "["): return list().map(Value.list)
    // Only one nested level is read, so input cannot cause deep recursion.
    case UInt8(ascii: "{"): return members { $0.textOrNumber().map(Value.text) }.map(Value.object)
    default: return number().map(Value.number)
    }
  }

  private mutating func list() -> [String]? {
    var words: [String] = []
    guard take("[") else { return nil }
    if take("]") { return words }
    repeat {
      guard let word = textOrNumber() else { return nil }
      words.append(word)
    } while take(",")
    return take("]") ? words : nil
  }

  private mutating func textOrNumber() -> String? {
    skipBlanks()
    return place < bytes.count && bytes[place] == UInt8(ascii: "\"") ? text() : number()
  }

  private mutating func number() -> String? {
    let rest = bytes[place...]
    let end = rest.firstIndex { !$0.isDigit && $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ".") } ?? rest.endIndex
    guard bytes.withUnsafeBytes({ UnsafeRawBufferPointer(rebasing: $0[place..<end]).isJSONNumber }) else { return nil }
    defer { place = end }
    return String(decoding: bytes[place..<end], as: UTF8.self)
  }

  private mutating func text() -> String? {
    guard take("\"") else { return nil }
    var text: [UInt8] = []
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let scalar = escape() else { return nil }
        text += Array(String(scalar).utf8)
      case 0..<0x20: return nil
      default: text.append(byte)
      }
    }
    return nil
  }

  /// The character after a backslash.
  private mutating func escape() -> Unicode.Scalar? {
    guard place < bytes.count else { return nil }
    let byte = bytes[place]
    place += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "u"):
      guard let unit = fourDigits() else { return nil }
      // A character above U+FFFF is written as two escapes.
      guard (0xD800..<0xDC00).contains(unit) else { return Unicode.Scalar(unit) }
      guard take("\\"), take("u"), let low = fourDigits(), (0xDC00..<0xE000).contains(low) else { return nil }
      return Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    default: return nil
    }
  }

  private mutating func fourDigits() -> UInt32? {
    guard place + 4 <= bytes.count else { return nil }
    let digits = bytes[place..<(place + 4)]
    guard digits.allSatisfy({ $0.isDigit || (0x61...0x66).contains($0 | 0x20) }) else { return nil }
    place += 4
    return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  /// Takes one character if it is next, after white space.
  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipBlanks()
    guard place < bytes.count, bytes[place] == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  private mutating func skipBlanks() {
    while place < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[place]) { place += 1 }
  }
}
