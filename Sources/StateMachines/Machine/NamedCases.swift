/// A finite set of names, numbered from zero in the order in which they are shown, such as the names of a machine's
/// states or outputs.
///
/// An `enum` whose cases have no data needs no members to conform; its case names are the words:
///
/// ```swift
/// enum Door: NamedCases { case closed, open }
/// Door.words          // ["closed", "open"]
/// ```
public protocol NamedCases: Hashable, Sendable, CaseIterable {
  /// The words as they are printed and parsed, in order. They are case-sensitive.
  static var words: [String] { get }

  /// The number of words, at most 65,000.
  static var count: Int { get }

  /// The word for this name.
  var word: String { get }

  /// The index of this name in `words`.
  var index: Int { get }

  /// Creates the name at an index.
  ///
  /// - Precondition: `index` is a valid index of `words`.
  init(at index: Int)
}

extension NamedCases {
  public static var words: [String] { EnumCase.names(of: Self.self) ?? allCases.map { "\($0)" } }

  public static var count: Int { words.count }

  public var word: String { Self.words[index] }
}

extension NamedCases {
  /// Traps unless the type's own members agree: a name, its word and its index must say the same.
  ///
  /// - Complexity: O(names); of a long list only the first words are compared, since the default ``word`` makes all.
  static func checkPlaces() {
    let words = words
    precondition(count == words.count, "\(Self.self) has \(words.count) words, and its count is \(count)")
    precondition(Set(words).count == words.count, "two names of \(Self.self) have the same word")
    for place in words.indices {
      let name = Self(at: place)
      precondition(
        name.index == place, "the name of \(Self.self) at \(place) has the index \(name.index): see init(at:) and index"
      )
      if place < 256 {
        precondition(
          name.word == words[place],
          "the name of \(Self.self) at \(place) has the word '\(name.word)', and words has '\(words[place])' there")
      }
    }
  }
}

extension NamedCases where AllCases == [Self] {
  @inlinable
  public static var count: Int { allCases.count }

  // Safety: the cases of an `enum` without data are numbered in the order of declaration. A value consists of that
  // number only: no byte for one case, one byte for up to 256 cases, otherwise two. `NamedCasesTests` compares the
  // numbers of all names of all kinds with `allCases`. Any other type implements `index` itself.
  @inlinable
  @inline(__always)
  public var index: Int {
    if MemoryLayout<Self>.size == 0 { return 0 }
    if MemoryLayout<Self>.size == 1 { return Int(unsafeBitCast(self, to: UInt8.self)) }
    precondition(MemoryLayout<Self>.size == 2, "names are the cases of an enum without data")
    return Int(unsafeBitCast(self, to: UInt16.self))
  }

  @inlinable
  @inline(__always)
  public init(at index: Int) {
    precondition(index >= 0 && index < Self.count, "there is no name at this place")
    if MemoryLayout<Self>.size == 0 {
      self = Self.allCases[0]
    } else if MemoryLayout<Self>.size == 1 {
      self = unsafeBitCast(UInt8(truncatingIfNeeded: index), to: Self.self)
    } else {
      precondition(MemoryLayout<Self>.size == 2, "names are the cases of an enum without data")
      self = unsafeBitCast(UInt16(truncatingIfNeeded: index), to: Self.self)
    }
  }
}

extension NamedCases {
  /// Creates the name at an index that is known to be valid.
  @inlinable
  @inline(__always)
  init(unchecked place: Int) {
    // Safety: as for `index`; the table that holds the index was made from the cases of an `enum` without data.
    if MemoryLayout<Self>.size == 1 {
      self = unsafeBitCast(UInt8(truncatingIfNeeded: place), to: Self.self)
    } else {
      self.init(at: place)
    }
  }
}

/// The empty set of names, for example of a machine without outputs.
public enum NoNames: NamedCases {}
