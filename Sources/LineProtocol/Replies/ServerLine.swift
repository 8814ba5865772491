/// One parsed line from the daemon, for clients.
package struct ServerLine: Hashable, Sendable {
  /// A `key=value` word.
  package struct Field: Hashable, Sendable {
    package let key: String
    package let value: String

    package init(key: String, value: String) {
      self.key = key
      self.value = value
    }
  }

  package let lineClass: LineClass
  /// The tag of the request it answers, without its `@`; notices and flow lines have none.
  package let tag: String?
  /// The plain words, without quotes and escapes.
  package let words: [String]
  /// The `key=value` words, which follow the plain ones.
  package let fields: [Field]
  /// The text for people after ` : `.
  package let note: String?

  /// Parses a line.
  ///
  /// - Parameter text: The line without its LF or CRLF.
  /// - Returns: `nil` for a line that this version of the protocol does not know: another first byte, or words that
  ///   break its rules.
  package init?(_ text: String) {
    var bytes = Array(text.utf8)
    guard let line = bytes.withUnsafeMutableBytes({ Self.parse($0) }) else { return nil }
    self = line
  }

  /// Takes a line of data without parsing its text, for example of a diagram. Only its tag is read.
  ///
  /// - Returns: `nil` for a line of another class.
  package init?(whole text: String) {
    guard text.hasPrefix(". ") || text == "." else { return nil }
    let rest = text.dropFirst(2)
    let tag = rest.hasPrefix("@") ? String(rest.dropFirst().prefix { $0 != " " }) : nil
    self.init(lineClass: .data, tag: tag, words: [], fields: [], note: nil)
  }

  /// The text of a line of data, after the class and the tag.
  package static func wholeText(of line: String, tag: String?) -> Substring {
    let text = line.dropFirst(2)
    guard let tag, text.hasPrefix("@\(tag)") else { return text }
    return text.dropFirst(tag.count + 2)
  }

  /// The value of the first field with this key.
  package subscript(key: String) -> String? {
    fields.first { $0.key == key }?.value
  }

  /// The code of a failure; the first word of any other line.
  package var code: String { words.first ?? "" }

  package init(lineClass: LineClass, tag: String?, words: [String], fields: [Field], note: String?) {
    self.lineClass = lineClass
    self.tag = tag
    self.words = words
    self.fields = fields
    self.note = note
  }

  private static func parse(_ line: UnsafeMutableRawBufferPointer) -> ServerLine? {
    var parts = LineParts()
    guard parts.take(line) else { return nil }
    func text(_ range: Range<Int>) -> String { String(decoding: line[range], as: UTF8.self) }
    return ServerLine(
      lineClass: parts.lineClass, tag: parts.tag.map(text), words: parts.words.map(text),
      fields: parts.fields.map { Field(key: text($0.key), value: text($0.value)) }, note: parts.text.map(text))
  }
}

extension LineClass {
  /// Whether a line of this class belongs to a request's reply.
  package var answersRequest: Bool {
    switch self {
    case .success, .failure, .data: true
    case .notice, .flow: false
    }
  }
}
