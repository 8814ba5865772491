import StateMachines
import TestSupport
import Testing

@testable import Simulations

struct WordMatcherTests {
  typealias Match = WordMatcher.Match

  private func matches(_ matcher: WordMatcher, _ pieces: [[UInt8]]) -> [Match] {
    var position = matcher.start
    var found: [Match] = []
    for piece in pieces { matcher.scan(piece, from: &position) { found.append($0) } }
    matcher.finish(&position) { found.append($0) }
    return found
  }

  private func matches(
    _ words: [String], _ text: String, caseFold: Bool = false, wholeWord: Bool = false
  ) throws -> [Match] {
    matches(try WordMatcher(words: words, caseFold: caseFold, wholeWord: wholeWord), [Array(text.utf8)])
  }

  /// The matches in the order in which the matcher reports them.
  private func sorted(_ matches: [Match]) -> [Match] { matches.sorted { ($0.end, $0.start) < ($1.end, $1.start) } }

  private func naive(_ words: [String], _ text: String) -> [Match] {
    let text = Array(text.unicodeScalars)
    var found: [Match] = []
    for (place, word) in words.enumerated() {
      let word = Array(word.unicodeScalars)
      for start in text.indices where text[start...].starts(with: word) {
        found.append(Match(word: place, start: start, end: start + word.count))
      }
    }
    return sorted(found)
  }

  private func oneByOne(_ words: [String], _ text: String) -> [Match] {
    var found: [Match] = []
    for (place, word) in words.enumerated() {
      var search = PrefixSearch(word)
      for character in text.unicodeScalars where search.take(character) {
        found.append(Match(word: place, start: search.offset - search.word.count, end: search.offset))
      }
    }
    return sorted(found)
  }

  private func text(of length: Int, from letters: [String], _ generator: inout Generator) -> String {
    (0..<length).map { _ in letters.randomElement(using: &generator)! }.joined()
  }

  @Test(
    "the same as one search per word, and as looking everywhere, however the text is cut",
    arguments: Thorough.rounds(0..<150))
  func threeWays(seed: UInt64) throws {
    var generator = Generator(salt: seed)
    let letters = seed.isMultiple(of: 3) ? ["a", "b", "é", "漢", "😀"] : ["a", "b", "c"]
    var words: [String] = []
    for _ in 0..<Int.random(in: 1...8, using: &generator) {
      let word = text(of: .random(in: 1...6, using: &generator), from: letters, &generator)
      if !words.contains(word) { words.append(word) }
    }
    let text = text(of: 400, from: letters, &generator)
    let matcher = try WordMatcher(words: words)
    expectEqual(matcher.words, words)
    let whole = matches(matcher, [Array(text.utf8)])
    expectEqual(whole, naive(words, text), "seed \(seed), \(words)")
    expectEqual(whole, oneByOne(words, text), "seed \(seed), \(words)")
    var rest = Array(text.utf8)
    var pieces: [[UInt8]] = []
    while !rest.isEmpty {
      let length = min(rest.count, .random(in: 0...7, using: &generator))
      pieces.append(Array(rest[..<length]))
      rest.removeFirst(length)
    }
    expectEqual(matches(matcher, pieces), whole, "seed \(seed), \(words)")
  }

  @Test(
    "many words of a large alphabet find the same, and take about as much memory as their characters",
    arguments: Thorough.rounds(0..<4))
  func largeAlphabet(seed: UInt64) throws {
    var generator = Generator(salt: seed)
    let letters = (0..<300).compactMap { Unicode.Scalar(0x4E00 + $0).map(String.init) }
    // Many words share prefixes and suffixes, so that there are rows to fall back to.
    let parts = (0..<20).map { _ in text(of: 4, from: letters, &generator) }
    var words: [String] = []
    while words.count < 120 {
      let word =
        text(of: 2, from: parts, &generator)
        + text(of: .random(in: 0...3, using: &generator), from: letters, &generator)
      if !words.contains(word) { words.append(word) }
    }
    let searched = text(of: 300, from: parts + words, &generator)
    let matcher = try WordMatcher(words: words)
    let whole = matches(matcher, [Array(searched.utf8)])
    expect(whole.count > 50)
    expectEqual(whole, naive(words, searched), "seed \(seed)")
    expectEqual(matches(matcher, searched.utf8.map { [$0] }), whole, "seed \(seed)")
    let spaced = words.joined(separator: " ")
    expectEqual(
      matches(try WordMatcher(words: words, wholeWord: true), [Array(spaced.utf8)]).count, words.count, "seed \(seed)")
    expect(matcher.bytes < 200_000, "\(matcher.bytes)")
  }

