/// The associated types of a machine. Conform to ``Machine`` instead.
public protocol _Machine: ErasedMachine, Codable {
  associatedtype State: StateWithData
  associatedtype Event: Sendable
  associatedtype Output: OutputWithData = NoOutput
  associatedtype Parameters: ParameterSet = NoParameters

  /// The current state. Only the runtime assigns it, from the rule's `Reaction`.
  var state: State { get set }
}

/// The state of a machine, with `Codable` data in its cases.
///
/// Use ``MachineState`` if no case has data. Otherwise list the names of the cases, in the order in which they are
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

  /// The name of the state's case. Implement it if the type is not an `enum`, or if the names differ from its cases.
  var name: Name { get }

  /// The text printed in parentheses after the name; `nil` prints none. Times and continuous values belong in readings
  /// instead.
  var data: String? { get }

  /// Whether any state prints data. If it is `false`, steps skip ``data``.
  static var carriesData: Bool { get }

  /// Whether the data are the state's word, printed without a name and parentheses: `on+playing`. For states that are too
  /// many to list, such as configurations of a chart.
  ///
  /// The data are words of ``Name``, joined by `+`. So `Name` lists what states are composed of, and requests may ask for
  /// any part. A state without data has the word of its name. A step that changes the word is a move.
  static var isNamedByData: Bool { get }

  /// One state for each case with data. A machine that is asked to start in such a case uses it, unless its
  /// ``Machine/start(in:_:)`` returns another state.
  static var samples: [Self] { get }
}

extension StateWithData {
  @inlinable
  public var name: Name { Name(unchecked: CaseTable.place(of: self, among: Name.self)) }

  @inlinable
  public var data: String? { nil }

  @inlinable
  public static var carriesData: Bool { isNamedByData }

  @inlinable
  public static var isNamedByData: Bool { false }

  public static var samples: [Self] { [] }

  /// Creates the state with this name: the case itself if it has no data, otherwise its sample.
  ///
  /// - Precondition: A case with data has a sample.
  public init(sampleNamed name: Name) {
    guard let state = Self.samples.first(where: { $0.name == name }) ?? CaseTable.value(name, as: Self.self) else {
      preconditionFailure("\(Self.self) has no sample of \(name)")
    }
    self = state
  }
}

/// The state of a machine without data: an `enum` whose cases are its names.
public protocol MachineState: StateWithData, NamedCases where Name == Self {}

extension MachineState {
  @inlinable
  public var name: Self { self }
}

/// A named output of a machine.
///
/// An `enum` with data lists the names of its cases, in the order in which they are shown:
///
/// ```swift
/// enum Output: OutputWithData {
///   case charge(sum: Double, card: String), receipt
///   enum Name: NamedCases { case charge, receipt }
/// }
/// ```
public protocol OutputWithData: Sendable {
  associatedtype Name: NamedCases

  /// The name of the output's case.
  var name: Name { get }

  /// The data in the order that the kind declares. By default, the data of the case; each must be ``ValueConvertible``
  /// or a name (``NamedCases``). A wire passes them on as an event's arguments.
  var data: [Value] { get }
}

extension OutputWithData {
  @inlinable
  public var name: Name { Name(unchecked: CaseTable.place(of: self, among: Name.self)) }

  @inlinable
  public var data: [Value] { CaseTable.data(of: self, named: Name.self) }
}

/// The outputs of a machine without data: an `enum` whose cases are its names.
public protocol MachineOutput: OutputWithData, NamedCases where Name == Self {}

extension MachineOutput {
  @inlinable
  public var name: Self { self }

  @inlinable
  public var data: [Value] { [] }
}

/// An event that a machine reacts to: an `enum`, whose cases may have data.
///
/// Clients, wires and timers send events; for timers see ``Machine/timers(in:_:)``.
public protocol MachineEvent: Hashable, Sendable {}

/// The output type of a machine without outputs.
public enum NoOutput: MachineOutput {}
