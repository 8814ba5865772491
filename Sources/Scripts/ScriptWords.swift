import LineProtocol

/// A line of a script, split into words, with the values of names inserted, and without the remark after it.
///
/// The longest number stands for a counter or a range, so that the line can be checked as it will be played; ``holes``
/// tells where. It knows the position of each word in the line as written, for messages, and in the line to send. One
/// value is reused for all lines.
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
    /// Nil if it only follows from a mistake that is reported elsewhere.
    let message: String?
  }

  /// A place in ``ScriptWords/written`` that holds the longest number of a counter.
  struct Hole {
    enum Source {
      /// Index in ``Script/counters``.
      case counter(Int)
      /// Index in ``ScriptWords/ranges``.
      case range(Int)
    }

    let word: Int
    let offset: Int
    let length: Int
    let source: Source
  }

  private(set) var words: [Word] = []
  /// The line to send.
  private(set) var written = ByteBuffer(capacity: 256)
  /// The line to send, with escapes resolved.
  private var resolved = ByteBuffer(capacity: 256)
  private(set) var holes: [Hole] = []
  /// The ranges of the line, from the left.
  private(set) var ranges: [ScriptCounter] = []
  /// Whether a word begins with an escaped `#`.
  private var hasEscape = false
  /// Whether values of names were inserted.
  private(set) var hasValues = false
  /// The names that were used so far.
  var used: Set<String> = []

  init() {}

  /// Splits a line in which names have their values already. What cannot be split is left out.
  init(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { written.append($0) }
    try? cut()
  }

  /// Splits a line.
  ///
  /// - Parameter names: The values of the names that may follow `$`.
  mutating func read(_ line: UnsafeRawBufferPointer, names: [String: ScriptName]) throws(Problem) {
    written.removeAll()
    written.append(line)
    if !holes.isEmpty { holes.removeAll() }
    if !ranges.isEmpty { ranges.removeAll() }
    hasValues = false
    try cut()
    if hasEscape || line.contains(where: { $0 == Self.dollar || $0 == Self.brace }) { try expand(line, names) }
  }

  private static let dollar = UInt8(ascii: "$")
  private static let brace = UInt8(ascii: "{")
  private static let closing = UInt8(ascii: "}")
  private static let backslash = UInt8(ascii: "\\")
  private static let quote = UInt8(ascii: "\"")

  private mutating func cut() throws(Problem) {
    words.removeAll(keepingCapacity: true)
    hasEscape = false
    resolved.removeAll()
    resolved.append(written.bytes)
    // Safety: the scanner writes within the bytes of `resolved`, which nothing else reads meanwhile.
    var scanner = WordScanner(UnsafeMutableRawBufferPointer(mutating: resolved.bytes))
    while scanner.skipBlanks() {
      let start = scanner.place
      let first = scanner.current
      // A remark, up to the end of the line.
      if first == WordScanner.hash { break }
      if first == Self.backslash, start + 1 < resolved.count, resolved.bytes[start + 1] == WordScanner.hash {
        hasEscape = true
      }
      let isQuoted = first == Self.quote
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
    let inFile = words
    written.removeAll()
    for (place, word) in inFile.enumerated() {
      if place > 0 { written.append(byte: WordScanner.space) }
      let raw = UnsafeRawBufferPointer(rebasing: line[word.range])
      if Self.isSpelledOut(raw) {
        let ranges = ranges.count
        let parts = try parts(of: word, raw, names)
        let isSame = ranges == self.ranges.count && !raw.contains(Self.dollar) && raw.first != Self.backslash
        if !word.isPlain, !isSame { written.append(text: "\(key(word))=") }
        // A brace that begins no range is a character like others.
        if isSame { written.append(raw) } else { write(parts, word: place, isTag: raw.first == WordScanner.at) }
      } else {
        written.append(raw)
      }
      guard written.count <= ScriptLimits.line else { throw Self.tooLong(word.start) }
    }
    try cut()
    words = zip(words, inFile).map {
      Word(start: $1.start, range: $0.range, place: $0.place, isQuoted: $0.isQuoted)
    }
  }

  /// Whether a word may stand for another text than its own.
  private static func isSpelledOut(_ raw: UnsafeRawBufferPointer) -> Bool {
    raw.contains { $0 == dollar || $0 == brace } || raw.starts(with: [backslash, WordScanner.hash])
  }

  /// Writes a word. It stays one, whatever is in it: blanks or an arrow in a value do not start another word.
  ///
  /// - Parameter isTag: Whether it begins with `@` in the file. In quotes it would be no tag.
  private mutating func write(_ parts: [Part], word: Int, isTag: Bool) {
    // The first part of a tag begins with its mark.
    let isBare =
      parts.contains { !$0.text.isEmpty }
      && parts.enumerated().allSatisfy { place, part in
        part.text.withUnsafeBytes {
          TextRules.areNameBytes(UnsafeRawBufferPointer(rebasing: $0.dropFirst(isTag && place == 0 ? 1 : 0)))
        }
      }
    if !isBare { written.append(byte: Self.quote) }
    for part in parts {
      if let source = part.source {
        holes.append(Hole(word: word, offset: written.count, length: part.text.count, source: source))
      }
      let text = String(decoding: part.text, as: UTF8.self)
      written.append(text: isBare ? text : String(LineProtocol.Word.quoted(text).dropFirst().dropLast()))
    }
    if !isBare { written.append(byte: Self.quote) }
  }

  /// A piece of a word: a text, or the longest number of a counter.
  private struct Part {
    var text: [UInt8]
    var source: Hole.Source?
  }

  /// A word with the values of its names, without quotes and escapes.
  private mutating func parts(
    of word: Word, _ raw: UnsafeRawBufferPointer, _ names: [String: ScriptName]
  ) throws(Problem) -> [Part] {
    let bytes = Array(bytes(word))
    // A quote can only begin a word or a value.
    let isQuoted = raw.contains(Self.quote)
    var dollars = raw.indices.filter { raw[$0] == Self.dollar }[...]
    let room = ScriptLimits.line - written.count
    var length = 0
    var parts: [Part] = []
    func add(_ text: some Sequence<UInt8>) {
      if parts.isEmpty || parts[parts.count - 1].source != nil { parts.append(Part(text: [])) }
      parts[parts.count - 1].text += text
    }
    var place = 0
    if !isQuoted, word.isPlain, bytes.starts(with: [Self.backslash, WordScanner.hash]) { place = 1 }
    while place < bytes.count {
      let byte = bytes[place]
      if byte == Self.brace, !isQuoted {
        let start = word.start + raw.count - bytes.count + place
        if let (range, past) = try range(at: place, in: bytes, names, start: start) {
          dollars = dollars.dropFirst(bytes[place..<past].count { $0 == Self.dollar })
          ranges.append(range)
          parts.append(Part(text: Array(range.longest.utf8), source: .range(ranges.count - 1)))
          place = past
          continue
        }
      }
      guard byte == Self.dollar else {
        add([byte])
        place += 1
        continue
      }
      let start = word.start + (dollars.popFirst() ?? 0)
      if place + 1 < bytes.count, bytes[place + 1] == Self.dollar {
        _ = dollars.popFirst()
        add([Self.dollar])
        place += 2
        continue
      }
      guard let (name, past) = Self.name(at: place, in: bytes) else {
        throw Problem(start: start, message: "'$' must be followed by a name from 'let'; write '$$' for a dollar sign")
      }
      guard let found = names[name] ?? names[""] else { throw Self.unknown(name, names, start) }
      used.insert(name)
      switch found.meaning {
      case .value(let value):
        hasValues = true
        add(value.utf8)
        length += value.utf8.count
      case .counter(let counter, let longest):
        parts.append(Part(text: Array(longest.utf8), source: .counter(counter)))
        length += longest.utf8.count
      case .mistaken: throw Problem(start: start, message: nil)
      }
      guard length <= room else { throw Self.tooLong(start) }
      place = past
    }
    return parts
  }

  private static func unknown(_ name: String, _ names: [String: ScriptName], _ start: Int) -> Problem {
    let hint = Nearest.match(name, among: names.keys.sorted()).map { "did you mean '$\($0)'?" }
    return Problem(
      start: start,
      message: "'$\(name)' has no value; \(hint ?? "'let \(name) = VALUE' gives it one, and a dollar is written '$$'")")
  }

  /// The name after a dollar, `$NAME` or `${NAME}`, and where it ends; nil if there is none.
  private static func name(at dollar: Int, in bytes: [UInt8]) -> (name: String, past: Int)? {
    let rest = bytes[(dollar + 1)...]
    let isBraced = rest.first == brace
    let name = rest.dropFirst(isBraced ? 1 : 0).prefix { ScriptName.isPart($0) }
    guard let first = name.first, ScriptName.isLetter(first) else { return nil }
    if isBraced, name.endIndex >= bytes.count || bytes[name.endIndex] != closing { return nil }
    return (String(decoding: name, as: UTF8.self), name.endIndex + (isBraced ? 1 : 0))
  }

  // MARK: Ranges

  /// The range `{FIRST..LAST}` that begins at a brace, and where it ends; nil if there is none. Then the brace is a
  /// plain character.
  ///
  /// - Parameter start: Offset of the brace in the line of the file.
  private mutating func range(
    at place: Int, in bytes: [UInt8], _ names: [String: ScriptName], start: Int
  ) throws(Problem) -> (ScriptCounter, past: Int)? {
    guard let first = Self.end(at: place + 1, in: bytes), bytes[first.past...].starts(with: "..".utf8),
      let last = Self.end(at: first.past + 2, in: bytes), last.past < bytes.count, bytes[last.past] == Self.closing,
      let from = try number(first.text, names, start), let to = try number(last.text, names, start)
    else { return nil }
    guard from.utf8.count <= Self.maxDigits, to.utf8.count <= Self.maxDigits, let low = Int(from), let high = Int(to)
    else { throw Problem(start: start, message: "a number in a range has at most \(Self.maxDigits) digits") }
    guard abs(high - low) < ScriptLimits.times else {
      throw Problem(start: start, message: "a range has at most \(ScriptLimits.times) numbers")
    }
    guard ranges.count < ScriptLimits.ranges else {
      throw Problem(start: start, message: "a line has at most \(ScriptLimits.ranges) ranges")
    }
    let isPadded = [from, to].contains { $0.utf8.count > 1 && $0.hasPrefix("0") }
    return (
      ScriptCounter(from: low, to: high, width: isPadded ? max(from.utf8.count, to.utf8.count) : 0),
      last.past + 1
    )
  }

  private static let maxDigits = 18

  /// An end of a range: digits, or a name.
  private static func end(at place: Int, in bytes: [UInt8]) -> (text: String, past: Int)? {
    guard place < bytes.count else { return nil }
    if bytes[place] == dollar { return name(at: place, in: bytes).map { ("$\($0.name)", $0.past) } }
    let digits = bytes[place...].prefix { (0x30...0x39).contains($0) }
    return digits.isEmpty ? nil : (String(decoding: digits, as: UTF8.self), digits.endIndex)
  }

  /// The digits of an end of a range; nil if they are none.
  private mutating func number(_ text: String, _ names: [String: ScriptName], _ start: Int) throws(Problem) -> String? {
    guard text.hasPrefix("$") else { return text }
    let name = String(text.dropFirst())
    used.insert(name)
    switch (names[name] ?? names[""])?.meaning {
    case .value(let value):
      return !value.isEmpty && value.utf8.allSatisfy { (0x30...0x39).contains($0) } ? value : nil
    case .counter: throw Problem(start: start, message: "'$\(name)' counts, and the ends of a range do not")
    case .mistaken: throw Problem(start: start, message: nil)
    case nil: return nil
    }
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

  /// The places for numbers in a range of words, with their offsets from its beginning.
  func holes(in words: Range<Int>) -> [Hole] {
    guard !holes.isEmpty, let first = words.first else { return [] }
    let start = self.words[first].range.lowerBound
    return holes.filter { words.contains($0.word) }.map {
      Hole(word: $0.word, offset: $0.offset - start, length: $0.length, source: $0.source)
    }
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

/// A word that is wrong, by its index; after the last word if there is none at this index.
package struct WrongWord: Error, Hashable {
  package let word: Int
  package let message: String
}

/// What `$NAME` stands for.
struct ScriptName {
  enum Meaning: Equatable {
    case value(String)
    /// An index in ``Script/counters``, and the longest number.
    case counter(Int, longest: String)
    /// The line that should have defined it is wrong.
    case mistaken
  }

  let meaning: Meaning
  /// Where it was defined: `FILE:LINE`.
  let place: String
  /// Whether an `include` or the command line has set it, so that a `let` of it is skipped.
  var isFromOutside = false

  static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  static func isPart(_ byte: UInt8) -> Bool { isLetter(byte) || (0x30...0x39).contains(byte) || byte == 0x5F }

  /// Whether a text can be a name: a letter, then letters, digits and `_`.
  static func isName(_ text: String) -> Bool {
    text.utf8.first.map(isLetter) == true && text.utf8.allSatisfy(isPart)
  }
}
