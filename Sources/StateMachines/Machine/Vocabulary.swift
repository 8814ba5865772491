/// A finite set of names, numbered from zero in the order in which they are shown: the states of a machine without
/// their data, its timers, its outputs.
///
/// An `enum` with `UInt8` raw values and `CaseIterable` is a vocabulary as it stands: its case names are the words.
///
/// ```swift
/// enum Door: UInt8, CaseIterable, Vocabulary { case closed, open }
/// Door.words          // ["closed", "open"]
/// ```
///
/// A vocabulary has at most 250 words.
public protocol Vocabulary: Hashable, Sendable {
  /// The words as they are printed and read, in order. The spelling is exact.
  static var words: [String] { get }

  /// How many words there are.
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

extension Vocabulary where Self: CaseIterable & RawRepresentable, RawValue == UInt8 {
  public static var words: [String] { allCases.map { "\($0)" } }

  @inlinable
  public static var count: Int { allCases.count }

  @inlinable
  public var index: Int { Int(rawValue) }

  @inlinable
  public init(at index: Int) {
    guard let name = Self(rawValue: UInt8(index)) else {
      preconditionFailure("\(Self.self) has no name at \(index)")
    }
    self = name
  }
}

extension Vocabulary {
  public static var count: Int { words.count }

  public var word: String { Self.words[index] }
}

/// The vocabulary of what a machine has none of: timers, or outputs.
public enum NoNames: Vocabulary {
  public static var words: [String] { [] }

  @inlinable
  public var index: Int {
    switch self {
    }
  }

  public init(at index: Int) {
    preconditionFailure("there is nothing to name")
  }
}
