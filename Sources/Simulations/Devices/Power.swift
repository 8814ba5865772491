public import StateMachines

/// A power button: one signal, two reactions depending on the state.
public struct Power: Machine {
  public enum State: UInt8, CaseIterable, Vocabulary, MachineState {
    /// No power.
    case off
    /// Power.
    case on
  }

  public enum Event: Sendable {
    case buttonClick
    case set(Bool)
  }

  public var state: State

  public init(initial: State?, _ step: Step<Self>) {
    state = initial ?? .off
  }

  public mutating func react(to input: Input<Event, NoNames>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (.off, .event(.buttonClick)), (.off, .event(.set(true))): .move(to: .on)
    case (.on, .event(.buttonClick)), (.on, .event(.set(false))): .move(to: .off)
    case (.off, .event(.set(false))), (.on, .event(.set(true))): .ignore
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
    states: [.off: "no power", .on: "power"],
    events: [
      .event(.buttonClick, "the button is pressed: on becomes off, off becomes on"),
      .event(Event.set, .flag("to"), about: "switches on or off, whatever the state; ignored where it is so already"),
    ])
}
