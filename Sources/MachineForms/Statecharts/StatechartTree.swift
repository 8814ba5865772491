public import StateMachines

/// The name of a composite state, which contains other states.
///
/// An `enum` defines the tree by one exhaustive `switch` over its cases.
public protocol StatechartComposite: NamedCases {
  /// The composite that directly contains this one; `nil` at the root.
  var parent: Self? { get }
}

/// The name of a leaf: a state without substates, in which a machine can be.
///
/// By default an `enum` prints as its path, for example `on.cooling.free`.
public protocol StatechartLeaf: NamedCases {
  associatedtype Composite: StatechartComposite = NoNames

  /// The composite that directly contains this state; `nil` at the root.
  var parent: Composite? { get }
}

extension NoNames: StatechartComposite {
  @inlinable
  public var parent: NoNames? { nil }
}

extension StatechartLeaf where Composite == NoNames {
  /// A chart without composites is flat.
  @inlinable
  public var parent: NoNames? { nil }
}

extension StatechartLeaf {
  /// The enclosing composites, the innermost first.
  public var ancestors: [Composite] {
    var found: [Composite] = []
    var next = parent
    while let composite = next {
      found.append(composite)
      next = composite.parent
    }
    return found
  }
}

extension StatechartLeaf {
  /// The path from the root to each leaf, joined by dots.
  public static var words: [String] {
    allCases.map { leaf in (leaf.ancestors.reversed().map { $0.word } + ["\(leaf)"]).joined(separator: ".") }
  }
}

extension StatechartComposite {
  /// Whether `other` is this composite or is inside it.
  @inlinable
  func contains(_ other: Self?) -> Bool {
    var candidate = other
    while let composite = candidate {
      if composite == self { return true }
      candidate = composite.parent
    }
    return false
  }

  /// The innermost composite that contains both; `nil` for the root.
  @inlinable
  static func common(_ one: Self?, _ other: Self?) -> Self? {
    var candidate = one
    while let composite = candidate {
      if composite.contains(other) { return composite }
      candidate = composite.parent
    }
    return nil
  }
}

/// A node of a chart's tree.
public enum StatechartNode<Leaf, Composite> {
  case leaf(Leaf)
  case composite(Composite)
}

extension StatechartNode: Sendable where Leaf: Sendable, Composite: Sendable {}
extension StatechartNode: Equatable where Leaf: Equatable, Composite: Equatable {}
extension StatechartNode: Hashable where Leaf: Hashable, Composite: Hashable {}

/// A set of names, for example of the composites that a transition leaves.
///
/// - Precondition: They are among the first 64 names of their type.
public struct NameSet<Name: NamedCases>: ExpressibleByArrayLiteral, Hashable, Sendable {
  @usableFromInline var bits: UInt64

  @inlinable
  init(bits: UInt64) {
    self.bits = bits
  }

  @inlinable
  @inline(__always)
  public init(arrayLiteral names: Name...) {
    var bits: UInt64 = 0
    for name in names {
      precondition(name.index < UInt64.bitWidth, "a set holds the first 64 names")
      bits |= 1 << UInt64(name.index)
    }
    self.bits = bits
  }

  /// All names.
  @inlinable
  public static var all: NameSet {
    precondition(Name.count <= UInt64.bitWidth, "a set holds the first 64 names")
    return NameSet(bits: Name.count == UInt64.bitWidth ? .max : 1 << UInt64(Name.count) - 1)
  }

  @inlinable
  mutating func insert(_ name: Name) {
    precondition(name.index < UInt64.bitWidth, "a set holds the first 64 names")
    bits |= 1 << UInt64(name.index)
  }

  @inlinable
  public func contains(_ name: Name) -> Bool {
    name.index < UInt64.bitWidth && bits & (1 << UInt64(name.index)) != 0
  }
}
