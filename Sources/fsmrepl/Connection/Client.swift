internal import LineProtocol
internal import UnixHost

/// The connection with the conversation on it: what both the prompt and a script drive.
final class Client {
  /// A line from the daemon, sorted.
  enum Arrival {
    /// The first line of a connection.
    case greeting(ServerLine)
    /// The first line was no greeting: no room, or no fsmd at all.
    case turnedAway(String)
    case line(Conversation.Received, raw: RawLine)
    /// A line of no known class; shown as it is.
    case unreadable(RawLine)
    /// What the recording has to say.
    case note(String)
  }

  private enum State {
    case down
    case awaitingGreeting(Connection)
    case ready(Connection)
  }

  /// The version of the line protocol that is spoken here.
  private static let protocolVersion = "1"

  let endpoint: Endpoint
  /// In which form the daemon is to write.
  let form: LineForm
  private(set) var conversation = Conversation()
  private var state = State.down
  /// What is being written down, if anything.
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

  /// Connects; the greeting is still to come.
  func open(note: (String) -> Void = { _ in }, isToStop: () -> Bool = { false }) throws(Endpoint.Failure) {
    state = .awaitingGreeting(try endpoint.connect(note: note, isToStop: isToStop))
  }

  /// Sends a request.
  ///
  /// - Returns: `false` for a blank line or a comment, or without a connection.
  @discardableResult
  func ask(_ text: String, by asker: Conversation.Asker = .user, origin: String = "") -> Bool {
    guard case .ready(let connection) = state else { return false }
    let asks = asker == .user ? recording?.note(text, isKept: conversation.isCollecting) : nil
    var lines: [String] = []
    if asks?.before == true { lines += conversation.ask(Recorder.question, by: .recorder).map { [$0] } ?? [] }
    guard let line = conversation.ask(text, by: asker, origin: origin) else { return false }
    lines.append(line)
    if asks?.behind == true { lines += conversation.ask(Recorder.question, by: .recorder).map { [$0] } ?? [] }
    // In one write, so that all are read together.
    connection.send(lines.joined(separator: "\n"))
    return true
  }

  /// Asks for a sign when all before it has been answered, if the last request may be answered by silence.
  func askForSign() {
    if conversation.mayStaySilent { ask("sync", by: .program) }
  }

  /// Takes in one portion of what has arrived, line by line.
  ///
  /// - Returns: Whether the connection goes on; what arrived before its end has been handed over all the same.
  func receive(_ handle: (Arrival) -> Void) -> Connection.Reading {
    guard let connection else { return .ended }
    let reading = connection.receive()
    while let raw = connection.nextLine() {
      let arrival = sort(raw)
      if case .line(let received, _) = arrival, let note = recording?.take(received, raw: raw) { handle(.note(note)) }
      handle(arrival)
    }
    return reading
  }

  /// Closes the connection.
  ///
  /// - Returns: What the user asked and will not be answered.
  func close() -> [Conversation.Asked] {
    recording?.end()
    connection?.close()
    state = .down
    return conversation.disconnect()
  }

  /// Begins to write down what follows.
  func record(_ recording: Recording) {
    self.recording = recording
    recording.begin(watches: conversation.watchesHere, isQuiet: conversation.isQuiet)
    for question in Recorder.questions { ask(question, by: .recorder) }
  }

  /// Ends the recording.
  ///
  /// - Returns: The one that has ended; `nil` if there was none.
  func endRecording() -> Recording? {
    recording?.end()
    defer { recording = nil }
    return recording
  }

  /// Drops what cannot be restored.
  func forget(world: String) {
    conversation.forget(world: world)
  }

  private func sort(_ raw: RawLine) -> Arrival {
    // Whoever asks for it gets objects, also at a prompt that did not begin so.
    let line = raw.text.hasPrefix("{") ? ServerLine(json: raw.text) : ServerLine(raw.text)
    guard case .awaitingGreeting(let connection) = state else {
      // The lines of a diagram have rules of their own.
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

  /// Begins the conversation anew where the greeting says, in the form that is wanted.
  func begin(with greeting: ServerLine) {
    conversation.begin(with: greeting)
    switch form {
    case .text: break
    case .json: ask("mode json", by: .program)
    }
  }
}
