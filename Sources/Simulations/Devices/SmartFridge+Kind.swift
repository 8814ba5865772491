public import MachineForms
public import StateMachines

extension SmartFridge {
  /// The state without power, which has no regions.
  public enum PowerlessName: NamedCases { case off }

  /// The states of the compressor's region without their data.
  public enum CompressorName: StatechartLeaf {
    case resting, ready, minOn, free, defrosting, dripping

    public enum Composite: StatechartComposite {
      case unit, cycle, cooling, thawing

      public var parent: Composite? {
        switch self {
        case .unit: nil
        case .cycle, .thawing: .unit
        case .cooling: .cycle
        }
      }
    }

    public var parent: Composite? {
      switch self {
      case .resting, .ready: .cycle
      case .minOn, .free: .cooling
      case .defrosting, .dripping: .thawing
      }
    }

    /// Of the composites only `cooling` is printed.
    public static let words = ["resting", "ready", "cooling.minOn", "cooling.free", "defrosting", "dripping"]

    fileprivate var about: String {
      switch self {
      case .resting: "the compressor is off and must not start yet"
      case .ready: "the compressor is off and may start"
      case .minOn: "the compressor is on and must not stop yet"
      case .free: "the compressor is on"
      case .defrosting: "the heater thaws the evaporator"
      case .dripping: "the thawed water drains"
      }
    }
  }

  /// The states of the door's region.
  public enum Door: StatechartLeaf, MachineState {
    /// The light is off.
    case closed
    /// The light is on.
    case open
    /// The light is on. The buzzer is on, except while `doorAlarm` is running after `silence`.
    case openTooLong

    public enum Composite: StatechartComposite {
      /// The light is on. `doorAlarm` may be running.
      case ajar

      public var parent: Composite? { nil }
    }

    public var parent: Composite? {
      switch self {
      case .closed: nil
      case .open, .openTooLong: .ajar
      }
    }

    /// The leaf's name without the composite.
    public static let words = allCases.map { "\($0)" }

    fileprivate var about: String {
      switch self {
      case .closed: "the door is closed"
      case .open: "the door is open"
      case .openTooLong: "the door is open for too long"
      }
    }
  }

  /// The states of the alarm's region without their data.
  public enum AlarmName: StatechartLeaf {
    case normal, pendingHigh, highAlarm

    public static let words = allCases.map { "\($0)" }

    fileprivate var about: String {
      switch self {
      case .normal: "the chamber is cold enough"
      case .pendingHigh: "the chamber is too warm, but not for long"
      case .highAlarm: "the chamber was too warm for too long"
      }
    }
  }
}

extension SmartFridge.State.Name {
  fileprivate var about: String {
    switch self {
    case .outside(.off): "no power"
    case .inside(let name): "\(name.first.first.about); \(name.first.second.about); \(name.second.about)"
    }
  }
}

