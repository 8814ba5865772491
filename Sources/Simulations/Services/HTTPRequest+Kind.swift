public import StateMachines

extension HTTPRequest.State {
  public enum Name: NamedCases {
    case requestLine, headers, body
    case handling(HTTPRequest.HandlerPhase), suspended(HTTPRequest.HandlerPhase)
    case keepAlive, closed

    public static let allCases =
      [requestLine, headers, body] + HTTPRequest.HandlerPhase.allCases.map(Self.handling)
      + HTTPRequest.HandlerPhase.allCases.map(Self.suspended) + [keepAlive, closed]

    public static var words: [String] {
      allCases.map { name in
        switch name {
        case .handling(let phase): "\(phase)"
        case .suspended(let phase): "\(phase).suspended"
        case .requestLine, .headers, .body, .keepAlive, .closed: "\(name)"
        }
      }
    }

    public var index: Int {
      switch self {
      case .requestLine: 0
      case .headers: 1
      case .body: 2
      case .handling(let phase): 3 + phase.index
      case .suspended(let phase): 3 + HTTPRequest.HandlerPhase.count + phase.index
      case .keepAlive: Self.count - 2
      case .closed: Self.count - 1
      }
    }

    public init(at index: Int) { self = Self.allCases[index] }
  }

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

  public struct Parameters: SupervisedParameters {
    var headerTimeout = Duration.seconds(60)
    var bodyTimeout = Duration.seconds(60)
    var keepAlive = Duration.seconds(75)
    var maxBody = 1_048_576
    var supervised = false
    var hasNext = false
    var satisfy = Satisfaction.all
    var handlers = "rewrite,access,content" { didSet { count() } }
    /// The number of handlers of each phase, in the order of `HandlerPhase`.
    private var counts = [0, 0, 1, 0, 1, 1]
    private var unknown: String?
    public init() {}

    func handlers(of phase: HandlerPhase) -> Int { counts[phase.index] }

    private mutating func count() {
      let words = handlers.isEmpty ? [] : handlers.split(separator: ",", omittingEmptySubsequences: false)
      counts = HandlerPhase.allCases.map { phase in words.count { $0 == phase.rawValue } }
      unknown = words.first { HandlerPhase(rawValue: String($0)) == nil }.map(String.init)
    }

    public var conflict: ParameterConflict? {
      guard let unknown else { return nil }
      let phases = HandlerPhase.allCases.map(\.rawValue).joined(separator: ", ")
      return ParameterConflict(
        "handlers", allowed: "of \(phases), separated by commas; '\(unknown)' is not one of them")
    }
  }

  public static let kind = Kind(
    HTTPRequest.self, "http", "an HTTP connection whose requests pass through fixed phases of handlers",
    origin: "a reduction of the HTTP server of nginx: its phases, results and times; events stand for the handlers",
    source: "talk",
    example: [
      "new http h", "watch h", "send h line \"GET /old HTTP/1.1\"", "send h line \"\"", "send h uriChanged /new",
      "send h declined", "send h ok", "send h again", "send h resume", "send h ok",
    ],
    states: {
      switch $0 {
      case .requestLine: "waits for the request line"
      case .headers: "waits for header fields, up to an empty line"
      case .body: "waits for this many bytes of the body"
      case .handling(.postRead): "a handler inspects the request as it was read"
      case .handling(.serverRewrite): "a handler of the server may change the URI"
      case .handling(.rewrite): "a handler of the location may change the URI"
      case .handling(.preaccess): "a handler runs before access control, for example to limit requests"
      case .handling(.access): "a handler decides whether the client has access"
      case .handling(.content): "a handler generates the response"
      case .suspended(let phase): "the handler of \(phase) is suspended"
      case .keepAlive: "the response was sent; waits for the next request"
      case .closed: "the connection is closed"
      }
    },
    events: [
      .event(
        Event.line,
        .text(
          "text", bytes: 0...8_192,
          like: [
            "GET / HTTP/1.1", "GET / HTTP/1.0", "Content-Length: 10", "Content-Length: 9999999999", "Connection: close",
            "Transfer-Encoding: chunked", "nonsense", "",
          ]),
        about: "a line of the head: the request line, a field, or the empty line at the end"),
      .event(Event.received, .integer("bytes", 1...1_073_741_824, like: [1, 10]), about: "bytes of the body arrive"),
      .event(.declined, "the handler passes the request to the next one"),
      .event(.ok, "the handler allows the request, or has generated the response"),
      .event(.again, "the handler is suspended"),
      .event(.resume, "the suspended handler continues"),
      .event(Event.status, .integer("code", 200...599, like: [200, 403, 500]), about: "the handler sends this status"),
      .event(
        Event.uriChanged, .text("uri", bytes: 1...8_192, like: ["/new", "new"]),
        about: "the handler replaces the request's URI"),
      .accept(Event.accept),
    ],
    timers: [
      .timer(.headerTimeout, after: "headerTimeout", "the head of the request has timed out"),
      .timer(.bodyTimeout, after: "bodyTimeout", "the body has timed out"),
      .timer(.keepAliveTimeout, named: "keepAlive", after: "keepAlive", "no further request has arrived"),
    ],
    outputs: {
      switch $0 {
      case .phase: .output(("name", .choice(Phase.words)), about: "a phase begins")
      case .response: .output(("status", .integer(200...599)), about: "the response is sent")
      case .ended: .ended
      case .busy: .busy
      }
    },
    readings: [
      .reading("method", .text(bytes: 0...8_192), \.state.request?.method, "the method of the request"),
      .reading("uri", .text(bytes: 0...8_192), \.state.request?.uri, "the URI, with the handlers' changes"),
      .reading(
        "uriChanges", .integer(0...mostURIChanges), \.state.handling?.uriChanges,
        "how often handlers of rewrite have changed the URI"),
      .reading("handler", .integer(1...1_024), \.state.handling?.handler, "the working handler's number, from 1"),
    ],
    parameters: [
      .parameter("headerTimeout", \.headerTimeout, .delay, "the timeout of a request's head"),
      .parameter("bodyTimeout", \.bodyTimeout, .delay, "the timeout between two pieces of a body"),
      .parameter("keepAlive", \.keepAlive, .delay, "the timeout for the next request"),
      .supervised, .hasNext,
      .parameter("maxBody", \.maxBody, .integer(0...1_073_741_824), "the maximum size of a body in bytes"),
      .parameter("satisfy", \.satisfy, "whether all access handlers must allow the request, or any"),
      .parameter(
        "handlers", \.handlers, .text(bytes: 0...1_024),
        "the phases of the handlers, separated by commas; one entry for each handler"),
    ])
}
