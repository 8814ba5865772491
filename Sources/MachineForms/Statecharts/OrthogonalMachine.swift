public import StateMachines

/// One of several charts that run side by side within a composite of an ``OrthogonalMachine``.
///
/// It is a value that is made for one step and holds what its rule may look at: the other regions as they were before
/// the step, say. That is what a guard `in(Region.state)` reads. Its state is kept by the machine.
public protocol Region: Statechart where Host: OrthogonalMachine {}

/// A machine with a composite whose regions run side by side, each a ``Region``; outside of it, or around it, a plain
/// rule.
///
/// What one region does is written once and not once for each combination: states multiply, rules add up.
///
/// **Offering.** Every region is offered an event once, in the order in which ``visit(_:_:_:)`` names them, each
/// against the configuration before the step: regions do not see what the others make of it. Only if all of them
/// inherit up to their roots is the machine's own rule asked, ``reaction(to:_:)``. It is asked as well for all
/// events outside the composite.
///
/// **The verdict** is the strongest: moved, stayed, ignored. A region that only inherits counts as one that ignores.
/// The event is refused if every region refuses it.
///
/// **Timers** that run in the composite end when it is left.
///
/// **Leaving the composite** is what the machine's own rule decides, or a region that answers
/// ``StatechartReaction/leave(to:)``. The inner goes first: a region leaves only if no other has moved or stayed. If
/// several want to leave, the first wins. Those that are overruled have no effects and are reported to
/// ``overruled(_:_:)``. On the way out the regions are left in reverse order, on the way in they are entered in
/// order, each with its hooks; the effects of the rule that decided stand between.
///
/// **Completion.** When a step has brought all regions to final states, ``completion(of:_:)`` is asked within the
/// same step.
///
/// Regions talk to each other by ``Step/raise(_:)``.
///
/// ```swift
/// /// A coffee machine: off, or on with a heater and a tank that go their own ways.
/// struct CoffeeMachine: OrthogonalMachine {
///   enum State: StateWithData {
///     case off
///     case on(Regions)
///
///     typealias Name = Either<Off, Beside<Heater.State, Tank.State>>
///
///     var name: Name {
///       switch self {
///       case .off: .outside(.off)
///       case .on(let on): .inside(Beside(on.heater, on.tank))
///       }
///     }
///   }
///
///   enum Off: NamedCases { case off }
///
///   struct Regions: Hashable, Codable {
///     var heater = Heater.State.warming
///     var tank = Tank.State.full
///   }
///
///   enum Event: MachineEvent { case button, brew, refill, emptied, hot }
///   enum Output: MachineOutput { case heaterOn, heaterOff, pump, lamp }
///
///   var state = State.off
///
///   mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
///     switch name {
///     case .outside(.off): .off
///     case .inside(let names): begin(in: .on(Regions(heater: names.first, tank: names.second)), step)
///     }
///   }
///
///   func visit(_ regions: inout Regions, _ pass: inout RegionPass<Self>, _ step: Step<Self>) {
///     pass.visit(Heater(tank: regions.tank), &regions.heater, step)
///     pass.visit(Tank(), &regions.tank, step)
///   }
///
///   func reaction(to event: Event, _ step: Step<Self>) -> Reaction<State> {
///     switch event {
///     case .button:
///       switch state {
///       case .off: .move(to: .on(Regions()))
///       case .on: .move(to: .off)
///       }
///     case .brew:
///       switch state {
///       case .off: step.refuse("it is off")
///       case .on: step.refuse("it is not hot, or there is no water")
///       }
///     case .refill, .emptied, .hot: .ignore
///     }
///   }
///
///   static func regions(of state: State) -> Regions? { if case .on(let regions) = state { regions } else { nil } }
///   static func state(of regions: Regions) -> State { .on(regions) }
///
///   struct Heater: Region {
///     typealias Host = CoffeeMachine
///     enum State: StatechartLeaf, MachineState { case warming, hot }
///
///     /// As it was before the step: `in(Tank.full)` is a look at it.
///     let tank: Tank.State
///
///     func reaction(in leaf: State, to event: CoffeeMachine.Event, _ step: Step<Host>) -> Answer {
///       switch (leaf, event) {
///       case (.warming, .hot): return .go(to: .hot)
///       case (.hot, .brew) where tank == .full:
///         step.emit(.pump)
///         return .go(to: .warming)
///       case (.warming, _), (.hot, _): return .inherit
///       }
///     }
///
///     func enter(_ node: Node, _ step: Step<Host>) {
///       switch node {
///       case .leaf(.warming): step.emit(.heaterOn)
///       case .leaf(.hot): break
///       }
///     }
///
///     func exit(_ node: Node, from leaf: State, _ step: Step<Host>) {
///       switch node {
///       case .leaf(.warming): step.emit(.heaterOff)
///       case .leaf(.hot): break
///       }
///     }
///
///     func timers(of node: Node, _ parameters: NoParameters) -> StateTimers<Host> {
///       switch node {
///       case .leaf(.warming): .after(.seconds(30), .hot)
///       case .leaf(.hot): .none
///       }
///     }
///   }
///
///   struct Tank: Region {
///     typealias Host = CoffeeMachine
///     enum State: StatechartLeaf, MachineState { case full, empty }
///
///     func reaction(in leaf: State, to event: CoffeeMachine.Event, _ step: Step<Host>) -> Answer {
///       switch (leaf, event) {
///       case (.full, .emptied):
///         step.emit(.lamp)
///         return .go(to: .empty)
///       case (.empty, .refill): return .go(to: .full)
///       case (.full, _), (.empty, _): return .inherit
///       }
///     }
///   }
/// }
/// ```
///
/// A region is a chart and may have composites; it has no regions of its own.
///
/// - Complexity: A step costs what the steps of all regions cost. It allocates nothing.
public protocol OrthogonalMachine: Machine {
  /// The states of the regions, one stored property each.
  associatedtype Regions: Hashable & Sendable

