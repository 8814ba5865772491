public import StateMachines

/// The service that knows who is logged in, and the login screen before it.
///
/// | state | login(user, password) | accepted | rejected, failed | logout | sessionExpired |
/// | --- | --- | --- | --- | --- | --- |
/// | anonymous | → loggingIn(user) | late, ignored | ignored | ignored | ignored |
/// | loggingIn | refused, busy | → authenticated(user) | → anonymous: error | → anonymous | ignored |
/// | authenticated | refused, logged in already | ignored | ignored | → anonymous | → anonymous: expired |
///
/// The password `bad` is rejected and any other accepted, after `loginLatency`; with 0 that is at the same instant, as
/// in the original, which knew no rejection. A logout during a login drops the attempt. A session ends after `sessionTTL`
/// if that is set, and leads to nobody being logged in, as a logout does. A logout always succeeds at once.
///
/// The login screen is the reading `loginScreen`: waiting hides the button, showingError shows the reading `error`
/// until the next attempt. A login with an empty field does nothing. When a login has succeeded, the screen is closed:
/// that is the output `loggedIn`, behind `currentUser` which says who it is.
public struct Auth: LegacyMachine {
  public enum State: StateWithData {
    /// Nobody is logged in; the login screen shows the error of the last attempt, if that failed.
    case anonymous(LoginError?)
    /// An attempt is under way. With service=auto the timer of its answer is running.
    case loggingIn(Attempt)
    /// A user is logged in. `sessionExpired` is running if sessions have an end.
    case authenticated(String)

    public enum Name: NamedCases { case anonymous, loggingIn, authenticated }

    public var name: Name {
      switch self {
      case .anonymous: .anonymous
      case .loggingIn: .loggingIn
      case .authenticated: .authenticated
      }
    }

    public var data: String? {
      switch self {
      case .anonymous: nil
      case .loggingIn(let attempt): attempt.user
      case .authenticated(let user): user
      }
    }

    public static var carriesData: Bool { true }
  }

  public struct Attempt: Hashable, Sendable, Codable {
    let user: String
    /// What will be answered; nil if somebody is to send it.
    let answer: Answer?
  }

  public enum Answer: Hashable, Sendable, Codable { case accepted, rejected, failed }

  public enum LoginError: String, Choice { case invalidCredentials, network }

  /// What a login is rejected for.
  public enum Rejection: String, Choice { case invalidCredentials }

  /// What a login fails of.
  public enum Trouble: String, Choice { case network }

  public enum Event: Sendable {
    case login(String, String)
    case accepted
    case rejected(Rejection?)
    case failed(Trouble?)
    case logout, sessionExpired
  }

  public enum TimerName: NamedCases { case accepted, rejected, failed, sessionExpired }

  public enum Output: OutputWithData {
    case currentUser(String?)
    case loggedIn
    case error(LoginError)
    case expired

    public enum Name: NamedCases { case currentUser, loggedIn, error, expired }

    public var name: Name {
      switch self {
      case .currentUser: .currentUser
      case .loggedIn: .loggedIn
      case .error: .error
      case .expired: .expired
      }
    }

    public var data: [Value] {
      switch self {
      case .currentUser(let user): [user.value]
      case .error(let error): [error.value]
      case .loggedIn, .expired: []
      }
    }
  }

  public struct Parameters: ServedParameters {
    private var given = SimulatedService(latency: .seconds(1))
    private var givenLatency: Duration?
    /// Nil: a session has no end.
    var sessionTTL: Interval?
    public init() {}

    var service: SimulatedService {
      get {
        var service = given
        service.latency = loginLatency
        return service
      }
      set { given = newValue }
    }

    /// What is given under this name holds, whatever is given as `latency`.
    var loginLatency: Duration {
      get { givenLatency ?? given.latency }
      set { givenLatency = newValue }
    }
  }

  public var state: State
  private var attempts = 0
  private var late = 0

  /// A service that is made in `loggingIn` or `authenticated` has A as its user.
  public init(initial: State.Name?, _ step: Step<Self>) {
    state = .anonymous(nil)
    switch initial ?? .anonymous {
    case .anonymous: break
    case .loggingIn: state = .loggingIn(attempt(by: "A", "", step))
    case .authenticated:
      state = .authenticated("A")
      armSession(step)
    }
  }

