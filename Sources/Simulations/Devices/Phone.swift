public import StateMachines

/// A phone with one app on it, as the app sees it: the phone asks before it calls, and reports to the app what happens.
///
/// It stands for the system beside a ``CallTracker``, and for the person who holds the phone. A state prints as three
/// regions: the app, the alert and the call. Seven combinations can occur, because the app is inactive exactly while
/// the alert is shown, and the alert is shown only when there is no call.
///
/// | event | taken | refused | ignored |
/// | --- | --- | --- | --- |
/// | openTel | in the app, nothing else going on: stayed, the alert follows | anywhere else | |
/// | pressCall | alert: → the app, the call's screen follows | no alert | |
/// | pressCancel | alert: → the app | no alert | |
/// | hangUp | dialing or connected: → idle | no call | |
/// | openApp | background: → foreground | alert: it must be answered first | the app is in front already |
/// | goHome | foreground, alert: → background | | the app is in the background already |
///
/// With `returns` the phone goes back to the app by itself, that long after a call has ended in the background; goHome
/// prevents it. By default only openApp does.
///
/// goHome closes the alert as pressCancel does, and cancels one that is about to appear. An ordered call starts whether
/// or not the app is in front, and continues when the app is opened.
public struct Phone: Machine {
  public enum State: StateWithData {
    /// The app is in front.
    case foreground(Line)
    /// The app is in front and has asked for a call. `alert` is running.
    case opening
    /// The alert asks whether to call; the app behind it is inactive.
    case alerting
    /// The home screen or the call's screen is in front.
    case background(Line)
    /// The call has ended, and the app is about to be in front again. `returns` is running.
    case returning

    public enum Name: NamedCases {
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
      case .background(.idle), .background(.starting), .returning: .backgroundIdle
      case .background(.dialing): .backgroundDialing
      case .background(.connected): .backgroundConnected
      }
    }
  }

  /// The state of the telephone line.
  public enum Line: Hashable, Sendable, Codable {
    /// No call.
    case idle
    /// The call was ordered, and its screen is about to appear. `callUI` is running.
    case starting
    /// The other side's phone rings. `ring` is running.
    case dialing
    /// Both sides can talk.
    case connected
  }

  public enum Event: MachineEvent {
    case openTel(String)
    case pressCall, pressCancel, hangUp, openApp, goHome
    case alertAppears, callUIAppears, otherSideAnswers, appReturns
  }

  public enum Output: MachineOutput {
    case willResignActive, didEnterBackground, willEnterForeground, didBecomeActive
    case callDialing, callConnected, callEnded
  }

  public struct Parameters: ParameterSet {
    var alert = Duration.milliseconds(100)
    var callUI = Duration.milliseconds(300)
    var ring = Duration.seconds(6)
    /// `nil`: never.
    var returns: Duration?
    public init() {}
  }

  /// The number to call; `nil` when there is none, and in a phone that was made during a call.
  private var number: String?
  public var state = State.foreground(.idle)
  public init() {}

  public func start(in name: State.Name, _ step: Step<Self>) -> State {
    switch name {
    case .foregroundIdle: .foreground(.idle)
    case .foregroundDialing: .foreground(.dialing)
    case .foregroundConnected: .foreground(.connected)
    case .inactiveAlert: .alerting
    case .backgroundIdle: .background(.idle)
    case .backgroundDialing: .background(.dialing)
    case .backgroundConnected: .background(.connected)
    }
  }

  public func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    switch state {
    case .opening: .after(parameters.alert, .alertAppears)
    case .foreground(.starting), .background(.starting): .after(parameters.callUI, .callUIAppears).continuing
    case .foreground(.dialing), .background(.dialing): .after(parameters.ring, .otherSideAnswers).continuing
    case .returning: if let returns = parameters.returns { .after(returns, .appReturns) } else { .none }
    case .foreground(.idle), .foreground(.connected), .alerting, .background(.idle), .background(.connected): .none
    }
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .openTel(let number):
      switch state {
      case .foreground(.idle): open(number)
      case .opening, .alerting: step.refuse("the phone is asking about another number")
      case .foreground(.starting), .foreground(.dialing), .foreground(.connected):
        step.refuse("the phone is busy with a call")
      case .background, .returning: step.refuse("only an app in the foreground can ask for a call")
      }
    case .pressCall:
      switch state {
      case .alerting: tell(.didBecomeActive, to: .foreground(.starting), step)
      case .foreground, .opening, .background, .returning: step.refuse("no alert is shown")
      }
    case .pressCancel:
      switch state {
      case .alerting: tell(.didBecomeActive, to: .foreground(.idle), step)
      case .foreground, .opening, .background, .returning: step.refuse("no alert is shown")
      }
    case .hangUp:
      switch state {
      case .foreground(.dialing), .foreground(.connected): tell(.callEnded, to: .foreground(.idle), step)
      case .background(.dialing), .background(.connected):
        tell(
          .callEnded, to: step.when("returns", step.parameters.returns != nil) ? .returning : .background(.idle), step)
      case .foreground(.idle), .foreground(.starting), .opening, .alerting, .background(.idle), .background(.starting),
        .returning:
        step.refuse("there is no call to hang up")
      }
    case .openApp:
      switch state {
      case .foreground, .opening: .ignore
      case .alerting: step.refuse("the alert must be answered first")
      case .background(let line): tell(.willEnterForeground, .didBecomeActive, to: .foreground(line), step)
      case .returning: tell(.willEnterForeground, .didBecomeActive, to: .foreground(.idle), step)
      }
    case .goHome:
      switch state {
      case .foreground(let line): tell(.willResignActive, .didEnterBackground, to: .background(line), step)
      case .opening: tell(.willResignActive, .didEnterBackground, to: .background(.idle), step)
      case .alerting: tell(.didEnterBackground, to: .background(.idle), step)
      case .returning: .stayAs(.background(.idle))
      case .background: .ignore
      }
    case .alertAppears:
      switch state {
      case .opening: tell(.willResignActive, to: .alerting, step)
      case .foreground, .alerting, .background, .returning: .ignore
      }
    case .callUIAppears:
      switch state {
      case .foreground(.starting):
        tell(.willResignActive, .callDialing, .didEnterBackground, to: .background(.dialing), step)
      case .background(.starting): tell(.callDialing, to: .background(.dialing), step)
      case .foreground, .opening, .alerting, .background, .returning: .ignore
      }
    case .otherSideAnswers:
      switch state {
      case .foreground(.dialing): tell(.callConnected, to: .foreground(.connected), step)
      case .background(.dialing): tell(.callConnected, to: .background(.connected), step)
      case .foreground, .opening, .alerting, .background, .returning: .ignore
      }
    case .appReturns: tell(.willEnterForeground, .didBecomeActive, to: .foreground(.idle), step)
    }
  }

  private mutating func open(_ number: String) -> Reaction<State> {
    self.number = number
    return .stayAs(.opening)
  }

  /// Emits the outputs, and moves.
  private func tell(_ outputs: Output..., to next: State, _ step: Step<Self>) -> Reaction<State> {
    for output in outputs { step.emit(output) }
    return .move(to: next)
  }

  /// Forgets the number when the call is over.
  public mutating func entered(_ state: State, _ step: Step<Self>) {
    switch state {
    case .foreground(.idle), .background(.idle), .returning: number = nil
    case .foreground, .opening, .alerting, .background: break
    }
  }
}

