/// The tables of a ``WordMatcher``, while they are built.
struct WordAutomaton {
  private(set) var words: [String] = []
  private(set) var table: [UInt32] = []
  private(set) var sparse: SparseRows?
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
    // An upper bound, because words share prefixes.
    let (entries, isTooMany) = (folded.joined().count + 1).multipliedReportingOverflow(by: stride)
    guard !isTooMany, entries <= WordMatcher.mostEntries, stride <= UInt16.max else {
      throw .tooLarge(entries: entries)
    }
    number(alphabet, caseFold: caseFold)
    connect(Trie(folded.map { $0.map { column(of: $0) } }))
  }

  private func column(of folded: UInt32) -> Int {
    Int(folded < 0x800 ? columns[Int(folded)] : rareColumns[folded] ?? 0)
  }

  /// Gives each character of the words a column, and each character below U+0800 the column of its folded form. A rare
  /// character is folded when it is read.
  private mutating func number(_ alphabet: Set<UInt32>, caseFold: Bool) {
    var numbers: [UInt32: UInt16] = [:]
    for scalar in alphabet.sorted() { numbers[scalar] = UInt16(numbers.count + 1) }
    rareColumns = numbers.filter { $0.key >= 0x800 }
    for (value, folded) in (caseFold ? Self.common : Array(0..<0x800)).enumerated() {
      if let number = numbers[folded] { columns[value] = number }
    }
    // A common character may fold to a rare one, and a rare one to a common one (the Kelvin sign to k). The latter is
    // looked up in `rareColumns` when it is read.
    if caseFold {
      for (scalar, number) in numbers where scalar < 0x800 { rareColumns[scalar] = number }
    }
  }

  /// The folded form of each character below U+0800.
  private static let common = (0..<UInt32(0x800)).map { value in
    Unicode.Scalar(value).map { CaseFolding.folded($0).value } ?? value
  }

  /// The words as a tree: a node per prefix, numbered in order of appearance. The children of a node form a linked
  /// list.
  private struct Trie {
    /// For each node, its youngest child, and its next older sibling; 0 for none.
    var youngest: [Int32] = [0]
    var older: [Int32] = [0]
    /// For each node, the column that leads to it.
    var columns: [UInt16] = [0]
    var depths: [Int32] = [0]
    /// For each node, its word, or -1.
    var words: [Int32] = [-1]

    init(_ words: [[Int]]) {
      for (place, word) in words.enumerated() {
        var node = 0
        for column in word { node = child(of: node, column) ?? add(column, to: node) }
        self.words[node] = Int32(place)
      }
    }

    func child(of node: Int, _ column: Int) -> Int? {
      var child = Int(youngest[node])
      while child > 0, Int(columns[child]) != column { child = Int(older[child]) }
      return child > 0 ? child : nil
    }

    func children(of node: Int) -> [Int] {
      var children: [Int] = []
      var child = Int(youngest[node])
      while child > 0 {
        children.append(child)
        child = Int(older[child])
      }
      return children
    }

    private mutating func add(_ column: Int, to node: Int) -> Int {
      let child = depths.count
      older.append(youngest[node])
      youngest[node] = Int32(child)
      youngest.append(0)
      columns.append(UInt16(column))
      depths.append(depths[node] + 1)
      words.append(-1)
      return child
    }
  }

  /// Makes the tree an automaton: a node without a child for a column uses its longest proper suffix that is a node.
  private mutating func connect(_ trie: Trie) {
    let count = trie.depths.count
    var fallback = [Int](repeating: 0, count: count)
    /// For each node, the longest word that it ends with, itself included.
    var ending = trie.words
    shorter = Array(repeating: -1, count: words.count)
    var queue = [0]
    var head = 0
    while head < queue.count {
      let node = queue[head]
      head += 1
      for child in trie.children(of: node) {
        let other = node == 0 ? 0 : follow(Int(trie.columns[child]), from: fallback[node], fallback, trie)
        fallback[child] = other
        let inherited = ending[other]
        if ending[child] >= 0 { shorter[Int(ending[child])] = inherited } else { ending[child] = inherited }
        queue.append(child)
      }
    }
    arrange(trie, fallback, ending, queue)
  }

  /// The target of a column, from a node that has only its children so far.
  private func follow(_ column: Int, from node: Int, _ fallback: [Int], _ trie: Trie) -> Int {
    var node = node
    while true {
      if let child = trie.child(of: node, column) { return child }
      if node == 0 { return 0 }
      node = fallback[node]
    }
  }

  /// Orders the nodes: the root first, and those in which a word ends last.
  ///
  /// - Parameter queue: The nodes, each after the one that it falls back to.
  private mutating func arrange(_ trie: Trie, _ fallback: [Int], _ ending: [Int32], _ queue: [Int]) {
    let nodes = trie.depths.indices
    let order = nodes.filter { ending[$0] < 0 } + nodes.filter { ending[$0] >= 0 }
    var places = [UInt32](repeating: 0, count: order.count)
    for (place, node) in order.enumerated() { places[node] = UInt32(place) }
    depths = order.map { trie.depths[$0] }
    let finals = order.filter { ending[$0] >= 0 }
    longest = finals.map { ending[$0] }
    firstFinal = (order.count - finals.count) * stride
    if order.count * stride <= WordMatcher.mostEntriesInFull {
      table = Array(repeating: 0, count: order.count * stride)
      for node in queue {
        let row = Int(places[node]) * stride
        let other = Int(places[fallback[node]]) * stride
        if node != 0 { for column in 0..<stride { table[row + column] = table[other + column] } }
        for child in trie.children(of: node) {
          table[row + Int(trie.columns[child])] = places[child] * UInt32(stride)
        }
      }
    } else {
      sparse = SparseRows(
        stride: stride, fallbacks: order.map { places[fallback[$0]] },
        children: order.map { trie.children(of: $0).map { (trie.columns[$0], places[$0]) } })
    }
  }
}

