/// Finds every occurrence of several words in a text, in one pass, wherever the text is cut into pieces.
///
/// It is the automaton of Aho and Corasick: for one word that of Knuth, Morris and Pratt, for several all of these
/// walked at once. Its state is how far into the text it is and the longest beginning of a word that the text read so
/// far ends with. Occurrences may overlap, and all are found.
///
/// Places in the text are counted in characters, by which are meant Unicode scalars: where a text is cut cannot change
/// them, and in ASCII they are bytes too. An `é` that is written as a letter and an accent counts as two. Bytes that
/// are no UTF-8 are one character each (or one for the beginning of a character that breaks off), which is part of no
/// word.
///
/// A matcher never changes; what a text has led to is its ``Position``. Neither a byte of the text nor an occurrence
/// costs an allocation.
public struct WordMatcher: Sendable {
  /// An occurrence.
  public struct Match: Hashable, Sendable, Codable {
    /// Its place in ``WordMatcher/words``.
    public let word: Int
    /// Its first character.
    public let start: Int
    /// The character behind its last one.
    public let end: Int

    public init(word: Int, start: Int, end: Int) {
      self.word = word
      self.start = start
      self.end = end
    }
  }

  /// Why words are none that can be looked for.
  public enum Failure: Error, Hashable {
    case noWords
    /// The word at this place is empty: it would be found everywhere.
    case emptyWord(at: Int)
    /// The table would have more than ``WordMatcher/mostEntries`` entries.
    case tooLarge(entries: Int)
  }

  /// The entries that the table may have. A thousand English words have some 200,000.
  public static let mostEntries = 1 << 22
  /// The entries up to which each is kept, in 4 bytes: as fast as can be. Of a larger table only those are kept that say
  /// something of their own, which are about as many as the words have characters.
  static let mostEntriesInFull = 1 << 16

  /// The words as they were first given, each once. Words that folding makes equal are one.
  public let words: [String]
  let wholeWord: Bool
  let caseFold: Bool
  /// Characters of each word.
  let lengths: [Int]

  // Rows of `stride` entries, one per state; an entry is where the next state's row begins. The rows of states in which
  // a word ends come last. A large table is not kept in full; its rows have the same numbers.
  let table: [UInt32]
  let sparse: SparseRows?
  let stride: Int
  let firstFinal: Int
  /// For each row from `firstFinal` on, the longest word that ends there.
  let longest: [Int32]
  /// For each word, the longest other word that it ends with, or -1.
  let shorter: [Int32]
  /// For each row, how many characters of a word have been found.
  let depths: [Int32]
  /// The column of each character below U+0800; 0 is that of characters that no word has.
  let columns: [UInt16]
  let rareColumns: [UInt32: UInt16]

  /// - Parameters:
  ///   - caseFold: Whether characters that differ only in case are the same, by simple folding.
  ///   - wholeWord: Whether an occurrence counts only if no letter, digit, accent or low line touches it.
  /// - Throws: ``Failure``; the first that applies, in the order in which they are listed.
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

  /// About how many bytes of memory the matcher takes.
  var bytes: Int {
    4 * (table.count + longest.count + shorter.count + depths.count) + (sparse?.bytes ?? 0)
      + 2 * columns.count + 16 * rareColumns.count
      + words.reduce(0) { $0 + 48 + $1.utf8.count }
  }

  /// Where a text has led to.
  public struct Position: Hashable, Sendable, Codable {
    /// Characters read.
    public internal(set) var offset = 0
    var row: UInt32 = 0
    var decoder = ScalarDecoder()
    /// With `wholeWord`, whether each of the last characters is part of words, as a ring: as many as the longest word
    /// has, and the one before it.
    var recent: [Bool] = []
    /// With `wholeWord`, occurrences that end here and count if the next character is not part of a word.
    var waiting: [Match] = []
  }

  /// The beginning of a text.
  public var start: Position {
    var position = Position()
    if wholeWord { position.recent = Array(repeating: false, count: (lengths.max() ?? 0) + 1) }
    return position
  }

  /// Whether a text can have led to a position: what it says of this matcher's table and words is within their bounds.
  func has(_ position: Position) -> Bool {
    Int(position.row) < depths.count * stride && Int(position.row) % stride == 0 && position.offset >= 0
      && position.recent.count == start.recent.count
      && position.waiting.allSatisfy { words.indices.contains($0.word) && 0 <= $0.start && $0.start <= $0.end }
  }

  /// How many characters of a word the text ends with at `position`: of the word of which there are most.
  public func matched(at position: Position) -> Int { Int(depths[Int(position.row) / stride]) }

  /// Reads on.
  ///
  /// Occurrences are told in order of their ends, and those with one end the longest first. With `wholeWord` one is
  /// told only when the character after it has been read, or by ``finish(_:found:)``.
  ///
  /// - Complexity: O(bytes + occurrences).
  public func scan(_ bytes: Span<UInt8>, from position: inout Position, found: (Match) -> Void) {
    if wholeWord || sparse != nil {
      scanByCharacter(bytes, from: &position, found: found)
    } else {
      scanAnywhere(bytes, from: &position, found: found)
    }
  }

  /// Reads on in a string.
  public func scan(_ text: String, from position: inout Position, found: (Match) -> Void) {
    scan(text.utf8.span, from: &position, found: found)
  }

  /// The text ends here: tells what was waiting to see what follows it.
  public func finish(_ position: inout Position, found: (Match) -> Void) {
    for match in position.waiting { found(match) }
    position.waiting = []
  }

  // Safety: every entry of `table` is the beginning of one of its rows, and every column is below `stride`; so an entry
  // plus a column is within the table. The buffers are used only while they are lent.
  private func scanAnywhere(_ bytes: Span<UInt8>, from position: inout Position, found: (Match) -> Void) {
    var row = Int(position.row)
    var offset = position.offset
    var decoder = position.decoder
    table.withUnsafeBufferPointer { table in
      columns.withUnsafeBufferPointer { columns in
        bytes.withUnsafeBufferPointer { bytes in
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
    }
    position.row = UInt32(row)
    position.offset = offset
    position.decoder = decoder
  }

  private func scanByCharacter(_ bytes: Span<UInt8>, from position: inout Position, found: (Match) -> Void) {
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
