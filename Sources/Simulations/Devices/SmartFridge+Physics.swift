internal import StateMachines

// The chamber's temperature as it follows from the state, and the moments at which it crosses a threshold.
extension SmartFridge {
  var doorIsClosed: Bool {
    switch state {
    case .off(let doorIsOpen): !doorIsOpen
    case .on(let regions): regions.door == .closed
    }
  }

  /// Whether the evaporator is being defrosted, which warms the chamber on purpose.
  var isThawing: Bool { SmartFridge.regions(of: state)?.compressor.name.parent == .thawing }

  /// Whether the chamber was too warm before this step, for less than `highTemp`.
  var alarmIsPending: Bool { SmartFridge.regions(of: state)?.alarm.name == .pendingHigh }

  /// Whether the chamber is at or above the upper set-point.
  func isWarm(_ step: Step<Self>) -> Bool { temperature(at: step.now, step.parameters) >= step.parameters.cabinet.max }

  /// Starts a segment at the present temperature, before the conditions change.
  mutating func beginSegment(_ step: Step<Self>) {
    chamber = Chamber(temperature: temperature(at: step.now, step.parameters), since: step.now)
  }

  /// Whether the alarm's region has changed under the same regime, so that the crossing that leads back is not armed. A
  /// report sent by hand does this: "too warm" while the chamber already cools, or "cold" while it is warm.
  func alarmHasOutrun(_ regime: Chamber.Regime, from before: Alarm.State, to after: Alarm.State, _ step: Step<Self>)
    -> Bool
  {
    let limit = step.parameters.highLimit
    if after.isHigh && !before.isHigh { return regime.target < limit }
    if before.isHigh && !after.isHigh { return temperature(at: step.now, step.parameters) > limit }
    return false
  }

  /// Arms the crossings that lie ahead in a segment that begins now, and disarms the others.
  ///
  /// A threshold that was passed already is reported after `recheckDelay`, unless the machine has noted it.
  func expectCrossings(in regions: Regions, _ regime: Chamber.Regime, _ step: Step<Self>) {
    let parameters = step.parameters
    let cabinet = parameters.cabinet
    let temperature = chamber.temperature

    func expect(_ timer: Event, after delay: Nanoseconds?) {
      if let delay { step.arm(timer, after: delay) } else { step.disarm(timer) }
    }
    /// The time to a crossing ahead; for a threshold passed already, `recheckDelay` if the report is news.
    func report(_ threshold: Chamber.Threshold, isNews: Bool) -> Nanoseconds? {
      guard threshold.isReached(by: temperature) else {
        return chamber.crossing(of: threshold.temperature, in: regime)
      }
      return isNews ? cabinet.recheckDelay : nil
    }

    let stopIsPending = if case .minOn(let pending) = regions.compressor { pending.stop } else { false }
    let isCooling = regions.compressor.name.parent == .cooling
    expect(.minTemperatureReached, after: report(.atMost(cabinet.min), isNews: isCooling && !stopIsPending))
    expect(
      .maxTemperatureReached,
      after: isCooling ? nil : report(.atLeast(cabinet.max), isNews: regions.compressor.demand == false))
    expect(
      .highLimitReached,
      after: regions.alarm.isHigh ? nil : report(.atLeast(parameters.highLimit), isNews: true))
    expect(.highLimitLeft, after: regions.alarm.isHigh ? untilBelowHighLimit(in: regime, parameters) : nil)
  }

  /// The time until the chamber leaves the high limit. The limit itself counts as high, so only a cooling chamber
  /// leaves it.
  private func untilBelowHighLimit(in regime: Chamber.Regime, _ parameters: Parameters) -> Nanoseconds? {
    if chamber.temperature < parameters.highLimit { return parameters.cabinet.recheckDelay }
    guard regime.target < parameters.highLimit else { return nil }
    return chamber.crossing(of: parameters.highLimit, in: regime)
  }

  /// The temperature now; at the moment of a crossing it is exactly the threshold.
  func temperature(at now: Instant, _ parameters: Parameters) -> Double {
    let regime = regime(of: state, parameters)
    let (min, max) = (parameters.cabinet.min, parameters.cabinet.max)
    if chamber.crosses(min, at: now, in: regime) { return min }
    if chamber.crosses(max, at: now, in: regime) { return max }
    if chamber.crosses(parameters.highLimit, at: now, in: regime) { return parameters.highLimit }
    return chamber.temperature(at: now, in: regime)
  }

  func regime(of state: State, _ parameters: Parameters) -> Chamber.Regime {
    switch state {
    case .on(let regions): regime(of: regions, parameters)
    case .off(doorIsOpen: true): Chamber.Regime(target: parameters.cabinet.ambient, tau: parameters.openTau)
    case .off(doorIsOpen: false): parameters.cabinet.waiting
    }
  }

  func regime(of regions: Regions, _ parameters: Parameters) -> Chamber.Regime {
    let doorIsOpen = regions.door != .closed
    return switch regions.compressor {
    case .minOn, .free:
      doorIsOpen
        ? Chamber.Regime(target: parameters.cabinet.ambient, tau: parameters.openCoolingTau)
        : parameters.cabinet.cooling
    case .defrosting: Chamber.Regime(target: parameters.defrostTarget, tau: parameters.defrostTau)
    case .resting, .ready, .dripping: regime(of: .off(doorIsOpen: doorIsOpen), parameters)
    }
  }
}
