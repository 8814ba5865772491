public import StateMachines

/// A connection on which a server takes HTTP requests one after the other, and runs each through fixed phases.
///
/// The input comes line by line, and of a body only the number of bytes:
///
/// | state | line | received(n) | its timer |
/// | --- | --- | --- | --- |
/// | requestLine | → headers; empty: ignored; none of HTTP: → closed, 400 | refused | headerTimeout → closed, 408 |
/// | headers | a field: stayed; empty: → body or the phases; wrong: → closed, 400 | refused | headerTimeout → closed, 408 |
/// | body(left) | refused | stayed; the last: the phases; too many: refused | bodyTimeout → closed, 408 |
/// | keepAlive | as in requestLine | refused | keepAlive → closed |
///
/// `headerTimeout` covers the whole head of a request. It begins with the connection, and for later requests with their
/// first line. `bodyTimeout` begins anew with every piece. A body longer than `maxBody` is answered with 413. A body in
/// chunks is answered with 501, because chunks are not read here.
///
/// The phases, each reported by `phase(name)`: postRead, serverRewrite, findConfig, rewrite, postRewrite, preaccess,
/// access, postAccess, precontent, content, log. The `handlers` of a phase are asked one after the other; the machine
/// stays in the state of the phase until it gets a handler's result. Phases without handlers, and those that take none
/// (findConfig, postRewrite, postAccess, precontent, log), pass at once.
///
/// | result | what happens |
/// | --- | --- |
/// | declined | the next handler of the phase; after the last one the next phase, after content 404 |
/// | ok | in content 200; in access see below; elsewhere the next phase |
/// | again | → PHASE.suspended, until `resume` asks the same handler again |
/// | status(n) | n |
/// | uriChanged | only in rewrite: back from postRewrite to findConfig, at most 10 times, then 500; and in serverRewrite: on to findConfig |
///
/// With `satisfy=all` every access handler must allow the request: `ok` asks the next handler. With `any` the first
/// `ok` is enough; a 401 or 403 is remembered, and sent at postAccess if no handler allowed the request.
///
/// After `response(status)` and the phase log the connection is kept alive, if the client wants that (HTTP/1.1 without
/// `Connection: close`, or 1.0 with `keep-alive`) and the status is none of 400, 408, 413, 500, 501. In `closed`
/// everything but `accept` is refused.
///
/// A suspended handler delays no other connection, because each connection is a machine. `accept` begins a connection
/// that a ``Supervisor`` hands over, in requestLine and closed. `ended` returns the connection when it is closed, and
/// returns it at once if it comes in another state or while another one is served.
public struct HTTPRequest: Machine {
  public enum State: StateWithData {
    case requestLine, headers(Head)
    /// This many bytes of the body are still to come.
    case body(Request, left: Int)
    /// A handler of a phase is working, or waits for something.
    case handling(Handling), suspended(Handling)
    case keepAlive, closed

    public var name: Name {
      switch self {
      case .requestLine: .requestLine
      case .headers: .headers
      case .body: .body
      case .handling(let handling): .handling(handling.phase)
      case .suspended(let handling): .suspended(handling.phase)
      case .keepAlive: .keepAlive
      case .closed: .closed
      }
    }

    public var data: String? { if case .body(_, let left) = self { "\(left)" } else { nil } }
    public static var carriesData: Bool { true }
  }

  /// The phases in their order.
  public enum Phase: String, NamedCases {
    case postRead, serverRewrite, findConfig, rewrite, postRewrite, preaccess, access, postAccess, precontent, content
    case log
  }

  /// The phases that take handlers.
  public enum HandlerPhase: String, NamedCases, Codable {
    case postRead, serverRewrite, rewrite, preaccess, access, content

    var phase: Phase {
      switch self {
      case .postRead: .postRead
      case .serverRewrite: .serverRewrite
      case .rewrite: .rewrite
      case .preaccess: .preaccess
      case .access: .access
      case .content: .content
      }
    }
  }

  /// The parts of a request that its handlers use.
  public struct Request: Hashable, Sendable, Codable, PartlyIncidental {
    var method = "GET"
    var uri = "/"
    /// Whether the client wants to keep the connection after the response.
    var isKeptAlive = true

    /// The phases do not look at the rest, which is for handlers.
    public func essence(for parameters: any ParameterSet) -> Bool { isKeptAlive }
  }

  /// A request whose fields are being read.
  public struct Head: Hashable, Sendable, Codable {
    var request = Request()
    /// `nil` until a field gives it.
    var contentLength: Int?
  }

