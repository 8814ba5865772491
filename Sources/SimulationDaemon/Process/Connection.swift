import LineProtocol
import UnixHost

/// One client's descriptor, and what the poller waits for on it.
final class Connection {
  let descriptor: Descriptor
  /// The poller's token for it.
  let token: UInt32
  let client: Service.Client
  /// What the poller was last told; nil once the descriptor is no longer in it.
  var interest: Poller.Interest? = .readable

  init(_ descriptor: Descriptor, token: UInt32, _ client: Service.Client) {
    self.descriptor = descriptor
    self.token = token
    self.client = client
  }

  /// Bytes read at once.
  private static let readSize = 64 << 10
  /// What may wait unread behind a request that takes its time, so that a `cancel` is seen.
  private static let lookAhead = 1 << 20

  /// What to wait for, as the session stands.
  func wantedInterest(_ limits: Limits) -> Poller.Interest {
    Poller.Interest(readable: wantsToRead(limits), writable: client.session.outbox.hasUnwritten)
  }

  /// Whether what the client sends is to be read now.
  func wantsToRead(_ limits: Limits) -> Bool {
    guard client.session.life == .open, client.session.outbox.replyBytes < limits.replyQueue else { return false }
    let waiting = client.session.input.count
    return client.session.activity.isNone && !client.session.isHeldUp || waiting < Connection.readSize
      || (client.session.activity.isCancellable && waiting < Connection.lookAhead)
  }

  /// Reads once what is there.
  ///
  /// - Returns: What came of it, and whether there may be more right away.
  func read() -> (Descriptor.Transfer, isFilled: Bool) {
    let room = client.session.input.room(atLeast: 4 << 10)
    let offered = UnsafeMutableRawBufferPointer(rebasing: room.prefix(Connection.readSize))
    let transfer = descriptor.read(into: offered)
    guard case .bytes(let count) = transfer else { return (transfer, false) }
    client.session.input.didFill(count)
    guard count == offered.count else { return (transfer, false) }
    // A client that fills what there was gets more room next time.
    _ = client.session.input.room(atLeast: min(count * 2, Connection.readSize))
    return (transfer, true)
  }

  /// Writes as much of the outbox as the client takes.
  ///
  /// - Returns: False if the client is gone.
  func write() -> Bool {
    while client.session.outbox.hasUnwritten {
      switch descriptor.send(client.session.outbox.unwritten) {
      case .bytes(let count): client.session.outbox.didWrite(count)
      case .wouldBlock: return true
      case .closed, .failed: return false
      }
    }
    return true
  }
}
