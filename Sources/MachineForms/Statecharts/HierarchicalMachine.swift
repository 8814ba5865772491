public import StateMachines

/// A machine whose states are within states, which inherit reactions: a reaction common to many substates is written
/// once.
///
/// The author writes the tree, the reactions and the hooks of a ``Statechart``; the rule of the ``Machine``
/// follows from them. What nobody in the tree answers is ``unhandled(_:in:_:)``.
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
///   enum Event: Sendable { case warm, cold, powerLost, powerRestored }
///   enum Output: MachineOutput { case compressorOn, compressorOff, heaterOn, heaterOff }
///   enum TimerName: NamedCases { case minOff, minOn, defrostInterval, thawed, dry }
///
///   var state: State
///
///   init(initial: State?, _ step: Step<Self>) {
///     state = initial ?? .off
///     begin(step)
///   }
///
///   func reaction(in leaf: State, to input: Signal, _ step: Step<Self>) -> Answer {
///     switch (leaf, input) {
///     case (.off, .event(.powerRestored)): .go(into: .on)
///     case (.resting, .expired(.minOff)): .go(to: .ready)
///     case (.ready, .event(.warm)): .go(into: .cooling)
///     case (.minOn, .expired(.minOn)): .go(to: .free)
///     case (.minOn, .event(.cold)): .ignore
///     case (.defrosting, .expired(.thawed)): .go(to: .dripping)
///     case (.dripping, .expired(.dry)): .go(into: .idle)
///     case (.off, .event(.warm)), (.off, .event(.cold)), (.off, .event(.powerLost)), (.off, .expired): .ignore
///     case (.resting, _), (.ready, _), (.minOn, _), (.free, _), (.defrosting, _), (.dripping, _): .inherit
///     }
///   }
///
///   func reaction(of composite: Composite, in leaf: State, to input: Signal, _ step: Step<Self>) -> Answer {
///     switch (composite, input) {
///     case (.cooling, .event(.cold)): return .go(into: .idle)
///     case (.defrost, .expired(.defrostInterval)): return .ignore
///     case (.idle, _), (.cooling, _), (.defrost, _): return .inherit
///     case (.on, .event(.powerLost)): return .go(to: .off)
///     case (.on, .expired(.defrostInterval)):
///       step.arm(.defrostInterval, after: .minutes(360))
///       return .go(into: .defrost, locally: true)
///     case (.on, .event(.warm)), (.on, .event(.cold)), (.on, .event(.powerRestored)), (.on, .expired(.minOff)),
///       (.on, .expired(.minOn)), (.on, .expired(.thawed)), (.on, .expired(.dry)):
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
///     case .composite(.on): step.arm(.defrostInterval, after: .minutes(360))
///     case .composite(.cooling): step.emit(.compressorOn)
///     case .leaf(.resting): step.arm(.minOff, after: .minutes(3))
///     case .leaf(.minOn): step.arm(.minOn, after: .minutes(1))
///     case .leaf(.defrosting):
///       step.emit(.heaterOn)
///       step.arm(.thawed, after: .minutes(20))
///     case .leaf(.dripping): step.arm(.dry, after: .minutes(2))
///     case .composite(.idle), .composite(.defrost), .leaf(.off), .leaf(.ready), .leaf(.free): break
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
///
///   static func timers(of node: Node) -> NameSet<TimerName> {
///     switch node {
///     case .composite(.on): [.defrostInterval]
///     case .leaf(.resting): [.minOff]
///     case .leaf(.minOn): [.minOn]
///     case .leaf(.defrosting): [.thawed]
///     case .leaf(.dripping): [.dry]
///     case .composite(.idle), .composite(.cooling), .composite(.defrost), .leaf(.off), .leaf(.ready), .leaf(.free): []
///     }
///   }
/// }
/// ```
///
/// It is not for states side by side: see ``OrthogonalMachine``. `Host` is said because the compiler does not always find
/// it by itself.
public protocol HierarchicalMachine: Machine, Statechart where Host == Self {
  /// What becomes of an event that everybody inherits, up to the root: ignored, unless the machine says otherwise.
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
  /// Enters the state that the machine starts in, from the root; for the end of ``Machine/start(in:_:)``.
  @inlinable
  public mutating func begin(in leaf: State, _ step: Step<Self>) -> State {
    enterAll(leaf, step)
    return Self.isFinal(leaf.name) ? complete(leaf, step) : leaf
  }
}
