public import StateMachines

/// The states of a machine written as an enum and a switch: the initial state, and the next state for each event.
///
/// ```swift
/// enum Photo: SwitchState {
///   case none, fetching(url: String), shown(bytes: Int)
///   enum Event { case asked(url: String), arrived(bytes: Int), removed }
///
///   static var initial: Photo { .none }
///
///   func next(with event: Event) -> Photo {
///     switch (self, event) {
///     case (.none, .asked(let url)), (.shown, .asked(let url)): .fetching(url: url)
///     case (.fetching, .arrived(let bytes)): .shown(bytes: bytes)
///     case (_, .removed): .none
///     case (.none, .arrived), (.fetching, .asked), (.shown, .arrived): self
///     }
///   }
/// }
/// ```
///
/// The rule is one `switch` over the pair, which can be complete in two ways. If every pair is written out, as here, a
/// new event does not compile until every state handles it. With a catch-all per state (`case (.none, _): self`), a new
/// state does not compile, and a new event is ignored.
///
/// A `Machine` with this state and event type uses it as its rule, so worlds can run it:
///
/// ```swift
/// struct PhotoFrame: Machine {
///   typealias Event = Photo.Event
///   var state = Photo.initial
/// }
/// ```
public protocol SwitchState: Equatable {
  associatedtype Event

  /// The initial state of every machine of this type.
  static var initial: Self { get }

  /// The state after an event; `self` to ignore the event.
  func next(with event: Event) -> Self
}

extension SwitchState {
  /// The reaction of a `Machine`: a move, or ignored if the state stays equal.
  @inlinable
  public func reaction(to event: Event) -> Reaction<Self> {
    let next = next(with: event)
    return next == self ? .ignore : .move(to: next)
  }
}

extension Machine where State: SwitchState, Event == State.Event {
  @inlinable
  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> { state.reaction(to: event) }
}

/// A standalone state machine: an enum of states, a switch, and one observer.
///
/// It depends on no user interface, service or clock. Only ``transition(with:)`` changes the state.
///
/// ```swift
/// let machine = SwitchMachine<Photo>()
/// machine.observer = screen
/// machine.transition(with: .asked(url: "a.png"))   // the screen gets a notice
/// machine.transition(with: .asked(url: "b.png"))   // ignored; the screen gets none
/// ```
///
/// It is not a `Machine`: it has identity, and it calls its observer during the transition. A world queues the
/// effects of a step; this machine calls its observer immediately, within the call that changes the state.
public final class SwitchMachine<State: SwitchState> {
  /// The current state.
  public private(set) var state: State

  /// The observer of changes, held weakly.
  public weak var observer: (any SwitchObserver<State>)?

  /// Creates a machine in the initial state of its type.
  public convenience init() {
    self.init(startingIn: State.initial)
  }

  /// Creates a machine in any state, for tests.
  public init(startingIn state: State) {
    self.state = state
  }

  /// Performs the transition for an event, and calls the observer if the state's value changed, including its data.
  ///
  /// The observer may call this method again. The nested transition happens immediately, from the new state, and is
  /// complete when the observer's call returns. Each change is reported once, in order. Only the stack limits the
  /// nesting.
  public func transition(with event: State.Event) {
    let previous = state
    let next = previous.next(with: event)
    guard next != previous else { return }
    state = next
    observer?.stateDidChange(from: previous, to: next)
  }
}

/// An observer of the changes of a ``SwitchMachine``.
public protocol SwitchObserver<State>: AnyObject {
  associatedtype State: SwitchState

  /// Called after the state has changed to `next`. The machine may have moved on if an earlier observer call sent an
  /// event.
  func stateDidChange(from previous: State, to next: State)
}
