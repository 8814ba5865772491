/// The positions of the parts of a line from the daemon. One value is reused for all lines.
///
/// The only parser of such lines: both ``ServerLine`` and the JSON form use it.
package struct LineParts {
  package private(set) var lineClass = LineClass.success
  /// Without its `@`; notices and flow lines have none.
  package private(set) var tag: Range<Int>?
  /// The plain words, without quotes and escapes.
  package private(set) var words: [Range<Int>] = []
  /// The `key=value` words.
  package private(set) var fields: [(key: Range<Int>, value: Range<Int>)] = []
  /// The text for people after ` : `; for an unparsed line, all of its text.
  package private(set) var text: Range<Int>?

  package init() {
    // Most lines have at most eight of each. Clients parse many lines, so the arrays are not grown word by word.
    words.reserveCapacity(8)
    fields.reserveCapacity(8)
  }

  /// Parses a line. Resolves escapes in place and overwrites the first byte.
  ///
  /// - Parameter line: Without its LF or CRLF.
  /// - Returns: False for a line that this version of the protocol does not know: another first byte, or words that
  ///   break its rules.
  package mutating func take(_ line: UnsafeMutableRawBufferPointer) -> Bool {
    // Safety: the bytes are valid during the call; the scanner's positions lie within them.
    guard let first = line.first, let lineClass = LineClass(rawValue: first) else { return false }
    guard line.count == 1 || line[1] == WordScanner.space else { return false }
    clear(lineClass)
    // The class is blanked, so that the scanner sees only words and its positions refer to the line.
    line[0] = WordScanner.space
    var scanner = WordScanner(line)
    while scanner.skipBlanks() {
      let start = scanner.place
      if line[start] == LineParts.colon, start + 1 == line.count || line[start + 1] == WordScanner.space {
        text = min(start + 2, line.count)..<line.count
        return true
      }
      guard let word = try? scanner.word() else { return false }
      let place = Int(word.start)..<Int(word.start + word.length)
      if !word.isPlain {
        fields.append((Int(word.keyStart)..<Int(word.keyStart + word.keyLength), place))
      } else if words.isEmpty, fields.isEmpty, tag == nil, line[start] == WordScanner.at, lineClass.answersRequest {
        tag = (place.lowerBound + 1)..<place.upperBound
      } else {
        words.append(place)
      }
    }
    return true
  }

  /// Takes a line of data without parsing it, for example of a diagram: everything after the class and the tag is text.
  ///
  /// - Parameter tagLength: Length of the request's tag, without its `@`; 0 if it has none.
  package mutating func take(whole line: UnsafeMutableRawBufferPointer, tagLength: Int) {
    clear(.data)
    if tagLength > 0 { tag = 3..<(3 + tagLength) }
    text = min(tagLength > 0 ? tagLength + 4 : 2, line.count)..<line.count
  }

  private mutating func clear(_ lineClass: LineClass) {
    self.lineClass = lineClass
    tag = nil
    words.removeAll(keepingCapacity: true)
    fields.removeAll(keepingCapacity: true)
    text = nil
  }

  private static let colon: UInt8 = 0x3A
}
