public import StateMachines

extension SmartFridge {
  /// The states of the compressor's region without their data.
  enum CompressorName: UInt8, CaseIterable {
    case resting, ready, coolingMinOn, coolingFree, defrosting, dripping

    var word: String {
      switch self {
      case .resting: "resting"
      case .ready: "ready"
      case .coolingMinOn: "cooling.minOn"
      case .coolingFree: "cooling.free"
      case .defrosting: "defrosting"
      case .dripping: "dripping"
      }
    }

    var about: String {
      switch self {
      case .resting: "the compressor is off and must not start yet"
      case .ready: "the compressor is off and may start"
      case .coolingMinOn: "the compressor is on and must not stop yet"
      case .coolingFree: "the compressor is on"
      case .defrosting: "the heater thaws the evaporator"
      case .dripping: "the thawed water drains"
      }
    }
  }

  /// The states of the alarm's region without their data.
  enum AlarmName: UInt8, CaseIterable, Vocabulary {
    case normal, pendingHigh, highAlarm

    var about: String {
      switch self {
      case .normal: "cold enough"
      case .pendingHigh: "too warm, not for long yet"
      case .highAlarm: "too warm for too long, not acknowledged"
      }
    }
  }
}

extension SmartFridge.Compressor {
  var name: SmartFridge.CompressorName {
    switch self {
    case .resting: .resting
    case .ready: .ready
    case .coolingMinOn: .coolingMinOn
    case .coolingFree: .coolingFree
    case .defrosting: .defrosting
    case .dripping: .dripping
    }
  }
}

extension SmartFridge.Alarm {
  var name: SmartFridge.AlarmName {
    switch self {
    case .normal: .normal
    case .pendingHigh: .pendingHigh
    case .highAlarm: .highAlarm
    }
  }
}

extension SmartFridge.Door {
  var about: String {
    switch self {
    case .closed: "the door is closed"
    case .open: "the door is open"
    case .openTooLong: "the door is open for too long"
    }
  }
}

extension SmartFridge.State {
  /// `off` at 0, and then the product of the regions, the last one counting fastest.
  public struct Name: Vocabulary {
    private let place: UInt8

    public init(at index: Int) {
      precondition(Name.words.indices.contains(index), "a smartFridge has no state at \(index)")
      place = UInt8(index)
    }

    init(
      _ compressor: SmartFridge.CompressorName, _ door: SmartFridge.Door, _ alarm: SmartFridge.AlarmName
    ) {
      place = 1 + (compressor.rawValue * 3 + door.rawValue) * 3 + alarm.rawValue
    }

    public var index: Int { Int(place) }

    static let off = Name(at: 0)

    /// The regions' parts; `nil` for `off`.
    var regions: (compressor: SmartFridge.CompressorName, door: SmartFridge.Door, alarm: SmartFridge.AlarmName)? {
      guard place > 0, let compressor = SmartFridge.CompressorName(rawValue: (place - 1) / 9),
        let door = SmartFridge.Door(rawValue: (place - 1) / 3 % 3),
        let alarm = SmartFridge.AlarmName(rawValue: (place - 1) % 3)
      else { return nil }
      return (compressor, door, alarm)
    }

    public static let words: [String] =
      ["off"]
      + SmartFridge.CompressorName.allCases.flatMap { compressor in
        SmartFridge.Door.allCases.flatMap { door in
          SmartFridge.AlarmName.allCases.map { alarm in "\(compressor.word)+\(door)+\(alarm)" }
        }
      }

    fileprivate var about: String {
      guard let regions else { return "no power" }
      return "\(regions.compressor.about); \(regions.door.about); \(regions.alarm.about)"
    }
  }

  public var name: Name {
    switch self {
    case .off: .off
    case .on(let regions): Name(regions.compressor.name, regions.door, regions.alarm.name)
    }
  }

  /// Where the door is, power or not.
  fileprivate var door: String {
    switch self {
    case .off(let doorIsOpen): doorIsOpen ? "open" : "closed"
    case .on(let regions): regions.door == .closed ? "closed" : "open"
    }
  }

  fileprivate var regions: SmartFridge.Regions? {
    switch self {
    case .off: nil
    case .on(let regions): regions
    }
  }
}

