public import StateMachines

extension HTTPRequest.State {
  public enum Name: NamedCases {
    case requestLine, headers, body
    case postRead, serverRewrite, rewrite, preaccess, access, content
    case postReadSuspended, serverRewriteSuspended, rewriteSuspended, preaccessSuspended, accessSuspended
    case contentSuspended
    case keepAlive, closed

    public static var words: [String] {
      allCases.map { name in
        let word = "\(name)"
        return word.hasSuffix("Suspended") ? "\(word.dropLast("Suspended".count)).suspended" : word
      }
    }

    /// The state of this name as it is entered by the simplest of requests.
    var state: HTTPRequest.State {
      switch self {
      case .requestLine: .requestLine
      case .headers: .headers(HTTPRequest.Head())
      case .body: .body(HTTPRequest.Request(), left: 1)
      case .postRead: .handling(HTTPRequest.Handling(phase: .postRead))
      case .serverRewrite: .handling(HTTPRequest.Handling(phase: .serverRewrite))
      case .rewrite: .handling(HTTPRequest.Handling(phase: .rewrite))
      case .preaccess: .handling(HTTPRequest.Handling(phase: .preaccess))
      case .access: .handling(HTTPRequest.Handling(phase: .access))
      case .content: .handling(HTTPRequest.Handling(phase: .content))
      case .postReadSuspended: .suspended(HTTPRequest.Handling(phase: .postRead))
      case .serverRewriteSuspended: .suspended(HTTPRequest.Handling(phase: .serverRewrite))
      case .rewriteSuspended: .suspended(HTTPRequest.Handling(phase: .rewrite))
      case .preaccessSuspended: .suspended(HTTPRequest.Handling(phase: .preaccess))
      case .accessSuspended: .suspended(HTTPRequest.Handling(phase: .access))
      case .contentSuspended: .suspended(HTTPRequest.Handling(phase: .content))
      case .keepAlive: .keepAlive
      case .closed: .closed
      }
    }
  }

  public var name: Name {
    switch self {
    case .requestLine: .requestLine
    case .headers: .headers
    case .body: .body
    case .handling(let handling):
      switch handling.phase {
      case .postRead: .postRead
      case .serverRewrite: .serverRewrite
      case .rewrite: .rewrite
      case .preaccess: .preaccess
      case .access: .access
      case .content: .content
      }
    case .suspended(let handling):
      switch handling.phase {
      case .postRead: .postReadSuspended
      case .serverRewrite: .serverRewriteSuspended
      case .rewrite: .rewriteSuspended
      case .preaccess: .preaccessSuspended
      case .access: .accessSuspended
      case .content: .contentSuspended
      }
    case .keepAlive: .keepAlive
    case .closed: .closed
    }
  }

  public var data: String? {
    switch self {
    case .body(_, let left): "\(left)"
    case .requestLine, .headers, .handling, .suspended, .keepAlive, .closed: nil
    }
  }

  public static var carriesData: Bool { true }

  fileprivate var request: HTTPRequest.Request? {
    switch self {
    case .headers(let head): head.request
    case .body(let request, _): request
    case .handling(let handling), .suspended(let handling): handling.request
    case .requestLine, .keepAlive, .closed: nil
    }
  }

  fileprivate var handling: HTTPRequest.Handling? {
    switch self {
    case .handling(let handling), .suspended(let handling): handling
    case .requestLine, .headers, .body, .keepAlive, .closed: nil
    }
  }
}

extension HTTPRequest {
  public enum Satisfaction: String, Choice { case all, any }

  public struct Parameters: ParameterSet {
    var headerTimeout = Interval.seconds(60)
    var bodyTimeout = Interval.seconds(60)
    var keepAlive = Interval.seconds(75)
    var maxBody = 1_048_576
    var satisfy = Satisfaction.all
    var handlers = "rewrite,access,content" { didSet { count() } }
    /// How many handlers each phase has, in the order of `HandlerPhase`; counted when they are set.
    private var counts = [0, 0, 1, 0, 1, 1]
    private var unknown: String?
    public init() {}

    func handlerCount(of phase: HandlerPhase) -> Int {
      HandlerPhase.allCases.firstIndex(of: phase).map { counts[$0] } ?? 0
    }

    private mutating func count() {
      let words = handlers.isEmpty ? [] : handlers.split(separator: ",", omittingEmptySubsequences: false)
      counts = HandlerPhase.allCases.map { phase in words.count { $0 == phase.rawValue } }
      unknown = words.first { HandlerPhase(rawValue: String($0)) == nil }.map(String.init)
    }

