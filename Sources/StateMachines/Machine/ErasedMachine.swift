/// The runtime's view of a machine type: functions over raw storage, with one dynamic call per step.
///
/// The extension below conforms every machine type; do not write a conformance. The compiler specialises a static
/// requirement with a body in a protocol extension for each conforming type. It does not specialise an overridden
/// method of a generic class, which makes a step ten times slower.
///
/// Safety: every `value` points to initialised storage of the machine type, every `parameters` to its `Parameters`,
/// every `event` to its `Event`. A ``Kind`` provides matching layouts and events, and the world keeps kind and storage
/// together.
public protocol ErasedMachine: Sendable {
  static func initialize(
    _ value: UnsafeMutableRawPointer, initial: Int?, _ parameters: UnsafeRawPointer,
    _ record: UnsafeMutablePointer<StepRecord>
  ) -> UInt16
  static func step(
    _ value: UnsafeMutableRawPointer, event: UnsafeRawPointer, _ parameters: UnsafeRawPointer,
    _ record: UnsafeMutablePointer<StepRecord>
  ) -> StepResult
  static func expire(
    _ value: UnsafeMutableRawPointer, timer: UInt8, _ parameters: UnsafeRawPointer,
    _ record: UnsafeMutablePointer<StepRecord>
  ) -> StepResult
  static func copy(_ value: UnsafeRawPointer, to other: UnsafeMutableRawPointer)
  static func destroy(_ value: UnsafeMutableRawPointer)
  /// Whether values own heap memory, for texts, lists and the like.
  static var ownsMemory: Bool { get }
  /// The bytes of heap memory that a value owns.
  ///
  /// - Complexity: O(size of the contents), and slow; do not call it in each step.
  static func ownedBytes(_ value: UnsafeRawPointer) -> Int
  static func stateIndex(_ value: UnsafeRawPointer) -> UInt16
  static func stateData(_ value: UnsafeRawPointer) -> String?
  /// Whether two machines are in equal states, including the states' data.
  static func statesAreEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool
  /// See ``Machine/place(for:)``.
  static func place(_ value: UnsafeRawPointer, _ parameters: UnsafeRawPointer) -> String?
  /// Encodes a value.
  static func write(_ value: UnsafeRawPointer, to encoder: ValueEncoder) throws
  /// Encodes what of a value tells it from others; see ``ValueEncoder/init(comparingAt:)``.
  static func compare(
    _ value: UnsafeRawPointer, _ parameters: UnsafeRawPointer, with encoder: ValueEncoder
  ) throws
  /// Initialises storage with a decoded value of a machine with these parameters. When an error is thrown, the storage
  /// stays uninitialised.
  static func read(
    _ value: UnsafeMutableRawPointer, _ parameters: UnsafeRawPointer, from decoder: ValueDecoder
  ) throws
}

extension _Machine {
  @inlinable
  public static func copy(_ value: UnsafeRawPointer, to other: UnsafeMutableRawPointer) {
    other.initializeMemory(as: Self.self, to: value.assumingMemoryBound(to: Self.self).pointee)
  }

  @inlinable
  public static func destroy(_ value: UnsafeMutableRawPointer) {
    value.assumingMemoryBound(to: Self.self).deinitialize(count: 1)
  }

  @inlinable
  public static func stateIndex(_ value: UnsafeRawPointer) -> UInt16 {
    UInt16(value.assumingMemoryBound(to: Self.self).pointee.state.name.index)
  }

  public static var ownsMemory: Bool { !_isPOD(Self.self) }

  public static func ownedBytes(_ value: UnsafeRawPointer) -> Int {
    weight(of: value.assumingMemoryBound(to: Self.self).pointee)
  }

  public static func stateData(_ value: UnsafeRawPointer) -> String? {
    State.carriesData ? value.assumingMemoryBound(to: Self.self).pointee.state.data : nil
  }

  public static func statesAreEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
    left.assumingMemoryBound(to: Self.self).pointee.state == right.assumingMemoryBound(to: Self.self).pointee.state
  }

  public static func place(_ value: UnsafeRawPointer, _ parameters: UnsafeRawPointer) -> String? { nil }

  public static func write(_ value: UnsafeRawPointer, to encoder: ValueEncoder) throws {
    try encoder.encode(value.assumingMemoryBound(to: Self.self).pointee)
  }

  public static func compare(
    _ value: UnsafeRawPointer, _ parameters: UnsafeRawPointer, with encoder: ValueEncoder
  ) throws {
    encoder.parameters = parameters.assumingMemoryBound(to: Parameters.self).pointee
    try write(value, to: encoder)
  }
}

extension Machine {
  public func place(for parameters: Parameters) -> String? { nil }

  public static func place(_ value: UnsafeRawPointer, _ parameters: UnsafeRawPointer) -> String? {
    value.assumingMemoryBound(to: Self.self).pointee
      .place(for: parameters.assumingMemoryBound(to: Parameters.self).pointee)
  }

