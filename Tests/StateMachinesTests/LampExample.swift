import StateMachines

/// The light of a staircase: it goes out by itself.
struct Lamp: LegacyMachine {
  enum State: MachineState { case dark, lit }
  enum Event: Sendable { case pressed }
  enum TimerName: NamedCases { case burn }

  var state = State.dark
  init(initial: State?, _ step: Step<Self>) { state = initial ?? .dark }

  mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (.dark, .event(.pressed)):
      step.arm(.burn, after: .seconds(60))
      return .move(to: .lit)
    case (.lit, .event(.pressed)):
      step.disarm(.burn)
      return .move(to: .dark)
    case (.lit, .expired(.burn)):
      return .move(to: .dark)
    case (.dark, .expired(.burn)):
      return .ignore
    }
  }

  func asksFor(_ timer: TimerName) -> Bool { state == .lit }
}

extension Lamp {
  static let kind = Kind(
    Lamp.self, "lamp", "the light of a staircase, which goes out by itself",
    states: [.dark: "no light", .lit: "light, and burn is running"],
    events: [.event(.pressed, "somebody presses the button")],
    timers: [.burn: .computed("how long it stays lit")])
}

/// Presses the button of a new lamp after five seconds.
///
/// - Returns: The state after it, and when the timer that it armed is due, in nanoseconds.
func pressNewLamp() -> (state: String, burnIsDue: Int64?) {
  let kind = Lamp.kind
  let parameters = kind.makeParameterPool()
  var record = StepRecord(generator: Generator(seed: 0))
  // Safety: room for one lamp, which is made before it is used and destroyed before the room is given back.
  let lamp = UnsafeMutableRawPointer.allocate(
    byteCount: kind.layout.valueSize, alignment: kind.layout.valueAlignment)
  defer { lamp.deallocate() }
  record.begin(at: .beginning)
  _ = kind.machine.initialize(lamp, initial: nil, parameters.base, &record)
  defer { kind.machine.destroy(lamp) }

  record.begin(at: .beginning + .seconds(5))
  let result = kind.machine.step(lamp, event: kind.plainEvents, parameters.base, &record)
  var due: Int64?
  for effect in record.effects {
    if case .arm(timer: _, key: _, due: let moment) = effect { due = moment.nanoseconds }
  }
  return (kind.states[Int(result.to)].word, due)  // ("lit", 65000000000)
}
