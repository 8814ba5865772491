public import StateMachines

/// The front of a mailbox server: it talks POP3 until it knows to whose mailbox it must hand the client over.
///
/// | state | user | pass | noop | quit | other |
/// | --- | --- | --- | --- | --- | --- |
/// | start | → user +OK | -ERR | +OK | → done +OK | -ERR |
/// | user | → user +OK | right → authenticated +OK, wrong → start -ERR | +OK | → done +OK | -ERR |
///
/// A second `user` replaces the first. In `authenticated`, `done` and `closed` the session here is over, and every
/// command is refused. The timer `sessionTimeout` runs from the beginning of the session to its end, and closes the
/// session without a reply. `accept` and `ended` work as in ``SMTP``.
public struct POP3: Machine {
  public enum State: MachineState { case start, user, authenticated, done, closed }

  public enum Event: MachineEvent {
    case user(String), pass(String)
    case noop, quit
    case other(String?)
    case accept(Int)
    case sessionTimeout
  }

  public enum Output: OutputWithData, MemberOutput {
    case reply(Status)
    case ended(Int), busy(Int)

    public enum Name: NamedCases { case reply, ended, busy }
  }

  public enum Status: String, Choice { case ok = "+OK", error = "-ERR" }

  public typealias Parameters = MailParameters

  public var state = State.start
  private var served = ServedConnection()
  public init() {}

  public func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    switch state {
    case .start, .user: .after(parameters.sessionTimeout, .sessionTimeout).continuing
    case .authenticated, .done, .closed: .none
    }
  }

  public mutating func entered(_ state: State, _ step: Step<Self>) {
    switch state {
    case .authenticated, .done, .closed: served.giveBack(step)
    case .start, .user: break
    }
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .user:
      switch state {
      case .start, .user: step.emit(.reply(.ok), then: .move(to: .user))
      case .authenticated, .done, .closed: step.refuse(MailParameters.isOver)
      }
    case .pass(let password):
      switch state {
      case .start: step.emit(.reply(.error), then: .stay)
      case .user where step.when("right password", MailParameters.admits(password: password)):
        step.emit(.reply(.ok), then: .move(to: .authenticated))
      case .user: step.emit(.reply(.error), then: .move(to: .start))
      case .authenticated, .done, .closed: step.refuse(MailParameters.isOver)
      }
    case .noop:
      switch state {
      case .start, .user: step.emit(.reply(.ok), then: .stay)
      case .authenticated, .done, .closed: step.refuse(MailParameters.isOver)
      }
    case .quit:
      switch state {
      case .start, .user: step.emit(.reply(.ok), then: .move(to: .done))
      case .authenticated, .done, .closed: step.refuse(MailParameters.isOver)
      }
    case .other:
      switch state {
      case .start, .user: step.emit(.reply(.error), then: .stay)
      case .authenticated, .done, .closed: step.refuse(MailParameters.isOver)
      }
    case .accept(let connection):
      switch state {
      case .start, .authenticated, .done, .closed:
        served.take(connection, in: .start, arming: .sessionTimeout, after: step.parameters.sessionTimeout, step)
      case .user: served.sendAway(connection, step)
      }
    case .sessionTimeout: .move(to: .closed)
    }
  }

  public static let kind = Kind(
    POP3.self, "pop3", "a mail proxy that speaks POP3 until it can hand the client over",
    origin: "a reduction of the mail proxy of nginx to the states of a plain login",
    source: "talk",
    example: [
      "new pop3 p", "watch p", "send p PASS secret", "send p USER ann", "send p PASS bad", "send p USER ann",
      "send p PASS secret",
    ],
    states: {
      switch $0 {
      case .start: "waits for the user's name"
      case .user: "waits for the password"
      case .authenticated: "the client was handed over to the mail server"
      case .done: "the client has quit"
      case .closed: "the session has timed out"
      }
    },
    events: [
      .event(Event.user, .mailName("name", like: ["ann"]), about: "USER: the user's name").named("USER"),
      .event(Event.pass, .mailName("password", like: ["secret", "bad"]), about: "PASS: the password").named("PASS"),
      .event(.noop, "NOOP: no operation").named("NOOP"),
      .event(.quit, "QUIT: the client closes the session").named("QUIT"),
      .event(Event.other, .optional(.mailName("command", like: ["x"])), about: "any other command"),
      .accept(Event.accept),
    ],
    timers: [.timer(.sessionTimeout, after: "sessionTimeout", "the session has timed out")],
    outputs: {
      switch $0 {
      case .reply: .output(("status", Status.valueType), about: "the reply to a command")
      case .ended: .ended
      case .busy: .busy
      }
    },
    parameters: ParameterForm.ofMail)
}
