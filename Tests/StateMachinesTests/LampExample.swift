import StateMachines

/// The light of a staircase, which goes out by itself.
struct Lamp: Machine {
  enum State: MachineState { case dark, lit }
  enum Event: MachineEvent { case pressed, burnedOut }
  struct Parameters: ParameterSet { var burn = Duration.seconds(60) }
  var state = State.dark

  func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    switch state {
    case .dark: .none
    case .lit: .after(parameters.burn, .burnedOut)
    }
  }

  mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .pressed:
      switch state {
      case .dark: .move(to: .lit)
      case .lit: .move(to: .dark)
      }
    case .burnedOut: .move(to: .dark)
    }
  }
}

extension Lamp {
  static let kind = Kind(
    Lamp.self, "lamp", "the light of a staircase, which goes out by itself",
    states: {
      switch $0 {
      case .dark: "no light"
      case .lit: "light, and burn is running"
      }
    },
    events: [.event(.pressed, "somebody presses the button")],
    timers: [.timer(.burnedOut, named: "burn", after: "burn", "how long it stays lit")],
    parameters: [.parameter("burn", \.burn, .interval(.zero ... .longest), "how long it stays lit")])
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
  record.timers = kind.stepTimers(running: 0)
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
