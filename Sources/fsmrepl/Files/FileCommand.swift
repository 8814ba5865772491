internal import LineProtocol
internal import UnixHost

/// Requests of this program that write what the daemon tells into files: `save FILE [replace]` and `export NAME FOLDER`.
enum FileCommand: Equatable {
  /// The present world as a script.
  case save(String, replaces: Bool)
  /// A machine with its past in a folder, to be looked at without a daemon.
  case export(String, folder: String)
  case help(Int)
  case wrong(String)

  private static let commands = [
    (
      verb: "save", usage: "save FILE [replace]", summary: "writes the present world as a script, for 'fsmrepl run'",
      example: "save lesson.fsm"
    ),
    (
      verb: "export", usage: "export NAME FOLDER",
      summary: "writes a machine with its diagram, its past and a page that replays it", example: "export key lesson"
    ),
  ]

  /// The rows of `help` for them, in the daemon's form.
  static let usageRows = commands.map { ". \($0.usage) : \($0.summary)" }

  /// - Returns: `nil` for another request.
  init?(_ text: String) {
    let request = RequestText(text)
    if request.verb == Verb.help.name {
      guard let place = Self.commands.firstIndex(where: { [$0.verb] == request.words }) else { return nil }
      self = .help(place)
      return
    }
    guard let command = Self.commands.first(where: { $0.verb == request.verb }) else { return nil }
    let line = ServerLine((["."] + request.words).joined(separator: " "))
    let words = line?.fields.isEmpty == true ? line?.words ?? [] : []
    switch (command.verb, words.count) {
    case ("save", 1): self = .save(RecordCommand.path(words[0]), replaces: false)
    case ("save", 2) where words[1] == "replace": self = .save(RecordCommand.path(words[0]), replaces: true)
    case ("export", 2): self = .export(words[0], folder: RecordCommand.path(words[1]))
    case _:
      self = .wrong(
        "\(command.verb) is used as '\(command.usage)', with double quotes around a name with blanks or '='")
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
    case .help(let place):
      let command = Self.commands[place]
      return [Self.usageRows[place], ". example : \(command.example)", "+ 2"]
    case .wrong(let text): return ["- \(FailureCode.usage.word) : \(text)"]
    case .save(let path, let replaces):
      return client.begin(
        Errand(text, origin: origin, asking: [Verb.script.name]) { answers in
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
      return client.begin(ReplayExport.errand(text, origin: origin, name, folder))
    }
  }
}
