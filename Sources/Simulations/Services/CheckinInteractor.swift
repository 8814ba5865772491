public import StateMachines

/// The object between the screen of ``CheckinsWithLogin`` and its services: it asks them, and reports the results to
/// the screen's machine.
///
/// | state | loadCheckins | refresh | logout | cancel | received(5) | failed(noAuth) |
/// | --- | --- | --- | --- | --- | --- | --- |
/// | idle | → loading > startLoading > fetch | → loading > startLoading > fetch | stayed > signOut > logout | ignored | ignored | ignored |
/// | loading | → loading > startLoading > fetch | → loading > startLoading > fetch | stayed > signOut > logout | → idle > cancel | → idle > loadingFinished 5 | → idle > loadingFailed noAuth |
///
/// All of a person's wishes arrive here. The interactor knows only whether its own request is under way, not who is
/// logged in or what is shown. A logout does not affect loading: the running request continues unless the screen's
/// machine cancels it.
///
/// refresh starts a request even if the screen's machine ignores startLoading because it is loading; the service
/// replaces the running request. A logout has no state of its own, because the login service forgets its user at once:
/// signOut is emitted first, and is handled before logout arrives.
public struct CheckinInteractor: Machine {
  public enum State: MachineState { case idle, loading }

  public enum Event: MachineEvent {
    case refresh, loadCheckins, logout, cancel
    case received(Int), failed(CheckinsWithLogin.Failure)
  }

  public enum Output: OutputWithData {
    case startLoading, fetch, signOut, logout, cancel
    case loadingFinished(Int), loadingFailed(CheckinsWithLogin.Failure)

    public enum Name: NamedCases { case startLoading, fetch, loadingFinished, loadingFailed, signOut, logout, cancel }
  }

  public var state = State.idle
  @Incidental private var late = 0
  public init() {}

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .refresh, .loadCheckins:
      switch state {
      case .idle, .loading: step.emit(.startLoading, .fetch, then: .move(to: .loading))
      }
    case .logout:
      switch state {
      case .idle, .loading: step.emit(.signOut, .logout, then: .stay)
      }
    case .cancel:
      switch state {
      case .idle: .ignore
      case .loading: step.emit(.cancel, then: .move(to: .idle))
      }
    case .received(let items):
      switch state {
      case .idle: dropLate()
      case .loading: step.emit(.loadingFinished(items), then: .move(to: .idle))
      }
    case .failed(let failure):
      switch state {
      case .idle: dropLate()
      case .loading: step.emit(.loadingFailed(failure), then: .move(to: .idle))
      }
    }
  }

  /// Counts an answer that is not awaited.
  private mutating func dropLate() -> Reaction<State> {
    late += 1
    return .ignore
  }

  public static let kind = Kind(
    CheckinInteractor.self, "checkinInteractor",
    "sends requests to the services of a check-in list, and reports the results to its screen",
    origin: "the interactor of an article on state machines in iOS apps; wires stand for its method calls",
    source: "article",
    example: [
      "new checkinInteractor i", "watch i", "send i refresh", "send i logout", "send i received 5", "send i received 5",
    ],
    states: {
      switch $0 {
      case .idle: "no request is under way"
      case .loading: "waits for the answer to the last request"
      }
    },
    events: [
      .event(.refresh, "a person requests the list; a running request is replaced"),
      .event(.loadCheckins, "the same as refresh, under its older name"),
      .event(.logout, "a person logs out; a running request continues"),
      .event(.cancel, "cancels the running request; ignored if there is none"),
      .event(Event.received, .count("items"), about: "the service has sent the list; ignored without a request"),
      .event(Event.failed, .choice("error"), about: "the request has failed; ignored without a request"),
    ],
    outputs: {
      switch $0 {
      case .startLoading: "tells the screen that loading begins"
      case .fetch: "requests the list of the logged-in user"
      case .loadingFinished: .output(("items", .checkins), about: "sends the list to the screen")
      case .loadingFailed: .output(("error", .checkinsFailure), about: "tells the screen why the request has failed")
      case .signOut: "asks the login service to log the user out"
      case .logout: "tells the screen that the user has logged out"
      case .cancel: "cancels the request at the service"
      }
    },
    readings: [
      .reading("late", .count, \.late, "the number of answers that came too late")
    ])
}
