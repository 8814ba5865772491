/// A pattern as Glushkov's automaton (V. M. Glushkov, "The Abstract Theory of Automata", Russian Mathematical Surveys
/// 16, 1961): a place for each sign of the pattern that reads a character, in the order of writing, and a last place
/// for the end.
///
/// A set of places is stored as bits. A step keeps the places that read the character, and moves to the places that may
/// follow them. Most places are followed only by the next one, and all of these move together, by a shift. The
/// followers of the others are looked up, four places at a time (G. Navarro and M. Raffinot, "Fast and Simple Character
/// Classes and Bounded Gaps Pattern Matching", 2003, and "New Techniques for Regular Expression Searching", 2005, build
/// such tables too). The cost of a character is therefore independent of the text before it: no set of places is
/// cached, and none is allocated.
struct PatternProgram: Sendable {
  /// The number of 64-bit words in a set of places.
  let words: Int
  /// The place of the end, after the last place that reads.
  let accept: Int
  private(set) var start: [UInt64]
  /// The first characters of the classes, in order; the first is 0. No place tells the characters of a class apart.
  private let borders: [UInt32]
  /// The class of each ASCII character.
  private let columns: [UInt16]
  /// Per class, the places that read its characters.
  private let readers: [UInt64]
  /// The places that are followed only by the next one.
  private let steady: [UInt64]
  /// For each four places, the first of the sixteen rows of followers, one row for each subset of them; unused if all
  /// four are steady.
  private let quads: [Int32]
  private let rows: [UInt64]

  init(_ node: PatternNode) {
    var places = PatternPlaces(node)
    let words = places.words
    self.words = words
    accept = places.sets.count
    start = places.connect()
    borders = Self.borders(of: places.sets)
    readers = Self.readers(of: places.sets, borders, words)
    columns = (0..<128).map { [borders] in UInt16(Self.column(of: $0, borders)) }

    var steady = [UInt64](repeating: 0, count: words)
    for (place, next) in places.following.enumerated() where next == places.set(of: place + 1) { steady.insert(place) }
    var quads = [Int32](repeating: 0, count: words * 16)
    var rows: [UInt64] = []
    for quad in 0..<(places.sets.count + 3) / 4 {
      let members = (quad * 4)..<min(quad * 4 + 4, places.sets.count)
      guard members.contains(where: { !steady.has($0) }) else { continue }
      quads[quad] = Int32(rows.count / words)
      for choice in 0..<16 {
        var row = [UInt64](repeating: 0, count: words)
        for member in members where choice >> (member - quad * 4) & 1 == 1 && !steady.has(member) {
          row.formUnion(places.following[member])
        }
        rows += row
      }
    }
    self.steady = steady
    self.quads = quads
    self.rows = rows
  }

  /// The most 64-bit words that a step reads for a character; for tests.
  var mostWork: Int {
    let looked = Set(quads).count * words
    return 3 * words + looked
  }

  func isFinal(_ places: [UInt64]) -> Bool { places.has(accept) }

  /// Whether bits can be a set of places of this pattern.
  func has(_ places: [UInt64]) -> Bool {
    guard places.count == words, let last = places.last else { return false }
    let used = accept % 64 + 1
    return used == 64 || last >> used == 0
  }

  /// The memory of the program, in bytes, estimated.
  var bytes: Int {
    8 * (start.count + readers.count + steady.count + rows.count) + 4 * (borders.count + quads.count)
      + 2 * columns.count
  }

  // MARK: Reading

  /// Reads characters.
  ///
  /// - Parameter places: The places before the word; on return those after it. Undefined if a character was not read.
  /// - Returns: The number of characters read, and whether the next one leads nowhere.
  /// - Complexity: O(characters × ``mostWork``).
  func run(
    _ word: some Sequence<Unicode.Scalar>, from places: inout [UInt64], haltOnFinal: Bool
  ) -> (read: Int, isDead: Bool) {
    if haltOnFinal, isFinal(places) { return (0, false) }
    var rest = places
    var read = 0
    for character in word {
      guard step(column(of: character.value), &places, &rest) else { return (read, true) }
      read += 1
      if haltOnFinal, isFinal(places) { break }
    }
    return (read, false)
  }

