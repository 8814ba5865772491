internal import CReadline
internal import LineProtocol
internal import UnixHost

/// Text for a terminal. Text from elsewhere is escaped by ``VisibleText``.
///
/// Literals are kept as they are, with styles and line feeds; an interpolated value, for example a `String`, is
/// escaped, so that it cannot control the terminal. All output for people has this type, so unescaped text cannot reach
/// it by mistake.
struct ScreenText: Equatable, ExpressibleByStringInterpolation {
  private(set) var bytes: [UInt8] = []

  init() {}

  init(stringLiteral text: String) {
    bytes = Array(text.utf8)
  }

  init(stringInterpolation: StringInterpolation) {
    bytes = stringInterpolation.bytes
  }

  /// Text from elsewhere, escaped.
  init(_ text: String) {
    bytes = Array(VisibleText.escaped(text).utf8)
  }

  /// Bytes from elsewhere, escaped.
  init(_ bytes: [UInt8]) {
    self.bytes = Array(VisibleText.escaped(bytes).utf8)
  }

  /// Bytes as they are: for a pipe or a file, never for a terminal.
  init(unescaped bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  var isEmpty: Bool { bytes.isEmpty }
  var text: String { String(decoding: bytes, as: UTF8.self) }

  var trimmingTrailingBlanks: ScreenText {
    ScreenText(unescaped: bytes.reversed().drop { $0 == 0x20 }.reversed())
  }

  static func += (text: inout ScreenText, more: ScreenText) {
    text.bytes += more.bytes
  }

  static func + (text: ScreenText, more: ScreenText) -> ScreenText {
    var text = text
    text += more
    return text
  }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var bytes: [UInt8] = []

    init(literalCapacity: Int, interpolationCount: Int) {
      bytes.reserveCapacity(literalCapacity + interpolationCount * 16)
    }

    mutating func appendLiteral(_ literal: String) {
      bytes += literal.utf8
    }

    mutating func appendInterpolation(_ text: ScreenText) {
      bytes += text.bytes
    }

    mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      bytes += VisibleText.escaped(value.description).utf8
    }
  }
}

extension DefaultStringInterpolation {
  /// A `String` around a screen text would show the bytes of the value: the literal needs the type `ScreenText`.
  ///
  /// Deprecated, since the compiler passes over what is unavailable and takes the method for any value instead.
  @available(*, deprecated, message: "this makes a String; give the literal the type ScreenText")
  mutating func appendInterpolation(_ text: ScreenText) { appendInterpolation(text.text) }
}

extension Sequence<ScreenText> {
  func joined(separator: ScreenText = "") -> ScreenText {
    var joined = ScreenText()
    for (index, text) in enumerated() {
      if index > 0 { joined += separator }
      joined += text
    }
    return joined
  }
}

extension Descriptor {
  /// Writes the whole text.
  ///
  /// - Returns: False if that fails.
  @discardableResult
  func write(_ text: ScreenText) -> Bool {
    text.bytes.withUnsafeBytes { writeAll($0) }
  }

  /// Writes a message with a line feed, on a terminal broken between words.
  func report(_ text: ScreenText) {
    write("\(text.wrapped(width: columns))\n")
  }
}

// MARK: Columns

extension ScreenText {
  /// How many terminal columns a text takes, without style sequences.
  static func columns(of text: some StringProtocol) -> Int {
    var columns = 0
    var isInStyle = false
    for scalar in text.unicodeScalars {
      if isInStyle {
        isInStyle = scalar != "m"
      } else if scalar == "\u{1B}" {
        isInStyle = true
      } else {
        columns += width(of: scalar)
      }
    }
    return columns
  }

  /// How many rows of a screen it takes. A line that is wider than the screen takes several.
  func rows(width: Int?) -> Int {
    bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast(isEmpty || bytes.last == 0x0A ? 1 : 0)
      .reduce(0) { $0 + Self.rows(of: $1, width) }
  }

  /// Removes the lines that fit into some rows, and returns them.
  ///
  /// - Parameter takesOne: Whether the first line is removed even if it does not fit.
  mutating func removeFirst(rows: Int, width: Int?, takesOne: Bool) -> ScreenText {
    var (end, left) = (0, rows)
    while end < bytes.count {
      let line = bytes[end...].prefix { $0 != 0x0A }
      left -= Self.rows(of: line, width)
      guard left >= 0 || takesOne && end == 0 else { break }
      end = min(line.endIndex + 1, bytes.count)
    }
    defer { bytes.removeFirst(end) }
    return ScreenText(unescaped: bytes[..<end])
  }

  private static func rows(of line: ArraySlice<UInt8>, _ width: Int?) -> Int {
    guard let width, width > 0, line.count > width else { return 1 }
    return max(1, (columns(of: String(decoding: line, as: UTF8.self)) + width - 1) / width)
  }

  private static func width(of scalar: Unicode.Scalar) -> Int {
    if scalar.isASCII { return 1 }
    let width = wcwidth(wchar_t(bitPattern: scalar.value))
    return width < 0 ? 1 : Int(width)
  }

  /// The text with each line broken at blanks, or at commas and their like where there are none, so that no word is cut.
  ///
  /// - Parameters:
  ///   - width: Width of the screen, in columns; `nil` does not wrap lines.
  ///   - indent: How much further continuation lines are indented, in columns.
  func wrapped(width: Int?, indent: Int = 2) -> ScreenText {
    guard let width, bytes.count >= width else { return self }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return ScreenText(
      unescaped: lines.map { Self.wrap($0, width: width - 1, indent: indent) }.joined(separator: "\n").utf8)
  }

  private static func wrap(_ line: Substring, width: Int, indent: Int) -> String {
    guard columns(of: line) > width else { return String(line) }
    let margin = min(line.prefix { $0 == " " }.count + indent, width / 2)
    let next = "\n" + String(repeating: " ", count: margin)
    var wrapped = ""
    var used = 0
    var rest = line
    while !rest.isEmpty {
      let blanks = rest.prefix { $0 == " " }
      rest = rest.dropFirst(blanks.count)
      let word = rest.prefix { $0 != " " }
      rest = rest.dropFirst(word.count)
      let length = columns(of: word)
      if used + blanks.count + length <= width || used <= margin && length <= width - margin {
        wrapped += blanks + word
        used += blanks.count + length
        continue
      }
      // A word that fits no line is a list.
      let pieces = length <= width - margin ? [word] : parts(of: word)
      for (index, piece) in pieces.enumerated() {
        let length = columns(of: piece)
        let gap = index == 0 ? blanks : ""
        if used > margin, used + gap.count + length > width {
          wrapped += next + piece
          used = margin + length
        } else {
          wrapped += gap + piece
          used += gap.count + length
        }
      }
    }
    return wrapped
  }

  /// A word cut after each comma and each sign between choices or regions.
  private static func parts(of word: Substring) -> [Substring] {
    var parts: [Substring] = []
    var rest = word
    while let comma = rest.firstIndex(where: { ",|+".contains($0) }) {
      parts.append(rest[...comma])
      rest = rest[rest.index(after: comma)...]
    }
    return parts + [rest]
  }
}
