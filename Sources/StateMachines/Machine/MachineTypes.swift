/// What a machine is made of. Nobody conforms to this alone: see ``Machine``.
public protocol _Machine: ErasedMachine, Codable {
  associatedtype State: StateWithData
  associatedtype Event: Sendable
  associatedtype Output: OutputWithData = NoOutput
  associatedtype Parameters: ParameterSet = NoParameters

  /// The present state. Only the runtime assigns it, from the rule's ``Reaction``.
  var state: State { get set }
}

/// The state of a machine, with the data that belong to it, which are `Codable`.
///
/// A state without data is a ``MachineState``. One with data says which name each case has:
///
/// ```swift
/// enum State: StateWithData {
///   case idle, loading(attempt: Int)
///   enum Name: NamedCases { case idle, loading }
///   var name: Name { switch self { case .idle: .idle; case .loading: .loading } }
///   var data: String? { if case .loading(let attempt) = self { "\(attempt)" } else { nil } }
///   static var carriesData: Bool { true }
/// }
/// ```
public protocol StateWithData: Hashable, Sendable, Codable {
  associatedtype Name: NamedCases

  /// The state without its data.
  var name: Name { get }

  /// What is printed in parentheses behind the name; `nil` prints none. Neither times nor continuous values belong
  /// here: those are readings.
  var data: String? { get }

  /// Whether any state prints data. Where none does, steps need not look.
  static var carriesData: Bool { get }
}

extension StateWithData {
  @inlinable
  public var data: String? { nil }

  @inlinable
  public static var carriesData: Bool { false }
}

/// The state of a machine, where no case has data: an `enum` whose cases are its names.
public protocol MachineState: StateWithData, NamedCases where Name == Self {}

extension MachineState {
  @inlinable
  public var name: Self { self }
}

/// A named thing that a machine says to the world.
public protocol OutputWithData: Sendable {
  associatedtype Name: NamedCases

  var name: Name { get }

  /// The data in the order in which the kind declares them. Through a wire they become an event's arguments.
  var data: [Value] { get }
}

extension OutputWithData {
  public var data: [Value] { [] }
}

/// The outputs of a machine, where none has data: an `enum` whose cases are their names.
public protocol MachineOutput: OutputWithData, NamedCases where Name == Self {}

extension MachineOutput {
  @inlinable
  public var name: Self { self }
}

/// What a machine reacts to: an `enum`, whose cases may have data.
///
/// Events come from clients and through wires, and timers bring them; see ``Machine/timers(in:_:)``.
public protocol MachineEvent: Hashable, Sendable {}

/// The output of a machine that has none.
public enum NoOutput: OutputWithData {
  public var name: NoNames {
    switch self {
    }
  }
}
