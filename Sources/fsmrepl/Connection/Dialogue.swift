internal import Glibc
internal import LineProtocol
internal import UnixHost

/// A connection whose answers are waited for: many requests in one write, lines parsed in place, up to a deadline.
final class Dialogue {
  /// Why no answer comes.
  enum Stop: Error, Equatable {
    /// The daemon has closed the connection, is gone, or takes too long.
    case lost
    case signal(Int32)
    /// The report on the answers cannot be written.
    case unwritable(SystemError)
  }

  /// The signals that end waiting.
  static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

  /// An answer to a request.
  struct Answer {
    /// Its lines of data, as received.
    let rows: [String]
    /// The line that ends it, parsed and as received.
    let last: ServerLine
    let raw: String

    /// The lines of data as lines of the protocol; those of a diagram are none.
    var lines: [ServerLine] { rows.compactMap { ServerLine($0) } }
  }

  private let connection: Connection
  /// `nil` beside a prompt, which reads the signals itself.
  private let signals: SignalQueue?
  /// Lines that were received and not taken yet.
  private var lines: ArraySlice<String> = []
  private var isLost = false
  /// Whether a signal has ended what it was for, so that others only leave.
  private var isStopped = false
  /// The requests of ``ask(_:)`` whose answers have not come, or the greeting.
  private var unanswered = 0
  /// The host time at which waiting ends, in nanoseconds; `nil` waits without limit.
  var deadline: UInt64?
  /// The world in use.
  private(set) var world = "main"

  init(connection: Connection, signals: SignalQueue?) {
    self.connection = connection
    self.signals = signals
  }

  /// A connection beside the user's, or for a worker.
  ///
  /// - Parameter isOwn: Whether the endpoint starts a daemon for it.
  /// - Returns: `nil` if there is no daemon, or it lets nobody in.
  convenience init?(
    to endpoint: Endpoint, starting isOwn: Bool = false, signals: SignalQueue? = nil, until deadline: UInt64? = nil
  ) {
    guard let connection = try? isOwn ? endpoint.connect() : endpoint.connectAgain() else { return nil }
    self.init(connection: connection, signals: signals)
    self.deadline = deadline
    unanswered = 1
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

  // MARK: Lines

  /// Bytes that wait to be sent.
  var backlog: Int { connection.backlog }

  /// Buffers bytes; they are sent by ``receive(until:_:)``.
  func send(_ bytes: UnsafeRawBufferPointer) { connection.buffer(bytes) }

  func send(_ text: String) {
    var text = text
    text.withUTF8 { connection.buffer(UnsafeRawBufferPointer($0)) }
  }

  /// Sends what fits, waits for input, for room to send or for the deadline, and passes each received line to `take`.
  /// The last lines of a daemon that is gone are passed too.
  ///
  /// - Throws: ``Stop/lost`` also where the deadline of the dialogue has passed.
  func receive(until deadline: UInt64? = nil, _ take: (String) -> Void) throws(Stop) {
    if !lines.isEmpty {
      while let line = lines.popFirst() { take(line) }
      return
    }
    if let limit = self.deadline, HostClock.now() >= limit { throw .lost }
    connection.flush()
    let readiness = Readiness(
      isStopped ? [] : signals.map { [.init(descriptor: $0.descriptor)] } ?? [], and: connection,
      until: [deadline, self.deadline].compactMap(\.self).min())
    let signal = nextSignal()
    if signal == nil { isLost = readiness.hasLines && connection.receive() == .ended }
    while let line = connection.nextText() { take(line) }
    if let signal { throw .signal(signal) }
    if isLost { throw .lost }
  }

  /// The lines up to the first that `isLast` picks, which is the last of them.
  func lines(upTo isLast: (String) -> Bool) throws(Stop) -> [String] {
    var known = ArraySlice<String>()
    swap(&known, &lines)
    var place = known.startIndex
    while true {
      while place < known.endIndex {
        place += 1
        guard isLast(known[place - 1]) else { continue }
        lines = known[place...]
        return Array(known[..<place])
      }
      do throws(Stop) { try receive { known.append($0) } } catch {
        lines = known
        throw error
      }
    }
  }

  /// The next signal of those that end a script. Ctrl-Z stops the process; others are for prompts.
  private func nextSignal() -> Int32? {
    guard !isStopped else { return nil }
    while let number = signals?.next() {
      if Self.signals.contains(number) {
        isStopped = true
        return number
      }
      if number == SIGTSTP { kill(getpid(), SIGSTOP) }
    }
    return nil
  }

  // MARK: Answers

  /// The next answer.
  ///
  /// - Parameter take: Gets the lines that arrive with it and answer nothing.
  func answer(beside take: (String) -> Void = { _ in }) throws(Stop) -> Answer {
    func pass(_ line: String) {
      if line.lineClass == .flow, let flow = ServerLine(line), flow.code == "world", flow["dropped"] == world {
        world = "main"
      }
      take(line)
    }
    var rows: [String] = []
    let lines = try lines { $0.lineClass == .success || $0.lineClass == .failure }
    for line in lines.dropLast() { if line.lineClass == .data { rows.append(line) } else { pass(line) } }
    while let next = self.lines.first, next.lineClass == .notice || next.lineClass == .flow {
      self.lines.removeFirst()
      pass(next)
    }
    let raw = lines.last ?? ""
    return Answer(rows: rows, last: ServerLine(last: raw), raw: raw)
  }

  /// Sends a request when no other is unanswered, and waits for its answer.
  func answer(to request: String, beside take: (String) -> Void = { _ in }) throws(Stop) -> Answer {
    send("\(request)\n")
    return try answer(beside: take)
  }

  /// Sends a request.
  ///
  /// - Returns: The lines of its answer, the final one last; `nil` if there is none in time.
  func ask(_ request: String) -> [ServerLine]? { ask([request])[0] }

  /// Sends a request, and cancels it if it is not answered within so many nanoseconds. Then the deadline is as far off
  /// as it was.
  func ask(_ request: String, within span: UInt64) -> [ServerLine]? {
    let start = HostClock.now()
    let patience = deadline.map { max($0, start) - start }
    deadline = start + span
    let answer = ask(request)
    deadline = patience.map { HostClock.now() + $0 }
    if answer == nil { _ = ask(Verb.cancel.name) }
    return answer
  }

  /// Sends all requests at once and reads the answers in order.
  func ask(_ requests: [String]) -> [[ServerLine]?] {
    guard !isLost else { return requests.map { _ in nil } }
    for request in requests { send("\(request)\n") }
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
    while unanswered > rest, let answer = try? answer() {
      unanswered -= 1
      if unanswered == rest { return answer.lines + [answer.last] }
    }
    return nil
  }
}

extension String {
  /// The class of a line from the daemon; `nil` for an object.
  var lineClass: LineClass? { utf8.first.flatMap(LineClass.init) }
}

extension ServerLine {
  /// A line that ends an answer; one that cannot be read is a failure without a code.
  init(last text: String) {
    self =
      ServerLine(text) ?? ServerLine(lineClass: .failure, tag: nil, words: [], fields: [], note: text)
  }
}
