public import StateMachines

/// The switch for bold text in a phone's settings: one signal, two reactions depending on the state.
public struct BoldText: LegacyMachine {
  public enum State: MachineState {
    /// All texts are in the regular font.
    case regular
    /// All texts are in the bold font.
    case bold
  }

  public enum Event: Sendable {
    case toggleSwitched
    case set(Bool)
  }

  public enum Output: OutputWithData {
    case fontStyle(State)

    public enum Name: NamedCases { case fontStyle }
    public var name: Name { .fontStyle }

    public var data: [Value] {
      switch self {
      case .fontStyle(let style): [.text(style.word)]
      }
    }
  }

  public var state: State

  public init(initial: State?, _ step: Step<Self>) {
    state = initial ?? .regular
    step.emit(.fontStyle(state))
  }

  public mutating func react(to input: Input<Event, NoNames>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (.regular, .event(.toggleSwitched)), (.regular, .event(.set(true))): enter(.bold, step)
    case (.bold, .event(.toggleSwitched)), (.bold, .event(.set(false))): enter(.regular, step)
    case (.regular, .event(.set(false))), (.bold, .event(.set(true))): .ignore
    }
  }

  private func enter(_ next: State, _ step: Step<Self>) -> Reaction<State> {
    step.emit(.fontStyle(next))
    return .move(to: next)
  }
}

extension BoldText {
  public static let kind = Kind(
    BoldText.self, "boldText", "the switch for bold text: one signal, two reactions depending on the state",
    origin: """
      the switch for bold text in the settings of a phone, as a conference talk on state machines in iOS applications has it
      """,
    example: [
      "new boldText b", "watch b", "send b toggleSwitched", "send b toggleSwitched", "send b set off",
    ],
    states: [.regular: "texts are in the regular font", .bold: "texts are in the bold font"],
    events: [
      .event(.toggleSwitched, "the switch is flipped: regular becomes bold, bold becomes regular"),
      .event(
        Event.set, .flag("to"), about: "bold or not, whatever the state; ignored where it is so already"),
    ],
    outputs: [
      .fontStyle: .output(("style", .choice(State.words)), about: "tells every text which font to use")
    ])
}