extension ValueType {
  /// A phone number, or any text that a phone can be told to call.
  static let phoneNumber = ValueType.text(bytes: 1...64)
}

extension Phone.State.Name {
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

extension Phone {
  public static let kind = Kind(
    Phone.self, "phone",
    "a phone with one app, which it tells about alerts, calls and moves to and from the background",
    origin: "designed here as the counterpart of callTracker, after the way in which a phone asks before it calls",
    source: "slides",
    example: [
      "new phone p", "watch p", "send p openTel 112", "advance 100ms", "send p pressCall", "advance 300ms",
      "advance 6s", "send p hangUp", "send p openApp",
    ],
    regions: .init(["app", "alert", "call"]),
    states: {
      switch $0 {
      case .foregroundIdle: "the app is in front; an alert or a call may be about to appear"
      case .foregroundDialing: "the app is in front, and the other side's phone rings"
      case .foregroundConnected: "the app is in front during a call"
      case .inactiveAlert: "the phone asks whether to call"
      case .backgroundIdle: "the home screen is in front"
      case .backgroundDialing: "the other side's phone rings"
      case .backgroundConnected: "both sides can talk"
      }
    },
    events: [
      .event(Event.openTel, .text("number", bytes: 1...64, like: ["x"]), about: "the app asks for a call"),
      .event(.pressCall, "the person answers the alert: call"),
      .event(.pressCancel, "the person answers the alert: do not call"),
      .event(.hangUp, "the person, or the other side, ends the call"),
      .event(.openApp, "the person opens the app; ignored if it is in front"),
      .event(.goHome, "the person leaves the app; ignored if it is in the background"),
    ],
    timers: [
      .timer(.alertAppears, named: "alert", after: "alert", "the alert appears"),
      .timer(.callUIAppears, named: "callUI", after: "callUI", "the call's screen appears"),
      .timer(.otherSideAnswers, named: "ring", after: "ring", "the other side answers"),
      .timer(.appReturns, named: "returns", "the app is in front again, returns after the end of a call"),
    ],
    outputs: {
      switch $0 {
      case .willResignActive: "the app is about to become inactive"
      case .didEnterBackground: "the app is in the background"
      case .willEnterForeground: "the app is about to leave the background"
      case .didBecomeActive: "the app is active"
      case .callDialing: "an outgoing call is not connected yet"
      case .callConnected: "both sides can talk"
      case .callEnded: "the call is over"
      }
    },
    readings: [
      .reading("number", .phoneNumber, \.number, "the number that is asked about or called")
    ],
    parameters: [
      .parameter("alert", \.alert, .delay, "how long the alert takes to appear"),
      .parameter("callUI", \.callUI, .delay, "how long the call's screen takes to appear after pressCall"),
      .parameter("ring", \.ring, .delay, "how long the other side's phone rings before it is answered"),
      .parameter(
        "returns", \.returns, .optional(.interval(.zero ... .longest)),
        "how long after a call in the background the app is in front again; never if it is not given"),
    ])
}
