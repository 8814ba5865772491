public import StateMachines

/// Follows an outgoing call from the tap on a phone icon to the return to the app, by nothing but what the system tells an app.
///
/// The system does not say whether the person pressed Call or Cancel in its confirmation. Either way the alert closes and
/// the app becomes active, so the tracker waits a little: if the call's screen takes over, the call is
/// starting; if nothing happens, it was cancelled.
///
/// | state \ event | phoneTapped | willResignActive | didBecomeActive | callDialing | callConnected | callEnded | waiting expires |
/// | --- | --- | --- | --- | --- | --- | --- | --- |
/// | none | → start, open | ignored | ignored | ignored | ignored | ignored | |
/// | start | ignored | → systemAlert | → none | → callStarting | ignored | ignored | |
/// | systemAlert | ignored | ignored | → waiting | ignored | ignored | ignored | |
/// | waiting | → start, open | → callStarting | → none | → callStarting | → callInProgress | ignored | → none |
/// | callStarting | ignored | ignored | → none | ignored | → callInProgress | → callEnded | |
/// | callInProgress | ignored | ignored | → none | ignored | ignored | → callEnded | |
/// | callEnded | ignored | ignored | → none, tracked | ignored | ignored | ignored | |
///
/// openFailed takes start to none; otherwise it is ignored, and so are didEnterBackground and willEnterForeground everywhere.
/// Nothing is refused: the system may tell all this at any time. Returning to the app during a call gives the call up.
///
/// A tracker that is made in a later state than `none` knows no number, and so it has nothing to track.
public struct CallTracker: LegacyMachine {
  public enum State: StateWithData {
    /// Nothing is tracked.
    case none
    /// The phone icon was tapped, and the system is to open the number.
    case start(Call)
    /// The system asks whether to call; the app is inactive.
    case systemAlert(Call)
    /// The system's question is gone, the answer unknown. `waiting` is running.
    case waiting(Call)
    /// The call's screen has taken over.
    case callStarting(Call)
    /// Both sides can talk.
    case callInProgress(ConnectedCall)
    /// The call is over, and the app is not active yet.
    case callEnded(EndedCall)

    public enum Name: NamedCases {
      case none, start, systemAlert, waiting, callStarting, callInProgress, callEnded
    }

    public var name: Name {
      switch self {
      case .none: .none
      case .start: .start
      case .systemAlert: .systemAlert
      case .waiting: .waiting
      case .callStarting: .callStarting
      case .callInProgress: .callInProgress
      case .callEnded: .callEnded
      }
    }
  }

  public struct Call: Hashable, Sendable, Codable {
    /// `nil` if the tracker was made after the tap.
    let number: String?
    let tappedAt: Moment
  }

  public struct ConnectedCall: Hashable, Sendable, Codable {
    let call: Call
    let connectedAt: Moment
  }

  public struct EndedCall: Hashable, Sendable, Codable {
    let call: Call
    /// `nil` if nobody answered.
    let connectedAt: Moment?
    let endedAt: Moment
    var wasConnected: Bool { connectedAt != nil }
    var duration: Interval { connectedAt.map { endedAt - $0 } ?? .zero }
  }

  public enum Event: Sendable {
    case phoneTapped(String)
    case openFailed
    case willResignActive, didEnterBackground, willEnterForeground, didBecomeActive
    case callDialing, callConnected, callEnded
  }

  public enum TimerName: NamedCases { case waiting }

  public enum Output: OutputWithData {
    case open(number: String)
    case tracked(number: String, duration: Interval, wasConnected: Bool)

    public enum Name: NamedCases { case open, tracked }

    public var name: Name {
      switch self {
      case .open: .open
      case .tracked: .tracked
      }
    }

    public var data: [Value] {
      switch self {
      case .open(let number): [.text(number)]
      case .tracked(let number, let duration, let wasConnected):
        [.text(number), .interval(duration), .flag(wasConnected)]
      }
    }
  }

  public struct Parameters: ParameterSet {
    var waiting = Interval.seconds(2)
    var requireConnected = false
    public init() {}
  }

  public var state: State

