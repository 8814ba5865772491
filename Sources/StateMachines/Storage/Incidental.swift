/// Data of a machine on which no decision of its rule depends: a count of what came too late, the sum of a payment, the
/// moment that a reading shows.
///
/// ```swift
/// @Incidental private var late = 0
/// ```
///
/// Two machines that differ only in such data do the same. A diagram therefore counts them as one, so that a counter
/// does not make it endless. In stores the property is the plain value, as without the wrapper.
///
/// The durations of timers and the data of outputs may depend on it; verdicts, next states, the choice of outputs and
/// the choice of timers may not. A diagram is false if they do.
@propertyWrapper
public struct Incidental<Value: Hashable & Codable & Sendable>: Hashable, Codable, Sendable {
  public var wrappedValue: Value

  @inlinable
  public init(wrappedValue: Value) {
    self.wrappedValue = wrappedValue
  }

  public init(from decoder: any Decoder) throws {
    wrappedValue = try decoder.singleValueContainer().decode(Value.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

extension Incidental: DirectlyStored {
  func store(in encoder: ValueEncoder) throws {
    if encoder.now == nil { try encoder.encode(wrappedValue) }
  }

  static func restored(from decoder: ValueDecoder) throws -> Self {
    Self(wrappedValue: try decoder.decode(Value.self))
  }
}

/// A type of which only a part can change what a rule decides. The data of an `enum`'s cases cannot be marked
/// ``Incidental``, and some data matter up to a bound only; such a type tells its essential part instead.
public protocol PartlyIncidental: Encodable {
  associatedtype Essence: Encodable

  /// Equal for two values with which every rule decides alike, in machines with these parameters.
  func essence(for parameters: any ParameterSet) -> Essence
}
