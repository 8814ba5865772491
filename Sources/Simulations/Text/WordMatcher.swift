/// Finds every occurrence of several words in a text, in one pass. The text may come in pieces.
///
/// It is the automaton of Aho and Corasick ("Efficient String Matching: An Aid to Bibliographic Search", 1975), which for
/// one word is that of Knuth, Morris and Pratt. Its state is the longest prefix of a word with which the text so far
/// ends. A state has a successor for each character that continues its prefix; for any other character the state of its
/// longest proper suffix is asked. Occurrences may overlap, and all are found.
///
/// Places in the text count characters, which are Unicode scalars: the cuts between pieces do not change them, and in
/// ASCII they are bytes too. An `é` that is written as a letter and an accent counts as two. A byte that is not UTF-8
/// counts as one character (and so does an incomplete character), which is part of no word.
///
/// A matcher never changes; the result of a text so far is its ``Position``. Neither a byte of the text nor an
/// occurrence allocates.
public struct WordMatcher: Sendable {
  /// An occurrence.
  public struct Match: Hashable, Sendable, Codable {
    /// The word's index in ``WordMatcher/words``.
    public let word: Int
    /// The place of the first character.
    public let start: Int
    /// The place after the last character.
    public let end: Int

    public init(word: Int, start: Int, end: Int) {
      self.word = word
      self.start = start
      self.end = end
    }
  }

  /// The reason why words cannot be searched for.
  public enum Failure: Error, Hashable {
    case noWords
    /// The word at this index is empty, and would be found everywhere.
    case emptyWord(at: Int)
    /// The characters of all words, times the different ones among them, are more than ``WordMatcher/mostEntries``.
    case tooLarge(entries: Int)
  }

  /// The most characters of all words, times the different ones among them. A thousand English words have some 200,000.
  public static let mostEntries = 1 << 22

  /// The words as first given, without repetitions. Words that are equal after folding are one.
  public let words: [String]
  let wholeWord: Bool
  private let caseFold: Bool
  private let automaton: WordAutomaton

  /// - Parameters:
  ///   - words: The words to find.
  ///   - caseFold: Whether characters that differ only in case are equal, by simple folding.
  ///   - wholeWord: Whether an occurrence counts only if no letter, digit, accent or low line touches it.
  /// - Throws: The first ``Failure`` that applies, in the order of its cases.
  /// - Complexity: O(characters of all words × different characters among them), in time.
  public init(words given: [String], caseFold: Bool = false, wholeWord: Bool = false) throws(Failure) {
    guard !given.isEmpty else { throw .noWords }
    if let place = given.firstIndex(where: \.isEmpty) { throw .emptyWord(at: place) }
    var words: [String] = []
    var folded: [[UInt32]] = []
    var seen: Set<[UInt32]> = []
    for word in given {
      let characters = word.unicodeScalars.map { caseFold ? Self.folded($0.value) : $0.value }
      guard seen.insert(characters).inserted else { continue }
      words.append(word)
      folded.append(characters)
    }
    let (entries, isTooMany) = (folded.joined().count + 1)
      .multipliedReportingOverflow(by: Set(folded.joined()).count + 1)
    guard !isTooMany, entries <= Self.mostEntries else { throw .tooLarge(entries: entries) }
    self.words = words
    self.caseFold = caseFold
    self.wholeWord = wholeWord
    automaton = WordAutomaton(folded)
  }

  /// The memory of the matcher, in bytes, estimated.
  var bytes: Int { automaton.bytes + words.reduce(0) { $0 + 48 + $1.utf8.count } }

  /// The number of states.
  var states: Int { automaton.depths.count }

  /// The result of a text so far.
  public struct Position: Hashable, Sendable, Codable {
    /// The number of characters read.
    public internal(set) var offset = 0
    var state: UInt32 = 0
    var decoder = ScalarDecoder()
    /// With `wholeWord`, whether each of the last characters is part of words, as a ring buffer, one longer than the
    /// longest word.
    var recent: [Bool] = []
    /// With `wholeWord`, occurrences that end here and count if the next character is not part of a word.
    var waiting: [Match] = []
  }