/// The rows of an automaton, without the entries that equal those of the row to fall back to.
final class SparseRows: Sendable {
  private let stride: Int
  /// For each row, the number of the row to fall back to.
  private let fallbacks: [UInt32]
  /// For each row, the start of its entries in the lists below; one more at the end.
  private let starts: [UInt32]
  /// The columns of the entries, in order within a row.
  private let columns: [UInt16]
  /// The numbers of the rows to which the entries lead.
  private let targets: [UInt32]
  /// The first row in full, which is the last to fall back to.
  private let root: [UInt32]

  init(stride: Int, fallbacks: [UInt32], children: [[(column: UInt16, target: UInt32)]]) {
    self.stride = stride
    self.fallbacks = fallbacks
    var root = Array(repeating: UInt32(0), count: stride)
    for (column, target) in children[0] { root[Int(column)] = target }
    self.root = root
    var starts: [UInt32] = []
    var columns: [UInt16] = []
    var targets: [UInt32] = []
    for row in children {
      starts.append(UInt32(columns.count))
      for (column, target) in row.sorted(by: { $0.column < $1.column }) {
        columns.append(column)
        targets.append(target)
      }
    }
    starts.append(UInt32(columns.count))
    self.starts = starts
    self.columns = columns
    self.targets = targets
  }

  /// The target of a column: the beginning of a row, as if every row had `stride` entries.
  ///
  /// - Complexity: O(1) on the average over a text, times O(log *entries*) of a row.
  func next(_ row: Int, _ column: Int) -> Int {
    var place = row / stride
    while place != 0 {
      var low = Int(starts[place])
      var high = Int(starts[place + 1])
      while low < high {
        let middle = (low + high) / 2
        if Int(columns[middle]) < column { low = middle + 1 } else { high = middle }
      }
      if low < Int(starts[place + 1]), Int(columns[low]) == column { return Int(targets[low]) * stride }
      place = Int(fallbacks[place])
    }
    return Int(root[column]) * stride
  }

  var bytes: Int { 4 * (fallbacks.count + starts.count + targets.count + root.count) + 2 * columns.count }
}
