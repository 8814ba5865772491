import Glibc
import UnixHost

/// One connection to a daemon, as a client of the simplest kind has it: it waits for what it wants, with a bound.
///
/// It reads only when told to, so that a test can be a client that does not.
final class TestClient {
  private let descriptor: Descriptor
  private var isOpen = true
  /// Received and not yet taken, from `taken` on.
  private var received: [UInt8] = []
  private var taken = 0
  /// No LF in `received` before this place.
  private var searched = 0
  private(set) var isAtEnd = false
  /// How many bytes have come in all.
  private(set) var bytesReceived = 0

  init(path: String) throws {
    // A full backlog is refused at once; it is not what any test is about.
    descriptor = try Patience.wait(for: "room in the backlog") {
      do throws(SocketFailure) {
        return try ClientSocket.connect(path: path)
      } catch .system(_, _, let error) where error.code == EAGAIN {
        return nil
      }
    }
  }

  /// A connection over TCP to this machine, for HTTP. Lines then end with CR.
  init(port: UInt16) throws {
    let made = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(made, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    descriptor = Descriptor(rawValue: made)
    guard result == 0 else { throw HarnessFailure(what: "cannot connect to port \(port): errno \(errno)") }
    descriptor.makeNonBlocking()
  }

  deinit { close() }

  // MARK: Sending

  /// Sends a text as it is; lines need their LF.
  func send(_ text: String) throws { try send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) throws {
    guard try sendWhatFits(bytes, waiting: true) == bytes.count else {
      throw HarnessFailure(what: "the daemon does not take what is sent: \(bytes.count) bytes")
    }
  }

  /// Sends as much as the kernel and the daemon take without this client's reading anything.
  ///
  /// - Parameter waiting: Whether to wait for the daemon to take more, up to the usual bound.
  /// - Returns: How many bytes were sent.
  @discardableResult
  func sendWhatFits(_ bytes: [UInt8], waiting: Bool) throws -> Int {
    let end = Patience.deadline()
    var sent = 0
    while sent < bytes.count {
      let transfer = bytes.withUnsafeBytes { descriptor.send(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
      switch transfer {
      case .bytes(let count): sent += count
      case .wouldBlock:
        guard waiting, Patience.wait(for: descriptor, POLLOUT, deadline: end) else { return sent }
      case .closed: throw HarnessFailure(what: "the daemon has hung up")
      case .failed(let error): throw HarnessFailure(what: "cannot send: \(error)")
      }
    }
    return sent
  }

  /// Says that nothing more will be sent; reading goes on.
  func closeSending() { descriptor.shutdownSending() }

  /// Closes the connection, whatever is unread.
  func close() {
    guard isOpen else { return }
    isOpen = false
    descriptor.close()
  }

  // MARK: Receiving

  /// The next line without its LF.
  ///
  /// - Throws: ``HarnessFailure`` at the end of what the daemon sends, or when nothing comes in time.
  func line() throws -> String {
    guard let line = try lineOrEnd() else { throw HarnessFailure(what: "the daemon has closed the connection") }
    return line
  }

  /// The next line if something comes by `deadline`, a time of the host's clock.
  func line(by deadline: UInt64) throws -> String? {
    if let line = takeLine() { return line }
    return isAtEnd || Patience.wait(for: descriptor, POLLIN, deadline: deadline) ? try line() : nil
  }

  /// The next line that begins with one of two texts, if it comes by `deadline`. Others are dropped, and cost little.
  func line(beginningWith texts: (StaticString, StaticString), by deadline: UInt64) throws -> String? {
    while true {
      while let line = nextLine() {
        defer { take(through: line.upperBound) }
        let isWanted = received.withUnsafeBytes { bytes in
          func begins(with text: StaticString) -> Bool {
            line.count >= text.utf8CodeUnitCount
              && memcmp(bytes.baseAddress! + line.lowerBound, text.utf8Start, text.utf8CodeUnitCount) == 0
          }
          return begins(with: texts.0) || begins(with: texts.1)
        }
        if isWanted { return String(decoding: received[line], as: UTF8.self) }
      }
      guard !isAtEnd else { throw HarnessFailure(what: "the daemon has closed the connection") }
      guard Patience.wait(for: descriptor, POLLIN, deadline: deadline) else { return nil }
      try receive(deadline: Patience.deadline())
    }
  }

  /// The next line; nil when the daemon has closed the connection.
  func lineOrEnd() throws -> String? {
    let end = Patience.deadline()
    while true {
      if let line = takeLine() { return line }
      guard !isAtEnd else {
        guard taken == received.count else { throw HarnessFailure(what: "the last line has no LF") }
        return nil
      }
      try receive(deadline: end)
    }
  }

  /// Lines up to and with the next that ends a request; notices and flow lines that come before it among them.
  func reply() throws -> [String] {
    var lines: [String] = []
    while true {
      let line = try line()
      lines.append(line)
      if line.hasPrefix("+") || line.hasPrefix("-") { return lines }
    }
  }

  /// The next final line, whatever comes before it.
  func final() throws -> String { try reply().last ?? "" }

  /// Sends one request and returns the line that ends its reply.
  @discardableResult
  func ask(_ request: String) throws -> String {
    try send(request + "\n")
    return try final()
  }

  /// Sends one request and returns its whole reply.
  func askAll(_ request: String) throws -> [String] {
    try send(request + "\n")
    return try reply()
  }

  /// Lines up to and with the first that satisfies a condition.
  func lines(until isLast: (String) -> Bool) throws -> [String] {
    var lines: [String] = []
    while true {
      let line = try line()
      lines.append(line)
      if isLast(line) { return lines }
    }
  }

  /// All lines until the daemon closes the connection.
  func readToEnd() throws -> [String] {
    var lines: [String] = []
    while let line = try lineOrEnd() { lines.append(line) }
    return lines
  }

  /// Whether nothing has come that was not taken, as things stand.
  func hasNothing() throws -> Bool {
    try receive(deadline: 0)
    return taken == received.count
  }

  private func takeLine() -> String? {
    guard let line = nextLine() else { return nil }
    defer { take(through: line.upperBound) }
    return String(decoding: received[line], as: UTF8.self)
  }

  /// Where the next line is, without its LF.
  private func nextLine() -> Range<Int>? {
    let place = received.withUnsafeBytes { bytes -> Int? in
      guard searched < bytes.count, let base = bytes.baseAddress else { return nil }
      return memchr(base + searched, 0x0A, bytes.count - searched).map { $0 - UnsafeMutableRawPointer(mutating: base) }
    }
    guard let place else {
      searched = received.count
      return nil
    }
    return taken..<place
  }

  /// Drops what was received up to and with an LF.
  private func take(through place: Int) {
    taken = place + 1
    searched = taken
    if taken == received.count {
      received.removeAll(keepingCapacity: true)
      taken = 0
      searched = 0
    }
  }

  /// Waits for more and takes it in; at the end sets `isAtEnd`. With a deadline that has passed it only looks.
  private func receive(deadline: UInt64) throws {
    if taken > 1 << 20 {
      received.removeFirst(taken)
      searched -= taken
      taken = 0
    }
    while true {
      let transfer = withUnsafeTemporaryAllocation(byteCount: 256 << 10, alignment: 1) { buffer in
        let transfer = descriptor.read(into: buffer)
        if case .bytes(let count) = transfer { received += UnsafeRawBufferPointer(rebasing: buffer[..<count]) }
        return transfer
      }
      switch transfer {
      case .bytes(let count):
        bytesReceived += count
        return
      case .closed:
        isAtEnd = true
        return
      case .failed(let error): throw HarnessFailure(what: "cannot receive: \(error)")
      case .wouldBlock:
        if deadline == 0 { return }
        guard Patience.wait(for: descriptor, POLLIN, deadline: deadline) else {
          throw HarnessFailure(what: "nothing comes; so far: \(String(decoding: received.suffix(300), as: UTF8.self))")
        }
      }
    }
  }
}
