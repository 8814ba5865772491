public import StateMachines

/// A tracker that follows an outgoing call, from the tap on a phone icon to the return to the app, by what the system
/// tells an app.
///
/// The system does not report whether the person pressed Call or Cancel in its alert. Either way the alert closes and
/// the app becomes active, so the tracker waits for `waiting`. If the call's screen appears meanwhile, the call is
/// starting; otherwise it was cancelled.
///
/// | state | phoneTapped(+7000) | openFailed | willResignActive | didEnterBackground | willEnterForeground | didBecomeActive | callDialing | callConnected | callEnded | waiting expires |
/// | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
/// | none | → start > open +7000 | ignored | ignored | ignored | ignored | ignored | ignored | ignored | ignored | – |
/// | start | ignored | → none | → systemAlert | ignored | ignored | → none | → callStarting | ignored | ignored | – |
/// | systemAlert | ignored | ignored | ignored | ignored | ignored | → waiting | ignored | ignored | ignored | – |
/// | waiting | → start > open +7000 | ignored | → callStarting | ignored | ignored | → none | → callStarting | → callInProgress | ignored | → none |
/// | callStarting | ignored | ignored | ignored | ignored | ignored | → none | ignored | → callInProgress | → callEnded | – |
/// | callInProgress | ignored | ignored | ignored | ignored | ignored | → none | ignored | ignored | → callEnded | – |
/// | callEnded | ignored | ignored | ignored | ignored | ignored | → none | ignored | ignored | ignored | – |
///
/// openFailed leads from start to none, and is ignored elsewhere. didEnterBackground and willEnterForeground are always
/// ignored. No event is refused, because the system may send any of them at any time. A return to the app during a call
/// ends the tracking.
///
/// A tracker that is made in a state after `none` has no number, so it tracks nothing.
public struct CallTracker: Machine {
  public enum State: MachineState {
    case none, start, systemAlert, waiting, callStarting, callInProgress, callEnded
  }

  public enum Event: MachineEvent {
    case phoneTapped(String), openFailed, waitedInVain
    case willResignActive, didEnterBackground, willEnterForeground, didBecomeActive
    case callDialing, callConnected, callEnded
  }

  public enum Output: OutputWithData {
    case open(number: String)
    case tracked(number: String, duration: Nanoseconds, wasConnected: Bool)

    public enum Name: NamedCases { case open, tracked }
  }

  public struct Parameters: ParameterSet {
    var waiting = Duration.seconds(2)
    var requireConnected = false
    public init() {}
  }

  /// The facts of a call, filled in state by state.
  private struct Call: Codable, PartlyIncidental {
    /// `nil` if the tracker was made after the tap.
    var number: String?
    var tappedAt: Instant
    var connectedAt: Instant?
    var endedAt: Instant?

    var wasConnected: Bool { connectedAt != nil }

    /// Whose call it is and when it was decides nothing.
    func essence(for parameters: any ParameterSet) -> [Bool] { [number != nil, connectedAt != nil, endedAt != nil] }
  }

  /// `nil` in `none`.
  private var call: Call?
  public var state = State.none
  public init() {}

  public mutating func start(in state: State, _ step: Step<Self>) -> State {
    call = Call(tappedAt: step.now)
    return state
  }

