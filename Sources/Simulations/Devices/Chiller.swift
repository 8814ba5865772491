public import MachineForms
public import StateMachines

/// A cooled cabinet with nested states.
///
/// ```
/// off
/// on                   defrostDue is running
///   idle
///     resting          rested is running
///     ready
///   cooling            the compressor is on
///     minOn            ranEnough is running
///     free
///   defrost
///     defrosting       the heater is on; thawed is running
///     dripping         dried is running
/// ```
///
/// What holds for several states is written once, in their composite: `powerLost` in `on`, which exits the active
/// states from the innermost outwards, and `cold` in `cooling`. A flat machine would need a table of 63 cells.
///
/// | event | taken | ignored |
/// | --- | --- | --- |
/// | warm | ready: → on.cooling.minOn, compressor on | in all other states |
/// | cold | free: → on.idle.resting, compressor off | minOn: the compressor must not stop yet; all others |
/// | powerLost | any state that is on: → off | off |
/// | powerRestored | off: → on.idle.resting | any state that is on |
/// | defrostDue | minOn: ⟲, the defrost is pending; defrost: ⟲; idle, free: → on.defrost.defrosting | |
/// | ranEnough | minOn: → on.cooling.free, or → on.defrost.defrosting if a defrost is pending | |
///
/// A defrost is due every `defrostEvery` while the cabinet is on. It interrupts cooling as soon as the compressor may
/// stop, and only powerLost interrupts it.
public struct Chiller: HierarchicalMachine {
  public typealias Host = Chiller

  public enum State: StatechartLeaf, MachineState {
    case off, resting, ready, minOn, free, defrosting, dripping

    public var parent: Composite? {
      switch self {
      case .off: nil
      case .resting, .ready: .idle
      case .minOn, .free: .cooling
      case .defrosting, .dripping: .defrost
      }
    }
  }

  public enum Composite: StatechartComposite {
    case on, idle, cooling, defrost

    public var parent: Composite? {
      switch self {
      case .on: nil
      case .idle, .cooling, .defrost: .on
      }
    }
  }

  public enum Event: MachineEvent {
    case warm, cold, powerLost, powerRestored
    case rested, ranEnough, defrostDue, thawed, dried
  }

  public enum Output: MachineOutput { case compressorOn, compressorOff, heaterOn, heaterOff }

  public struct Parameters: ParameterSet {
    var rest = Duration.seconds(180)
    var minOn = Duration.seconds(60)
    var defrostEvery = Duration.seconds(21_600)
    var thaw = Duration.seconds(1200)
    var drip = Duration.seconds(120)
    public init() {}
  }

  public var state = State.off
  /// Whether a defrost waits for the end of `minOn`.
  private var isDefrostPending = false
  public init() {}

  public func timers(of node: Node, _ parameters: Parameters) -> StateTimers<Self> {
    switch node {
    case .composite(.on): .after(parameters.defrostEvery, .defrostDue)
    case .leaf(.resting): .after(parameters.rest, .rested)
    case .leaf(.minOn): .after(parameters.minOn, .ranEnough)
    case .leaf(.defrosting): .after(parameters.thaw, .thawed)
    case .leaf(.dripping): .after(parameters.drip, .dried)
    case .composite(.idle), .composite(.cooling), .composite(.defrost), .leaf(.off), .leaf(.ready), .leaf(.free): .none
    }
  }

  public mutating func reaction(in leaf: State, to event: Event, _ step: Step<Self>) -> Answer {
    switch event {
    case .warm:
      switch leaf {
      case .ready: return .go(into: .cooling)
      case .off, .resting, .minOn, .free, .defrosting, .dripping: return .inherit
      }
    case .cold:
      switch leaf {
      case .minOn: return .ignore
      case .off, .resting, .ready, .free, .defrosting, .dripping: return .inherit
      }
    case .powerRestored:
      switch leaf {
      case .off: return .go(into: .on)
      case .resting, .ready, .minOn, .free, .defrosting, .dripping: return .inherit
      }
    case .rested:
      switch leaf {
      case .resting: return .go(to: .ready)
      case .off, .ready, .minOn, .free, .defrosting, .dripping: return .inherit
      }
    case .ranEnough:
      switch leaf {
      case .minOn: return step.when("defrost pending", isDefrostPending) ? .go(into: .defrost) : .go(to: .free)
      case .off, .resting, .ready, .free, .defrosting, .dripping: return .inherit
      }
    case .thawed:
      switch leaf {
      case .defrosting: return .go(to: .dripping)
      case .off, .resting, .ready, .minOn, .free, .dripping: return .inherit
      }
    case .dried:
      switch leaf {
      case .dripping: return .go(into: .idle)
      case .off, .resting, .ready, .minOn, .free, .defrosting: return .inherit
      }
    case .defrostDue:
      switch leaf {
      case .minOn:
        isDefrostPending = true
        step.arm(.defrostDue, after: step.parameters.defrostEvery)
        return .stay
      case .off, .resting, .ready, .free, .defrosting, .dripping: return .inherit
      }
    case .powerLost: return .inherit
    }
  }

