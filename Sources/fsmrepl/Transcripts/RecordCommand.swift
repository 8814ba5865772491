internal import LineProtocol

/// The `record` request, which this program answers itself.
enum RecordCommand: Equatable {
  case start(String, replaces: Bool)
  case stop
  case show
  case wrong(String)

  /// - Returns: `nil` for a request to the daemon.
  init?(_ text: String) {
    let request = RequestText(text)
    guard request.verb == LocalVerb.record.name else { return nil }
    guard let words = request.plainWords else {
      self = .wrong(LocalVerb.record.misuse)
      return
    }
    switch (words.count, words.last) {
    case (0, _): self = .show
    case (1, "off"): self = .stop
    case (1, _): self = .start(LocalVerb.path(words[0]), replaces: false)
    case (2, "replace"): self = .start(LocalVerb.path(words[0]), replaces: true)
    case _: self = .wrong(LocalVerb.record.misuse)
    }
  }

  /// Performs the command.
  ///
  /// - Returns: The lines of the answer.
  func perform(on client: Client) -> [String] {
    switch self {
    case .wrong(let answer): return [answer]
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
}
