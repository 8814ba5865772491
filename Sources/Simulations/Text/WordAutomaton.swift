/// The tables of a ``WordMatcher``, while they are made.
struct WordAutomaton {
  private(set) var words: [String] = []
  private(set) var table: [UInt32] = []
  private(set) var stride = 1
  private(set) var firstFinal = 0
  private(set) var longest: [Int32] = []
  private(set) var shorter: [Int32] = []
  private(set) var depths: [Int32] = []
  private(set) var columns = [UInt16](repeating: 0, count: 0x800)
  private(set) var rareColumns: [UInt32: UInt16] = [:]

  init(words given: [String], caseFold: Bool) throws(WordMatcher.Failure) {
    guard !given.isEmpty else { throw .noWords }
    if let place = given.firstIndex(where: \.isEmpty) { throw .emptyWord(at: place) }
    var folded: [[UInt32]] = []
    var seen: Set<[UInt32]> = []
    for word in given {
      let scalars = word.unicodeScalars.map { caseFold ? CaseFolding.folded($0).value : $0.value }
      guard seen.insert(scalars).inserted else { continue }
      words.append(word)
      folded.append(scalars)
    }
    let alphabet = Set(folded.joined())
    stride = alphabet.count + 1
    // An upper bound: words share beginnings.
    let (entries, isTooMany) = (folded.joined().count + 1).multipliedReportingOverflow(by: stride)
    guard !isTooMany, entries <= WordMatcher.mostEntries, stride <= UInt16.max else {
      throw .tooLarge(entries: entries)
    }
    number(alphabet, caseFold: caseFold)
    connect(Trie(folded.map { $0.map { column(of: $0) } }, stride: stride))
  }

  private func column(of folded: UInt32) -> Int {
    Int(folded < 0x800 ? columns[Int(folded)] : rareColumns[folded] ?? 0)
  }

  /// Gives each character of the words a column, and each character below U+0800 that of its folded form. A rare
  /// character is folded when it is met.
  private mutating func number(_ alphabet: Set<UInt32>, caseFold: Bool) {
    var numbers: [UInt32: UInt16] = [:]
    for scalar in alphabet.sorted() { numbers[scalar] = UInt16(numbers.count + 1) }
    rareColumns = numbers.filter { $0.key >= 0x800 }
    for (value, folded) in (caseFold ? Self.common : Array(0..<0x800)).enumerated() {
      if let number = numbers[folded] { columns[value] = number }
    }
    // A common character may fold to a rare one, and a rare one to a common one (the Kelvin sign to k); the latter must
    // be found when it is met.
    if caseFold {
      for (scalar, number) in numbers where scalar < 0x800 { rareColumns[scalar] = number }
    }
  }

  /// The folded form of each character below U+0800.
  private static let common = (0..<UInt32(0x800)).map { value in
    Unicode.Scalar(value).map { CaseFolding.folded($0).value } ?? value
  }

  /// The words as a tree: a node per beginning of a word, numbered as they were met.
  private struct Trie {
    /// Per node and column the node below it, or 0.
    var children: [Int32]
    var depths: [Int32] = [0]
    /// Per node the word that it is, or -1.
    var words: [Int32] = [-1]

    init(_ words: [[Int]], stride: Int) {
      children = Array(repeating: 0, count: stride)
      for (place, word) in words.enumerated() {
        var node = 0
        for column in word {
          if children[node * stride + column] == 0 {
            children[node * stride + column] = Int32(depths.count)
            children += repeatElement(0, count: stride)
            depths.append(depths[node] + 1)
            self.words.append(-1)
          }
          node = Int(children[node * stride + column])
        }
        self.words[node] = Int32(place)
      }
    }
  }

  /// Makes the tree an automaton: what a node has no child for, the longest proper end of it that is a node has.
  private mutating func connect(_ trie: Trie) {
    let count = trie.depths.count
    var next = trie.children
    var fallback = [Int](repeating: 0, count: count)
    /// Per node the longest word that it ends with, itself included.
    var ending = trie.words
    shorter = Array(repeating: -1, count: words.count)
    var queue = [0]
    var head = 0
    while head < queue.count {
      let node = queue[head]
      head += 1
      for column in 0..<stride {
        let child = Int(trie.children[node * stride + column])
        let other = node == 0 ? 0 : next[fallback[node] * stride + column]
        guard child > 0 else {
          next[node * stride + column] = other
          continue
        }
        fallback[child] = Int(other)
        let inherited = ending[Int(other)]
        if ending[child] >= 0 { shorter[Int(ending[child])] = inherited } else { ending[child] = inherited }
        queue.append(child)
      }
    }
    arrange(next, ending, trie.depths)
  }

  /// Puts the nodes in which a word ends behind the others, the root first of all.
  private mutating func arrange(_ next: [Int32], _ ending: [Int32], _ depths: [Int32]) {
    let nodes = depths.indices
    let order = nodes.filter { ending[$0] < 0 } + nodes.filter { ending[$0] >= 0 }
    var rows = [UInt32](repeating: 0, count: order.count)
    for (place, node) in order.enumerated() { rows[node] = UInt32(place * stride) }
    table.reserveCapacity(next.count)
    for node in order {
      for column in 0..<stride { table.append(rows[Int(next[node * stride + column])]) }
    }
    self.depths = order.map { depths[$0] }
    let finals = order.filter { ending[$0] >= 0 }
    longest = finals.map { ending[$0] }
    firstFinal = (order.count - finals.count) * stride
  }
}
