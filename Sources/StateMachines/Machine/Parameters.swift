/// The parameters of a kind: what `new` may set and what never changes afterwards.
///
/// Machines that were made with equal parameters share one value of it.
public protocol ParameterSet: Hashable, Sendable {
  /// The defaults.
  init()

  /// What is wrong with this combination, where each parameter alone is within its range; `nil` if all is well.
  var conflict: ParameterConflict? { get }

  /// Bytes of memory that this value keeps elsewhere, such as tables that were compiled of a text; about as many, and 0
  /// unless a type says otherwise. Texts and lists of the parameters themselves need not be counted.
  var compiledBytes: Int { get }
}

extension ParameterSet {
  public var conflict: ParameterConflict? { nil }
  public var compiledBytes: Int { 0 }
}

/// Parameters that contradict each other.
public struct ParameterConflict: Error, Hashable {
  /// The parameter to change.
  public let parameter: String
  /// What is allowed for it, given the others.
  public let allowed: String

  public init(_ parameter: String, allowed: String) {
    self.parameter = parameter
    self.allowed = allowed
  }
}

/// The parameters of a kind that has none.
public struct NoParameters: ParameterSet {
  public init() {}
}
