import StateMachines

/// A post office with several letters on their way, told apart by their numbers; it must be told its town.
struct Post: LegacyMachine {
  enum State: MachineState { case open, closed }
  enum Event: Sendable { case send(Int), flood(Int), recall(Int), close, spin }
  enum TimerName: NamedCases { case closing, delivery }
  enum Output: OutputWithData {
    case delivered(Int)
    enum Name: NamedCases { case delivered }
    var name: Name { .delivered }
    var data: [Value] {
      switch self {
      case .delivered(let letter): [.integer(letter)]
      }
    }
  }

  struct Parameters: ParameterSet {
    var town = "Bree"
    var delivery = Interval.seconds(2)
    init() {}
  }

  var state = State.open

  init(initial: State?, _ step: Step<Self>) {
    if let initial { state = initial }
  }

  mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch input {
    case .event(.send(let letter)):
      step.arm(.delivery, key: letter, after: step.parameters.delivery)
      return .stay
    case .event(.flood(let letters)):
      for letter in 0..<letters { step.arm(.delivery, key: letter + 1, after: step.parameters.delivery) }
      return .stay
    case .event(.recall(let letter)):
      step.disarm(.delivery, key: letter)
      return .stay
    case .event(.close):
      step.arm(.closing, after: .seconds(1))
      return .stay
    case .event(.spin):
      step.arm(.delivery, key: 1_000, after: .zero)
      return .move(to: .closed)
    case .expired(.delivery):
      if step.key == 1_000 {
        step.arm(.delivery, key: 1_000, after: .zero)
      } else {
        step.emit(.delivered(step.key))
      }
      return .stay
    case .expired(.closing):
      return .move(to: .closed)
    }
  }

  func asksFor(_ timer: TimerName) -> Bool { true }

  static let kind = Kind(
    Post.self, "post", "a post office, for tests", states: [.open: "it takes letters", .closed: "it takes them too"],
    events: [
      .event(Event.send, .integer("letter", 1...1_000_000), about: "a letter is sent"),
      .event(Event.flood, .count("letters"), about: "so many letters are sent"),
      .event(Event.recall, .integer("letter", 1...1_000_000), about: "a letter is called back"),
      .event(.close, "it is about to close"), .event(.spin, "a letter goes round and round"),
    ],
    timers: [
      .closing: .computed("until it closes"), .delivery: TimerForm.after("delivery", "a letter's way").keyed("letter"),
    ],
    outputs: [.delivered: .output(("letter", .integer(1...1_000_000)), about: "a letter has come")],
    parameters: [
      .required("town", \.town, .text(bytes: 1...20), example: "Bree", "where it stands"),
      .parameter("delivery", \.delivery, .interval(.zero ... .seconds(3600)), "a letter's way"),
    ])

  /// Two post offices, and a till.
  static let district = Composition(
    "district", "two post offices and a till, for tests",
    members: ["north": Post.kind, "south": Post.kind, "till": Till.kind], wires: ["north.delivered": "south.send"])
}
