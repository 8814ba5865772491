import LineProtocol

/// Words as a script writes them, so that they are read as they are: an arrow, a remark or a range stands in quotes,
/// and a dollar, which would begin a name, is doubled.
package enum ScriptSpelling {
  /// A plain word.
  package static func word(_ text: String) -> String {
    let isMarked = text.hasPrefix("=>") || text.hasPrefix("#") || text.hasPrefix("\\#")
    return dollarsDoubled(isMarked || mayBeRange(text) ? Word.quoted(text) : Word.written(text))
  }

  /// The value of a `key=value` word.
  package static func value(_ text: String) -> String {
    dollarsDoubled(mayBeRange(text) || Word.needsQuotes(text, asValue: true) ? Word.quoted(text) : text)
  }

  /// The request that a line of such words stands for.
  package static func request(_ line: String) -> String { line.replaced("$$", by: "$") }

  private static func dollarsDoubled(_ text: String) -> String {
    text.utf8.contains(UInt8(ascii: "$")) ? text.replaced("$", by: "$$") : text
  }

  /// Whether a brace stands before a digit or a dollar.
  private static func mayBeRange(_ text: String) -> Bool {
    guard text.utf8.contains(UInt8(ascii: "{")) else { return false }
    return zip(text.utf8, text.utf8.dropFirst()).contains {
      $0 == UInt8(ascii: "{") && ((0x30...0x39).contains($1) || $1 == UInt8(ascii: "$"))
    }
  }
}
