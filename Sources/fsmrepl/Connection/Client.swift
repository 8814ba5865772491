internal import Glibc
internal import LineProtocol
internal import UnixHost

/// A connection with its conversation, used by both the prompt and scripts.
final class Client {
  /// A line from the daemon, classified.
  enum Arrival {
    /// The first line of a connection.
    case greeting(ServerLine)
    /// The first line was no greeting: the daemon is full, or the peer is not fsmd.
    case turnedAway(String)
    case line(Conversation.Received, raw: RawLine)
    /// A line of no known class; shown as it is.
    case unreadable(RawLine)
    /// A message from the recording.
    case note(String)
  }

  private enum State {
    case down
    case awaitingGreeting(Connection)
    case ready(Connection)
  }

  /// The version of the line protocol that this program uses.
  private static let protocolVersion = "1"

  let endpoint: Endpoint
  /// The form in which the daemon writes.
  let form: LineForm
  private(set) var conversation = Conversation()
  private var state = State.down
  /// The document between `define` and `enddefine`, while its lines are read.
  var openDocument: OpenDocument?
  /// Inquiries whose answers have not all come, oldest first.
  var inquiries: [Inquiry] = []
  /// Files that are loaded again when they are saved; only at a prompt.
  var followed: [FollowedDocument] = []
  /// Whether a person types the requests.
  var isAtPrompt = false
  /// The version that the daemon has reported.
  private(set) var daemonVersion = "?"
  /// The current recording, if any.
  private(set) var recording: Recording?

  init(endpoint: Endpoint, form: LineForm = .text) {
    self.endpoint = endpoint
    self.form = form
  }

  var connection: Connection? {
    switch state {
    case .down: nil
    case .awaitingGreeting(let connection), .ready(let connection): connection
    }
  }

  var isReady: Bool {
    if case .ready = state { true } else { false }
  }

  /// Connects; the greeting is not read yet.
  func open(note: (String) -> Void = { _ in }, isToStop: () -> Bool = { false }) throws(Endpoint.Failure) {
    state = .awaitingGreeting(try endpoint.connect(note: note, isToStop: isToStop))
  }

  /// Sends a request.
  ///
  /// - Parameters:
  ///   - document: The bytes after a `define` line, whose number is added to it.
  ///   - file: The file that the document is from, for messages.
  ///   - job: The number under which the prompt knows what to do with the answer.
  /// - Returns: `false` for a blank line or a comment, or without a connection.
  @discardableResult
  func ask(
    _ text: String, document: [UInt8]? = nil, by asker: Conversation.Asker = .user, origin: String = "",
    file: String? = nil, job: Int? = nil
  ) -> Bool {
    guard case .ready(let connection) = state else { return false }
    let asks = asker == .user ? recording?.note(text, document: document, isKept: conversation.isCollecting) : nil
    var bytes: [UInt8] = []
    func addQuestion() {
      if let line = conversation.ask(Recorder.question, by: .recorder) { bytes += "\(line)\n".utf8 }
    }
    if asks?.before == true { addQuestion() }
    guard let line = conversation.ask(text, by: asker, origin: origin, file: file, job: job) else { return false }
    bytes += "\(line)\(document.map { " bytes=\($0.count)" } ?? "")\n".utf8
    bytes += document ?? []
    if asks?.after == true { addQuestion() }
    // In one write, so that the daemon reads all of them together.
    connection.send(bytes)
    return true
  }

  /// Sends a `sync` if the last request may succeed without an answer.
  func askForSign() {
    if conversation.mayStaySilent { ask("sync", by: .program) }
  }

  /// Whether answers are still to come, so that a line that this program answers has to wait for its turn.
  ///
  /// Requests that may succeed without an answer get a `sync`, which has one.
  func awaitsAnswers() -> Bool {
    guard conversation.owesAnswers else { return false }
    if conversation.isQuiet, !conversation.isCollecting, !conversation.isAwaitingSign { ask("sync", by: .program) }
    return true
  }

