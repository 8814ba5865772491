/// A state machine: a value with a state, a pure rule for inputs, named timers, and readings.
///
/// An author writes the types, ``init(initial:_:)``, ``react(to:_:)`` and ``asksFor(_:)``, and a ``Kind`` beside them; the
/// runtime does the rest. The rule is one `switch` over the pair of state and input, total and without `default`, so
/// that a new state or event does not compile until somebody has decided what it means everywhere.
///
/// A machine is a plain value, so it can be copied, and being `Codable` it can be written out and read back. The compiler
/// makes the coding; what is in the machine, other than its state, has to be `Codable` for it. What follows from the
/// parameters belongs there and not in the machine: parameters are written as they are given, and compiled anew.
///
/// A machine never reads a clock, draws from a generator of its own, waits, does I/O or calls back. What it needs to
/// know comes in through ``Step``, and what it wants done goes out through it.
///
/// ```swift
/// struct Lamp: Machine {
///   enum State: UInt8, CaseIterable, Vocabulary, MachineState { case dark, lit }
///   enum Event: Sendable { case pressed }
///   enum TimerName: UInt8, CaseIterable, Vocabulary { case burn }
///
///   var state = State.dark
///   init(initial: State?, _ step: Step<Self>) { state = initial ?? .dark }
///
///   mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
///     switch (state, input) {
///     case (.dark, .event(.pressed)):
///       step.arm(.burn, after: .seconds(60))
///       return .move(to: .lit)
///     case (.lit, .event(.pressed)):
///       step.disarm(.burn)
///       return .move(to: .dark)
///     case (.lit, .expired(.burn)):
///       return .move(to: .dark)
///     case (.dark, .expired(.burn)):
///       return .ignore
///     }
///   }
///
///   func asksFor(_ timer: TimerName) -> Bool { state == .lit }
/// }
/// ```
public protocol Machine: ErasedMachine, Codable {
  associatedtype State: MachineState
  associatedtype Event: Sendable
  associatedtype TimerName: Vocabulary = NoNames
  associatedtype Output: MachineOutput = NoOutput
  associatedtype Parameters: ParameterSet = NoParameters

  /// The present state. Only the runtime assigns it, from the rule's ``Reaction``.
  var state: State { get set }

  /// Makes a machine that has just entered its first state; timers and outputs of entry go through `step`.
  ///
  /// - Parameter initial: The state asked for, or `nil` for the kind's own initial state.
  init(initial: State.Name?, _ step: Step<Self>)

  /// The rule. Data beside the state may be changed here; the state itself is returned.
  ///
  /// Where it returns ``Reaction/refuse``, the machine is as it was: changes of data beside the state, effects and draws
  /// are taken back, whatever came first.
  mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State>

  /// Whether a timer may be running in the present state. A timer that runs although no state asks for it is a
  /// defect, which the world's invariants report.
  func asksFor(_ timer: TimerName) -> Bool

  /// Whether a machine that was written out and read back can be gone on with under its parameters.
  ///
  /// It always can, unless it keeps places in something that is made of the parameters. Such a machine looks here whether
  /// they are within bounds, since a value that is read may be damaged.
  func isAtHome(with parameters: Parameters) -> Bool
}

extension Machine {
  public func isAtHome(with parameters: Parameters) -> Bool { true }
}

extension Machine where TimerName == NoNames {
  // Generic, because the compiler rejects a body that takes a value of a type without values.
  public func asksFor<Name: Vocabulary>(_ timer: Name) -> Bool { false }
}

/// The state of a machine, with the data that belong to it, which are `Codable`.
///
/// A payload-free `enum` that is a ``Vocabulary`` is its own name. One with data says which name each case has:
///
/// ```swift
/// enum State: MachineState {
///   case idle, loading(attempt: Int)
///   enum Name: UInt8, CaseIterable, Vocabulary { case idle, loading }
///   var name: Name { switch self { case .idle: .idle; case .loading: .loading } }
///   var data: String? { if case .loading(let attempt) = self { "\(attempt)" } else { nil } }
///   static var carriesData: Bool { true }
/// }
/// ```
public protocol MachineState: Hashable, Sendable, Codable {
  associatedtype Name: Vocabulary

  /// The state without its data.
  var name: Name { get }

  /// What is printed in parentheses behind the name; `nil` prints none. Neither times nor continuous values belong
  /// here: those are readings.
  var data: String? { get }

  /// Whether any state prints data. Where none does, steps need not look.
  static var carriesData: Bool { get }
}

extension MachineState {
  @inlinable
  public var data: String? { nil }

  @inlinable
  public static var carriesData: Bool { false }
}

extension MachineState where Self: Vocabulary {
  @inlinable
  public var name: Self { self }
}

/// A named thing that a machine says to the world.
public protocol MachineOutput: Sendable {
  associatedtype Name: Vocabulary

  var name: Name { get }

  /// The data in the order in which the kind declares them. Through a wire they become an event's arguments.
  var data: [Value] { get }
}

extension MachineOutput {
  public var data: [Value] { [] }
}

extension MachineOutput where Self: Vocabulary {
  @inlinable
  public var name: Self { self }
}

/// The output of a machine that has none.
public enum NoOutput: MachineOutput {
  public var name: NoNames {
    switch self {
    }
  }
}

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
