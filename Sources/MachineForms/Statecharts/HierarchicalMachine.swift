public import StateMachines

/// A machine with nested states, which inherit reactions: a reaction common to many substates is written once.
///
/// The author writes the tree, the reactions and the hooks of a ``Statechart``; the rule of the `Machine` follows
/// from them. ``unhandled(_:in:_:)`` handles an event that every state in the path inherits.
///
/// This lamp dims before it goes out. `on` answers `pressed` and `burnedOut` once, for both states of the light:
///
/// ```swift
/// struct ChartLamp: HierarchicalMachine {
///   typealias Host = ChartLamp
///   enum State: StatechartLeaf, MachineState {
///     case dark, lit, dimmed
///     var parent: Burning? { self == .dark ? nil : .on }
///   }
///   enum Burning: StatechartComposite {
///     case on
///     var parent: Burning? { nil }
///   }
///   enum Event: MachineEvent { case pressed, dims, burnedOut }
///   var state = State.dark
///
///   func reaction(in leaf: State, to event: Event, _ step: Step<Self>) -> Answer {
///     switch event {
///     case .pressed: leaf == .dark ? .go(into: .on) : .inherit
///     case .dims: leaf == .lit ? .go(to: .dimmed) : .inherit
///     case .burnedOut: .inherit
///     }
///   }
///   func reaction(of composite: Burning, in leaf: State, to event: Event, _ step: Step<Self>) -> Answer {
///     switch event {
///     case .pressed, .burnedOut: .go(to: .dark)  // Said once, for a light that is lit and for one that is dimmed.
///     case .dims: .ignore
///     }
///   }
///   func initial(of composite: Burning, _ step: Step<Self>) -> Node { .leaf(.lit) }
///   func timers(of node: Node, _ parameters: NoParameters) -> StateTimers<Self> {
///     switch node {
///     case .composite(.on): .after(.seconds(60), .burnedOut)
///     case .leaf(.lit): .after(.seconds(50), .dims)
///     case .leaf(.dark), .leaf(.dimmed): .none
///     }
///   }
/// }
/// ```
///
/// For orthogonal regions use ``OrthogonalMachine``. Declare `Host` explicitly, because the compiler cannot always
/// infer it.
public protocol HierarchicalMachine: Machine, Statechart where Host == Self {
  /// The reaction to an event that every state up to the root inherits. By default it is ignored.
  mutating func unhandled(_ event: Event, in leaf: State, _ step: Step<Self>) -> Reaction<State>
}

extension HierarchicalMachine {
  @inlinable
  public mutating func unhandled(_ event: Event, in leaf: State, _ step: Step<Self>) -> Reaction<State> { .ignore }

  @inlinable
  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch take(event, in: state, step) {
    case .reaction(let reaction): return reaction
    case .unhandled: return unhandled(event, in: state, step)
    case .departure: preconditionFailure("only a region leaves the composite that it is a region of")
    }
  }
}

extension HierarchicalMachine where State.Name == State {
  @inlinable
  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State { begin(in: name, step) }
}

extension HierarchicalMachine {
  /// Enters the initial state from the root; call it at the end of `Machine.start(in:_:)`.
  @inlinable
  public mutating func begin(in leaf: State, _ step: Step<Self>) -> State {
    enterAll(leaf, step)
    return Self.isFinal(leaf.name) ? complete(leaf, step) : leaf
  }
}
