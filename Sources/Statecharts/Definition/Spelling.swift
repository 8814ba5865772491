import LineProtocol

/// The word of a list that was probably meant.
enum Spelling {
  /// Words that are compared at most: a long list of names is no help, and comparing takes time.
  private static var most: Int { 2_000 }

  /// - Parameter farthest: How many letters may differ; a third of them by default.
  static func closest(to word: String, in words: some Sequence<String>, farthest: Int? = nil) -> String? {
    // A letter is near to any other.
    guard word.unicodeScalars.count > 1 else { return nil }
    let stem = stem(of: word)
    let wanted = letters(word)
    let pattern = Nearest.Pattern(wanted)
    var best: (distance: Int, word: String)?
    for candidate in words.prefix(most) where candidate != word && self.stem(of: candidate) != stem {
      let distance = pattern.distance(to: letters(candidate))
      if distance < best?.distance ?? .max { best = (distance, candidate) }
    }
    guard let best, best.distance <= farthest ?? max(1, wanted.count / 3) else { return nil }
    return best.word
  }

  /// What the names of a series have in common: `State1` and `State12`, or `PhaseA` and `PhaseB`, are all meant as they are.
  private static func stem(of word: String) -> String {
    let letters = word.filter { !$0.isNumber }
    let hasMark = letters.last?.isUppercase == true && letters.dropLast().last?.isUppercase == false
    return hasMark ? String(letters.dropLast()) : letters
  }

  /// `; did you mean …?`, or nothing.
  static func suggestion(for word: String, in words: some Sequence<String>, farthest: Int? = nil) -> String {
    closest(to: word, in: words, farthest: farthest).map { "; did you mean \($0)?" } ?? ""
  }

  private static func letters(_ word: String) -> [UInt32] { word.lowercased().utf8.prefix(40).map(UInt32.init) }
}
