public import StateMachines

/// The service that knows who is logged in, with its login screen.
///
/// | state | login(user, password) | accepted | rejected, failed | logout | sessionExpired |
/// | --- | --- | --- | --- | --- | --- |
/// | anonymous | → loggingIn(user) | late, ignored | ignored | ignored | ignored |
/// | loggingIn | refused, busy | → authenticated(user) | → anonymous: error | → anonymous | ignored |
/// | authenticated | refused, logged in already | ignored | ignored | → anonymous | → anonymous: expired |
///
/// The password `bad` is rejected and any other accepted, after `loginLatency`. A latency of 0 gives the answer at the
/// same instant, as in the original, which has no rejection. A logout during a login drops the attempt. A logout always
/// succeeds at once. A session ends after `sessionTTL`, if that is set, and then nobody is logged in.
///
/// The login screen is the reading `loginScreen`: waiting hides the button, and showingError shows the reading `error`
/// until the next attempt. A login with an empty field is ignored. After a successful login the output `currentUser`
/// tells who it is, and then `loggedIn` closes the screen.
public struct Auth: Machine {
  public enum State: StateWithData {
    /// Nobody is logged in. The login screen shows the error of the last attempt, if it failed.
    case anonymous(LoginError?)
    /// An attempt is under way. With service=auto the timer of its answer is running; `nil` if the answer must be sent.
    case loggingIn(String, answer: Event?)
    /// A user is logged in. `sessionExpired` is running if sessions expire.
    case authenticated(String)

    public enum Name: NamedCases { case anonymous, loggingIn, authenticated }

    public var data: String? {
      switch self {
      case .anonymous: nil
      case .loggingIn(let user, _), .authenticated(let user): user
      }
    }

    public static var carriesData: Bool { true }
  }

  public enum LoginError: String, Choice { case invalidCredentials, network }

  /// The reason for which a login is rejected.
  public enum Rejection: String, Choice { case invalidCredentials }

  /// The reason for which a login fails.
  public enum Trouble: String, Choice { case network }

  public enum Event: MachineEvent, Codable {
    case login(String, String)
    case accepted
    case rejected(Rejection?)
    case failed(Trouble?)
    case logout, sessionExpired
  }

  public enum Output: OutputWithData {
    case currentUser(String?)
    case loggedIn
    case error(LoginError)
    case expired

    public enum Name: NamedCases { case currentUser, loggedIn, error, expired }
  }

  public struct Parameters: ServedParameters {
    private var given = SimulatedService(latency: .seconds(1))
    private var givenLatency: Duration?
    /// `nil`: a session does not expire.
    var sessionTTL: Duration?
    public init() {}

    var service: SimulatedService {
      get {
        var service = given
        service.latency = loginLatency
        return service
      }
      set { given = newValue }
    }

    /// The login's latency. A value under this name overrides `latency`.
    var loginLatency: Duration {
      get { givenLatency ?? given.latency }
      set { givenLatency = newValue }
    }
  }

  public var state = State.anonymous(nil)
  @RequestCount private var attempts = 0
  @Incidental private var late = 0
  public init() {}

  /// A service that is made in `loggingIn` or `authenticated` has A as its user.
  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    switch name {
    case .anonymous: .anonymous(nil)
    case .loggingIn: attempt(by: "A", "", step)
    case .authenticated: .authenticated("A")
    }
  }

  public func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    switch state {
    case .anonymous, .loggingIn(_, answer: nil): .none
    case .loggingIn(_, let answer?): .after(parameters.loginLatency, answer)
    case .authenticated:
      if let sessionTTL = parameters.sessionTTL { .after(sessionTTL, .sessionExpired) } else { .none }
    }
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .login(let user, let password):
      switch state {
      case .anonymous where step.when("empty field", user.isEmpty || password.isEmpty): return .ignore
      case .anonymous: return .move(to: attempt(by: user, password, step))
      case .loggingIn: return step.refuse("busy: another login is under way")
      case .authenticated(let user): return step.refuse("\(user) is logged in already")
      }
    case .accepted:
      switch state {
      case .anonymous:
        late += 1
        return .ignore
      case .loggingIn(let user, _):
        return step.emit(.currentUser(user), .loggedIn, then: .move(to: .authenticated(user)))
      case .authenticated: return .ignore
      }
    case .rejected: return turnAway(.invalidCredentials, step)
    case .failed: return turnAway(.network, step)
    case .logout:
      switch state {
      case .anonymous: return .ignore
      case .loggingIn: return .move(to: .anonymous(nil))
      case .authenticated: return step.emit(.currentUser(nil), then: .move(to: .anonymous(nil)))
      }
    case .sessionExpired:
      switch state {
      case .anonymous, .loggingIn: return .ignore
      case .authenticated: return step.emit(.currentUser(nil), .expired, then: .move(to: .anonymous(nil)))
      }
    }
  }

  private func turnAway(_ error: LoginError, _ step: Step<Self>) -> Reaction<State> {
    switch state {
    case .anonymous, .authenticated: .ignore
    case .loggingIn: step.emit(.error(error), then: .move(to: .anonymous(error)))
    }
  }

  /// Starts a login; a simulated service decides now how it will answer.
  private mutating func attempt(by user: String, _ password: String, _ step: Step<Self>) -> State {
    let service = step.parameters.service
    attempts += 1
    if !service.isAutomatic { return .loggingIn(user, answer: nil) }
    if service.fails(request: attempts, step) { return .loggingIn(user, answer: .failed(nil)) }
    return .loggingIn(user, answer: password == "bad" ? .rejected(nil) : .accepted)
  }
}

