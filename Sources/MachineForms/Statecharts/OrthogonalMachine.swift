public import StateMachines

/// One of several orthogonal regions of an ``OrthogonalMachine``.
///
/// It is a value made for one step. It holds the data that its rule may read, for example the states of other regions
/// before the step, which guards such as `in(Region.state)` need. The machine stores its state.
public protocol Region: Statechart where Host: OrthogonalMachine {}

/// A machine with a composite state whose orthogonal regions run in parallel, each a ``Region``. A plain rule handles
/// states outside the composite, and events that no region handles.
///
/// The rule of a region is written once, not once for each combination: the number of states is the product over the
/// regions, the number of rules their sum.
///
/// **Offering.** Each event is offered to every region once, in the order of ``visit(_:_:_:)``. Every region reacts to
/// the configuration before the step and does not see the changes of the others. The machine's own rule,
/// ``reaction(to:_:)``, handles an event if all regions inherit up to their roots, and every event outside the
/// composite.
///
/// **The verdict** is the strongest of the regions' verdicts: moved, stayed, ignored. A region that inherits counts as
/// ignoring. The event is refused only if every region refuses it.
///
/// **Timers** that run in the composite are disarmed when it is left.
///
/// **Leaving the composite** is decided by the machine's own rule, or by a region that returns
/// ``StatechartReaction/leave(to:)``. Reactions inside the composite take precedence: a region leaves only if no other
/// region has moved or stayed. If several want to leave, the first wins. The effects of an overruled region are
/// withdrawn, and ``overruled(_:_:)`` is called for it. Regions are left in reverse order and entered in order, each
/// with its hooks. The effects of the deciding rule come between the exits and the entries.
///
/// **Completion.** When a step has brought all regions to final states, ``completion(of:_:)`` is called within the same
/// step.
///
/// Regions communicate by `Step.raise(_:)`.
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
/// A region is a chart and may have composites, but no regions of its own.
///
/// - Complexity: A step costs the sum of the steps of all regions. It allocates nothing.
public protocol OrthogonalMachine: Machine {
  /// The states of the regions, one stored property each.
  associatedtype Regions: Hashable & Sendable

  /// The regions if the machine is in its composite; otherwise `nil`.
  static func regions(of state: State) -> Regions?

  /// The machine's state with these regions.
  static func state(of regions: Regions) -> State

  /// Visits the regions in their order: `pass.visit(Door(), &regions.door, step)` for each.
  func visit(_ regions: inout Regions, _ pass: inout RegionPass<Self>, _ step: Step<Self>)

  /// The reaction to an event that no region handled, or that arrived outside the composite.
  mutating func reaction(to event: Event, _ step: Step<Self>) -> Reaction<State>

  /// Called after the regions handled an event or were entered. Adjust data here that depend on several regions.
  /// `before` has the regions before the step; it is `nil` if the composite was entered.
  mutating func settle(_ regions: inout Regions, from before: Regions?, _ step: Step<Self>)

  /// The reaction when all regions are final. The default, `stay`, changes nothing.
  mutating func completion(of regions: Regions, _ step: Step<Self>) -> Reaction<State>

  /// Called when the region with this index wanted to leave the composite and another one took precedence.
  mutating func overruled(_ region: Int, _ step: Step<Self>)

  /// The order in which the regions are left; by default reverse.
  static var exitOrder: RegionOrder { get }
}

/// An order of the regions of a composite.
public enum RegionOrder: Sendable {
  case asVisited
  case reverse
}

// Defaults for a simple machine.
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
  // The machine is always in its composite.
  @inlinable
  public static func regions(of state: State) -> Regions? { state }
  @inlinable
  public static func state(of regions: Regions) -> State { regions }
}

extension Step {
  /// Lends this step to the rule of another machine that serves as a region.
  ///
  /// The other machine's timers are not armed. If it declares timers, this machine must declare the corresponding ones.
  /// Its rule must not arm any.
  @inlinable
  public func lend<Part: _Machine, Result>(to part: Part.Type, _ body: (Step<Part>) -> Result) -> Result
  where Part.Output == M.Output, Part.Parameters == M.Parameters {
    // Safety: the record receives only indices of outputs, and both machines have the same outputs and parameter type.
    // Events of timers differ in type, so the record has no timers during the call.
    let timers = record.pointee.timers
    record.pointee.timers = .none
    defer { record.pointee.timers = timers }
    return body(Step<Part>(record, parameterStorage))
  }
}

extension StatechartReaction {
  /// Converts a plain reaction to the reaction of a flat chart.
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
