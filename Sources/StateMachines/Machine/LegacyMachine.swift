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
/// struct Lamp: LegacyMachine {
///   enum State: MachineState { case dark, lit }
///   enum Event: Sendable { case pressed }
///   enum TimerName: NamedCases { case burn }
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
public protocol LegacyMachine: _Machine {
  associatedtype TimerName: NamedCases = NoNames

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

extension LegacyMachine {
  public func isAtHome(with parameters: Parameters) -> Bool { true }
}

extension LegacyMachine where TimerName == NoNames {
  // Generic, because the compiler rejects a body that takes a value of a type without values.
  public func asksFor<Name: NamedCases>(_ timer: Name) -> Bool { false }
}

// Safety: as in ``ErasedMachine``.
extension LegacyMachine {
  @inlinable
  public static func initialize(
    _ value: UnsafeMutableRawPointer, initial: Int?, _ parameters: UnsafeRawPointer,
    _ record: UnsafeMutablePointer<StepRecord>
  ) -> UInt8 {
    let step = Step<Self>(record, parameters.assumingMemoryBound(to: Parameters.self))
    let machine = Self(initial: initial.map(State.Name.init(at:)), step)
    if State.carriesData { record.pointee.write(after: machine.state.data) }
    let index = UInt8(machine.state.name.index)
    value.initializeMemory(as: Self.self, to: machine)
    return index
  }

  @inlinable
  public static func step(
    _ value: UnsafeMutableRawPointer, event: UnsafeRawPointer, _ parameters: UnsafeRawPointer,
    _ record: UnsafeMutablePointer<StepRecord>
  ) -> StepResult {
    react(value, .event(event.assumingMemoryBound(to: Event.self).pointee), parameters, record)
  }

  @inlinable
  public static func expire(
    _ value: UnsafeMutableRawPointer, timer: UInt8, _ parameters: UnsafeRawPointer,
    _ record: UnsafeMutablePointer<StepRecord>
  ) -> StepResult {
    react(value, .expired(TimerName(at: Int(timer))), parameters, record)
  }

  /// The one place where a machine's state is assigned, and where a refused step is taken back.
  ///
  /// A rule may have changed data beside the state before it refuses, so the value is copied before each step. A plain
  /// value costs a few moves, and none at all where the compiler sees that the rule changes nothing beside the state. Of
  /// any other value the references are held twice during the step: a rule that changes a collection in place copies it.
  @inlinable
  static func react(
    _ value: UnsafeMutableRawPointer, _ input: Input<Event, TimerName>, _ parameters: UnsafeRawPointer,
    _ record: UnsafeMutablePointer<StepRecord>
  ) -> StepResult {
    let machine = value.assumingMemoryBound(to: Self.self)
    let step = Step<Self>(record, parameters.assumingMemoryBound(to: Parameters.self))
    let from = UInt8(machine.pointee.state.name.index)
    if State.carriesData { record.pointee.write(before: machine.pointee.state.data) }
    let before = machine.pointee
    let verdict: Verdict
    switch machine.pointee.react(to: input, step) {
    case .move(to: let next):
      machine.pointee.state = next
      verdict = .moved
    case .stay:
      verdict = .stayed
    case .stayAs(let next):
      machine.pointee.state = next
      verdict = .stayed
    case .ignore:
      verdict = .ignored
    case .refuse:
      if !record.pointee.keepsChanges { machine.pointee = before }
      record.pointee.takeBack()
      verdict = .refused
    }
    if State.carriesData { record.pointee.write(after: machine.pointee.state.data) }
    return StepResult(verdict: verdict, from: from, to: UInt8(machine.pointee.state.name.index))
  }

  public static func asksFor(_ value: UnsafeRawPointer, timer: UInt8) -> Bool {
    value.assumingMemoryBound(to: Self.self).pointee.asksFor(TimerName(at: Int(timer)))
  }

  public static func read(
    _ value: UnsafeMutableRawPointer, _ parameters: UnsafeRawPointer, from decoder: ValueDecoder
  ) throws {
    let machine = try decoder.decode(Self.self)
    guard machine.isAtHome(with: parameters.assumingMemoryBound(to: Parameters.self).pointee) else {
      throw StorageFailure.damaged("the machine's data do not fit its parameters")
    }
    value.initializeMemory(as: Self.self, to: machine)
  }
}

extension Step where M: LegacyMachine {
  /// Lets a timer run; it expires after `interval`. One that already runs under this name is replaced.
  ///
  /// A timer without delay expires at this same moment, after the step and the deliveries of its wires.
  ///
  /// - Precondition: `interval` is not negative.
  @inlinable
  public func arm(_ timer: M.TimerName, after interval: Interval) {
    precondition(interval >= .zero, "a timer cannot expire before it is armed")
    record.pointee.isWritten = true
    record.pointee.effects.append(.arm(timer: UInt8(timer.index), key: 0, due: record.pointee.now + interval))
  }

  /// Stops a timer. One that does not run is left alone.
  @inlinable
  public func disarm(_ timer: M.TimerName) {
    record.pointee.isWritten = true
    record.pointee.effects.append(.disarm(timer: UInt8(timer.index), key: 0))
  }

  /// Lets one of several timers of a name run, told apart by their keys: the running number of a request, say.
  ///
  /// When it expires, ``key`` is the one given here. Arming a key that already runs replaces that one.
  ///
  /// - Precondition: `interval` is not negative; `key` is between 1 and `UInt32.max`; the kind says that the timer is
  ///   keyed (see ``TimerForm/keyed(_:)``).
  public func arm(_ timer: M.TimerName, key: Int, after interval: Interval) {
    precondition(interval >= .zero, "a timer cannot expire before it is armed")
    precondition(key > 0, "a key counts from 1")
    record.pointee.isWritten = true
    record.pointee.effects.append(
      .arm(timer: UInt8(timer.index), key: UInt32(key), due: record.pointee.now + interval))
  }

  /// Stops one of several timers of a name. One that does not run is left alone.
  ///
  /// - Precondition: As for ``arm(_:key:after:)``.
  public func disarm(_ timer: M.TimerName, key: Int) {
    precondition(key > 0, "a key counts from 1")
    record.pointee.isWritten = true
    record.pointee.effects.append(.disarm(timer: UInt8(timer.index), key: UInt32(key)))
  }
}
