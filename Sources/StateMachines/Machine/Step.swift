/// What a rule may know and do while it handles one input.
///
/// A step is valid only during the call that it is handed to. The effects are kept in the order in which they are
/// asked for, and that is the order in which the world carries them out.
public struct Step<M: _Machine> {
  // Safety: both pointers are made by `ErasedMachine`'s entry points from storage that outlives the call that the step is
  // handed to. A debug build traps where a step is used after that call.
  @usableFromInline let storage: UnsafeMutablePointer<StepRecord>
  @usableFromInline package let parameterStorage: UnsafePointer<M.Parameters>
  #if DEBUG
    @usableFromInline let number: UInt64
  #endif

  @inlinable
  package init(_ record: UnsafeMutablePointer<StepRecord>, _ parameters: UnsafePointer<M.Parameters>) {
    storage = record
    parameterStorage = parameters
    #if DEBUG
      number = record.pointee.number
    #endif
  }

  /// The sheet that the step is written on.
  @inlinable
  @inline(__always)
  package var record: UnsafeMutablePointer<StepRecord> {
    #if DEBUG
      precondition(storage.pointee.number == number, "a step is used after the call that it was handed to")
    #endif
    return storage
  }

  /// The moment of this step; for an expired timer, the moment at which it was due.
  @inlinable
  public var now: Instant { record.pointee.now }

  /// Says what a decision depends on, for diagrams and tries; it costs nothing where nobody notes it.
  ///
  /// ```swift
  /// case .tap where step.when("window open", isOpen): .move(to: .capsLock)
  /// ```
  ///
  /// - Returns: The condition as it is.
  @inlinable
  @inline(__always)
  public func when(_ guardName: StaticString, _ condition: Bool) -> Bool {
    if record.pointee.notesGuards { record.pointee.note(guardName, condition) }
    return condition
  }

  /// The key of the timer that has expired, where its kind's timers bear one; otherwise 0.
  @inlinable
  public var key: Int { Int(record.pointee.key) }

  /// What the machine was made with.
  @inlinable
  public var parameters: M.Parameters { parameterStorage.pointee }

  /// Says something to the world.
  @inlinable
  public func emit(_ output: M.Output) {
    record.pointee.isWritten = true
    if record.pointee.keepsOutputs { record.pointee.keep(output) }
    let data = output.data
    if data.isEmpty {
      record.pointee.effects.append(.emit(output: UInt8(output.name.index), first: 0, count: 0))
      return
    }
    let first = record.pointee.values.count
    record.pointee.values.append(contentsOf: data)
    record.pointee.effects.append(
      .emit(output: UInt8(output.name.index), first: UInt32(first), count: UInt32(data.count)))
  }

  /// Says several things, one after the other.
  @inlinable
  @inline(__always)
  public func emit(_ first: M.Output, _ second: M.Output, _ others: M.Output...) {
    emit(first)
    emit(second)
    for output in others { emit(output) }
  }

  /// Says something and gives the reaction back, so that a cell of a rule is one expression.
  ///
  /// ```swift
  /// case .shut: step.emit(.lampOn, then: .move(to: .open))
  /// ```
  @inlinable
  @inline(__always)
  public func emit(_ outputs: M.Output..., then reaction: Reaction<M.State>) -> Reaction<M.State> {
    for output in outputs { emit(output) }
    return reaction
  }

  /// Says how the machine works, to those who watch everything: no wire carries it, and no reply names it.
  ///
  /// - Precondition: The kind describes the output with ``OutputForm/told(_:about:)``.
  public func tell(_ output: M.Output) {
    record.pointee.isWritten = true
    let first = record.pointee.values.count
    let data = output.data
    record.pointee.values.append(contentsOf: data)
    record.pointee.effects.append(
      .tell(output: UInt8(output.name.index), first: UInt32(first), count: UInt32(data.count)))
  }

