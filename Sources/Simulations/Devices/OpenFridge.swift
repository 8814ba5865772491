public import StateMachines

/// A fridge with a state for its open door.
///
/// | state | minTemperatureReached | maxTemperatureReached | doorOpened | doorClosed | minTemperatureReached expires | maxTemperatureReached expires |
/// | --- | --- | --- | --- | --- | --- | --- |
/// | cooling | → waiting > compressorOff | ignored | → doorOpen > compressorOff | ignored | → waiting > compressorOff | – |
/// | waiting | ignored | → cooling > compressorOn | → doorOpen | ignored | – | → cooling > compressorOn |
/// | doorOpen | ignored | ignored | ignored | → waiting | – | – |
///
/// This machine extends the ``Fridge`` by a state; the ``DoorFridge`` extends it by an event. While the door is open
/// the room warms the chamber, and the compressor never runs. When the door is closed the fridge waits. If the chamber
/// has become too warm meanwhile, the sensor reports it after `recheckDelay`, and cooling begins.
///
/// Chosen here: the table. The source names such a fridge without one.
public struct OpenFridge: Machine {
  public enum State: MachineState { case cooling, waiting, doorOpen }
  public enum Event: MachineEvent { case minTemperatureReached, maxTemperatureReached, doorOpened, doorClosed }
  public typealias Output = Fridge.Output

  public struct Parameters: FridgeParameters {
    var physics = true
    var cabinet = Cabinet()
    var openTau = Nanoseconds.seconds(600)
    public init() {}
  }

  @Incidental private var chamber = Chamber()
  public var state = State.cooling
  public init() {}

  /// One that is made with its door shut switches the compressor as the first fridge does.
  public mutating func start(in state: State, _ step: Step<Self>) -> State {
    chamber = step.parameters.cabinet.chamber(at: step.now)
    switch state {
    case .cooling: step.emit(.compressorOn)
    case .waiting: step.emit(.compressorOff)
    case .doorOpen: break
    }
    return state
  }

  public func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    let cabinet = parameters.cabinet
    guard parameters.physics, let fridge = state.fridge,
      let delay = chamber.report(of: fridge.threshold(cabinet), in: fridge.regime(cabinet), cabinet)
    else { return .none }
    return switch fridge {
    case .cooling: .after(delay, .minTemperatureReached)
    case .waiting: .after(delay, .maxTemperatureReached)
    }
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .minTemperatureReached:
      switch state {
      case .cooling: change(to: .waiting, .compressorOff, step)
      case .waiting, .doorOpen: .ignore
      }
    case .maxTemperatureReached:
      switch state {
      case .waiting: change(to: .cooling, .compressorOn, step)
      case .cooling, .doorOpen: .ignore
      }
    case .doorOpened:
      switch state {
      case .cooling: change(to: .doorOpen, .compressorOff, step)
      case .waiting: change(to: .doorOpen, nil, step)
      case .doorOpen: .ignore
      }
    case .doorClosed:
      switch state {
      case .cooling, .waiting: .ignore
      case .doorOpen: change(to: .waiting, nil, step)
      }
    }
  }

  /// Moves, and begins a new segment of the temperature.
  private mutating func change(to next: State, _ output: Output?, _ step: Step<Self>) -> Reaction<State> {
    let parameters = step.parameters
    if parameters.physics {
      chamber = chamber.next(
        at: step.now, in: regime(parameters), crossing: state.fridge?.threshold(parameters.cabinet))
    }
    if let output { step.emit(output) }
    return .move(to: next)
  }

  /// The temperature's regime in the present state.
  private func regime(_ parameters: Parameters) -> Chamber.Regime {
    state.fridge?.regime(parameters.cabinet)
      ?? Chamber.Regime(target: parameters.cabinet.ambient, tau: parameters.openTau)
  }

  private func temperature(at now: Instant, _ parameters: Parameters) -> Double? {
    parameters.physics ? chamber.temperature(at: now, in: regime(parameters)) : nil
  }

  public static let kind = Kind(
    OpenFridge.self, "openFridge", "a fridge with a third state: it does not cool while its door is open",
    origin: "the fridge of an article on state machines in iOS apps with one more state; the table is designed here",
    source: "article",
    example: [
      "new openFridge f start=4", "advance 100s", "send f doorOpened", "send f maxTemperatureReached", "advance 5m",
      "show f", "send f doorClosed", "step", "show f",
    ],
    states: {
      switch $0 {
      case .cooling: "the compressor runs until the chamber is cold enough or the door is opened"
      case .waiting: "the compressor rests until the chamber is too warm"
      case .doorOpen: "the door is open and the compressor rests, however warm the chamber becomes"
      }
    },
    events: [
      .event(.minTemperatureReached, "the chamber has cooled down to min: cooling ends"),
      .event(.maxTemperatureReached, "the chamber has warmed up to max: cooling begins"),
      .event(.doorOpened, "the door is opened: cooling ends"),
      .event(.doorClosed, "the door is closed"),
    ],
    timers: [
      .timer(.minTemperatureReached, "the moment at which the chamber cools down to min"),
      .timer(.maxTemperatureReached, "the moment at which the chamber warms up to max"),
    ],
    outputs: \.form,
    readings: [
      .reading("temperature", .temperature, "in the chamber; none without physics") { $0.temperature(at: $1, $2) }
    ],
    parameters: Parameters.fridgeForms + [
      .parameter("openTau", \.openTau, .tau, "the time constant towards ambient while the door is open")
    ])
}

extension OpenFridge.State {
  /// The state of the first fridge that it stands for; none while the door is open.
  fileprivate var fridge: Fridge.State? {
    switch self {
    case .cooling: .cooling
    case .waiting: .waiting
    case .doorOpen: nil
    }
  }
}
