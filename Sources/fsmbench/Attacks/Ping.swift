internal import Glibc
internal import UnixHost

/// A client that sends `sync` at fixed times, answered or not, and measures the wait for each.
///
/// Requests queued behind a slow answer count with their whole wait, as they would for that many clients.
final class Ping {
  let conversation: Conversation
  /// The send times of unanswered requests, oldest first.
  private var pending: [UInt64] = []
  /// The wait for each answer, in nanoseconds.
  private var waits: [UInt64] = []
  /// How many bytes of requests could not be sent yet.
  private var unsent = 0
  private(set) var isLost = false

  /// Nanoseconds between two requests.
  static let period: UInt64 = 5_000_000
  private static let request = Array("sync\n".utf8)
  private static let manyRequests = [UInt8]((0..<1_000).flatMap { _ in request })

  init(_ conversation: Conversation) {
    self.conversation = conversation
  }

  var isIdle: Bool { pending.isEmpty || isLost }

  /// Sends another request.
  func begin() throws {
    awaitLine()
    unsent += Ping.request.count
    try send()
  }

  /// Counts the next line as the answer to a request sent now.
  func awaitLine() {
    pending.append(HostClock.now())
  }

  /// Sends the rest; if the daemon does not read, the socket fills up.
  private func send() throws {
    while unsent > 0 {
      // First the rest of a partly sent request, if any, then whole ones.
      let start = (Ping.request.count - unsent % Ping.request.count) % Ping.request.count
      let bytes = Ping.manyRequests[start..<min(start + unsent, Ping.manyRequests.count)]
      switch bytes.withUnsafeBytes({ conversation.socket.send($0) }) {
      case .bytes(let count): unsent -= count
      case .wouldBlock: return
      case .closed: throw BenchFailure.lost("the daemon hung up on the client that only pings")
      case .failed(let error): throw error
      }
    }
  }

  /// Reads the available answers.
  func receive() throws {
    try withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
      switch conversation.socket.read(into: buffer) {
      case .bytes(let count):
        let now = HostClock.now()
        for byte in buffer[..<count] where byte == UInt8(ascii: "\n") && !pending.isEmpty {
          waits.append(now - pending.removeFirst())
        }
      case .wouldBlock: break
      case .closed: throw BenchFailure.lost("the daemon hung up on the client that only pings")
      case .failed(let error): throw error
      }
    }
  }

  /// Discards the measurements so far.
  func forget() {
    waits = []
  }

  /// Counts unanswered requests as answered now.
  func giveUp() {
    let now = HostClock.now()
    waits += pending.map { now - $0 }
    isLost = true
  }

  /// The longest wait, in seconds; 0 if there was none.
  var worst: Double { Double(waits.max() ?? 0) / 1e9 }

  /// The 99th percentile of the waits, in seconds.
  var percentile99: Double {
    let sorted = waits.sorted()
    return sorted.isEmpty ? 0 : Double(sorted[(sorted.count * 99 - 1) / 100]) / 1e9
  }
}
