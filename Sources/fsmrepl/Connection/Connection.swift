internal import LineProtocol
internal import UnixHost

/// A connection to the daemon that sends and receives lines.
///
/// It never blocks: what cannot be sent at once is buffered until ``flush()`` is called again.
final class Connection {
  private(set) var descriptor: Descriptor
  private var inbound: InputBuffer
  private var outbound = ByteBuffer(capacity: 4 << 10)
  /// How many of its bytes are sent.
  private var sent = 0
  /// Goes on to other daemons; nil without `--hosts`.
  private var following: Following?
  /// Lines that have passed ``following`` and wait to be taken.
  private var passed: ArraySlice<RawLine> = []
  /// A connection to another daemon whose answers to our own requests are to come: how many.
  private var arrival: (target: Following.Target, left: Int)?
  /// How often it went on without an answer in between.
  private var hops = 0
  /// What is done after a pause, in which the daemons come to agree, and the host time at which it ends.
  private var next: (Step, at: UInt64)?

  private enum Step {
    case hop
    /// The daemon on this connection says where the world is by now.
    case askAgain
  }

  /// Longer than any line the daemon writes; a peer that sends more without a line end is not fsmd.
  private static let longestLine = 64 << 20
  private static let chunk = 64 << 10

  /// How often a request goes on at most, and how long the daemons have to agree in between, in nanoseconds. Together
  /// that is longer than the lease of a daemon that has ended.
  private static let maxHops = 60
  private static let pause: UInt64 = 200_000_000

  init(_ descriptor: Descriptor, hosts: HostsFile? = nil) {
    self.descriptor = descriptor
    following = hosts.map { Following($0) }
    inbound = InputBuffer(longestLine: Self.longestLine)
  }

  /// Whether anything waits to be sent.
  var wantsToWrite: Bool { backlog > 0 }

  /// Bytes that wait to be sent.
  var backlog: Int { outbound.count - sent }

  /// The host time at which ``flush()`` and ``nextLine()`` have something to do though nothing has arrived; nil if they
  /// have not.
  var due: UInt64? { passed.isEmpty ? next?.at : 0 }

  var isDue: Bool { due.map { HostClock.now() >= $0 } ?? false }

  /// Buffers bytes, which ``flush()`` sends.
  func buffer(_ bytes: UnsafeRawBufferPointer) {
    guard following != nil else { return outbound.append(bytes) }
    following?.send(bytes)
    if next != nil, following?.isCancelled == true {
      next = nil
      giveUp("it is not followed any more")
    }
  }

  private func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { outbound.append($0) } }

  func send(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { buffer($0) }
    flush()
  }

  /// Sends as much as fits. A broken connection shows up at the next read.
  func flush() {
    if let (step, time) = next, HostClock.now() >= time {
      next = nil
      switch step {
      case .hop: hop()
      case .askAgain: append(following?.resendHere() ?? [])
      }
    }
    if arrival == nil, let ready = following?.ready() { append(ready) }
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
    guard following != nil else { return nextReceived { RawLine(bytes: Array($0)) } }
    while true {
      if let line = passed.popFirst() { return line }
      guard let line = nextReceived({ RawLine(bytes: Array($0)) }) else { return nil }
      if arrival != nil {
        arrive(line)
      } else {
        let lines = following?.take(line) ?? [line]
        if !lines.isEmpty { hops = 0 }
        passed += lines
        goOn()
        flush()
      }
    }
  }

  /// Goes on to another daemon, if requests or watches have to. Not the first time at once: daemons may know old news, or
  /// one has just ended.
  private func goOn() {
    guard arrival == nil, next == nil, following?.target != nil else { return }
    if hops > 0 { next = (.hop, HostClock.now() + Self.pause) } else { hop() }
  }

  private func hop() {
    guard let following, let target = following.target else { return }
    guard let way = following.hosts[target.host] else {
      return giveUp("\(following.hosts.path) does not say where \(target.host) is, so it is not followed")
    }
    guard hops < Self.maxHops else { return giveUp("it was not found there") }
    hops += 1
    do throws(SocketFailure) {
      let other = try way.connect()
      descriptor.close()
      descriptor = other
    } catch {
      guard hops < Self.maxHops else { return giveUp("\(error)") }
      next = (.askAgain, HostClock.now() + Self.pause)
      return
    }
    inbound = InputBuffer(longestLine: Self.longestLine)
    let lines = following.introduction(to: target)
    arrival = (target, 1 + lines.count)
    outbound.removeAll()
    sent = 0
    append(Array(lines.joined(separator: "\n").utf8) + [0x0A])
    flush()
  }

  /// Takes the greeting of another daemon, or an answer to our own requests.
  private func arrive(_ raw: RawLine) {
    guard let (target, left) = arrival else { return }
    let line = raw.text.hasPrefix("{") ? ServerLine(json: raw.text) : ServerLine(raw.text)
    switch line?.lineClass {
    case .success, .failure: break
    case .notice, .flow, .data, nil: return passed.append(raw)
    }
    if line?.lineClass == .failure {
      arrival = nil
      if line?.code == FailureCode.moved.word, let host = line?["host"] {
        following?.redirect(to: Following.Target(world: target.world, host: host))
        return goOn()
      }
      return giveUp("\(target.host) says: \(raw.text)")
    }
    arrival = left > 1 ? (target, left - 1) : nil
    if left == 1 {
      append(following?.goOn(at: target) ?? [])
      flush()
    }
  }

  private func giveUp(_ reason: String) {
    passed += following?.giveUp(reason) ?? []
    flush()
  }

  /// The next complete line as text, for those who read very many.
  func nextText() -> String? {
    following == nil ? nextReceived { String(decoding: $0, as: UTF8.self) } : nextLine()?.text
  }

  private func nextReceived<Line>(_ make: (UnsafeMutableRawBufferPointer) -> Line) -> Line? {
    while true {
      switch inbound.nextLine() {
      case .line(let line): return make(line.bytes)
      case .tooLong: continue
      case .incomplete: return nil
      }
    }
  }

  func close() {
    descriptor.close()
  }
}
