public import StateMachines

/// A phone with one app on it, as the app sees it: it asks before it calls, and tells the app what happens around it.
///
/// It stands in for the system beside a ``CallTracker`` and for the person who holds the phone. A state prints as
/// three regions, the app, the alert and the call, of which seven combinations can occur: the app is inactive exactly
/// while the alert is shown, and an alert is shown only where there is no call.
///
/// | event | taken | refused | ignored |
/// | --- | --- | --- | --- |
/// | openTel | in the app, nothing else going on: stayed, the alert follows | anywhere else | |
/// | pressCall | alert: → the app, the call's screen follows | no alert | |
/// | pressCancel | alert: → the app | no alert | |
/// | hangUp | dialing or connected: → idle, wherever the app is | no call yet, or none any more | |
/// | openApp | background: → foreground | alert: it must be answered first | the app is in front already |
/// | goHome | foreground, alert: → background | | the app is in the background already |
///
/// Going home closes the alert like pressCancel, and stops one that was about to appear. A call that was ordered
/// comes whether the app is still in front or not, and it goes on when the app is opened during it.
public struct Phone: LegacyMachine {
  public enum State: StateWithData {
    /// The app is in front.
    case foreground(Line)
    /// The app is in front, and has just asked for a call. `alert` is running.
    case opening(Number)
    /// The alert asks whether to call; the app behind it is inactive.
    case alerting(Number)
    /// The home screen or the call's screen is in front.
    case background(Line)

    public enum Name: UInt8, CaseIterable {
      case foregroundIdle, foregroundDialing, foregroundConnected
      case inactiveAlert
      case backgroundIdle, backgroundDialing, backgroundConnected
    }

    public var name: Name {
      switch self {
      case .foreground(.idle), .foreground(.starting), .opening: .foregroundIdle
      case .foreground(.dialing): .foregroundDialing
      case .foreground(.connected): .foregroundConnected
      case .alerting: .inactiveAlert
      case .background(.idle), .background(.starting): .backgroundIdle
      case .background(.dialing): .backgroundDialing
      case .background(.connected): .backgroundConnected
      }
    }
  }

  /// What the telephone in the phone does.
  public enum Line: Hashable, Sendable, Codable {
    /// Nothing.
    case idle
    /// The call was ordered, and its screen is about to appear. `callUI` is running.
    case starting(Number)
    /// The other side's phone rings. `ring` is running.
    case dialing(Number)
    /// Both sides can talk.
    case connected(Number)
  }

  /// Whom to call; `nil` in a phone that was made with its call.
  public typealias Number = String?

  public enum Event: Sendable {
    case openTel(String)
    case pressCall, pressCancel, hangUp, openApp, goHome
  }

  public enum TimerName: NamedCases { case alert, callUI, ring }

  public enum Output: MachineOutput {
    case willResignActive, didEnterBackground, willEnterForeground, didBecomeActive
    case callDialing, callConnected, callEnded
  }

  public struct Parameters: ParameterSet {
    var alert = Interval.milliseconds(100)
    var callUI = Interval.milliseconds(300)
    var ring = Interval.seconds(6)
    public init() {}
  }

  public var state: State

  public init(initial: State.Name?, _ step: Step<Self>) {
    switch initial ?? .foregroundIdle {
    case .foregroundIdle: state = .foreground(.idle)
    case .foregroundDialing: state = .foreground(.dialing(nil))
    case .foregroundConnected: state = .foreground(.connected(nil))
    case .inactiveAlert: state = .alerting(nil)
    case .backgroundIdle: state = .background(.idle)
    case .backgroundDialing: state = .background(.dialing(nil))
    case .backgroundConnected: state = .background(.connected(nil))
    }
    if asksFor(.ring) { step.arm(.ring, after: step.parameters.ring) }
  }

