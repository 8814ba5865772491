public import StateMachines

/// A list of places that somebody has visited, as its screen shows it: a spinner, an error, a placeholder, or the list.
///
/// | state | startLoading | loadingFinished(items) | loadingFailed(error) |
/// | --- | --- | --- | --- |
/// | idle | → loading | ignored | ignored |
/// | loading | ignored | none → empty, else → list(items) | → error(failedToLoadData) |
/// | error | → loading | ignored | ignored |
/// | empty | → loading | ignored | ignored |
/// | list | → loading | ignored | ignored |
///
/// What the screen shows is a function of the state and of nothing else; it is the reading `view`. The machine knows no
/// service: somebody tells it that loading begins, and how it has ended. A list of check-ins is as good as its length.
public struct Checkins: LegacyMachine {
  public enum State: StateWithData {
    /// Nothing was shown yet.
    case idle
    /// Somebody loads the list.
    case loading
    /// There is no list.
    case error(Failure)
    /// There is a list, and nothing in it.
    case empty
    /// The list is shown; there is at least one check-in.
    case list(Int)

    public enum Name: NamedCases { case idle, loading, error, empty, list }

    public var name: Name {
      switch self {
      case .idle: .idle
      case .loading: .loading
      case .error: .error
      case .empty: .empty
      case .list: .list
      }
    }

    public var data: String? {
      switch self {
      case .idle, .loading, .empty: nil
      case .error(let failure): failure.rawValue
      case .list(let items): "\(items)"
      }
    }

    public static var carriesData: Bool { true }
  }

  /// Why there is no list.
  public enum Failure: String, Choice { case failedToLoadData }

  public enum Event: Sendable {
    case startLoading
    case loadingFinished(Int)
    case loadingFailed(String)
  }

  public var state: State

  public init(initial: State.Name?, _ step: Step<Self>) {
    switch initial ?? .idle {
    case .idle: state = .idle
    case .loading: state = .loading
    case .error: state = .error(.failedToLoadData)
    case .empty: state = .empty
    case .list: state = .list(5)
    }
  }

  public mutating func react(to input: Input<Event, NoNames>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (.idle, .event(.startLoading)), (.error, .event(.startLoading)), (.empty, .event(.startLoading)),
      (.list, .event(.startLoading)):
      return .move(to: .loading)
    case (.loading, .event(.loadingFinished(let items))):
      return .move(to: items == 0 ? .empty : .list(items))
    case (.loading, .event(.loadingFailed)):
      return .move(to: .error(.failedToLoadData))

    case (.loading, .event(.startLoading)):
      return .ignore
    case (.idle, .event(.loadingFinished)), (.error, .event(.loadingFinished)), (.empty, .event(.loadingFinished)),
      (.list, .event(.loadingFinished)):
      return .ignore
    case (.idle, .event(.loadingFailed)), (.error, .event(.loadingFailed)), (.empty, .event(.loadingFailed)),
      (.list, .event(.loadingFailed)):
      return .ignore
    }
  }
}

/// What a screen with a list of check-ins shows.
enum CheckinsView: String, Choice {
  /// A spinner.
  case spinner
  /// What went wrong, and a button to try again; no alert.
  case message
  /// That there is nothing yet, and how to change that.
  case placeholder
  case table
  /// A login prompt, and a button that opens the login screen.
  case loginPrompt

  /// What stands for `view` in a catalogue entry.
  static let type = ValueType.choice(allCases.map(\.rawValue))
}

extension Checkins.State {
  /// What is shown; nil leaves the screen as it is.
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
    Checkins.self, "checkins", "the screen of a list that is loaded: spinner, error, placeholder or list",
    form: .enumAndSwitch,
    origin: """
      the main example of an article on state machines in iOS applications, before it gets a login; the table is that of its \
      author's own code
      """,
    example: [
      "new checkins screen", "send screen startLoading", "send screen loadingFinished 0", "send screen startLoading",
      "send screen loadingFailed failedToLoadData", "send screen loadingFinished 5", "send screen startLoading",
      "send screen loadingFinished 5", "show screen",
    ],
    states: [
      .idle: "nothing was shown yet",
      .loading: "a spinner, while the list is loaded",
      .error: "what went wrong, and a button to try again",
      .empty: "the list has nothing in it",
      .list: "the list",
    ],
    events: [
      .event(.startLoading, "somebody begins to load the list; ignored while it is loaded"),
      .event(Event.loadingFinished, .count("items"), about: "the list is there; ignored unless it is loaded"),
      .event(
        Event.loadingFailed, .text("error", bytes: 1...256, like: ["failedToLoadData"]),
        about: "there is no list; ignored unless it is loaded"),
    ],
    readings: [
      .reading("view", CheckinsView.type, "what the screen shows") { machine, _, _ in machine.state.view }
    ])
}
