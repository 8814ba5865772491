public import StateMachines

/// A tree of states with reactions; the common part of ``HierarchicalMachine`` and ``Region``.
///
/// A machine is always in a leaf. Leaves are cases of an `enum` with their data, as in any machine. Composites are
/// cases of another `enum`, without data. An event goes to the leaf first and then to its enclosing composites, the
/// innermost first, until one returns something other than ``StatechartReaction/inherit``. Behaviour common to several
/// states is written once, in their composite.
///
/// **Exhaustive.** Both reactions are a `switch` without `default` over the pair of state and event. Each leaf may end
/// with a row `(.free, _): .inherit`, so a new state does not compile until its row is written. The root composite
/// lists its events by name, so neither does a new event.
///
/// **Order.** A transition leaves states from the leaf upwards, then performs the effects of the reaction that chose
/// it, then enters states downwards. (The reaction runs before any exit; its effects are moved to their place.) Each
/// hook may emit, arm and disarm.
///
/// **Timers** belong to the state that declares them in ``timers(of:_:)``. They are armed when it is entered, after its
/// entry hook, and disarmed when it is left, after its exit hook. If a hook arms another timer, a hook must disarm it.
///
/// **Raised events** use timers without delay: `Step.raise(_:)`. The world delivers them at the same moment, after
/// this step and its wires and before the next request, first in first out with all other timers. The journal shows
/// them, and the world's limit on chains applies to them. An event raised twice in one step is delivered once. To keep
/// clients from sending such an event, leave it out of the kind's events.
///
/// - Complexity: A step costs O(depth) calls; a transition also costs O(depth²) comparisons of names. It allocates
///   nothing.
public protocol Statechart {
  /// The machine that this chart belongs to: itself, or the machine of which it is a region.
  associatedtype Host: Machine
  associatedtype State: StateWithData where State.Name: StatechartLeaf

  typealias Composite = State.Name.Composite
  typealias Node = StatechartNode<State, Composite>
  typealias Answer = StatechartReaction<State, Host.State>

  /// The leaf's own reaction to an event.
  mutating func reaction(in leaf: State, to event: Host.Event, _ step: Step<Host>) -> Answer

  /// A composite's reaction to an event that the states inside it inherit; `leaf` is the current state.
  mutating func reaction(of composite: Composite, in leaf: State, to event: Host.Event, _ step: Step<Host>) -> Answer

  /// The direct child in which a transition to a composite continues. It must not request effects.
  func initial(of composite: Composite, _ step: Step<Host>) -> Node

  /// Called when a state is entered, after its enclosing composites.
  mutating func enter(_ node: Node, _ step: Step<Host>)
  /// Called when a state is left, after the states inside it; `leaf` is the state that is left.
  mutating func exit(_ node: Node, from leaf: State, _ step: Step<Host>)

  /// The timers of a state: armed when it is entered, after ``enter(_:_:)``, and disarmed when it is left.
  ///
  /// - Precondition: No timer is periodic (`StateTimer.every(_:_:)`). A reaction can arm the timer again instead.
  func timers(of node: Node, _ parameters: Host.Parameters) -> StateTimers<Host>

  /// Whether a leaf is final: entering it completes its innermost composite.
  static func isFinal(_ leaf: State.Name) -> Bool
  /// A composite's reaction to its completion, within the same step and before raised events.
  mutating func completion(of composite: Composite, in leaf: State, _ step: Step<Host>) -> Answer

  /// The history of a composite that `leaf` is not in: the state in which it was left; `nil` if it was never left.
  func memory(of composite: Composite, in leaf: State) -> State?
  /// Stores history in `next`, the state that a transition leads to: the given composites were left in `left`, and
  /// `left` contains the history of others. History is part of the state, because it determines later transitions.
  func remember(_ left: State, of composites: NameSet<Composite>, in next: inout State)
}

// Defaults for a simple chart.
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

// These methods are generic because the compiler rejects a parameter of a type without values.
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

/// The reaction of a state of a chart.
public enum StatechartReaction<State: StateWithData, Whole: Sendable> where State.Name: StatechartLeaf {
  /// A transition; create it with ``go(to:locally:)`` and related functions.
  case transition(Target, isLocal: Bool)
  /// A region requests to leave the composite that contains it. Only regions may return it.
  case leave(to: Whole)
  /// The event is handled; no state is left or entered.
  case stay
  /// The event is handled within the leaf, and the leaf's data change.
  case stayAs(State)
  /// The enclosing composite decides. The reaction must not have requested effects.
  case inherit
  /// Nothing happens, and enclosing composites are not asked.
  case ignore
  /// Nothing happens, and the sender gets a refusal. Return it through `step.refuse`, which takes the reason.
  case refuse

  /// The target of a transition.
  public enum Target {
    case leaf(State)
    case composite(State.Name.Composite)
    case history(of: State.Name.Composite, History)
  }

  /// A transition to a leaf, possibly the same one.
  ///
  /// - Parameters:
  ///   - leaf: The target.
  ///   - locally: Whether a composite that decides on a transition to a state inside it stays entered. Otherwise it is
  ///     left and entered again.
  @inlinable
  public static func go(to leaf: State, locally: Bool = false) -> Self { .transition(.leaf(leaf), isLocal: locally) }

  /// A transition to a composite, and on through its initial states to a leaf.
  @inlinable
  public static func go(into composite: State.Name.Composite, locally: Bool = false) -> Self {
    .transition(.composite(composite), isLocal: locally)
  }

  /// A transition to the state in which a composite was left, or to its initial state if it was never left.
  @inlinable
  public static func go(backInto composite: State.Name.Composite, _ history: History = .shallow) -> Self {
    .transition(.history(of: composite, history), isLocal: false)
  }
}

/// The depth of a composite's history.
public enum History: Sendable {
  /// The direct child; inside it, the initial states are entered.
  case shallow
  /// The leaf with its data.
  case deep
}

extension Step where M: Machine {
  /// Refuses an event with a reason.
  @inlinable
  public func refuse<State, Whole>(_ reason: String) -> StatechartReaction<State, Whole> {
    let _: Reaction<State> = refuse(reason)
    return .refuse
  }

  /// Raises an event: its timer expires at this moment, after the step and its wires.
  @inlinable
  public func raise(_ event: M.Event) {
    arm(event, after: .zero)
  }
}
