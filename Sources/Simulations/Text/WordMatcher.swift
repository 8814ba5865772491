/// Finds every occurrence of several words in a text, in one pass. The text may come in pieces.
///
/// It is the automaton of Aho and Corasick, which for one word is that of Knuth, Morris and Pratt. Its state is the
/// offset in the text and the longest prefix of a word with which the text so far ends. Occurrences may overlap, and
/// all are found.
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
    /// The table would have more than ``WordMatcher/mostEntries`` entries.
    case tooLarge(entries: Int)
  }

  /// The most entries of the table. A thousand English words have some 200,000.
  public static let mostEntries = 1 << 22
  /// The most entries of a table that is kept in full, 4 bytes each, which is fastest. Of a larger table only the
  /// entries that differ from their fallback are kept, about as many as the words have characters.
  static let mostEntriesInFull = 1 << 16

  /// The words as first given, without repetitions. Words that are equal after folding are one.
  public let words: [String]
  let wholeWord: Bool
  let caseFold: Bool
  /// The number of characters of each word.
  let lengths: [Int]

  // Rows of `stride` entries, one per state. An entry is the beginning of the next state's row. The rows of states in
  // which a word ends come last. A large table is kept in `sparse`, with the same row numbers.
  let table: [UInt32]
  let sparse: SparseRows?
  let stride: Int
  let firstFinal: Int
  /// For each row from `firstFinal` on, the longest word that ends there.
  let longest: [Int32]
  /// For each word, the longest other word that is a suffix of it, or -1.
  let shorter: [Int32]
  /// For each row, how many characters of a word have been found.
  let depths: [Int32]
  /// The column of each character below U+0800; 0 is for characters that are in no word.
  let columns: [UInt16]
  let rareColumns: [UInt32: UInt16]

  /// - Parameters:
  ///   - words: The words to find.
  ///   - caseFold: Whether characters that differ only in case are equal, by simple folding.
  ///   - wholeWord: Whether an occurrence counts only if no letter, digit, accent or low line touches it.
  /// - Throws: The first ``Failure`` that applies, in the order of its cases.
  /// - Complexity: O(characters of all words × different characters among them), in time and memory.
  public init(words: [String], caseFold: Bool = false, wholeWord: Bool = false) throws(Failure) {
    let automaton = try WordAutomaton(words: words, caseFold: caseFold)
    self.words = automaton.words
    self.caseFold = caseFold
    self.wholeWord = wholeWord
    lengths = automaton.words.map(\.unicodeScalars.count)
    table = automaton.table
    sparse = automaton.sparse
    stride = automaton.stride
    firstFinal = automaton.firstFinal
    longest = automaton.longest
    shorter = automaton.shorter
    depths = automaton.depths
    columns = automaton.columns
    rareColumns = automaton.rareColumns
  }

  /// The memory of the matcher, in bytes, estimated.
  var bytes: Int {
    4 * (table.count + longest.count + shorter.count + depths.count) + (sparse?.bytes ?? 0)
      + 2 * columns.count + 16 * rareColumns.count
      + words.reduce(0) { $0 + 48 + $1.utf8.count }
  }

  /// The result of a text so far.
  public struct Position: Hashable, Sendable, Codable {
    /// The number of characters read.
    public internal(set) var offset = 0
    var row: UInt32 = 0
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
    if wholeWord { position.recent = Array(repeating: false, count: (lengths.max() ?? 0) + 1) }
    return position
  }

  /// Whether a position is possible: its row, ring buffer and words are within the bounds of this matcher.
  func has(_ position: Position) -> Bool {
    Int(position.row) < depths.count * stride && Int(position.row) % stride == 0 && position.offset >= 0
      && position.recent.count == start.recent.count
      && position.waiting.allSatisfy { words.indices.contains($0.word) && 0 <= $0.start && $0.start <= $0.end }
  }

  /// The length of the longest prefix of a word with which the text ends at `position`.
  public func matched(at position: Position) -> Int { Int(depths[Int(position.row) / stride]) }

  /// Reads more of a text.
  ///
  /// Occurrences are reported in the order of their ends, and those with the same end the longest first. With
  /// `wholeWord` an occurrence is reported only when the next character has been read, or by ``finish(_:found:)``.
  ///
  /// - Complexity: O(bytes + occurrences).
  public func scan(_ bytes: some Collection<UInt8>, from position: inout Position, found: (Match) -> Void) {
    let scanned: Void? = bytes.withContiguousStorageIfAvailable { scan($0, at: &position, found: found) }
    if scanned == nil { Array(bytes).withUnsafeBufferPointer { scan($0, at: &position, found: found) } }
  }

  private func scan(_ bytes: UnsafeBufferPointer<UInt8>, at position: inout Position, found: (Match) -> Void) {
    if wholeWord || sparse != nil {
      scanByCharacter(bytes, from: &position, found: found)
    } else {
      scanAnywhere(bytes, from: &position, found: found)
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

  // Safety: every entry of `table` is the beginning of one of its rows, and every column is below `stride`. An entry
  // plus a column is therefore within the table. The buffers do not escape their closures.
  private func scanAnywhere(
    _ bytes: UnsafeBufferPointer<UInt8>, from position: inout Position, found: (Match) -> Void
  ) {
    var row = Int(position.row)
    var offset = position.offset
    var decoder = position.decoder
    table.withUnsafeBufferPointer { table in
      columns.withUnsafeBufferPointer { columns in
        var index = 0
        while index < bytes.count {
          let byte = bytes[index]
          index &+= 1
          var column = Int(columns[Int(byte)])
          if byte >= 0x80 || decoder.missing > 0 {
            switch decoder.take(byte) {
            case .more: continue
            case .scalar(let scalar): column = self.column(of: scalar)
            case .broken: column = 0
            case .brokenBefore:
              column = 0
              index &-= 1
            }
          }
          offset &+= 1
          row = Int(table[row &+ column])
          if row >= firstFinal { report(row, endingAt: offset, found) }
        }
      }
    }
    position.row = UInt32(row)
    position.offset = offset
    position.decoder = decoder
  }

  private func scanByCharacter(
    _ bytes: UnsafeBufferPointer<UInt8>, from position: inout Position, found: (Match) -> Void
  ) {
    var index = 0
    while index < bytes.count {
      let taken = position.decoder.take(bytes[index])
      index += 1
      switch taken {
      case .more: continue
      case .scalar(let scalar):
        let isWordCharacter = wholeWord && (Unicode.Scalar(scalar)?.isWordCharacter ?? false)
        take(column: column(of: scalar), isWordCharacter: isWordCharacter, at: &position, found)
      case .broken: take(column: 0, isWordCharacter: false, at: &position, found)
      case .brokenBefore:
        take(column: 0, isWordCharacter: false, at: &position, found)
        index -= 1
      }
    }
  }

  private func take(
    column: Int, isWordCharacter: Bool, at position: inout Position, _ found: (Match) -> Void
  ) {
    guard wholeWord else {
      position.offset += 1
      position.row = UInt32(next(Int(position.row), column))
      if position.row >= firstFinal { report(Int(position.row), endingAt: position.offset, found) }
      return
    }
    if !isWordCharacter { finish(&position, found: found) }
    position.waiting.removeAll(keepingCapacity: true)
    position.recent[position.offset % position.recent.count] = isWordCharacter
    position.offset += 1
    position.row = UInt32(next(Int(position.row), column))
    guard position.row >= firstFinal else { return }
    let recent = position.recent
    var waiting = position.waiting
    report(Int(position.row), endingAt: position.offset) { match in
      let isFree = match.start == 0 || !recent[(match.start - 1) % recent.count]
      if isFree { waiting.append(match) }
    }
    position.waiting = waiting
  }

  private func next(_ row: Int, _ column: Int) -> Int {
    sparse.map { $0.next(row, column) } ?? Int(table[row + column])
  }

  private func report(_ row: Int, endingAt end: Int, _ found: (Match) -> Void) {
    var word = longest[(row - firstFinal) / stride]
    while word >= 0 {
      found(Match(word: Int(word), start: end - lengths[Int(word)], end: end))
      word = shorter[Int(word)]
    }
  }

  private func column(of scalar: UInt32) -> Int {
    if scalar < 0x800 { return Int(columns[Int(scalar)]) }
    if rareColumns.isEmpty { return 0 }
    guard caseFold, let character = Unicode.Scalar(scalar) else { return Int(rareColumns[scalar] ?? 0) }
    return Int(rareColumns[CaseFolding.folded(character).value] ?? 0)
  }
}