  public func reaction(of composite: Composite, in leaf: State, to event: Event, _ step: Step<Self>) -> Answer {
    switch event {
    case .cold:
      switch composite {
      case .cooling: return .go(into: .idle)
      case .on, .idle, .defrost: return .inherit
      }
    case .powerLost:
      switch composite {
      case .on: return .go(to: .off)
      case .idle, .cooling, .defrost: return .inherit
      }
    case .defrostDue:
      switch composite {
      case .on:
        step.arm(.defrostDue, after: step.parameters.defrostEvery)
        return .go(into: .defrost, locally: true)
      case .defrost:
        step.arm(.defrostDue, after: step.parameters.defrostEvery)
        return .stay
      case .idle, .cooling: return .inherit
      }
    case .warm, .powerRestored, .rested, .ranEnough, .thawed, .dried: return .inherit
    }
  }

  public func initial(of composite: Composite, _ step: Step<Self>) -> Node {
    switch composite {
    case .on: .composite(.idle)
    case .idle: .leaf(.resting)
    case .cooling: .leaf(.minOn)
    case .defrost: .leaf(.defrosting)
    }
  }

  public func enter(_ node: Node, _ step: Step<Self>) {
    switch node {
    case .composite(.cooling): step.emit(.compressorOn)
    case .leaf(.defrosting): step.emit(.heaterOn)
    case .composite(.on), .composite(.idle), .composite(.defrost), .leaf(.off), .leaf(.resting), .leaf(.ready),
      .leaf(.minOn), .leaf(.free), .leaf(.dripping):
      break
    }
  }

  public mutating func exit(_ node: Node, from leaf: State, _ step: Step<Self>) {
    switch node {
    case .composite(.cooling): step.emit(.compressorOff)
    case .leaf(.minOn): isDefrostPending = false
    case .leaf(.defrosting): step.emit(.heaterOff)
    case .composite(.on), .composite(.idle), .composite(.defrost), .leaf(.off), .leaf(.resting), .leaf(.ready),
      .leaf(.free), .leaf(.dripping):
      break
    }
  }

  public static let kind = Kind(
    Chiller.self, "chiller",
    "a cooled cabinet with nested states: the rules shared by all active states are written once",
    form: .hierarchical,
    origin: "designed here by the common rules of statecharts, with the timings of a household fridge",
    source: "article",
    example: [
      "new chiller c initial=on.idle.ready", "watch c", "send c warm", "send c cold", "advance 1m", "send c cold",
      "advance 3m", "send c warm", "send c powerLost", "send c powerRestored", "agenda c",
    ],
    states: {
      switch $0 {
      case .off: "there is no power"
      case .resting: "the compressor is off and must not start yet"
      case .ready: "the compressor is off and may start"
      case .minOn: "the compressor is on and must not stop yet"
      case .free: "the compressor is on"
      case .defrosting: "the heater thaws the evaporator"
      case .dripping: "the thawed water drains"
      }
    },
    events: [
      .event(.warm, "the cabinet is too warm"),
      .event(.cold, "the cabinet is cold enough"),
      .event(.powerLost, "the power fails"),
      .event(.powerRestored, "the power is back"),
    ],
    timers: [
      .timer(.rested, named: "rest", after: "rest", "the compressor may start again"),
      .timer(.ranEnough, named: "minOn", after: "minOn", "the compressor may stop again"),
      .timer(.defrostDue, named: "defrost", after: "defrostEvery", "it is time to defrost"),
      .timer(.thawed, named: "thaw", after: "thaw", "the evaporator is free of ice"),
      .timer(.dried, named: "drip", after: "drip", "the water is gone"),
    ],
    outputs: {
      switch $0 {
      case .compressorOn: "cooling begins"
      case .compressorOff: "cooling ends"
      case .heaterOn: "the evaporator is heated"
      case .heaterOff: "heating ends"
      }
    },
    readings: [
      .reading("defrostPending", .flag, \.isDefrostPending, "whether a defrost waits until the compressor may stop")
    ],
    parameters: [
      .parameter("rest", \.rest, .delay, "the minimum rest time of the compressor"),
      .parameter("minOn", \.minOn, .delay, "the minimum run time of the compressor"),
      .parameter("defrostEvery", \.defrostEvery, .interval(.seconds(1) ... .days(365)), "the time between defrosts"),
      .parameter("thaw", \.thaw, .delay, "how long the heater thaws"),
      .parameter("drip", \.drip, .delay, "how long the water drains"),
    ])
}
