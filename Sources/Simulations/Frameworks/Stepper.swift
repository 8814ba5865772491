public import MachineForms
public import StateMachines

/// Three steps, up and down: the smallest machine that uses a schema.
///
/// | state | increment | decrement |
/// | --- | --- | --- |
/// | one | → two > up > transition one increment two | ignored |
/// | two | → three > up > transition two increment three | → one > down > transition two decrement one |
/// | three | ignored | → two > down > transition three decrement two |
///
/// The block of a transition emits `up` or `down`. `transition` follows, because a schema's machine calls its callback
/// after the block. A pair without a transition is ignored; the library that this follows says nothing about it.
public struct Stepper: Machine {
  public enum State: MachineState {
    /// The lowest step.
    case one
    /// Between the others.
    case two
    /// The highest step.
    case three
  }

  public enum Event: MachineEvent, NamedCases { case increment, decrement }

  public enum Output: OutputWithData {
    case up, down
    case transition(from: State, event: Event, to: State)

    public enum Name: NamedCases { case up, down, transition }
  }

  /// The schema that all steppers share. The subject of each is its step.
  public static let schema = Schema<State, Event, Step<Stepper>>(initial: .one) { state, event in
    switch state {
    case .one:
      switch event {
      case .increment: .to(.two) { $0.emit(.up) }
      case .decrement: nil
      }
    case .two:
      switch event {
      case .increment: .to(.three) { $0.emit(.up) }
      case .decrement: .to(.one) { $0.emit(.down) }
      }
    case .three:
      switch event {
      case .increment: nil
      case .decrement: .to(.two) { $0.emit(.down) }
      }
    }
  }

  public var state = schema.initial
  public init() {}

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    var reaction = Reaction<State>.ignore
    let machine = SchemaMachine(Self.schema, in: state, subject: step)
    machine.didTransition = { old, event, new in
      step.emit(.transition(from: old, event: event, to: new))
      reaction = .move(to: new)
    }
    machine.handle(event)
    return reaction
  }
}

extension Stepper {
  public static let kind = Kind(
    Stepper.self, "stepper", "three steps, up and down, by a schema that all steppers share",
    form: .schema,
    origin: "the example in the documentation of SwiftyStateMachine, a Swift library, with the library's rules",
    source: "talk",
    example: [
      "new stepper s", "send s decrement", "send s increment", "send s increment", "send s increment",
      "send s decrement", "show s",
    ],
    states: {
      switch $0 {
      case .one: "the lowest step"
      case .two: "the middle step"
      case .three: "the highest step"
      }
    },
    events: [
      .event(.increment, "one step up; ignored at the top"), .event(.decrement, "one step down; ignored at the bottom"),
    ],
    outputs: {
      switch $0 {
      case .up: "a transition upwards"
      case .down: "a transition downwards"
      case .transition:
        .output(
          ("from", .choice(State.words)), ("event", .choice(Event.words)), ("to", .choice(State.words)),
          about: "the callback after each transition")
      }
    })
}