  public func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    state == .waiting ? .after(parameters.waiting, .waitedInVain) : .none
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .phoneTapped(let number):
      switch state {
      case .none, .waiting: open(number, step)
      case .start, .systemAlert, .callStarting, .callInProgress, .callEnded: .ignore
      }
    case .openFailed:
      switch state {
      case .start: .move(to: .none)
      case .none, .systemAlert, .waiting, .callStarting, .callInProgress, .callEnded: .ignore
      }
    case .willResignActive:
      switch state {
      case .start: .move(to: .systemAlert)
      case .waiting: .move(to: .callStarting)
      case .none, .systemAlert, .callStarting, .callInProgress, .callEnded: .ignore
      }
    case .didEnterBackground, .willEnterForeground: .ignore
    case .didBecomeActive:
      switch state {
      case .none: .ignore  // The app was not left for a call.
      case .systemAlert: .move(to: .waiting)
      case .start, .waiting, .callStarting, .callInProgress: .move(to: .none)
      case .callEnded: track(step)
      }
    case .callDialing:
      switch state {
      case .start, .waiting: .move(to: .callStarting)  // Some systems dial without an alert.
      case .none, .systemAlert, .callStarting, .callInProgress, .callEnded: .ignore
      }
    case .callConnected:
      switch state {
      case .waiting, .callStarting: .move(to: .callInProgress)
      case .none, .start, .systemAlert, .callInProgress, .callEnded: .ignore
      }
    case .callEnded:
      switch state {
      case .callStarting, .callInProgress: .move(to: .callEnded)
      case .none, .start, .systemAlert, .waiting, .callEnded: .ignore
      }
    case .waitedInVain: .move(to: .none)
    }
  }

  private mutating func open(_ number: String, _ step: Step<Self>) -> Reaction<State> {
    call = Call(number: number, tappedAt: step.now)
    return step.emit(.open(number: number), then: .move(to: .start))
  }

  private func track(_ step: Step<Self>) -> Reaction<State> {
    // A tracker that began in `callEnded` knows no number.
    let counts = call.map { $0.number != nil && ($0.wasConnected || !step.parameters.requireConnected) } ?? false
    if step.when("worth tracking", counts), let call, let number = call.number, let endedAt = call.endedAt {
      let duration = call.connectedAt.map { endedAt - $0 } ?? .zero
      step.emit(.tracked(number: number, duration: duration, wasConnected: call.wasConnected))
    }
    return .move(to: .none)
  }

  public mutating func entered(_ state: State, _ step: Step<Self>) {
    switch state {
    case .none: call = nil
    case .callInProgress: call?.connectedAt = step.now
    case .callEnded: call?.endedAt = step.now
    case .start, .systemAlert, .waiting, .callStarting: break
    }
  }

  public static let kind = Kind(
    CallTracker.self, "callTracker", "follows an outgoing call by the system's reports to an app",
    origin: "the slides of a conference talk; the columns but didBecomeActive, and the 2 s, are designed here",
    source: "slides",
    reason: "the system does not say whether Call or Cancel was pressed: either way its alert closes and the app "
      + "becomes active; only what follows tells, so the tracker waits to see whether the call's screen appears",
    legend: [
      "custom": ["phoneTapped", "openFailed", "waiting"],
      "system": [
        "willResignActive", "didEnterBackground", "willEnterForeground", "didBecomeActive", "callDialing",
        "callConnected", "callEnded",
      ],
    ],
    example: [
      "new callTracker t", "send t phoneTapped +380441234567", "send t willResignActive", "send t didBecomeActive",
      "agenda", "send t willResignActive", "send t callConnected", "advance 1m", "send t callEnded",
      "send t didBecomeActive",
    ],
    states: {
      switch $0 {
      case .none: "nothing is tracked"
      case .start: "the phone icon was tapped, and the system was asked to open the number"
      case .systemAlert: "the system asks whether to call"
      case .waiting: "the alert is closed, and the answer is not known yet"
      case .callStarting: "the call's screen is shown"
      case .callInProgress: "both sides can talk"
      case .callEnded: "the call is over, and the app is not active yet"
      }
    },
    events: [
      .event(
        Event.phoneTapped, .text("number", bytes: 1...64, like: ["x"]),
        about: "the phone icon beside a number is tapped"),
      .event(.openFailed, "the system cannot open the number"),
      .event(.willResignActive, "the system: the app is about to become inactive"),
      .event(.didEnterBackground, "the system: the app is in the background"),
      .event(.willEnterForeground, "the system: the app is about to leave the background"),
      .event(.didBecomeActive, "the system: the app is active"),
      .event(.callDialing, "the call observer: an outgoing call is not connected yet"),
      .event(.callConnected, "the call observer: both sides of an outgoing call can talk"),
      .event(.callEnded, "the call observer: an outgoing call is over"),
    ],
    timers: [
      .timer(.waitedInVain, named: "waiting", after: "waiting", "no call has started after the alert: it was cancelled")
    ],
    outputs: {
      switch $0 {
      case .open: .output(("number", .phoneNumber), about: "asks the system to call a number")
      case .tracked:
        .output(
          ("number", .phoneNumber), ("duration", .interval(.zero ... .longest)), ("wasConnected", .flag),
          about: "a call was made; its duration is 0 if it was not answered")
      }
    },
    readings: [
      .reading("number", .phoneNumber, \.call?.number, "the number that was tapped"),
      .reading("tappedAt", .moment, \.call?.tappedAt, "when the phone icon was tapped"),
      .reading("connectedAt", .moment, \.call?.connectedAt, "when both sides could talk"),
      .reading("endedAt", .moment, \.call?.endedAt, "when the call was over"),
      .reading("wasConnected", .flag, "whether the ended call was answered") {
        machine, _, _ in machine.state == .callEnded ? machine.call?.wasConnected : nil
      },
    ],
    parameters: [
      .parameter("waiting", \.waiting, .delay, "how long the call's screen may take to appear"),
      .parameter("requireConnected", \.requireConnected, "on: an unanswered call is not tracked"),
    ])
}
