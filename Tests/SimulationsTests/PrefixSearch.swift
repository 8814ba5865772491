/// The search of Knuth, Morris and Pratt for one word, after the textbook: an independent check of ``WordMatcher``.
struct PrefixSearch {
  let word: [Unicode.Scalar]
  /// For each prefix of the word, the length of its longest proper border.
  let borders: [Int]
  /// The length of the longest prefix of the word with which the text ends.
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

  /// Reads a character. Returns whether an occurrence of the word ends with it.
  mutating func take(_ character: Unicode.Scalar) -> Bool {
    if matched == word.count { matched = borders[matched - 1] }
    while matched > 0, word[matched] != character { matched = borders[matched - 1] }
    if word[matched] == character { matched += 1 }
    offset += 1
    return matched == word.count
  }
}
