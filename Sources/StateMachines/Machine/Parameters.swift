/// The parameters of a kind: `new` sets them, and they never change afterwards.
///
/// Machines with equal parameters share one stored value.
public protocol ParameterSet: Hashable, Sendable {
  /// The defaults.
  init()

  /// Describes a combination of parameters that is not allowed, though each is within its range; `nil` if it is
  /// allowed.
  var conflict: ParameterConflict? { get }

  /// The approximate bytes of heap memory of data derived from the parameters, such as a table compiled from a text.
  /// The default is 0. Do not count the texts and lists that are parameters themselves.
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
  /// The range allowed for it, given the other parameters.
  public let allowed: String

  public init(_ parameter: String, allowed: String) {
    self.parameter = parameter
    self.allowed = allowed
  }
}

/// The parameter set of a kind without parameters.
public struct NoParameters: ParameterSet {
  public init() {}
}
