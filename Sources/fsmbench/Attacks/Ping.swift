internal import Glibc
internal import UnixHost

/// A client that sends `sync` at fixed times, whatever became of the ones before, and notes how long each was under way.
///
/// What waits behind a slow answer counts with all of its own waiting, as it would for so many clients.
final class Ping {
  let conversation: Conversation
  /// When those were sent that are not answered, the oldest first.
  private var pending: [UInt64] = []
  /// How long each was under way, in nanoseconds.
  private var waits: [UInt64] = []
  /// How many bytes of requests could not be sent yet.
  private var unsent = 0
  private(set) var isLost = false

  /// Nanoseconds between two.
  static let period: UInt64 = 5_000_000
  private static let request = Array("sync\n".utf8)
  private static let manyRequests = [UInt8]((0..<1_000).flatMap { _ in request })

  init(_ conversation: Conversation) {
    self.conversation = conversation
  }

  var isIdle: Bool { pending.isEmpty || isLost }

  /// Begins another.
  func begin() throws {
    awaitLine()
    unsent += Ping.request.count
    try send()
  }

  /// Counts the next line that comes as the answer to something that begins now.
  func awaitLine() {
    pending.append(HostClock.now())
  }

  /// Sends what is left; a daemon that reads nothing lets the socket run full.
  private func send() throws {
    while unsent > 0 {
      // The rest of a request that was sent in part, if there is one, and then whole ones.
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

  /// Takes the answers that are there.
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

  /// Forgets what was measured so far.
  func forget() {
    waits = []
  }

  /// Counts what is still under way as if it were answered now.
  func giveUp() {
    let now = HostClock.now()
    waits += pending.map { now - $0 }
    isLost = true
  }

  /// The longest, in seconds; 0 if there was none.
  var worst: Double { Double(waits.max() ?? 0) / 1e9 }

  /// As long as 99 of 100 took at most, in seconds.
  var percentile99: Double {
    let sorted = waits.sorted()
    return sorted.isEmpty ? 0 : Double(sorted[(sorted.count * 99 - 1) / 100]) / 1e9
  }
}
