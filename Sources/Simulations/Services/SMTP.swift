public import StateMachines

/// The front of a mail server: it talks SMTP until it can hand the client over to the server behind it.
///
/// A number in the table is the reply, emitted by `reply(code)`. After 503 (wrong order of commands) the session
/// continues.
///
/// | state | helo, ehlo | mail | rcpt | authLogin | authPlain | line | rset | noop | quit | other |
/// | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
/// | start | → helo 250 | 503 | 503 | 503 | 503 | ignored | 250 | 250 | → done 221 | 500 |
/// | helo | 250 | → from 250 | 503 | → authLoginUser 334 | → authPlain 334 | ignored | 250 | 250 | → done 221 | 500 |
/// | from | → helo 250 | 503 | → to 250, handOver | 503 | 503 | ignored | → helo 250 | 250 | → done 221 | 500 |
/// | authLoginUser | | | | | | → authLoginPassword 334 | | | | |
/// | authLoginPassword, authPlain | | | | | | → helo 235 or 535 | | | | |
///
/// An empty cell is ignored: while a name or a password is awaited, only `line` is taken. A line is given decoded: a
/// name, a password, and for authPlain both with a space between.
///
/// In `to`, `done` and `closed` the session here is over, and every command is refused. The timer `sessionTimeout` runs
/// from the beginning of the session to its end, whatever the client sends, and closes the session without a reply.
///
/// `accept` begins a session for a client that a ``Supervisor`` hands over, in `start`, `to`, `done` and `closed`. In
/// other states, and while another connection is served, the new one is returned at once. `ended` returns a connection.
public struct SMTP: Machine {
  public enum State: MachineState {
    case start, helo, from, to, authLoginUser, authLoginPassword, authPlain, done, closed
  }

  public enum Event: MachineEvent {
    case helo(String?), ehlo(String?), mail(String?), rcpt(String?)
    case auth(Mechanism)
    case line(String)
    case rset, noop, quit
    case other(String?)
    case accept(Int)
    case sessionTimeout
  }

  /// The way in which a client logs in.
  public enum Mechanism: String, Choice { case login = "LOGIN", plain = "PLAIN" }

  public enum Output: OutputWithData, MemberOutput {
    case reply(Int)
    case handOver(from: String, to: String)
    case ended(Int), busy(Int)

    public enum Name: NamedCases { case reply, handOver, ended, busy }
  }

  public typealias Parameters = MailParameters

  public var state = State.start
  private var served = ServedConnection()
  /// The sender of the message, in `from`.
  private var sender = ""
  public init() {}