  public mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (.anonymous, .event(.login(let user, let password))):
      if user.isEmpty || password.isEmpty { return .ignore }
      return .move(to: .loggingIn(attempt(by: user, password, step)))
    case (.loggingIn(let attempt), .event(.accepted)):
      disarm(attempt, step)
      return admit(attempt.user, step)
    case (.loggingIn(let attempt), .expired(.accepted)):
      return admit(attempt.user, step)
    case (.loggingIn(let attempt), .event(.rejected)):
      disarm(attempt, step)
      return turnAway(.invalidCredentials, step)
    case (.loggingIn, .expired(.rejected)):
      return turnAway(.invalidCredentials, step)
    case (.loggingIn(let attempt), .event(.failed)):
      disarm(attempt, step)
      return turnAway(.network, step)
    case (.loggingIn, .expired(.failed)):
      return turnAway(.network, step)
    case (.loggingIn(let attempt), .event(.logout)):
      disarm(attempt, step)
      return .move(to: .anonymous(nil))
    case (.authenticated, .event(.logout)):
      disarmSession(step)
      step.emit(.currentUser(nil))
      return .move(to: .anonymous(nil))
    case (.authenticated, .event(.sessionExpired)):
      disarmSession(step)
      return expire(step)
    case (.authenticated, .expired(.sessionExpired)):
      return expire(step)

    case (.loggingIn, .event(.login)):
      return step.refuse("busy: another login is under way")
    case (.authenticated(let user), .event(.login)):
      return step.refuse("\(user) is logged in already")

    case (.anonymous, .event(.accepted)):
      late += 1
      return .ignore
    case (.anonymous, .event(.rejected)), (.anonymous, .event(.failed)), (.anonymous, .event(.logout)),
      (.anonymous, .event(.sessionExpired)), (.loggingIn, .event(.sessionExpired)), (.authenticated, .event(.accepted)),
      (.authenticated, .event(.rejected)), (.authenticated, .event(.failed)):
      return .ignore
    case (.anonymous, .expired), (.loggingIn, .expired(.sessionExpired)), (.authenticated, .expired(.accepted)),
      (.authenticated, .expired(.rejected)), (.authenticated, .expired(.failed)):
      return .ignore  // These timers cannot be running there.
    }
  }

  public func asksFor(_ timer: TimerName) -> Bool {
    switch (state, timer) {
    case (.loggingIn(let attempt), .accepted), (.loggingIn(let attempt), .rejected), (.loggingIn(let attempt), .failed):
      attempt.answer?.timer == timer
    case (.authenticated, .sessionExpired): true
    case (.anonymous, _), (.loggingIn, .sessionExpired), (.authenticated, .accepted), (.authenticated, .rejected),
      (.authenticated, .failed):
      false
    }
  }

  /// Sends a login on its way, and with service=auto its answer too.
  private mutating func attempt(by user: String, _ password: String, _ step: Step<Self>) -> Attempt {
    attempts += 1
    let service = step.parameters.service
    guard service.isAutomatic else { return Attempt(user: user, answer: nil) }
    let answer: Answer
    if service.fails(request: attempts, step) {
      answer = .failed
    } else {
      answer = password == "bad" ? .rejected : .accepted
    }
    step.arm(answer.timer, after: service.latency)
    return Attempt(user: user, answer: answer)
  }

  private func disarm(_ attempt: Attempt, _ step: Step<Self>) {
    if let answer = attempt.answer { step.disarm(answer.timer) }
  }

  private func armSession(_ step: Step<Self>) {
    if let sessionTTL = step.parameters.sessionTTL { step.arm(.sessionExpired, after: sessionTTL) }
  }

  private func disarmSession(_ step: Step<Self>) {
    if step.parameters.sessionTTL != nil { step.disarm(.sessionExpired) }
  }

  private func admit(_ user: String, _ step: Step<Self>) -> Reaction<State> {
    armSession(step)
    step.emit(.currentUser(user))
    step.emit(.loggedIn)
    return .move(to: .authenticated(user))
  }

  private func turnAway(_ error: LoginError, _ step: Step<Self>) -> Reaction<State> {
    step.emit(.error(error))
    return .move(to: .anonymous(error))
  }

  private func expire(_ step: Step<Self>) -> Reaction<State> {
    step.emit(.currentUser(nil))
    step.emit(.expired)
    return .move(to: .anonymous(nil))
  }
}

