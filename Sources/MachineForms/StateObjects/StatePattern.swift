public import StateMachines

/// A machine in the form of the State pattern: it passes every event to the object of its current state.
///
/// The state is still a plain enum, one case per state object, so a machine can be copied, compared and stored. The
/// object is made for each step; an object of up to three words needs no allocation.
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
  /// The object of the current state.
  var current: any HandlingState<Self> { get }
}

extension StatePatternMachine {
  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    current.handle(event, step)
  }
}

/// A state object that handles every event, emits the outputs, and chooses its successor.
///
/// The successor takes over after the object has returned. Replies to the object's outputs go to the successor, never
/// to the object itself.
public protocol HandlingState<Context> {
  associatedtype Context: Machine

  func handle(_ event: Context.Event, _ step: Step<Context>) -> Reaction<Context.State>
}