  /// A request in a phase that waits for a handler's result.
  public struct Handling: Hashable, Sendable, Codable {
    var request = Request()
    var phase: HandlerPhase
    /// The number of the handler that is asked, from 1.
    var handler = 1
    var uriChanges = 0
    /// The denial by a handler of access, which another handler may overrule.
    var denial: Int?
  }

  public enum Event: MachineEvent {
    case line(String), received(Int)
    case declined, ok, again, resume, status(Int), uriChanged(String)
    case accept(Int)
    case headerTimeout, bodyTimeout, keepAliveTimeout
  }

  public enum Output: OutputWithData, MemberOutput {
    case phase(Phase), response(status: Int), ended(Int), busy(Int)

    public enum Name: NamedCases { case phase, response, ended, busy }
  }

  public var state = State.requestLine
  private var served = ServedConnection()
  public init() {}

  /// The state of this name with the data of the simplest request.
  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    switch name {
    case .requestLine: .requestLine
    case .headers: .headers(Head())
    case .body: .body(Request(), left: 1)
    case .handling(let phase): .handling(Handling(phase: phase))
    case .suspended(let phase): .suspended(Handling(phase: phase))
    case .keepAlive: .keepAlive
    case .closed: .closed
    }
  }

  public func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    switch state {
    case .requestLine, .headers: .after(parameters.headerTimeout, .headerTimeout).continuing
    case .body: .after(parameters.bodyTimeout, .bodyTimeout)
    case .keepAlive: .after(parameters.keepAlive, .keepAliveTimeout)
    case .handling, .suspended, .closed: .none
    }
  }

  public mutating func entered(_ state: State, _ step: Step<Self>) {
    switch state {
    case .closed: served.giveBack(step)
    case .requestLine, .headers, .body, .handling, .suspended, .keepAlive: break
    }
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .line(let line):
      switch state {
      case .requestLine, .keepAlive: line.isEmpty ? .ignore : begin(line, step)
      case .headers(let head): line.isEmpty ? endHead(head, step) : readField(line, head, step)
      case .body, .handling, .suspended, .closed: refuse(step)
      }
    case .received(let count):
      switch state {
      case .body(let request, let left): receive(count, of: left, request, step)
      case .requestLine, .headers, .handling, .suspended, .keepAlive, .closed: refuse(step)
      }
    case .declined:
      switch state {
      case .handling(let handling): goOn(handling, step)
      case .requestLine, .headers, .body, .suspended, .keepAlive, .closed: refuse(step)
      }
    case .ok:
      switch state {
      case .handling(let handling): accept(handling, step)
      case .requestLine, .headers, .body, .suspended, .keepAlive, .closed: refuse(step)
      }
    case .again:
      switch state {
      case .handling(let handling): .move(to: .suspended(handling))
      case .requestLine, .headers, .body, .suspended, .keepAlive, .closed: refuse(step)
      }
    case .resume:
      switch state {
      case .suspended(let handling): .move(to: .handling(handling))
      case .requestLine, .headers, .body, .handling, .keepAlive, .closed: refuse(step)
      }
    case .status(let status):
      switch state {
      case .handling(let handling): answer(status, handling, step)
      case .requestLine, .headers, .body, .suspended, .keepAlive, .closed: refuse(step)
      }
    case .uriChanged(let uri):
      switch state {
      case .handling(let handling): changeURI(uri, handling, step)
      case .requestLine, .headers, .body, .suspended, .keepAlive, .closed: refuse(step)
      }
    case .accept(let connection):
      switch state {
      case .requestLine, .closed:
        served.take(connection, in: .requestLine, arming: .headerTimeout, after: step.parameters.headerTimeout, step)
      case .headers, .body, .handling, .suspended, .keepAlive: served.sendAway(connection, step)
      }
    case .headerTimeout, .bodyTimeout: fail(408, step)
    case .keepAliveTimeout: .move(to: .closed)
    }
  }

  /// Refuses with a reason that names what is awaited.
  private func refuse(_ step: Step<Self>) -> Reaction<State> {
    switch state {
    case .requestLine, .headers, .keepAlive: step.refuse("no request is being handled: send a line")
    case .body: step.refuse("the body is not complete: send received")
    case .handling: step.refuse("a handler is working: send its result")
    case .suspended: step.refuse("the handler is suspended: send resume")
    case .closed: step.refuse("the connection is closed")
    }
  }
}
