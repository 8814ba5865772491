/// The context of a rule while it handles one input: the moment, the parameters and the effects.
///
/// A step is valid only during the call that receives it. The world performs the effects in the order of their
/// requests.
public struct Step<M: _Machine> {
  // Safety: `ErasedMachine`'s entry points make both pointers from storage that outlives the call that receives the
  // step. A debug build traps when a step is used after that call.
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

  /// The record that the step writes to.
  @inlinable
  @inline(__always)
  package var record: UnsafeMutablePointer<StepRecord> {
    #if DEBUG
      precondition(storage.pointee.number == number, "a step is used after the call that it was handed to")
    #endif
    return storage
  }

  /// The moment of this step. For an expired timer, the moment at which it was due.
  @inlinable
  public var now: Instant {
    if record.pointee.notesGuards { record.pointee.noteMoment() }
    return record.pointee.now
  }

  /// Names a guard condition, for diagrams and dry runs. It is nearly free when guards are not recorded.
  ///
  /// ```swift
  /// case .tap where step.when("window open", isOpen): .move(to: .capsLock)
  /// ```
  ///
  /// - Returns: The condition, unchanged.
  @inlinable
  @inline(__always)
  public func when(_ guardName: StaticString, _ condition: Bool) -> Bool {
    if record.pointee.notesGuards { record.pointee.note(guard: guardName.description, condition) }
    return condition
  }

  /// The key of the expired timer if the kind's timer has keys; otherwise 0.
  @inlinable
  public var key: Int { Int(record.pointee.key) }

  /// The parameters of the machine.
  @inlinable
  public var parameters: M.Parameters { parameterStorage.pointee }

  /// Emits an output.
  ///
  /// An output that the kind describes with ``OutputForm/told(_:about:)`` goes to watchers of everything only.
  @inlinable
  public func emit(_ output: M.Output) {
    record.pointee.isWritten = true
    if record.pointee.keepsOutputs { record.pointee.keep(output) }
    let data = output.data
    if data.isEmpty {
      record.pointee.effects.append(.emit(output: UInt16(output.name.index), first: 0, count: 0))
      return
    }
    let first = record.pointee.values.count
    record.pointee.values.append(contentsOf: data)
    record.pointee.effects.append(
      .emit(output: UInt16(output.name.index), first: UInt32(first), count: UInt32(data.count)))
  }

  /// Emits several outputs in order.
  @inlinable
  @inline(__always)
  public func emit(_ first: M.Output, _ second: M.Output, _ others: M.Output...) {
    emit(first)
    emit(second)
    for output in others { emit(output) }
  }

  /// Emits outputs in order and returns the reaction, so that one expression handles an event in a state.
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

  /// Refuses the input with a reason.
  ///
  /// The rule's changes to the machine, effects and draws are rolled back.
  ///
  /// - Parameters:
  ///   - reason: Why, in words for the sender.
  ///   - keepingChanges: Whether changes to the machine are kept. Use it only in a machine that follows another source,
  ///     when the refused event is that source's mistake.
  @inlinable
  public func refuse<State>(_ reason: String, keepingChanges: Bool = false) -> Reaction<State> {
    record.pointee.isWritten = true
    record.pointee.reason = reason
    record.pointee.keepsChanges = keepingChanges
    return .refuse
  }

  /// Draws a uniformly distributed integer from a range, with the world's seeded generator.
  ///
  /// A refused step leaves the generator unchanged.
  public func draw(in range: ClosedRange<Int>) -> Int {
    record.pointee.noteDraw()
    if let choices = record.pointee.choices { return record.pointee.choose(in: range, by: choices) }
    return record.pointee.generator.draw(in: range)
  }
}

/// What a step needs to know about the timers of its machine.
public struct StepTimers: Sendable {
  // Safety: the events of the kind's timers, in the kind's order. The kind owns them, and the caller of the step keeps
  // it alive. `nil` if there are none.
  @usableFromInline nonisolated(unsafe) let events: UnsafeRawPointer?
  // Safety: owned like the events. One byte for each case of their type: the index of the timer with that event,
  // `noPlace` or `severalPlaces`. Not read if the event type is not an `enum`.
  @usableFromInline nonisolated(unsafe) let places: UnsafePointer<UInt8>
  /// The number of the kind's timers, at most 64.
  @usableFromInline let count: Int
  /// Bit set of the timers whose events have data.
  @usableFromInline let withData: UInt64
  // Safety: owned like the events. For each case of the machine's state, the index of its name. `nil` if the state type
  // implements `name` itself.
  @usableFromInline nonisolated(unsafe) let states: UnsafePointer<UInt16>?
  /// Bit set of the running timers without a key.
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

  /// Whether the kind has no timers.
  @inlinable
  @inline(__always)
  public var isEmpty: Bool { count == 0 }

  @usableFromInline static var noPlace: UInt8 { 0xFF }
  @usableFromInline static var severalPlaces: UInt8 { 0xFE }

