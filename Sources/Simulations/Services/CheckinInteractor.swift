public import StateMachines

/// The object between the screen of ``CheckinsWithLogin`` and its services: it asks them, and tells the screen's machine
/// what comes of it.
///
/// | state | refresh | received(items) | failed(error) | cancel | logout |
/// | --- | --- | --- | --- | --- | --- |
/// | idle | → loading: startLoading, fetch | late, ignored | late, ignored | ignored | stayed: signOut, logout |
/// | loading | → itself: startLoading, fetch | → idle: loadingFinished | → idle: loadingFailed | → idle: cancel | stayed: signOut, logout |
///
/// A person's wishes come in here and nowhere else. It knows no more than whether a request of its own is under way; who
/// is logged in, and what is shown, others know. A logout does not touch loading, and so it was added without a
/// change to what refresh does: the running request goes on, unless the screen's machine has it cancelled.
///
/// A refresh begins a request even where the machine ignores startLoading because it loads already; the service replaces
/// the one that runs. The service of logins forgets its user at once, whatever it is doing, so a running logout has no
/// state of its own: what goes out first, signOut, has been dealt with when logout arrives.
public struct CheckinInteractor: LegacyMachine {
  public enum State: MachineState {
    /// No request is under way.
    case idle
    /// A request is under way, the last one that was made.
    case loading
  }

  public enum Event: Sendable {
    case refresh, loadCheckins, logout, cancel
    case received(Int)
    case failed(CheckinsWithLogin.Failure)
  }

  public enum Output: OutputWithData {
    case startLoading, fetch
    case loadingFinished(Int)
    case loadingFailed(CheckinsWithLogin.Failure)
    case signOut, logout, cancel

    public enum Name: NamedCases {
      case startLoading, fetch, loadingFinished, loadingFailed, signOut, logout, cancel
    }

    public var name: Name {
      switch self {
      case .startLoading: .startLoading
      case .fetch: .fetch
      case .loadingFinished: .loadingFinished
      case .loadingFailed: .loadingFailed
      case .signOut: .signOut
      case .logout: .logout
      case .cancel: .cancel
      }
    }

    public var data: [Value] {
      switch self {
      case .startLoading, .fetch, .signOut, .logout, .cancel: []
      case .loadingFinished(let items): [.integer(items)]
      case .loadingFailed(let failure): [failure.value]
      }
    }
  }

  public var state: State
  private var late = 0

  public init(initial: State?, _ step: Step<Self>) {
    state = initial ?? .idle
  }

  public mutating func react(to input: Input<Event, NoNames>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (.idle, .event(.refresh)), (.loading, .event(.refresh)), (.idle, .event(.loadCheckins)),
      (.loading, .event(.loadCheckins)):
      step.emit(.startLoading)
      step.emit(.fetch)
      return .move(to: .loading)
    case (.loading, .event(.received(let items))):
      step.emit(.loadingFinished(items))
      return .move(to: .idle)
    case (.loading, .event(.failed(let failure))):
      step.emit(.loadingFailed(failure))
      return .move(to: .idle)
    case (.loading, .event(.cancel)):
      step.emit(.cancel)
      return .move(to: .idle)
    case (.idle, .event(.logout)), (.loading, .event(.logout)):
      step.emit(.signOut)
      step.emit(.logout)
      return .stay

    case (.idle, .event(.received)), (.idle, .event(.failed)):
      late += 1
      return .ignore
    case (.idle, .event(.cancel)):
      return .ignore
    }
  }
}

extension CheckinInteractor {
  public static let kind = Kind(
    CheckinInteractor.self, "checkinInteractor",
    "asks the services of a check-in list, and tells its screen the outcome",
    form: .enumAndSwitch,
    origin: """
      the interactor in an article on state machines in iOS applications, with its two methods; there it calls its services, \
      here it says what it wants and wires carry it
      """,
    example: [
      "new checkinInteractor i", "watch i", "send i refresh", "send i logout", "send i received 5", "send i received 5",
    ],
    states: [.idle: "no request is under way", .loading: "waits for the answer to the last request"],
    events: [
      .event(.refresh, "a person wants the list; a request that runs is replaced"),
      .event(.loadCheckins, "the same, under its older name"),
      .event(.logout, "a person wants to log out; a request that runs goes on"),
      .event(.cancel, "nobody waits for the list any more; ignored where no request is under way"),
      .event(Event.received, .count("items"), about: "the service: here is the list; ignored when it is too late"),
      .event(Event.failed, .choice("error"), about: "the service: there is no list; ignored when it is too late"),
    ],
    outputs: [
      .startLoading: .output(about: "tells the screen's machine that loading begins"),
      .fetch: .output(about: "asks the service for the list of whoever is logged in"),
      .loadingFinished: .output(("items", .checkins), about: "tells the screen's machine the list"),
      .loadingFailed: .output(("error", .checkinsFailure), about: "tells the screen's machine why there is none"),
      .signOut: .output(about: "asks the service of logins to forget the user"),
      .logout: .output(about: "tells the screen's machine that the user is gone"),
      .cancel: .output(about: "tells the service that its answer is not wanted any more"),
    ],
    readings: [
      .reading("late", .integer(0 ... .max), "how many answers came too late and were dropped") {
        machine, _, _ in machine.late
      }
    ])
}
