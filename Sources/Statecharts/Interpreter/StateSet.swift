/// A set of states by number, as bits. The first 64 states are stored inline, so a small chart's set needs no memory
/// of its own.
///
/// States are numbered in document order, so the ascending order of members is document order.
public struct StateSet: Hashable, Sendable {
  private var low: UInt64 = 0
  /// States from 64 on, without trailing zeros: equal sets have equal words.
  private var high: [UInt64] = []

  public init() {}

  public var isEmpty: Bool { low == 0 && high.isEmpty }

  /// The memory outside of the value, roughly.
  var ownedBytes: Int { high.isEmpty ? 0 : 32 + high.count * 8 }

  public var count: Int { high.reduce(low.nonzeroBitCount) { $0 + $1.nonzeroBitCount } }

  @inline(__always)
  public func contains(_ state: Int) -> Bool {
    if state < 64 { return low &>> UInt64(truncatingIfNeeded: state) & 1 != 0 }
    let word = state &>> 6 &- 1
    return word < high.count && high[word] &>> UInt64(truncatingIfNeeded: state & 63) & 1 != 0
  }

  @inline(__always)
  public mutating func insert(_ state: Int) {
    let bit = UInt64(1) &<< UInt64(truncatingIfNeeded: state & 63)
    if state < 64 { return low |= bit }
    let word = state &>> 6 &- 1
    while high.count <= word { high.append(0) }
    high[word] |= bit
  }

  @inline(__always)
  public mutating func remove(_ state: Int) {
    let bit = UInt64(1) &<< UInt64(truncatingIfNeeded: state & 63)
    if state < 64 { return low &= ~bit }
    let word = state &>> 6 &- 1
    guard word < high.count, high[word] & bit != 0 else { return }
    high[word] &= ~bit
    while high.last == 0 { high.removeLast() }
  }

  /// The greatest member of a set of states below 64; 0 if it is empty.
  @inline(__always)
  var lastOfFew: Int { low == 0 ? 0 : 63 &- low.leadingZeroBitCount }

  /// Keeps the states below 64 that the mask has, and adds others.
  @inline(__always)
  mutating func replaceFew(mask: UInt64, _ added: UInt64) { low = low & mask | added }

  public mutating func removeAll() {
    low = 0
    high.clear()
  }

  /// The least member that is at least `state`; `nil` if there is none.
  @inline(__always)
  public func first(from state: Int) -> Int? {
    if state < 64 {
      let bits = low & (~0 &<< UInt64(truncatingIfNeeded: state))
      if bits != 0 { return bits.trailingZeroBitCount }
    }
    if high.isEmpty { return nil }
    var word = Swift.max(state &>> 6 &- 1, 0)
    guard word < high.count else { return nil }
    var bits = high[word]
    if state >= 64 { bits &= ~0 &<< UInt64(truncatingIfNeeded: state & 63) }
    while bits == 0 {
      word &+= 1
      guard word < high.count else { return nil }
      bits = high[word]
    }
    return (word &+ 1) &<< 6 &+ bits.trailingZeroBitCount
  }

  /// The greatest member that is at most `state`; `nil` if there is none.
  @inline(__always)
  public func last(upTo state: Int) -> Int? {
    if state < 0 { return nil }
    if state >= 64, !high.isEmpty {
      var word = state &>> 6 &- 1
      var mask = ~UInt64(0)
      if word < high.count {
        mask &>>= UInt64(truncatingIfNeeded: 63 &- state & 63)
      } else {
        word = high.count &- 1
      }
      while word >= 0 {
        let bits = high[word] & mask
        if bits != 0 { return (word &+ 2) &<< 6 &- 1 &- bits.leadingZeroBitCount }
        mask = ~0
        word &-= 1
      }
    }
    let mask = state >= 63 ? ~UInt64(0) : (1 &<< UInt64(truncatingIfNeeded: state &+ 1)) &- 1
    let bits = low & mask
    return bits == 0 ? nil : 63 &- bits.leadingZeroBitCount
  }
}

extension StateSet: Sequence {
  public struct Iterator: IteratorProtocol {
    fileprivate let set: StateSet
    fileprivate var from = 0

    public mutating func next() -> Int? {
      guard let state = set.first(from: from) else { return nil }
      from = state + 1
      return state
    }
  }

  public func makeIterator() -> Iterator { Iterator(set: self) }

  public init(_ states: some Sequence<Int>) {
    for state in states { insert(state) }
  }
}

extension Array {
  /// Removes all elements and keeps the memory, as `removeAll(keepingCapacity: true)` does, which takes two hundred
  /// instructions more. For arrays of few elements.
  @inline(__always)
  mutating func clear() {
    while popLast() != nil {}
  }
}

/// Encoded as the list of its members.
extension StateSet: Codable {
  public init(from decoder: any Decoder) throws {
    let states = try decoder.singleValueContainer().decode([UInt32].self)
    guard zip(states, states.dropFirst()).allSatisfy({ $0 < $1 }), states.allSatisfy({ $0 < StateSet.greatest }) else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "not an ascending list of states"))
    }
    self.init(states.lazy.map(Int.init))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(map { UInt32($0) })
  }

  /// No document has this many states.
  private static var greatest: UInt32 { 1 << 24 }
}