    public var conflict: ParameterConflict? {
      guard let unknown else { return nil }
      let phases = HandlerPhase.allCases.map(\.rawValue).joined(separator: ", ")
      return ParameterConflict("handlers", allowed: "of \(phases), with commas between; '\(unknown)' is none of them")
    }
  }

  public static let kind = Kind(
    HTTPRequest.self, "http", "a connection whose HTTP requests run through fixed phases of handlers",
    origin: """
      a reduction of the HTTP server of nginx: its phases, the results of its handlers, and its times; what handlers do \
      is told from outside
      """,
    example: [
      "new http h",
      "watch h",
      "send h line \"GET /old HTTP/1.1\"",
      "send h line \"\"",
      "send h uriChanged /new",
      "send h declined",
      "send h ok",
      "send h again",
      "send h resume",
      "send h ok",
    ],
    states: [
      .requestLine: "the first line of a request is awaited",
      .headers: "the fields of a request are awaited, up to an empty line",
      .body: "so many bytes of the body are still to come",
      .postRead: "a handler looks at the request as it was read",
      .serverRewrite: "a handler of the server may change the URI",
      .rewrite: "a handler of the place that was found may change the URI",
      .preaccess: "a handler prepares for access, for instance by counting requests",
      .access: "a handler says whether the client may",
      .content: "a handler makes the response",
      .postReadSuspended: "the handler of postRead waits for something",
      .serverRewriteSuspended: "the handler of serverRewrite waits for something",
      .rewriteSuspended: "the handler of rewrite waits for something",
      .preaccessSuspended: "the handler of preaccess waits for something",
      .accessSuspended: "the handler of access waits for something",
      .contentSuspended: "the handler of content waits for something",
      .keepAlive: "the response was sent, and another request may come",
      .closed: "the connection is closed",
    ],
    events: [
      .event(
        Event.line, .text("text", bytes: 0...8_192, like: ["GET / HTTP/1.1", "Content-Length: 10", "nonsense", ""]),
        about: "a line comes: the request line, a field, or the empty one behind the fields"),
      .event(
        Event.received, .integer("bytes", 1...1_073_741_824, like: [1, 10]), about: "so many bytes of the body come"),
      .event(.declined, "the handler leaves it to the next one"),
      .event(.ok, "the handler is content: allowed, or the response is made"),
      .event(.again, "the handler has to wait for something"),
      .event(.resume, "what the handler waited for has come"),
      .event(
        Event.status, .integer("code", 200...599, like: [403, 500]), about: "the handler wants this status to be sent"),
      .event(
        Event.uriChanged, .text("uri", bytes: 1...8_192, like: ["/new", "new"]),
        about: "the handler has put another URI in place of the request's"),
    ],
    timers: [
      .headerTimeout: .after("headerTimeout", "the head of a request takes too long"),
      .bodyTimeout: .after("bodyTimeout", "nothing has come of the body for too long"),
      .keepAlive: .after("keepAlive", "no other request has come"),
    ],
    outputs: [
      .phase: .output(("name", .choice(Phase.allCases.map(\.rawValue))), about: "a phase begins"),
      .response: .output(("status", .integer(200...599)), about: "the response is sent"),
    ],
    readings: [
      .reading("method", .text(bytes: 0...8_192), "of the request") { machine, _, _ in machine.state.request?.method },
      .reading("uri", .text(bytes: 0...8_192), "of the request, as handlers have left it") {
        machine, _, _ in machine.state.request?.uri
      },
      .reading("uriChanges", .integer(0...mostURIChanges), "how often handlers of rewrite have changed it") {
        machine, _, _ in machine.state.handling?.uriChanges
      },
      .reading("handler", .integer(1...1_024), "which handler of the phase is asked") {
        machine, _, _ in machine.state.handling?.handler
      },
    ],
    parameters: [
      .parameter("headerTimeout", \.headerTimeout, .delay, "how long the head of a request may take"),
      .parameter("bodyTimeout", \.bodyTimeout, .delay, "how long may lie between two pieces of a body"),
      .parameter("keepAlive", \.keepAlive, .delay, "how long the next request may let wait for itself"),
      .parameter("maxBody", \.maxBody, .integer(0...1_073_741_824), "bytes that a body may have"),
      .parameter(
        "satisfy", \.satisfy, .choice(Satisfaction.allCases.map(\.rawValue)),
        "whether all handlers of access must be content, or any"),
      .parameter(
        "handlers", \.handlers, .text(bytes: 0...1_024),
        "the phases that have handlers, with commas between; once for each handler"),
    ])
}
