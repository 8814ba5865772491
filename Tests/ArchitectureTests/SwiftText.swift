/// A Swift source split into what the compiler reads and what people read, line by line.
///
/// `code` has the contents of comments and string literals blanked out, `comments` has only comments; both keep every
/// line of the original, so that an index into one is an index into all. Interpolations inside strings are code.
/// It knows enough of the grammar for the rules here; it is no parser: a regex literal is taken for code.
struct SwiftText {
  let lines: [String]
  let code: [String]
  let comments: [String]

  init(_ text: String) {
    let bytes = Array(text.utf8)
    var scanner = Scanner(bytes)
    scanner.run()
    lines = Self.lines(of: bytes)
    code = Self.lines(of: scanner.code)
    comments = Self.lines(of: scanner.comments)
  }

  private static func lines(of bytes: [UInt8]) -> [String] {
    bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}

private struct Scanner {
  private static let blank = UInt8(ascii: " ")

  private let text: [UInt8]
  private var at = 0
  private(set) var code: [UInt8] = []
  private(set) var comments: [UInt8] = []

  init(_ text: [UInt8]) {
    self.text = text
  }

  mutating func run() {
    scanCode(untilParenthesis: false)
  }

  /// Scans code up to the end, or up to the parenthesis that closes an interpolation, which is left for the caller.
  private mutating func scanCode(untilParenthesis: Bool) {
    var depth = 0
    while at < text.count {
      if text[at] == UInt8(ascii: "/"), starts(with: "//") {
        while at < text.count, text[at] != UInt8(ascii: "\n") { takeComment() }
      } else if text[at] == UInt8(ascii: "/"), starts(with: "/*") {
        scanBlockComment()
      } else if let hashes = openingHashes() {
        scanString(hashes: hashes)
      } else {
        if text[at] == UInt8(ascii: "(") { depth += 1 }
        if text[at] == UInt8(ascii: ")") {
          if untilParenthesis, depth == 0 { return }
          depth -= 1
        }
        takeCode()
      }
    }
  }

  private mutating func scanBlockComment() {
    var depth = 0
    repeat {
      if starts(with: "/*") {
        depth += 1
        takeComment()
      } else if starts(with: "*/") {
        depth -= 1
        takeComment()
      }
      if at < text.count { takeComment() }
    } while depth > 0 && at < text.count
  }

  /// How many `#` stand before a quotation mark here; nil when no string begins here.
  private func openingHashes() -> Int? {
    var end = at
    while end < text.count, text[end] == UInt8(ascii: "#") { end += 1 }
    return end < text.count && text[end] == UInt8(ascii: "\"") ? end - at : nil
  }

  private mutating func scanString(hashes: Int) {
    let fence = String(repeating: "#", count: hashes)
    for _ in 0..<hashes { takeCode() }
    let isMultiline = starts(with: "\"\"\"")
    let quote = isMultiline ? "\"\"\"" : "\""
    for _ in quote { takeCode() }
    while at < text.count {
      // Most bytes of a string neither end it nor begin an escape.
      guard [UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "\n")].contains(text[at]) else {
        takeBlank()
        continue
      }
      if starts(with: quote + fence) {
        for _ in quote + fence { takeCode() }
        return
      }
      if !isMultiline, text[at] == UInt8(ascii: "\n") { return }  // Not closed: the compiler will say so.
      if starts(with: "\\" + fence + "(") {
        for _ in "\\" + fence { takeBlank() }
        takeCode()
        scanCode(untilParenthesis: true)
        if at < text.count { takeCode() }
      } else {
        if starts(with: "\\" + fence) {
          for _ in "\\" + fence where at < text.count { takeBlank() }
        }
        if at < text.count { takeBlank() }
      }
    }
  }

  private func starts(with prefix: String) -> Bool {
    text[at...].starts(with: prefix.utf8)
  }

  private mutating func takeCode() { take(code: text[at], comment: Self.blank) }
  private mutating func takeComment() { take(code: Self.blank, comment: text[at]) }
  private mutating func takeBlank() { take(code: Self.blank, comment: Self.blank) }

  private mutating func take(code: UInt8, comment: UInt8) {
    let isLineEnd = text[at] == UInt8(ascii: "\n")
    self.code.append(isLineEnd ? text[at] : code)
    comments.append(isLineEnd ? text[at] : comment)
    at += 1
  }
}
