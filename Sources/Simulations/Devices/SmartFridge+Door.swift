internal import StateMachines

extension SmartFridge {
  /// The door's region: a light while it is not closed, and a buzzer when it is not closed for too long.
  struct DoorRegion: Region {
    typealias Host = SmartFridge
    typealias State = Door

    func reaction(in leaf: Door, to signal: Signal, _ step: Step<Host>) -> Answer {
      switch (leaf, signal) {
      case (.closed, .doorOpened): return .go(into: .ajar)
      case (.open, .doorAlarm): return .go(to: .openTooLong)
      case (.openTooLong, .doorAlarm):
        step.emit(.buzzerOn)
        return .stay
      case (.openTooLong, .silence):
        step.emit(.buzzerOff)
        step.arm(.doorAlarm, after: step.parameters.doorAlarm)
        return .stay
      case (.closed, _), (.open, _), (.openTooLong, _): return .inherit
      }
    }

    func reaction(of composite: Composite, in leaf: Door, to signal: Signal, _ step: Step<Host>) -> Answer {
      switch (composite, signal) {
      case (.ajar, .doorClosed): .go(to: .closed)
      case (.ajar, _): .inherit
      }
    }

    func initial(of composite: Composite, _ step: Step<Host>) -> StatechartNode<Door, Composite> {
      switch composite {
      case .ajar: .leaf(.open)
      }
    }

    func enter(_ composite: Composite, for leaf: Door, _ step: Step<Host>) {
      switch composite {
      case .ajar:
        step.emit(.lightOn)
        step.arm(.doorAlarm, after: step.parameters.doorAlarm)
      }
    }

    func enter(_ leaf: Door, _ step: Step<Host>) {
      switch leaf {
      case .openTooLong: step.emit(.buzzerOn)
      case .closed, .open: break
      }
    }

    /// The light first, and then the buzzer.
    func exit(_ composite: Composite, from leaf: Door, _ step: Step<Host>) {
      switch composite {
      case .ajar:
        step.emit(.lightOff)
        if leaf == .openTooLong { step.emit(.buzzerOff) }
      }
    }

    static func timers(of leaf: Door) -> NameSet<TimerName> {
      switch leaf {
      case .closed, .open, .openTooLong: []
      }
    }

    static func timers(of composite: Composite) -> NameSet<TimerName> {
      switch composite {
      case .ajar: [.doorAlarm]
      }
    }
  }
}
