internal import Glibc
internal import LineProtocol
internal import UnixHost

/// The connection as a player of scripts uses it: many requests in one write, lines read where they stand.
final class RunLink {
  enum Event: Equatable {
    case goesOn
    /// The daemon has closed, or is gone.
    case lost
    case stopped(by: Int32)
  }

  /// What the loop listens to.
  static let signals = [SIGINT, SIGTERM, SIGHUP]

  let client: Client
  private let signals: SignalQueue
  private var unsent = ByteBuffer(capacity: 256 << 10)
  private var sent = 0

  init(client: Client, signals: SignalQueue) {
    self.client = client
    self.signals = signals
  }

  /// How much waits to be sent, in bytes.
  var backlog: Int { unsent.count - sent }

  /// Takes bytes in; they go when the loop waits.
  func send(_ bytes: UnsafeRawBufferPointer) { unsent.append(bytes) }

  func send(_ text: String) { unsent.append(text: text) }

  /// Sends what fits, and waits until something has come, room is there, or the deadline has passed.
  func wait(until deadline: UInt64? = nil) -> Event {
    guard let connection = client.connection else { return .lost }
    flush(connection)
    let readiness = Readiness(
      [.init(descriptor: connection.descriptor, writes: backlog > 0), .init(descriptor: signals.descriptor)],
      until: deadline)
    if let number = signals.next() { return .stopped(by: number) }
    if readiness.canWrite(connection.descriptor) { flush(connection) }
    if readiness.canRead(connection.descriptor), connection.receive() == .ended { return .lost }
    return .goesOn
  }

  /// Hands over the lines that have come.
  func takeLines(_ take: (UnsafeMutableRawBufferPointer) -> Void) {
    guard let connection = client.connection else { return }
    while connection.takeLine(take) {}
  }

  private func flush(_ connection: Connection) {
    while backlog > 0 {
      let rest = UnsafeRawBufferPointer(rebasing: unsent.bytes[sent...])
      guard case .bytes(let count) = connection.descriptor.send(rest) else { return }
      sent += count
    }
    unsent.removeAll()
    sent = 0
  }
}