  /// - Parameter rest: A buffer of `words` words.
  /// - Returns: Whether any place reads a character of the class.
  @inline(__always)
  private func step(_ column: Int, _ places: inout [UInt64], _ rest: inout [UInt64]) -> Bool {
    places.withUnsafeMutableBufferPointer { places in
      rest.withUnsafeMutableBufferPointer { rest in step(column, places, rest) }
    }
  }

  // Safety: `places`, `rest` and `steady` have `words` words, and `readers` has `words` per class. Every quad with a place
  // that is not steady has sixteen rows. The buffers do not leave their closures.
  @inline(__always)
  private func step(
    _ column: Int, _ places: UnsafeMutableBufferPointer<UInt64>, _ rest: UnsafeMutableBufferPointer<UInt64>
  ) -> Bool {
    let words = words
    var all: UInt64 = 0
    var carry: UInt64 = 0
    readers.withUnsafeBufferPointer { readers in
      steady.withUnsafeBufferPointer { steady in
        for word in 0..<words {
          let read = places[word] & readers[column &* words &+ word]
          let moving = read & steady[word]
          all |= read
          rest[word] = read ^ moving
          places[word] = moving &<< 1 | carry
          carry = moving &>> 63
        }
      }
    }
    guard all != 0 else { return false }
    quads.withUnsafeBufferPointer { quads in
      rows.withUnsafeBufferPointer { rows in
        for word in 0..<words {
          var left = rest[word]
          while left != 0 {
            let shift = left.trailingZeroBitCount & ~3
            let choice = Int(truncatingIfNeeded: left &>> UInt64(shift)) & 15
            left &= ~(15 &<< UInt64(shift))
            let row = (Int(quads[word &* 16 &+ shift &>> 2]) &+ choice) &* words
            for other in 0..<words { places[other] |= rows[row &+ other] }
          }
        }
      }
    }
    return true
  }

  // MARK: Samples

  /// A character of each class that a line of text can have, those that can be printed first. No line has most control
  /// characters.
  var letters: [Unicode.Scalar] {
    var found: [Unicode.Scalar] = []
    var columns: Set<Int> = []
    let printable = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".unicodeScalars)
    let signs = (0x20..<0x7F as Range<UInt8>).map(Unicode.Scalar.init)
    let others = borders.filter { $0 > 0x9F }.compactMap(Unicode.Scalar.init)
    for letter in printable + signs + ["\t", "\n", "\u{A0}"] + others {
      if columns.insert(column(of: letter.value)).inserted { found.append(letter) }
    }
    return found
  }

  /// Whether no class begins after the characters of ASCII.
  var areClassesOfASCII: Bool { borders.allSatisfy { $0 <= 0x80 } }

  // MARK: Classes of characters

  /// The class of a character.
  @inline(__always)
  private func column(of value: UInt32) -> Int {
    value < 128 ? Int(columns[Int(value)]) : Self.column(of: value, borders)
  }

  private static func column(of value: UInt32, _ borders: [UInt32]) -> Int {
    var low = 0
    var high = borders.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if borders[middle] <= value { low = middle } else { high = middle }
    }
    return low
  }

  private static func borders(of sets: [CharacterSet]) -> [UInt32] {
    var found: Set<UInt32> = [0]
    for range in sets.lazy.flatMap(\.ranges) {
      found.insert(range.lowerBound)
      found.insert(range.upperBound + 1)
    }
    return found.sorted()
  }

  private static func readers(of sets: [CharacterSet], _ borders: [UInt32], _ words: Int) -> [UInt64] {
    // Places of negated sets are in every class at first, and are then removed from the classes in their ranges.
    var usual = [UInt64](repeating: 0, count: words)
    for (place, set) in sets.enumerated() where set.isNegated { usual.insert(place) }
    var readers: [UInt64] = []
    readers.reserveCapacity(borders.count * words)
    for _ in borders { readers += usual }
    for (place, set) in sets.enumerated() {
      for range in set.ranges {
        for column in column(of: range.lowerBound, borders)...column(of: range.upperBound, borders) {
          let bit: UInt64 = 1 << UInt64(place % 64)
          let word = column * words + place / 64
          readers[word] = set.isNegated ? readers[word] & ~bit : readers[word] | bit
        }
      }
    }
    return readers
  }
}