  @Test(
    "whole words are those that no word character touches, however the text is cut", arguments: Thorough.rounds(0..<100)
  )
  func wholeWords(seed: UInt64) throws {
    var generator = Generator(salt: seed)
    let letters = ["a", "b", " ", ".", "é"]
    var words: [String] = []
    for _ in 0..<5 {
      let word = text(of: .random(in: 1...4, using: &generator), from: letters, &generator)
      if !words.contains(word) { words.append(word) }
    }
    let text = text(of: 300, from: letters, &generator)
    let scalars = Array(text.unicodeScalars)
    func isFree(_ place: Int) -> Bool {
      !scalars.indices.contains(place) || scalars[place] == " " || scalars[place] == "."
    }
    let expected = naive(words, text).filter { isFree($0.start - 1) && isFree($0.end) }
    let matcher = try WordMatcher(words: words, wholeWord: true)
    expectEqual(matches(matcher, [Array(text.utf8)]), expected, "seed \(seed), \(words)")
    expectEqual(matches(matcher, text.utf8.map { [$0] }), expected, "seed \(seed), \(words)")
  }

  @Test("folded, the same as looking everywhere in a folded text", arguments: Thorough.rounds(0..<60))
  func foldedAtRandom(seed: UInt64) throws {
    let folded = [
      "a": "a", "A": "a", "é": "é", "É": "é", "σ": "σ", "ς": "σ", "Σ": "σ", "k": "k", "\u{212A}": "k", "漢": "漢",
    ]
    var generator = Generator(salt: seed)
    func random(_ length: Int) -> (text: String, folded: String) {
      let letters = (0..<length).map { _ in folded.keys.sorted().randomElement(using: &generator)! }
      return (letters.joined(), letters.compactMap { folded[$0] }.joined())
    }
    var words: [(text: String, folded: String)] = []
    while words.count < 5 {
      let word = random(.random(in: 1...4, using: &generator))
      if !words.contains(where: { $0.folded == word.folded }) { words.append(word) }
    }
    let text = random(300)
    let matcher = try WordMatcher(words: words.map(\.text), caseFold: true)
    let expected = naive(words.map(\.folded), text.folded)
    expectEqual(matches(matcher, [Array(text.text.utf8)]), expected, "seed \(seed)")
    expectEqual(matches(matcher, text.text.utf8.map { [$0] }), expected, "seed \(seed)")
  }

  @Test("the borders and the walk of the textbook's word")
  func textbook() throws {
    expectEqual(PrefixSearch("ABABAC").borders, [0, 0, 1, 2, 3, 0])
    let matcher = try WordMatcher(words: ["ABABAC"])
    var position = matcher.start
    var found: [Match] = []
    let walk = "ABABABAC".map { character in
      matcher.scan(String(character), from: &position) { found.append($0) }
      return matcher.matched(at: position)
    }
    expectEqual(walk, [1, 2, 3, 4, 5, 4, 5, 6])
    expectEqual(found, [Match(word: 0, start: 2, end: 8)])
  }

  @Test("the automaton of the textbook's word, row by row")
  func automaton() throws {
    let matcher = try WordMatcher(words: ["ABABAC"])
    let rows = [[1, 0, 0], [1, 2, 0], [3, 0, 0], [1, 4, 0], [5, 0, 0], [1, 4, 6], [1, 0, 0]]
    for (matched, row) in rows.enumerated() {
      for (letter, next) in zip(["A", "B", "C", "D"], row + [0]) {
        var position = matcher.start
        matcher.scan(String("ABABAC".prefix(matched)) + letter, from: &position) { _ in }
        expectEqual(matcher.matched(at: position), next, "\(matched) \(letter)")
      }
    }
  }

