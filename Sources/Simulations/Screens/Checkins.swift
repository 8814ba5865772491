public import MachineForms
public import StateMachines

/// The screen of a list of visited places: it shows a spinner, an error, a placeholder, or the list.
///
/// | state | startLoading | loadingFinished(0) | loadingFinished(5) | loadingFailed(failedToLoadData) | loadingFailed(noAuth) |
/// | --- | --- | --- | --- | --- | --- |
/// | idle | → loading | ignored | ignored | ignored | ignored |
/// | loading | ignored | → empty | → list(5) | → error(failedToLoadData) | → error(failedToLoadData) |
/// | error | → loading | ignored | ignored | ignored | ignored |
/// | empty | → loading | ignored | ignored | ignored | ignored |
/// | list | → loading | ignored | ignored | ignored | ignored |
///
/// The screen shows the reading `view`, which is a function of the state alone. The machine knows no service: events
/// tell it that loading begins and how it ended. A list of check-ins is represented by its length.
///
/// The rule is written as the article writes it: `transition(with:)` of a ``SwitchMachine``, whose `switch` has the pair of
/// state and event.
public struct Checkins: Machine {
  public enum State: StateWithData, SwitchState {
    /// Nothing was shown yet.
    case idle
    /// The list is being loaded.
    case loading
    /// There is no list, because loading failed.
    case error(Failure)
    /// The list has no items.
    case empty
    /// The list is shown; there is at least one check-in.
    case list(Int)

    public enum Name: NamedCases { case idle, loading, error, empty, list }

    public var data: String? {
      switch self {
      case .idle, .loading, .empty: nil
      case .error(let failure): failure.rawValue
      case .list(let items): "\(items)"
      }
    }

    public static var carriesData: Bool { true }
    public static var samples: [State] { [.error(.failedToLoadData), .list(5)] }

    public static var initial: State { .idle }

    public func next(with event: Event) -> State {
      switch (self, event) {
      case (.idle, .startLoading), (.error, .startLoading), (.empty, .startLoading), (.list, .startLoading): .loading
      case (.loading, .loadingFinished(0)): .empty
      case (.loading, .loadingFinished(let items)): .list(items)
      case (.loading, .loadingFailed): .error(.failedToLoadData)
      case (.loading, .startLoading),
        (.idle, .loadingFinished), (.error, .loadingFinished), (.empty, .loadingFinished), (.list, .loadingFinished),
        (.idle, .loadingFailed), (.error, .loadingFailed), (.empty, .loadingFailed), (.list, .loadingFailed):
        self
      }
    }
  }

  /// The reason why there is no list.
  public enum Failure: String, Choice { case failedToLoadData }

  public enum Event: MachineEvent { case startLoading, loadingFinished(Int), loadingFailed(String) }

  public var state = State.initial
  public init() {}

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    if case .loadingFinished(let items) = event, state == .loading { _ = step.when("nothing in it", items == 0) }
    let machine = SwitchMachine(startingIn: state)
    machine.transition(with: event)
    return machine.state == state ? .ignore : .move(to: machine.state)
  }
}

/// The views of a screen with a list of check-ins.
public enum CheckinsView: String, Choice {
  /// A spinner.
  case spinner
  /// The error, and a button to try again; no alert.
  case message
  /// A text that the list is still empty, and how to change that.
  case placeholder
  case table
  /// A login prompt, and a button that opens the login screen.
  case loginPrompt

  /// The value type of a view in a catalogue entry.
  static let type = ValueType.choice(allCases.map(\.rawValue))
}

extension Checkins.State {
  /// The view to show; `nil` leaves the screen as it is.
  fileprivate var view: CheckinsView? {
    switch self {
    case .idle: nil
    case .loading: .spinner
    case .error: .message
    case .empty: .placeholder
    case .list: .table
    }
  }
}

extension Checkins {
  public static let kind = Kind(
    Checkins.self, "checkins", "the screen of a list: spinner, error, placeholder or list",
    origin: "the main example of an article on state machines in iOS apps, before it gets a login",
    source: "article",
    example: [
      "new checkins screen", "send screen startLoading", "send screen loadingFinished 0", "send screen startLoading",
      "send screen loadingFailed failedToLoadData", "send screen loadingFinished 5", "send screen startLoading",
      "send screen loadingFinished 5", "show screen",
    ],
    states: {
      switch $0 {
      case .idle: "nothing is shown yet"
      case .loading: "the list is being loaded"
      case .error: "loading has failed; a retry button is shown"
      case .empty: "the list is empty"
      case .list: "the list is shown"
      }
    },
    events: [
      .event(.startLoading, "loading begins; ignored while loading"),
      .event(Event.loadingFinished, .count("items"), about: "the list is loaded; ignored unless loading"),
      .event(
        Event.loadingFailed, .text("error", bytes: 1...256, like: ["failedToLoadData"]),
        about: "loading has failed; ignored unless loading"),
    ],
    readings: [
      .reading("view", CheckinsView.type, \.state.view, "what the screen shows")
    ])
}