  public mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (.foreground(.idle), .event(.openTel(let number))):
      step.arm(.alert, after: step.parameters.alert)
      return .stayAs(.opening(number))
    case (.opening(let number), .expired(.alert)):
      step.emit(.willResignActive)
      return .move(to: .alerting(number))
    case (.alerting(let number), .event(.pressCall)):
      step.emit(.didBecomeActive)
      step.arm(.callUI, after: step.parameters.callUI)
      return .move(to: .foreground(.starting(number)))
    case (.alerting, .event(.pressCancel)):
      step.emit(.didBecomeActive)
      return .move(to: .foreground(.idle))
    case (.foreground(.starting(let number)), .expired(.callUI)):
      step.emit(.willResignActive)
      step.emit(.callDialing)
      step.emit(.didEnterBackground)
      step.arm(.ring, after: step.parameters.ring)
      return .move(to: .background(.dialing(number)))
    case (.background(.starting(let number)), .expired(.callUI)):
      step.emit(.callDialing)
      step.arm(.ring, after: step.parameters.ring)
      return .move(to: .background(.dialing(number)))
    case (.foreground(.dialing(let number)), .expired(.ring)):
      step.emit(.callConnected)
      return .move(to: .foreground(.connected(number)))
    case (.background(.dialing(let number)), .expired(.ring)):
      step.emit(.callConnected)
      return .move(to: .background(.connected(number)))
    case (.foreground(.dialing), .event(.hangUp)), (.foreground(.connected), .event(.hangUp)):
      step.disarm(.ring)
      step.emit(.callEnded)
      return .move(to: .foreground(.idle))
    case (.background(.dialing), .event(.hangUp)), (.background(.connected), .event(.hangUp)):
      step.disarm(.ring)
      step.emit(.callEnded)
      return .move(to: .background(.idle))
    case (.background(let line), .event(.openApp)):
      step.emit(.willEnterForeground)
      step.emit(.didBecomeActive)
      return .move(to: .foreground(line))
    case (.foreground(let line), .event(.goHome)):
      step.emit(.willResignActive)
      step.emit(.didEnterBackground)
      return .move(to: .background(line))
    case (.opening, .event(.goHome)):
      step.disarm(.alert)
      step.emit(.willResignActive)
      step.emit(.didEnterBackground)
      return .move(to: .background(.idle))
    case (.alerting, .event(.goHome)):
      step.emit(.didEnterBackground)
      return .move(to: .background(.idle))

    case (.opening, .event(.openTel)), (.alerting, .event(.openTel)):
      return step.refuse("the phone is asking about another number")
    case (.foreground(.starting), .event(.openTel)), (.foreground(.dialing), .event(.openTel)),
      (.foreground(.connected), .event(.openTel)):
      return step.refuse("the phone is busy with a call")
    case (.background, .event(.openTel)):
      return step.refuse("only an app in the foreground can ask for a call")
    case (.foreground, .event(.pressCall)), (.opening, .event(.pressCall)), (.background, .event(.pressCall)),
      (.foreground, .event(.pressCancel)), (.opening, .event(.pressCancel)), (.background, .event(.pressCancel)):
      return step.refuse("no alert is shown")
    case (.foreground(.idle), .event(.hangUp)), (.foreground(.starting), .event(.hangUp)), (.opening, .event(.hangUp)),
      (.alerting, .event(.hangUp)), (.background(.idle), .event(.hangUp)), (.background(.starting), .event(.hangUp)):
      return step.refuse("there is no call to hang up")
    case (.alerting, .event(.openApp)):
      return step.refuse("the alert must be answered first")

    case (.foreground, .event(.openApp)), (.opening, .event(.openApp)), (.background, .event(.goHome)):
      return .ignore
    case (.foreground, .expired(.alert)), (.alerting, .expired(.alert)), (.background, .expired(.alert)),
      (.foreground(.idle), .expired(.callUI)), (.foreground(.dialing), .expired(.callUI)),
      (.foreground(.connected), .expired(.callUI)), (.opening, .expired(.callUI)), (.alerting, .expired(.callUI)),
      (.background(.idle), .expired(.callUI)), (.background(.dialing), .expired(.callUI)),
      (.background(.connected), .expired(.callUI)),
      (.foreground(.idle), .expired(.ring)), (.foreground(.starting), .expired(.ring)),
      (.foreground(.connected), .expired(.ring)), (.opening, .expired(.ring)), (.alerting, .expired(.ring)),
      (.background(.idle), .expired(.ring)), (.background(.starting), .expired(.ring)),
      (.background(.connected), .expired(.ring)):
      return .ignore  // These timers cannot be running there.
    }
  }

  public func asksFor(_ timer: TimerName) -> Bool {
    switch (timer, state) {
    case (.alert, .opening), (.callUI, .foreground(.starting)), (.callUI, .background(.starting)),
      (.ring, .foreground(.dialing)), (.ring, .background(.dialing)):
      true
    case (.alert, .foreground), (.alert, .alerting), (.alert, .background), (.callUI, .foreground), (.callUI, .opening),
      (.callUI, .alerting), (.callUI, .background), (.ring, .foreground), (.ring, .opening), (.ring, .alerting),
      (.ring, .background):
      false
    }
  }
}

