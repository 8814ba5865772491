public import StateMachines

/// A machine in the form of the State pattern: it has no rule of its own, and hands every event to the object of its
/// present state.
///
/// The state stays a plain enum, one case per state object, so that a machine can be copied, compared and written
/// out. The object is made of it for the length of a step; one of up to three words costs no allocation.
///
/// ```swift
/// struct Door: StatePatternMachine {
///   enum State: MachineState { case closed, open }
///   enum Event: MachineEvent { case push, pull }
///
///   var state = State.closed
///
///   var current: any HandlingState<Self> {
///     switch state {
///     case .closed: Closed()
///     case .open: Open()
///     }
///   }
///
///   struct Closed: HandlingState {
///     func handle(_ event: Event, _ step: Step<Door>) -> Reaction<State> {
///       switch event {
///       case .push: .move(to: .open)
///       case .pull: step.refuse("the door is closed already")
///       }
///     }
///   }
///
///   struct Open: HandlingState {
///     func handle(_ event: Event, _ step: Step<Door>) -> Reaction<State> {
///       switch event {
///       case .push: step.refuse("the door is open already")
///       case .pull: .move(to: .closed)
///       }
///     }
///   }
/// }
/// ```
public protocol StatePatternMachine: Machine {
  /// The object of the present state.
  var current: any HandlingState<Self> { get }
}

extension StatePatternMachine {
  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    current.handle(event, step)
  }
}

/// A state as an object that handles every event itself, does what is to be done, and chooses its successor.
///
/// The successor takes over only when the object has returned. What it asks for is answered to the successor, never
/// to the object that asked.
public protocol HandlingState<Context> {
  associatedtype Context: Machine

  func handle(_ event: Context.Event, _ step: Step<Context>) -> Reaction<Context.State>
}