extension Auth.State {
  /// The state of the login screen; `nil` when it is closed.
  fileprivate var loginScreen: String? {
    switch self {
    case .anonymous(let error): error == nil ? "idle" : "showingError"
    case .loggingIn: "waiting"
    case .authenticated: nil
    }
  }

  fileprivate var error: Auth.LoginError? { if case .anonymous(let error) = self { error } else { nil } }

  fileprivate var user: String? { if case .authenticated(let user) = self { user } else { nil } }
}

extension Auth {
  public static let kind = Kind(
    Auth.self, "auth", "a login service: logins take time, and sessions may expire",
    origin: "an article on state machines in iOS apps; latency, rejection, failure and expiry are added here",
    source: "article",
    example: [
      "new auth a sessionTTL=10s", "send a login A bad", "advance 1s", "show a", "send a login A ok",
      "send a login B ok", "advance 1s", "advance 10s", "send a logout",
    ],
    states: {
      switch $0 {
      case .anonymous: "nobody is logged in"
      case .loggingIn: "a login is under way"
      case .authenticated: "a user is logged in"
      }
    },
    events: [
      .event(
        Event.login, .text("user", bytes: 0...64, like: ["A", ""]),
        .text("password", bytes: 0...64, like: ["ok", "bad"]),
        about: "log in; ignored if a field is empty"),
      .event(.accepted, "the login is accepted; ignored if no login is under way"),
      .event(Event.rejected, .optional(.choice("error")), about: "the login is rejected"),
      .event(Event.failed, .optional(.choice("error")), about: "the login could not be checked"),
      .event(.logout, "log out, or cancel a login"),
      .event(.sessionExpired, "the session has expired"),
    ],
    timers: [
      .timer(.accepted, after: "loginLatency", "the login is accepted"),
      .timer(.rejected(nil), after: "loginLatency", "the login is rejected"),
      .timer(.failed(nil), after: "loginLatency", "the login could not be checked"),
      .timer(.sessionExpired, "the session has expired, sessionTTL after the login"),
    ],
    outputs: {
      switch $0 {
      case .currentUser: .output(("user", .optional(.user)), about: "the user who is now logged in, if any")
      case .loggedIn: "the login has succeeded: close the login screen"
      case .error: .output(("error", LoginError.valueType), about: "why the login has failed")
      case .expired: "the session has expired"
      }
    },
    readings: [
      .reading("currentUser", .user, \.state.user, "who is logged in"),
      .reading("loginScreen", .choice(["idle", "waiting", "showingError"]), \.state.loginScreen, "the login screen"),
      .reading("error", LoginError.valueType, \.state.error, "why the last login has failed"),
      .reading("late", .count, \.late, "the number of acceptances that came too late"),
    ],
    parameters: parameterForms)

  private static let parameterForms: [ParameterForm<Parameters>] =
    [
      .parameter("loginLatency", \.loginLatency, .delay, "how long a login takes; by default latency"),
      .parameter("sessionTTL", \.sessionTTL, .optional(.interval(.zero ... .longest)), "how long a session lasts"),
    ] + Parameters.serviceForms
}
