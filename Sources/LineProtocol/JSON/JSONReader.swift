extension ServerLine {
  /// Parses a line in its JSON form. The result is the same as for its text form.
  ///
  /// - Parameter text: The object, without its line feed. White space between its parts is skipped.
  /// - Returns: `nil` for text that is not a line in this form: another kind of object, an unknown class, other value
  ///   types.
  package init?(json text: String) {
    var reader = JSONReader(Array(text.utf8))
    guard let members = try? reader.line() else { return nil }
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

  private var scanner: JSONScanner

  init(_ bytes: [UInt8]) {
    scanner = JSONScanner(bytes)
  }

  mutating func line() throws(JSONScanner.Mistake) -> [Member] {
    let members = try members { reader throws(JSONScanner.Mistake) in try reader.value() }
    try scanner.end()
    return members
  }

  /// The members of the object that begins here, with values read by `value`.
  private mutating func members(
    _ value: (inout JSONReader) throws(JSONScanner.Mistake) -> Value
  ) throws(JSONScanner.Mistake) -> [Member] {
    var members: [Member] = []
    try scanner.expect("{")
    if scanner.takes("}") { return members }
    repeat {
      let name = try scanner.string()
      try scanner.expect(":")
      members.append(Member(name: name, value: try value(&self)))
    } while scanner.takes(",")
    try scanner.expect("}")
    return members
  }

  private mutating func value() throws(JSONScanner.Mistake) -> Value {
    scanner.skipBlanks()
    switch scanner.next {
    case UInt8(ascii: "\""): return .text(try scanner.string())
    case UInt8(ascii: "["): return .list(try list())
    // Only one nested level is read, so input cannot cause deep recursion.
    case UInt8(ascii: "{"):
      return .object(
        try members { reader throws(JSONScanner.Mistake) in .text(try reader.textOrNumber()) })
    case _: return .number(try number())
    }
  }

  private mutating func list() throws(JSONScanner.Mistake) -> [String] {
    var words: [String] = []
    try scanner.expect("[")
    if scanner.takes("]") { return words }
    repeat { words.append(try textOrNumber()) } while scanner.takes(",")
    try scanner.expect("]")
    return words
  }

  private mutating func textOrNumber() throws(JSONScanner.Mistake) -> String {
    scanner.skipBlanks()
    return try scanner.next == UInt8(ascii: "\"") ? scanner.string() : number()
  }

  /// A number without an exponent, which no line has.
  private mutating func number() throws(JSONScanner.Mistake) -> String {
    let text = try scanner.number()
    guard !text.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) else { throw JSONScanner.Mistake() }
    return text
  }
}
