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

  enum Event: MachineEvent { case button, brew, refill, emptied, hot }
  enum Output: MachineOutput { case heaterOn, heaterOff, pump, lamp }

  var state = State.off

  mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    switch name {
    case .outside(.off): .off
    case .inside(let names): begin(in: .on(Regions(heater: names.first, tank: names.second)), step)
    }
  }

  func visit(_ regions: inout Regions, _ pass: inout RegionPass<Self>, _ step: Step<Self>) {
    pass.visit(Heater(tank: regions.tank), &regions.heater, step)
    pass.visit(Tank(), &regions.tank, step)
  }

  func reaction(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .button:
      switch state {
      case .off: .move(to: .on(Regions()))
      case .on: .move(to: .off)
      }
    case .brew:
      switch state {
      case .off: step.refuse("it is off")
      case .on: step.refuse("it is not hot, or there is no water")
      }
    case .refill, .emptied, .hot: .ignore
    }
  }

  static func regions(of state: State) -> Regions? { if case .on(let regions) = state { regions } else { nil } }
  static func state(of regions: Regions) -> State { .on(regions) }

  struct Heater: Region {
    typealias Host = CoffeeMachine
    enum State: StatechartLeaf, MachineState { case warming, hot }

    /// As it was before the step: `in(Tank.full)` is a look at it.
    let tank: Tank.State

    func reaction(in leaf: State, to event: CoffeeMachine.Event, _ step: Step<Host>) -> Answer {
      switch (leaf, event) {
      case (.warming, .hot): return .go(to: .hot)
      case (.hot, .brew) where tank == .full:
        step.emit(.pump)
        return .go(to: .warming)
      case (.warming, _), (.hot, _): return .inherit
      }
    }

    func enter(_ node: Node, _ step: Step<Host>) {
      switch node {
      case .leaf(.warming): step.emit(.heaterOn)
      case .leaf(.hot): break
      }
    }

    func exit(_ node: Node, from leaf: State, _ step: Step<Host>) {
      switch node {
      case .leaf(.warming): step.emit(.heaterOff)
      case .leaf(.hot): break
      }
    }

    func timers(of node: Node, _ parameters: NoParameters) -> StateTimers<Host> {
      switch node {
      case .leaf(.warming): .after(.seconds(30), .hot)
      case .leaf(.hot): .none
      }
    }
  }

  struct Tank: Region {
    typealias Host = CoffeeMachine
    enum State: StatechartLeaf, MachineState { case full, empty }

    func reaction(in leaf: State, to event: CoffeeMachine.Event, _ step: Step<Host>) -> Answer {
      switch (leaf, event) {
      case (.full, .emptied):
        step.emit(.lamp)
        return .go(to: .empty)
      case (.empty, .refill): return .go(to: .full)
      case (.full, _), (.empty, _): return .inherit
      }
    }
  }
}
