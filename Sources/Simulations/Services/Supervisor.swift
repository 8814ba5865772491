public import StateMachines

/// The listener on the ports of a server: the port selects the protocol, and a free member gets the connection.
///
/// | state | accept(port) | ended(connection) |
/// | --- | --- | --- |
/// | idle | → serving(1): http, smtp, pop3 or imap | ignored |
/// | serving(n) | → serving(n + 1): http, smtp, pop3 or imap | → serving(n − 1), of the last one → idle |
///
/// A port without a listener is refused, and so is a client whose protocol has no free member. There are `clients` members
/// for each protocol; they hand a client on among themselves until one is free.
public struct Supervisor: Machine {
  /// The protocols, each served by `clients` members.
  public enum Member: Int, CaseIterable, Codable, Sendable {
    case http = 80, smtp = 25, pop3 = 110, imap = 143
  }

  public struct State: StateWithData, PartlyIncidental {
    /// The connections of the members, in the order in which they came.
    fileprivate var connections: [Connection] = []

    public enum Name: NamedCases { case idle, serving }
    public var name: Name { connections.isEmpty ? .idle : .serving }
    public var data: String? { connections.isEmpty ? nil : "\(connections.count)" }
    public static var carriesData: Bool { true }

    /// Who serves, and whether they serve the connection that dry runs end.
    public func essence(for parameters: any ParameterSet) -> [Int] {
      connections.map(\.member.rawValue).sorted() + (connections.contains { $0.number == 1 } ? [1] : [])
    }
  }

  fileprivate struct Connection: Hashable, Codable {
    let number: Int
    let member: Member
  }

  public enum Event: MachineEvent { case accept(Int), ended(Int) }

  public enum Output: OutputWithData {
    case http(Int), smtp(Int), pop3(Int), imap(Int)

    public enum Name: NamedCases { case http, smtp, pop3, imap }
  }

  public struct Parameters: ParameterSet {
    var clients = 1
    public init() {}
  }

  /// The most members of one protocol.
  static let mostClients = 16

  public var state = State()
  @Incidental private var lastConnection = 0
  public init() {}

  /// A supervisor that is made in `serving` has handed a connection to `http`.
  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    switch name {
    case .idle: state
    case .serving: handing(over: .http, step)
    }
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .accept(let port):
      guard let member = Member(rawValue: port) else { return step.refuse("there is no listener on port \(port)") }
      let (served, clients) = (state.connections.count { $0.member == member }, step.parameters.clients)
      if step.when("member taken", served >= clients) {
        return step.refuse(
          clients == 1
            ? "\(member) is serving another connection" : "all \(clients) members of \(member) are serving others")
      }
      return .move(to: handing(over: member, step))
    case .ended(let connection):
      var next = state
      next.connections.removeAll { $0.number == connection }
      guard step.when("known connection", next != state) else { return .ignore }
      _ = step.when("last connection", next.connections.isEmpty)
      return .move(to: next)
    }
  }

  private mutating func handing(over member: Member, _ step: Step<Self>) -> State {
    lastConnection += 1
    switch member {
    case .http: step.emit(.http(lastConnection))
    case .smtp: step.emit(.smtp(lastConnection))
    case .pop3: step.emit(.pop3(lastConnection))
    case .imap: step.emit(.imap(lastConnection))
    }
    var next = state
    next.connections.append(Connection(number: lastConnection, member: member))
    return next
  }

  public static let kind = Kind(
    Supervisor.self, "supervisor", "listens on the ports of a server, and hands each client to a free member",
    origin: "the listeners of nginx, where the port tells which state machine serves a connection",
    source: "talk",
    example: [
      "new supervisor s", "watch s", "send s accept 25", "send s accept 25", "send s accept 7", "send s ended 1",
      "send s accept 25",
    ],
    states: {
      switch $0 {
      case .idle: "no client is served"
      case .serving: "this many clients are served"
      }
    },
    events: [
      .event(
        Event.accept, .integer("port", 1...65_535, like: Member.allCases.map(\.rawValue) + [7]),
        about: "a client comes to a port: "
          + Member.allCases.map { "\($0.rawValue) is \($0)" }.joined(separator: ", ")),
      .event(Event.ended, .connection, about: "a member has ended this connection"),
    ],
    outputs: {
      switch $0 {
      case .http, .smtp, .pop3, .imap:
        .output(("connection", .connection), about: "the member \($0) gets this connection")
      }
    },
    parameters: [
      .parameter("clients", \.clients, .integer(1...mostClients), "how many members each protocol has")
    ])
}