  public init(initial: State.Name?, _ step: Step<Self>) {
    let call = Call(number: nil, tappedAt: step.now)
    switch initial ?? .none {
    case .none: state = .none
    case .start: state = .start(call)
    case .systemAlert: state = .systemAlert(call)
    case .waiting:
      state = .waiting(call)
      step.arm(.waiting, after: step.parameters.waiting)
    case .callStarting: state = .callStarting(call)
    case .callInProgress: state = .callInProgress(ConnectedCall(call: call, connectedAt: step.now))
    case .callEnded: state = .callEnded(EndedCall(call: call, connectedAt: nil, endedAt: step.now))
    }
  }

  public mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (.none, .event(.phoneTapped(let number))):
      return start(number, step)
    case (.start, .event(.openFailed)), (.start, .event(.didBecomeActive)):
      return .move(to: .none)
    case (.start(let call), .event(.willResignActive)):
      return .move(to: .systemAlert(call))
    case (.start(let call), .event(.callDialing)):
      return .move(to: .callStarting(call))  // Some systems dial without asking.
    case (.systemAlert(let call), .event(.didBecomeActive)):
      step.arm(.waiting, after: step.parameters.waiting)
      return .move(to: .waiting(call))
    case (.waiting, .event(.phoneTapped(let number))):
      step.disarm(.waiting)
      return start(number, step)
    case (.waiting(let call), .event(.willResignActive)), (.waiting(let call), .event(.callDialing)):
      step.disarm(.waiting)
      return .move(to: .callStarting(call))
    case (.waiting(let call), .event(.callConnected)):
      step.disarm(.waiting)
      return .move(to: .callInProgress(ConnectedCall(call: call, connectedAt: step.now)))
    case (.waiting, .event(.didBecomeActive)):
      step.disarm(.waiting)
      return .move(to: .none)
    case (.waiting, .expired(.waiting)):
      return .move(to: .none)
    case (.callStarting(let call), .event(.callConnected)):
      return .move(to: .callInProgress(ConnectedCall(call: call, connectedAt: step.now)))
    case (.callStarting(let call), .event(.callEnded)):
      return .move(to: .callEnded(EndedCall(call: call, connectedAt: nil, endedAt: step.now)))
    case (.callInProgress(let connected), .event(.callEnded)):
      return .move(
        to: .callEnded(
          EndedCall(call: connected.call, connectedAt: connected.connectedAt, endedAt: step.now)))
    case (.callStarting, .event(.didBecomeActive)), (.callInProgress, .event(.didBecomeActive)):
      return .move(to: .none)
    case (.callEnded(let ended), .event(.didBecomeActive)):
      if let number = ended.call.number, ended.wasConnected || !step.parameters.requireConnected {
        step.emit(.tracked(number: number, duration: ended.duration, wasConnected: ended.wasConnected))
      }
      return .move(to: .none)

    case (.start, .event(.phoneTapped)), (.systemAlert, .event(.phoneTapped)), (.callStarting, .event(.phoneTapped)),
      (.callInProgress, .event(.phoneTapped)), (.callEnded, .event(.phoneTapped)):
      return .ignore
    case (.none, .event(.openFailed)), (.systemAlert, .event(.openFailed)), (.waiting, .event(.openFailed)),
      (.callStarting, .event(.openFailed)), (.callInProgress, .event(.openFailed)), (.callEnded, .event(.openFailed)):
      return .ignore
    case (.none, .event(.willResignActive)), (.systemAlert, .event(.willResignActive)),
      (.callStarting, .event(.willResignActive)), (.callInProgress, .event(.willResignActive)),
      (.callEnded, .event(.willResignActive)):
      return .ignore
    case (.none, .event(.didBecomeActive)):
      return .ignore  // The normal situation: the app is used for something else.
    case (.none, .event(.callDialing)), (.systemAlert, .event(.callDialing)), (.callStarting, .event(.callDialing)),
      (.callInProgress, .event(.callDialing)), (.callEnded, .event(.callDialing)):
      return .ignore
    case (.none, .event(.callConnected)), (.start, .event(.callConnected)), (.systemAlert, .event(.callConnected)),
      (.callInProgress, .event(.callConnected)), (.callEnded, .event(.callConnected)):
      return .ignore
    case (.none, .event(.callEnded)), (.start, .event(.callEnded)), (.systemAlert, .event(.callEnded)),
      (.waiting, .event(.callEnded)), (.callEnded, .event(.callEnded)):
      return .ignore
    case (_, .event(.didEnterBackground)), (_, .event(.willEnterForeground)):
      return .ignore
    case (.none, .expired(.waiting)), (.start, .expired(.waiting)), (.systemAlert, .expired(.waiting)),
      (.callStarting, .expired(.waiting)), (.callInProgress, .expired(.waiting)), (.callEnded, .expired(.waiting)):
      return .ignore
    }
  }

  public func asksFor(_ timer: TimerName) -> Bool {
    switch timer {
    case .waiting: if case .waiting = state { true } else { false }
    }
  }

  private func start(_ number: String, _ step: Step<Self>) -> Reaction<State> {
    step.emit(.open(number: number))
    return .move(to: .start(Call(number: number, tappedAt: step.now)))
  }
}

