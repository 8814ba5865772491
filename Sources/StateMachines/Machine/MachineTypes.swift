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
/// A state without data is a ``MachineState``. One with data lists the names of its cases, in the order in which they are
/// shown:
///
/// ```swift
/// enum State: StateWithData {
///   case idle, loading(attempt: Int)
///   enum Name: NamedCases { case idle, loading }
///   static var samples: [State] { [.loading(attempt: 1)] }
/// }
/// ```
public protocol StateWithData: Hashable, Sendable, Codable {
  associatedtype Name: NamedCases

  /// The state without its data: the name of the same case. A type that is no `enum`, or whose names are others than its
  /// cases, says itself which it is.
  var name: Name { get }

  /// What is printed in parentheses behind the name; `nil` prints none. Neither times nor continuous values belong
  /// here: those are readings.
  var data: String? { get }

  /// Whether any state prints data. Where none does, steps need not look.
  static var carriesData: Bool { get }

  /// One state for each case with data: in which a machine begins, if it is to begin there and its
  /// ``Machine/start(in:_:)`` says no other.
  static var samples: [Self] { get }
}

extension StateWithData {
  @inlinable
  public var name: Name { Name(unchecked: CaseTable.place(of: self, among: Name.self)) }

  @inlinable
  public var data: String? { nil }

  @inlinable
  public static var carriesData: Bool { false }

  public static var samples: [Self] { [] }

  /// The state of a name: without data, or else as among the samples.
  ///
  /// - Precondition: There is one.
  public init(sampleNamed name: Name) {
    guard let state = Self.samples.first(where: { $0.name == name }) ?? CaseTable.value(name, as: Self.self) else {
      preconditionFailure("\(Self.self) has no sample of \(name)")
    }
    self = state
  }
}

/// The state of a machine, where no case has data: an `enum` whose cases are its names.
public protocol MachineState: StateWithData, NamedCases where Name == Self {}

extension MachineState {
  @inlinable
  public var name: Self { self }
}

/// A named thing that a machine says to the world.
///
/// An `enum` whose cases have data lists their names, in the order in which they are shown:
///
/// ```swift
/// enum Output: OutputWithData {
///   case charge(sum: Double, card: String), receipt
///   enum Name: NamedCases { case charge, receipt }
/// }
/// ```
public protocol OutputWithData: Sendable {
  associatedtype Name: NamedCases

  /// The name of the same case.
  var name: Name { get }

  /// The data in the order in which the kind declares them: those of the case, each of which is ``ValueConvertible``
  /// or a name (``NamedCases``). Through a wire they become an event's arguments.
  var data: [Value] { get }
}

extension OutputWithData {
  @inlinable
  public var name: Name { Name(unchecked: CaseTable.place(of: self, among: Name.self)) }

  @inlinable
  public var data: [Value] { CaseTable.data(of: self, named: Name.self) }
}

/// The outputs of a machine, where none has data: an `enum` whose cases are their names.
public protocol MachineOutput: OutputWithData, NamedCases where Name == Self {}

extension MachineOutput {
  @inlinable
  public var name: Self { self }

  @inlinable
  public var data: [Value] { [] }
}

/// What a machine reacts to: an `enum`, whose cases may have data.
///
/// Events come from clients and through wires, and timers bring them; see ``Machine/timers(in:_:)``.
public protocol MachineEvent: Hashable, Sendable {}

/// The output of a machine that has none.
public enum NoOutput: MachineOutput {}