  /// Refuses the input and says why, in the words of the machine.
  ///
  /// Nothing has happened then: what the rule has changed in the machine, asked for and drawn before is taken back.
  ///
  /// - Parameter keepingChanges: Whether what was changed in the machine stays all the same: only for a machine that follows
  ///   a source whose mistake that is.
  @inlinable
  public func refuse<State>(_ reason: String, keepingChanges: Bool = false) -> Reaction<State> {
    record.pointee.isWritten = true
    record.pointee.reason = reason
    record.pointee.keepsChanges = keepingChanges
    return .refuse
  }

  /// Draws a whole number from a range, each with the same probability, from the world's seeded generator.
  ///
  /// A step that is refused has drawn nothing.
  public func draw(in range: ClosedRange<Int>) -> Int {
    record.pointee.noteDraw()
    return record.pointee.generator.draw(in: range)
  }
}

/// The timers of a machine as its step needs to know them.
public struct StepTimers: Sendable {
  // Safety: the events that the kind's timers bring, one after the other in the kind's order; the kind owns them, and
  // whoever takes the step keeps it alive. `nil` where there are none.
  @usableFromInline nonisolated(unsafe) let events: UnsafeRawPointer?
  // Safety: as for the events, a byte for each case of their type: the place of the timer that brings it, `noPlace` or
  // `severalPlaces`. Nothing is read from it where events are no `enum`.
  @usableFromInline nonisolated(unsafe) let places: UnsafePointer<UInt8>
  /// How many timers the kind has, at most 64.
  @usableFromInline let count: Int
  /// A bit for each timer whose event has data.
  @usableFromInline let withData: UInt64
  // Safety: as for the places of timers, a number for each case of the machine's state: the place of its name. `nil` where
  // the state says itself which name it has.
  @usableFromInline nonisolated(unsafe) let states: UnsafePointer<UInt16>?
  /// A bit for each timer without a key that runs.
  public var running: UInt64

  @inlinable
  init(
    events: UnsafeRawPointer?, places: UnsafePointer<UInt8>, count: Int, withData: UInt64,
    states: UnsafePointer<UInt16>?, running: UInt64
  ) {
    self.events = events
    self.places = places
    self.count = count
    self.withData = withData
    self.states = states
    self.running = running
  }

  /// Whether there is none.
  @inlinable
  @inline(__always)
  public var isEmpty: Bool { count == 0 }

  @usableFromInline static var noPlace: UInt8 { 0xFF }
  @usableFromInline static var severalPlaces: UInt8 { 0xFE }

  /// The same of another machine.
  @inlinable
  @inline(__always)
  public func running(_ running: UInt64) -> StepTimers {
    var timers = self
    timers.running = running
    return timers
  }

  // Safety: nobody reads from this address, since there are no events.
  @inlinable
  public static var none: StepTimers {
    StepTimers(
      events: nil, places: UnsafePointer(bitPattern: 1).unsafelyUnwrapped, count: 0, withData: 0,
      states: nil, running: 0)
  }
}

/// One thing that a step asks for, without the types of its machine.
public enum Effect: Sendable {
  /// An output, by its place in the kind's list, and where its data stand in ``StepRecord/values``.
  case emit(output: UInt8, first: UInt32, count: UInt32)
  /// An output that only those hear who watch everything.
  case tell(output: UInt8, first: UInt32, count: UInt32)
  /// A timer, by its place in the kind's list; `key` is 0 where its kind's timers bear none.
  case arm(timer: UInt8, key: UInt32, due: Instant)
  case disarm(timer: UInt8, key: UInt32)
}

