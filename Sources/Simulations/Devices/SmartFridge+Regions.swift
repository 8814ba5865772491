internal import StateMachines

// The three regions of a fridge with power, a table each, and what it means to lose and to regain the power.
extension SmartFridge {
  /// Offers an input to every region, and lets the physics follow where the conditions in the chamber have changed.
  mutating func react(in before: Regions, to signal: Signal, _ step: Step<Self>) -> Reaction<State> {
    let temperature = temperature(at: step.now, step.parameters)
    var after = before
    let verdicts = (
      take(reaction(of: before.compressor, to: signal, in: before, at: temperature, step), as: &after.compressor),
      take(reaction(of: before.door, to: signal, step), as: &after.door),
      take(reaction(of: before.alarm, to: signal, in: before, at: temperature, step), as: &after.alarm)
    )
    if verdicts == (.ignored, .ignored, .ignored) { return .ignore }
    if regime(of: after, step.parameters) != regime(of: before, step.parameters) {
      after.alarm = after.alarm.noting(temperature)
      beginSegment(at: temperature, step)
      expectCrossings(in: after, step)
    }
    let hasMoved = verdicts.0 == .moved || verdicts.1 == .moved || verdicts.2 == .moved
    return hasMoved ? .move(to: .on(after)) : .stayAs(.on(after))
  }

  private func take<Region>(_ reaction: Reaction<Region>, as region: inout Region) -> Verdict {
    switch reaction {
    case .move(to: let next):
      region = next
      return .moved
    case .stayAs(let next):
      region = next
      return .stayed
    case .stay: return .stayed
    case .ignore: return .ignored
    case .refuse: return .refused
    }
  }

  // MARK: Compressor

