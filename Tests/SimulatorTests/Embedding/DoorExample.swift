import Simulator
import StateMachines
import Testing

// The page "A machine with data, and its kind" shows these pieces.

/// A door that opens by a code or by the badge of a guest.
struct Door: Machine {
  enum State: StateWithData {
    case locked(mistakes: Int), open, barred
    enum Name: NamedCases { case locked, open, barred }
    static var samples: [State] { [.locked(mistakes: 0)] }
  }
  enum Event: MachineEvent { case code(String), badge(Int), invited(Int), shut, pardoned, badgeExpired }
  enum Output: OutputWithData, Equatable {
    case opened, rejected(left: Int), expired(guest: Int)
    enum Name: NamedCases { case opened, rejected, expired }
  }
  struct Parameters: ParameterSet {
    var code = "1234"
    var penalty = Duration.seconds(60)
    var validity = Duration.seconds(3600)
  }
  var state = State.locked(mistakes: 0)
  /// The guests whose badges are valid.
  var guests: Set<Int> = []

  func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    switch state {
    case .barred: .after(parameters.penalty, .pardoned)
    case .locked, .open: .none
    }
  }

  mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .code(let code):
      switch state {
      case .locked(let mistakes):
        if step.when("code is right", code == step.parameters.code) {
          return step.emit(.opened, then: .move(to: .open))
        }
        step.emit(.rejected(left: 2 - mistakes))
        return step.when("last attempt", mistakes == 2) ? .move(to: .barred) : .stayAs(.locked(mistakes: mistakes + 1))
      case .open: return step.refuse("the door is open")
      case .barred: return step.refuse("the door is barred")
      }
    case .badge(let guest):
      switch state {
      case .locked, .barred:
        guard step.when("badge is valid", guests.contains(guest)) else { return step.refuse("the badge is not valid") }
        return step.emit(.opened, then: .move(to: .open))
      case .open: return .ignore
      }
    case .invited(let guest):
      guests.insert(guest)
      step.arm(.badgeExpired, key: guest, after: step.parameters.validity)
      return .stay
    case .shut:
      switch state {
      case .open: return .move(to: .locked(mistakes: 0))
      case .locked, .barred: return .ignore
      }
    case .pardoned: return .move(to: .locked(mistakes: 0))
    case .badgeExpired:
      guests.remove(step.key)
      return step.emit(.expired(guest: step.key), then: .stay)
    }
  }
}

extension Door {
  static let kind = Kind(
    Door.self, "door", "a door that opens by a code, or by the badge of a guest",
    states: {
      switch $0 {
      case .locked: "shut; a code or a badge opens it"
      case .open: "open until it is shut"
      case .barred: "shut, and codes are refused until the penalty is over"
      }
    },
    events: [
      .event(Event.code, .text("code", bytes: 1...8, like: ["1234", "0000"]), about: "somebody types a code"),
      .event(Event.badge, .integer("guest", 1...99), about: "a guest shows a badge"),
      .event(Event.invited, .integer("guest", 1...99), about: "a guest gets a badge"),
      .event(.shut, "somebody shuts the door"),
    ],
    timers: [
      .timer(.pardoned, named: "penalty", after: "penalty", "how long codes are refused"),
      .timer(.badgeExpired, named: "badge", after: "validity", keyed: "guest", "how long a badge is valid"),
    ],
    outputs: {
      switch $0 {
      case .opened: "the bolt is drawn"
      case .rejected: .output(("left", .integer(0...2)), about: "a wrong code, and how many attempts are left")
      case .expired: .output(("guest", .integer(1...99)), about: "a badge is no longer valid")
      }
    },
    readings: [
      .reading("guests", .integer(0...99), "how many badges are valid") { door, _, _ in door.guests.count }
    ],
    parameters: [
      .parameter("code", \.code, .text(bytes: 1...8), "the code that opens the door"),
      .parameter("penalty", \.penalty, .interval(.zero ... .longest), "how long codes are refused"),
      .parameter("validity", \.validity, .interval(.zero ... .longest), "how long a badge is valid"),
    ])
}

struct DoorExample {
  @Test("Three wrong codes bar the door for a minute")
  func barred() throws {
    let world = World()
    let door = try world.make(Door.self, named: "front")
    for left in [2, 1, 0] {
      #expect(try world.send(.code("0000"), to: door).outputs == [.rejected(left: left)])
    }
    #expect(world[door].state == .barred)
    #expect(try world.send(.code("1234"), to: door).reason == "the door is barred")
    world.advance(by: .seconds(60))
    #expect(world[door].state == .locked(mistakes: 0))
  }

  @Test("Each badge has a timer of its own")
  func badges() throws {
    let world = World()
    let door = try world.make(Door.self, named: "front")
    try world.send(.invited(7), to: door)
    world.advance(by: .seconds(1800))
    try world.send(.invited(8), to: door)
    #expect(world.agenda.map { "\($0)" } == ["front.badge(7) at 3600.0 seconds", "front.badge(8) at 5400.0 seconds"])
    world.advance(by: .seconds(1800))
    #expect(world[door].guests == [8])
    #expect(try world.send(.badge(7), to: door).reason == "the badge is not valid")
    #expect(try world.send(.badge(8), to: door).outputs == [.opened])
  }

  @Test("The kind names the timers, bounds the arguments and has readings")
  func described() throws {
    let world = World()
    let door = try world.make(Door.self, named: "front") { $0.validity = .seconds(10) }
    let tooLong = World.Failure.notAdmitted("door.code", found: "\"123456789\"", allowed: "text of 1 to 8 bytes")
    #expect(throws: tooLong) { try world.send(.code("123456789"), to: door) }
    try world.send(.invited(7), to: door)
    #expect(try world.readings(of: door) == ["guests": .integer(1)])
    #expect(try world.fire("badge", key: 7, of: door).outputs == [.expired(guest: 7)])
    #expect(try world.readings(of: door) == ["guests": .integer(0)])
  }

  @Test("The kind lists every event, with the fourth attempt refused in words")
  func complete() throws {
    #expect(Door.kind.listsAllEvents)
    let world = World()
    let door = try world.make(Door.self, named: "front")
    for _ in 0..<4 { try world.send(.code("0000"), to: door) }
    #expect(world.journal(of: door).last?.reason == "the door is barred")
  }
}