  /// The same timers for a machine with other running timers.
  @inlinable
  @inline(__always)
  public func running(_ running: UInt64) -> StepTimers {
    var timers = self
    timers.running = running
    return timers
  }

  // Safety: this address is never read, since there are no events.
  @inlinable
  public static var none: StepTimers {
    StepTimers(
      events: nil, places: UnsafePointer(bitPattern: 1).unsafelyUnwrapped, count: 0, withData: 0,
      states: nil, running: 0)
  }
}

/// One effect of a step, without the machine's types.
public enum Effect: Sendable {
  /// An output by its index in the kind's list, with the range of its data in ``StepRecord/values``.
  case emit(output: UInt16, first: UInt32, count: UInt32)
  /// A timer by its index in the kind's list; `key` is 0 if the kind's timer has no keys.
  case arm(timer: UInt8, key: UInt32, due: Instant)
  case disarm(timer: UInt8, key: UInt32)
  /// An output that one machine gets as an event. Before its data, there are the values of ``DirectSend``.
  case send(output: UInt16, first: UInt32, count: UInt32)
}

/// A limit that a step would have exceeded. The step is refused.
public struct ExceededLimit: Error, Hashable, Sendable {
  public let name: String
  public let value: Int

  public init(name: String, value: Int) {
    self.name = name
    self.value = value
  }
}

/// The working storage of a step. It is reused for every step, so that a step allocates nothing.
public struct StepRecord: Sendable {
  public var now = Instant.beginning
  #if DEBUG
    /// Identifies the call; a step with another number is no longer valid.
    @usableFromInline var number: UInt64 = 0
  #endif
  /// The machine's timers. The caller sets them before each step.
  public var timers = StepTimers.none
  /// Bit set of the timers that the rule itself armed or disarmed.
  @usableFromInline var overridden: UInt64 = 0
  /// Whether it is recorded what the rule asks for: named guards, and the moment.
  public var notesGuards = false
  /// Whether the rule has asked for the moment in this step, if that is recorded.
  public private(set) var hasReadMoment = false
  /// Replaces chance in a trial: bit *n* tells whether the *n*-th draw of a step gives the upper end of its range. `nil`
  /// if draws are random.
  public var choices: UInt64?
  private var drawn = 0
  /// The guards that the rule evaluated, with their results.
  public private(set) var guards: [(name: String, isTrue: Bool)] = []
  /// The key of the timer that expired in this step; 0 if it has none. The caller sets and clears it.
  public var key: UInt32 = 0
  /// The name of the machine that sent the event to this one. The caller sets and clears it.
  package var sender: String?
  /// Whether the step is caused by another machine's input. Then what all such steps use counts together.
  package var continuesInput = false
  /// What the steps that one input has caused in other machines have used of the limits of documents.
  package var used = (steps: 0, bytes: 0)
  /// The steps of all charts so far; wraps.
  package var chartSteps = 0
  /// Whether the start of a chart can be interrupted by what waits for the thread; it is then refused with a limit.
  package var isInterruptible = false
  /// How far ``chartSteps`` may count in a trial. A chart that would go further is refused with a limit.
  package var chartStepsEnd = Int.max
  /// Whether a field below was written. Most steps write none, and then none is read or cleared.
  public var isWritten = false
  public var effects = EffectList()
  public var values: ContiguousArray<Value> = []
  /// Whether outputs are also kept as typed values.
  @usableFromInline package var keepsOutputs = false
  /// The emitted outputs, if ``keepsOutputs``.
  package private(set) var outputs: [any Sendable] = []
  /// Why the input was refused.
  public var reason: String?
  /// The printed data of the state before and after the step, if the kind prints any.
  public var dataBefore: String?
  public var dataAfter: String?
  public var generator: Generator
  /// Whether the step has drawn from the generator.
  public private(set) var hasDrawn = false
  /// The limit that the input would have exceeded.
  public package(set) var exceeded: ExceededLimit?
  /// Whether a refusal keeps the changes to the machine.
  public var keepsChanges = false
  /// Roughly the bytes that the machine's value may have gained outside its cell, beside what its effects tell.
  package private(set) var gained = 0
  /// The generator before the step's first draw.
  private var undrawn: Generator

  public init(generator: Generator) {
    self.generator = generator
    undrawn = generator
    values.reserveCapacity(16)
  }

  /// Clears what the last step wrote, but keeps the capacity.
  @inlinable
  @inline(__always)
  public mutating func begin(at now: Instant) {
    self.now = now
    if isWritten { clear() }
  }

  @usableFromInline
  @inline(never)
  package mutating func note(guard name: String, _ isTrue: Bool) {
    isWritten = true
    guards.append((name, isTrue))
  }

  @usableFromInline
  @inline(never)
  mutating func noteMoment() {
    isWritten = true
    hasReadMoment = true
  }

