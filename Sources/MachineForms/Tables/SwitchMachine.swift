public import StateMachines

/// The states of a machine that is an enum and a switch: where it begins, and what each event makes of each state.
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
/// The rule is one `switch` over the pair. It can be complete in two ways: with every pair written down, as here, a new
/// event does not compile until every state has decided about it; with a catch-all per state (`case (.none, _): self`) a
/// new state does not compile, and a new event is ignored.
///
/// The same rule makes a ``Machine``, which worlds can run; see ``reaction(to:)``.
public protocol SwitchState: Equatable {
  associatedtype Event

  /// The state that every machine of this type begins in.
  static var initial: Self { get }

  /// The state after an event; `self` where the event means nothing here.
  func next(with event: Event) -> Self
}

extension SwitchState {
  /// The rule as a ``Machine`` gives it: a move, or nothing if the state remains equal.
  ///
  /// ```swift
  /// mutating func react(to event: Photo.Event, _ step: Step<Self>) -> Reaction<Photo> { state.reaction(to: event) }
  /// ```
  @inlinable
  public func reaction(to event: Event) -> Reaction<Self> {
    let next = next(with: event)
    return next == self ? .ignore : .move(to: next)
  }
}

/// A state machine that stands alone in a program: an enum of states, a switch, and one observer.
///
/// It depends on nothing: no screen, no service, no clock. Nobody but ``transition(with:)`` sets the state.
///
/// ```swift
/// let machine = SwitchMachine<Photo>()
/// machine.observer = screen
/// machine.transition(with: .asked(url: "a.png"))   // the screen is told
/// machine.transition(with: .asked(url: "b.png"))   // ignored; the screen is not told
/// ```
///
/// It is not a ``Machine``: it has an identity and calls its observer while it works. A world queues
/// what a step causes; this machine calls at once, within the call that changed the state.
public final class SwitchMachine<State: SwitchState> {
  /// The present state.
  public private(set) var state: State

  /// Who is told about changes; it is not kept alive.
  public weak var observer: (any SwitchObserver<State>)?

  /// A machine in the initial state of its type.
  public convenience init() {
    self.init(startingIn: State.initial)
  }

  /// A machine in any state, for tests of what happens there.
  public init(startingIn state: State) {
    self.state = state
  }

  /// Goes to the state that follows, and tells the observer if it differs from the one before, by value and with its data.
  ///
  /// The observer may call this again. The nested transition happens at once, from the new state, and it is complete
  /// when the observer's call returns; nothing is told twice or late. A chain of them has no limit but the stack.
  public func transition(with event: State.Event) {
    let previous = state
    let next = previous.next(with: event)
    guard next != previous else { return }
    state = next
    observer?.stateDidChange(from: previous, to: next)
  }
}

/// Who is told about the changes of a ``SwitchMachine``.
public protocol SwitchObserver<State>: AnyObject {
  associatedtype State: SwitchState

  /// The machine is in `next`, unless an earlier call of this has already taken it further.
  func stateDidChange(from previous: State, to next: State)
}
