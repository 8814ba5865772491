import MachineForms
internal import StateMachines

// The same toggle in each form, as an engineer familiar with the form would write it.

enum Light: MachineState { case off, on }

enum Press: MachineEvent, Codable { case press }

extension Kind {
  fileprivate convenience init<M: Machine>(toggle: M.Type)
  where M.State.Name == Light, M.Event == Press, M.Output == NoOutput, M.Parameters == NoParameters {
    self.init(
      toggle, "\(toggle)", "a toggle",
      states: {
        switch $0 {
        case .off: "off"
        case .on: "on"
        }
      },
      events: [.event(.press, "the button")])
  }
}

struct PlainToggle: Machine {
  typealias Event = Press

  var state = Light.off

  mutating func react(to event: Press, _ step: Step<Self>) -> Reaction<Light> {
    switch event {
    case .press:
      switch state {
      case .off: .move(to: .on)
      case .on: .move(to: .off)
      }
    }
  }

  static let kind = Kind(toggle: PlainToggle.self)
}

struct ReducerToggle: Machine {
  typealias Event = Press

  struct Rule: Reducer {
    func reduce(_ state: Light, _ wish: Press) -> Light {
      switch (state, wish) {
      case (.off, .press): .on
      case (.on, .press): .off
      }
    }
  }

  var state = Light.off

  mutating func react(to wish: Press, _ step: Step<Self>) -> Reaction<Light> { .move(to: Rule().reduce(state, wish)) }

  static let kind = Kind(toggle: ReducerToggle.self)
}

struct FeatureToggle: Machine {
  typealias Event = Press

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

  var state = FeatureStore(Light.off, of: Rule())

  mutating func start(in name: Light, _ step: Step<Self>) -> FeatureStore<Rule> { FeatureStore(name, of: Rule()) }

  mutating func react(to wish: Press, _ step: Step<Self>) -> Reaction<FeatureStore<Rule>> {
    var store = state
    store.accept(wish, by: Rule())
    return .move(to: store)
  }

  static let kind = Kind(toggle: FeatureToggle.self)
}

struct StateObjectToggle: Machine {
  typealias Event = Press

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

  var state = Light.off

  mutating func react(to event: Press, _ step: Step<Self>) -> Reaction<Light> {
    var machine = StateObjectMachine(Self.states, at: state.index, subject: Nobody())
    switch (state, event) {
    case (.off, .press): machine.enter(On.self)
    case (.on, .press): machine.enter(Off.self)
    }
    return .move(to: Light(at: machine.place ?? state.index))
  }

  static let kind = Kind(toggle: StateObjectToggle.self)
}

struct SchemaToggle: Machine {
  typealias Event = Press

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

  var state = schema.initial

  mutating func react(to event: Press, _ step: Step<Self>) -> Reaction<Light> {
    Self.schema.reaction(in: state, to: event, step)
  }

  static let kind = Kind(toggle: SchemaToggle.self)
}

struct EventObjectToggle: Machine {
  typealias Event = Press

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

  var state = Light.off

  mutating func react(to event: Press, _ step: Step<Self>) -> Reaction<Light> {
    switch event {
    case .press:
      Self.objects.reaction(in: state, to: state == .off ? Change.switchOn : .switchOff, userInfo: (), step)
    }
  }

  static let kind = Kind(toggle: EventObjectToggle.self)
}

/// Two lights in one composite, which handles the event.
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

  var state = State.off

  func reaction(in leaf: State, to event: Event, _ step: Step<Self>) -> Answer { .inherit }

  func reaction(of composite: Composite, in leaf: State, to event: Event, _ step: Step<Self>) -> Answer {
    switch (composite, leaf, event) {
    case (.powered, .off, .press): .go(to: .on)
    case (.powered, .on, .press): .go(to: .off)
    }
  }

  func initial(of composite: Composite, _ step: Step<Self>) -> Node { .leaf(.off) }

  static let kind = Kind(
    HierarchicalToggle.self, "HierarchicalToggle", "a toggle", states: { _ in "a state" },
    events: [.event(.press, "the button")])
}
