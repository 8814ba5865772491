internal import LineProtocol

/// Requests that this program answers itself. Their answers have the daemon's form.
extension Client {
  /// Whether this program answers a request, or brings a file to it, and not the daemon alone.
  ///
  /// Such a line is performed when all before it are answered. Lines of a document are none.
  func isAnsweredHere(_ text: String) -> Bool {
    guard openDocument == nil, let verb = RequestText(text).verb, LocalVerb.words.contains(verb) else { return false }
    return DocumentCommand(text) != nil || answerer(to: text, origin: "") != nil
  }

  /// Answers a request for this program, or takes a line of a document.
  ///
  /// - Returns: Each line of the answer, parsed and raw; `nil` for a request to the daemon.
  func answerLocally(_ text: String, origin: String = "") -> [(received: Conversation.Received, raw: RawLine)]? {
    guard
      let lines = takeDocument(text, origin: origin) ?? answerer(to: text, origin: origin)?()
    else { return nil }
    return localAnswer(lines, to: text, origin: origin)
  }

  /// What makes the answer to a request of this program other than one about a document; `nil` for any other request.
  private func answerer(to text: String, origin: String) -> (() -> [String])? {
    if let page = LocalVerb.help(text, isAtPrompt: isAtPrompt) { return { page } }
    let request = RequestText(text)
    switch request.verb {
    case LocalVerb.save.name: return { [self] in save(request.plainWords, text, origin: origin) }
    case LocalVerb.export.name: return { [self] in export(request.plainWords, text, origin: origin) }
    case LocalVerb.record.name: return { [self] in record(request.plainWords) }
    case _: return misplaced(text).map { lines in { lines } }
    }
  }

  /// In a batch the daemon reports such a word, since it must not run the others.
  private func misplaced(_ text: String) -> [String]? {
    conversation.isCollecting ? nil : LocalVerb.misplaced(text, isAtPrompt: isAtPrompt)
  }

  /// Lines of this program as the answer to a request.
  func localAnswer(
    _ lines: [String], to text: String, origin: String = ""
  ) -> [(received: Conversation.Received, raw: RawLine)] {
    let asked = Conversation.Asked(text, origin: origin)
    return lines.compactMap { raw in
      guard let line = ServerLine(raw) else { return nil }
      return (
        Conversation.Received(line: line, asked: asked), RawLine(form == .json ? JSONWriter.object(of: raw) : raw)
      )
    }
  }
}
