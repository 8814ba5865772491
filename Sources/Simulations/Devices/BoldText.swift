public import StateMachines

/// The bold text switch in a phone's settings. The reaction to one signal depends on the state.
public struct BoldText: Machine {
  public enum State: MachineState { case regular, bold }
  public enum Event: MachineEvent { case toggleSwitched, set(Bool) }

  public enum Output: OutputWithData {
    case fontStyle(State)

    public enum Name: NamedCases { case fontStyle }
  }

  public var state = State.regular
  public init() {}

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .toggleSwitched:
      switch state {
      case .regular: .move(to: .bold)
      case .bold: .move(to: .regular)
      }
    case .set(let isBold):
      switch state {
      case .regular: isBold ? .move(to: .bold) : .ignore
      case .bold: isBold ? .ignore : .move(to: .regular)
      }
    }
  }

  public func entered(_ state: State, _ step: Step<Self>) { step.emit(.fontStyle(state)) }

  public static let kind = Kind(
    BoldText.self, "boldText", "a switch for bold text: what a flip does depends on the state",
    origin: "the bold text switch in a phone's settings, from a conference talk on state machines in iOS apps",
    source: "talk",
    example: ["new boldText b", "watch b", "send b toggleSwitched", "send b toggleSwitched", "send b set off"],
    states: { "texts use the \($0) font" },
    events: [
      .event(.toggleSwitched, "the switch is flipped: regular becomes bold, bold becomes regular"),
      .event(Event.set, .flag("to"), about: "sets the font in any state; ignored if it is set already"),
    ],
    outputs: {
      switch $0 {
      case .fontStyle: .output(("style", .choice(State.words)), about: "tells every text which font to use")
      }
    })
}
