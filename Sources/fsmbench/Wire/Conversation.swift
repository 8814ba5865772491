internal import Glibc
internal import UnixHost

/// A connection with one request at a time: for setup and checks, not for measurements.
final class Conversation {
  /// Closed when this object is released.
  let socket: Descriptor
  private var received: [UInt8] = []
  /// How much of it has been taken as lines.
  private var taken = 0

  init(_ socket: Descriptor) {
    self.socket = socket
  }

  deinit { socket.close() }

  /// The process at the other end.
  var server: ProcessUse { ProcessUse(pid: Peer(of: socket)?.pid ?? 0) }

  /// Sends bytes; blocks until the server has taken them.
  func send(_ bytes: [UInt8]) throws {
    guard bytes.withUnsafeBytes({ socket.writeAll($0) }) else { throw BenchFailure.lost("the server hung up") }
  }

  /// The next line, without its end (LF, or CR and LF).
  ///
  /// - Throws: `lost` at the end of the connection, or after thirty seconds without a line.
  func line() throws -> String {
    while true {
      if let end = received[taken...].firstIndex(of: UInt8(ascii: "\n")) {
        var line = received[taken..<end]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        taken = end + 1
        return String(decoding: line, as: UTF8.self)
      }
      received.removeSubrange(..<taken)
      taken = 0
      try receive()
    }
  }

  /// Takes the next line and requires its prefix.
  @discardableResult
  func take(prefix: String, after request: String = "connecting") throws -> String {
    let reply = try line()
    guard reply.hasPrefix(prefix) else {
      throw BenchFailure.wrongReply(to: request, expected: prefix, got: reply)
    }
    return reply
  }

  /// Sends one line, takes the next line as its reply and requires its prefix.
  @discardableResult
  func ask(_ request: String, expecting prefix: String = "+") throws -> String {
    try send(Array((request + "\n").utf8))
    return try take(prefix: prefix, after: request)
  }

  /// Sends one line and skips all lines before its reply, the first line that begins with a plus.
  ///
  /// - Returns: How many lines were skipped.
  func askPastNotices(_ request: String) throws -> Int {
    try send(Array((request + "\n").utf8))
    var passed = 0
    while true {
      let line = try line()
      if line.hasPrefix("+") { return passed }
      guard !line.hasPrefix("-") else {
        throw BenchFailure.wrongReply(to: request, expected: "+", got: line)
      }
      passed += 1
    }
  }

  private func receive() throws {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    switch buffer.withUnsafeMutableBytes({ socket.read(into: $0) }) {
    case .bytes(let count):
      received += buffer[..<count]
    case .wouldBlock:
      var wanted = pollfd(fd: socket.rawValue, events: Int16(POLLIN), revents: 0)
      guard poll(&wanted, 1, 30_000) != 0 else { throw BenchFailure.lost("no reply for 30 s") }
    case .closed:
      throw BenchFailure.lost("the server hung up")
    case .failed(let error):
      throw error
    }
  }
}
