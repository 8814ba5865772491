import LineProtocol

/// What a request line came to, with its words as text.
enum ParsedLine: Equatable, CustomStringConvertible {
  case request(tag: String, verb: String, words: [ParsedWord])
  case blank
  /// With the tag that the answer bears.
  case syntax(tag: String, String)

  init(_ line: String) {
    self.init(Array(line.utf8))
  }

  init(_ line: [UInt8]) {
    var request = Request()
    self.init(line, &request)
  }

  /// Takes a line apart with a request that was used before.
  init(_ line: [UInt8], _ request: inout Request) {
    var line = line
    self = line.withUnsafeMutableBytes { bytes in
      func text(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes, as: UTF8.self) }
      let isPlain = TextRules.isPlain(UnsafeRawBufferPointer(bytes))
      do throws(Request.Failure) {
        try request.parse(bytes, isPlain: isPlain)
      } catch {
        switch error {
        case .blank: return .blank
        case .syntax(let why): return .syntax(tag: text(request.tag), why)
        }
      }
      let words = request.words.map { word in
        ParsedWord(key: word.isPlain ? nil : text(request.key(of: word)), text: text(request.bytes(of: word)))
      }
      return .request(tag: text(request.tag), verb: text(request.verb), words: words)
    }
  }

  var isSyntax: Bool {
    if case .syntax = self { true } else { false }
  }

  /// The words of a request without a tag whose verb is `v`; nil for anything else.
  var wordsOfV: [ParsedWord]? {
    guard case .request(tag: "", verb: "v", let words) = self else { return nil }
    return words
  }

  var description: String {
    switch self {
    case .request(let tag, let verb, let words): "@\(tag) \(verb) \(words)"
    case .blank: "blank"
    case .syntax(let tag, let why): "@\(tag) syntax: \(why)"
    }
  }
}

/// A word of a request: plain if it has no key.
struct ParsedWord: Equatable, ExpressibleByStringLiteral, CustomStringConvertible {
  var key: String?
  var text: String

  init(key: String? = nil, text: String) {
    self.key = key
    self.text = text
  }

  init(stringLiteral text: String) {
    self.init(text: text)
  }

  static func key(_ key: String, _ text: String) -> ParsedWord { ParsedWord(key: key, text: text) }

  var description: String { (key.map { "\($0)→" } ?? "") + text.debugDescription }
}
