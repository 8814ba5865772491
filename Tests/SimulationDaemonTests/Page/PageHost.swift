import Glibc
import Testing
import UnixHost

@testable import SimulationDaemon

/// A ``PageServer`` on a free port of loopback, driven in rounds with a host clock of the test, and its browsers.
///
/// All of it runs on one thread: what a browser sends lies in the kernel until a round serves it.
final class PageHost {
  let host: HostedService
  let page: PageServer

  init(limits: Limits = Limits(), mayControl: Bool = false, connections: Int = 256) throws {
    host = HostedService(limits: limits)
    page = try PageServer(
      try #require(InternetAddress("0")), mayControl: mayControl, connections: connections, host.service)
    host.onOutput = { [unowned page] in page.wake($0) }
  }

  deinit { page.stop() }

  var port: UInt16 { page.access.address.port }
  var cookie: String { String(page.access.cookie.prefix { $0 != ";" }) }

  /// One round that serves what has come.
  func turn() {
    host.round { page.serve() }
    host.settle()
  }

  /// Lets the host's clock go on.
  func pass(_ seconds: Double) {
    host.passTime(seconds)
    turn()
  }

  func browser() throws -> Browser { try Browser(of: self) }

  /// Takes turns until something is there, for at most twenty seconds of the real clock.
  func turns<Found>(until what: String, _ look: () -> Found?) throws -> Found {
    let end = HostClock.now() + 20_000_000_000
    while HostClock.now() < end {
      turn()
      if let found = look() { return found }
      _ = poll(nil, 0, 1)
    }
    throw Vain(what: what)
  }

  struct Vain: Error {
    let what: String
  }
}

/// One connection to a ``PageHost``, with what it has received.
final class Browser {
  private let host: PageHost
  private let socket: Int32
  private(set) var received: [UInt8] = []
  private(set) var isAtEnd = false

  /// - Parameter receiveBuffer: What the kernel takes for it, in bytes; nil for the usual.
  init(of host: PageHost, receiveBuffer: Int32? = nil) throws {
    self.host = host
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    if var receiveBuffer {
      setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = host.port.bigEndian
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    // The kernel accepts in the server's place, so this does not wait for a turn.
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw PageHost.Vain(what: "a connection: errno \(errno)") }
    _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
  }

  deinit { close(socket) }

  /// Sends bytes as they are, with turns while the server takes no more.
  func send(_ text: String) throws { try send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    _ = try host.turns(until: "all is sent") { () -> Bool? in
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        if count < 0 { return errno == EAGAIN ? nil : true }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }

  /// Takes what has come, without a turn.
  func receive() {
    while !isAtEnd {
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      let count = recv(socket, &buffer, buffer.count, 0)
      if count < 0, errno == EAGAIN { return }
      if count <= 0 { isAtEnd = true } else { received += buffer.prefix(count) }
    }
  }

  var text: String { String(decoding: received, as: UTF8.self) }

  /// Waits until what was received satisfies a condition.
  func text(until what: String, _ isEnough: (String) -> Bool) throws -> String {
    try host.turns(until: what) {
      receive()
      return isEnough(text) ? text : nil
    }
  }

  /// Waits until the server has closed the connection.
  func end() throws {
    _ = try host.turns(until: "the end of a connection") { () -> Bool? in
      receive()
      return isAtEnd ? true : nil
    }
  }

  // MARK: Requests

  struct Answer {
    let status: Int
    let headers: [String: String]
    let body: String
  }

  /// Sends a request and waits for its answer, which has a length.
  func ask(
    _ method: String, _ path: String, headers: [(String, String)] = [], host name: String? = nil, body: String? = nil,
    isLoggedIn: Bool = true
  ) throws -> Answer {
    received = []
    try send(request(method, path, headers: headers, host: name, body: body, isLoggedIn: isLoggedIn))
    return try answer(hasBody: method != "HEAD")
  }

  func request(
    _ method: String, _ path: String, headers: [(String, String)] = [], host name: String? = nil, body: String? = nil,
    isLoggedIn: Bool = true
  ) -> String {
    var lines = ["\(method) \(path) HTTP/1.1", "Host: \(name ?? "127.0.0.1:\(host.port)")"]
    if isLoggedIn { lines.append("Cookie: theme=dark; \(host.cookie)") }
    if let body { lines.append("Content-Length: \(body.utf8.count)") }
    lines += headers.map { "\($0): \($1)" }
    return lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")
  }

  /// Waits for the answer to what was sent.
  func answer(hasBody: Bool = true) throws -> Answer {
    try host.turns(until: "an answer") {
      receive()
      return parse(hasBody: hasBody)
    }
  }

  private func parse(hasBody: Bool) -> Answer? {
    let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let lines = parts[0].split(separator: "\r\n")
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[line[..<colon].lowercased()] = String(line[colon...].dropFirst(2))
    }
    let length = hasBody ? headers["content-length"].flatMap { Int($0) } ?? 0 : 0
    guard parts[1].utf8.count >= length else { return nil }
    let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return Answer(status: status, headers: headers, body: String(parts[1].utf8.prefix(length)) ?? "")
  }

  // MARK: A stream

  /// Opens a stream.
  ///
  /// - Returns: The session's number.
  func openStream() throws -> String {
    received = []
    try send(request("GET", "/stream"))
    let text = try text(until: "a greeting") { $0.contains("\"protocol\"") }
    let found = text.firstMatch(of: #/"session":"([0-9a-f]+)"/#)?.output.1
    return String(try #require(found))
  }

  /// The lines of the events so far, without the sizes of chunks.
  var events: [String] {
    let lines = text.split { $0 == "\r\n" || $0 == "\n" }
    return lines.filter { $0.hasPrefix("data: ") }.map { String($0.dropFirst(6)) }
  }

  /// Waits for an event with a text in it.
  @discardableResult
  func event(with part: String) throws -> String {
    var seen: Int?
    return try host.turns(until: "an event with \(part)") {
      receive()
      if seen == received.count { return nil }
      seen = received.count
      return events.first { $0.contains(part) }
    }
  }
}
