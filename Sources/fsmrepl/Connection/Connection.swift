internal import LineProtocol
internal import UnixHost

/// A connection to the daemon that sends and receives lines.
///
/// It never blocks: what cannot be sent at once is buffered until ``flush()`` is called again.
final class Connection {
  let descriptor: Descriptor
  private var inbound: InputBuffer
  private var outbound = ByteBuffer(capacity: 4 << 10)
  /// How many of its bytes are sent.
  private var sent = 0

  /// Longer than any line the daemon writes; a peer that sends more without a line end is not fsmd.
  private static let longestLine = 64 << 20
  private static let chunk = 64 << 10

  init(_ descriptor: Descriptor) {
    self.descriptor = descriptor
    inbound = InputBuffer(longestLine: Self.longestLine)
  }

  /// Whether anything waits to be sent.
  var wantsToWrite: Bool { backlog > 0 }

  /// Bytes that wait to be sent.
  var backlog: Int { outbound.count - sent }

  /// Buffers bytes, which ``flush()`` sends.
  func buffer(_ bytes: UnsafeRawBufferPointer) { outbound.append(bytes) }

  func send(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { buffer($0) }
    flush()
  }

  /// Sends as much as fits. A broken connection shows up at the next read.
  func flush() {
    while backlog > 0 {
      let rest = UnsafeRawBufferPointer(rebasing: outbound.bytes[sent...])
      guard case .bytes(let count) = descriptor.send(rest) else { return }
      sent += count
    }
    outbound.removeAll()
    sent = 0
  }

  enum Reading: Equatable {
    /// There may be lines; nothing more has arrived for now.
    case open
    /// The daemon has closed the connection; earlier data has been read.
    case ended
  }

  /// Reads one chunk of what has arrived.
  func receive() -> Reading {
    let room = inbound.room(atLeast: Self.chunk)
    switch descriptor.read(into: room) {
    case .bytes(let count):
      inbound.didFill(count)
      return .open
    case .wouldBlock:
      return .open
    case .closed, .failed:
      return .ended
    }
  }

  /// The next complete line, without its end.
  func nextLine() -> RawLine? {
    var line: RawLine?
    _ = takeLine { line = RawLine(bytes: Array($0)) }
    return line
  }

  /// Passes the next complete line to `take` in place, without its end; `take` may rewrite the bytes.
  ///
  /// - Returns: False if no line is complete.
  func takeLine(_ take: (UnsafeMutableRawBufferPointer) -> Void) -> Bool {
    while true {
      switch inbound.nextLine() {
      case .line(let line):
        take(line.bytes)
        return true
      case .tooLong: continue
      case .incomplete: return false
      }
    }
  }

  func close() {
    descriptor.close()
  }
}
