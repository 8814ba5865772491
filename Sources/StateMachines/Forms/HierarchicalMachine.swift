/// A machine whose states are within states, which inherit reactions: a reaction common to many substates is written once.
///
/// The author writes the tree, the reactions and the hooks of a ``Statechart``; the rule of the ``Machine``
/// follows from them, and so does ``Machine/asksFor(_:)``. What nobody in the tree answers is ``unhandled(_:in:_:)``.
///
/// ```swift
/// EXAMPLE
/// ```
///
/// It is not for states side by side: see ``OrthogonalMachine``.
public protocol HierarchicalMachine: Machine, Statechart where Host == Self, Signal == Input<Event, TimerName> {
  /// What becomes of a signal that everybody inherits, up to the root: ignored, unless the machine says otherwise.
  mutating func unhandled(_ signal: Signal, in leaf: State, _ step: Step<Self>) -> Reaction<State>

  /// The timers that belong to no state but to the machine: no transition ends them. None, unless it says otherwise.
  var lastingTimers: NameSet<TimerName> { get }
}

extension HierarchicalMachine {
  @inlinable
  public mutating func unhandled(_ signal: Signal, in leaf: State, _ step: Step<Self>) -> Reaction<State> { .ignore }

  @inlinable
  public var lastingTimers: NameSet<TimerName> { [] }

  @inlinable
  public mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch take(input, in: state, step) {
    case .reaction(let reaction): return reaction
    case .unhandled: return unhandled(input, in: state, step)
    case .departure: preconditionFailure("only a region leaves the composite that it is a region of")
    }
  }

  /// Enters the state that the machine starts in, from the root; for the end of `init`.
  @inlinable
  public mutating func begin(_ step: Step<Self>) {
    let leaf = state
    enterAll(leaf, step)
    if Self.isFinal(leaf.name) { state = complete(leaf, step) }
  }

  /// The leaf at which a transition into a composite ends: what a machine without a state of its own choosing starts in.
  @inlinable
  public func start(of composite: Composite, _ step: Step<Self>) -> State { initialLeaf(of: composite, step) }

  /// Whether a timer belongs to a state that the machine is in, or to none.
  @inlinable
  public func asksFor(_ timer: TimerName) -> Bool { Self.owns(timer, in: state.name) || lastingTimers.contains(timer) }
}

extension Statechart {
  /// Whether a leaf or a composite around it lists a timer as its own.
  @inlinable
  public static func owns(_ timer: Host.TimerName, in leaf: State.Name) -> Bool {
    if timers(of: leaf).contains(timer) { return true }
    var next = leaf.parent
    while let composite = next {
      if timers(of: composite).contains(timer) { return true }
      next = composite.parent
    }
    return false
  }
}
