/// A finite set of names, numbered from zero in the order in which they are shown: the states of a machine without
/// their data, its outputs without theirs.
///
/// An `enum` whose cases have no data conforms as it stands, and its case names are the words:
///
/// ```swift
/// enum Door: NamedCases { case closed, open }
/// Door.words          // ["closed", "open"]
/// ```
public protocol NamedCases: Hashable, Sendable, CaseIterable {
  /// The words as they are printed and read, in order. The spelling is exact.
  static var words: [String] { get }

  /// How many words there are, at most 65,000.
  static var count: Int { get }

  /// The word for this name.
  var word: String { get }

  /// The place of this name in `words`.
  var index: Int { get }

  /// The name at a place.
  ///
  /// - Precondition: `index` is within `words`.
  init(at index: Int)
}

extension NamedCases {
  public static var words: [String] { EnumCase.names(of: Self.self) ?? allCases.map { "\($0)" } }

  public static var count: Int { words.count }

  public var word: String { Self.words[index] }
}

extension NamedCases where AllCases == [Self] {
  @inlinable
  public static var count: Int { allCases.count }

  // Safety: the cases of an `enum` without data are numbered in the order of their declaration, and the number is all
  // that a value consists of: nothing where there is one case, one byte up to 256 of them, then two. `NamedCasesTests`
  // compares the numbers of all names of all kinds with `allCases`. What is no such `enum` has an `index` of its own.
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
  /// The name at a place that is known to be one.
  @inlinable
  @inline(__always)
  init(unchecked place: Int) {
    // Safety: as for `index`; the table that has the place was made of the cases of an `enum` without data.
    if MemoryLayout<Self>.size == 1 {
      self = unsafeBitCast(UInt8(truncatingIfNeeded: place), to: Self.self)
    } else {
      self.init(at: place)
    }
  }
}

/// The names of what a machine has none of.
public enum NoNames: NamedCases {}