extension Phone.State.Name: NamedCases {
  /// The app, the alert and the call.
  public static let words = allCases.map { name in
    switch name {
    case .foregroundIdle: "foreground+noAlert+idle"
    case .foregroundDialing: "foreground+noAlert+dialing"
    case .foregroundConnected: "foreground+noAlert+connected"
    case .inactiveAlert: "inactive+alert+idle"
    case .backgroundIdle: "background+noAlert+idle"
    case .backgroundDialing: "background+noAlert+dialing"
    case .backgroundConnected: "background+noAlert+connected"
    }
  }
}

extension Phone.State {
  fileprivate var number: Phone.Number {
    switch self {
    case .foreground(let line), .background(let line): line.number
    case .opening(let number), .alerting(let number): number
    }
  }
}

extension Phone.Line {
  fileprivate var number: Phone.Number {
    switch self {
    case .idle: nil
    case .starting(let number), .dialing(let number), .connected(let number): number
    }
  }
}

extension Phone {
  public static let kind = Kind(
    Phone.self, "phone", "a phone with one app on it, which it tells of alerts, calls and its coming and going",
    origin: """
      made here, after how a phone's system asks before it calls, so that a call tracker has something to track
      """,
    example: [
      "new phone p", "watch p", "send p openTel 112", "advance 100ms", "send p pressCall", "advance 300ms",
      "advance 6s", "send p hangUp", "send p openApp",
    ],
    regions: .init(["app", "alert", "call"]),
    states: [
      .foregroundIdle: "the app is in front; an alert or a call may be about to appear",
      .foregroundDialing: "the app is in front, and the other side's phone rings",
      .foregroundConnected: "the app is in front during a call",
      .inactiveAlert: "the phone asks whether to call",
      .backgroundIdle: "the home screen is in front",
      .backgroundDialing: "the other side's phone rings",
      .backgroundConnected: "both sides can talk",
    ],
    events: [
      .event(Event.openTel, .text("number", bytes: 1...64), about: "the app asks for a call"),
      .event(.pressCall, "the person answers the alert: call"),
      .event(.pressCancel, "the person answers the alert: do not call"),
      .event(.hangUp, "the person, or the other side, ends the call"),
      .event(.openApp, "the person opens the app; ignored where it is in front"),
      .event(.goHome, "the person leaves the app; ignored where it is in the background"),
    ],
    timers: [
      .alert: .after("alert", "the alert appears"),
      .callUI: .after("callUI", "the call's screen appears"),
      .ring: .after("ring", "the other side answers"),
    ],
    outputs: [
      .willResignActive: .output(about: "the app is about to become inactive"),
      .didEnterBackground: .output(about: "the app is in the background"),
      .willEnterForeground: .output(about: "the app is about to leave the background"),
      .didBecomeActive: .output(about: "the app is active"),
      .callDialing: .output(about: "an outgoing call is not connected yet"),
      .callConnected: .output(about: "both sides can talk"),
      .callEnded: .output(about: "the call is over"),
    ],
    readings: [
      .reading("number", .phoneNumber, "that is asked about or called") { machine, _, _ in machine.state.number }
    ],
    parameters: [
      .parameter("alert", \.alert, .delay, "how long the alert takes to appear"),
      .parameter("callUI", \.callUI, .delay, "how long the call's screen takes to appear after pressCall"),
      .parameter("ring", \.ring, .delay, "how long the other side's phone rings before it is answered"),
    ])
}