/// The places of a pattern and the followers of each, while the program is built.
private struct PatternPlaces {
  /// The characters that each place reads.
  private(set) var sets: [CharacterSet] = []
  /// The places that may follow each place.
  private(set) var following: [[UInt64]] = []
  let words: Int
  private var root: Part

  /// A node whose places have numbers.
  private struct Part {
    var node: PatternNode
    /// The place of a character node.
    var place = 0
    var children: [Part] = []
    /// The places that may come first.
    var first: [UInt64]
    var mayBeEmpty = true
  }

  init(_ node: PatternNode) {
    words = Self.count(node) / 64 + 1
    root = Part(node: .empty, first: [])
    root = number(node)
    following = Array(repeating: none, count: sets.count)
  }

  private var none: [UInt64] { Array(repeating: 0, count: words) }

  func set(of place: Int) -> [UInt64] {
    var set = none
    set.insert(place)
    return set
  }

  private static func count(_ node: PatternNode) -> Int {
    switch node {
    case .empty: 0
    case .character: 1
    case .sequence(let nodes), .alternatives(let nodes): nodes.reduce(0) { $0 + count($1) }
    case .anyNumber(let node), .atLeastOnce(let node), .perhaps(let node): count(node)
    }
  }

  private mutating func number(_ node: PatternNode) -> Part {
    var part = Part(node: node, first: none)
    switch node {
    case .empty: break
    case .character(let set):
      part.place = sets.count
      sets.append(set)
      part.first.insert(part.place)
      part.mayBeEmpty = false
    case .sequence(let nodes):
      for node in nodes {
        let child = number(node)
        if part.mayBeEmpty { part.first.formUnion(child.first) }
        part.mayBeEmpty = part.mayBeEmpty && child.mayBeEmpty
        part.children.append(child)
      }
    case .alternatives(let nodes):
      part.children = nodes.map { number($0) }
      for child in part.children { part.first.formUnion(child.first) }
      part.mayBeEmpty = part.children.contains(where: \.mayBeEmpty)
    case .anyNumber(let node), .perhaps(let node), .atLeastOnce(let node):
      let child = number(node)
      part.first = child.first
      if case .atLeastOnce = part.node { part.mayBeEmpty = child.mayBeEmpty }
      part.children = [child]
    }
    return part
  }

  /// Computes the followers of each place.
  ///
  /// - Returns: The places that may come first in a word.
  mutating func connect() -> [UInt64] {
    let end = set(of: sets.count)
    connect(root, to: end)
    return root.mayBeEmpty ? root.first.union(end) : root.first
  }

  private mutating func connect(_ part: Part, to next: [UInt64]) {
    switch part.node {
    case .empty: break
    case .character: following[part.place] = next
    case .sequence:
      var next = next
      for child in part.children.reversed() {
        connect(child, to: next)
        next = child.mayBeEmpty ? child.first.union(next) : child.first
      }
    case .alternatives: for child in part.children { connect(child, to: next) }
    case .perhaps: connect(part.children[0], to: next)
    case .anyNumber, .atLeastOnce: connect(part.children[0], to: part.first.union(next))
    }
  }
}

/// Sets of places as bits.
extension [UInt64] {
  func has(_ place: Int) -> Bool { self[place / 64] >> UInt64(place % 64) & 1 == 1 }

  mutating func insert(_ place: Int) { self[place / 64] |= 1 << UInt64(place % 64) }

  mutating func remove(_ place: Int) { self[place / 64] &= ~(1 << UInt64(place % 64)) }

  mutating func formUnion(_ other: [UInt64]) {
    for word in indices { self[word] |= other[word] }
  }

  func union(_ other: [UInt64]) -> [UInt64] {
    var union = self
    union.formUnion(other)
    return union
  }
}
