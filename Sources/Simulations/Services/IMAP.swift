public import StateMachines

/// The front of a mailbox server: it talks IMAP until it knows to whose mailboxes it must hand the client over.
///
/// | state | login | noop | logout | other |
/// | --- | --- | --- | --- | --- |
/// | start | right → authenticated OK, wrong: NO | OK | → done OK | BAD |
///
/// In `authenticated`, `done` and `closed` the session here is over, and every command is refused. The timer
/// `sessionTimeout` runs from the beginning of the session to its end, and closes the session without a reply. `accept`
/// begins a session for a client that a ``Supervisor`` hands over, in every state, and `ended` returns the connection
/// when the session is over. Tags of commands are omitted.
public struct IMAP: Machine {
  public enum State: MachineState { case start, authenticated, done, closed }

  public enum Event: MachineEvent {
    case login(String, String)
    case noop, logout
    case other(String?)
    case accept(Int)
    case sessionTimeout
  }

  public enum Output: OutputWithData, MemberOutput {
    case reply(Status)
    case ended(Int), busy(Int)

    public enum Name: NamedCases { case reply, ended, busy }
  }

  public enum Status: String, Choice { case ok = "OK", no = "NO", bad = "BAD" }

  public typealias Parameters = MailParameters

  public var state = State.start
  private var served = ServedConnection()
  public init() {}

  public func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    switch state {
    case .start: .after(parameters.sessionTimeout, .sessionTimeout)
    case .authenticated, .done, .closed: .none
    }
  }

  public mutating func entered(_ state: State, _ step: Step<Self>) {
    switch state {
    case .authenticated, .done, .closed: served.giveBack(step)
    case .start: break
    }
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .login(_, let password):
      switch state {
      case .start where step.when("right password", MailParameters.admits(password: password)):
        step.emit(.reply(.ok), then: .move(to: .authenticated))
      case .start: step.emit(.reply(.no), then: .stay)
      case .authenticated, .done, .closed: step.refuse(MailParameters.isOver)
      }
    case .noop:
      switch state {
      case .start: step.emit(.reply(.ok), then: .stay)
      case .authenticated, .done, .closed: step.refuse(MailParameters.isOver)
      }
    case .logout:
      switch state {
      case .start: step.emit(.reply(.ok), then: .move(to: .done))
      case .authenticated, .done, .closed: step.refuse(MailParameters.isOver)
      }
    case .other:
      switch state {
      case .start: step.emit(.reply(.bad), then: .stay)
      case .authenticated, .done, .closed: step.refuse(MailParameters.isOver)
      }
    case .accept(let connection):
      switch state {
      case .start, .authenticated, .done, .closed:
        served.take(connection, in: .start, arming: .sessionTimeout, after: step.parameters.sessionTimeout, step)
      }
    case .sessionTimeout: .move(to: .closed)
    }
  }

  public static let kind = Kind(
    IMAP.self, "imap", "a mail proxy that speaks IMAP until it can hand the client over",
    origin: "a reduction of the mail proxy of nginx to the states of a plain login",
    source: "talk",
    example: [
      "new imap i sessionTimeout=30s", "watch i", "send i LOGIN ann bad", "advance 29s", "send i NOOP", "advance 1s",
      "show i",
    ],
    states: {
      switch $0 {
      case .start: "waits for a login"
      case .authenticated: "the client was handed over to the mail server"
      case .done: "the client has logged out"
      case .closed: "the session has timed out"
      }
    },
    events: [
      .event(
        Event.login, .mailName("user", like: ["ann"]), .mailName("password", like: ["secret", "bad"]),
        about: "LOGIN: the user's name and password"
      ).named("LOGIN"),
      .event(.noop, "NOOP: no operation").named("NOOP"),
      .event(.logout, "LOGOUT: the client closes the session").named("LOGOUT"),
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
