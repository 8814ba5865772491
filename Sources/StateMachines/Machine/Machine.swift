/// A state machine: a value with a state, a pure transition rule, timers that belong to states, and readings.
///
/// ```swift
/// /// The light of a staircase, which goes out by itself.
/// struct Lamp: Machine {
///   enum State: MachineState { case dark, lit }
///   enum Event: MachineEvent { case pressed, burnedOut }
///   struct Parameters: ParameterSet { var burn = Duration.seconds(60) }
///   var state = State.dark
///
///   func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
///     switch state {
///     case .dark: .none
///     case .lit: .after(parameters.burn, .burnedOut)
///     }
///   }
///
///   mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
///     switch event {
///     case .pressed:
///       switch state {
///       case .dark: .move(to: .lit)
///       case .lit: .move(to: .dark)
///       }
///     case .burnedOut: .move(to: .dark)
///     }
///   }
/// }
/// ```
///
/// The rule is a `switch` over the event and, inside it, over the state, both without `default`. A new event or state
/// therefore does not compile until every combination is decided. A ``Kind`` describes the machine in words.
///
/// The types may also stand outside of the machine, or be its generic parameters. Types with other names than `Event`,
/// `Output` and `Parameters` need a `typealias` in the machine (`typealias Event = LampEvent`).
///
/// A machine does no I/O, does not wait and calls nothing back. It reads the time and draws random numbers through
/// ``Step``, and it requests effects through ``Step``. It is a plain `Codable` value: it can be copied, stored and
/// restored. Keep data derived from the parameters in the parameter set, not in the machine: only the parameters
/// themselves are stored, and derived data are computed again.
public protocol Machine: _Machine where Event: MachineEvent {
  /// Names and describes the machine type with its states, events, timers and outputs.
  ///
  /// Declare it as a `static let`. The default takes the names from the types and cases, without descriptions. By
  /// default, every event without data can be sent and can be a timer's event. That suffices inside one program: a
  /// world of the same program (`Simulator`) also accepts events with data of any type. In a daemon, only a kind that
  /// describes an event's data makes it possible to send the event.
  static var kind: Kind { get }

  /// Creates a machine in its kind's initial state.
  init()

  /// Returns the initial state of a new machine, before anything else happens.
  ///
  /// Changes to the machine made here are kept, so this is the place to compute data from the parameters or the moment.
  ///
  /// - Parameters:
  ///   - name: The requested state, or the state of a new value.
  ///   - step: The moment, the parameters and the effects.
  /// - Returns: The state with this name and its data.
  mutating func start(in name: State.Name, _ step: Step<Self>) -> State

  /// Returns the initial state when no state was requested: by default the state of a new value. Implement it to choose
  /// the state by the parameters.
  mutating func start(_ step: Step<Self>) -> State

  /// The transition rule. It may change data outside the state; it returns the next state.
  ///
  /// When it returns ``Reaction/refuse``, the machine is restored: changes to data outside the state, effects and draws
  /// are rolled back.
  mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State>

  /// What tells machines in one state apart in a diagram of one of them, such as the place in an automaton: `q3`. Empty
  /// for a state that is one place; `nil`, the default, for a machine that is drawn by its states. Without dots.
  ///
  /// A machine has at most some sixty places. Diagrams by place leave away events that take a text, where characters
  /// lead everywhere.
  func place(for parameters: Parameters) -> String?

  /// The timers that run in a state, each with its event. They depend only on the machine and its parameters.
  ///
  /// After each input with the verdict moved or stayed, the runtime compares the timers declared before and after it:
  ///
  /// - A timer that is no longer declared is disarmed.
  /// - A newly declared timer is armed.
  /// - A timer declared before and after is armed again by a move, unless it is ``StateTimer/continuing``. Without a
  ///   move it is left alone, except that an expired ``StateTimer/every(_:_:)-(Duration,_)`` timer is armed again.
  ///
  /// A timer that the rule itself arms or disarms (`Step.arm(_:after:)`) is exempt for that input. The runtime never
  /// touches a timer that no state declares.
  ///
  /// An event with data carries the data that the machine declares when the timer expires.
  ///
  /// An ignored or refused expiry leaves all other timers as they are.
  func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self>

  /// Called after a state is entered: at the start and on each move, including a move to the same state. Emit entry
  /// outputs here.
  mutating func entered(_ state: State, _ step: Step<Self>)

  /// Whether a machine that was read from storage is consistent with its parameters. The default is `true`.
  ///
  /// Implement it if the machine stores indices into a structure that is built from the parameters. Check that they are
  /// within bounds, since stored data may be damaged.
  func isValid(for parameters: Parameters) -> Bool
}

extension Machine {
  /// A kind with names taken from the types. Each call creates a new kind.
  public static var kind: Kind { Kind(Self.self, events: [], parameters: []) }

  @inlinable
  public mutating func start(_ step: Step<Self>) -> State { start(in: state.name, step) }

  @inlinable
  public func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> { .none }

  @inlinable
  public mutating func entered(_ state: State, _ step: Step<Self>) {}

  public func isValid(for parameters: Parameters) -> Bool { true }

  /// The state with this name if its case has no data, otherwise its sample (``StateWithData/samples``).
  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State { State(sampleNamed: name) }
}

extension Machine where State.Name == State {
  @inlinable
  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State { name }
}

