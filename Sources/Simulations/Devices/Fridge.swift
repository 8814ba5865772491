public import StateMachines

/// A fridge with a thermostat: it cools until its chamber is cold enough, and waits until the chamber is too warm.
///
/// | state | minTemperatureReached | maxTemperatureReached | minTemperatureReached expires | maxTemperatureReached expires |
/// | --- | --- | --- | --- | --- |
/// | cooling | → waiting > compressorOff | ignored | → waiting > compressorOff | – |
/// | waiting | ignored | → cooling > compressorOn | – | → cooling > compressorOn |
///
/// The two events are crossings of the set-points. The simulated chamber sends them as timers of the same names, at the
/// exact moments. They can also be sent by hand; with `physics=off` that is the only way.
public struct Fridge: Machine {
  public enum State: MachineState { case cooling, waiting }
  public enum Event: MachineEvent { case minTemperatureReached, maxTemperatureReached }
  public enum Output: MachineOutput { case compressorOn, compressorOff }

  public struct Parameters: FridgeParameters {
    var physics = true
    var cabinet = Cabinet()
    public init() {}
  }

  // This order keeps a fridge at 17 bytes.
  @Incidental private var chamber = Chamber()
  public var state = State.cooling
  public init() {}

  public mutating func start(in state: State, _ step: Step<Self>) -> State {
    chamber = step.parameters.cabinet.chamber(at: step.now)
    return state
  }

  public func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    let cabinet = parameters.cabinet
    guard parameters.physics,
      let delay = chamber.report(of: state.threshold(cabinet), in: state.regime(cabinet), cabinet)
    else { return .none }
    return switch state {
    case .cooling: .after(delay, .minTemperatureReached)
    case .waiting: .after(delay, .maxTemperatureReached)
    }
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
    }
  }

  /// Moves, and begins a new segment of the temperature.
  private mutating func change(to next: State, _ step: Step<Self>) -> Reaction<State> {
    let parameters = step.parameters
    let cabinet = parameters.cabinet
    if parameters.physics {
      chamber = chamber.next(at: step.now, in: state.regime(cabinet), crossing: state.threshold(cabinet))
    }
    return .move(to: next)
  }

  public func entered(_ state: State, _ step: Step<Self>) {
    step.emit(state == .cooling ? .compressorOn : .compressorOff)
  }

  private func temperature(at now: Instant, _ parameters: Parameters) -> Double? {
    parameters.physics ? chamber.temperature(at: now, in: state.regime(parameters.cabinet)) : nil
  }
}

extension Fridge.State {
  /// The temperature whose crossing ends this state.
  func threshold(_ cabinet: Cabinet) -> Chamber.Threshold {
    switch self {
    case .cooling: .atMost(cabinet.min)
    case .waiting: .atLeast(cabinet.max)
    }
  }

  /// The temperature's regime while the door is shut.
  func regime(_ cabinet: Cabinet) -> Chamber.Regime {
    switch self {
    case .cooling: cabinet.cooling
    case .waiting: cabinet.waiting
    }
  }
}

extension Fridge.Output {
  /// The description shared by all fridges with this output.
  var form: OutputForm {
    switch self {
    case .compressorOn: "cooling begins"
    case .compressorOff: "cooling ends"
    }
  }
}

extension Fridge {
  public static let kind = Kind(
    Fridge.self, "fridge", "a fridge with a thermostat: cools down to one set-point, waits up to the other",
    origin: "the first machine of an article on state machines in iOS apps; the temperature is added here",
    source: "article",
    example: [
      "new fridge f start=4", "show f", "advance 343s", "step", "show f", "send f minTemperatureReached", "advance 6h",
      "journal f limit=3",
    ],
    states: {
      switch $0 {
      case .cooling: "the compressor runs until the chamber is cold enough"
      case .waiting: "the compressor rests until the chamber is too warm"
      }
    },
    events: [
      .event(.minTemperatureReached, "the chamber has cooled down to min: cooling ends"),
      .event(.maxTemperatureReached, "the chamber has warmed up to max: cooling begins"),
    ],
    timers: [
      .timer(.minTemperatureReached, "the moment at which the chamber cools down to min"),
      .timer(.maxTemperatureReached, "the moment at which the chamber warms up to max"),
    ],
    outputs: \.form,
    readings: [
      .reading("temperature", .temperature, "in the chamber; none without physics") { $0.temperature(at: $1, $2) }
    ],
    parameters: Parameters.fridgeForms)
}
