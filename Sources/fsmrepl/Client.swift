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
    case line(Conversation.Received, raw: String)
    /// A line of no known class; shown as it is.
    case unreadable(String)
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
    guard case .ready(let connection) = state, let line = conversation.ask(text, by: asker, origin: origin) else {
      return false
    }
    connection.send(line)
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
    while let raw = connection.nextLine() { handle(sort(raw)) }
    return reading
  }

  /// Closes the connection.
  ///
  /// - Returns: What the user asked and will not be answered.
  func close() -> [Conversation.Asked] {
    connection?.close()
    state = .down
    return conversation.disconnect()
  }

  /// Drops what cannot be restored.
  func forget(world: String) {
    conversation.forget(world: world)
  }

  private func sort(_ raw: String) -> Arrival {
    // Whoever asks for it gets objects, also at a prompt that did not begin so.
    let line = raw.hasPrefix("{") ? ServerLine(json: raw) : ServerLine(raw)
    guard case .awaitingGreeting(let connection) = state else {
      // The lines of a diagram have rules of their own.
      return (line ?? ServerLine(whole: raw)).map { .line(conversation.receive($0), raw: raw) } ?? .unreadable(raw)
    }
    guard let line else { return .turnedAway("not an fsmd: \(raw)") }
    switch line.lineClass {
    case .success where line.code == "fsmd":
      guard line["protocol"] == Self.protocolVersion else {
        return .turnedAway("it speaks protocol \(line["protocol"] ?? "?"), this program \(Self.protocolVersion)")
      }
      state = .ready(connection)
      return .greeting(line)
    case .failure, .flow:
      return .turnedAway(raw)
    case .success, .data, .notice:
      return .turnedAway("not an fsmd: \(raw)")
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
