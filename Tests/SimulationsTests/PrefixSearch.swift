/// The search of Knuth, Morris and Pratt for one word, as the textbook has it: a second opinion on ``WordMatcher``.
struct PrefixSearch {
  let word: [Unicode.Scalar]
  /// For each beginning of the word the length of its longest proper border.
  let borders: [Int]
  /// How many characters of the word the text ends with.
  private(set) var matched = 0
  private(set) var offset = 0

  init(_ word: String) {
    let word = Array(word.unicodeScalars)
    var borders = Array(repeating: 0, count: word.count)
    var length = 0
    for place in word.indices.dropFirst() {
      while length > 0, word[length] != word[place] { length = borders[length - 1] }
      if word[length] == word[place] { length += 1 }
      borders[place] = length
    }
    self.word = word
    self.borders = borders
  }

  /// Reads a character; whether the word ends with it.
  mutating func take(_ character: Unicode.Scalar) -> Bool {
    if matched == word.count { matched = borders[matched - 1] }
    while matched > 0, word[matched] != character { matched = borders[matched - 1] }
    if word[matched] == character { matched += 1 }
    offset += 1
    return matched == word.count
  }
}
