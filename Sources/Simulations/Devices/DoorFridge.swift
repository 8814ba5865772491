public import StateMachines

/// A fridge that stops cooling when its door is opened.
///
/// | state | minTemperatureReached | maxTemperatureReached | doorOpened | minTemperatureReached expires | maxTemperatureReached expires | doorShut expires |
/// | --- | --- | --- | --- | --- | --- | --- |
/// | cooling | → waiting > compressorOff | ignored | → waiting > compressorOff | – | – | – |
/// | waiting | ignored | → cooling > compressorOn | ignored | – | – | – |
///
/// The machine does not store the door's position, and no event reports that the door was closed. While the door is
/// still open, a warm chamber starts the compressor again. A doorOpened that is taken keeps the simulated door open for
/// `openFor`, so that the room warms the chamber. The timer `doorShut` closes it, which changes the physics and not the
/// state. A doorOpened that is ignored changes neither.
public struct DoorFridge: Machine {
  /// The states of the fridge without a door event.
  public typealias State = Fridge.State
  public typealias Output = Fridge.Output

  public enum Event: MachineEvent { case minTemperatureReached, maxTemperatureReached, doorOpened, doorShut }

  public struct Parameters: FridgeParameters {
    var physics = true
    var cabinet = Cabinet()
    var openFor = Duration.seconds(60)
    var openTau = Nanoseconds.seconds(600)
    public init() {}
  }

  @Incidental private var chamber = Chamber()
  /// Whether the simulated door is open. It stays closed without physics.
  private var doorIsOpen = false
  public var state = State.cooling
  public init() {}

  public mutating func start(in state: State, _ step: Step<Self>) -> State {
    chamber = step.parameters.cabinet.chamber(at: step.now)
    return state
  }

  public func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    let sensor: StateTimers<Self> = untilCrossing(parameters).map { .after($0, crossing) } ?? .none
    return doorIsOpen ? sensor + .after(parameters.openFor, .doorShut).continuing : sensor
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .minTemperatureReached:
      switch state {
      case .cooling: change(to: .waiting, step)
      case .waiting: .ignore
      }
    case .maxTemperatureReached:
      switch state {
      case .cooling: .ignore
      case .waiting: change(to: .cooling, step)
      }
    case .doorOpened:
      switch state {
      case .cooling: openDoor(step)
      case .waiting: .ignore
      }
    case .doorShut: shutDoor(step)
    }
  }

  private mutating func change(to next: State, _ step: Step<Self>) -> Reaction<State> {
    beginSegment(step)
    return .move(to: next)
  }

  /// Opens the door for `openFor` from now on.
  private mutating func openDoor(_ step: Step<Self>) -> Reaction<State> {
    beginSegment(step)
    if step.parameters.physics {
      doorIsOpen = true
      step.arm(.doorShut, after: step.parameters.openFor)
    }
    return .move(to: .waiting)
  }

  /// Closes the door and arms the crossing at its new moment.
  private mutating func shutDoor(_ step: Step<Self>) -> Reaction<State> {
    beginSegment(step)
    doorIsOpen = false
    step.disarm(crossing)
    if let delay = untilCrossing(step.parameters) { step.arm(crossing, after: delay) }
    return .stay
  }

  public func entered(_ state: State, _ step: Step<Self>) {
    step.emit(state == .cooling ? .compressorOn : .compressorOff)
  }

  // MARK: Physics

  /// Starts a segment at the present temperature, before the conditions change.
  private mutating func beginSegment(_ step: Step<Self>) {
    let parameters = step.parameters
    guard parameters.physics else { return }
    chamber = chamber.next(
      at: step.now, in: regime(parameters), crossing: state.threshold(parameters.cabinet))
  }

  /// The crossing that ends the state.
  private var crossing: Event {
    switch state {
    case .cooling: .minTemperatureReached
    case .waiting: .maxTemperatureReached
    }
  }

  /// The time from the beginning of the segment until the crossing that ends the state.
  private func untilCrossing(_ parameters: Parameters) -> Nanoseconds? {
    guard parameters.physics else { return nil }
    return chamber.report(of: state.threshold(parameters.cabinet), in: regime(parameters), parameters.cabinet)
  }

  private func regime(_ parameters: Parameters) -> Chamber.Regime {
    doorIsOpen
      ? Chamber.Regime(target: parameters.cabinet.ambient, tau: parameters.openTau)
      : state.regime(parameters.cabinet)
  }

  private func temperature(at now: Instant, _ parameters: Parameters) -> Double? {
    parameters.physics ? chamber.temperature(at: now, in: regime(parameters)) : nil
  }

  private func door(_ parameters: Parameters) -> String? {
    parameters.physics ? (doorIsOpen ? "open" : "closed") : nil
  }

  public static let kind = Kind(
    DoorFridge.self, "doorFridge",
    "a fridge that stops cooling when its door is opened, without an event for closing it",
    origin: "the fridge of an article on state machines in iOS apps with one more event, as in its author's code",
    source: "article",
    example: [
      "new doorFridge f start=4", "advance 100s", "send f doorOpened", "agenda f", "advance until 525s", "show f",
      "step", "show f",
    ],
    states: {
      switch $0 {
      case .cooling: "the compressor runs until the chamber is cold enough or the door is opened"
      case .waiting: "the compressor rests until the chamber is too warm"
      }
    },
    events: [
      .event(.minTemperatureReached, "the chamber has cooled down to min: cooling ends"),
      .event(.maxTemperatureReached, "the chamber has warmed up to max: cooling begins"),
      .event(.doorOpened, "the door is opened: cooling ends; ignored while waiting"),
    ],
    timers: [
      .timer(.minTemperatureReached, "the moment at which the chamber cools down to min"),
      .timer(.maxTemperatureReached, "the moment at which the chamber warms up to max"),
      .timer(.doorShut, after: "openFor", "the simulated door closes; the state does not change"),
    ],
    outputs: \.form,
    readings: [
      .reading("temperature", .temperature, "in the chamber; none without physics") { $0.temperature(at: $1, $2) },
      .reading("door", .choice(["closed", "open"]), "the simulated door's position; none without physics") {
        machine, _, parameters in machine.door(parameters)
      },
    ],
    parameters: Parameters.fridgeForms + [
      .parameter("openFor", \.openFor, .delay, "how long the door stays open after doorOpened"),
      .parameter("openTau", \.openTau, .tau, "the time constant towards ambient while the door is open"),
    ])
}
