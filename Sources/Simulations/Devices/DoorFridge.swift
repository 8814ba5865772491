public import StateMachines

/// A fridge that stops cooling when its door is opened.
///
/// | state \ event | minTemperatureReached | maxTemperatureReached | doorOpened |
/// | --- | --- | --- | --- |
/// | cooling | → waiting, compressor off | ignored | → waiting, compressor off |
/// | waiting | ignored | → cooling, compressor on | ignored |
///
/// The machine has no memory of the door: nothing tells it that the door was closed, and with the door still open
/// a warm chamber starts the compressor again. The simulated door around it stays open for `openFor` after a
/// doorOpened that was taken, and lets in the warmth of the room: its closing is the timer `doorShut`, which changes
/// the physics and not the state. A doorOpened that is ignored changes nothing at all, the physics included.
public struct DoorFridge: LegacyMachine {
  /// Those of the fridge without a door event; `doorShut` is running in either as long as the door is open.
  public typealias State = Fridge.State

  public enum Event: Sendable { case minTemperatureReached, maxTemperatureReached, doorOpened }

  public enum TimerName: NamedCases {
    case minTemperatureReached, maxTemperatureReached, doorShut
  }

  public enum Output: MachineOutput { case compressorOn, compressorOff }

  public struct Parameters: CabinetParameters {
    var physics = true
    var cabinet = Cabinet()
    var openFor = Interval.seconds(60)
    var openTau = Interval.seconds(600)
    public init() {}
  }

  private var chamber: Chamber
  /// Whether the simulated door is open: never without physics.
  private var doorIsOpen = false
  public var state: State

  public init(initial: State?, _ step: Step<Self>) {
    state = initial ?? .cooling
    chamber = step.parameters.cabinet.chamber(at: step.now)
    switchCompressor(for: state, step)
    expectCrossing(in: state, step)
  }

  public mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, Signal(input)) {
    case (.cooling, .minTemperatureReached): change(to: .waiting, step)
    case (.cooling, .doorOpened): openDoor(step)
    case (.waiting, .maxTemperatureReached): change(to: .cooling, step)
    case (.cooling, .doorShut), (.waiting, .doorShut): shutDoor(step)
    case (.cooling, .maxTemperatureReached), (.waiting, .minTemperatureReached), (.waiting, .doorOpened): .ignore
    }
  }

  public func asksFor(_ timer: TimerName) -> Bool {
    switch timer {
    case .minTemperatureReached, .maxTemperatureReached: timer == state.timer
    case .doorShut: doorIsOpen
    }
  }

  private mutating func change(to next: State, _ step: Step<Self>) -> Reaction<State> {
    endSegment(step)
    switchCompressor(for: next, step)
    expectCrossing(in: next, step)
    return .move(to: next)
  }

  private mutating func openDoor(_ step: Step<Self>) -> Reaction<State> {
    endSegment(step)
    if step.parameters.physics {
      doorIsOpen = true
      step.arm(.doorShut, after: step.parameters.openFor)
    }
    switchCompressor(for: .waiting, step)
    expectCrossing(in: .waiting, step)
    return .move(to: .waiting)
  }

  private mutating func shutDoor(_ step: Step<Self>) -> Reaction<State> {
    endSegment(step)
    doorIsOpen = false
    expectCrossing(in: state, step)
    return .stay
  }

  private func switchCompressor(for next: State, _ step: Step<Self>) {
    step.emit(next == .cooling ? .compressorOn : .compressorOff)
  }

  // MARK: Physics

  /// Holds the temperature as it is now, before the conditions change.
  private mutating func endSegment(_ step: Step<Self>) {
    guard step.parameters.physics else { return }
    let temperature = chamber.temperature(
      at: step.now, in: regime(in: state, step.parameters),
      crossing: state.threshold(step.parameters.cabinet).temperature)
    chamber = Chamber(temperature: temperature, since: step.now)
    step.disarm(state.timer)
  }

  /// Arms the crossing that ends `state`, in a segment that begins now.
  private func expectCrossing(in state: State, _ step: Step<Self>) {
    let parameters = step.parameters
    guard parameters.physics else { return }
    let delay = chamber.report(
      of: state.threshold(parameters.cabinet), in: regime(in: state, parameters),
      recheckDelay: parameters.cabinet.recheckDelay)
    if let delay { step.arm(state.timer, after: delay) }
  }

  private func regime(in state: State, _ parameters: Parameters) -> Chamber.Regime {
    if doorIsOpen { return Chamber.Regime(target: parameters.cabinet.ambient, tau: parameters.openTau) }
    return state.regime(parameters.cabinet)
  }

  private func temperature(at now: Moment, _ parameters: Parameters) -> Double? {
    parameters.physics ? chamber.temperature(at: now, in: regime(in: state, parameters)) : nil
  }

  private func door(_ parameters: Parameters) -> String? {
    parameters.physics ? (doorIsOpen ? "open" : "closed") : nil
  }
}

