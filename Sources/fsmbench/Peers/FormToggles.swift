import MachineForms
internal import StateMachines

// The same toggle in each of the forms, as an engineer would write it who knows the form.

enum Light: MachineState { case off, on }

enum Press: Sendable, Codable { case press }

extension Kind {
  fileprivate convenience init<M: LegacyMachine>(toggle: M.Type)
  where M.State == Light, M.Event == Press, M.TimerName == NoNames, M.Output == NoOutput, M.Parameters == NoParameters {
    self.init(
      toggle, "\(toggle)", "a toggle", states: [.off: "off", .on: "on"], events: [.event(.press, "the button")])
  }
}

struct PlainToggle: LegacyMachine {
  var state: Light
  init(initial: Light?, _ step: Step<Self>) { state = initial ?? .off }

  mutating func react(to input: Input<Press, NoNames>, _ step: Step<Self>) -> Reaction<Light> {
    switch (state, input) {
    case (.off, .event(.press)): .move(to: .on)
    case (.on, .event(.press)): .move(to: .off)
    }
  }

  static let kind = Kind(toggle: PlainToggle.self)
}

struct ReducerToggle: LegacyMachine {
  struct Rule: Reducer {
    func reduce(_ state: Light, _ wish: Press) -> Light {
      switch (state, wish) {
      case (.off, .press): .on
      case (.on, .press): .off
      }
    }
  }

  var state: Light
  init(initial: Light?, _ step: Step<Self>) { state = initial ?? .off }

  mutating func react(to input: Input<Press, NoNames>, _ step: Step<Self>) -> Reaction<Light> {
    switch input {
    case .event(let wish): .move(to: Rule().reduce(state, wish))
    }
  }

  static let kind = Kind(toggle: ReducerToggle.self)
}

struct FeatureToggle: LegacyMachine {
  struct Rule: Feature {
    enum Effect { case switched(Light) }

    func actor(_ state: Light, _ wish: Press, _ effects: inout Effects<Effect>) {
      switch (state, wish) {
      case (.off, .press): effects.emit(.switched(.on))
      case (.on, .press): effects.emit(.switched(.off))
      }
    }

    func reducer(_ state: Light, _ effect: Effect) -> Light {
      switch effect {
      case .switched(let light): light
      }
    }
  }

  var state: FeatureStore<Rule>
  init(initial: Light?, _ step: Step<Self>) { state = FeatureStore(initial ?? .off, of: Rule()) }

  mutating func react(to input: Input<Press, NoNames>, _ step: Step<Self>) -> Reaction<FeatureStore<Rule>> {
    switch input {
    case .event(let wish):
      var store = state
      store.accept(wish, by: Rule())
      return .move(to: store)
    }
  }

  static let kind = Kind(
    FeatureToggle.self, "FeatureToggle", "a toggle", states: [.off: "off", .on: "on"],
    events: [.event(.press, "the button")])
}

struct StateObjectToggle: LegacyMachine {
  struct Nobody: StateSubject {}

  final class Off: StateObject {
    func isValidNextState(_ next: StateType<Nobody>, in machine: StateObjectMachine<Nobody>) -> Bool { next == On.self }
  }

  final class On: StateObject {
    func isValidNextState(_ next: StateType<Nobody>, in machine: StateObjectMachine<Nobody>) -> Bool {
      next == Off.self
    }
  }

  static let states = StateObjects<Nobody>(Off(), On())

  var state: Light
  init(initial: Light?, _ step: Step<Self>) { state = initial ?? .off }

  mutating func react(to input: Input<Press, NoNames>, _ step: Step<Self>) -> Reaction<Light> {
    var machine = StateObjectMachine(Self.states, at: state.index, subject: Nobody())
    switch (state, input) {
    case (.off, .event(.press)): machine.enter(On.self)
    case (.on, .event(.press)): machine.enter(Off.self)
    }
    return .move(to: Light(at: machine.place ?? state.index))
  }

  static let kind = Kind(toggle: StateObjectToggle.self)
}

struct SchemaToggle: LegacyMachine {
  static let schema = Schema<Light, Press, Step<SchemaToggle>>(initial: .off) { light, press in
    switch light {
    case .off:
      switch press {
      case .press: .to(.on)
      }
    case .on:
      switch press {
      case .press: .to(.off)
      }
    }
  }

  var state: Light
  init(initial: Light?, _ step: Step<Self>) { state = initial ?? Self.schema.initial }

  mutating func react(to input: Input<Press, NoNames>, _ step: Step<Self>) -> Reaction<Light> {
    switch input {
    case .event(let press):
      guard let next = Self.schema.transition(from: state, on: press) else { return .ignore }
      next.block?(step)
      return .move(to: next.state)
    }
  }

  static let kind = Kind(toggle: SchemaToggle.self)
}

struct EventObjectToggle: LegacyMachine {
  typealias Objects = EventObjects<Step<EventObjectToggle>, Void>

  enum Change: NamedCases { case switchOn, switchOff }

  static let objects: Objects.Definition = {
    do {
      return try Objects.Definition(
        states: [.init("off"), .init("on")],
        events: [.init("switchOn", from: ["off"], to: "on"), .init("switchOff", from: ["on"], to: "off")])
    } catch {
      preconditionFailure("the definition is wrong: \(error)")
    }
  }()

  var state: Light
  init(initial: Light?, _ step: Step<Self>) { state = initial ?? .off }

  mutating func react(to input: Input<Press, NoNames>, _ step: Step<Self>) -> Reaction<Light> {
    switch input {
    case .event(.press):
      var step = step
      var machine = Objects.Machine(Self.objects, in: state)
      do {
        try machine.fire(state == .off ? Change.switchOn : .switchOff, userInfo: (), on: &step)
      } catch {
        return step.refuse(error.reason)
      }
      return .move(to: machine.current(as: Light.self) ?? state)
    }
  }

  static let kind = Kind(toggle: EventObjectToggle.self)
}

/// Two lights within one composite, which has the reaction.
struct HierarchicalToggle: HierarchicalMachine {
  typealias Host = HierarchicalToggle

  enum State: StatechartLeaf, MachineState {
    case off, on
    var parent: Composite? { .powered }
  }

  enum Composite: StatechartComposite {
    case powered
    var parent: Composite? { nil }
  }

  typealias Event = Press

  var state: State

  init(initial: State?, _ step: Step<Self>) {
    state = initial ?? .off
    begin(step)
  }

  func reaction(in leaf: State, to input: Signal, _ step: Step<Self>) -> Answer { .inherit }

  func reaction(of composite: Composite, in leaf: State, to input: Signal, _ step: Step<Self>) -> Answer {
    switch (composite, leaf, input) {
    case (.powered, .off, .event(.press)): .go(to: .on)
    case (.powered, .on, .event(.press)): .go(to: .off)
    }
  }

  func initial(of composite: Composite, _ step: Step<Self>) -> Node { .leaf(.off) }
  func enter(_ node: Node, _ step: Step<Self>) {}
  func exit(_ node: Node, from leaf: State, _ step: Step<Self>) {}

  static let kind = Kind(
    HierarchicalToggle.self, "HierarchicalToggle", "a toggle", states: [.off: "off", .on: "on"],
    events: [.event(.press, "the button")])
}
