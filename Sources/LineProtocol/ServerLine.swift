/// One line from the daemon, taken apart for a client.
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
  /// The `key=value` words, which stand behind the plain ones.
  package let fields: [Field]
  /// The text for people behind ` : `.
  package let note: String?

  /// Takes a line apart.
  ///
  /// - Parameter text: The line without its LF or CRLF.
  /// - Returns: `nil` for a line that this version of the protocol does not know: another first byte, or words that
  ///   break its rules.
  package init?(_ text: String) {
    var bytes = Array(text.utf8)
    guard let line = bytes.withUnsafeMutableBytes({ Self.parse($0) }) else { return nil }
    self = line
  }

  /// Takes a line of data for one whose text is not to be taken apart: of a diagram, say. Only its tag is looked at.
  ///
  /// - Returns: `nil` for a line of another class.
  package init?(whole text: String) {
    guard text.hasPrefix(". ") || text == "." else { return nil }
    let rest = text.dropFirst(2)
    let tag = rest.hasPrefix("@") ? String(rest.dropFirst().prefix { $0 != " " }) : nil
    self.init(lineClass: .data, tag: tag, words: [], fields: [], note: nil)
  }

  /// The text of a line of data, as it stands behind the class and the tag.
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

  private init(lineClass: LineClass, tag: String?, words: [String], fields: [Field], note: String?) {
    self.lineClass = lineClass
    self.tag = tag
    self.words = words
    self.fields = fields
    self.note = note
  }

  private static func parse(_ line: UnsafeMutableRawBufferPointer) -> ServerLine? {
    // Safety: the bytes are the caller's for as long as the call; the scanner's places lie within them.
    guard let first = line.first, let lineClass = LineClass(rawValue: first) else { return nil }
    guard line.count == 1 || line[1] == space else { return nil }
    // The class is blanked out, so that the scanner sees words only and its places are places in the line.
    line[0] = space
    var scanner = WordScanner(line)
    var tag: String?
    var words: [String] = []
    var fields: [Field] = []
    while scanner.skipBlanks() {
      let start = scanner.place
      if line[start] == colon, start + 1 == line.count || line[start + 1] == space {
        let note = String(decoding: line.dropFirst(start + 2), as: UTF8.self)
        return ServerLine(lineClass: lineClass, tag: tag, words: words, fields: fields, note: note)
      }
      guard let word = try? scanner.word() else { return nil }
      let text = String(decoding: line[Int(word.start)..<Int(word.start + word.length)], as: UTF8.self)
      if !word.isPlain {
        let key = line[Int(word.keyStart)..<Int(word.keyStart + word.keyLength)]
        fields.append(Field(key: String(decoding: key, as: UTF8.self), value: text))
      } else if words.isEmpty, fields.isEmpty, tag == nil, line[start] == WordScanner.at, lineClass.answersRequest {
        tag = String(text.dropFirst())
      } else {
        words.append(text)
      }
    }
    return ServerLine(lineClass: lineClass, tag: tag, words: words, fields: fields, note: nil)
  }

  private static let space: UInt8 = 0x20
  private static let colon: UInt8 = 0x3A
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
