public import StateMachines

/// The names of two orthogonal regions: every pair, joined by `+`, with the second one varying fastest.
///
/// Nest pairs for more regions: `Beside<Beside<Shift, Layout>, Dictation>` has the word `off+letters+off`.
///
/// The number of words is the product of the parts' numbers, while the number of rules is their sum.
///
/// - Precondition: The product is at most 250.
public struct Beside<First: NamedCases, Second: NamedCases>: NamedCases {
  public let first: First
  public let second: Second

  @inlinable
  public init(_ first: First, _ second: Second) {
    self.first = first
    self.second = second
  }

  public static var words: [String] {
    let seconds = Second.words
    return First.words.flatMap { first in seconds.map { "\(first)+\($0)" } }
  }

  public var word: String { "\(first.word)+\(second.word)" }

  @inlinable
  public static var count: Int { First.count * Second.count }

  @inlinable
  public var index: Int { first.index &* Second.count &+ second.index }

  public static var allCases: [Self] { (0..<count).map(Self.init(at:)) }

  @inlinable
  public init(at index: Int) {
    let (first, second) = index.quotientAndRemainder(dividingBy: Second.count)
    self.init(First(at: first), Second(at: second))
  }
}

/// The names of a machine that is either in a state without regions or in a composite. States without regions come
/// first.
///
/// - Precondition: There are at most 250 names in all.
public enum Either<Outside: NamedCases, Inside: NamedCases>: NamedCases {
  case outside(Outside)
  case inside(Inside)

  public static var words: [String] { Outside.words + Inside.words }

  public var word: String {
    switch self {
    case .outside(let name): name.word
    case .inside(let name): name.word
    }
  }

  @inlinable
  public static var count: Int { Outside.count + Inside.count }

  @inlinable
  public var index: Int {
    switch self {
    case .outside(let name): name.index
    case .inside(let name): Outside.count &+ name.index
    }
  }

  public static var allCases: [Self] { (0..<count).map(Self.init(at:)) }

  @inlinable
  public init(at index: Int) {
    self = index < Outside.count ? .outside(Outside(at: index)) : .inside(Inside(at: index - Outside.count))
  }
}

extension Kind {
  /// The number of states of each region; `nil` if the kind has no regions.
  ///
  /// The product is the number of states of the composite; the sum is the number of states that rules handle.
  public var regionSizes: [Int]? {
    guard let regions else { return nil }
    let parts = states.map { $0.word.split(separator: "+") }.filter { $0.count == regions.names.count }
    return regions.names.indices.map { place in Set(parts.map { $0[place] }).count }
  }
}
