import MachineForms
import StateMachines

/// A coffee machine: off, or on with a heater and a tank that go their own ways.
struct CoffeeMachine: OrthogonalMachine {
  enum State: StateWithData {
    case off
    case on(Regions)

    typealias Name = Either<Off, Beside<Heater.State, Tank.State>>

    var name: Name {
      switch self {
      case .off: .outside(.off)
      case .on(let on): .inside(Beside(on.heater, on.tank))
      }
    }
  }

  enum Off: NamedCases { case off }

  struct Regions: Hashable, Codable {
    var heater = Heater.State.warming
    var tank = Tank.State.full
  }

  enum Event: Sendable { case button, brew, refill, emptied }
  enum TimerName: NamedCases { case hot }
  enum Output: MachineOutput { case heaterOn, heaterOff, pump, lamp }

  var state: State

  init(initial: State.Name?, _ step: Step<Self>) {
    state =
      switch initial {
      case .outside(.off), nil: .off
      case .inside(let names): .on(Regions(heater: names.first, tank: names.second))
      }
    begin(step)
  }

  func visit(_ regions: inout Regions, _ pass: inout RegionPass<Self>, _ step: Step<Self>) {
    pass.visit(Heater(tank: regions.tank), &regions.heater, step)
    pass.visit(Tank(), &regions.tank, step)
  }

  func reaction(to input: Signal, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (.off, .event(.button)): .move(to: .on(Regions()))
    case (.on, .event(.button)): .move(to: .off)
    case (.on, .event(.brew)): step.refuse("it is not hot, or there is no water")
    case (.off, .event(.brew)): step.refuse("it is off")
    case (_, .event(.refill)), (_, .event(.emptied)), (_, .expired(.hot)): .ignore
    }
  }

  static func regions(of state: State) -> Regions? { if case .on(let regions) = state { regions } else { nil } }
  static func state(of regions: Regions) -> State { .on(regions) }

  func asksFor(_ timer: TimerName) -> Bool {
    switch state {
    case .off: false
    case .on(let on): Heater.owns(timer, in: on.heater)
    }
  }

  struct Heater: Region {
    typealias Host = CoffeeMachine
    enum State: StatechartLeaf, MachineState { case warming, hot }

    /// As it was before the step: `in(Tank.full)` is a look at it.
    let tank: Tank.State

    func reaction(in leaf: State, to input: CoffeeMachine.Signal, _ step: Step<Host>) -> Answer {
      switch (leaf, input) {
      case (.warming, .expired(.hot)): return .go(to: .hot)
      case (.hot, .event(.brew)) where tank == .full:
        step.emit(.pump)
        return .go(to: .warming)
      case (.warming, _), (.hot, _): return .inherit
      }
    }

    func enter(_ node: Node, _ step: Step<Host>) {
      switch node {
      case .leaf(.warming):
        step.emit(.heaterOn)
        step.arm(.hot, after: .seconds(30))
      case .leaf(.hot): break
      }
    }

    func exit(_ node: Node, from leaf: State, _ step: Step<Host>) {
      switch node {
      case .leaf(.warming): step.emit(.heaterOff)
      case .leaf(.hot): break
      }
    }

    static func timers(of node: Node) -> NameSet<TimerName> {
      switch node {
      case .leaf(.warming): [.hot]
      case .leaf(.hot): []
      }
    }
  }

  struct Tank: Region {
    typealias Host = CoffeeMachine
    enum State: StatechartLeaf, MachineState { case full, empty }

    func reaction(in leaf: State, to input: CoffeeMachine.Signal, _ step: Step<Host>) -> Answer {
      switch (leaf, input) {
      case (.full, .event(.emptied)):
        step.emit(.lamp)
        return .go(to: .empty)
      case (.empty, .event(.refill)): return .go(to: .full)
      case (.full, _), (.empty, _): return .inherit
      }
    }

    static func timers(of node: Node) -> NameSet<TimerName> { [] }
  }
}
