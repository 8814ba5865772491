import MachineForms
import StateMachines

/// Three regions that do as they are told, each event telling all three, and the machine what to do if none takes it.
struct Trio: OrthogonalMachine {
  enum State: StateWithData {
    case off, out
    case on(Regions)

    typealias Name = Either<Outside, Beside<Beside<Member.State, Member.State>, Member.State>>

    var name: Name {
      switch self {
      case .off: .outside(.off)
      case .out: .outside(.out)
      case .on(let on): .inside(Beside(Beside(on.first, on.second), on.third))
      }
    }
  }

  enum Outside: NamedCases { case off, out }

  struct Regions: Hashable, Codable {
    var first = Member.State.p
    var second = Member.State.p
    var third = Member.State.p
  }

  enum Order: CaseIterable, Sendable { case move, end, stay, ignore, refuse, inherit, leave }

  enum Event: MachineEvent {
    case tell([Order])
    /// What the machine itself does: out of its regions, into them anew.
    case off, on
  }

  enum Output: OutputWithData {
    case entered(String), left(String), did(String), overruled(String)
    enum Name: NamedCases { case entered, left, did, overruled }
  }

  var state = State.on(Regions())

  mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    switch name {
    case .outside(.off): .off
    case .outside(.out): .out
    case .inside(let names):
      begin(in: .on(Regions(first: names.first.first, second: names.first.second, third: names.second)), step)
    }
  }

  func visit(_ regions: inout Regions, _ pass: inout RegionPass<Self>, _ step: Step<Self>) {
    let before = regions
    pass.visit(Member(place: 0, before: before), &regions.first, step)
    pass.visit(Member(place: 1, before: before), &regions.second, step)
    pass.visit(Member(place: 2, before: before), &regions.third, step)
  }

  func reaction(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .off:
      step.emit(.did("off"))
      return .move(to: .off)
    case .on:
      step.emit(.did("on"))
      return .move(to: .on(Regions()))
    case .tell: return .ignore
    }
  }

  func overruled(_ region: Int, _ step: Step<Self>) { step.emit(.overruled("\(region)")) }

  func completion(of regions: Regions, _ step: Step<Self>) -> Reaction<State> {
    step.emit(.did("completion"))
    return .move(to: .out)
  }

  static func regions(of state: State) -> Regions? {
    switch state {
    case .off, .out: nil
    case .on(let regions): regions
    }
  }

  static func state(of regions: Regions) -> State { .on(regions) }

  struct Member: Region {
    typealias Host = Trio
    enum State: StatechartLeaf, MachineState { case p, q, end }

    let place: Int
    let before: Regions

    func reaction(in leaf: State, to event: Trio.Event, _ step: Step<Host>) -> Answer {
      switch event {
      case .off, .on: .inherit
      case .tell(let orders): answer(to: orders[place], in: leaf, step)
      }
    }

    private func answer(to order: Order, in leaf: State, _ step: Step<Host>) -> Answer {
      switch order {
      case .move:
        step.emit(.did("\(place)"))
        return .go(to: leaf == .p ? .q : .p)
      case .end: return .go(to: .end)
      case .stay:
        // What the first region is in, as it was before the step.
        step.emit(.did("\(place) sees \(before.first)"))
        return .stay
      case .ignore: return .ignore
      case .refuse: return step.refuse("told to")
      case .inherit: return .inherit
      case .leave:
        step.emit(.did("\(place) leaves"))
        return .leave(to: place == 0 ? .off : .out)
      }
    }

    func enter(_ node: Node, _ step: Step<Host>) {
      if case .leaf(let leaf) = node { step.emit(.entered("\(place)\(leaf)")) }
    }
    func exit(_ node: Node, from leaf: State, _ step: Step<Host>) { step.emit(.left("\(place)\(leaf)")) }
    static func isFinal(_ leaf: State) -> Bool { leaf == .end }
  }
}
