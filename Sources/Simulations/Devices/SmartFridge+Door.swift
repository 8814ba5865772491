import MachineForms
internal import StateMachines

extension SmartFridge {
  /// The door's region: a light while the door is not closed, and a buzzer when it is open for too long.
  struct DoorRegion: Region {
    typealias Host = SmartFridge
    typealias State = Door

    func reaction(in leaf: Door, to event: SmartFridge.Event, _ step: Step<Host>) -> Answer {
      switch (leaf, event) {
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

    func reaction(of composite: Composite, in leaf: Door, to event: SmartFridge.Event, _ step: Step<Host>) -> Answer {
      switch (composite, event) {
      case (.ajar, .doorClosed): .go(to: .closed)
      case (.ajar, _): .inherit
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
