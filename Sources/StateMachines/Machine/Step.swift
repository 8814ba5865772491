/// What a rule may know and do while it handles one input.
///
/// A step is valid only during the call that it is handed to. The effects are kept in the order in which they are
/// asked for, and that is the order in which the world carries them out.
public struct Step<M: Machine> {
  // Safety: both pointers are made by `ErasedMachine`'s entry points from storage that outlives the call, and a rule
  // has no way to keep the step.
  @usableFromInline package let record: UnsafeMutablePointer<StepRecord>
  @usableFromInline package let parameterStorage: UnsafePointer<M.Parameters>

  @inlinable
  package init(_ record: UnsafeMutablePointer<StepRecord>, _ parameters: UnsafePointer<M.Parameters>) {
    self.record = record
    parameterStorage = parameters
  }

  /// The moment of this step; for an expired timer, the moment at which it was due.
  @inlinable
  public var now: Moment { record.pointee.now }

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

/// One thing that a step asks for, without the types of its machine.
public enum Effect: Sendable {
  /// An output, by its place in the kind's list, and where its data stand in ``StepRecord/values``.
  case emit(output: UInt8, first: UInt32, count: UInt32)
  /// A timer, by its place in the kind's list; `key` is 0 where its kind's timers bear none.
  case arm(timer: UInt8, key: UInt32, due: Moment)
  case disarm(timer: UInt8, key: UInt32)
}

/// The sheet on which a step is written: made once and used again for every step, so that a step allocates nothing.
public struct StepRecord: Sendable {
  public var now = Moment.beginning
  /// The key of the timer whose expiry this step is; 0 where it bears none. Whoever sets it, clears it.
  public var key: UInt32 = 0
  /// Whether anything below was written; most steps write nothing, and then nothing need be read or cleared.
  public var isWritten = false
  public var effects = EffectList()
  public var values: ContiguousArray<Value> = []
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
  public mutating func begin(at now: Moment) {
    self.now = now
    if isWritten { clear() }
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
  mutating func takeBack() {
    effects.removeAll()
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
    effects.removeAll()
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
