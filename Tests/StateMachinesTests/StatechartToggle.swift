@testable import MachineForms
import StateMachines

/// A toggle as a plain machine.
struct PlainToggle: LegacyMachine {
  enum State: MachineState { case off, on }
  enum Event: Sendable { case tap }

  var state: State
  init(initial: State?, _ step: Step<Self>) { state = initial ?? .off }

  func react(to input: Input<Event, NoNames>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (.off, .event(.tap)): .move(to: .on)
    case (.on, .event(.tap)): .move(to: .off)
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

  enum Event: Sendable { case tap }

  var state: State
  init(initial: State?, _ step: Step<Self>) { state = initial ?? .off }

  func reaction(in leaf: State, to input: Signal, _ step: Step<Self>) -> Answer {
    switch (leaf, input) {
    case (.off, .event(.tap)): .go(to: .on)
    case (.on, .event(.tap)): .go(to: .off)
    }
  }

  func reaction(of composite: Composite, in leaf: State, to input: Signal, _ step: Step<Self>) -> Answer {
    switch (composite, input) {
    case (.device, .event(.tap)): .ignore
    }
  }

  func initial(of composite: Composite, _ step: Step<Self>) -> Node {
    switch composite {
    case .device: .leaf(.off)
    }
  }
}
