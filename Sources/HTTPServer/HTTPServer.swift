internal import CMicroHTTPD
internal import Glibc
package import UnixHost

/// An HTTP/1.1 server without threads, run by its owner's event loop.
///
/// The library parses and writes; this class says who waits for what, and for how long. Everything belongs to the
/// owner's queue.
package final class HTTPServer {
  package struct Limits: Sendable {
    /// Connections at a time. More wait until one is closed.
    package var connections = 1_024
    /// Bytes for a request's head, and for what is being written.
    package var memoryPerConnection = 16 << 10
    /// How long a connection may be without a complete request and its answer, streams excepted.
    package var patience: UInt64 = 30_000_000_000
    /// The same while there is no room for another connection.
    package var patienceWhenFull: UInt64 = 2_000_000_000
    /// How long a client may take nothing of what is written to it, in seconds.
    package var stalledSeconds: UInt32 = 60

    package init() {}
  }

  /// The system's libmicrohttpd cannot be loaded.
  package struct MissingLibrary: Error, CustomStringConvertible {
    let reason: String

    package var description: String {
      "the page needs libmicrohttpd (Debian: apt install libmicrohttpd12): \(reason)"
    }
  }

  /// Readable while the server has work: for the owner's poller.
  package var descriptor: Descriptor { poller.descriptor }
  private let limits: Limits
  /// Answers a request once its head is there. Called within ``run(now:)`` alone.
  package var onRequest: (HTTPRequest) -> HTTPAnswer = { _ in .response(HTTPResponse(status: 404)) }
  /// Nil once stopped.
  private var library: OpaquePointer?
  /// The library's descriptor, and the sockets of streams, whose clients may leave while the stream rests.
  private let poller: Poller
  /// The sockets of connections without a stream, and the time since when each owes a complete request.
  private var owing: [Int32: UInt64] = [:]
  private var exchanges: [Int32: Exchange] = [:]
  /// The host time of the present run.
  private var now: UInt64
  /// When sockets are next looked at; nil without any.
  private var nextSweep: UInt64?
  /// When the library wants to run although nothing is ready.
  private var libraryWake: UInt64?

  private static let libraryToken: UInt32 = .max
  private static let sweepDistance: UInt64 = 1_000_000_000

  /// Starts serving on a listening socket, which it closes when it stops.
  ///
  /// - Parameter now: The host time, in nanoseconds.
  /// - Throws: ``MissingLibrary``, or the system's error when there is no memory or descriptor. The socket is closed then
  ///   too.
  package init(on socket: Descriptor, limits: Limits = Limits(), now: UInt64) throws {
    self.limits = limits
    self.now = now
    if let reason = fsm_http_load() {
      socket.close()
      throw MissingLibrary(reason: String(cString: reason))
    }
    do throws(SystemError) {
      poller = try Poller()
    } catch {
      socket.close()
      throw error
    }
    // Safety: the library gives the pointer back to the callbacks below, the last time in `stop`, which runs at the
    // latest when this object is released.
    let context = Unmanaged.passUnretained(self).toOpaque()
    library = fsm_http_start(
      socket.rawValue, UInt32(limits.connections), limits.memoryPerConnection, limits.stalledSeconds,
      HTTPServer.answer, HTTPServer.completed, HTTPServer.notify, context)
    guard let library else {
      let error = SystemError.last
      socket.close()
      throw error
    }
    try poller.add(
      Descriptor(rawValue: fsm_http_descriptor(library)), token: HTTPServer.libraryToken, interest: .readable)
  }

  deinit { stop() }

  /// Closes all connections and the listening socket. Each source learns that its stream has ended.
  package func stop() {
    guard let library else { return }
    // The library must not be stopped while a connection rests.
    for exchange in exchanges.values { exchange.stream?.breakOff() }
    self.library = nil
    MHD_stop_daemon(library)
  }

  /// Does what is to be done now: accepts, reads, calls the handler, writes. Takes no longer than there is work for each
  /// connection once.
  ///
  /// - Parameter now: The host time, in nanoseconds.
  package func run(now: UInt64) {
    guard let library else { return }
    self.now = now
    for event in poller.wait() where event.token != HTTPServer.libraryToken {
      guard let exchange = exchanges[Int32(bitPattern: event.token)] else { continue }
      poller.remove(Descriptor(rawValue: exchange.socket))
      exchange.stream?.breakOff()
    }
    sweep()
    MHD_run(library)
    var milliseconds: UInt64 = 0
    libraryWake = MHD_get_timeout(library, &milliseconds) == .YES ? now &+ milliseconds &* 1_000_000 : nil
  }

  /// When ``run(now:)`` must be called although the descriptor is not readable; nil if never.
  package var nextWake: UInt64? {
    guard let libraryWake, let nextSweep else { return libraryWake ?? nextSweep }
    return min(libraryWake, nextSweep)
  }

  /// The number of open connections.
  package var connections: Int { library.map { Int(fsm_http_connections($0)) } ?? 0 }

  /// Closes connections that owe a request for too long: the library counts any byte as progress.
  private func sweep() {
    guard let time = nextSweep, now >= time else { return }
    let isFull = connections >= limits.connections
    let patience = isFull ? limits.patienceWhenFull : limits.patience
    for (socket, since) in owing where now &- since >= patience {
      // The library then reads the end of the input, and closes.
      shutdown(socket, Int32(SHUT_RDWR))
      owing[socket] = nil
    }
    nextSweep = owing.isEmpty ? nil : now &+ HTTPServer.sweepDistance
  }

  private func owes(_ socket: Int32) {
    owing[socket] = now
    if nextSweep == nil { nextSweep = now &+ HTTPServer.sweepDistance }
  }

  // MARK: What the library calls

  /// One request and its answer.
  private final class Exchange {
    let socket: Int32
    var stream: HTTPStream?
    /// The body so far, with its limit and what makes the answer of it.
    var body: [UInt8] = []
    var limit = 0
    var makeResponse: (([UInt8]) -> HTTPResponse)?
    /// The answer to a request without a body.
    var response: HTTPResponse?
    var isTooLong = false

    init(socket: Int32) {
      self.socket = socket
    }

    func take(_ bytes: UnsafeRawBufferPointer) {
      guard !isTooLong, body.count + bytes.count <= limit else {
        isTooLong = true
        body = []
        return
      }
      body.append(contentsOf: bytes)
    }
  }

  private static let answer: MHD_AccessHandlerCallback = { context, connection, url, method, _, data, size, state in
    // Safety: see `init` for the context. `state` holds an exchange that this function retained, until `completed`.
    guard let context, let connection, let state, let size else { return .NO }
    let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
    guard let known = state.pointee else {
      let exchange = Exchange(socket: fsm_http_socket(connection))
      state.pointee = Unmanaged.passRetained(exchange).toOpaque()
      let request = HTTPRequest(
        method: method.map { String(cString: $0) } ?? "", path: url.map { String(cString: $0) } ?? "",
        connection: connection)
      return server.begin(exchange, request, connection)
    }
    let exchange = Unmanaged<Exchange>.fromOpaque(known).takeUnretainedValue()
    if size.pointee > 0 {
      exchange.take(UnsafeRawBufferPointer(start: data, count: size.pointee))
      size.pointee = 0
      return .YES
    }
    return server.finish(exchange, connection)
  }

  private static let completed: MHD_RequestCompletedCallback = { context, _, state, _ in
    guard let context, let retained = state?.pointee else { return }
    state?.pointee = nil
    let exchange = Unmanaged<Exchange>.fromOpaque(retained).takeRetainedValue()
    Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue().end(exchange)
  }

  private static let notify: MHD_NotifyConnectionCallback = { context, connection, _, what in
    guard let context, let connection else { return }
    let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
    let socket = fsm_http_socket(connection)
    if what == .CONNECTION_NOTIFY_STARTED { server.owes(socket) } else { server.owing[socket] = nil }
  }

  private func begin(_ exchange: Exchange, _ request: HTTPRequest, _ connection: OpaquePointer) -> MHD_Result {
    switch onRequest(request) {
    case .response(let response):
      // Answered before its body, a request ends its connection; one without a body is complete right after its head.
      if request.announcesBody { return send(response, exchange, connection) }
      exchange.response = response
      return .YES
    case .afterBody(let limit, let makeResponse):
      exchange.limit = limit
      exchange.makeResponse = makeResponse
      guard let length = request.values(of: "Content-Length").first.flatMap({ Int($0) }), length > limit else {
        return .YES
      }
      return send(HTTPResponse(status: 413), exchange, connection)
    }
  }

  private func finish(_ exchange: Exchange, _ connection: OpaquePointer) -> MHD_Result {
    if let response = exchange.response.take() { return send(response, exchange, connection) }
    if exchange.isTooLong { return send(HTTPResponse(status: 413), exchange, connection) }
    guard let makeResponse = exchange.makeResponse.take() else { return .NO }
    return send(makeResponse(exchange.body), exchange, connection)
  }

  private func end(_ exchange: Exchange) {
    if let stream = exchange.stream {
      exchanges[exchange.socket] = nil
      poller.remove(Descriptor(rawValue: exchange.socket))
      stream.end()
    }
    // A connection that goes on owes its next request.
    if library != nil { owes(exchange.socket) }
  }

  private func send(_ response: HTTPResponse, _ exchange: Exchange, _ connection: OpaquePointer) -> MHD_Result {
    guard let made = make(response) else { return .NO }
    defer { MHD_destroy_response(made) }
    for (name, value) in response.headers { MHD_add_response_header(made, name, value) }
    guard MHD_queue_response(connection, UInt32(response.status), made) == .YES else { return .NO }
    if case .stream(let stream) = response.content {
      stream.begin(on: connection)
      exchange.stream = stream
      exchanges[exchange.socket] = exchange
      owing[exchange.socket] = nil
      // Without it a client that leaves is found later, by the next piece that is written.
      try? poller.add(
        Descriptor(rawValue: exchange.socket), token: UInt32(bitPattern: exchange.socket), interest: .hangUp)
    }
    return .YES
  }

  private func make(_ response: HTTPResponse) -> OpaquePointer? {
    switch response.content {
    case .none: return MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
    case .text(var text):
      return text.withUTF8 {
        MHD_create_response_from_buffer($0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
      }
    case .permanent(let bytes):
      // Safety: the library only reads them.
      return MHD_create_response_from_buffer(
        bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_PERSISTENT)
    case .stream(let stream):
      // Safety: the response retains the stream until the library frees it.
      return MHD_create_response_from_callback(
        .max, HTTPServer.streamBlock,
        { context, _, buffer, size in
          guard let context, let buffer else { return -2 }
          return Unmanaged<HTTPStream>.fromOpaque(context).takeUnretainedValue()
            .fill(UnsafeMutableRawBufferPointer(start: buffer, count: size))
        }, Unmanaged.passRetained(stream).toOpaque(),
        { context in if let context { Unmanaged<HTTPStream>.fromOpaque(context).release() } })
    }
  }

  /// The library's buffer for a stream, in bytes; where a length is not known, it uses the connection's memory instead.
  private static let streamBlock = 1_024
}
