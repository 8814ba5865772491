public import StateMachines

extension Composition {
  /// A server that speaks four protocols, with a machine for each.
  ///
  /// Which of them a client gets depends on the port that it comes to: `supervisor` accepts it and hands it to the member,
  /// which says when it is free again. One may talk to a member without that, too. The four know nothing of each other, and
  /// one that waits delays none of the others.
  public static let proxy = Composition(
    "proxy", "a server of four protocols: accept on supervisor, then talk to http, smtp, pop3 or imap",
    origin: """
      nginx serves several protocols with one loop, each by a state machine of its own, and the port tells which; made here \
      of four of them
      """,
    example: [
      "new proxy p", "send p.supervisor accept 25", "send p.smtp HELO example.org", "send p.imap LOGIN ann secret",
      "send p.pop3 USER ann",
      "cast p.* QUIT", "list p.*",
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