  @Test("occurrences overlap, and of those with one end the longest comes first")
  func overlaps() throws {
    try expectEqual(matches(["ABAB"], "ABABAB").map(\.start), [0, 2])
    try expectEqual(
      matches(["she", "he", "hers", "his"], "ushers"),
      [
        Match(word: 0, start: 1, end: 4), Match(word: 1, start: 2, end: 4), Match(word: 2, start: 2, end: 6),
      ])
    try expectEqual(matches(["a", "aa", "aaa"], "aaa").map(\.word), [0, 1, 0, 2, 1, 0])
  }

  @Test("capitals and small letters are the same, in other alphabets too, and one to one only")
  func folding() throws {
    for (word, text) in [
      ("spam", "SpAm"), ("straße", "STRAßE"), ("straẞe", "straße"), ("ΟΔΟΣ", "οδος"), ("οδοσ", "ΟΔΟς"), ("ЖУК", "жук"),
      ("kelvin", "\u{212A}ELVIN"), ("\u{212A}", "k"), ("süß", "\u{17F}Ü\u{1E9E}"), ("\u{23A}", "\u{2C65}"),
      ("\u{10400}", "\u{10428}"),
    ] {
      try expectEqual(matches([word], text, caseFold: true).map(\.start), [0], "\(word) in \(text)")
      try expectEqual(matches([text], word, caseFold: true).map(\.start), [0], "\(text) in \(word)")
      try expectEqual(matches([word], text), [], "\(word) in \(text)")
    }
    for (word, text) in [("ss", "ß"), ("i", "ı"), ("i", "İ"), ("e", "é"), ("fi", "ﬁ")] {
      try expectEqual(matches([word], text, caseFold: true), [], "\(word) in \(text)")
    }
  }

  @Test("places are counted in characters, not in bytes")
  func characters() throws {
    try expectEqual(matches(["x"], "é漢😀x"), [Match(word: 0, start: 3, end: 4)])
    try expectEqual(matches(["é"], "e\u{301}é"), [Match(word: 0, start: 2, end: 3)])
  }

  @Test("bytes that are no characters are one each, and nothing is found in them")
  func broken() throws {
    let matcher = try WordMatcher(words: ["ab", "é"])
    for (bytes, starts) in [
      ([0x61, 0x62], [0]), ([0xFF, 0x61, 0x62], [1]), ([0x61, 0xFF, 0x62], []), ([0xC3, 0x61, 0x62], [1]),
      ([0xC3, 0xA9], [0]), ([0xE2, 0x82, 0x61, 0x62], [1]), ([0xC1, 0xA1, 0x61, 0x62], [2]), ([0xC3], []),
      ([0xE0, 0x81, 0xA1, 0x61, 0x62], [1]), ([0xED, 0xA0, 0x80, 0xC3, 0xA9], [1]),
      ([0xF4, 0x90, 0x80, 0x80, 0x61, 0x62], [1]),
    ] as [([UInt8], [Int])] {
      expectEqual(matches(matcher, [bytes]).map(\.start), starts, "\(bytes)")
      expectEqual(matches(matcher, bytes.map { [$0] }).map(\.start), starts, "\(bytes)")
    }
  }

  @Test("words that folding makes one are one; none, an empty one and too many are errors")
  func lists() throws {
    try expectEqual(WordMatcher(words: ["Spam", "ham", "spam"], caseFold: true).words, ["Spam", "ham"])
    try expectEqual(WordMatcher(words: ["Spam", "spam", "spam"]).words, ["Spam", "spam"])
    #expect(throws: WordMatcher.Failure.noWords) { try WordMatcher(words: []) }
    #expect(throws: WordMatcher.Failure.emptyWord(at: 1)) { try WordMatcher(words: ["a", ""]) }
    let many = String(String.UnicodeScalarView((0x4E00..<0x5600).compactMap { Unicode.Scalar(UInt32($0)) }))
    #expect(throws: WordMatcher.Failure.tooLarge(entries: 2_049 * 2_049)) { try WordMatcher(words: [many]) }
    expectEqual(2_048 * 2_048, WordMatcher.mostEntries)
    try expectEqual(WordMatcher(words: [String(many.dropLast())]).words.count, 1)
  }
}
