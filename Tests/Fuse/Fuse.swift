import StateMachines

/// A machine some step of which ends the process, for tests: the one that `FSMD_FUSE` names.
struct Fuse: Machine {
  enum State: MachineState { case whole, lit }
  enum Event: MachineEvent { case spark, light, burnt }
  enum Output: MachineOutput { case glow }

  struct Parameters: ParameterSet { var burn = Duration.milliseconds(20) }

  var state = State.whole

  init() {}

  func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    switch state {
    case .whole: .none
    case .lit: .after(parameters.burn, .burnt)
    }
  }

  mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .spark:
      Fault.strike("spark")
      return .stay
    case .light:
      step.emit(.glow)
      return .move(to: .lit)
    case .burnt:
      Fault.strike("burnt")
      return .move(to: .whole)
    }
  }
}

/// A machine is written to checkpoints and read from them by its own code.
extension Fuse: Codable {
  private enum CodingKeys: CodingKey { case state }

  init(from decoder: any Decoder) throws {
    Fault.strike("read")
    state = try decoder.container(keyedBy: CodingKeys.self).decode(State.self, forKey: .state)
  }

  func encode(to encoder: any Encoder) throws {
    Fault.strike("write")
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(state, forKey: .state)
  }
}

extension Fuse {
  static let kind = Kind(
    Fuse.self, "fuse", "a machine that ends the process, for tests",
    states: {
      switch $0 {
      case .whole: "nothing happens"
      case .lit: "burn is running"
      }
    },
    events: [.event(.spark, "somebody strikes a spark"), .event(.light, "somebody lights it")],
    timers: [.timer(.burnt, named: "burn", after: "burn", "it has burned down")],
    parameters: [.parameter("burn", \.burn, .interval(.zero ... .longest), "how long it burns")])
}