  /// The position before a text.
  public var start: Position {
    var position = Position()
    if wholeWord { position.recent = Array(repeating: false, count: Int(automaton.depths.max() ?? 0) + 1) }
    return position
  }

  /// Whether a position is possible: its state, ring buffer and words are within the bounds of this matcher.
  func has(_ position: Position) -> Bool {
    position.state < states && position.offset >= 0 && position.recent.count == start.recent.count
      && position.waiting.allSatisfy { words.indices.contains($0.word) && 0 <= $0.start && $0.start <= $0.end }
  }

  /// The length of the longest prefix of a word with which the text ends at `position`.
  public func matched(at position: Position) -> Int { Int(automaton.depths[Int(position.state)]) }

  /// Reads more of a text.
  ///
  /// Occurrences are reported in the order of their ends, and those with the same end the longest first. With
  /// `wholeWord` an occurrence is reported only when the next character has been read, or by ``finish(_:found:)``.
  ///
  /// - Complexity: O(bytes + occurrences), times O(log *n*) in the *n* characters that may continue a prefix.
  public func scan(_ bytes: some Collection<UInt8>, from position: inout Position, found: (Match) -> Void) {
    let isRead: Void? = bytes.withContiguousStorageIfAvailable { bytes in
      for byte in UnsafeRawBufferPointer(bytes) { read(byte, at: &position, found) }
    }
    if isRead == nil { for byte in bytes { read(byte, at: &position, found) } }
  }

  @inline(__always)
  private func read(_ byte: UInt8, at position: inout Position, _ found: (Match) -> Void) {
    if byte < 0x80, position.decoder.missing == 0 { return take(UInt32(byte), at: &position, found) }
    var taken = position.decoder.take(byte)
    if case .brokenBefore = taken {
      take(nil, at: &position, found)
      taken = position.decoder.take(byte)
    }
    switch taken {
    case .more: break
    case .scalar(let scalar): take(scalar, at: &position, found)
    case .broken, .brokenBefore: take(nil, at: &position, found)
    }
  }

  /// Reads more of a text, from a string.
  public func scan(_ text: String, from position: inout Position, found: (Match) -> Void) {
    scan(text.utf8, from: &position, found: found)
  }

  /// Ends the text, and reports the occurrences that wait for the next character.
  public func finish(_ position: inout Position, found: (Match) -> Void) {
    for match in position.waiting { found(match) }
    position.waiting = []
  }

  /// - Parameter character: `nil` for bytes that are no character.
  @inline(__always)
  private func take(_ character: UInt32?, at position: inout Position, _ found: (Match) -> Void) {
    if let character {
      position.state = automaton.next(position.state, caseFold ? Self.folded(character) : character)
    } else {
      position.state = 0
    }
    position.offset += 1
    if wholeWord { return takeWholeWords(character, at: &position, found) }
    automaton.forEachWord(endingIn: position.state) { word, length in
      found(Match(word: word, start: position.offset - length, end: position.offset))
    }
  }

  private func takeWholeWords(_ character: UInt32?, at position: inout Position, _ found: (Match) -> Void) {
    let isWordCharacter = character.flatMap(Unicode.Scalar.init)?.isWordCharacter ?? false
    if !isWordCharacter { finish(&position, found: found) }
    position.waiting.removeAll(keepingCapacity: true)
    let (end, recent) = (position.offset, position.recent.count)
    position.recent[(end - 1) % recent] = isWordCharacter
    automaton.forEachWord(endingIn: position.state) { word, length in
      let start = end - length
      guard start == 0 || !position.recent[(start - 1) % recent] else { return }
      position.waiting.append(Match(word: word, start: start, end: end))
    }
  }

  private static func folded(_ character: UInt32) -> UInt32 {
    if character < 0x800 { return common[Int(character)] }
    return Unicode.Scalar(character).map { CaseFolding.folded($0).value } ?? character
  }

  /// The folded form of each character below U+0800.
  private static let common = (0..<UInt32(0x800)).map { value in
    Unicode.Scalar(value).map { CaseFolding.folded($0).value } ?? value
  }
}
