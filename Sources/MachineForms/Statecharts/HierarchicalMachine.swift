public import StateMachines

/// A machine with nested states, which inherit reactions: a reaction common to many substates is written once.
///
/// The author writes the tree, the reactions and the hooks of a ``Statechart``; the rule of the ``Machine`` follows
/// from them. ``unhandled(_:in:_:)`` handles an event that every state in the path inherits.
///
/// ```swift
/// /// A cooled cabinet: off, or on with all that goes on there. The loss of power is handled once, for all that is on.
/// struct Chiller: HierarchicalMachine {
///   typealias Host = Chiller
///
///   enum State: StatechartLeaf, MachineState {
///     case off, resting, ready, minOn, free, defrosting, dripping
///
///     var parent: Composite? {
///       switch self {
///       case .off: nil
///       case .resting, .ready: .idle
///       case .minOn, .free: .cooling
///       case .defrosting, .dripping: .defrost
///       }
///     }
///   }
///
///   enum Composite: StatechartComposite {
///     case on, idle, cooling, defrost
///
///     var parent: Composite? {
///       switch self {
///       case .on: nil
///       case .idle, .cooling, .defrost: .on
///       }
///     }
///   }
///
///   enum Event: MachineEvent {
///     case warm, cold, powerLost, powerRestored
///     case rested, ranEnough, defrostDue, thawed, dried
///   }
///   enum Output: MachineOutput { case compressorOn, compressorOff, heaterOn, heaterOff }
///
///   var state = State.off
///
///   func timers(of node: Node, _ parameters: NoParameters) -> StateTimers<Self> {
///     switch node {
///     case .composite(.on): .after(.minutes(360), .defrostDue)
///     case .leaf(.resting): .after(.minutes(3), .rested)
///     case .leaf(.minOn): .after(.minutes(1), .ranEnough)
///     case .leaf(.defrosting): .after(.minutes(20), .thawed)
///     case .leaf(.dripping): .after(.minutes(2), .dried)
///     case .composite(.idle), .composite(.cooling), .composite(.defrost), .leaf(.off), .leaf(.ready), .leaf(.free): .none
///     }
///   }
///
///   func reaction(in leaf: State, to event: Event, _ step: Step<Self>) -> Answer {
///     switch (leaf, event) {
///     case (.off, .powerRestored): .go(into: .on)
///     case (.resting, .rested): .go(to: .ready)
///     case (.ready, .warm): .go(into: .cooling)
///     case (.minOn, .ranEnough): .go(to: .free)
///     case (.minOn, .cold): .ignore
///     case (.defrosting, .thawed): .go(to: .dripping)
///     case (.dripping, .dried): .go(into: .idle)
///     case (.off, _), (.resting, _), (.ready, _), (.minOn, _), (.free, _), (.defrosting, _), (.dripping, _): .inherit
///     }
///   }
///
///   func reaction(of composite: Composite, in leaf: State, to event: Event, _ step: Step<Self>) -> Answer {
///     switch (composite, event) {
///     case (.cooling, .cold): return .go(into: .idle)
///     case (.defrost, .defrostDue): return .ignore
///     case (.idle, _), (.cooling, _), (.defrost, _): return .inherit
///     case (.on, .powerLost): return .go(to: .off)
///     case (.on, .defrostDue):
///       step.arm(.defrostDue, after: .minutes(360))
///       return .go(into: .defrost, locally: true)
///     case (.on, .warm), (.on, .cold), (.on, .powerRestored), (.on, .rested), (.on, .ranEnough), (.on, .thawed),
///       (.on, .dried):
///       return .ignore
///     }
///   }
///
///   func initial(of composite: Composite, _ step: Step<Self>) -> Node {
///     switch composite {
///     case .on: .composite(.idle)
///     case .idle: .leaf(.resting)
///     case .cooling: .leaf(.minOn)
///     case .defrost: .leaf(.defrosting)
///     }
///   }
///
///   func enter(_ node: Node, _ step: Step<Self>) {
///     switch node {
///     case .composite(.cooling): step.emit(.compressorOn)
///     case .leaf(.defrosting): step.emit(.heaterOn)
///     case .composite(.on), .composite(.idle), .composite(.defrost), .leaf(.off), .leaf(.resting), .leaf(.ready),
///       .leaf(.minOn), .leaf(.free), .leaf(.dripping):
///       break
///     }
///   }
///
///   func exit(_ node: Node, from leaf: State, _ step: Step<Self>) {
///     switch node {
///     case .composite(.cooling): step.emit(.compressorOff)
///     case .leaf(.defrosting): step.emit(.heaterOff)
///     case .composite(.on), .composite(.idle), .composite(.defrost), .leaf(.off), .leaf(.resting), .leaf(.ready),
///       .leaf(.minOn), .leaf(.free), .leaf(.dripping):
///       break
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
  /// Enters the initial state from the root; call it at the end of ``Machine/start(in:_:)``.
  @inlinable
  public mutating func begin(in leaf: State, _ step: Step<Self>) -> State {
    enterAll(leaf, step)
    return Self.isFinal(leaf.name) ? complete(leaf, step) : leaf
  }
}
