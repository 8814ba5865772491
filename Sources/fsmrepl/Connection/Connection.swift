internal import LineProtocol
internal import UnixHost

/// A connection to the daemon: lines out, lines in.
///
/// It never waits: what cannot be sent at once is kept until the loop says that there is room.
final class Connection {
  let descriptor: Descriptor
  private var inbound: InputBuffer
  private var outbound: [UInt8] = []

  /// Longer than any line the daemon writes; a peer that sends more without a line's end is no fsmd.
  private static let longestLine = 64 << 20
  private static let chunk = 64 << 10

  init(_ descriptor: Descriptor) {
    self.descriptor = descriptor
    inbound = InputBuffer(longestLine: Self.longestLine)
  }

  /// Whether something waits to be sent.
  var wantsToWrite: Bool { !outbound.isEmpty }

  /// How much waits to be sent, in bytes.
  var backlog: Int { outbound.count }

  func send(_ line: String) {
    outbound += line.utf8
    outbound.append(0x0A)
    flush()
  }

  /// Sends as much as fits. A broken connection shows when it is read.
  func flush() {
    while !outbound.isEmpty {
      guard case .bytes(let count) = outbound.withUnsafeBytes({ descriptor.send($0) }) else { return }
      outbound.removeFirst(count)
    }
  }

  enum Reading: Equatable {
    /// There may be lines; nothing more has arrived for now.
    case open
    /// The daemon has closed, after what it sent before.
    case ended
  }

  /// Reads one portion of what has arrived.
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
    while true {
      switch inbound.nextLine() {
      case .line(let line): return RawLine(bytes: Array(line.bytes))
      case .tooLong: continue
      case .incomplete: return nil
      }
    }
  }

  /// Hands the next complete line over where it stands, without its end; the bytes may be rewritten in place.
  ///
  /// - Returns: False if none is complete.
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
