public import StateMachines

/// A power button: one signal, two reactions depending on the state.
public struct Power: Machine {
  public enum State: MachineState {
    /// No power.
    case off
    /// Power.
    case on
  }

  public enum Event: MachineEvent {
    case buttonClick
    case set(Bool)
  }

  public var state = State.off
  public init() {}

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .buttonClick: .move(to: state == .off ? .on : .off)
    case .set(let isOn): isOn == (state == .on) ? .ignore : .move(to: isOn ? .on : .off)
    }
  }
}

extension Power {
  public static let kind = Kind(
    Power.self, "power", "a power button: one signal, two reactions depending on the state",
    origin: """
      slides of a conference talk on state machines in iOS applications, where a button is what introduces them
      """,
    example: [
      "new power p", "send p buttonClick", "send p buttonClick", "send p set off",
    ],
    states: {
      switch $0 {
      case .off: "no power"
      case .on: "power"
      }
    },
    events: [
      .event(.buttonClick, "the button is pressed: on becomes off, off becomes on"),
      .event(Event.set, .flag("to"), about: "switches on or off, whatever the state; ignored where it is so already"),
    ])
}
