public import StateMachines

/// A connection on which a server takes HTTP requests, one after the other, and runs each through fixed phases.
///
/// What comes is given line by line, and of a body only how many bytes:
///
/// | state | line | received(n) | its timer |
/// | --- | --- | --- | --- |
/// | requestLine | → headers; empty: ignored; none of HTTP: → closed, 400 | refused | headerTimeout → closed, 408 |
/// | headers | a field: stayed; empty: → body or the phases; wrong: → closed, 400 | refused | headerTimeout → closed, 408 |
/// | body(left) | refused | stayed; the last: the phases; too many: refused | bodyTimeout → closed, 408 |
/// | keepAlive | as in requestLine | refused | keepAlive → closed |
///
/// `headerTimeout` runs over the whole head of a request; it begins with the connection, and for later requests with
/// their first line. `bodyTimeout` begins anew with every piece. A body of more than `maxBody` is 413, one sent in
/// chunks 501, since they are not read here.
///
/// The phases, each told by `phase(name)`: postRead, serverRewrite, findConfig, rewrite, postRewrite, preaccess,
/// access, postAccess, precontent, content, log. Of `handlers`, those of a phase are asked one after the other; the
/// machine is in the state of the phase until it hears what came of it. Phases without handlers, and those that take
/// none (findConfig, postRewrite, postAccess, precontent, log), pass at once.
///
/// | result | what happens |
/// | --- | --- |
/// | declined | the next handler of the phase; after the last one the next phase, after content 404 |
/// | ok | in content 200; in access see below; elsewhere the next phase |
/// | again | → PHASE.suspended, until `resume` asks the same handler again |
/// | status(n) | n |
/// | uriChanged | only in rewrite: back from postRewrite to findConfig, at most 10 times, then 500; and in serverRewrite: on to findConfig |
///
/// With `satisfy=all` every access handler must be content: `ok` goes on to the next one. With `any` the first `ok` is
/// enough; a 401 or 403 is remembered, and sent at postAccess if no handler was content.
///
/// After `response(status)` and the phase log the connection is kept alive, if the client wants that (HTTP/1.1 without
/// `Connection: close`, or 1.0 with `keep-alive`) and the status is none of 400, 408, 413, 500, 501. In `closed`
/// everything is refused.
///
/// A request whose handler is suspended keeps nobody waiting: other connections are other machines.
public struct HTTPRequest: LegacyMachine {
  public enum State: StateWithData {
    /// The connection is open. `headerTimeout` is running.
    case requestLine
    /// The request line was read. `headerTimeout` is running.
    case headers(Head)
    /// So many bytes of the body are still to come. `bodyTimeout` is running.
    case body(Request, left: Int)
    /// A handler of a phase is at work. No timer is running.
    case handling(Handling)
    /// A handler of a phase waits for something. No timer is running.
    case suspended(Handling)
    /// The response was sent, and another request may come. `keepAlive` is running.
    case keepAlive
    /// No more.
    case closed
  }

  /// The phases in their order.
  public enum Phase: String, CaseIterable, Sendable, Codable {
    case postRead, serverRewrite, findConfig, rewrite, postRewrite, preaccess, access, postAccess, precontent, content
    case log
  }

  /// The phases that take handlers.
  public enum HandlerPhase: String, CaseIterable, Sendable, Codable {
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

  /// What is known of a request when its handlers are asked.
  public struct Request: Hashable, Sendable, Codable {
    var method = "GET"
    var uri = "/"
    /// Whether the client wants to go on after the response.
    var isKeptAlive = true
  }

  /// A request whose fields are being read.
  public struct Head: Hashable, Sendable, Codable {
    var request = Request()
    /// `nil` until a field says it.
    var contentLength: Int?
  }

  /// A request in a phase that waits for a handler.
  public struct Handling: Hashable, Sendable, Codable {
    var request = Request()
    var phase: HandlerPhase
    /// Which of the phase's handlers is asked, counted from 1.
    var handler = 1
    var uriChanges = 0
    /// What a handler of access has answered that another one may overrule.
    var denial: Int?
  }

  public enum Event: Sendable {
    case line(String)
    case received(Int)
    case declined, ok, again, resume
    case status(Int)
    case uriChanged(String)
  }

  public enum TimerName: NamedCases { case headerTimeout, bodyTimeout, keepAlive }

  public enum Output: OutputWithData {
    case phase(Phase)
    case response(status: Int)

    public enum Name: NamedCases { case phase, response }

    public var name: Name {
      switch self {
      case .phase: .phase
      case .response: .response
      }
    }

    public var data: [Value] {
      switch self {
      case .phase(let phase): [.text(phase.rawValue)]
      case .response(let status): [.integer(status)]
      }
    }
  }

  public var state: State

  public init(initial: State.Name?, _ step: Step<Self>) {
    state = (initial ?? .requestLine).state
    switch state {
    case .requestLine, .headers: step.arm(.headerTimeout, after: step.parameters.headerTimeout)
    case .body: step.arm(.bodyTimeout, after: step.parameters.bodyTimeout)
    case .keepAlive: step.arm(.keepAlive, after: step.parameters.keepAlive)
    case .handling, .suspended, .closed: break
    }
  }

  public mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (.requestLine, .event(.line(let line))), (.keepAlive, .event(.line(let line))):
      return line.isEmpty ? .ignore : begin(line, step)
    case (.headers(let head), .event(.line(let line))):
      return line.isEmpty ? endHead(head, step) : readField(line, head, step)
    case (.body(let request, let left), .event(.received(let count))):
      return receive(count, of: left, request, step)
    case (.handling(let handling), .event(.declined)):
      return goOn(handling, step)
    case (.handling(let handling), .event(.ok)):
      return accept(handling, step)
    case (.handling(let handling), .event(.again)):
      return .move(to: .suspended(handling))
    case (.suspended(let handling), .event(.resume)):
      return .move(to: .handling(handling))
    case (.handling(let handling), .event(.status(let status))):
      return answer(status, handling, step)
    case (.handling(let handling), .event(.uriChanged(let uri))):
      return changeURI(uri, handling, step)

    case (.requestLine, .expired(.headerTimeout)), (.headers, .expired(.headerTimeout)),
      (.body, .expired(.bodyTimeout)):
      step.emit(.response(status: 408))
      return .move(to: .closed)
    case (.keepAlive, .expired(.keepAlive)):
      return .move(to: .closed)

    case (.closed, .event):
      return step.refuse("the connection is closed")
    case (.requestLine, .event), (.headers, .event), (.keepAlive, .event):
      return step.refuse("nothing is handled: a request line or a field is awaited")
    case (.body, .event):
      return step.refuse("nothing is handled yet: the body is awaited")
    case (.suspended, .event):
      return step.refuse("the handler is suspended: only resume wakes it")
    case (.handling, .event(.resume)):
      return step.refuse("the handler is at work, and not suspended")
    case (.handling, .event(.line)), (.handling, .event(.received)):
      return step.refuse("a request is being handled; the next one comes after it")
    case (.requestLine, .expired), (.headers, .expired), (.body, .expired), (.handling, .expired),
      (.suspended, .expired), (.keepAlive, .expired), (.closed, .expired):
      return .ignore
    }
  }

  public func asksFor(_ timer: TimerName) -> Bool {
    switch (timer, state) {
    case (.headerTimeout, .requestLine), (.headerTimeout, .headers), (.bodyTimeout, .body), (.keepAlive, .keepAlive):
      true
    case (.headerTimeout, _), (.bodyTimeout, _), (.keepAlive, _): false
    }
  }
}
