internal import UnixHost

/// The client of all rows over the wire: several connections, each with one batch of requests outstanding.
///
/// It is the same for every server: it counts line ends and checks that no reply is a failure, which begins with a
/// minus sign in both protocols. It reads the clock once per batch.
struct WireClient: ~Copyable {
  private let poller: Poller
  private let workload: Workload
  private var lanes: [Lane]
  private var buffer = [UInt8](repeating: 0, count: 256 * 1_024)
  /// Requests answered in all runs.
  private(set) var answered = 0
  /// Lines received by the listener, in all runs.
  private(set) var heard = Heard()

  private struct Lane {
    let conversation: Conversation
    var socket: Descriptor { conversation.socket }
    /// The batch being sent or answered, and how much of it has been sent.
    var batch: Int
    var sent = 0
    /// Replies still expected for it.
    var awaited = 0
  }

  /// What a connection that only listens has received.
  struct Heard {
    var lines = 0
    /// Lines that report an omission.
    var gaps = 0
  }

  private let listener: Conversation?
  private static let listenerToken = UInt32.max

  /// - Parameters:
  ///   - conversations: Idle connections.
  ///   - listener: Another connection, which only receives.
  init(conversations: [Conversation], workload: Workload, listener: Conversation? = nil) throws {
    let poller = try Poller()
    for (index, conversation) in conversations.enumerated() {
      try poller.add(conversation.socket, token: UInt32(index), interest: .readable)
    }
    if let listener { try poller.add(listener.socket, token: Self.listenerToken, interest: .readable) }
    // Each starts elsewhere, so that connections do not send the same at the same time.
    let stride = max(1, workload.batches.count / conversations.count)
    lanes = conversations.enumerated().map { index, conversation in
      Lane(conversation: conversation, batch: index * stride % workload.batches.count)
    }
    self.poller = poller
    self.workload = workload
    self.listener = listener
  }

  /// Sends batch after batch for some time, then takes the remaining replies.
  ///
  /// - Returns: Requests answered per second.
  /// - Throws: `lost` or `wrongReply`.
  mutating func run(nanoseconds: UInt64) throws -> Double {
    let begin = HostClock.now()
    let answeredBefore = answered
    var busy = lanes.count
    for index in lanes.indices { try start(index) }
    while busy > 0 {
      let waitingSince = HostClock.now()
      let events = poller.wait(nanoseconds: 30_000_000_000)
      // An empty result may also mean that this process was stopped and continued.
      if events.isEmpty, HostClock.now() - waitingSince > 29_000_000_000 {
        throw BenchFailure.lost("no reply for 30 s")
      }
      for event in events {
        if event.token == Self.listenerToken {
          try listen()
          continue
        }
        let index = Int(event.token)
        if event.isWritable { try send(index) }
        guard event.isReadable || event.isHungUp else { continue }
        try receive(index)
        guard lanes[index].awaited == 0 else { continue }
        answered += workload.depth
        if HostClock.now() - begin < nanoseconds {
          try start(index)
        } else {
          busy -= 1
        }
      }
    }
    return Double(answered - answeredBefore) / (Double(HostClock.now() - begin) / 1e9)
  }

  private mutating func start(_ index: Int) throws {
    lanes[index].batch = (lanes[index].batch + 1) % workload.batches.count
    lanes[index].sent = 0
    lanes[index].awaited = workload.depth
    try send(index)
  }

  private mutating func send(_ index: Int) throws {
    let lane = lanes[index]
    let bytes = workload.batches[lane.batch]
    let wasPartial = lane.sent > 0
    while lanes[index].sent < bytes.count {
      let outcome = bytes.withUnsafeBytes { lane.socket.send(.init(rebasing: $0[lanes[index].sent...])) }
      switch outcome {
      case .bytes(let count): lanes[index].sent += count
      case .wouldBlock: return try poller.modify(lane.socket, token: UInt32(index), interest: [.readable, .writable])
      case .closed: throw BenchFailure.lost("the server hung up")
      case .failed(let error): throw error
      }
    }
    if wasPartial { try poller.modify(lane.socket, token: UInt32(index), interest: .readable) }
  }

  private mutating func receive(_ index: Int) throws {
    let socket = lanes[index].socket
    switch buffer.withUnsafeMutableBytes({ socket.read(into: $0) }) {
    case .bytes(let count):
      // A minus sign begins a failure, and occurs nowhere else in the expected replies.
      let seen = buffer.withUnsafeBytes { countLines(in: .init(rebasing: $0[..<count]), and: UInt8(ascii: "-")) }
      lanes[index].awaited -= seen.lines
      guard seen.others == 0, lanes[index].awaited >= 0 else {
        let text = String(decoding: buffer[..<min(count, 200)], as: UTF8.self)
        throw BenchFailure.wrongReply(to: "a batch", expected: "one success per request", got: text)
      }
    case .wouldBlock: break
    case .closed: throw BenchFailure.lost("the server hung up")
    case .failed(let error): throw error
    }
  }

  private mutating func listen() throws {
    guard let listener else { return }
    switch buffer.withUnsafeMutableBytes({ listener.socket.read(into: $0) }) {
    case .bytes(let count):
      // Likewise, an exclamation mark begins `! gap`.
      let seen = buffer.withUnsafeBytes { countLines(in: .init(rebasing: $0[..<count]), and: UInt8(ascii: "!")) }
      heard.lines += seen.lines
      heard.gaps += seen.others
    case .wouldBlock: break
    case .closed: throw BenchFailure.lost("the server hung up on the listener")
    case .failed(let error): throw error
    }
  }
}