  /// Reads one chunk of what has arrived, line by line.
  ///
  /// - Returns: Whether the connection continues; lines received before its end have been passed to `handle`.
  func receive(_ handle: (Arrival) -> Void) -> Connection.Reading {
    guard let connection else { return .ended }
    let reading = connection.receive()
    while let raw = connection.nextLine() {
      let arrival = sort(raw)
      if case .line(let received, _) = arrival, received.asked?.asker == .inquiry {
        for line in takeInquiryLine(received, raw: raw) { handle(.line(line.received, raw: line.raw)) }
        continue
      }
      if case .line(let received, _) = arrival, let note = recording?.take(received, raw: raw) { handle(.note(note)) }
      handle(arrival)
    }
    return reading
  }

  /// How waiting has ended.
  enum Waiting {
    case done, late
    /// The daemon has closed the connection.
    case ended
    /// One of those that end a program.
    case signal(Int32)
  }

  /// Reads what arrives until `isDone`.
  func wait(
    listeningTo signals: SignalQueue, until deadline: UInt64, isDone: () -> Bool, _ take: (Arrival) -> Void = { _ in }
  ) -> Waiting {
    while !isDone() {
      guard let connection else { return .ended }
      let readiness = Readiness([.init(descriptor: signals.descriptor)], and: connection, until: deadline)
      while let number = signals.next() { if Dialogue.signals.contains(number) { return .signal(number) } }
      if readiness.hasLines {
        if receive(take) == .ended, !isDone() { return .ended }
      } else if HostClock.now() >= deadline {
        return .late
      }
    }
    return .done
  }

  /// Closes the connection.
  ///
  /// - Returns: The user's requests that will not be answered.
  func close() -> [Conversation.Asked] {
    recording?.end()
    connection?.close()
    openDocument = nil
    inquiries = []
    state = .down
    return conversation.disconnect()
  }

  /// Closes the connection, ends a daemon of our own, and lets a signal end the process.
  func endProcess(by signal: Int32) -> Never {
    _ = close()
    endpoint.close()
    SignalQueue.endProcess(by: signal)
  }

  /// Ends the process after a write to standard output that failed: by SIGPIPE, as other programs in a pipe end, if its
  /// reader is gone, and otherwise with a message.
  ///
  /// - Parameter error: Why it failed.
  func endProcess(withoutOutput error: SystemError) -> Never {
    if error.code == EPIPE { endProcess(by: SIGPIPE) }
    Program.complainOfOutput(error)
    _ = close()
    endpoint.close()
    exit(ExitCode.usage.rawValue)
  }

  /// Starts recording.
  func record(_ recording: Recording) {
    self.recording = recording
    recording.begin(watches: conversation.watchesHere, isQuiet: conversation.isQuiet)
    for question in Recorder.questions { ask(question, by: .recorder) }
  }

  /// Ends the recording.
  ///
  /// - Returns: The recording that has ended; `nil` if there was none.
  func endRecording() -> Recording? {
    recording?.end()
    defer { recording = nil }
    return recording
  }

  /// Takes note of the number of an input that was seen in the journal of the world in use.
  func note(sequence: UInt64) {
    conversation.note(sequence: sequence)
  }

  /// Forgets a world that cannot be restored.
  func forget(world: String) {
    conversation.forget(world: world)
  }

  private func sort(_ raw: RawLine) -> Arrival {
    // `mode json` makes the daemon write objects, also at a prompt that started in text mode.
    let line = raw.text.hasPrefix("{") ? ServerLine(json: raw.text) : ServerLine(raw.text)
    guard case .awaitingGreeting(let connection) = state else {
      // Lines of a diagram are not protocol lines.
      return (line ?? ServerLine(whole: raw.text)).map { .line(conversation.receive($0), raw: raw) } ?? .unreadable(raw)
    }
    guard let line else { return .turnedAway("not an fsmd: \(raw.text)") }
    switch line.lineClass {
    case .success where line.code == "fsmd":
      guard line["protocol"] == Self.protocolVersion else {
        return .turnedAway("it speaks protocol \(line["protocol"] ?? "?"), this program \(Self.protocolVersion)")
      }
      state = .ready(connection)
      return .greeting(line)
    case .failure, .flow:
      return .turnedAway(raw.text)
    case .success, .data, .notice:
      return .turnedAway("not an fsmd: \(raw.text)")
    }
  }

  /// Starts the conversation in the world that the greeting names, and sets the form.
  func begin(with greeting: ServerLine) {
    conversation.begin(with: greeting)
    daemonVersion = greeting["version"] ?? "?"
    switch form {
    case .text: break
    case .json: ask("mode \(form.rawValue)", by: .program)
    }
  }
}
