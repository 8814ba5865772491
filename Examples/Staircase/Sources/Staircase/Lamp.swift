import StateMachines

/// The light of a staircase, which goes out by itself.
///
/// | state | pressed | burn expires |
/// | --- | --- | --- |
/// | dark | → lit | – |
/// | lit | → dark | → dark |
struct Lamp: Machine {
  enum State: MachineState { case dark, lit }
  enum Event: MachineEvent { case pressed, burnedOut }
  struct Parameters: ParameterSet { var burn = Duration.seconds(60) }
  var state = State.dark

  func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    switch state {
    case .dark: .none
    case .lit: .after(parameters.burn, .burnedOut)
    }
  }

  mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .pressed:
      switch state {
      case .dark: .move(to: .lit)
      case .lit: .move(to: .dark)
      }
    case .burnedOut: .move(to: .dark)
    }
  }
}

extension Lamp {
  /// What those who type at the daemon read, and what they can write.
  static let kind = Kind(
    Lamp.self, "lamp", "the light of a staircase, which goes out by itself",
    states: {
      switch $0 {
      case .dark: "no light"
      case .lit: "light, and burn is running"
      }
    },
    events: [.event(.pressed, "somebody presses the button")],
    timers: [.timer(.burnedOut, named: "burn", after: "burn", "how long it stays lit")],
    parameters: [.parameter("burn", \.burn, .interval(.zero ... .longest), "how long it stays lit")])
}