extension CallTracker.State {
  fileprivate var call: CallTracker.Call? {
    switch self {
    case .none: nil
    case .start(let call), .systemAlert(let call), .waiting(let call), .callStarting(let call): call
    case .callInProgress(let connected): connected.call
    case .callEnded(let ended): ended.call
    }
  }

  fileprivate var connectedAt: Moment? {
    switch self {
    case .none, .start, .systemAlert, .waiting, .callStarting: nil
    case .callInProgress(let connected): connected.connectedAt
    case .callEnded(let ended): ended.connectedAt
    }
  }

  fileprivate var ended: CallTracker.EndedCall? {
    switch self {
    case .none, .start, .systemAlert, .waiting, .callStarting, .callInProgress: nil
    case .callEnded(let ended): ended
    }
  }
}

extension ValueType {
  /// A phone number, or whatever else a phone can be told to call.
  static let phoneNumber = ValueType.text(bytes: 1...64)
}

extension CallTracker {
  public static let kind = Kind(
    CallTracker.self, "callTracker", "follows an outgoing call by what the system tells an app",
    origin: """
      a talk at a job site's conference: its slides give the states and what didBecomeActive does in each; the other columns \
      follow from the titles of the slides, and the wait of 2 s is chosen here
      """,
    example: [
      "new callTracker t", "send t phoneTapped +380441234567", "send t willResignActive", "send t didBecomeActive",
      "agenda", "send t willResignActive", "send t callConnected", "advance 1m", "send t callEnded",
      "send t didBecomeActive",
    ],
    states: [
      .none: "nothing is tracked",
      .start: "the phone icon was tapped, and the system is to open the number",
      .systemAlert: "the system asks whether to call",
      .waiting: "the question is gone, and nobody knows what was answered",
      .callStarting: "the call's screen has taken over",
      .callInProgress: "both sides can talk",
      .callEnded: "the call is over, and the app is not active yet",
    ],
    events: [
      .event(
        Event.phoneTapped, .text("number", bytes: 1...64), about: "the phone icon beside a number is tapped in the app"),
      .event(.openFailed, "the system cannot open the number"),
      .event(.willResignActive, "the system: the app is about to become inactive"),
      .event(.didEnterBackground, "the system: the app is in the background"),
      .event(.willEnterForeground, "the system: the app is about to leave the background"),
      .event(.didBecomeActive, "the system: the app is active"),
      .event(.callDialing, "the call observer: an outgoing call is not connected yet"),
      .event(.callConnected, "the call observer: both sides of an outgoing call can talk"),
      .event(.callEnded, "the call observer: an outgoing call is over"),
    ],
    timers: [.waiting: .after("waiting", "nothing has happened since the question: the call was cancelled")],
    outputs: [
      .open: .output(("number", .phoneNumber), about: "asks the system to call a number"),
      .tracked: .output(
        ("number", .phoneNumber), ("duration", .interval(.zero ... .longest)), ("wasConnected", .flag),
        about: "a call was made; the time from callConnected to callEnded, 0 if nobody answered"),
    ],
    readings: [
      .reading("number", .phoneNumber, "that was tapped") { machine, _, _ in machine.state.call?.number },
      .reading("tappedAt", .moment, "when the phone icon was tapped") { machine, _, _ in machine.state.call?.tappedAt },
      .reading("connectedAt", .moment, "when both sides could talk") { machine, _, _ in machine.state.connectedAt },
      .reading("endedAt", .moment, "when the call was over") { machine, _, _ in machine.state.ended?.endedAt },
      .reading("wasConnected", .flag, "whether the call that is over was answered") {
        machine, _, _ in machine.state.ended?.wasConnected
      },
    ],
    parameters: [
      .parameter("waiting", \.waiting, .delay, "how long the call's screen may take to appear"),
      .parameter("requireConnected", \.requireConnected, .flag, "on: a call that nobody answered is not tracked"),
    ])
}
