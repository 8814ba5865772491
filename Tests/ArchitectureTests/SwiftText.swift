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

/// All source files go through it, byte by byte and without the optimiser: so it names bytes by numbers, and calls nothing
/// for one that is as plain as most.
private struct Scanner {
  private let text: [UInt8]
  private var at = 0
  /// Blank but for line ends, until something is taken.
  private(set) var code: [UInt8]
  private(set) var comments: [UInt8]

  init(_ text: [UInt8]) {
    self.text = text
    code = text.map { $0 == 0x0A ? 0x0A : 0x20 }
    comments = code
  }

  mutating func run() {
    scanCode(untilParenthesis: false)
  }

  /// Scans code up to the end, or up to the parenthesis that closes an interpolation, which is left for the caller.
  private mutating func scanCode(untilParenthesis: Bool) {
    var depth = 0
    while at < text.count {
      switch text[at] {
      case 0x2F where starts(with: "//"):
        while at < text.count, text[at] != 0x0A { takeComment() }
        continue
      case 0x2F where starts(with: "/*"):
        scanBlockComment()
        continue
      case 0x22, 0x23:  // " and #
        if let hashes = openingHashes() {
          scanString(hashes: hashes)
          continue
        }
      case 0x28: depth += 1  // (
      case 0x29:  // )
        if untilParenthesis, depth == 0 { return }
        depth -= 1
      case _: break
      }
      takeCode()
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
      guard text[at] == 0x22 || text[at] == 0x5C || text[at] == 0x0A else {
        at += 1
        continue
      }
      if starts(with: quote + fence) {
        for _ in quote + fence { takeCode() }
        return
      }
      if !isMultiline, text[at] == UInt8(ascii: "\n") { return }  // Not closed: the compiler will say so.
      if starts(with: "\\" + fence + "(") {
        at += 1 + hashes
        takeCode()
        scanCode(untilParenthesis: true)
        if at < text.count { takeCode() }
      } else {
        if starts(with: "\\" + fence) {
          at += 1 + hashes
        }
        at += 1
      }
    }
  }

  private func starts(with prefix: String) -> Bool {
    text[at...].starts(with: prefix.utf8)
  }

  private mutating func takeCode() {
    code[at] = text[at]
    at += 1
  }

  private mutating func takeComment() {
    comments[at] = text[at]
    at += 1
  }
}
