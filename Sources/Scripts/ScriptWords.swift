import LineProtocol

/// A line of a script, cut into words, with the values of its names put in.
///
/// It knows of each word where it stands in the line as it was written, for messages, and where in the line as it will
/// be sent. One value is used for line after line.
struct ScriptWords: ~Copyable {
  struct Word {
    /// Where it begins in the line of the file.
    let start: Int
    /// Where it stands in ``ScriptWords/written``, quotes and all.
    let range: Range<Int>
    fileprivate let place: Request.Word
    let isQuoted: Bool

    var isPlain: Bool { place.isPlain }
  }

  struct Problem: Error {
    /// In the line of the file.
    let start: Int
    let message: String
  }

  private(set) var words: [Word] = []
  /// The line as it will be sent.
  private(set) var written = ByteBuffer(capacity: 256)
  /// The same, with escapes resolved.
  private var resolved = ByteBuffer(capacity: 256)

  /// Cuts a line.
  ///
  /// - Parameter names: The values of the names that `$` may stand before.
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
    // Safety: the scanner writes within the bytes of `resolved`, which nobody else looks at meanwhile.
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

  /// Puts the values in and cuts again; every word keeps its place in the file.
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
      // A value is always part of its word: blanks or an arrow in it do not make another.
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
        throw Problem(start: place, message: "behind '$' stands a name that 'let' has given; a dollar is written '$$'")
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
      message: "with the values of its names this line has more than \(ScriptLimits.line) bytes, the most there may be")
  }

  /// A word's text; of `key=value` the value. Quotes and escapes are gone.
  func bytes(_ word: Word) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: resolved.bytes[Int(word.place.start)..<Int(word.place.start + word.place.length)])
  }

  func text(_ word: Word) -> String { String(decoding: bytes(word), as: UTF8.self) }

  func key(_ word: Word) -> String {
    let place = word.place
    return String(
      decoding: resolved.bytes[Int(place.keyStart)..<Int(place.keyStart + place.keyLength)], as: UTF8.self)
  }

  /// Whether the word at a place is this one, as a plain word.
  func isWord(_ place: Int, _ literal: StaticString) -> Bool {
    guard words.indices.contains(place), words[place].isPlain else { return false }
    let bytes = bytes(words[place])
    return bytes.count == literal.utf8CodeUnitCount && literal.withUTF8Buffer { bytes.elementsEqual($0) }
  }

  /// The line as it will be sent, from one word up to another.
  func written(_ words: Range<Int>) -> UnsafeRawBufferPointer {
    guard let first = words.first, let last = words.last else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    let range = self.words[first].range.lowerBound..<self.words[last].range.upperBound
    return UnsafeRawBufferPointer(rebasing: written.bytes[range])
  }

  /// The place of the `=>` from a word on; the number of words if there is none.
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

/// What `let` has given a name.
struct ScriptName {
  let value: String
  /// Where: `FILE:LINE`.
  let place: String
}
