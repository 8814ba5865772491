import MachineForms
internal import StateMachines

extension SmartFridge {
  /// The compressor's region: it alternates cooling and rest, and pauses for defrosting.
  ///
  /// ```
  /// unit                 wants cooling or not
  ///   cycle              defrostInterval is running
  ///     resting, ready
  ///     cooling          the compressor is on; doorStopDelay may be running
  ///       minOn, free
  ///   thawing            warmth is no alarm
  ///     defrosting, dripping
  /// ```
  struct Compressor: Region {
    typealias Host = SmartFridge

    let fridge: SmartFridge

    enum State: StateWithData {
      /// Off, and not yet allowed to start. `minOff` is running.
      case resting(Rest)
      /// Off, and allowed to start. `demand` is true only while the door is open.
      case ready(demand: Bool)
      /// On; only the door may stop it. `minOn` is running.
      case minOn(Pending)
      /// On.
      case free
      /// Off, the heater on. `defrostDuration` is running.
      case defrosting(Rest)
      /// Off, the water drains. `drip` is running.
      case dripping(Rest)

      var name: CompressorName {
        switch self {
        case .resting: .resting
        case .ready: .ready
        case .minOn: .minOn
        case .free: .free
        case .defrosting: .defrosting
        case .dripping: .dripping
        }
      }
    }

    struct Rest: Hashable, Codable {
      /// Whether cooling is wanted: the chamber is at or above the upper set-point.
      var demand: Bool
      /// The compressor must not start before this moment.
      let until: Instant
    }

    /// The actions to take when `minOn` expires.
    struct Pending: Hashable, Codable {
      var stop = false
      var defrost = false
    }

    func reaction(in leaf: State, to event: SmartFridge.Event, _ step: Step<Host>) -> Answer {
      switch event {
      case .minTemperatureReached:
        switch leaf {
        case .minOn(var pending):
          pending.stop = true
          return .stayAs(.minOn(pending))
        case .free: return .go(to: .resting(rest(after: leaf, step)))
        case .resting, .ready, .defrosting, .dripping: return .inherit
        }
      case .maxTemperatureReached:
        switch leaf {
        case .ready where fridge.doorIsClosed: return .go(into: .cooling)
        case .resting, .ready, .minOn, .free, .defrosting, .dripping: return .inherit
        }
      case .doorClosed:
        switch leaf {
        case .ready(let demand) where step.when("too warm", demand): return .go(into: .cooling)
        case .resting, .ready, .minOn, .free, .defrosting, .dripping: return .inherit
        }
      case .minOff:
        switch leaf {
        case .resting(let rest): return startIfWanted(rest, step)
        case .ready, .minOn, .free, .defrosting, .dripping: return .inherit
        }
      case .minOn:
        switch leaf {
        case .minOn(let pending) where step.when("defrost pending", pending.defrost):
          return .go(to: .defrosting(rest(after: leaf, step)))
        case .minOn(let pending):
          return .go(to: step.when("stop pending", pending.stop) ? .resting(rest(after: leaf, step)) : .free)
        case .resting, .ready, .free, .defrosting, .dripping: return .inherit
        }
      case .defrostInterval:
        switch leaf {
        case .minOn(var pending):
          pending.defrost = true
          return .stayAs(.minOn(pending))
        case .resting, .ready, .free, .defrosting, .dripping: return .inherit
        }
      case .defrostDuration:
        switch leaf {
        case .defrosting(let rest): return .go(to: .dripping(rest))
        case .resting, .ready, .minOn, .free, .dripping: return .inherit
        }
      case .drip:
        switch leaf {
        case .dripping(let rest):
          if fridge.alarmIsPending { step.arm(.highTemp, after: step.parameters.highTemp) }
          return step.when("must rest", rest.until > step.now) ? .go(to: .resting(rest)) : startIfWanted(rest, step)
        case .resting, .ready, .minOn, .free, .defrosting: return .inherit
        }
      case .highLimitReached, .highLimitLeft, .doorOpened, .silence, .acknowledge, .powerLost, .powerRestored,
        .doorStopDelay, .doorAlarm, .highTemp:
        return .inherit
      }
    }

    func reaction(of composite: Composite, in leaf: State, to event: SmartFridge.Event, _ step: Step<Host>) -> Answer {
      switch event {
      case .minTemperatureReached:
        switch composite {
        case .unit:
          // When this event is sent by hand to a warm fridge, the sensor contradicts it after `recheckDelay`.
          if fridge.isWarm(step) { step.arm(.maxTemperatureReached, after: step.parameters.cabinet.recheckDelay) }
          return .stayAs(leaf.wanting(false))
        case .cycle, .cooling, .thawing: return .inherit
        }
      case .maxTemperatureReached:
        switch composite {
        case .unit: return .stayAs(leaf.wanting(true))
        case .cooling: return .ignore
        case .cycle, .thawing: return .inherit
        }
      case .doorOpened:
        switch composite {
        case .cooling where fridge.doorIsClosed && step.parameters.doorStopDelay > .zero:
          step.arm(.doorStopDelay, after: step.parameters.doorStopDelay)
          return .stay
        case .cooling where fridge.doorIsClosed: return stopForDoor(leaf, step)
        case .unit, .cycle, .cooling, .thawing: return .inherit
        }
      case .doorStopDelay:
        switch composite {
        case .cooling: return stopForDoor(leaf, step)
        case .unit, .cycle, .thawing: return .inherit
        }
      case .doorClosed:
        switch composite {
        case .cooling where !fridge.doorIsClosed:
          step.disarm(.doorStopDelay)
          return .stay
        case .unit, .cycle, .cooling, .thawing: return .inherit
        }
      case .defrostInterval:
        switch composite {
        case .cycle: return .go(to: .defrosting(rest(after: leaf, step)))
        case .unit, .cooling, .thawing: return .inherit
        }
      case .highLimitReached, .highLimitLeft, .silence, .acknowledge, .powerLost, .powerRestored, .minOff, .minOn,
        .doorAlarm, .highTemp, .defrostDuration, .drip:
        return .inherit
      }
    }

