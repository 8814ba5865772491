import HTTPServer
import LineProtocol
import UnixHost

/// The live page: its files, and sessions of the daemon over HTTP.
///
/// A page is a client like any other. `GET /stream` opens a session, whose lines are the answer's events; `POST
/// /requests/ID` brings its requests. Everything belongs to the event loop's queue, within rounds.
final class PageServer {
  let service: Service
  /// The host time of the present run, in nanoseconds.
  private(set) var now: UInt64
  let access: PageAccess
  private let mayControl: Bool
  /// Tells pages whether they meet the daemon that they knew.
  private let start = PageAccess.randomDigits(count: 16)
  private let server: HTTPServer
  private var streams: [String: PageStream] = [:]
  private var byClient: [UInt32: PageStream] = [:]
  /// No stream has to write sooner than this; nil without streams.
  private var nextBeat: UInt64?

  /// Starts to serve on an address.
  ///
  /// - Parameters:
  ///   - token: What opens the page; nil for one of this start.
  ///   - mayControl: Whether pages may change worlds.
  /// - Throws: `SocketFailure` if another program has the address or it is not this machine's; `SystemError` if memory or
  ///   descriptors have run out.
  init(_ address: InternetAddress, token: String? = nil, mayControl: Bool, connections: Int, _ service: Service) throws
  {
    var limits = HTTPServer.Limits()
    limits.connections = connections
    self.service = service
    self.mayControl = mayControl
    now = service.host
    let (socket, address) = try address.listen()
    access = PageAccess(address: address, token: token ?? PageAccess.randomDigits(count: PageToken.digits))
    server = try HTTPServer(on: socket, limits: limits, now: now)
    server.onRequest = { [unowned self] in answer($0) }
  }

  /// Connections at a time in a memory budget, of which each takes some 18 KiB.
  static func connections(memory: Int) -> Int { max(64, min(1_024, memory >> 18)) }

  /// Readable while there is work.
  var descriptor: Descriptor { server.descriptor }

  // MARK: Rounds

  /// Serves what is ready, within a round.
  func serve() {
    now = service.host
    needsTurn = false
    if let next = nextBeat, now >= next {
      for stream in streams.values where now >= stream.beatAt { _ = stream.wake() }
      nextBeat = streams.values.map { $0.beatAt > now ? $0.beatAt : now &+ PageStream.silence }.min()
    }
    server.run(now: now)
  }

  /// Serves if it is time.
  func passTime() {
    if needsTurn { return serve() }
    if let wake = nextWake, service.host >= wake { serve() }
  }

  /// Whether streams have something to write that the library has not been run for: it says nothing of itself when a
  /// stream is woken.
  private(set) var needsTurn = false

  /// The host time at which ``serve()`` must run although nothing is ready; nil if never.
  var nextWake: UInt64? {
    guard let wake = server.nextWake, let nextBeat else { return server.nextWake ?? nextBeat }
    return min(wake, nextBeat)
  }

  /// Has a client's new output written.
  func wake(_ client: Service.Client) {
    guard let stream = byClient[client.number] else { return }
    if client.session.outbox.hasUnwritten || client.session.life == .ended, stream.wake() { needsTurn = true }
  }

  /// Writes what is ready, at the end of the daemon.
  ///
  /// - Returns: How much is left: a number that falls with each byte that a stream takes, and with each that ends.
  func drain(now: UInt64) -> Int {
    for stream in streams.values { _ = stream.wake() }
    self.now = now
    server.run(now: now)
    return streams.values.reduce(streams.count) { $0 + $1.client.session.outbox.waiting }
  }

  /// Ends all streams and connections.
  func stop() { server.stop() }

  func close(_ stream: PageStream) {
    streams[stream.id] = nil
    byClient[stream.client.number] = nil
    if streams.isEmpty { nextBeat = nil }
    service.close(stream.client)
  }

  // MARK: Requests