  /// The regions while the machine is in its composite.
  static func regions(of state: State) -> Regions?

  /// The machine's state with these regions.
  static func state(of regions: Regions) -> State

  /// Names the regions in their order: `pass.visit(Door(), &regions.door, step)` for each.
  func visit(_ regions: inout Regions, _ pass: inout RegionPass<Self>, _ step: Step<Self>)

  /// What is done with what no region has taken, and outside the composite with everything.
  mutating func reaction(to event: Event, _ step: Step<Self>) -> Reaction<State>

  /// The regions have taken an event, or have been entered: the place for what follows from all of them together.
  ///
  /// - Parameter before: The regions before the step; `nil` if the composite was entered.
  mutating func settle(_ regions: inout Regions, from before: Regions?, _ step: Step<Self>)

  /// What is done when all regions are final; `stay` leaves them so.
  mutating func completion(of regions: Regions, _ step: Step<Self>) -> Reaction<State>

  /// A region wanted to leave the composite, and another was before it.
  ///
  /// - Parameter region: Its place among the regions.
  mutating func overruled(_ region: Int, _ step: Step<Self>)

  /// The order in which the regions are left; in reverse, unless the machine says otherwise.
  static var exitOrder: RegionOrder { get }
}

/// An order of the regions of a composite.
public enum RegionOrder: Sendable {
  case asVisited
  case reverse
}

// What a simple machine has none of.
extension OrthogonalMachine {
  @inlinable
  public mutating func settle(_ regions: inout Regions, from before: Regions?, _ step: Step<Self>) {}
  @inlinable
  public mutating func completion(of regions: Regions, _ step: Step<Self>) -> Reaction<State> { .stay }
  @inlinable
  public mutating func overruled(_ region: Int, _ step: Step<Self>) {}
  @inlinable
  public static var exitOrder: RegionOrder { .reverse }
}

extension OrthogonalMachine where State == Regions {
  // A machine that is never outside its composite.
  @inlinable
  public static func regions(of state: State) -> Regions? { state }
  @inlinable
  public static func state(of regions: Regions) -> State { regions }
}

extension Step {
  /// Lends this step to another machine's rule, which stands for a region here as it is written.
  ///
  /// That rule's timers are none of this machine's: it may declare timers, and the machine that stands for it declares
  /// the like; it may not arm any.
  @inlinable
  public func lend<Part: _Machine, Result>(to part: Part.Type, _ body: (Step<Part>) -> Result) -> Result
  where Part.Output == M.Output, Part.Parameters == M.Parameters {
    // Safety: what is written on the record are places in the list of outputs, which is the same, and so is the type
    // that the parameters have. Events of timers are of another type, and so there are none meanwhile.
    let timers = record.pointee.timers
    record.pointee.timers = .none
    defer { record.pointee.timers = timers }
    return body(Step<Part>(record, parameterStorage))
  }
}

extension StatechartReaction {
  /// What a plain rule has decided, as the answer of a flat chart.
  @inlinable
  public init(_ reaction: Reaction<State>) {
    switch reaction {
    case .move(to: let next): self = .go(to: next)
    case .stay: self = .stay
    case .stayAs(let next): self = .stayAs(next)
    case .ignore: self = .ignore
    case .refuse: self = .refuse
    }
  }
}