/// A timer that a state declares, with the event that it sends.
///
/// The event identifies the timer. The ``Kind`` lists all timers of its machines.
public struct StateTimer<M: Machine> {
  /// The number of the event's case; negative if the event type is not an `enum`.
  @usableFromInline let number: Int32
  /// The event, if its case alone does not identify it. Otherwise `nil`, so that a timer needs no copying or freeing:
  /// most are examined in each step and never armed.
  @usableFromInline let data: EventBox<M.Event>?
  @usableFromInline let time: Time
  @usableFromInline let isPeriodic: Bool
  @usableFromInline let isContinuing: Bool

  /// When a timer expires. A duration is converted only when the timer is armed, which is far rarer than declaring it.
  @usableFromInline
  enum Time {
    case duration(Duration)
    case interval(Nanoseconds)
    case moment(Instant)
  }

  @inlinable
  @inline(__always)
  init(_ event: M.Event, _ time: Time, isPeriodic: Bool = false) {
    if let number = EnumCase.number(of: event), let counts = EnumCase.counts(of: M.Event.self) {
      self.number = Int32(truncatingIfNeeded: number)
      data = number < counts.withPayload ? EventBox(event) : nil
    } else {
      number = -1
      data = EventBox(event)
    }
    self.time = time
    self.isPeriodic = isPeriodic
    isContinuing = false
  }

  /// A timer that expires once, `duration` after it is armed.
  ///
  /// - Precondition: `duration` is not negative. Fractions of a nanosecond are dropped.
  @inlinable
  @inline(__always)
  public static func after(_ duration: Duration, _ event: M.Event) -> Self {
    Self(event, .duration(duration))
  }

  @inlinable
  @inline(__always)
  @_disfavoredOverload
  public static func after(_ interval: Nanoseconds, _ event: M.Event) -> Self { Self(event, .interval(interval)) }

  /// A timer that expires at a moment, or immediately if the moment is past.
  @inlinable
  public static func at(_ moment: Instant, _ event: M.Event) -> Self { Self(event, .moment(moment)) }

  /// A periodic timer: it is armed again after each expiry, with the same interval, while the state declares it.
  ///
  /// - Precondition: `duration` is not negative. With zero, time does not advance until the world's limit stops the
  ///   timer.
  @inlinable
  public static func every(_ duration: Duration, _ event: M.Event) -> Self {
    Self(event, .duration(duration), isPeriodic: true)
  }

  @inlinable
  @_disfavoredOverload
  public static func every(_ interval: Nanoseconds, _ event: M.Event) -> Self {
    Self(event, .interval(interval), isPeriodic: true)
  }

  /// The same timer, which keeps running across moves between states that both declare it.
  @inlinable
  public var continuing: Self {
    Self(continuing: self)
  }

  @inlinable
  init(continuing timer: Self) {
    number = timer.number
    data = timer.data
    time = timer.time
    isPeriodic = timer.isPeriodic
    isContinuing = true
  }

  /// When the timer expires if it is armed now.
  @inlinable
  func due(from now: Instant) -> Instant {
    switch time {
    case .duration(let duration): return now + Nanoseconds(duration)
    case .interval(let interval):
      precondition(interval >= .zero, "a timer cannot expire before it is armed")
      return now + interval
    case .moment(let moment): return max(moment, now)
    }
  }
}

/// An event stored on the heap.
@usableFromInline
final class EventBox<Event> {
  @usableFromInline let event: Event

  @inlinable
  init(_ event: Event) {
    self.event = event
  }
}

/// The timers that a state declares, in the order in which they are armed.
public struct StateTimers<M: Machine>: ExpressibleByArrayLiteral {
  @usableFromInline let first: StateTimer<M>?
  @usableFromInline let others: [StateTimer<M>]

  @inlinable
  init(_ first: StateTimer<M>?, _ others: [StateTimer<M>]) {
    self.first = first
    self.others = others
  }

  @inlinable
  public init(arrayLiteral timers: StateTimer<M>...) {
    self.init(timers)
  }

  /// The timers of a list.
  @inlinable
  public init(_ timers: [StateTimer<M>]) {
    self.init(timers.first, timers.count > 1 ? Array(timers.dropFirst()) : [])
  }

  @inlinable
  public static var none: Self { Self(nil, []) }

  /// One timer: see ``StateTimer/after(_:_:)-(Duration,_)``.
  @inlinable
  @inline(__always)
  public static func after(_ duration: Duration, _ event: M.Event) -> Self { Self(.after(duration, event), []) }
  @inlinable
  @inline(__always)
  @_disfavoredOverload
  public static func after(_ interval: Nanoseconds, _ event: M.Event) -> Self { Self(.after(interval, event), []) }

  /// One timer: see ``StateTimer/at(_:_:)``.
  @inlinable
  public static func at(_ moment: Instant, _ event: M.Event) -> Self { Self(.at(moment, event), []) }

  /// One timer: see ``StateTimer/every(_:_:)-(Duration,_)``.
  @inlinable
  public static func every(_ duration: Duration, _ event: M.Event) -> Self { Self(.every(duration, event), []) }
  @inlinable
  @_disfavoredOverload
  public static func every(_ interval: Nanoseconds, _ event: M.Event) -> Self { Self(.every(interval, event), []) }

  /// The same timers, which keep running across moves between states that both declare them.
  @inlinable
  public var continuing: Self { Self(first?.continuing, others.map(\.continuing)) }

  /// The timers of both sides, left side first.
  @inlinable
  public static func + (left: Self, right: Self) -> Self {
    guard let first = left.first else { return right }
    guard let next = right.first else { return left }
    return Self(first, left.others + [next] + right.others)
  }

  @inlinable
  @inline(__always)
  func forEach(_ body: (StateTimer<M>) -> Void) {
    if let first { body(first) }
    if !others.isEmpty { others.forEach(body) }
  }
}
