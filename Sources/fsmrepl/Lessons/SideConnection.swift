internal import LineProtocol
internal import UnixHost

/// A connection beside the user's, for questions that are answered one after another while the prompt waits.
///
/// All of them together have some time; what takes longer gets no answer.
final class SideConnection {
  private let connection: Connection
  private var deadline: UInt64
  private var isLost = false
  /// The requests whose answers have not come.
  private var unanswered = 1  // The greeting.

  /// - Parameters:
  ///   - patience: For everything, in nanoseconds.
  /// - Returns: `nil` if the daemon lets nobody in.
  init?(to endpoint: Endpoint, patience: UInt64) {
    guard let connection = try? endpoint.connectAgain() else { return nil }
    self.connection = connection
    deadline = HostClock.now() + patience
    guard reply()?.last?.lineClass == .success else {
      connection.close()
      return nil
    }
  }

  /// Waits for the answers that have not come, so that what was sent is done, and closes.
  ///
  /// - Parameter patience: At most so long, in nanoseconds.
  func close(patience: UInt64) {
    deadline = HostClock.now() + patience
    if unanswered > 0, !isLost { _ = reply() }
    connection.close()
  }

  /// Sends a request.
  ///
  /// - Returns: The lines of its answer, the final one last; `nil` if there is none in time.
  func ask(_ request: String) -> [ServerLine]? {
    guard !isLost else { return nil }
    connection.send(request)
    unanswered += 1
    return reply()
  }

  /// The answer to the last request. Those to earlier ones, which came too late, are passed over.
  private func reply() -> [ServerLine]? {
    var lines: [ServerLine] = []
    while true {
      while let raw = connection.nextLine() {
        guard let line = ServerLine(raw.text) else { continue }
        switch line.lineClass {
        case .data: lines.append(line)
        case .success, .failure:
          unanswered -= 1
          if unanswered == 0 { return lines + [line] }
          lines = []
        case .flow, .notice: break
        }
      }
      let readiness = Readiness(
        [.init(descriptor: connection.descriptor, writes: connection.wantsToWrite)], until: deadline)
      if readiness.canWrite(connection.descriptor) { connection.flush() }
      if readiness.canRead(connection.descriptor) {
        guard connection.receive() == .open else {
          isLost = true
          return nil
        }
      } else if HostClock.now() >= deadline {
        return nil
      }
    }
  }
}
