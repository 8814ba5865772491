package import LineProtocol

/// A reply's last line or a notice, parsed in place, for scripts, which read very many of them.
///
/// Words are ranges of the line, so returned bytes are valid as long as the line, and until the next parse. One value
/// is reused for all lines and then allocates nothing.
package struct ScriptReply: ~Copyable {
  package private(set) var lineClass = LineClass.flow
  // Safety: points into the line passed to `parse`, which outlives the reply's use; all ranges lie within it.
  private var base = UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped
  private var count = 0
  private var plain: [Request.Word] = []
  private var keyed: [Request.Word] = []
  private var tagPlace: Request.Word?
  private var notePlace: Int?

  package init() {
    plain.reserveCapacity(16)
    keyed.reserveCapacity(16)
  }

  /// Parses a line; resolves escapes in quoted words in place.
  ///
  /// - Returns: False for a line that this version of the protocol does not know.
  package mutating func parse(_ line: UnsafeMutableRawBufferPointer) -> Bool {
    plain.removeAll(keepingCapacity: true)
    keyed.removeAll(keepingCapacity: true)
    tagPlace = nil
    notePlace = nil
    guard let start = line.baseAddress, let first = line.first, let found = LineClass(rawValue: first),
      line.count == 1 || line[1] == WordScanner.space
    else { return false }
    lineClass = found
    base = UnsafeRawPointer(start)
    count = line.count
    // The class is blanked while words are scanned, so that their positions refer to the line.
    line[0] = WordScanner.space
    defer { line[0] = first }
    var scanner = WordScanner(line)
    while scanner.skipBlanks() {
      let place = scanner.place
      if line[place] == 0x3A, place + 1 == count || line[place + 1] == WordScanner.space {
        notePlace = min(place + 2, count)
        return true
      }
      guard let word = try? scanner.word() else { return false }
      if !word.isPlain {
        keyed.append(word)
      } else if plain.isEmpty, keyed.isEmpty, tagPlace == nil, line[place] == WordScanner.at, found.answersRequest {
        tagPlace = word
      } else {
        plain.append(word)
      }
    }
    return true
  }

  /// The number of plain words.
  package var wordCount: Int { plain.count }

  /// A plain word, without quotes and escapes; empty if there is none at this index.
  package func word(_ place: Int) -> UnsafeRawBufferPointer {
    plain.indices.contains(place) ? text(plain[place]) : UnsafeRawBufferPointer(start: nil, count: 0)
  }

  package func isWord(_ place: Int, _ literal: StaticString) -> Bool {
    plain.indices.contains(place) && ScriptReply.equal(text(plain[place]), literal)
  }

  /// Whether it answers the request with this tag.
  package func hasTag(_ tag: StaticString) -> Bool {
    guard let place = tagPlace else { return false }
    return ScriptReply.equal(UnsafeRawBufferPointer(rebasing: text(place).dropFirst()), tag)
  }

  /// The value of the first `key=value` word with this key.
  package func value(_ key: StaticString) -> UnsafeRawBufferPointer? {
    for word in keyed where ScriptReply.equal(keyText(word), key) { return text(word) }
    return nil
  }

  package func text(of key: String) -> String? {
    for word in keyed where keyText(word).elementsEqual(key.utf8) { return String(decoding: text(word), as: UTF8.self) }
    return nil
  }

  /// The sequence number of the input that the line names.
  package var sequence: UInt64? { value("seq").flatMap { ScriptReply.number($0) } }

  /// The text for people after ` : `.
  package var note: String? {
    notePlace.map { String(decoding: UnsafeRawBufferPointer(start: base + $0, count: count - $0), as: UTF8.self) }
  }

  /// The plain words as text.
  package var words: [String] { plain.map { String(decoding: text($0), as: UTF8.self) } }

  /// The line as a value of its own, without its tag.
  package var serverLine: ServerLine {
    ServerLine(
      lineClass: lineClass, tag: nil, words: words,
      fields: keyed.map {
        ServerLine.Field(
          key: String(decoding: keyText($0), as: UTF8.self), value: String(decoding: text($0), as: UTF8.self))
      }, note: note)
  }

  /// A number in decimal digits; nil for anything else.
  package static func number(_ digits: UnsafeRawBufferPointer) -> UInt64? {
    guard !digits.isEmpty, digits.count <= 19 else { return nil }
    var number: UInt64 = 0
    for digit in digits {
      guard (0x30...0x39).contains(digit) else { return nil }
      number = number &* 10 &+ UInt64(digit &- 0x30)
    }
    return number
  }

  private func text(_ word: Request.Word) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + Int(word.start), count: Int(word.length))
  }

  private func keyText(_ word: Request.Word) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + Int(word.keyStart), count: Int(word.keyLength))
  }

  private static func equal(_ bytes: UnsafeRawBufferPointer, _ literal: StaticString) -> Bool {
    bytes.count == literal.utf8CodeUnitCount && literal.withUTF8Buffer { bytes.elementsEqual($0) }
  }
}
