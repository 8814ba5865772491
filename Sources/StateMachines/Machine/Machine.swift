/// A state machine: a value with a state, a pure rule for events, timers that belong to states, and readings.
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
/// The rule is a `switch` over the event and within it over the state, both without `default`: a new event or state does
/// not compile until somebody has decided what it means everywhere. A ``Kind`` beside it says in words what there is.
///
/// A machine never reads a clock, draws from a generator of its own, waits, does I/O or calls back. What it needs to
/// know comes in through ``Step``, and what it wants done goes out through it. It is a plain value: it can be copied,
/// and being `Codable` it can be written out and read back. What follows from the parameters belongs there and not in
/// the machine: parameters are written as they are given, and compiled anew.
public protocol Machine: _Machine where Event: MachineEvent {
  /// How machines of this type are called, and what there is to say of their states, events, timers and outputs.
  ///
  /// Write it as a `static let`. Without it the names are those of the types and cases, every event without data can be
  /// sent and be brought by a timer, and nothing has a description: enough for a program of one's own, though not for
  /// those who type at a daemon.
  static var kind: Kind { get }

  /// A machine in the state in which its kind starts.
  init()

  /// Begins in a state, before anything else happens.
  ///
  /// It is the place for what depends on the parameters or the moment, too: what is changed in the machine here stays.
  ///
  /// - Parameter name: The state that was asked for, or that of a new value.
  /// - Returns: The state of this name with its data.
  mutating func start(in name: State.Name, _ step: Step<Self>) -> State

  /// Begins where no state was asked for: in that of a new value, unless the parameters decide which it is.
  mutating func start(_ step: Step<Self>) -> State

  /// The rule. Data beside the state may be changed here; the state itself is returned.
  ///
  /// Where it returns ``Reaction/refuse``, the machine is as it was: changes of data beside the state, effects and draws
  /// are taken back, whatever came first.
  mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State>

  /// The timers that run in a state, with the event that each brings. It is a function of the machine and its parameters.
  ///
  /// After each input that is moved or stayed the runtime compares what the machine declared before it with what it
  /// declares now. No longer declared: disarmed. Newly declared: armed. Declared before and now: armed anew by a move,
  /// unless it is ``StateTimer/continuing``; left alone otherwise, but that one which has just expired runs again if it is
  /// ``StateTimer/every(_:_:)``. What the rule arms or disarms by itself (``Step/arm(_:after:)``) is left to it for that
  /// input, and a timer that no state declares is never touched.
  ///
  /// An event with data brings those that the machine declares when the timer expires.
  ///
  /// An expiry that is ignored or refused leaves all other timers as they are.
  func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self>

  /// A state was entered: at the beginning, and with each move, to the same state too. The place for outputs of entry.
  mutating func entered(_ state: State, _ step: Step<Self>)

  /// Whether a machine that was written out and read back can go on under its parameters.
  ///
  /// It always can, unless it keeps places in something that is made of the parameters. Such a machine looks here whether
  /// they are within bounds, since a value that is read may be damaged.
  func isValid(for parameters: Parameters) -> Bool
}

extension Machine {
  /// A kind that has the names of the types; another one each time.
  public static var kind: Kind { Kind(Self.self, events: [], parameters: []) }

  @inlinable
  public mutating func start(_ step: Step<Self>) -> State { start(in: state.name, step) }

  @inlinable
  public func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> { .none }

  @inlinable
  public mutating func entered(_ state: State, _ step: Step<Self>) {}

  public func isValid(for parameters: Parameters) -> Bool { true }

  /// In the state of the name that has no data, or else in its sample (``StateWithData/samples``).
  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State { State(sampleNamed: name) }
}

extension Machine where State.Name == State {
  @inlinable
  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State { name }
}

/// A timer that a state declares, and the event that it brings.
///
/// The kind lists the timers that its machines have (``Kind``); a timer is known by its event.
public struct StateTimer<M: Machine> {
  /// The case of the event; negative if events are no `enum`.
  @usableFromInline let number: Int32
  /// The event itself, where its case does not say all. Without it a timer has nothing to be copied or freed, and most
  /// are looked at in each step and never armed.
  @usableFromInline let data: EventBox<M.Event>?
  @usableFromInline let time: Time
  @usableFromInline let isPeriodic: Bool
  @usableFromInline let isContinuing: Bool

  /// When a timer expires. A duration is converted when the timer is armed, which happens far less often than a state
  /// declares it.
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
      data = number < counts.withData ? EventBox(event) : nil
    } else {
      number = -1
      data = EventBox(event)
    }
    self.time = time
    self.isPeriodic = isPeriodic
    isContinuing = false
  }

  /// A timer that expires once, so long after it was armed.
  ///
  /// - Precondition: `duration` is not negative. What is shorter than a nanosecond is cut off.
  @inlinable
  @inline(__always)
  public static func after(_ duration: Duration, _ event: M.Event) -> Self {
    Self(event, .duration(duration))
  }

  @inlinable
  @inline(__always)
  @_disfavoredOverload
  public static func after(_ interval: Nanoseconds, _ event: M.Event) -> Self { Self(event, .interval(interval)) }

  /// A timer that expires at a moment; at once if that is past.
  @inlinable
  public static func at(_ moment: Instant, _ event: M.Event) -> Self { Self(event, .moment(moment)) }

  /// A timer that runs again each time it has expired, with the same pace, for as long as the state declares it.
  ///
  /// - Precondition: `duration` is not negative. If it is zero, time does not go on, until the world's limit stops it.
  @inlinable
  public static func every(_ duration: Duration, _ event: M.Event) -> Self {
    Self(event, .duration(duration), isPeriodic: true)
  }

  @inlinable
  @_disfavoredOverload
  public static func every(_ interval: Nanoseconds, _ event: M.Event) -> Self {
    Self(event, .interval(interval), isPeriodic: true)
  }

  /// This timer, which goes on across moves between states that both declare it.
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

  /// When it expires if it is armed now.
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

/// An event elsewhere in memory.
@usableFromInline
final class EventBox<Event> {
  @usableFromInline let event: Event

  @inlinable
  init(_ event: Event) {
    self.event = event
  }
}

/// The timers that a state declares: none, one, or a list of them in the order in which they are armed.
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

  /// Those of a list.
  @inlinable
  public init(_ timers: [StateTimer<M>]) {
    self.init(timers.first, timers.count > 1 ? Array(timers.dropFirst()) : [])
  }

  @inlinable
  public static var none: Self { Self(nil, []) }

  /// One timer: see ``StateTimer/after(_:_:)``.
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

  /// One timer: see ``StateTimer/every(_:_:)``.
  @inlinable
  public static func every(_ duration: Duration, _ event: M.Event) -> Self { Self(.every(duration, event), []) }
  @inlinable
  @_disfavoredOverload
  public static func every(_ interval: Nanoseconds, _ event: M.Event) -> Self { Self(.every(interval, event), []) }

  /// These timers, which go on across moves between states that both declare them.
  @inlinable
  public var continuing: Self { Self(first?.continuing, others.map(\.continuing)) }

  /// Both, those of the left side first.
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
