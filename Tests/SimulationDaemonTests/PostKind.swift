import StateMachines

/// A post office with several letters in transit, distinguished by their numbers; its town is a required parameter.
struct Post: Machine {
  enum State: MachineState { case open, closed }
  enum Event: MachineEvent { case send(Int), flood(Int), recall(Int), close, spin, closing, delivery }
  enum Output: OutputWithData {
    case delivered(Int)
    enum Name: NamedCases { case delivered }
  }

  struct Parameters: ParameterSet {
    var town = "Bree"
    var delivery = Duration.seconds(2)
    init() {}
  }

  var state = State.open

  mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .send(let letter):
      step.arm(.delivery, key: letter, after: step.parameters.delivery)
      return .stay
    case .flood(let letters):
      for letter in 0..<letters { step.arm(.delivery, key: letter + 1, after: step.parameters.delivery) }
      return .stay
    case .recall(let letter):
      step.disarm(.delivery, key: letter)
      return .stay
    case .close:
      step.arm(.closing, after: .seconds(1))
      return .stay
    case .spin:
      step.arm(.delivery, key: 1_000, after: .zero)
      return .move(to: .closed)
    case .delivery:
      if step.key == 1_000 {
        step.arm(.delivery, key: 1_000, after: .zero)
      } else {
        step.emit(.delivered(step.key))
      }
      return .stay
    case .closing:
      return .move(to: .closed)
    }
  }

  static let kind = Kind(
    Post.self, "post", "a post office, for tests",
    states: { $0 == .open ? "it takes letters" : "it takes them too" },
    events: [
      .event(Event.send, .integer("letter", 1...1_000_000), about: "a letter is sent"),
      .event(Event.flood, .count("letters"), about: "so many letters are sent"),
      .event(Event.recall, .integer("letter", 1...1_000_000), about: "a letter is called back"),
      .event(.close, "it is about to close"), .event(.spin, "a letter goes round and round"),
    ],
    timers: [
      .timer(.closing, "until it closes"), .timer(.delivery, after: "delivery", keyed: "letter", "a letter's way"),
    ],
    outputs: { _ in .output(("letter", .integer(1...1_000_000)), about: "a letter has come") },
    parameters: [
      .required("town", \.town, .text(bytes: 1...20), example: "Bree", "where it stands"),
      .parameter("delivery", \.delivery, .interval(.zero ... .seconds(3600)), "a letter's way"),
    ])

  /// Two post offices, and a till.
  static let district = Composition(
    "district", "two post offices and a till, for tests",
    members: ["north": Post.kind, "south": Post.kind, "till": Till.kind], wires: ["north.delivered": "south.send"])
}
