internal import LineProtocol
internal import UnixHost

/// The `record` request, which this program answers itself.
///
/// Its answers have the daemon's format, so that scripts need not treat it differently.
enum RecordCommand: Equatable {
  case start(String, replaces: Bool)
  case stop
  case show
  case help
  case wrong(String)

  private static let verb = "record"
  private static let usages = [
    ("record [FILE] [replace]", "writes what follows as a transcript for 'fsmrepl check'; says whether it does"),
    ("record off", "ends that"),
  ]

  /// The rows of `help` for it, in the daemon's form.
  static let usageRows = usages.map { ". \($0.0) : \($0.1)" }

  /// - Returns: `nil` for a request to the daemon.
  init?(_ text: String) {
    let request = RequestText(text)
    if request.verb == Verb.help.name, request.words == [Self.verb] {
      self = .help
      return
    }
    guard request.verb == Self.verb else { return nil }
    // Words are split and quoted as in every request.
    guard let line = ServerLine(([". "] + request.words).joined(separator: " ")), line.fields.isEmpty else {
      self = .wrong("a file name is one word; a name with blanks or '=' must be quoted")
      return
    }
    switch (line.words.count, line.words.last) {
    case (0, _): self = .show
    case (1, "off"): self = .stop
    case (1, _): self = .start(Self.path(line.words[0]), replaces: false)
    case (2, "replace"): self = .start(Self.path(line.words[0]), replaces: true)
    case _: self = .wrong("record is used as \(Self.usages.map { "'\($0.0)'" }.joined(separator: " or "))")
    }
  }

  /// Performs the command.
  ///
  /// - Returns: The lines of the answer.
  func perform(on client: Client) -> [String] {
    switch self {
    case .help:
      return Self.usageRows + [". example : record tour.transcript", "+ \(Self.usageRows.count + 1)"]
    case .wrong(let text):
      return [Self.failure(.usage, text)]
    case .show:
      guard let recording = client.recording else { return ["+ off"] }
      return ["+ recording \(Word.written(recording.path)) requests=\(recording.count)"]
    case .stop:
      guard let ended = client.endRecording() else { return [Self.failure(.usage, "nothing is being recorded")] }
      return ["+ recorded \(Word.written(ended.path)) requests=\(ended.count)"]
    case .start(let path, let replaces):
      if let recording = client.recording {
        return [Self.failure(.usage, "\(recording.path) is being recorded; 'record off' ends it")]
      }
      guard !client.conversation.isCollecting else {
        return [Self.failure(.usage, "'record' cannot stand between 'begin' and 'end'")]
      }
      do throws(Recording.Failure) {
        client.record(try Recording(path, replaces: replaces))
        return ["+ recording \(Word.written(path))"]
      } catch {
        return [Self.failure(.badArgument, "\(error)")]
      }
    }
  }

  private static func failure(_ code: FailureCode, _ text: String) -> String { "- \(code.word) : \(text)" }

  /// Expands `~`, which no shell has done here.
  static func path(_ word: String) -> String {
    guard word.hasPrefix("~/"), let home = SocketPath.variable("HOME") else { return word }
    return home + word.dropFirst()
  }
}
