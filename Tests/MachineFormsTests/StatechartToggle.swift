import MachineForms
import StateMachines

/// A toggle as a plain machine.
struct PlainToggle: Machine {
  enum State: MachineState { case off, on }
  enum Event: MachineEvent { case tap }

  var state = State.off

  func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .tap:
      switch state {
      case .off: .move(to: .on)
      case .on: .move(to: .off)
      }
    }
  }
}

/// The same as a chart: within a composite that has nothing to say.
struct ChartToggle: HierarchicalMachine {
  typealias Host = ChartToggle

  enum State: StatechartLeaf, MachineState {
    case off, on

    var parent: Composite? {
      switch self {
      case .off, .on: .device
      }
    }
  }

  enum Composite: StatechartComposite {
    case device

    var parent: Composite? { nil }
  }

  enum Event: MachineEvent { case tap }

  var state = State.off

  func reaction(in leaf: State, to event: Event, _ step: Step<Self>) -> Answer {
    switch (leaf, event) {
    case (.off, .tap): .go(to: .on)
    case (.on, .tap): .go(to: .off)
    }
  }

  func reaction(of composite: Composite, in leaf: State, to event: Event, _ step: Step<Self>) -> Answer {
    switch (composite, event) {
    case (.device, .tap): .ignore
    }
  }

  func initial(of composite: Composite, _ step: Step<Self>) -> Node {
    switch composite {
    case .device: .leaf(.off)
    }
  }
}
