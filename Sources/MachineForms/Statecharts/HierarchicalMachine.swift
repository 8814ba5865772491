public import StateMachines

/// A machine whose states are within states, which inherit reactions: a reaction common to many substates is written
/// once.
///
/// The author writes the tree, the reactions and the hooks of a ``Statechart``; the rule of the ``Machine``
/// follows from them, and so does ``Machine/asksFor(_:)``. What nobody in the tree answers is ``unhandled(_:in:_:)``.
///
/// ```swift
/// /// A cooled cabinet: off, or on with all that goes on there. The loss of power is handled once, for all that is on.
/// struct Chiller: HierarchicalMachine {
///   typealias Host = Chiller
///
///   enum State: UInt8, CaseIterable, StatechartLeaf, MachineState {
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
///   enum Composite: UInt8, CaseIterable, StatechartComposite {
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
///   enum Output: UInt8, CaseIterable, Vocabulary, MachineOutput { case compressorOn, compressorOff, heaterOn, heaterOff }
///   enum TimerName: UInt8, CaseIterable, Vocabulary { case minOff, minOn, defrostInterval, thawed, dry }
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

  /// Whether a timer belongs to a state that the machine is in, or to none.
  @inlinable
  public func asksFor(_ timer: TimerName) -> Bool { Self.owns(timer, in: state.name) || lastingTimers.contains(timer) }
}

extension Statechart {
  /// Whether a leaf or a composite around it lists a timer as its own.
  @inlinable
  public static func owns(_ timer: Host.TimerName, in leaf: State.Name) -> Bool {
    if timers(of: .leaf(leaf)).contains(timer) { return true }
    var next = leaf.parent
    while let composite = next {
      if timers(of: .composite(composite)).contains(timer) { return true }
      next = composite.parent
    }
    return false
  }
}
