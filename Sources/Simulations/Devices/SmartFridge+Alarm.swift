import MachineForms
internal import StateMachines

extension SmartFridge {
  /// The region of the temperature alarm. acknowledge ends an alarm once the chamber is below the high limit again.
  struct Alarm: Region {
    typealias Host = SmartFridge

    let fridge: SmartFridge

    enum State: StateWithData {
      /// The chamber is below the high limit.
      case normal
      /// The chamber is at or above the high limit; `peak` is the highest temperature since. `highTemp` is running,
      /// except while thawing.
      case pendingHigh(peak: Double)
      /// The chamber was too warm for `highTemp`. `isHigh` tells whether it still is at or above the high limit.
      case highAlarm(peak: Double, isHigh: Bool)

      var name: AlarmName {
        switch self {
        case .normal: .normal
        case .pendingHigh: .pendingHigh
        case .highAlarm: .highAlarm
        }
      }
    }

    func reaction(in leaf: State, to event: SmartFridge.Event, _ step: Step<Host>) -> Answer {
      var warmest: Double { max(leaf.peak ?? -.infinity, fridge.temperature(at: step.now, step.parameters)) }
      switch event {
      case .highLimitReached:
        switch leaf {
        case .normal: return .go(to: .pendingHigh(peak: warmest))
        case .highAlarm(_, isHigh: false): return .stayAs(.highAlarm(peak: warmest, isHigh: true))
        case .pendingHigh, .highAlarm: return .inherit
        }
      case .highLimitLeft:
        switch leaf {
        case .pendingHigh: return .go(to: .normal)
        case .highAlarm(_, isHigh: true): return .stayAs(.highAlarm(peak: warmest, isHigh: false))
        case .normal, .highAlarm: return .inherit
        }
      case .highTemp:
        switch leaf {
        case .pendingHigh: return .go(to: .highAlarm(peak: warmest, isHigh: true))
        case .normal, .highAlarm: return .inherit
        }
      case .acknowledge:
        switch leaf {
        case .highAlarm(_, let isHigh):
          guard step.when("still too warm", isHigh) else { return .go(to: .normal) }
          step.emit(.buzzerOff)
          return .stay
        case .normal, .pendingHigh: return .inherit
        }
      case .minTemperatureReached, .maxTemperatureReached, .doorOpened, .doorClosed, .silence, .powerLost,
        .powerRestored, .minOff, .minOn, .doorStopDelay, .doorAlarm, .defrostInterval, .defrostDuration, .drip:
        return .inherit
      }
    }

    func enter(_ node: Node, _ step: Step<Host>) {
      switch node {
      case .leaf(.highAlarm): step.emit(.alarmOn)
      case .leaf(.normal), .leaf(.pendingHigh): break
      }
    }

    func exit(_ node: Node, from leaf: State, _ step: Step<Host>) {
      switch node {
      case .leaf(.highAlarm): step.emit(.alarmOff)
      case .leaf(.normal), .leaf(.pendingHigh): break
      }
    }

    /// The chamber may be warm while the evaporator thaws. `highTemp` is armed when the dripping ends.
    func timers(of node: Node, _ parameters: Host.Parameters) -> StateTimers<Host> {
      switch node {
      case .leaf(.pendingHigh): fridge.isThawing ? .none : .after(parameters.highTemp, .highTemp)
      case .leaf(.normal), .leaf(.highAlarm): .none
      }
    }
  }
}

extension SmartFridge.Alarm.State {
  /// The alarm of a new chamber, of which only the temperature is known.
  init(at temperature: Double, _ step: Step<SmartFridge>) {
    let isHigh = step.when("too warm", temperature >= step.parameters.highLimit)
    self = isHigh ? .pendingHigh(peak: temperature) : .normal
  }

  var isHigh: Bool {
    switch self {
    case .normal: false
    case .pendingHigh: true
    case .highAlarm(_, let isHigh): isHigh
    }
  }

  var peak: Double? {
    switch self {
    case .normal: nil
    case .pendingHigh(let peak), .highAlarm(let peak, _): peak
    }
  }

  /// The alarm with a peak of at least `temperature`.
  func noting(_ temperature: Double) -> Self {
    switch self {
    case .normal: self
    case .pendingHigh(let peak): .pendingHigh(peak: max(peak, temperature))
    case .highAlarm(let peak, let isHigh): .highAlarm(peak: max(peak, temperature), isHigh: isHigh)
    }
  }
}