    /// The goods' safety from an open door overrides `minOn`. A defrost that waits for `minOn` is due at once.
    private func stopForDoor(_ leaf: State, _ step: Step<Host>) -> Answer {
      if case .minOn(let pending) = leaf, pending.defrost { step.raise(.defrostInterval) }
      return .go(to: .resting(rest(after: leaf, step)))
    }

    private func startIfWanted(_ rest: Rest, _ step: Step<Host>) -> Answer {
      step.when("too warm", rest.demand) && fridge.doorIsClosed
        ? .go(into: .cooling) : .go(to: .ready(demand: rest.demand))
    }

    /// The rest that remains after a state; after cooling it is a full one.
    private func rest(after leaf: State, _ step: Step<Host>) -> Rest {
      switch leaf {
      case .resting(let rest), .defrosting(let rest), .dripping(let rest): rest
      case .ready(let demand): Rest(demand: demand, until: step.now)
      case .minOn, .free: fullRest(step)
      }
    }

    private func fullRest(_ step: Step<Host>) -> Rest {
      Rest(demand: fridge.isWarm(step), until: step.now + step.parameters.minOff)
    }

    func initial(of composite: Composite, _ step: Step<Host>) -> Node {
      switch composite {
      case .unit: .composite(.cycle)
      case .cycle: .leaf(start(in: .resting, step))
      case .cooling: .leaf(start(in: .minOn, step))
      case .thawing: .leaf(start(in: .defrosting, step))
      }
    }

    /// A state with fresh data: nothing is known of the time before, so a rest begins now.
    func start(in name: CompressorName, _ step: Step<Host>) -> State {
      switch name {
      case .resting: .resting(fullRest(step))
      case .ready: .ready(demand: false)
      case .minOn: .minOn(Pending())
      case .free: .free
      case .defrosting: .defrosting(fullRest(step))
      case .dripping: .dripping(fullRest(step))
      }
    }

    func enter(_ node: Node, _ step: Step<Host>) {
      switch node {
      case .composite(.cooling): step.emit(.compressorOn)
      case .composite(.thawing): step.disarm(.highTemp)
      case .leaf(.defrosting): step.emit(.heaterOn)
      case .composite(.unit), .composite(.cycle), .leaf(.resting), .leaf(.ready), .leaf(.minOn), .leaf(.free),
        .leaf(.dripping):
        break
      }
    }

    func exit(_ node: Node, from leaf: State, _ step: Step<Host>) {
      switch node {
      case .composite(.cooling):
        step.emit(.compressorOff)
        step.disarm(.doorStopDelay)
      case .leaf(.defrosting): step.emit(.heaterOff)
      case .composite(.unit), .composite(.cycle), .composite(.thawing), .leaf(.resting), .leaf(.ready), .leaf(.minOn),
        .leaf(.free), .leaf(.dripping):
        break
      }
    }

    func timers(of node: Node, _ parameters: Host.Parameters) -> StateTimers<Host> {
      switch node {
      case .composite(.cycle): .after(parameters.defrostInterval, .defrostInterval)
      case .leaf(.resting(let rest)): .at(rest.until, .minOff)
      case .leaf(.minOn): .after(parameters.minOn, .minOn)
      case .leaf(.defrosting): .after(parameters.defrostDuration, .defrostDuration)
      case .leaf(.dripping): .after(parameters.drip, .drip)
      case .composite(.unit), .composite(.cooling), .composite(.thawing), .leaf(.ready), .leaf(.free): .none
      }
    }
  }
}

extension SmartFridge.Compressor.State {
  /// Whether cooling is wanted; `nil` while the compressor cools.
  var demand: Bool? {
    switch self {
    case .resting(let rest), .defrosting(let rest), .dripping(let rest): rest.demand
    case .ready(let demand): demand
    case .minOn, .free: nil
    }
  }

  /// The same state with `demand` set.
  fileprivate func wanting(_ demand: Bool) -> Self {
    switch self {
    case .resting(let rest): .resting(.init(demand: demand, until: rest.until))
    case .defrosting(let rest): .defrosting(.init(demand: demand, until: rest.until))
    case .dripping(let rest): .dripping(.init(demand: demand, until: rest.until))
    case .ready: .ready(demand: demand)
    case .minOn, .free: self
    }
  }
}
