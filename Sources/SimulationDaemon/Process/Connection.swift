import LineProtocol
import UnixHost

/// A client's descriptor and its state in the poller.
final class Connection {
  let descriptor: Descriptor
  /// Its token in the poller.
  let token: UInt32
  let client: Service.Client
  /// The poller's current interest; nil once the descriptor was removed from it.
  var interest: Poller.Interest? = .readable

  init(_ descriptor: Descriptor, token: UInt32, _ client: Service.Client) {
    self.descriptor = descriptor
    self.token = token
    self.client = client
  }

  /// Bytes per read.
  private static let readSize = 64 << 10
  /// Unread bytes allowed during a long request, so that a `cancel` is found.
  private static let lookAhead = 1 << 20

  /// The interest that fits the session's state.
  func wantedInterest(_ limits: Limits) -> Poller.Interest {
    Poller.Interest(readable: wantsToRead(limits), writable: client.session.outbox.hasUnwritten)
  }

  /// Whether to read the client's input now.
  func wantsToRead(_ limits: Limits) -> Bool {
    guard client.session.life == .open, client.session.outbox.replyBytes < limits.replyQueue else { return false }
    let waiting = client.session.input.count
    return client.session.activity.isNone && !client.session.isHeldUp || waiting < Connection.readSize
      || (client.session.activity.traits.isCancellable && waiting < Connection.lookAhead)
  }

  /// Reads once.
  ///
  /// - Returns: The result, and whether more may be there at once.
  func read() -> (Descriptor.Transfer, isFilled: Bool) {
    let room = client.session.input.room(atLeast: 4 << 10)
    let offered = UnsafeMutableRawBufferPointer(rebasing: room.prefix(Connection.readSize))
    let transfer = descriptor.read(into: offered)
    guard case .bytes(let count) = transfer else { return (transfer, false) }
    client.session.input.didFill(count)
    guard count == offered.count else { return (transfer, false) }
    // A client that filled the buffer gets a larger one.
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