extension SmartFridge {
  public static let kind = Kind(
    SmartFridge.self, "smartFridge",
    "a fridge with compressor protection, door light and buzzer, temperature alarm, defrosting and power loss",
    form: .orthogonal,
    origin: "a household fridge with the timings of commercial refrigeration controllers",
    source: "article",
    example: [
      "new smartFridge f start=4", "advance until 1h", "send f doorOpened", "advance 150s", "send f silence",
      "send f doorClosed", "show f", "send f powerLost", "send f powerRestored", "agenda f",
    ],
    regions: .init(of: "on", ["compressor", "door", "alarm"]),
    states: \.about,
    initialStates: [("off", .outside(.off))]
      + CompressorName.allCases.map { ($0.word, .inside(Beside(Beside($0, .closed), .normal))) },
    events: [
      .event(.minTemperatureReached, "the chamber has cooled down to min"),
      .event(.maxTemperatureReached, "the chamber has warmed up to max"),
      .event(.highLimitReached, "the chamber has warmed up to highLimit"),
      .event(.highLimitLeft, "the chamber has cooled down below highLimit"),
      .event(.doorOpened, "the door is opened; ignored if it is open"),
      .event(.doorClosed, "the door is closed; ignored if it is closed"),
      .event(.silence, "stops the buzzer; it starts again after doorAlarm if the door is still open"),
      .event(.acknowledge, "ends the alarm if the chamber is below highLimit, otherwise only stops the buzzer"),
      .event(.powerLost, "the power fails"),
      .event(.powerRestored, "the power is back"),
    ],
    timers: [
      .timer(.minOff, after: "minOff", "the compressor may start again"),
      .timer(.minOn, after: "minOn", "the compressor may stop again"),
      .timer(.doorStopDelay, after: "doorStopDelay", "the compressor stops because the door is open"),
      .timer(.doorAlarm, after: "doorAlarm", "the door has been open for too long"),
      .timer(.highTemp, after: "highTemp", "the chamber has been too warm for too long"),
      .timer(.defrostInterval, after: "defrostInterval", "it is time to defrost"),
      .timer(.defrostDuration, after: "defrostDuration", "the evaporator is free of ice"),
      .timer(.drip, after: "drip", "the water is gone"),
      .timer(.minTemperatureReached, "the moment at which the chamber cools down to min"),
      .timer(.maxTemperatureReached, "the moment at which the chamber warms up to max"),
      .timer(.highLimitReached, "the moment at which the chamber warms up to highLimit"),
      .timer(.highLimitLeft, "the moment at which the chamber cools down below highLimit"),
    ],
    outputs: {
      switch $0 {
      case .compressorOn: "cooling begins"
      case .compressorOff: "cooling ends"
      case .lightOn: "the light goes on"
      case .lightOff: "the light goes off"
      case .buzzerOn: "the door has been open for too long"
      case .buzzerOff: "the buzzer is silent"
      case .alarmOn: "the chamber has been too warm for too long"
      case .alarmOff: "the alarm was acknowledged below highLimit, or the power is lost"
      case .heaterOn: "the evaporator is heated"
      case .heaterOff: "heating ends"
      }
    },
    readings: [
      .reading("temperature", .temperature, "in the chamber") { $0.temperature(at: $1, $2) },
      .reading("demand", .flag, "whether cooling is wanted; none while cooling and without power") {
        machine, _, _ in SmartFridge.regions(of: machine.state)?.compressor.demand
      },
      .reading("door", .choice(["closed", "open"]), "the door's position, with or without power") {
        machine, _, _ in machine.doorIsClosed ? "closed" : "open"
      },
      .reading("peak", .temperature, "the highest temperature since the chamber reached highLimit") {
        machine, now, parameters in
        SmartFridge.regions(of: machine.state)?.alarm.noting(machine.temperature(at: now, parameters)).peak
      },
    ],
    parameters: Parameters.cabinetForms + [
      .parameter("openTau", \.openTau, .tau, "the time constant towards ambient while the door is open"),
      .parameter(
        "openCoolingTau", \.openCoolingTau, .tau,
        "the time constant towards ambient while the door is open and the compressor runs"),
      .parameter("defrostTarget", \.defrostTarget, .temperature, "the target temperature while defrosting"),
      .parameter("defrostTau", \.defrostTau, .tau, "the time constant while defrosting"),
      .parameter("highLimit", \.highLimit, .temperature, "from this temperature on the chamber is too warm"),
      .parameter("minOff", \.minOff, .delay, "the minimum rest time of the compressor"),
      .parameter("minOn", \.minOn, .delay, "the minimum run time of the compressor, unless the door is opened"),
      .parameter("doorStopDelay", \.doorStopDelay, .delay, "how long cooling continues after the door is opened"),
      .parameter("doorAlarm", \.doorAlarm, .delay, "how long the door may be open without the buzzer"),
      .parameter("highTemp", \.highTemp, .delay, "how long the chamber may be too warm without the alarm"),
      .parameter("defrostInterval", \.defrostInterval, .delay, "the time between defrosts"),
      .parameter("defrostDuration", \.defrostDuration, .delay, "how long the heater thaws"),
      .parameter("drip", \.drip, .delay, "how long the water drains"),
    ])
}
