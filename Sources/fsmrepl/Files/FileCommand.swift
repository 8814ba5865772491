internal import LineProtocol
internal import UnixHost

/// Requests of this program that write answers into files: `save FILE [replace]` and `export NAME FOLDER`.
enum FileCommand: Equatable {
  /// The present world as a script.
  case save(String, replaces: Bool)
  /// A machine with its past in a folder, to be looked at without a daemon.
  case export(String, folder: String)
  case wrong(String)

  /// - Returns: `nil` for another request.
  init?(_ text: String) {
    let request = RequestText(text)
    let words = request.plainWords ?? []
    switch (request.verb, words.count) {
    case (LocalVerb.save.name, 1): self = .save(LocalVerb.path(words[0]), replaces: false)
    case (LocalVerb.save.name, 2) where words[1] == "replace": self = .save(LocalVerb.path(words[0]), replaces: true)
    case (LocalVerb.save.name, _): self = .wrong(LocalVerb.save.misuse)
    case (LocalVerb.export.name, 2): self = .export(words[0], folder: LocalVerb.path(words[1]))
    case (LocalVerb.export.name, _): self = .wrong(LocalVerb.export.misuse)
    case _: return nil
    }
  }

  /// Performs the command.
  ///
  /// - Parameters:
  ///   - text: The request as written.
  ///   - origin: Its position in a script, for messages.
  /// - Returns: The lines of the answer that are known at once.
  func perform(on client: Client, _ text: String, origin: String) -> [String] {
    switch self {
    case .wrong(let answer): return [answer]
    case .save(let path, let replaces):
      return client.begin(
        Inquiry(text, origin: origin, asking: [Verb.script.name]) { answers in
          if let failure = answers[0].failure { return .end([failure]) }
          let lines = answers[0].texts
          do throws(RegularFile.Problem) {
            try RegularFile.write(lines.map { "\($0)\n" }.joined(), to: path, replaces: replaces)
          } catch {
            return .end(["- \(FailureCode.badArgument.word) : \(path): \(error.text)"])
          }
          return .end(["+ saved \(Word.written(path)) lines=\(lines.count)"])
        })
    case .export(let name, let folder):
      return client.begin(ReplayExport.inquiry(text, origin: origin, name, folder))
    }
  }
}