/// The sheet on which a step is written: made once and used again for every step, so that a step allocates nothing.
public struct StepRecord: Sendable {
  public var now = Instant.beginning
  #if DEBUG
    /// Which call the record is for: a step of another one is none any more.
    @usableFromInline var number: UInt64 = 0
  #endif
  /// The machine's timers. Whoever takes a step sets it before.
  public var timers = StepTimers.none
  /// A bit for each timer that the rule has armed or disarmed by itself.
  @usableFromInline var overridden: UInt64 = 0
  /// Whether named guards are noted.
  public var notesGuards = false
  /// The guards that the rule has asked for, with what they were.
  public private(set) var guards: [(name: String, isTrue: Bool)] = []
  /// The key of the timer whose expiry this step is; 0 where it bears none. Whoever sets it, clears it.
  public var key: UInt32 = 0
  /// Whether anything below was written; most steps write nothing, and then nothing need be read or cleared.
  public var isWritten = false
  public var effects = EffectList()
  public var values: ContiguousArray<Value> = []
  /// Whether outputs are kept as they are, too.
  @usableFromInline package var keepsOutputs = false
  /// What was emitted, if ``keepsOutputs``.
  package private(set) var outputs: [any Sendable] = []
  /// Why the input was refused.
  public var reason: String?
  /// The data of the state before and after, where the kind prints any.
  public var dataBefore: String?
  public var dataAfter: String?
  public var generator: Generator
  /// Whether the step has drawn a number.
  public private(set) var hasDrawn = false
  /// Whether a refusal leaves what was changed in the machine.
  public var keepsChanges = false
  /// The generator before the first number was drawn.
  private var undrawn: Generator

  public init(generator: Generator) {
    self.generator = generator
    undrawn = generator
    values.reserveCapacity(16)
  }

  /// Clears what the last step wrote, and keeps the room.
  @inlinable
  @inline(__always)
  public mutating func begin(at now: Instant) {
    self.now = now
    if isWritten { clear() }
  }

  @usableFromInline
  @inline(never)
  mutating func note(_ guardName: StaticString, _ isTrue: Bool) {
    isWritten = true
    guards.append((guardName.description, isTrue))
  }

  @usableFromInline
  @inline(never)
  mutating func keep(_ output: any Sendable) {
    outputs.append(output)
  }

  /// Ends the call that a step was made for.
  @inlinable
  @inline(__always)
  mutating func endCall() {
    #if DEBUG
      number &+= 1
    #endif
  }

  /// Notes that the step draws a number.
  mutating func noteDraw() {
    guard !hasDrawn else { return }
    isWritten = true
    hasDrawn = true
    undrawn = generator
  }

  /// Takes back what the step has asked for and drawn, since it is refused.
  @usableFromInline
  @inline(never)
  mutating func rollBack() {
    effects.removeAll()
    if !outputs.isEmpty { outputs.removeAll() }
    overridden = 0
    if !values.isEmpty { values.removeAll(keepingCapacity: true) }
    if hasDrawn { generator = undrawn }
  }

  @usableFromInline
  mutating func write(before data: String?) {
    guard let data else { return }
    isWritten = true
    dataBefore = data
  }

  @usableFromInline
  mutating func write(after data: String?) {
    guard let data else { return }
    isWritten = true
    dataAfter = data
  }

  @usableFromInline
  @inline(never)
  mutating func clear() {
    isWritten = false
    hasDrawn = false
    keepsChanges = false
    overridden = 0
    if !guards.isEmpty { guards.removeAll() }
    effects.removeAll()
    if !outputs.isEmpty { outputs.removeAll() }
    if !values.isEmpty { values.removeAll(keepingCapacity: true) }
    if reason != nil { reason = nil }
    if dataBefore != nil { dataBefore = nil }
    if dataAfter != nil { dataAfter = nil }
  }
}

/// A step's outcome, without the types of its machine.
public struct StepResult: BitwiseCopyable, Sendable {
  public let verdict: Verdict
  /// Places in the kind's list of states.
  public let from: UInt8
  public let to: UInt8

  @inlinable
  public init(verdict: Verdict, from: UInt8, to: UInt8) {
    self.verdict = verdict
    self.from = from
    self.to = to
  }
}