  /// An end of a range.
  mutating func choose(in range: ClosedRange<Int>, by choices: UInt64) -> Int {
    defer { drawn += 1 }
    return choices >> UInt64(min(drawn, 63)) & 1 == 0 ? range.lowerBound : range.upperBound
  }

  @usableFromInline
  @inline(never)
  mutating func keep(_ output: any Sendable) {
    outputs.append(output)
  }

  /// Invalidates the step of the current call.
  @inlinable
  @inline(__always)
  package mutating func endCall() {
    #if DEBUG
      number &+= 1
    #endif
  }

  /// Saves the generator before the first draw.
  mutating func noteDraw() {
    guard !hasDrawn else { return }
    isWritten = true
    hasDrawn = true
    undrawn = generator
  }

  /// Notes that the step has drawn from the generator itself, if it has.
  ///
  /// - Parameter generator: The generator before the step.
  package mutating func noteDraws(since generator: Generator) {
    guard !hasDrawn, self.generator != generator else { return }
    isWritten = true
    hasDrawn = true
    undrawn = generator
  }

  /// Notes that the machine's value may have gained so many bytes outside its cell.
  package mutating func note(gained bytes: Int) {
    guard bytes > 0 else { return }
    isWritten = true
    gained += bytes
  }

  /// Rolls back the effects and draws of a refused step.
  @usableFromInline
  @inline(never)
  package mutating func rollBack() {
    effects.removeAll()
    if !outputs.isEmpty { outputs.removeAll() }
    overridden = 0
    if !values.isEmpty { values.removeAll(keepingCapacity: true) }
    if hasDrawn { generator = undrawn }
  }

  @usableFromInline
  package mutating func write(before data: String?) {
    guard let data else { return }
    isWritten = true
    dataBefore = data
  }

  @usableFromInline
  package mutating func write(after data: String?) {
    guard let data else { return }
    isWritten = true
    dataAfter = data
  }

  @usableFromInline
  @inline(never)
  mutating func clear() {
    isWritten = false
    hasDrawn = false
    hasReadMoment = false
    drawn = 0
    keepsChanges = false
    overridden = 0
    if !guards.isEmpty { guards.removeAll() }
    effects.removeAll()
    if !outputs.isEmpty { outputs.removeAll() }
    if !values.isEmpty { values.removeAll(keepingCapacity: true) }
    if reason != nil { reason = nil }
    if exceeded != nil { exceeded = nil }
    if dataBefore != nil { dataBefore = nil }
    if dataAfter != nil { dataAfter = nil }
    gained = 0
  }
}

/// The result of a step, without the machine's types.
public struct StepResult: BitwiseCopyable, Sendable {
  public let verdict: Verdict
  /// Indices in the kind's list of states.
  public let from: UInt16
  public let to: UInt16

  @inlinable
  public init(verdict: Verdict, from: UInt16, to: UInt16) {
    self.verdict = verdict
    self.from = from
    self.to = to
  }
}

/// An event for another machine of the world, which is known by its name.
package struct DirectSend {
  package let machine: String
  package let event: String
  /// The event's data, or none.
  package let data: Value
  /// What the sender gets with ``Kind/unreachable`` if no machine takes the event.
  package let id: Value

  package init(to machine: String, _ event: String, _ data: Value, id: Value) {
    self.machine = machine
    self.event = event
    self.data = data
    self.id = id
  }

  /// - Parameter values: Those of ``Effect/send(output:first:count:)``, with the output's data after them.
  package static func read(_ values: ArraySlice<Value>) -> (send: DirectSend, data: ArraySlice<Value>) {
    let head = Array(values.prefix(4))
    guard head.count == 4, case .text(let machine) = head[0], case .text(let event) = head[1] else {
      preconditionFailure("a send says to whom and what")
    }
    return (DirectSend(to: machine, event, head[2], id: head[3]), values.dropFirst(4))
  }
}

// Effects of machines whose outputs and timers are known only at run time.
extension StepRecord {
  /// Emits an output.
  ///
  /// - Parameter send: The machine that gets it; `nil` if wires carry it.
  package mutating func emit(_ output: UInt16, _ data: [Value], as send: DirectSend? = nil) {
    isWritten = true
    let first = UInt32(values.count)
    if let send { values.append(contentsOf: [.text(send.machine), .text(send.event), send.data, send.id]) }
    values.append(contentsOf: data)
    let count = UInt32(values.count) - first
    effects.append(
      send == nil
        ? .emit(output: output, first: first, count: count) : .send(output: output, first: first, count: count))
  }

  package mutating func arm(timer: UInt8, key: UInt32, due: Instant) {
    isWritten = true
    effects.append(.arm(timer: timer, key: key, due: due))
  }

  package mutating func disarm(timer: UInt8, key: UInt32) {
    isWritten = true
    effects.append(.disarm(timer: timer, key: key))
  }

  /// Notes why a step was refused or ignored.
  package mutating func note(reason: String, exceeding limit: ExceededLimit? = nil) {
    isWritten = true
    self.reason = reason
    exceeded = limit
  }
}
