import StateMachines

/// A cooled cabinet: off, or on with all that goes on there. The loss of power is handled once, for all that is on.
struct Chiller: HierarchicalMachine {
  typealias Host = Chiller

  enum State: UInt8, CaseIterable, StatechartLeaf, MachineState {
    case off, resting, ready, minOn, free, defrosting, dripping

    var parent: Composite? {
      switch self {
      case .off: nil
      case .resting, .ready: .idle
      case .minOn, .free: .cooling
      case .defrosting, .dripping: .defrost
      }
    }
  }

  enum Composite: UInt8, CaseIterable, StatechartComposite {
    case on, idle, cooling, defrost

    var parent: Composite? {
      switch self {
      case .on: nil
      case .idle, .cooling, .defrost: .on
      }
    }
  }

  enum Event: Sendable { case warm, cold, powerLost, powerRestored }
  enum Output: UInt8, CaseIterable, Vocabulary, MachineOutput { case compressorOn, compressorOff, heaterOn, heaterOff }
  enum TimerName: UInt8, CaseIterable, Vocabulary { case minOff, minOn, defrostInterval, thawed, dry }

  var state: State

  init(initial: State?, _ step: Step<Self>) {
    state = initial ?? .off
    begin(step)
  }

  func reaction(in leaf: State, to input: Signal, _ step: Step<Self>) -> Answer {
    switch (leaf, input) {
    case (.off, .event(.powerRestored)): .go(into: .on)
    case (.resting, .expired(.minOff)): .go(to: .ready)
    case (.ready, .event(.warm)): .go(into: .cooling)
    case (.minOn, .expired(.minOn)): .go(to: .free)
    case (.minOn, .event(.cold)): .ignore
    case (.defrosting, .expired(.thawed)): .go(to: .dripping)
    case (.dripping, .expired(.dry)): .go(into: .idle)
    case (.off, .event(.warm)), (.off, .event(.cold)), (.off, .event(.powerLost)), (.off, .expired): .ignore
    case (.resting, _), (.ready, _), (.minOn, _), (.free, _), (.defrosting, _), (.dripping, _): .inherit
    }
  }

  func reaction(of composite: Composite, in leaf: State, to input: Signal, _ step: Step<Self>) -> Answer {
    switch (composite, input) {
    case (.cooling, .event(.cold)): return .go(into: .idle)
    case (.defrost, .expired(.defrostInterval)): return .ignore
    case (.idle, _), (.cooling, _), (.defrost, _): return .inherit
    case (.on, .event(.powerLost)): return .go(to: .off)
    case (.on, .expired(.defrostInterval)):
      step.arm(.defrostInterval, after: .minutes(360))
      return .go(into: .defrost, locally: true)
    case (.on, .event(.warm)), (.on, .event(.cold)), (.on, .event(.powerRestored)), (.on, .expired(.minOff)),
      (.on, .expired(.minOn)), (.on, .expired(.thawed)), (.on, .expired(.dry)):
      return .ignore
    }
  }

  func initial(of composite: Composite, _ step: Step<Self>) -> StatechartNode<State, Composite> {
    switch composite {
    case .on: .composite(.idle)
    case .idle: .leaf(.resting)
    case .cooling: .leaf(.minOn)
    case .defrost: .leaf(.defrosting)
    }
  }

  func enter(_ leaf: State, _ step: Step<Self>) {
    switch leaf {
    case .resting: step.arm(.minOff, after: .minutes(3))
    case .minOn: step.arm(.minOn, after: .minutes(1))
    case .defrosting:
      step.emit(.heaterOn)
      step.arm(.thawed, after: .minutes(20))
    case .dripping: step.arm(.dry, after: .minutes(2))
    case .off, .ready, .free: break
    }
  }

  func enter(_ composite: Composite, for leaf: State, _ step: Step<Self>) {
    switch composite {
    case .on: step.arm(.defrostInterval, after: .minutes(360))
    case .cooling: step.emit(.compressorOn)
    case .idle, .defrost: break
    }
  }

  func exit(_ leaf: State, _ step: Step<Self>) {
    switch leaf {
    case .defrosting: step.emit(.heaterOff)
    case .off, .resting, .ready, .minOn, .free, .dripping: break
    }
  }

  func exit(_ composite: Composite, from leaf: State, _ step: Step<Self>) {
    switch composite {
    case .cooling: step.emit(.compressorOff)
    case .on, .idle, .defrost: break
    }
  }

  static func timers(of leaf: State) -> NameSet<TimerName> {
    switch leaf {
    case .resting: [.minOff]
    case .minOn: [.minOn]
    case .defrosting: [.thawed]
    case .dripping: [.dry]
    case .off, .ready, .free: []
    }
  }

  static func timers(of composite: Composite) -> NameSet<TimerName> {
    switch composite {
    case .on: [.defrostInterval]
    case .idle, .cooling, .defrost: []
    }
  }
}
