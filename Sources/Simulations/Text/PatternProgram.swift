/// A pattern as Thompson's automaton: places that read a character, places that fork, and one that accepts.
struct PatternProgram: Hashable, Sendable {
  private enum Place: Hashable, Sendable {
    /// Reads one of these characters.
    case read(CharacterSet, next: UInt16)
    /// Goes on at both without reading.
    case fork(UInt16, UInt16)
    case accept
  }

  private var places: [Place] = []
  private(set) var start: UInt16 = 0
  /// The last place, so that a sorted list of places has it last.
  private(set) var accept: UInt16 = 0
  /// The first characters of the classes that no place of this pattern tells apart, in order; the first is 0.
  private var borders: [UInt32] = [0]

  init(_ node: PatternNode) {
    // Places are made from the end backwards, since each needs to know where it goes on; then they are turned round.
    places = [.accept]
    let first = add(node, before: 0)
    let last = places.count - 1
    func turned(_ place: UInt16) -> UInt16 { UInt16(last - Int(place)) }
    places = places.reversed().map { place in
      switch place {
      case .read(let set, let next): .read(set, next: turned(next))
      case .fork(let left, let right): .fork(turned(left), turned(right))
      case .accept: .accept
      }
    }
    start = turned(first)
    accept = UInt16(last)
    borders = findBorders()
  }

  private mutating func add(_ place: Place) -> UInt16 {
    places.append(place)
    return UInt16(places.count - 1)
  }

  /// Adds what reads `node` and goes on at `next`; gives where to begin.
  private mutating func add(_ node: PatternNode, before next: UInt16) -> UInt16 {
    switch node {
    case .empty: return next
    case .character(let set): return add(.read(set, next: next))
    case .sequence(let nodes): return nodes.reversed().reduce(next) { add($1, before: $0) }
    case .alternatives(let nodes):
      let beginnings = nodes.map { add($0, before: next) }
      return beginnings.dropLast().reversed().reduce(beginnings[beginnings.count - 1]) { add(.fork($1, $0)) }
    case .perhaps(let node): return add(.fork(add(node, before: next), next))
    case .anyNumber(let node): return loop(node, before: next).fork
    case .atLeastOnce(let node): return loop(node, before: next).body
    }
  }

  private mutating func loop(_ node: PatternNode, before next: UInt16) -> (fork: UInt16, body: UInt16) {
    let fork = add(.fork(next, next))
    let body = add(node, before: fork)
    places[Int(fork)] = .fork(body, next)
    return (fork, body)
  }

  // MARK: Reading

  /// The reading and accepting places that are reached without reading, in order.
  func closure(of beginnings: [UInt16]) -> [UInt16] {
    var isSeen = [Bool](repeating: false, count: places.count)
    var waiting = beginnings
    var found: [UInt16] = []
    while let place = waiting.popLast() {
      guard !isSeen[Int(place)] else { continue }
      isSeen[Int(place)] = true
      switch places[Int(place)] {
      case .fork(let left, let right): waiting += [left, right]
      case .read, .accept: found.append(place)
      }
    }
    return found.sorted()
  }

  /// Where a character leads to from any of some places; empty if nowhere.
  ///
  /// - Complexity: O(places of the pattern).
  func places(after list: [UInt16], _ character: Unicode.Scalar) -> [UInt16] {
    places(after: list, value: character.value)
  }

  private func places(after list: [UInt16], value: UInt32) -> [UInt16] {
    let beginnings = list.compactMap { place -> UInt16? in
      guard case .read(let set, let next) = places[Int(place)], set.contains(value) else { return nil }
      return next
    }
    return beginnings.isEmpty ? [] : closure(of: beginnings)
  }

  // MARK: Classes of characters

  /// How many classes of characters there are.
  var columns: Int { borders.count }

  /// The class that a character belongs to.
  func column(of value: UInt32) -> Int {
    var low = 0
    var high = borders.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if borders[middle] <= value { low = middle } else { high = middle }
    }
    return low
  }

  /// As ``places(after:_:)``, for all characters of a class.
  func places(after list: [UInt16], column: Int) -> [UInt16] { places(after: list, value: borders[column]) }

  private func findBorders() -> [UInt32] {
    var found: Set<UInt32> = [0]
    for case .read(let set, _) in places {
      for range in set.ranges {
        found.insert(range.lowerBound)
        found.insert(range.upperBound + 1)
      }
    }
    return found.sorted()
  }
}

/// The sets of places that a run has come to, with the steps between them that are known so far.
///
/// It is made for one run and thrown away after it. When it is full it forgets all, so that it never grows with the
/// word nor, as all subsets of the places might, with two to the power of the pattern.
struct SubsetTable {
  /// Sets that are remembered at one time.
  static let capacity = 512

  private let program: PatternProgram
  private(set) var sets: [[UInt16]] = []
  private(set) var isFinal: [Bool] = []
  private var numbers: [[UInt16]: Int] = [:]
  /// Per set and class the next set, or one of these two.
  private var steps: [Int32] = []
  private static let unknown: Int32 = -1
  private static let nowhere: Int32 = -2

  init(_ program: PatternProgram) {
    self.program = program
  }

  /// The number of a set, by which it goes until the next step from it.
  mutating func number(of set: [UInt16]) -> Int {
    if let number = numbers[set] { return number }
    if sets.count == Self.capacity { forget() }
    let number = sets.count
    sets.append(set)
    isFinal.append(set.last == program.accept)
    numbers[set] = number
    steps += repeatElement(Self.unknown, count: program.columns)
    return number
  }

  /// The set after a character of a class; `nil` if there is none. Numbers given before mean nothing any more.
  mutating func next(_ number: Int, _ column: Int) -> Int? {
    let cell = number * program.columns + column
    let known = steps[cell]
    if known >= 0 { return Int(known) }
    if known == Self.nowhere { return nil }
    let set = program.places(after: sets[number], column: column)
    guard !set.isEmpty else {
      steps[cell] = Self.nowhere
      return nil
    }
    let count = sets.count
    let next = self.number(of: set)
    // If all was forgotten meanwhile, so was where this step began.
    if sets.count >= count { steps[cell] = Int32(next) }
    return next
  }

  private mutating func forget() {
    sets.removeAll(keepingCapacity: true)
    isFinal.removeAll(keepingCapacity: true)
    numbers.removeAll(keepingCapacity: true)
    steps.removeAll(keepingCapacity: true)
  }
}
