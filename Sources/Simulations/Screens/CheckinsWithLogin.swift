public import StateMachines

/// The list of check-ins with deferred login: a user may look around, and is asked to log in when it is needed.
///
/// | state | startLoading | loadingFinished(0) | loadingFinished(5) | loadingFailed(noAuth) | loadingFailed(failedToLoadData) | logout |
/// | --- | --- | --- | --- | --- | --- | --- |
/// | idle | → loading | ignored | ignored | ignored | ignored | ignored |
/// | loading | ignored | → empty | → list(5) | → loggedOut | → error(failedToLoadData) | ignored |
/// | loggedOut | → loading | ignored | ignored | ignored | ignored | ignored |
/// | error | → loading | ignored | ignored | ignored | ignored | → loggedOut |
/// | empty | → loading | ignored | ignored | ignored | ignored | → loggedOut |
/// | list | → loading | ignored | ignored | ignored | ignored | → loggedOut |
///
/// The hole in the faithful mode: a logout while loading is ignored, although the user is gone. The request was made
/// for that user, so the list appears for somebody who has logged out. With `mode=hardened` that logout leads to
/// loggedOut and emits `loadingCancelled`, so that the request can be cancelled.
///
/// With `observed=on` the machine emits the view to show at each change, for views that are wired to `shows`.
///
/// A screen that is made in `error` or `list` has the error failedToLoadData, or five check-ins.
public struct CheckinsWithLogin: Machine {
  public enum State: StateWithData {
    /// Nothing was shown yet.
    case idle
    /// The list is being loaded.
    case loading
    /// The list needs a user, and nobody is logged in.
    case loggedOut
    /// There is no list for another reason.
    case error(Failure)
    /// The list has no items.
    case empty
    /// The list is shown; there is at least one check-in.
    case list(Int)

    public enum Name: NamedCases { case idle, loading, loggedOut, error, empty, list }

    public var data: String? {
      switch self {
      case .idle, .loading, .loggedOut, .empty: nil
      case .error(let failure): failure.rawValue
      case .list(let items): "\(items)"
      }
    }

    public static var carriesData: Bool { true }
    public static var samples: [State] { [.error(.failedToLoadData), .list(5)] }
  }

  /// The reason why there is no list.
  public enum Failure: String, Choice {
    case failedToLoadData, noAuth

    /// The failure for an error's text: any text but `noAuth` is a failure to load.
    init(_ error: String) {
      self = Failure(rawValue: error) ?? .failedToLoadData
    }
  }

  public enum Event: MachineEvent { case startLoading, loadingFinished(Int), loadingFailed(String), logout }

  public enum Output: OutputWithData {
    case loadingCancelled, shows(CheckinsView)

    public enum Name: NamedCases { case loadingCancelled, shows }
  }

  public enum Mode: String, Choice { case faithful, hardened }

  public struct Parameters: ParameterSet {
    var mode = Mode.faithful
    var observed = false
    public init() {}
  }

  public var state = State.idle
  public init() {}

  public mutating func entered(_ state: State, _ step: Step<Self>) {
    if step.parameters.observed, let view = state.view { step.emit(.shows(view)) }
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .startLoading:
      switch state {
      case .loading: return .ignore
      case .idle, .loggedOut, .error, .empty, .list: return .move(to: .loading)
      }
    case .loadingFinished(let items):
      switch state {
      case .loading: return .move(to: step.when("nothing in it", items == 0) ? .empty : .list(items))
      case .idle, .loggedOut, .error, .empty, .list: return .ignore
      }
    case .loadingFailed(let error):
      switch state {
      case .loading:
        let failure = Failure(error)
        return .move(to: step.when("authenticated", failure != .noAuth) ? .error(failure) : .loggedOut)
      case .idle, .loggedOut, .error, .empty, .list: return .ignore
      }
    case .logout:
      switch state {
      case .error, .empty, .list: return .move(to: .loggedOut)
      case .loading where step.when("hardened", step.parameters.mode == .hardened):
        step.emit(.loadingCancelled)
        return .move(to: .loggedOut)
      case .loading, .idle, .loggedOut: return .ignore
      }
    }
  }
}

extension CheckinsWithLogin.State {
  /// The view to show; `nil` leaves the screen as it is.
  var view: CheckinsView? {
    switch self {
    case .idle: nil
    case .loading: .spinner
    case .loggedOut: .loginPrompt
    case .error: .message
    case .empty: .placeholder
    case .list: .table
    }
  }

  /// Whether the button to log out is enabled.
  var logoutButton: Bool { self != .loggedOut }
}

extension CheckinsWithLogin.State.Name {
  var about: String {
    switch self {
    case .idle: "nothing is shown yet"
    case .loading: "the list is being loaded"
    case .loggedOut: "nobody is logged in; a login prompt is shown"
    case .error: "loading has failed; a retry button is shown"
    case .empty: "the list is empty"
    case .list: "the list is shown"
    }
  }
}

extension CheckinsWithLogin {
  public static let kind = Kind(
    CheckinsWithLogin.self, "checkinsWithLogin", "the screen of a list that asks for a login when it is needed",
    origin: "the main example of an article on state machines in iOS apps, with login; hardened is added here",
    source: "article",
    example: [
      "new checkinsWithLogin screen", "send screen startLoading", "send screen loadingFailed noAuth",
      "send screen startLoading", "send screen logout", "send screen loadingFinished 5", "show screen",
      "send screen logout",
    ],
    states: \.about,
    events: [
      .event(.startLoading, "loading begins; ignored while loading"),
      .event(Event.loadingFinished, .count("items"), about: "the list is loaded; ignored unless loading"),
      .event(
        Event.loadingFailed, .text("error", bytes: 1...256, like: ["failedToLoadData", "noAuth"]),
        about: "loading has failed; ignored unless loading"),
      .event(.logout, "the user has logged out; ignored while loading, unless mode=hardened"),
    ],
    outputs: {
      switch $0 {
      case .loadingCancelled: "the list is no longer needed; only with mode=hardened"
      case .shows: .output(("view", CheckinsView.type), about: "the view to show; only with observed=on")
      }
    },
    readings: [
      .reading("view", CheckinsView.type, \.state.view, "what the screen shows"),
      .reading("logoutButton", .flag, \.state.logoutButton, "whether the logout button is enabled"),
    ],
    parameters: [
      .parameter("mode", \.mode, "faithful ignores a logout while loading, hardened cancels the request"),
      .parameter("observed", \.observed, "on: each change emits the view to show"),
    ])
}