  public func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    switch state {
    case .start, .helo, .from, .authLoginUser, .authLoginPassword, .authPlain:
      .after(parameters.sessionTimeout, .sessionTimeout).continuing
    case .to, .done, .closed: .none
    }
  }

  public mutating func entered(_ state: State, _ step: Step<Self>) {
    switch state {
    case .to, .done, .closed: served.giveBack(step)
    case .start, .helo, .from, .authLoginUser, .authLoginPassword, .authPlain: break
    }
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .helo, .ehlo:
      switch state {
      case .start, .from: step.emit(.reply(250), then: .move(to: .helo))
      case .helo: step.emit(.reply(250), then: .stay)
      case .authLoginUser, .authLoginPassword, .authPlain: .ignore
      case .to, .done, .closed: step.refuse(MailParameters.isOver)
      }
    case .mail(let sender):
      switch state {
      case .start, .from: step.emit(.reply(503), then: .stay)
      case .helo: note(sender ?? "", step)
      case .authLoginUser, .authLoginPassword, .authPlain: .ignore
      case .to, .done, .closed: step.refuse(MailParameters.isOver)
      }
    case .rcpt(let recipient):
      switch state {
      case .start, .helo: step.emit(.reply(503), then: .stay)
      case .from:
        step.emit(.reply(250), .handOver(from: sender, to: recipient ?? ""), then: .move(to: .to))
      case .authLoginUser, .authLoginPassword, .authPlain: .ignore
      case .to, .done, .closed: step.refuse(MailParameters.isOver)
      }
    case .auth(let mechanism):
      switch state {
      case .start, .from: step.emit(.reply(503), then: .stay)
      case .helo: step.emit(.reply(334), then: .move(to: mechanism == .login ? .authLoginUser : .authPlain))
      case .authLoginUser, .authLoginPassword, .authPlain: .ignore
      case .to, .done, .closed: step.refuse(MailParameters.isOver)
      }
    case .line(let line):
      switch state {
      case .start, .helo, .from: .ignore
      case .authLoginUser: step.emit(.reply(334), then: .move(to: .authLoginPassword))
      case .authLoginPassword: judge(line, step)
      case .authPlain: judge(String(line.split(separator: " ").last ?? ""), step)
      case .to, .done, .closed: step.refuse(MailParameters.isOver)
      }
    case .rset:
      switch state {
      case .start, .helo: step.emit(.reply(250), then: .stay)
      case .from: step.emit(.reply(250), then: .move(to: .helo))
      case .authLoginUser, .authLoginPassword, .authPlain: .ignore
      case .to, .done, .closed: step.refuse(MailParameters.isOver)
      }
    case .noop:
      switch state {
      case .start, .helo, .from: step.emit(.reply(250), then: .stay)
      case .authLoginUser, .authLoginPassword, .authPlain: .ignore
      case .to, .done, .closed: step.refuse(MailParameters.isOver)
      }
    case .quit:
      switch state {
      case .start, .helo, .from: step.emit(.reply(221), then: .move(to: .done))
      case .authLoginUser, .authLoginPassword, .authPlain: .ignore
      case .to, .done, .closed: step.refuse(MailParameters.isOver)
      }
    case .other:
      switch state {
      case .start, .helo, .from: step.emit(.reply(500), then: .stay)
      case .authLoginUser, .authLoginPassword, .authPlain: .ignore
      case .to, .done, .closed: step.refuse(MailParameters.isOver)
      }
    case .accept(let connection):
      switch state {
      case .start, .to, .done, .closed:
        served.take(connection, in: .start, arming: .sessionTimeout, after: step.parameters.sessionTimeout, step)
      case .helo, .from, .authLoginUser, .authLoginPassword, .authPlain: served.sendAway(connection, step)
      }
    case .sessionTimeout: .move(to: .closed)
    }
  }

  private mutating func note(_ sender: String, _ step: Step<Self>) -> Reaction<State> {
    self.sender = sender
    return step.emit(.reply(250), then: .move(to: .from))
  }

  private func judge(_ password: String, _ step: Step<Self>) -> Reaction<State> {
    let isRight = step.when("right password", MailParameters.admits(password: password))
    return step.emit(.reply(isRight ? 235 : 535), then: .move(to: .helo))
  }

  public static let kind = Kind(
    SMTP.self, "smtp", "a mail proxy that speaks SMTP until it can hand the client over",
    origin: "a reduction of the mail proxy of nginx: its states and reply codes, without decoding",
    source: "talk",
    example: [
      "new smtp s", "watch s", "send s MAIL a@example.org", "send s EHLO me", "send s AUTH PLAIN",
      "send s line \"ann hush\"", "send s MAIL a@example.org", "send s RCPT b@example.org",
    ],
    states: {
      switch $0 {
      case .start: "waits for HELO"
      case .helo: "the client has introduced itself"
      case .from: "the sender of a message is known"
      case .to: "the client was handed over to the mail server"
      case .authLoginUser: "waits for the user's name"
      case .authLoginPassword: "waits for the password"
      case .authPlain: "name and password are awaited in one line"
      case .done: "the client has said quit"
      case .closed: "the session has timed out"
      }
    },
    events: [
      .event(Event.helo, .optional(.mailName("client", like: ["me"])), about: "HELO: who the client is").named("HELO"),
      .event(Event.ehlo, .optional(.mailName("client", like: ["me"])), about: "EHLO: extended SMTP").named("EHLO"),
      .event(Event.mail, .optional(.mailName("from", like: ["a@example.org"])), about: "MAIL FROM: the sender")
        .named("MAIL"),
      .event(Event.rcpt, .optional(.mailName("to", like: ["b@example.org"])), about: "RCPT TO: the recipient")
        .named("RCPT"),
      .event(Event.auth, .choice("mechanism"), about: "AUTH: name and password come in two lines, or in one with PLAIN")
        .named("AUTH"),
      .event(
        Event.line, .mailName("text", like: ["secret", "bad"]),
        about: "what was asked for, decoded: name, password, or both with a space between"),
      .event(.rset, "RSET: forgets the message").named("RSET"),
      .event(.noop, "NOOP: no operation").named("NOOP"),
      .event(.quit, "QUIT: the client closes the session").named("QUIT"),
      .event(Event.other, .optional(.mailName("command", like: ["x"])), about: "any other command"),
      .accept(Event.accept),
    ],
    timers: [.timer(.sessionTimeout, after: "sessionTimeout", "the session has timed out")],
    outputs: {
      switch $0 {
      case .reply: .output(("code", .integer(200...599)), about: "the reply to a command")
      case .handOver: .output(("from", .mailName), ("to", .mailName), about: "the next server takes over the message")
      case .ended: .ended
      case .busy: .busy
      }
    },
    parameters: ParameterForm.ofMail)
}
