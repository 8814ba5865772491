public import StateMachines

/// The front of a mail server: it talks SMTP until it knows enough to hand the client over to the server behind it.
///
/// A number is the reply, told by `reply(code)`; 503 is one too (the commands are in the wrong order), and the session
/// goes on.
///
/// | state | helo, ehlo | mail | rcpt | authLogin | authPlain | line | rset | noop | quit | other |
/// | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
/// | start | → helo 250 | 503 | 503 | 503 | 503 | ignored | 250 | 250 | → done 221 | 500 |
/// | helo | 250 | → from 250 | 503 | → authLoginUser 334 | → authPlain 334 | ignored | 250 | 250 | → done 221 | 500 |
/// | from | → helo 250 | 503 | → to 250, handOver | 503 | 503 | ignored | → helo 250 | 250 | → done 221 | 500 |
/// | authLoginUser | | | | | | → authLoginPassword 334 | | | | |
/// | authLoginPassword, authPlain | | | | | | → helo 235 or 535 | | | | |
///
/// An empty cell is ignored: while a name or a password is awaited there are no commands, only `line`. Lines are given
/// as they are after decoding: a name, a password, and for authPlain both with a space between.
///
/// `to`, `done` and `closed` are the end, and everything is refused: the session belongs to the server behind, or there
/// is none. The timer `sessionTimeout` runs from the beginning to that end, whatever the client says meanwhile, and
/// closes the session without a reply.
public struct SMTP: LegacyMachine {
  public enum State: StateWithData {
    /// The client has not said who it is. `sessionTimeout` is running, as it is in all states up to `authPlain`.
    case start
    /// It has, or has begun anew.
    case helo
    /// A sender is known.
    case from(sender: String)
    /// The user's name is awaited.
    case authLoginUser
    /// The password of this user is awaited.
    case authLoginPassword
    /// User and password are awaited in one line.
    case authPlain
    /// Handed over to the server behind.
    case to
    /// The client has taken its leave.
    case done
    /// It took too long.
    case closed

    public enum Name: NamedCases {
      case start, helo, from, to, authLoginUser, authLoginPassword, authPlain, done, closed
    }

    public var name: Name {
      switch self {
      case .start: .start
      case .helo: .helo
      case .from: .from
      case .to: .to
      case .authLoginUser: .authLoginUser
      case .authLoginPassword: .authLoginPassword
      case .authPlain: .authPlain
      case .done: .done
      case .closed: .closed
      }
    }

    /// Whether the client is still talked to.
    fileprivate var isOpen: Bool {
      switch self {
      case .start, .helo, .from, .authLoginUser, .authLoginPassword, .authPlain: true
      case .to, .done, .closed: false
      }
    }
  }

  public enum Event: Sendable {
    case helo(String?), ehlo(String?)
    case mail(String?), rcpt(String?)
    case auth(Mechanism)
    case line(String)
    case rset, noop, quit
    case other(String?)
  }

  /// How a client logs in.
  public enum Mechanism: String, Choice { case login = "LOGIN", plain = "PLAIN" }

  public enum TimerName: NamedCases { case sessionTimeout }

  public enum Output: OutputWithData {
    case reply(Int)
    case handOver(from: String, to: String)

    public enum Name: NamedCases { case reply, handOver }

    public var name: Name {
      switch self {
      case .reply: .reply
      case .handOver: .handOver
      }
    }

    public var data: [Value] {
      switch self {
      case .reply(let code): [.integer(code)]
      case .handOver(let sender, let recipient): [.text(sender), .text(recipient)]
      }
    }
  }

  public typealias Parameters = MailParameters

  public var state: State

  public init(initial: State.Name?, _ step: Step<Self>) {
    switch initial ?? .start {
    case .start: state = .start
    case .helo: state = .helo
    case .from: state = .from(sender: "")
    case .to: state = .to
    case .authLoginUser: state = .authLoginUser
    case .authLoginPassword: state = .authLoginPassword
    case .authPlain: state = .authPlain
    case .done: state = .done
    case .closed: state = .closed
    }
    if state.isOpen { step.arm(.sessionTimeout, after: step.parameters.sessionTimeout) }
  }

  public mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (.start, .event(.helo)), (.start, .event(.ehlo)), (.from, .event(.helo)), (.from, .event(.ehlo)),
      (.from, .event(.rset)):
      return reply(250, .move(to: .helo), step)
    case (.helo, .event(.helo)), (.helo, .event(.ehlo)), (.start, .event(.rset)), (.helo, .event(.rset)),
      (.start, .event(.noop)), (.helo, .event(.noop)), (.from, .event(.noop)):
      return reply(250, .stay, step)
    case (.helo, .event(.mail(let sender))):
      return reply(250, .move(to: .from(sender: sender ?? "")), step)
    case (.from(let sender), .event(.rcpt(let recipient))):
      step.disarm(.sessionTimeout)
      step.emit(.reply(250))
      step.emit(.handOver(from: sender, to: recipient ?? ""))
      return .move(to: .to)
    case (.helo, .event(.auth(.login))):
      return reply(334, .move(to: .authLoginUser), step)
    case (.helo, .event(.auth(.plain))):
      return reply(334, .move(to: .authPlain), step)
    case (.authLoginUser, .event(.line)):
      return reply(334, .move(to: .authLoginPassword), step)
    case (.authLoginPassword, .event(.line(let password))):
      return judge(MailParameters.admits(password: password), step)
    case (.authPlain, .event(.line(let line))):
      return judge(MailParameters.admits(password: String(line.split(separator: " ").last ?? "")), step)
    case (.start, .event(.quit)), (.helo, .event(.quit)), (.from, .event(.quit)):
      step.disarm(.sessionTimeout)
      return reply(221, .move(to: .done), step)

