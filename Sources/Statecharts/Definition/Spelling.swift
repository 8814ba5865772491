/// The word of a list that was probably meant.
enum Spelling {
  /// Words that are compared at most: a long list of names is no help, and comparing takes time.
  private static var most: Int { 2_000 }

  /// - Parameter farthest: How many letters may differ; a third of them by default.
  static func closest(to word: String, in words: some Sequence<String>, farthest: Int? = nil) -> String? {
    // A letter is near to any other.
    guard word.unicodeScalars.count > 1 else { return nil }
    let stem = stem(of: word)
    let wanted = Array(word.lowercased().utf8.prefix(40))
    var best: (distance: Int, word: String)?
    for candidate in words.prefix(most) where candidate != word && self.stem(of: candidate) != stem {
      let distance = distance(wanted, Array(candidate.lowercased().utf8.prefix(40)))
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

  /// Insertions, deletions, replacements and swaps of neighbours.
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var before: [Int] = []
    var last = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      for column in right.indices {
        var cost = min(last[column + 1], current[column]) + 1
        cost = min(cost, last[column] + (left[row] == right[column] ? 0 : 1))
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          cost = min(cost, before[column - 1] + 1)
        }
        current.append(cost)
      }
      (before, last) = (last, current)
    }
    return last[right.count]
  }
}
