// What the standard library has for this is in its library of regular expressions, a megabyte in each program that uses
// one call of it. These compare bytes, so a combining character after a match does not hide it.

extension Collection<UInt8> {
  /// The first range of `bytes`; an empty one at the start if `bytes` is empty.
  ///
  /// - Complexity: O(*n*) for bytes whose first one is rare.
  package func find(_ bytes: some Collection<UInt8>) -> Range<Index>? {
    guard let first = bytes.first else { return startIndex..<startIndex }
    var rest = self[...]
    while let start = rest.firstIndex(of: first) {
      rest = rest[start...]
      if rest.starts(with: bytes) { return start..<index(start, offsetBy: bytes.count) }
      rest = rest.dropFirst()
    }
    return nil
  }

  package func includes(_ text: some StringProtocol) -> Bool { find(text.utf8) != nil }
}

extension StringProtocol {
  /// Where a text stands first.
  package func find(_ text: some StringProtocol) -> Range<Index>? { utf8.find(text.utf8) }

  package func includes(_ text: some StringProtocol) -> Bool { find(text) != nil }

  /// What is before and after the first place of a text.
  package func cut(at text: some StringProtocol) -> (before: SubSequence, after: SubSequence)? {
    find(text).map { (self[..<$0.lowerBound], self[$0.upperBound...]) }
  }

  /// The text with another in each place of a text.
  package func replaced(_ text: some StringProtocol, by other: some StringProtocol) -> String {
    var result = ""
    var rest = Substring(self)
    while let (before, after) = rest.cut(at: text), !text.isEmpty {
      result += before
      result += other
      rest = after
    }
    return result + rest
  }

  /// The text with another in place of each longest run of such characters.
  package func replaced(runsOf belongs: (Character) -> Bool, by other: (Substring) -> String) -> String {
    var result = ""
    var rest = Substring(self)
    while let start = rest.firstIndex(where: belongs) {
      let run = rest[start...].prefix(while: belongs)
      result += rest[..<start] + other(run)
      rest = rest[run.endIndex...]
    }
    return result + rest
  }
}

extension String {
  /// The text; if it is longer than so many characters, its first and last halves of that, with `…` between them.
  package func shortened(to most: Int) -> String {
    guard utf8.count > most, count > most else { return self }
    return "\(prefix(most / 2))…\(suffix(most / 2))"
  }
}
