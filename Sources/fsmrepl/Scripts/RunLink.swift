internal import Glibc
internal import LineProtocol
internal import UnixHost

/// The connection as a script player uses it: many requests in one write, lines parsed in place.
final class RunLink {
  /// Why the connection cannot be used any more.
  enum Stop: Error, Equatable {
    /// The daemon has closed the connection, or is gone.
    case lost
    case signal(Int32)
  }

  /// The signals that the loop reads.
  static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  private let connection: Connection
  private let signals: SignalQueue
  private var unsent = ByteBuffer(capacity: 256 << 10)
  private var sent = 0

  init(connection: Connection, signals: SignalQueue) {
    self.connection = connection
    self.signals = signals
  }

  /// Bytes that wait to be sent.
  var backlog: Int { unsent.count - sent }

  /// Buffers bytes; they are sent by ``receive(until:_:)``.
  func send(_ bytes: UnsafeRawBufferPointer) { unsent.append(bytes) }

  func send(_ text: String) { unsent.append(text: text) }

  /// Sends what fits, waits for input, for room to send or for the deadline, and passes each received line to `take`.
  /// The last lines of a daemon that is gone are passed too.
  func receive(until deadline: UInt64? = nil, _ take: (UnsafeMutableRawBufferPointer) -> Void) throws(Stop) {
    flush()
    let readiness = Readiness(
      [.init(descriptor: connection.descriptor, writes: backlog > 0), .init(descriptor: signals.descriptor)],
      until: deadline)
    let signal = nextSignal()
    var isLost = false
    if signal == nil {
      if readiness.canWrite(connection.descriptor) { flush() }
      isLost = readiness.canRead(connection.descriptor) && connection.receive() == .ended
    }
    while connection.takeLine(take) {}
    if let signal { throw .signal(signal) }
    if isLost { throw .lost }
  }

  /// The next signal of those that end a script. Ctrl-Z stops the process; others are for prompts.
  private func nextSignal() -> Int32? {
    while let number = signals.next() {
      if Self.signals.contains(number) { return number }
      if number == SIGTSTP { kill(getpid(), SIGSTOP) }
    }
    return nil
  }

  func close() { connection.close() }

  private func flush() {
    while backlog > 0 {
      let rest = UnsafeRawBufferPointer(rebasing: unsent.bytes[sent...])
      guard case .bytes(let count) = connection.descriptor.send(rest) else { return }
      sent += count
    }
    unsent.removeAll()
    sent = 0
  }
}
