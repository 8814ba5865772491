public import StateMachines

/// A tree of states with reactions: what ``HierarchicalMachine`` and ``Region`` have in common.
///
/// The leaves are the states that a machine can be in; they are cases of an `enum` with their data, as in any
/// machine. The composites are cases of another `enum`, without data. An event goes to the leaf first and then to the
/// composites around it, the innermost first, until one does not answer ``StatechartReaction/inherit``. So what many
/// states have in common is written once, at the composite that they are within.
///
/// **Exhaustive.** Both reactions are a `switch` without `default` over the pair of state and event. Each leaf may
/// end with a row `(.free, _): .inherit`, so that a new state does not compile until somebody has decided
/// what it inherits; the composite at the root lists its events by name, so that neither does a new event.
///
/// **Order.** A transition leaves states from the leaf upwards, then does what the reaction that chose it has asked
/// for, then enters states downwards. (The rule asks before anything is left; its effects are put in their place.)
/// Each hook may emit, arm and disarm.
///
/// **Timers** belong to the state that declares them in ``timers(of:_:)``: they are armed when it is entered, after its
/// entry hook, and disarmed when it is left, after its exit hook. What a hook arms by itself it disarms by itself.
///
/// **Raised events** are brought by timers without delay, ``Step/raise(_:)``: the world delivers them after this step and its
/// wires, at the same moment, first in first out with all other timers, and before the next request. Nobody can send
/// them from outside, the journal shows them, and the world's limit on chains holds for them. Raised twice in one
/// step, an event comes once.
///
/// - Complexity: A step costs O(depth) calls, and O(depth²) comparisons of names for a transition. It allocates nothing.
public protocol Statechart {
  /// The machine whose steps these are: this one, or the one that this is a region of.
  associatedtype Host: Machine
  associatedtype State: StateWithData where State.Name: StatechartLeaf

  typealias Composite = State.Name.Composite
  typealias Node = StatechartNode<State, Composite>
  typealias Answer = StatechartReaction<State, Host.State>

  /// What a leaf does of its own.
  mutating func reaction(in leaf: State, to event: Host.Event, _ step: Step<Host>) -> Answer

  /// What a composite does for all the states within it that have inherited the event; `leaf` is the present one.
  mutating func reaction(of composite: Composite, in leaf: State, to event: Host.Event, _ step: Step<Host>) -> Answer

  /// Where a transition to a composite goes on to: one of its direct children. It asks for no effects.
  func initial(of composite: Composite, _ step: Step<Host>) -> Node

  /// A state is entered. The composites around it have been.
  mutating func enter(_ node: Node, _ step: Step<Host>)
  /// A state is left, after what is within it; `leaf` was the present state.
  mutating func exit(_ node: Node, from leaf: State, _ step: Step<Host>)

  /// The timers that run in a state: armed when it is entered, after ``enter(_:_:)``, and disarmed when it is left.
  ///
  /// - Precondition: None is periodic (``StateTimer/every(_:_:)``). A reaction that wants the timer again arms it.
  func timers(of node: Node, _ parameters: Host.Parameters) -> StateTimers<Host>

  /// Whether a leaf is final: when it is entered, the composite that it is directly within is complete.
  static func isFinal(_ leaf: State.Name) -> Bool
  /// What a composite does when it is complete; within the same step, before all that was raised.
  mutating func completion(of composite: Composite, in leaf: State, _ step: Step<Host>) -> Answer

  /// What `leaf` remembers of a composite that it is not in: the state in which that was left.
  func memory(of composite: Composite, in leaf: State) -> State?
  /// Takes into `next`, the state that a transition leads to, what is to be remembered: that these composites were
  /// left in `left`, and what `left` remembers of others. Memory is part of the state, because it decides what comes.
  func remember(_ left: State, of composites: NameSet<Composite>, in next: inout State)
}

// What a simple chart has none of.
extension Statechart {
  @inlinable
  public mutating func enter(_ node: Node, _ step: Step<Host>) {}
  @inlinable
  public mutating func exit(_ node: Node, from leaf: State, _ step: Step<Host>) {}
  @inlinable
  public func timers(of node: Node, _ parameters: Host.Parameters) -> StateTimers<Host> { .none }
  @inlinable
  public static func isFinal(_ leaf: State.Name) -> Bool { false }
  @inlinable
  public mutating func completion(of composite: Composite, in leaf: State, _ step: Step<Host>) -> Answer { .inherit }
  @inlinable
  public func memory(of composite: Composite, in leaf: State) -> State? { nil }
  @inlinable
  public func remember(_ left: State, of composites: NameSet<Composite>, in next: inout State) {}
}

// Generic, because the compiler rejects a body that takes a value of a type without values.
extension Statechart where Composite == NoNames {
  @inlinable
  public mutating func reaction<None: StatechartComposite>(
    of composite: None, in leaf: State, to event: Host.Event, _ step: Step<Host>
  ) -> Answer { .inherit }
  @inlinable
  public func initial<None: StatechartComposite>(
    of composite: None, _ step: Step<Host>
  ) -> StatechartNode<State, Composite> { preconditionFailure("a flat chart has no composites") }
}

/// What a state of a chart decides.
public enum StatechartReaction<State: StateWithData, Whole: Sendable> where State.Name: StatechartLeaf {
  /// A transition; written through ``go(to:locally:)`` and its like.
  case transition(Target, isLocal: Bool)
  /// A region wants the machine to leave the composite that it is a region of. Elsewhere it is a mistake.
  case leave(to: Whole)
  /// Handled; nothing is left or entered.
  case stay
  /// Handled within the leaf, whose data have changed.
  case stayAs(State)
  /// The composite around this state is to decide; nothing has been asked for.
  case inherit
  /// Nothing happens, and nobody further out is asked.
  case ignore
  /// Nothing happens, and the sender is told so. Return it through `step.refuse`, which takes the reason.
  case refuse

  /// Where a transition leads to.
  public enum Target {
    case leaf(State)
    case composite(State.Name.Composite)
    case history(of: State.Name.Composite, History)
  }

  /// A transition to a leaf, to the same one too.
  ///
  /// - Parameter locally: A composite that decides on a transition to a state within it is left and entered again, unless the
  ///   transition is local.
  @inlinable
  public static func go(to leaf: State, locally: Bool = false) -> Self { .transition(.leaf(leaf), isLocal: locally) }

  /// A transition to a composite and on to its initial states, down to a leaf.
  @inlinable
  public static func go(into composite: State.Name.Composite, locally: Bool = false) -> Self {
    .transition(.composite(composite), isLocal: locally)
  }

  /// A transition to the state in which a composite was left; to its initial state if it has not been left yet.
  @inlinable
  public static func go(backInto composite: State.Name.Composite, _ history: History = .shallow) -> Self {
    .transition(.history(of: composite, history), isLocal: false)
  }
}

/// How much of the state in which a composite was left is taken up again.
public enum History: Sendable {
  /// Its direct child; within that it goes on to the initial states.
  case shallow
  /// The leaf, with its data.
  case deep
}

extension Step where M: Machine {
  /// Refuses an event and says why, in the words of the machine.
  @inlinable
  public func refuse<State, Whole>(_ reason: String) -> StatechartReaction<State, Whole> {
    let _: Reaction<State> = refuse(reason)
    return .refuse
  }

  /// Raises an event: the timer that brings it expires at this moment, after the step and its wires.
  @inlinable
  public func raise(_ event: M.Event) {
    arm(event, after: .zero)
  }
}