  private func reaction(
    of compressor: Compressor, to signal: Signal, in before: Regions, at temperature: Double, _ step: Step<Self>
  ) -> Reaction<Compressor> {
    switch (compressor, signal) {
    case (.resting(let rest), .minOff):
      return .move(to: rest.demand && before.door == .closed ? startCooling(step) : .ready(demand: rest.demand))
    case (.resting(let rest), .defrostInterval):
      step.disarm(.minOff)
      return .move(to: startDefrosting(rest, step))
    case (.ready, .maxTemperatureReached) where before.door == .closed:
      return .move(to: startCooling(step))
    case (.ready(demand: true), .doorClosed):
      return .move(to: startCooling(step))
    case (.ready(let demand), .defrostInterval):
      return .move(to: startDefrosting(Compressor.Rest(demand: demand, until: step.now), step))
    case (.coolingMinOn(let pending), .minOn):
      if pending.defrost { return .move(to: startDefrosting(stopCooling(at: temperature, step), step)) }
      if pending.stop { return .move(to: startResting(stopCooling(at: temperature, step), step)) }
      return .move(to: .coolingFree)
    case (.coolingMinOn, .doorOpened), (.coolingFree, .doorOpened):
      if step.parameters.doorStopDelay > .zero {
        step.arm(.doorStopDelay, after: step.parameters.doorStopDelay)
        return .stay
      }
      return .move(to: stopForDoor(compressor, at: temperature, step))
    case (.coolingMinOn, .doorStopDelay), (.coolingFree, .doorStopDelay):
      return .move(to: stopForDoor(compressor, at: temperature, step))
    case (.coolingFree, .minTemperatureReached):
      return .move(to: startResting(stopCooling(at: temperature, step), step))
    case (.coolingFree, .defrostInterval):
      return .move(to: startDefrosting(stopCooling(at: temperature, step), step))
    case (.defrosting(let rest), .defrostDuration):
      step.emit(.heaterOff)
      step.arm(.drip, after: step.parameters.drip)
      return .move(to: .dripping(rest))
    case (.dripping(let rest), .drip):
      step.arm(.defrostInterval, after: step.parameters.defrostInterval)
      if case .pendingHigh = before.alarm { step.arm(.highTemp, after: step.parameters.highTemp) }
      if rest.until > step.now { return .move(to: startResting(rest, step)) }
      return .move(to: rest.demand && before.door == .closed ? startCooling(step) : .ready(demand: rest.demand))

    case (.resting(let rest), .minTemperatureReached):
      return .stayAs(.resting(withoutDemand(rest, at: temperature, step)))
    case (.defrosting(let rest), .minTemperatureReached):
      return .stayAs(.defrosting(withoutDemand(rest, at: temperature, step)))
    case (.dripping(let rest), .minTemperatureReached):
      return .stayAs(.dripping(withoutDemand(rest, at: temperature, step)))
    case (.ready, .minTemperatureReached):
      recheckDemand(at: temperature, step)
      return .stayAs(.ready(demand: false))
    case (.resting(let rest), .maxTemperatureReached):
      return .stayAs(.resting(Compressor.Rest(demand: true, until: rest.until)))
    case (.defrosting(let rest), .maxTemperatureReached):
      return .stayAs(.defrosting(Compressor.Rest(demand: true, until: rest.until)))
    case (.dripping(let rest), .maxTemperatureReached):
      return .stayAs(.dripping(Compressor.Rest(demand: true, until: rest.until)))
    case (.ready, .maxTemperatureReached):
      return .stayAs(.ready(demand: true))
    case (.coolingMinOn(var pending), .minTemperatureReached):
      pending.stop = true
      return .stayAs(.coolingMinOn(pending))
    case (.coolingMinOn(var pending), .defrostInterval):
      pending.defrost = true
      return .stayAs(.coolingMinOn(pending))
    case (.coolingMinOn, .doorClosed), (.coolingFree, .doorClosed):
      step.disarm(.doorStopDelay)
      return .stay

    case (.coolingMinOn, .maxTemperatureReached), (.coolingFree, .maxTemperatureReached):
      return .ignore
    case (.resting, .doorOpened), (.ready, .doorOpened), (.defrosting, .doorOpened), (.dripping, .doorOpened),
      (.resting, .doorClosed), (.ready(demand: false), .doorClosed), (.defrosting, .doorClosed),
      (.dripping, .doorClosed):
      return .ignore
    case (.ready, .minOff), (.coolingMinOn, .minOff), (.coolingFree, .minOff), (.defrosting, .minOff),
      (.dripping, .minOff),
      (.resting, .minOn), (.ready, .minOn), (.coolingFree, .minOn), (.defrosting, .minOn), (.dripping, .minOn),
      (.resting, .doorStopDelay), (.ready, .doorStopDelay), (.defrosting, .doorStopDelay),
      (.dripping, .doorStopDelay),
      (.defrosting, .defrostInterval), (.dripping, .defrostInterval),
      (.resting, .defrostDuration), (.ready, .defrostDuration), (.coolingMinOn, .defrostDuration),
      (.coolingFree, .defrostDuration), (.dripping, .defrostDuration),
      (.resting, .drip), (.ready, .drip), (.coolingMinOn, .drip), (.coolingFree, .drip), (.defrosting, .drip):
      return .ignore  // These timers cannot be running there.
    case (_, .highLimitReached), (_, .highLimitLeft), (_, .silence), (_, .acknowledge), (_, .doorAlarm),
      (_, .highTemp), (_, .powerLost), (_, .powerRestored):
      return .ignore  // The business of other regions.
    }
  }

  /// The compressor's region in the state that a name stands for, just entered, but for `defrostInterval`.
  ///
  /// Whether it ran before is not known, so that a pause for defrosting counts as its rest from now on.
  func enter(_ name: CompressorName, at temperature: Double, _ step: Step<Self>) -> Compressor {
    let rest = Compressor.Rest(
      demand: temperature >= step.parameters.cabinet.max, until: step.now + step.parameters.minOff)
    switch name {
    case .resting: return startResting(rest, step)
    case .ready: return .ready(demand: false)
    case .coolingMinOn: return startCooling(step)
    case .coolingFree:
      step.emit(.compressorOn)
      return .coolingFree
    case .defrosting: return startDefrosting(rest, step)
    case .dripping:
      step.arm(.drip, after: step.parameters.drip)
      return .dripping(rest)
    }
  }