  private func answer(_ request: HTTPRequest) -> HTTPAnswer {
    if let (status, reason) = access.refusal(of: request) { return .response(reply(status, reason)) }
    let parts = request.path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: true)
    switch parts.first {
    case "login" where parts.count == 1:
      guard request.method == "POST" else { return .response(wrongMethod("POST")) }
      return .afterBody(atMost: 256) { [self] in logIn($0) }
    case "stream" where parts.count == 1:
      guard request.method == "GET" else { return .response(wrongMethod("GET")) }
      return .response(access.isLoggedIn(request) ? openStream() : loggedOut)
    case "requests" where parts.count == 2:
      guard request.method == "POST" else { return .response(wrongMethod("POST")) }
      return access.isLoggedIn(request) ? take(request, for: String(parts[1])) : .response(loggedOut)
    case _:
      guard let file = PageFile.all[request.path] else { return .response(reply(404, "there is no such page\n")) }
      guard request.method == "GET" || request.method == "HEAD" else { return .response(wrongMethod("GET, HEAD")) }
      return .response(send(file, request))
    }
  }

  private func logIn(_ body: [UInt8]) -> HTTPResponse {
    guard access.isToken(body) else { return reply(403, "this is not the token of this daemon\n") }
    var response = reply(204)
    response.headers.append(("Set-Cookie", access.cookie))
    return response
  }

  private func openStream() -> HTTPResponse {
    guard !service.isShuttingDown, service.hasRoom(for: .owner), !service.hasTooManyDisconnected else {
      return reply(503, "the daemon serves \(service.environment.limits.clients) clients already\n")
    }
    let client = service.open(SessionTerms(mayChange: mayControl, isSampled: true, form: .json))
    let id = PageAccess.randomDigits(count: 16)
    // A browser asks again a second after a stream ended.
    let opening = """
      retry: 1000
      event: session
      data: {"session":"\(id)","control":\(mayControl),"version":"\(service.environment.version)","daemon":"\(start)"}


      """
    let stream = PageStream(id: id, client, opening: opening, of: self, now: now)
    streams[id] = stream
    byClient[client.number] = stream
    nextBeat = nextBeat ?? stream.beatAt
    var response = reply(200)
    response.headers += [("Content-Type", "text/event-stream"), ("Cache-Control", "no-store")]
    response.content = .stream(stream.open())
    return response
  }

  /// The most bytes of requests that wait for one session.
  private var mostWaiting: Int { service.environment.limits.definitionBytes + 2 * service.environment.limits.line }

  private func take(_ request: HTTPRequest, for id: String) -> HTTPAnswer {
    guard let stream = streams[id], stream.client.session.life == .open else {
      return .response(reply(404, "there is no such session; open a stream\n"))
    }
    guard let length = request.values(of: "Content-Length").first.flatMap({ Int($0) }), length >= 0 else {
      return .response(reply(411, "say the length of the body\n"))
    }
    guard length <= mostWaiting else { return .response(reply(413, "at most \(mostWaiting) bytes at a time\n")) }
    let waiting = stream.client.session.input.count + stream.bytesUnderWay
    guard waiting + length <= mostWaiting,
      stream.client.session.outbox.replyBytes < service.environment.limits.replyQueue
    else { return .response(reply(429, "this session has not finished what it was asked before\n")) }
    guard stream.client.session.share.admits(waiting + length, beside: waiting) else {
      return .response(reply(503, "the daemon's memory is used up\n"))
    }
    let allowance = PageStream.Allowance(length, of: stream)
    return .afterBody(atMost: length) { [unowned self] body in
      withExtendedLifetime(allowance) {}
      guard streams[id] === stream, stream.client.session.life == .open else {
        return reply(404, "this session has ended; open a stream\n")
      }
      return deliver(body, to: stream.client)
    }
  }

  private func deliver(_ body: [UInt8], to client: Service.Client) -> HTTPResponse {
    let room = client.session.input.room(atLeast: max(1, body.count))
    room.copyBytes(from: body)
    client.session.input.didFill(body.count)
    service.receive(client)
    return reply(204)
  }

  // MARK: Answers

  private func send(_ file: PageFile, _ request: HTTPRequest) -> HTTPResponse {
    let isKnown = request.values(of: "If-None-Match").contains(file.tag)
    var response = reply(isKnown ? 304 : 200)
    response.headers += [("ETag", file.tag), ("Cache-Control", "no-cache")]
    if !isKnown {
      response.headers.append(("Content-Type", file.type))
      response.content = .permanent(file.bytes)
    }
    return response
  }

  private var loggedOut: HTTPResponse { reply(401, "open the link that the daemon printed\n") }

  private func wrongMethod(_ allowed: String) -> HTTPResponse {
    var response = reply(405)
    response.headers.append(("Allow", allowed))
    return response
  }

  /// Nothing that comes from the daemon may be taken for more than it is, or be shown within another page.
  private static let security = [
    (
      "Content-Security-Policy",
      """
      default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
      base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
      trusted-types fsmd-picture
      """
    ),
    ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
  ]

  private func reply(_ status: Int, _ text: String? = nil) -> HTTPResponse {
    var response = HTTPResponse(status: status, headers: PageServer.security)
    if let text {
      response.headers += [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")]
      response.content = .text(text)
    }
    return response
  }
}