extension SmartFridge {
  public static let kind = Kind(
    SmartFridge.self, "smartFridge",
    "a fridge with compressor protection, door light and buzzer, temperature alarm, defrosting and loss of power",
    regions: .init(of: "on", ["compressor", "door", "alarm"]),
    states: State.Name.words.indices.map(State.Name.init(at:)).map { ($0, $0.about) },
    initialStates: [("off", .off)] + CompressorName.allCases.map { ($0.word, State.Name($0, .closed, .normal)) },
    events: [
      .event(.minTemperatureReached, "the chamber has cooled down to min"),
      .event(.maxTemperatureReached, "the chamber has warmed up to max"),
      .event(.highLimitReached, "the chamber has warmed up to highLimit"),
      .event(.highLimitLeft, "the chamber has cooled down below highLimit"),
      .event(.doorOpened, "the door is opened; ignored where it is open"),
      .event(.doorClosed, "the door is closed; ignored where it is closed"),
      .event(.silence, "stops the buzzer of an open door for another doorAlarm"),
      .event(.acknowledge, "somebody has seen the temperature alarm; it ends when the chamber is cold enough again"),
      .event(.powerLost, "the power fails"),
      .event(.powerRestored, "the power is back"),
    ],
    timers: [
      .minOff: .after("minOff", "the compressor may start again; after a short defrost, what is left of it"),
      .minOn: .after("minOn", "the compressor may stop again"),
      .doorStopDelay: .after("doorStopDelay", "cooling behind an open door ends"),
      .doorAlarm: .after("doorAlarm", "the door has been open for too long"),
      .highTemp: .after("highTemp", "the chamber has been too warm for too long"),
      .defrostInterval: .after("defrostInterval", "it is time to defrost"),
      .defrostDuration: .after("defrostDuration", "the evaporator is free of ice"),
      .drip: .after("drip", "the water is gone"),
      .minTemperatureReached: .computed("the moment at which the chamber cools down to min"),
      .maxTemperatureReached: .computed("the moment at which the chamber warms up to max"),
      .highLimitReached: .computed("the moment at which the chamber warms up to highLimit"),
      .highLimitLeft: .computed("the moment at which the chamber cools down below highLimit"),
    ],
    outputs: [
      .compressorOn: .output(about: "cooling begins"),
      .compressorOff: .output(about: "cooling ends"),
      .lightOn: .output(about: "the door is open, the light goes on"),
      .lightOff: .output(about: "the light goes off"),
      .buzzerOn: .output(about: "the door has been open for too long"),
      .buzzerOff: .output(about: "the buzzer is silent"),
      .alarmOn: .output(about: "the chamber has been too warm for too long"),
      .alarmOff: .output(about: "the alarm was acknowledged and the chamber is cold, or there is no power"),
      .heaterOn: .output(about: "the evaporator is heated"),
      .heaterOff: .output(about: "heating ends"),
    ],
    readings: [
      .reading("temperature", .temperature, "in the chamber") { $0.temperature(at: $1, $2) },
      .reading("demand", .flag, "whether cooling is wanted; none while it is done, and none without power") {
        machine, _, _ in machine.state.regions?.compressor.demand
      },
      .reading("door", .choice(["closed", "open"]), "where the door is, power or not") {
        machine, _, _ in machine.state.door
      },
      .reading("peak", .temperature, "the warmest that the chamber has been since it reached highLimit") {
        machine, now, parameters in
        machine.state.regions?.alarm.noting(machine.temperature(at: now, parameters)).peak
      },
    ],
    parameters: Parameters.cabinetForms + [
      .parameter("openTau", \.openTau, .tau, "the time constant towards ambient while the door is open"),
      .parameter("openCoolingTau", \.openCoolingTau, .tau, "the same while the compressor runs against it"),
      .parameter("defrostTarget", \.defrostTarget, .temperature, "what the chamber tends to while defrosting"),
      .parameter("defrostTau", \.defrostTau, .tau, "the time constant while defrosting"),
      .parameter("highLimit", \.highLimit, .temperature, "from this temperature on the chamber is too warm"),
      .parameter("minOff", \.minOff, .delay, "how long the compressor rests at least"),
      .parameter("minOn", \.minOn, .delay, "how long the compressor runs at least, but for an open door"),
      .parameter(
        "doorStopDelay", \.doorStopDelay, .delay, "how long cooling goes on behind an open door; 0 stops at once"),
      .parameter("doorAlarm", \.doorAlarm, .delay, "how long the door may be open without the buzzer"),
      .parameter("highTemp", \.highTemp, .delay, "how long the chamber may be too warm without the alarm"),
      .parameter("defrostInterval", \.defrostInterval, .delay, "the time between two defrosts"),
      .parameter("defrostDuration", \.defrostDuration, .delay, "how long the heater thaws"),
      .parameter("drip", \.drip, .delay, "how long the water drains"),
    ])
}