extension DoorFridge.State {
  /// The crossing that ends this state.
  fileprivate var timer: DoorFridge.TimerName {
    switch self {
    case .cooling: .minTemperatureReached
    case .waiting: .maxTemperatureReached
    }
  }
}

/// What an input tells, whether a client or the surroundings bring it.
private enum Signal {
  case minTemperatureReached, maxTemperatureReached, doorOpened, doorShut

  init(_ input: Input<DoorFridge.Event, DoorFridge.TimerName>) {
    self =
      switch input {
      case .event(.minTemperatureReached), .expired(.minTemperatureReached): .minTemperatureReached
      case .event(.maxTemperatureReached), .expired(.maxTemperatureReached): .maxTemperatureReached
      case .event(.doorOpened): .doorOpened
      case .expired(.doorShut): .doorShut
      }
  }
}

extension DoorFridge {
  public static let kind = Kind(
    DoorFridge.self, "doorFridge", "a fridge that stops cooling when its door is opened, and never hears it close",
    origin: """
      the fridge of an article on state machines in iOS applications, one event later: the author's own code has this table, \
      and no event for a door that closes
      """,
    example: [
      "new doorFridge f start=4", "advance 100s", "send f doorOpened", "agenda f", "advance until 525s", "show f",
      "step", "show f",
    ],
    states: [
      .cooling: "the compressor runs until the chamber is cold enough or the door is opened",
      .waiting: "the compressor rests until the chamber is too warm",
    ],
    events: [
      .event(.minTemperatureReached, "the chamber has cooled down to min: cooling ends"),
      .event(.maxTemperatureReached, "the chamber has warmed up to max: cooling begins"),
      .event(.doorOpened, "the door is opened: cooling ends; ignored while waiting, and then nothing changes at all"),
    ],
    timers: [
      .minTemperatureReached: .computed("the moment at which the chamber cools down to min"),
      .maxTemperatureReached: .computed("the moment at which the chamber warms up to max"),
      .doorShut: .after("openFor", "the simulated door falls shut; the machine does not notice"),
    ],
    outputs: [
      .compressorOn: .output(about: "cooling begins"),
      .compressorOff: .output(about: "cooling ends"),
    ],
    readings: [
      .reading("temperature", .temperature, "in the chamber; none without physics") { $0.temperature(at: $1, $2) },
      .reading("door", .choice(["closed", "open"]), "where the simulated door is; none without physics") {
        machine, _, parameters in machine.door(parameters)
      },
    ],
    parameters: [
      .parameter("physics", \.physics, .flag, "off: no temperature, only events sent by hand move the fridge")
    ] + Parameters.cabinetForms + [
      .parameter("openFor", \.openFor, .delay, "how long the door stays open after doorOpened"),
      .parameter("openTau", \.openTau, .tau, "the time constant towards ambient while the door is open"),
    ])
}
