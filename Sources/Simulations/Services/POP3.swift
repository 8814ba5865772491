public import StateMachines

/// The front of a mailbox server that talks POP3 until it knows whose mailbox to hand the client over to.
///
/// | state | user | pass | noop | quit | other |
/// | --- | --- | --- | --- | --- | --- |
/// | start | → user +OK | -ERR | +OK | → done +OK | -ERR |
/// | user | → user +OK | right → authenticated +OK, wrong → start -ERR | +OK | → done +OK | -ERR |
///
/// A second `user` takes the place of the first. `authenticated`, `done` and `closed` are the end, and everything is
/// refused: the session belongs to the server behind, or there is none. The timer `sessionTimeout` runs from the
/// beginning to that end and closes the session without a reply.
public struct POP3: LegacyMachine {
  public enum State: StateWithData {
    /// Nobody has said who they are. `sessionTimeout` is running.
    case start
    /// A name was given, and the password is awaited. `sessionTimeout` is running.
    case user(String)
    /// Handed over to the server behind.
    case authenticated
    /// The client has taken its leave.
    case done
    /// It took too long.
    case closed

    public enum Name: NamedCases { case start, user, authenticated, done, closed }

    public var name: Name {
      switch self {
      case .start: .start
      case .user: .user
      case .authenticated: .authenticated
      case .done: .done
      case .closed: .closed
      }
    }
  }

  public enum Event: Sendable {
    case user(String)
    case pass(String)
    case noop, quit
    case other(String?)
  }

  public enum TimerName: NamedCases { case sessionTimeout }

  public enum Output: OutputWithData {
    case reply(isPositive: Bool)

    public enum Name: NamedCases { case reply }
    public var name: Name { .reply }

    public var data: [Value] {
      switch self {
      case .reply(let isPositive): [.text(isPositive ? "+OK" : "-ERR")]
      }
    }
  }

  public typealias Parameters = MailParameters

  public var state: State

  public init(initial: State.Name?, _ step: Step<Self>) {
    switch initial ?? .start {
    case .start: state = .start
    case .user: state = .user("user")
    case .authenticated: state = .authenticated
    case .done: state = .done
    case .closed: state = .closed
    }
    if asksFor(.sessionTimeout) { step.arm(.sessionTimeout, after: step.parameters.sessionTimeout) }
  }

  public mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (.start, .event(.user(let name))), (.user, .event(.user(let name))):
      step.emit(.reply(isPositive: true))
      return .move(to: .user(name))
    case (.user, .event(.pass(let password))):
      guard MailParameters.admits(password: password) else {
        step.emit(.reply(isPositive: false))
        return .move(to: .start)
      }
      step.disarm(.sessionTimeout)
      step.emit(.reply(isPositive: true))
      return .move(to: .authenticated)
    case (.start, .event(.quit)), (.user, .event(.quit)):
      step.disarm(.sessionTimeout)
      step.emit(.reply(isPositive: true))
      return .move(to: .done)
    case (.start, .event(.noop)), (.user, .event(.noop)):
      step.emit(.reply(isPositive: true))
      return .stay
    case (.start, .event(.pass)), (.start, .event(.other)), (.user, .event(.other)):
      step.emit(.reply(isPositive: false))
      return .stay
    case (.authenticated, .event):
      return step.refuse("the client was handed over and talks to the server behind")
    case (.done, .event):
      return step.refuse("the client has said quit, and the session is over")
    case (.closed, .event):
      return step.refuse("the session took too long and was closed")
    case (.start, .expired(.sessionTimeout)), (.user, .expired(.sessionTimeout)):
      return .move(to: .closed)
    case (.authenticated, .expired(.sessionTimeout)), (.done, .expired(.sessionTimeout)),
      (.closed, .expired(.sessionTimeout)):
      return .ignore
    }
  }

  public func asksFor(_ timer: TimerName) -> Bool {
    switch (timer, state) {
    case (.sessionTimeout, .start), (.sessionTimeout, .user): true
    case (.sessionTimeout, .authenticated), (.sessionTimeout, .done), (.sessionTimeout, .closed): false
    }
  }
}

extension POP3 {
  public static let kind = Kind(
    POP3.self, "pop3", "the front of a mailbox server: talks POP3 until the client can be handed over",
    origin: "a reduction of the mail proxy of nginx; of its states those of a plain login are left",
    example: [
      "new pop3 p", "watch p", "send p PASS secret", "send p USER ann", "send p PASS bad", "send p USER ann",
      "send p PASS secret",
    ],
    states: [
      .start: "nobody has said who they are",
      .user: "a name was given, and the password is awaited",
      .authenticated: "the client was handed over to the server behind",
      .done: "the client has taken its leave",
      .closed: "the session took too long",
    ],
    events: [
      .event(Event.user, .mailName("name", like: ["ann"]), about: "USER: whose mailbox it is").named("USER"),
      .event(Event.pass, .mailName("password", like: ["secret", "bad"]), about: "PASS: the password for it").named(
        "PASS"),
      .event(.noop, "NOOP: nothing is wanted").named("NOOP"),
      .event(.quit, "QUIT: the client takes its leave").named("QUIT"),
      .event(Event.other, .optional(.mailName("command", like: ["x"])), about: "any other command"),
    ],
    timers: [.sessionTimeout: .after("sessionTimeout", "the session takes too long")],
    outputs: [.reply: .output(("status", .choice(["+OK", "-ERR"])), about: "the reply to a command")],
    parameters: ParameterForm.ofMail)
}