extension Auth.Answer {
  fileprivate var timer: Auth.TimerName {
    switch self {
    case .accepted: .accepted
    case .rejected: .rejected
    case .failed: .failed
    }
  }
}

/// What the login screen shows while it is open.
private enum LoginScreen: String, Choice { case idle, waiting, showingError }

extension Auth.State {
  /// What the login screen shows; nil where it is closed.
  fileprivate var loginScreen: LoginScreen? {
    switch self {
    case .anonymous(let error): error == nil ? .idle : .showingError
    case .loggingIn: .waiting
    case .authenticated: nil
    }
  }

  fileprivate var error: Auth.LoginError? {
    switch self {
    case .anonymous(let error): error
    case .loggingIn, .authenticated: nil
    }
  }

  fileprivate var user: String? {
    switch self {
    case .anonymous, .loggingIn: nil
    case .authenticated(let user): user
    }
  }
}

extension Auth {
  public static let kind = Kind(
    Auth.self, "auth", "knows who is logged in: logins that take their time, sessions that may expire",
    form: .enumAndSwitch,
    origin: """
      the login service in an article on state machines in iOS applications, which accepts everybody at once; that a login \
      takes time, is rejected or fails, and that a session ends, is added here
      """,
    example: [
      "new auth a sessionTTL=10s", "send a login A bad", "advance 1s", "show a", "send a login A ok",
      "send a login B ok",
      "advance 1s", "advance 10s", "send a logout",
    ],
    states: [
      .anonymous: "nobody is logged in",
      .loggingIn: "a login is under way",
      .authenticated: "a user is logged in",
    ],
    events: [
      .event(
        Event.login, .text("user", bytes: 0...64, like: ["A", ""]),
        .text("password", bytes: 0...64, like: ["ok", "bad"]),
        about: "log in; does nothing while a field is empty"),
      .event(.accepted, "the login is accepted; ignored when it is too late"),
      .event(Event.rejected, .optional(.choice("error")), about: "the login is rejected"),
      .event(Event.failed, .optional(.choice("error")), about: "the login could not be checked"),
      .event(.logout, "log out, or give a login up; succeeds in any state"),
      .event(.sessionExpired, "the session is over"),
    ],
    timers: [
      .accepted: .after("loginLatency", "the login is accepted"),
      .rejected: .after("loginLatency", "the login is rejected"),
      .failed: .after("loginLatency", "the login could not be checked"),
      .sessionExpired: .computed("the session is over, sessionTTL after the login"),
    ],
    outputs: [
      .currentUser: .output(("user", .optional(.user)), about: "who is logged in from now on"),
      .loggedIn: .output(about: "the login screen is closed after a login"),
      .error: .output(
        ("error", .choice(LoginError.allCases.map(\.rawValue))), about: "why there was no login, for the login screen"),
      .expired: .output(about: "the session is over, and not by a logout"),
    ],
    readings: [
      .reading("currentUser", .user, "who is logged in") { machine, _, _ in machine.state.user },
      .reading("loginScreen", .choice(LoginScreen.allCases.map(\.rawValue)), "what the login screen shows") {
        machine, _, _ in machine.state.loginScreen
      },
      .reading("error", .choice(LoginError.allCases.map(\.rawValue)), "what the login screen says of the last attempt")
      {
        machine, _, _ in machine.state.error
      },
      .reading("late", .integer(0 ... .max), "how many logins were accepted too late and were dropped") {
        machine, _, _ in machine.late
      },
    ],
    parameters: parameterForms)

  private static let parameterForms: [ParameterForm<Parameters>] =
    [
      .parameter(
        "loginLatency", \.loginLatency, .delay, "how long a login takes; latency is the same, where only it is given"),
      .parameter("sessionTTL", \.sessionTTL, .optional(.interval(.zero ... .longest)), "how long a session lasts"),
    ] + Parameters.serviceForms
}
