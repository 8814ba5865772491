internal import Glibc
internal import LineProtocol
internal import UnixHost

/// The connection as a player of scripts uses it: many requests in one write, lines read where they stand.
final class RunLink {
  /// Why it cannot go on.
  enum Stop: Error, Equatable {
    /// The daemon has closed, or is gone.
    case lost
    case signal(Int32)
  }

  /// What the loop listens to.
  static let signals = [SIGINT, SIGTERM, SIGHUP]

  private let connection: Connection
  private let signals: SignalQueue
  private var unsent = ByteBuffer(capacity: 256 << 10)
  private var sent = 0

  init(connection: Connection, signals: SignalQueue) {
    self.connection = connection
    self.signals = signals
  }

  /// How much waits to be sent, in bytes.
  var backlog: Int { unsent.count - sent }

  /// Takes bytes in; they go when the loop waits.
  func send(_ bytes: UnsafeRawBufferPointer) { unsent.append(bytes) }

  func send(_ text: String) { unsent.append(text: text) }

  /// Sends what fits, waits until something has come, room is there, or the deadline has passed, and hands over the
  /// lines that have come, the last ones of a daemon that is gone too.
  func receive(until deadline: UInt64? = nil, _ take: (UnsafeMutableRawBufferPointer) -> Void) throws(Stop) {
    flush()
    let readiness = Readiness(
      [.init(descriptor: connection.descriptor, writes: backlog > 0), .init(descriptor: signals.descriptor)],
      until: deadline)
    let signal = signals.next()
    var isLost = false
    if signal == nil {
      if readiness.canWrite(connection.descriptor) { flush() }
      isLost = readiness.canRead(connection.descriptor) && connection.receive() == .ended
    }
    while connection.takeLine(take) {}
    if let signal { throw .signal(signal) }
    if isLost { throw .lost }
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
