public import StateMachines

/// The list of check-ins as a view controller without a state machine keeps it: a model, and a guard at the top of each
/// method. It is here for comparison with ``CheckinsWithLogin``.
///
/// | model | downloadCheckins | loadingFinished(items) | loadingFailed(error) | logoutPressed |
/// | --- | --- | --- | --- | --- |
/// | loading | ignored by the guard | none → empty, else → list(items) | noAuth → loggedOut, else → error | → loggedOut |
/// | loggedOut | → loading, fetch | the same | the same | ignored by the guard |
/// | any other | → loading, fetch | the same | the same | → loggedOut |
///
/// The hole: the callback of a download writes the model in any state, so that a list appears after a logout during the
/// download. No method covers all pairs of model and input; each guard covers those that its author thought of.
///
/// With `login=off` it is the first version of that view controller, before the app gets a login: there is no button to
/// log out, so logoutPressed is refused, and noAuth is an error like others. Its one guard is the one of downloadCheckins.
///
/// There are two more differences from the machine: a logout leads to loggedOut also before anything was shown, and
/// also while loading. `guardLoading=on` adds the guard of some versions against the latter, and that logout is lost.
///
/// Chosen here: a call that returns at its guard is ignored, not refused, because the guard is silent.
public struct NaiveCheckins: Machine {
  public typealias State = CheckinsWithLogin.State

  public enum Event: MachineEvent { case downloadCheckins, loadingFinished(Int), loadingFailed(String), logoutPressed }

  public enum Output: MachineOutput { case fetch, logout }

  public struct Parameters: ParameterSet {
    var login = true
    var guardLoading = false
    public init() {}
  }

  /// The view controller's model.
  public var state = State.idle
  public init() {}

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .downloadCheckins:
      guard state != .loading else { return .ignore }
      step.emit(.fetch)
      return .move(to: .loading)
    case .loadingFinished(let items):
      return .move(to: step.when("nothing in it", items == 0) ? .empty : .list(items))
    case .loadingFailed(let error):
      guard step.parameters.login else { return .move(to: .error(.failedToLoadData)) }
      let failure = CheckinsWithLogin.Failure(error)
      return .move(to: step.when("authenticated", failure != .noAuth) ? .error(failure) : .loggedOut)
    case .logoutPressed:
      guard step.parameters.login else { return step.refuse("there is no login yet, and no button to log out") }
      guard state != .loggedOut else { return .ignore }
      if state == .loading, step.when("guardLoading", step.parameters.guardLoading) { return .ignore }
      step.emit(.logout)
      return .move(to: .loggedOut)
    }
  }
}

extension NaiveCheckins {
  public static let kind = Kind(
    NaiveCheckins.self, "naiveCheckins", "the same screen without a state machine: a guard at the top of each method",
    origin: "the view controller that an article on state machines in iOS apps argues against, with its guards",
    source: "article",
    example: [
      "new naiveCheckins screen", "send screen downloadCheckins", "send screen logoutPressed",
      "send screen loadingFinished 5", "show screen",
    ],
    states: \.about,
    events: [
      .event(.downloadCheckins, "the screen appears, or retry is tapped; its guard returns while loading"),
      .event(Event.loadingFinished, .count("items"), about: "a download has succeeded"),
      .event(
        Event.loadingFailed, .text("error", bytes: 1...256, like: ["failedToLoadData", "noAuth"]),
        about: "a download has failed"),
      .event(.logoutPressed, "logout is tapped; its guard returns in loggedOut"),
    ],
    outputs: {
      switch $0 {
      case .fetch: "a download begins"
      case .logout: "asks the login service to log the user out"
      }
    },
    readings: [
      .reading("view", CheckinsView.type, \.state.view, "what the screen shows"),
      .reading("logoutButton", .flag, \.state.logoutButton, "whether the logout button is enabled"),
    ],
    parameters: [
      .parameter("login", \.login, "off: the first version, before the app gets a login"),
      .parameter("guardLoading", \.guardLoading, "on: the guard of logoutPressed also returns while loading"),
    ])
}
