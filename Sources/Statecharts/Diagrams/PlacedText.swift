/// A part of a document's text in which each byte knows where it stands, also after entities were resolved.
///
/// Parts of it share its bytes: a reader that takes one word after another from a long line copies nothing.
struct PlacedText: Sendable {
  /// Bytes by their place in the text.
  struct Bytes: RandomAccessCollection, Sendable {
    fileprivate var shared: [UInt8] = []
    fileprivate var start = 0
    fileprivate(set) var count = 0

    var startIndex: Int { 0 }
    var endIndex: Int { count }
    subscript(place: Int) -> UInt8 { shared[start + place] }
    fileprivate var slice: ArraySlice<UInt8> { shared[start..<start + count] }

    // As the standard library has them for any collection, but without its checks for each byte.
    func index(after place: Int) -> Int { place + 1 }
    func index(before place: Int) -> Int { place - 1 }
    func makeIterator() -> IndexingIterator<ArraySlice<UInt8>> { slice.makeIterator() }
  }

  private(set) var bytes = Bytes()
  /// The place in the document of each shared byte; `nil` if these are the document's.
  private var offsets: [Int]? = []
  /// The place after the last byte.
  private(set) var end: Int

  /// An empty text.
  init(at offset: Int) {
    end = offset
  }

  /// A part of the document as it stands there.
  init(_ document: [UInt8], _ range: Range<Int>) {
    bytes = Bytes(shared: document, start: range.lowerBound, count: range.count)
    offsets = nil
    end = range.upperBound
  }

  var isEmpty: Bool { bytes.isEmpty }
  var string: String { String(decoding: bytes.slice, as: UTF8.self) }
  var start: Int { offset(of: 0) }

  func offset(of place: Int) -> Int {
    guard place < bytes.count else { return end }
    return offsets?[bytes.start + place] ?? bytes.start + place
  }

  /// Gives the text bytes of its own, so that more can be appended.
  private mutating func detach() {
    if offsets != nil, bytes.start + bytes.count == bytes.shared.count { return }
    offsets = bytes.indices.map(offset(of:))
    bytes = Bytes(shared: Array(bytes.slice), count: bytes.count)
  }

  mutating func append(_ byte: UInt8, at offset: Int, end: Int) {
    detach()
    bytes.shared.append(byte)
    bytes.count += 1
    offsets?.append(offset)
    self.end = end
  }

  /// Appends another text, with a blank between the two.
  mutating func join(_ other: PlacedText) {
    if !isEmpty { append(0x20, at: end, end: end) }
    for place in other.bytes.indices { append(other.bytes[place], at: other.offset(of: place), end: other.end) }
    end = other.end
  }

  subscript(range: Range<Int>) -> PlacedText {
    var part = PlacedText(at: offset(of: range.upperBound))
    part.bytes = Bytes(shared: bytes.shared, start: bytes.start + range.lowerBound, count: range.count)
    part.offsets = offsets
    return part
  }

  func dropFirst(_ count: Int) -> PlacedText { self[min(count, bytes.count)..<bytes.count] }

  /// Without blanks at both ends.
  var trimmed: PlacedText {
    guard let first = bytes.firstIndex(where: { !Self.isBlank($0) }),
      let last = bytes.lastIndex(where: { !Self.isBlank($0) })
    else { return PlacedText(at: start) }
    return self[first..<(last + 1)]
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }

  func hasPrefix(_ text: String) -> Bool { bytes.starts(with: text.utf8) }

  func hasSuffix(_ text: String) -> Bool { bytes.suffix(text.utf8.count).elementsEqual(text.utf8) }

  /// Whether that is the whole text.
  func `is`(_ text: String) -> Bool { bytes.count == text.utf8.count && hasPrefix(text) }

  /// Without the mark of arrows that are possible now, in diagrams of machines; it may be an emoji.
  var withoutMark: PlacedText {
    ["▶\u{FE0F}", "▶"].first(where: hasPrefix).map { dropFirst($0.utf8.count).trimmed } ?? self
  }

  /// What is in the brackets of a text that is in brackets as a whole.
  func inside(_ open: String) -> PlacedText? {
    hasPrefix(open) && closing(0) == bytes.count - 1 ? self[1..<(bytes.count - 1)] : nil
  }

  /// What follows a word and a blank, or nothing; `nil` if the text begins otherwise.
  func rest(after word: String) -> PlacedText? {
    guard hasPrefix(word) else { return nil }
    let rest = dropFirst(word.utf8.count)
    guard let next = rest.bytes.first else { return rest }
    return Self.isBlank(next) ? rest.trimmed : nil
  }

  // MARK: Brackets and quotes

  /// The first place in no brackets and no quotes for which something holds.
  ///
  /// - Parameter isWanted: Is asked of the places of opening brackets and quotes as well, and not of closing ones.
  func firstTopLevel(where isWanted: (Int) -> Bool) -> Int? {
    var nesting = Nesting()
    return bytes.indices.first { nesting.take(bytes[$0]) && isWanted($0) }
  }

