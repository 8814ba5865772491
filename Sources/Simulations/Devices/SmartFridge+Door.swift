import MachineForms
internal import StateMachines

extension SmartFridge {
  /// The door's region: a light while the door is not closed, and a buzzer when it is open for too long.
  struct DoorRegion: Region {
    typealias Host = SmartFridge
    typealias State = Door

    func reaction(in leaf: Door, to event: SmartFridge.Event, _ step: Step<Host>) -> Answer {
      switch event {
      case .doorOpened:
        switch leaf {
        case .closed: return .go(into: .ajar)
        case .open, .openTooLong: return .inherit
        }
      case .doorAlarm:
        switch leaf {
        case .closed: return .inherit
        case .open: return .go(to: .openTooLong)
        case .openTooLong:
          step.emit(.buzzerOn)
          return .stay
        }
      case .silence:
        switch leaf {
        case .closed, .open: return .inherit
        case .openTooLong:
          step.emit(.buzzerOff)
          step.arm(.doorAlarm, after: step.parameters.doorAlarm)
          return .stay
        }
      case .minTemperatureReached, .maxTemperatureReached, .highLimitReached, .highLimitLeft, .doorClosed, .acknowledge,
        .powerLost, .powerRestored, .minOff, .minOn, .doorStopDelay, .highTemp, .defrostInterval, .defrostDuration,
        .drip:
        return .inherit
      }
    }

    func reaction(of composite: Composite, in leaf: Door, to event: SmartFridge.Event, _ step: Step<Host>) -> Answer {
      switch event {
      case .doorClosed:
        switch composite {
        case .ajar: .go(to: .closed)
        }
      case .minTemperatureReached, .maxTemperatureReached, .highLimitReached, .highLimitLeft, .doorOpened, .silence,
        .acknowledge, .powerLost, .powerRestored, .minOff, .minOn, .doorStopDelay, .doorAlarm, .highTemp,
        .defrostInterval, .defrostDuration, .drip:
        .inherit
      }
    }

    func initial(of composite: Composite, _ step: Step<Host>) -> Node {
      switch composite {
      case .ajar: .leaf(.open)
      }
    }

    func enter(_ node: Node, _ step: Step<Host>) {
      switch node {
      case .composite(.ajar): step.emit(.lightOn)
      case .leaf(.openTooLong): step.emit(.buzzerOn)
      case .leaf(.closed), .leaf(.open): break
      }
    }

    func exit(_ node: Node, from leaf: Door, _ step: Step<Host>) {
      switch node {
      case .composite(.ajar):
        step.emit(.lightOff)
        if leaf == .openTooLong { step.emit(.buzzerOff) }  // The light goes off first.
      case .leaf(.closed), .leaf(.open), .leaf(.openTooLong): break
      }
    }

    func timers(of node: Node, _ parameters: Host.Parameters) -> StateTimers<Host> {
      switch node {
      case .composite(.ajar): .after(parameters.doorAlarm, .doorAlarm)
      case .leaf(.closed), .leaf(.open), .leaf(.openTooLong): .none
      }
    }
  }
}