  private func startCooling(_ step: Step<Self>) -> Compressor {
    step.emit(.compressorOn)
    step.arm(.minOn, after: step.parameters.minOn)
    return .coolingMinOn(Compressor.Pending())
  }

  private func stopCooling(at temperature: Double, _ step: Step<Self>) -> Compressor.Rest {
    step.emit(.compressorOff)
    step.disarm(.minOn)
    step.disarm(.doorStopDelay)
    return Compressor.Rest(
      demand: temperature >= step.parameters.cabinet.max, until: step.now + step.parameters.minOff)
  }

  /// The door's safety of the goods overrides `minOn`. A defrost that was waiting for it falls due at once.
  private func stopForDoor(_ compressor: Compressor, at temperature: Double, _ step: Step<Self>) -> Compressor {
    let rest = stopCooling(at: temperature, step)
    if case .coolingMinOn(let pending) = compressor, pending.defrost { step.arm(.defrostInterval, after: .zero) }
    return startResting(rest, step)
  }

  private func startResting(_ rest: Compressor.Rest, _ step: Step<Self>) -> Compressor {
    step.arm(.minOff, after: rest.until - step.now)
    return .resting(rest)
  }

  private func startDefrosting(_ rest: Compressor.Rest, _ step: Step<Self>) -> Compressor {
    step.emit(.heaterOn)
    step.disarm(.highTemp)
    step.arm(.defrostDuration, after: step.parameters.defrostDuration)
    return .defrosting(rest)
  }

  private func withoutDemand(
    _ rest: Compressor.Rest, at temperature: Double, _ step: Step<Self>
  ) -> Compressor.Rest {
    recheckDemand(at: temperature, step)
    return Compressor.Rest(demand: false, until: rest.until)
  }

  /// A minTemperatureReached that was sent by hand to a warm fridge is not believed for long.
  private func recheckDemand(at temperature: Double, _ step: Step<Self>) {
    guard temperature >= step.parameters.cabinet.max else { return }
    step.arm(.maxTemperatureReached, after: step.parameters.cabinet.recheckDelay)
  }

  // MARK: Door

  private func reaction(of door: Door, to signal: Signal, _ step: Step<Self>) -> Reaction<Door> {
    switch (door, signal) {
    case (.closed, .doorOpened):
      return .move(to: openDoor(step))
    case (.open, .doorAlarm):
      step.emit(.buzzerOn)
      return .move(to: .openTooLong)
    case (.open, .doorClosed):
      step.emit(.lightOff)
      step.disarm(.doorAlarm)
      return .move(to: .closed)
    case (.openTooLong, .doorClosed):
      step.emit(.lightOff)
      step.emit(.buzzerOff)
      step.disarm(.doorAlarm)
      return .move(to: .closed)

    case (.openTooLong, .silence):
      step.emit(.buzzerOff)
      step.arm(.doorAlarm, after: step.parameters.doorAlarm)
      return .stay
    case (.openTooLong, .doorAlarm):
      step.emit(.buzzerOn)
      return .stay

    case (.open, .doorOpened), (.openTooLong, .doorOpened), (.closed, .doorClosed), (.closed, .silence),
      (.open, .silence), (.closed, .doorAlarm):
      return .ignore
    case (_, .minTemperatureReached), (_, .maxTemperatureReached), (_, .highLimitReached), (_, .highLimitLeft),
      (_, .acknowledge), (_, .powerLost), (_, .powerRestored), (_, .minOff), (_, .minOn), (_, .doorStopDelay),
      (_, .highTemp), (_, .defrostInterval), (_, .defrostDuration), (_, .drip):
      return .ignore  // The business of other regions.
    }
  }

  private func openDoor(_ step: Step<Self>) -> Door {
    step.emit(.lightOn)
    step.arm(.doorAlarm, after: step.parameters.doorAlarm)
    return .open
  }

  // MARK: Temperature alarm

