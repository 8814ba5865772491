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
    var scanner = Scanner(Array(text))
    scanner.run()
    lines = Self.lines(of: Array(text))
    code = Self.lines(of: scanner.code)
    comments = Self.lines(of: scanner.comments)
  }

  private static func lines(of characters: [Character]) -> [String] {
    characters.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
  }
}

private struct Scanner {
  private let text: [Character]
  private var at = 0
  private(set) var code: [Character] = []
  private(set) var comments: [Character] = []

  init(_ text: [Character]) {
    self.text = text
  }

  mutating func run() {
    scanCode(untilParenthesis: false)
  }

  /// Scans code up to the end, or up to the parenthesis that closes an interpolation, which is left for the caller.
  private mutating func scanCode(untilParenthesis: Bool) {
    var depth = 0
    while at < text.count {
      if starts(with: "//") {
        while at < text.count, text[at] != "\n" { takeComment() }
      } else if starts(with: "/*") {
        scanBlockComment()
      } else if let hashes = openingHashes() {
        scanString(hashes: hashes)
      } else {
        if text[at] == "(" { depth += 1 }
        if text[at] == ")" {
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
    while end < text.count, text[end] == "#" { end += 1 }
    return end < text.count && text[end] == "\"" ? end - at : nil
  }

  private mutating func scanString(hashes: Int) {
    let fence = String(repeating: "#", count: hashes)
    for _ in 0..<hashes { takeCode() }
    let isMultiline = starts(with: "\"\"\"")
    let quote = isMultiline ? "\"\"\"" : "\""
    for _ in quote { takeCode() }
    while at < text.count {
      if starts(with: quote + fence) {
        for _ in quote + fence { takeCode() }
        return
      }
      if !isMultiline, text[at] == "\n" { return }  // Not closed: the compiler will say so.
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
    text[at...].starts(with: prefix)
  }

  private mutating func takeCode() { take(code: text[at], comment: " ") }
  private mutating func takeComment() { take(code: " ", comment: text[at]) }
  private mutating func takeBlank() { take(code: " ", comment: " ") }

  private mutating func take(code: Character, comment: Character) {
    let isLineEnd = text[at] == "\n"
    self.code.append(isLineEnd ? "\n" : code)
    comments.append(isLineEnd ? "\n" : comment)
    at += 1
  }
}