    case (.start, .event(.mail)), (.start, .event(.rcpt)), (.start, .event(.auth)),
      (.helo, .event(.rcpt)),
      (.from, .event(.mail)), (.from, .event(.auth)):
      return reply(503, .stay, step)
    case (.start, .event(.other)), (.helo, .event(.other)), (.from, .event(.other)):
      return reply(500, .stay, step)
    case (.start, .event(.line)), (.helo, .event(.line)), (.from, .event(.line)):
      return .ignore
    case (.authLoginUser, .event), (.authLoginPassword, .event), (.authPlain, .event):
      return .ignore

    case (.to, .event):
      return step.refuse("the client was handed over and talks to the server behind")
    case (.done, .event):
      return step.refuse("the client has said quit, and the session is over")
    case (.closed, .event):
      return step.refuse("the session took too long and was closed")
    case (.start, .expired), (.helo, .expired), (.from, .expired), (.authLoginUser, .expired),
      (.authLoginPassword, .expired), (.authPlain, .expired):
      return .move(to: .closed)
    case (.to, .expired), (.done, .expired), (.closed, .expired):
      return .ignore
    }
  }

  public func asksFor(_ timer: TimerName) -> Bool {
    switch timer {
    case .sessionTimeout: state.isOpen
    }
  }

  private func reply(_ code: Int, _ reaction: Reaction<State>, _ step: Step<Self>) -> Reaction<State> {
    step.emit(.reply(code))
    return reaction
  }

  private func judge(_ isAdmitted: Bool, _ step: Step<Self>) -> Reaction<State> {
    reply(isAdmitted ? 235 : 535, .move(to: .helo), step)
  }
}

extension SMTP {
  public static let kind = Kind(
    SMTP.self, "smtp", "the front of a mail server: talks SMTP until the client can be handed over",
    origin: """
      a reduction of the mail proxy of nginx: its states and reply codes; decoding of what clients encode is left out
      """,
    example: [
      "new smtp s", "watch s", "send s MAIL a@example.org", "send s EHLO me", "send s AUTH PLAIN",
      "send s line \"ann hush\"", "send s MAIL a@example.org", "send s RCPT b@example.org",
    ],
    states: [
      .start: "the client has not said who it is",
      .helo: "the client has said who it is",
      .from: "the sender of a message is known",
      .to: "the client was handed over to the server behind",
      .authLoginUser: "the name of a user is awaited",
      .authLoginPassword: "the password of the user is awaited",
      .authPlain: "name and password are awaited in one line",
      .done: "the client has taken its leave",
      .closed: "the session took too long",
    ],
    events: [
      .event(Event.helo, .optional(.mailName("client", like: ["me"])), about: "HELO: the client says who it is").named(
        "HELO"),
      .event(Event.ehlo, .optional(.mailName("client", like: ["me"])), about: "EHLO: the same, for extended SMTP")
        .named("EHLO"),
      .event(
        Event.mail, .optional(.mailName("from", like: ["a@example.org"])), about: "MAIL FROM: a message of this sender"
      ).named("MAIL"),
      .event(Event.rcpt, .optional(.mailName("to", like: ["b@example.org"])), about: "RCPT TO: for this recipient")
        .named("RCPT"),
      .event(
        Event.auth, .choice("mechanism"), about: "AUTH: name and password will come in two lines, or in one with PLAIN"
      ).named("AUTH"),
      .event(
        Event.line, .mailName("text", like: ["secret", "bad"]),
        about: "what was asked for, decoded: name, password, or both with a space between"),
      .event(.rset, "RSET: forgets the message").named("RSET"),
      .event(.noop, "NOOP: nothing is wanted").named("NOOP"),
      .event(.quit, "QUIT: the client takes its leave").named("QUIT"),
      .event(Event.other, .optional(.mailName("command", like: ["x"])), about: "any other command"),
    ],
    timers: [.sessionTimeout: .after("sessionTimeout", "the session takes too long")],
    outputs: [
      .reply: .output(("code", .integer(200...599)), about: "the reply to a command"),
      .handOver: .output(
        ("from", .mailName), ("to", .mailName), about: "the server behind takes over, with this message"),
    ],
    parameters: ParameterForm.ofMail)
}
