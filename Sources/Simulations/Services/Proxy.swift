public import StateMachines

extension Composition {
  /// A server of four protocols, with as many machines for each as it has `clients` at the same time.
  ///
  /// The port that a client comes to selects the protocol. `supervisor` accepts the client and hands it to the first
  /// member of the protocol. A member that serves another client hands it on to the next one, and the member that takes
  /// it reports to `supervisor` when it is free again. A member can also be used without the supervisor. The members do
  /// not know of each other, and one that waits does not delay the others.
  public static let proxy = Composition(options: options) { (options: ProxyOptions) in
    let numbers = 1...options.clients
    var members: [(String, Kind)] = []
    var presets: [(String, any ValueConvertible)] = [("supervisor.clients", options.clients)]
    var wires: [(String, String)] = []
    for number in numbers {
      func name(_ proto: String, _ number: Int) -> String { number == 1 ? proto : "\(proto)-\(number)" }
      for (proto, kind) in protocols {
        let member = name(proto, number)
        members.append((member, kind))
        presets += [("\(member).supervised", true), ("\(member).hasNext", number < options.clients)]
        wires.append((number == 1 ? "supervisor.\(proto)" : "\(name(proto, number - 1)).busy", "\(member).accept"))
        wires.append(("\(member).ended", "supervisor.ended"))
      }
      if number == 1 { members.append(("supervisor", Supervisor.kind)) }
    }
    return Composition(
      "proxy", "a server of four protocols: send accept to supervisor, then commands to http, smtp, pop3 or imap",
      origin: "designed here after nginx, which serves several protocols in one loop; the port selects the protocol",
      source: "talk",
      example: [
        "new proxy p", "send p.supervisor accept 25", "send p.smtp HELO example.org", "send p.supervisor accept 25",
        "send p.smtp-2 HELO example.com", "send p.imap LOGIN ann secret", "send p.pop3 USER ann", "cast p.* QUIT",
        "list p.*",
      ],
      members: members, presets: presets, wires: wires)
  }

  private static let protocols = [
    ("http", HTTPRequest.kind), ("smtp", SMTP.kind), ("pop3", POP3.kind), ("imap", IMAP.kind),
  ]

  private struct ProxyOptions: ParameterSet {
    var clients = 2
  }

  private static let options: [ParameterForm<ProxyOptions>] = [
    .parameter(
      "clients", \.clients, .integer(1...Supervisor.mostClients),
      "how many clients each protocol serves at once, each with a member: http, http-2, http-3 and so on")
  ]
}
