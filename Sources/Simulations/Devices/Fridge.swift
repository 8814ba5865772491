public import StateMachines

/// A fridge with a thermostat: it cools until its chamber is cold enough, and waits until it is too warm.
///
/// | state \ event | minTemperatureReached | maxTemperatureReached |
/// | --- | --- | --- |
/// | cooling | → waiting, compressor off | ignored |
/// | waiting | ignored | → cooling, compressor on |
///
/// The two events are crossings of the set-points. A simulated chamber brings them as timers of the same names, at the
/// exact moments; they can be sent by hand as well, and with `physics=off` only so.
public struct Fridge: LegacyMachine {
  public enum State: MachineState {
    /// The compressor runs. `minTemperatureReached` is running.
    case cooling
    /// The compressor rests. `maxTemperatureReached` is running.
    case waiting
  }

  public enum Event: Sendable { case minTemperatureReached, maxTemperatureReached }

  public enum TimerName: NamedCases { case minTemperatureReached, maxTemperatureReached }

  public enum Output: MachineOutput { case compressorOn, compressorOff }

  public struct Parameters: CabinetParameters {
    var physics = true
    var cabinet = Cabinet()
    public init() {}
  }

  // In this order a fridge takes 17 bytes.
  private var chamber: Chamber
  public var state: State

  public init(initial: State?, _ step: Step<Self>) {
    state = initial ?? .cooling
    chamber = step.parameters.cabinet.chamber(at: step.now)
    enter(state, step)
  }

  public mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, Event(input)) {
    case (.cooling, .minTemperatureReached): change(to: .waiting, step)
    case (.waiting, .maxTemperatureReached): change(to: .cooling, step)
    case (.cooling, .maxTemperatureReached), (.waiting, .minTemperatureReached): .ignore
    }
  }

  public func asksFor(_ timer: TimerName) -> Bool { timer == state.timer }

  private mutating func change(to next: State, _ step: Step<Self>) -> Reaction<State> {
    let parameters = step.parameters
    if parameters.physics {
      let temperature = chamber.temperature(
        at: step.now, in: state.regime(parameters.cabinet),
        crossing: state.threshold(parameters.cabinet).temperature)
      chamber = Chamber(temperature: temperature, since: step.now)
      step.disarm(state.timer)
    }
    enter(next, step)
    return .move(to: next)
  }

  /// Switches the compressor and expects the crossing that ends `state`; `chamber` begins now.
  private func enter(_ state: State, _ step: Step<Self>) {
    step.emit(state == .cooling ? .compressorOn : .compressorOff)
    let parameters = step.parameters
    guard parameters.physics else { return }
    let cabinet = parameters.cabinet
    let delay = chamber.report(
      of: state.threshold(cabinet), in: state.regime(cabinet), recheckDelay: cabinet.recheckDelay)
    if let delay { step.arm(state.timer, after: delay) }
  }

  private func temperature(at now: Moment, _ parameters: Parameters) -> Double? {
    parameters.physics ? chamber.temperature(at: now, in: state.regime(parameters.cabinet)) : nil
  }
}

extension Fridge.State {
  /// The crossing that ends this state.
  fileprivate var timer: Fridge.TimerName {
    switch self {
    case .cooling: .minTemperatureReached
    case .waiting: .maxTemperatureReached
    }
  }

  /// The temperature whose crossing that is.
  func threshold(_ cabinet: Cabinet) -> Chamber.Threshold {
    switch self {
    case .cooling: .atMost(cabinet.min)
    case .waiting: .atLeast(cabinet.max)
    }
  }

  /// How the temperature goes while the door is shut.
  func regime(_ cabinet: Cabinet) -> Chamber.Regime {
    switch self {
    case .cooling: cabinet.cooling
    case .waiting: cabinet.waiting
    }
  }
}

extension Fridge.Event {
  /// The crossing that an input tells of, whether a client or the chamber brings it.
  fileprivate init(_ input: Input<Self, Fridge.TimerName>) {
    switch input {
    case .event(let event): self = event
    case .expired(.minTemperatureReached): self = .minTemperatureReached
    case .expired(.maxTemperatureReached): self = .maxTemperatureReached
    }
  }
}

extension Fridge {
  public static let kind = Kind(
    Fridge.self, "fridge", "a fridge with a thermostat: cools down to one set-point, waits up to the other",
    origin: """
      the first machine of an article on state machines in iOS applications, whose table is kept; that the chamber has a \
      temperature is added here
      """,
    example: [
      "new fridge f start=4", "show f", "advance 343s", "step", "show f", "send f minTemperatureReached", "advance 6h",
      "journal f limit=3",
    ],
    states: [
      .cooling: "the compressor runs until the chamber is cold enough",
      .waiting: "the compressor rests until the chamber is too warm",
    ],
    events: [
      .event(.minTemperatureReached, "the chamber has cooled down to min: cooling ends"),
      .event(.maxTemperatureReached, "the chamber has warmed up to max: cooling begins"),
    ],
    timers: [
      .minTemperatureReached: .computed("the moment at which the chamber cools down to min"),
      .maxTemperatureReached: .computed("the moment at which the chamber warms up to max"),
    ],
    outputs: [
      .compressorOn: .output(about: "cooling begins"),
      .compressorOff: .output(about: "cooling ends"),
    ],
    readings: [
      .reading("temperature", .temperature, "in the chamber; none without physics") { $0.temperature(at: $1, $2) }
    ],
    parameters: [
      .parameter("physics", \.physics, .flag, "off: no temperature, only events sent by hand move the fridge")
    ] + Parameters.cabinetForms)
}
