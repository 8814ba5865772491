public import StateMachines

extension Composition {
  /// A server of four protocols, with a machine for each.
  ///
  /// The port that a client comes to selects the protocol. `supervisor` accepts the client and hands it to the member,
  /// which reports when it is free again. A member can also be used without the supervisor. The four members do not
  /// know of each other, and one that waits does not delay the others.
  public static let proxy = Composition(
    "proxy", "a server of four protocols: send accept to supervisor, then commands to http, smtp, pop3 or imap",
    origin: "designed here after nginx, which serves several protocols in one loop; the port selects the protocol",
    example: [
      "new proxy p", "send p.supervisor accept 25", "send p.smtp HELO example.org", "send p.imap LOGIN ann secret",
      "send p.pop3 USER ann", "cast p.* QUIT", "list p.*",
    ],
    members: [
      "http": HTTPRequest.kind, "smtp": SMTP.kind, "pop3": POP3.kind, "imap": IMAP.kind,
      "supervisor": Supervisor.kind,
    ],
    presets: [
      "http.supervised": true, "smtp.supervised": true, "pop3.supervised": true, "imap.supervised": true,
    ],
    wires: [
      "supervisor.http": "http.accept", "http.ended": "supervisor.ended",
      "supervisor.smtp": "smtp.accept", "smtp.ended": "supervisor.ended",
      "supervisor.pop3": "pop3.accept", "pop3.ended": "supervisor.ended",
      "supervisor.imap": "imap.accept", "imap.ended": "supervisor.ended",
    ])
}
