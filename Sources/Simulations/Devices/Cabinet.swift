import StateMachines

/// The parameters of every fridge: set-points, surroundings, and how fast the temperature changes.
struct Cabinet: Hashable, Sendable {
  /// `nil`: the ambient temperature.
  var start: Double?
  var min = 2.0
  var max = 6.0
  var ambient = 22.0
  var coolingTarget = -18.0
  var coolingTau = Nanoseconds.seconds(3600)
  var waitingTau = Nanoseconds.seconds(7200)
  var recheckDelay = Nanoseconds.seconds(1)

  /// A chamber whose first segment begins now.
  func chamber(at now: Instant) -> Chamber { Chamber(temperature: start ?? ambient, since: now) }

  /// The regime while the compressor runs.
  var cooling: Chamber.Regime { Chamber.Regime(target: coolingTarget, tau: coolingTau) }

  /// The regime while the compressor rests and the door is closed.
  var waiting: Chamber.Regime { Chamber.Regime(target: ambient, tau: waitingTau) }
}

/// The parameters of a kind of fridge.
protocol CabinetParameters: ParameterSet {
  var cabinet: Cabinet { get set }
}

/// The parameters of a fridge whose physics can be switched off.
protocol FridgeParameters: CabinetParameters {
  var physics: Bool { get set }
}

extension FridgeParameters {
  static var fridgeForms: [ParameterForm<Self>] {
    [.parameter("physics", \.physics, "off: there is no temperature, and only sent events move the fridge")]
      + cabinetForms
  }
}

extension CabinetParameters {
  public var conflict: ParameterConflict? { minAboveMax }

  /// The conflict of a `min` above `max`. It names the one that differs from its default.
  var minAboveMax: ParameterConflict? {
    guard cabinet.min > cabinet.max else { return nil }
    return cabinet.max == Cabinet().max
      ? ParameterConflict("min", allowed: "at most \(cabinet.max.short) °C, which is max")
      : ParameterConflict("max", allowed: "at least \(cabinet.min.short) °C, which is min")
  }
}

extension Double {
  /// The number without `.0` when it is whole.
  fileprivate var short: String { self == Double(Int(self)) ? "\(Int(self))" : "\(self)" }
}

extension ValueType {
  /// A temperature in a household's range.
  static let temperature = ValueType.number(-100...100, unit: "°C")
  /// A time constant: neither zero nor endless.
  static let tau = ValueType.interval(.milliseconds(1) ... .days(365))
  /// A duration; zero switches its rule off.
  static let delay = ValueType.interval(.zero ... .days(365))
}

extension CabinetParameters {
  /// The parameters of all fridges, in the order in which they are shown.
  static var cabinetForms: [ParameterForm<Self>] {
    [
      .parameter("start", \.cabinet.start, .optional(.temperature), "the initial temperature; by default ambient"),
      .parameter("min", \.cabinet.min, .temperature, "the set-point at which cooling ends"),
      .parameter("max", \.cabinet.max, .temperature, "the set-point at which cooling begins"),
      .parameter("ambient", \.cabinet.ambient, .temperature, "the temperature around the fridge"),
      .parameter(
        "coolingTarget", \.cabinet.coolingTarget, .temperature,
        "the target temperature while the compressor runs"),
      .parameter("coolingTau", \.cabinet.coolingTau, .tau, "the time constant while the compressor runs"),
      .parameter("waitingTau", \.cabinet.waitingTau, .tau, "the time constant while the compressor rests, door closed"),
      .parameter(
        "recheckDelay", \.cabinet.recheckDelay, .delay,
        "how soon a threshold is reported that was passed before the conditions changed"),
    ]
  }
}