  private func reaction(
    of alarm: Alarm, to signal: Signal, in before: Regions, at temperature: Double, _ step: Step<Self>
  ) -> Reaction<Alarm> {
    switch (alarm, signal) {
    case (.normal, .highLimitReached):
      return .move(to: awaitAlarm(at: temperature, isThawing: before.compressor.isThawing, step))
    case (.pendingHigh, .highLimitLeft):
      step.disarm(.highTemp)
      return .move(to: .normal)
    case (.pendingHigh(let peak), .highTemp):
      step.emit(.alarmOn)
      return .move(to: .highAlarm(peak: max(peak, temperature), isHigh: true))
    case (.highAlarm(_, isHigh: false), .acknowledge):
      step.emit(.alarmOff)
      return .move(to: .normal)

    case (.highAlarm(_, isHigh: true), .acknowledge):
      step.emit(.buzzerOff)
      return .stay
    case (.highAlarm(let peak, isHigh: false), .highLimitReached):
      return .stayAs(.highAlarm(peak: max(peak, temperature), isHigh: true))
    case (.highAlarm(let peak, isHigh: true), .highLimitLeft):
      return .stayAs(.highAlarm(peak: max(peak, temperature), isHigh: false))

    case (.normal, .highLimitLeft), (.normal, .acknowledge), (.normal, .highTemp), (.pendingHigh, .highLimitReached),
      (.pendingHigh, .acknowledge), (.highAlarm(_, isHigh: true), .highLimitReached),
      (.highAlarm(_, isHigh: false), .highLimitLeft), (.highAlarm, .highTemp):
      return .ignore
    case (_, .minTemperatureReached), (_, .maxTemperatureReached), (_, .doorOpened), (_, .doorClosed), (_, .silence),
      (_, .powerLost), (_, .powerRestored), (_, .minOff), (_, .minOn), (_, .doorStopDelay), (_, .doorAlarm),
      (_, .defrostInterval), (_, .defrostDuration), (_, .drip):
      return .ignore  // The business of other regions.
    }
  }

  /// The alarm's region as it follows from the temperature alone.
  func assessAlarm(at temperature: Double, isThawing: Bool, _ step: Step<Self>) -> Alarm {
    temperature >= step.parameters.highLimit ? awaitAlarm(at: temperature, isThawing: isThawing, step) : .normal
  }

  /// While the evaporator thaws the chamber may be warm; `highTemp` is armed when the dripping ends.
  private func awaitAlarm(at temperature: Double, isThawing: Bool, _ step: Step<Self>) -> Alarm {
    if !isThawing { step.arm(.highTemp, after: step.parameters.highTemp) }
    return .pendingHigh(peak: temperature)
  }

  // MARK: Power

  /// Everything that is on goes off, in the order of the regions, and no timer runs on.
  mutating func losePower(_ regions: Regions, _ step: Step<Self>) -> State {
    beginSegment(at: temperature(at: step.now, step.parameters), step)
    switch regions.compressor {
    case .coolingMinOn, .coolingFree: step.emit(.compressorOff)
    case .defrosting: step.emit(.heaterOff)
    case .resting, .ready, .dripping: break
    }
    switch regions.door {
    case .closed: break
    case .open: step.emit(.lightOff)
    case .openTooLong:
      step.emit(.lightOff)
      step.emit(.buzzerOff)
    }
    switch regions.alarm {
    case .normal, .pendingHigh: break
    case .highAlarm: step.emit(.alarmOff)
    }
    for timer in TimerName.allCases { step.disarm(timer) }
    return .off(doorIsOpen: regions.door != .closed)
  }

  /// The compressor gets a full rest, because nobody knows how short the loss of power was for it.
  mutating func restorePower(doorIsOpen: Bool, _ step: Step<Self>) -> State {
    let temperature = temperature(at: step.now, step.parameters)
    beginSegment(at: temperature, step)
    let compressor = enter(.resting, at: temperature, step)
    step.arm(.defrostInterval, after: step.parameters.defrostInterval)
    let door = doorIsOpen ? openDoor(step) : .closed
    let alarm = assessAlarm(at: temperature, isThawing: false, step)
    let regions = Regions(compressor: compressor, door: door, alarm: alarm)
    expectCrossings(in: regions, step)
    return .on(regions)
  }
}