  /// Which brackets and quotes are open after the bytes that were taken.
  struct Nesting {
    private var depth = 0
    private var quote: UInt8?
    private var isEscaped = false

    var isOpen: Bool { depth > 0 || quote != nil }

    /// - Returns: Whether the byte is in no brackets and no quotes; an opening one is not, a closing one is.
    mutating func take(_ byte: UInt8) -> Bool {
      if isEscaped {
        isEscaped = false
        return false
      }
      if let open = quote {
        if byte == UInt8(ascii: "\\") { isEscaped = true } else if byte == open { quote = nil }
        return false
      }
      let isOutside = depth == 0
      switch byte {
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
        depth = max(0, depth - 1)
        return false
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "'"), UInt8(ascii: "\""): quote = byte
      case _: break
      }
      return isOutside
    }
  }

  /// The first place of one of these bytes outside of brackets and quotes.
  func firstTopLevel(_ wanted: String) -> Int? { firstTopLevel { wanted.utf8.contains(bytes[$0]) } }

  /// The parts between separators outside of brackets and quotes, without blanks around them.
  func split(_ separators: String) -> [PlacedText] {
    var parts: [PlacedText] = []
    var start = 0
    var nesting = Nesting()
    for place in bytes.indices where nesting.take(bytes[place]) && separators.utf8.contains(bytes[place]) {
      parts.append(self[start..<place].trimmed)
      start = place + 1
    }
    parts.append(dropFirst(start).trimmed)
    return parts
  }

  /// The place of the bracket that closes the one at a place; `nil` if there is none.
  func closing(_ open: Int) -> Int? {
    let opener = bytes[open]
    let closer: UInt8 =
      opener == UInt8(ascii: "(") ? UInt8(ascii: ")") : opener == UInt8(ascii: "[") ? UInt8(ascii: "]") : 0x7D
    var depth = 0
    var quote: UInt8?
    var place = open
    while place < bytes.count {
      let byte = bytes[place]
      if let mark = quote {
        if byte == UInt8(ascii: "\\") { place += 1 } else if byte == mark { quote = nil }
      } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
        quote = byte
      } else if byte == opener {
        depth += 1
      } else if byte == closer {
        depth -= 1
        if depth == 0 { return place }
      }
      place += 1
    }
    return nil
  }

  // MARK: Entities

  private static let entities: [String: String] = [
    "quot": "\"", "apos": "'", "lt": "<", "gt": ">", "amp": "&", "nbsp": " ", "colon": ":", "semi": ";", "num": "#",
    "comma": ",", "lpar": "(", "rpar": ")", "lsqb": "[", "rsqb": "]", "lbrace": "{", "rbrace": "}", "sol": "/",
  ]

  /// The lines between `<br/>`, with `#59;`, `#lt;` and `&lt;` as the characters that they stand for.
  var lines: [PlacedText] {
    var lines: [PlacedText] = [PlacedText(at: start)]
    var place = 0
    while place < bytes.count {
      let offset = offset(of: place)
      if let count = lineBreak(at: place) {
        lines.append(PlacedText(at: self.offset(of: place + count)))
        place += count
      } else if let (text, count) = entity(at: place) {
        for byte in text.utf8 { lines[lines.count - 1].append(byte, at: offset, end: self.offset(of: place + count)) }
        place += count
      } else {
        lines[lines.count - 1].append(bytes[place], at: offset, end: self.offset(of: place + 1))
        place += 1
      }
    }
    return lines
  }

  /// What follows the first line.
  var afterBreak: PlacedText? {
    bytes.indices.lazy.compactMap { place in lineBreak(at: place).map { dropFirst(place + $0) } }.first
  }

  private func lineBreak(at place: Int) -> Int? {
    if bytes[place...].starts(with: "\\n".utf8) { return 2 }
    guard bytes[place...].starts(with: "<br".utf8) else { return nil }
    var end = place + 3
    while end < bytes.count, bytes[end] == 0x20 || bytes[end] == UInt8(ascii: "/") { end += 1 }
    return end < bytes.count && bytes[end] == UInt8(ascii: ">") ? end + 1 - place : nil
  }

  private func entity(at place: Int) -> (text: String, count: Int)? {
    guard bytes[place] == UInt8(ascii: "#") || bytes[place] == UInt8(ascii: "&") else { return nil }
    guard let end = bytes[place...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else { return nil }
    var name = String(decoding: bytes[(place + 1)..<end], as: UTF8.self)
    if name.hasPrefix("#") { name.removeFirst() }
    if let known = Self.entities[name] { return (known, end + 1 - place) }
    guard let number = UInt32(name), let scalar = Unicode.Scalar(number) else { return nil }
    return (String(scalar), end + 1 - place)
  }
}
