public import StateMachines

/// A power button. The reaction to one signal depends on the state.
public struct Power: Machine {
  public enum State: MachineState { case off, on }
  public enum Event: MachineEvent { case buttonClick, set(Bool) }

  public var state = State.off
  public init() {}

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .buttonClick: state == .off ? .move(to: .on) : .move(to: .off)
    case .set(true): state == .off ? .move(to: .on) : .ignore
    case .set(false): state == .off ? .ignore : .move(to: .off)
    }
  }

  public static let kind = Kind(
    Power.self, "power", "a power button: what a click does depends on the state",
    origin: "slides of a conference talk on state machines in iOS applications, where a button introduces them",
    source: "talk",
    example: ["new power p", "send p buttonClick", "send p buttonClick", "send p set off"],
    states: { $0 == .off ? "no power" : "power" },
    events: [
      .event(.buttonClick, "the button is pressed: on becomes off, off becomes on"),
      .event(Event.set, .flag("to"), about: "switches on or off in any state; ignored if it is so already"),
    ])
}
