public import StateMachines

/// The front of a mailbox server that talks IMAP until it knows whose mailboxes to hand the client over to.
///
/// | state | login | noop | logout | other |
/// | --- | --- | --- | --- | --- |
/// | start | right → authenticated OK, wrong: NO | OK | → done OK | BAD |
///
/// `authenticated`, `done` and `closed` are the end, and everything is refused: the session belongs to the server
/// behind, or there is none. The timer `sessionTimeout` runs from the beginning to that end and closes the session
/// without a reply. Tags of commands are left out.
public struct IMAP: LegacyMachine {
  public enum State: MachineState {
    /// Nobody has logged in. `sessionTimeout` is running.
    case start
    /// Handed over to the server behind.
    case authenticated
    /// The client has taken its leave.
    case done
    /// It took too long.
    case closed
  }

  public enum Event: Sendable {
    case login(String, String)
    case noop, logout
    case other(String?)
  }

  public enum TimerName: NamedCases { case sessionTimeout }

  public enum Status: String, CaseIterable, Sendable {
    case ok = "OK"
    case no = "NO"
    case bad = "BAD"
  }

  public enum Output: OutputWithData {
    case reply(Status)

    public enum Name: NamedCases { case reply }
    public var name: Name { .reply }

    public var data: [Value] {
      switch self {
      case .reply(let status): [.text(status.rawValue)]
      }
    }
  }

  public typealias Parameters = MailParameters

  public var state: State

  public init(initial: State?, _ step: Step<Self>) {
    state = initial ?? .start
    if state == .start { step.arm(.sessionTimeout, after: step.parameters.sessionTimeout) }
  }

  public mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (.start, .event(.login(_, let password))):
      guard MailParameters.admits(password: password) else {
        step.emit(.reply(.no))
        return .stay
      }
      step.disarm(.sessionTimeout)
      step.emit(.reply(.ok))
      return .move(to: .authenticated)
    case (.start, .event(.noop)):
      step.emit(.reply(.ok))
      return .stay
    case (.start, .event(.logout)):
      step.disarm(.sessionTimeout)
      step.emit(.reply(.ok))
      return .move(to: .done)
    case (.start, .event(.other)):
      step.emit(.reply(.bad))
      return .stay
    case (.authenticated, .event):
      return step.refuse("the client was handed over and talks to the server behind")
    case (.done, .event):
      return step.refuse("the client has logged out, and the session is over")
    case (.closed, .event):
      return step.refuse("the session took too long and was closed")
    case (.start, .expired(.sessionTimeout)):
      return .move(to: .closed)
    case (.authenticated, .expired(.sessionTimeout)), (.done, .expired(.sessionTimeout)),
      (.closed, .expired(.sessionTimeout)):
      return .ignore
    }
  }

  public func asksFor(_ timer: TimerName) -> Bool { state == .start }
}

extension IMAP {
  public static let kind = Kind(
    IMAP.self, "imap", "the front of a mailbox server: talks IMAP until the client can be handed over",
    origin: "a reduction of the mail proxy of nginx; of its states those of a plain login are left",
    example: [
      "new imap i sessionTimeout=30s", "watch i", "send i LOGIN ann bad", "advance 29s", "send i NOOP", "advance 1s",
      "show i",
    ],
    states: [
      .start: "nobody has logged in",
      .authenticated: "the client was handed over to the server behind",
      .done: "the client has taken its leave",
      .closed: "the session took too long",
    ],
    events: [
      .event(
        Event.login, .mailName("user", like: ["ann"]), .mailName("password", like: ["secret", "bad"]),
        about: "LOGIN: whose mailboxes they are, and the password"
      ).named("LOGIN"),
      .event(.noop, "NOOP: nothing is wanted").named("NOOP"),
      .event(.logout, "LOGOUT: the client takes its leave").named("LOGOUT"),
      .event(Event.other, .optional(.mailName("command", like: ["x"])), about: "any other command"),
    ],
    timers: [.sessionTimeout: .after("sessionTimeout", "the session takes too long")],
    outputs: [
      .reply: .output(("status", .choice(Status.allCases.map(\.rawValue))), about: "the reply to a command")
    ],
    parameters: ParameterForm.ofMail)
}
