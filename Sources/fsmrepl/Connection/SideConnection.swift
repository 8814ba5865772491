internal import LineProtocol
internal import UnixHost

/// A connection beside the user's, for questions of this program whose answers it waits for.
///
/// What is not answered up to ``deadline`` gets no answer.
final class SideConnection {
  private let connection: Connection
  /// The host time at which waiting ends, in nanoseconds.
  var deadline: UInt64
  /// The world in use.
  private(set) var world = "main"
  private var isLost = false
  /// The requests whose answers have not come.
  private var unanswered = 1  // The greeting.

  /// - Returns: `nil` if the daemon lets nobody in.
  init?(to endpoint: Endpoint, until deadline: UInt64) {
    guard let connection = try? endpoint.connectAgain() else { return nil }
    self.connection = connection
    self.deadline = deadline
    guard let greeting = reply(leaving: 0)?.last, greeting.lineClass == .success else {
      connection.close()
      return nil
    }
    world = greeting["world"] ?? world
  }

  /// Waits for the answers that have not come, so that what was sent is done, and closes.
  func close(until deadline: UInt64) {
    self.deadline = deadline
    if unanswered > 0, !isLost { _ = reply(leaving: 0) }
    close()
  }

  func close() { connection.close() }

  /// Sends a request.
  ///
  /// - Returns: The lines of its answer, the final one last; `nil` if there is none in time.
  func ask(_ request: String) -> [ServerLine]? { ask([request])[0] }

  /// Sends a request, and cancels it if it is not answered within so many nanoseconds. Then the deadline is as far off
  /// as it was.
  func ask(_ request: String, within span: UInt64) -> [ServerLine]? {
    let start = HostClock.now()
    let patience = max(deadline, start) - start
    deadline = start + span
    let answer = ask(request)
    deadline = HostClock.now() + patience
    if answer == nil { _ = ask(Verb.cancel.name) }
    return answer
  }

  /// Sends all requests at once and reads the answers in order.
  func ask(_ requests: [String]) -> [[ServerLine]?] {
    guard !isLost else { return requests.map { _ in nil } }
    for request in requests { connection.send(request) }
    unanswered += requests.count
    return requests.indices.map { reply(leaving: requests.count - 1 - $0) }
  }

  /// Goes to a world.
  ///
  /// - Returns: False if there is no such world, or no answer.
  func use(_ world: String) -> Bool {
    guard world != self.world else { return true }
    guard ask("use \(world)")?.last?.lineClass == .success else { return false }
    self.world = world
    return true
  }

  /// The answer that leaves `rest` requests unanswered. Late answers to earlier requests are skipped.
  private func reply(leaving rest: Int) -> [ServerLine]? {
    var lines: [ServerLine] = []
    while unanswered > rest {
      while let raw = connection.nextLine() {
        guard let line = ServerLine(raw.text) else { continue }
        switch line.lineClass {
        case .data: lines.append(line)
        case .success, .failure:
          unanswered -= 1
          if unanswered == rest { return lines + [line] }
          lines = []
        case .flow where line.code == "world" && line["dropped"] == world: world = "main"
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
    return nil
  }
}
