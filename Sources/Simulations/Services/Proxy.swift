public import StateMachines

extension Composition {
  /// A server that speaks four protocols, with a machine for each.
  ///
  /// Which of them a client gets depends on the port that it comes to: here, on which member one talks to. So there is
  /// no machine that chooses, and no wire between the four: they know nothing of each other, and one that waits delays
  /// none of the others.
  public static let proxy = Composition(
    "proxy", "a server of four protocols: talk to its member http, smtp, pop3 or imap",
    origin: """
      nginx serves several protocols with one loop, each by a state machine of its own, and the port tells which; made here \
      of four of them
      """,
    example: [
      "new proxy p", "send p.smtp HELO example.org", "send p.imap LOGIN ann secret", "send p.pop3 USER ann",
      "cast p.* QUIT", "list p.*",
    ],
    members: ["http": HTTPRequest.kind, "smtp": SMTP.kind, "pop3": POP3.kind, "imap": IMAP.kind],
    wires: [:])
}
