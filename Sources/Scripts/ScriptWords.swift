import LineProtocol

/// A line of a script, split into words, with the values of names inserted.
///
/// It knows the position of each word in the line as written, for messages, and in the line to send. One value is
/// reused for all lines.
struct ScriptWords: ~Copyable {
  struct Word {
    /// Its offset in the line of the file.
    let start: Int
    /// Its range in ``ScriptWords/written``, with quotes.
    let range: Range<Int>
    fileprivate let place: Request.Word
    let isQuoted: Bool

    var isPlain: Bool { place.isPlain }
  }

  struct Problem: Error {
    /// Offset in the line of the file.
    let start: Int
    let message: String
  }

  private(set) var words: [Word] = []
  /// The line to send.
  private(set) var written = ByteBuffer(capacity: 256)
  /// The line to send, with escapes resolved.
  private var resolved = ByteBuffer(capacity: 256)

  /// Splits a line.
  ///
  /// - Parameter names: The values of the names that may follow `$`.
  mutating func read(_ line: UnsafeRawBufferPointer, names: [String: ScriptName]) throws(Problem) {
    written.removeAll()
    written.append(line)
    try cut()
    if line.contains(UInt8(ascii: "$")) { try expand(line, names) }
  }

  private mutating func cut() throws(Problem) {
    words.removeAll(keepingCapacity: true)
    resolved.removeAll()
    resolved.append(written.bytes)
    // Safety: the scanner writes within the bytes of `resolved`, which nothing else reads meanwhile.
    var scanner = WordScanner(UnsafeMutableRawBufferPointer(mutating: resolved.bytes))
    while scanner.skipBlanks() {
      let start = scanner.place
      let isQuoted = scanner.current == UInt8(ascii: "\"")
      do throws(Request.Failure) {
        let word = try scanner.word()
        words.append(Word(start: start, range: start..<scanner.place, place: word, isQuoted: isQuoted))
      } catch {
        guard case .syntax(let text) = error else { return }
        throw Problem(start: start, message: text)
      }
    }
  }

  /// Inserts the values and splits again; every word keeps its position in the file.
  private mutating func expand(_ line: UnsafeRawBufferPointer, _ names: [String: ScriptName]) throws(Problem) {
    var texts: [String] = []
    var length = 0
    for word in words {
      let raw = UnsafeRawBufferPointer(rebasing: line[word.range])
      length += raw.count + 1
      guard raw.contains(UInt8(ascii: "$")) else {
        texts.append(String(decoding: raw, as: UTF8.self))
        continue
      }
      let value = try Self.value(
        of: text(word), raw, word.start, names, room: ScriptLimits.line - length + raw.count + 1)
      // A value is always part of its word: blanks or an arrow in it do not start another word.
      let isBare = !value.isEmpty && value.utf8.allSatisfy { TextRules.isNameByte($0) }
      let quoted = isBare ? value : LineProtocol.Word.quoted(value)
      texts.append(word.isPlain ? quoted : "\(key(word))=\(quoted)")
      length += texts[texts.count - 1].utf8.count - raw.count
      guard length - 1 <= ScriptLimits.line else { throw Self.tooLong(word.start) }
    }
    let starts = words.map(\.start)
    written.removeAll()
    written.append(text: texts.joined(separator: " "))
    try cut()
    words = zip(words, starts).map {
      Word(start: $1, range: $0.range, place: $0.place, isQuoted: $0.isQuoted)
    }
  }

  /// A word with the values of its names.
  private static func value(
    of text: String, _ raw: UnsafeRawBufferPointer, _ start: Int, _ names: [String: ScriptName], room: Int
  ) throws(Problem) -> String {
    var value = ""
    var rest = text[...]
    var dollars = raw.indices.filter { raw[$0] == UInt8(ascii: "$") }[...]
    while let dollar = rest.firstIndex(of: "$") {
      let place = start + (dollars.popFirst() ?? 0)
      value += rest[..<dollar]
      rest = rest[rest.index(after: dollar)...]
      if rest.first == "$" {
        _ = dollars.popFirst()
        value += "$"
        rest = rest.dropFirst()
        continue
      }
      let name = String(rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
      guard name.first?.isLetter == true else {
        throw Problem(start: place, message: "'$' must be followed by a name from 'let'; write '$$' for a dollar sign")
      }
      guard let found = names[name] else {
        let hint = Nearest.match(name, among: names.keys.sorted()).map { "did you mean '$\($0)'?" }
        throw Problem(
          start: place,
          message:
            "'$\(name)' has no value; \(hint ?? "'let \(name) = VALUE' gives it one, and a dollar is written '$$'")")
      }
      value += found.value
      guard value.utf8.count <= room else { throw tooLong(place) }
      rest = rest.dropFirst(name.count)
    }
    return value + rest
  }

  private static func tooLong(_ start: Int) -> Problem {
    Problem(
      start: start,
      message: "with its names replaced this line has more than \(ScriptLimits.line) bytes, the maximum")
  }

  /// A word's text; of `key=value` the value. Without quotes and escapes.
  func bytes(_ word: Word) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: resolved.bytes[Int(word.place.start)..<Int(word.place.start + word.place.length)])
  }

  func text(_ word: Word) -> String { String(decoding: bytes(word), as: UTF8.self) }

  func key(_ word: Word) -> String {
    let place = word.place
    return String(
      decoding: resolved.bytes[Int(place.keyStart)..<Int(place.keyStart + place.keyLength)], as: UTF8.self)
  }

  /// Whether the word at an index is this plain word.
  func isWord(_ place: Int, _ literal: StaticString) -> Bool {
    guard words.indices.contains(place), words[place].isPlain else { return false }
    let bytes = bytes(words[place])
    return bytes.count == literal.utf8CodeUnitCount && literal.withUTF8Buffer { bytes.elementsEqual($0) }
  }

  /// The bytes to send for a range of words.
  func written(_ words: Range<Int>) -> UnsafeRawBufferPointer {
    guard let first = words.first, let last = words.last else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    let range = self.words[first].range.lowerBound..<self.words[last].range.upperBound
    return UnsafeRawBufferPointer(rebasing: written.bytes[range])
  }

  /// The index of the `=>` at or after a word; the number of words if there is none.
  func arrow(from first: Int) throws(Problem) -> Int {
    for place in first..<max(first, words.count) {
      let range = words[place].range
      guard range.count >= 2, written.bytes[range.lowerBound] == UInt8(ascii: "="),
        written.bytes[range.lowerBound + 1] == UInt8(ascii: ">")
      else { continue }
      guard range.count == 2 else {
        throw Problem(start: words[place].start, message: "a blank must follow '=>'")
      }
      return place
    }
    return words.count
  }
}

/// A name defined by `let`.
struct ScriptName {
  let value: String
  /// Where it was defined: `FILE:LINE`.
  let place: String
}