  @inlinable
  public static func initialize(
    _ value: UnsafeMutableRawPointer, initial: Int?, _ parameters: UnsafeRawPointer,
    _ record: UnsafeMutablePointer<StepRecord>
  ) -> UInt16 {
    begin(Self(), value, initial: initial, parameters, record)
  }

  /// Starts a machine from a value, in the value's state or a requested one.
  @inlinable
  @inline(__always)
  package static func begin(
    _ machine: Self, _ value: UnsafeMutableRawPointer, initial: Int?, _ parameters: UnsafeRawPointer,
    _ record: UnsafeMutablePointer<StepRecord>
  ) -> UInt16 {
    let step = Step<Self>(record, parameters.assumingMemoryBound(to: Parameters.self))
    var machine = machine
    machine.state = initial.map { machine.start(in: State.Name(at: $0), step) } ?? machine.start(step)
    machine.entered(machine.state, step)
    machine.timers(in: machine.state, step.parameters).forEach { step.begin($0) }
    if State.carriesData { record.pointee.write(after: machine.state.data) }
    let index = UInt16(machine.state.name.index)
    value.initializeMemory(as: Self.self, to: machine)
    record.pointee.endCall()
    return index
  }

  @inlinable
  public static func step(
    _ value: UnsafeMutableRawPointer, event: UnsafeRawPointer, _ parameters: UnsafeRawPointer,
    _ record: UnsafeMutablePointer<StepRecord>
  ) -> StepResult {
    react(value, event.assumingMemoryBound(to: Event.self), expired: 0, parameters, record)
  }

  @inlinable
  public static func expire(
    _ value: UnsafeMutableRawPointer, timer: UInt8, _ parameters: UnsafeRawPointer,
    _ record: UnsafeMutablePointer<StepRecord>
  ) -> StepResult {
    let timers = record.pointee.timers
    let events = timers.events.unsafelyUnwrapped.assumingMemoryBound(to: Event.self)
    let bit: UInt64 = 1 &<< UInt64(timer)
    guard timers.withData & bit != 0 else { return react(value, events + Int(timer), expired: bit, parameters, record) }
    let machine = value.assumingMemoryBound(to: Self.self).pointee
    let step = Step<Self>(record, parameters.assumingMemoryBound(to: Parameters.self))
    var event = step.event(of: Int(timer), declaredBy: machine) ?? events[Int(timer)]
    return react(value, &event, expired: bit, parameters, record)
  }

  /// Assigns the machine's state, arms its timers and rolls back a refused step. No other code does this.
  ///
  /// A rule may change data outside the state before it refuses, so each step first copies the value. For a plain value
  /// this costs a few moves, or nothing if the compiler sees that the rule changes only the state. For any other value,
  /// references are shared during the step: a rule that changes a collection in place copies the collection.
  ///
  /// - Parameter expired: The bit of the timer that sent the event; 0 if no timer did.
  @inlinable
  static func react(
    _ value: UnsafeMutableRawPointer, _ event: UnsafePointer<Event>, expired: UInt64, _ parameters: UnsafeRawPointer,
    _ record: UnsafeMutablePointer<StepRecord>
  ) -> StepResult {
    let machine = value.assumingMemoryBound(to: Self.self)
    let step = Step<Self>(record, parameters.assumingMemoryBound(to: Parameters.self))
    let from = UInt16(step.place(of: machine.pointee.state))
    if State.carriesData { record.pointee.write(before: machine.pointee.state.data) }
    let before = machine.pointee
    let verdict: Verdict
    var to = from
    switch machine.pointee.react(to: event.pointee, step) {
    case .move(to: let next):
      machine.pointee.state = next
      to = UInt16(step.place(of: next))
      machine.pointee.entered(next, step)
      step.armDeclared(machine.pointee, before, isMove: true, expired: expired)
      verdict = .moved
    case .stay:
      step.armDeclared(machine.pointee, before, isMove: false, expired: expired)
      verdict = .stayed
    case .stayAs(let next):
      machine.pointee.state = next
      to = UInt16(step.place(of: next))
      step.armDeclared(machine.pointee, before, isMove: false, expired: expired)
      verdict = .stayed
    case .ignore:
      if expired != 0 { step.goOn(machine.pointee, expired: expired) }
      verdict = .ignored
    case .refuse:
      if !record.pointee.keepsChanges { machine.pointee = before }
      record.pointee.rollBack()
      if expired != 0 { step.goOn(machine.pointee, expired: expired) }
      verdict = .refused
    }
    if State.carriesData { record.pointee.write(after: machine.pointee.state.data) }
    record.pointee.endCall()
    return StepResult(verdict: verdict, from: from, to: to)
  }

  public static func read(
    _ value: UnsafeMutableRawPointer, _ parameters: UnsafeRawPointer, from decoder: ValueDecoder
  ) throws {
    let machine = try decoder.decode(Self.self)
    guard machine.isValid(for: parameters.assumingMemoryBound(to: Parameters.self).pointee) else {
      throw StorageFailure.damaged("the machine's data do not fit its parameters")
    }
    value.initializeMemory(as: Self.self, to: machine)
  }
}
