internal import LineProtocol
internal import UnixHost

/// A request of this program that asks the daemon some questions and makes files of the answers.
struct Errand {
  /// As the user wrote it.
  let text: String
  /// Its position in a script, for messages.
  let origin: String
  let questions: [String]
  /// Takes the lines of data of each question and returns the lines of the answer, in the daemon's form.
  let finish: ([[Line]]) -> [String]
  fileprivate var answers: [[Line]] = [[]]
  /// The first answer that was a failure: then no file is written.
  fileprivate var failure: String?

  init(_ text: String, origin: String, asking questions: [String], _ finish: @escaping ([[Line]]) -> [String]) {
    self.text = text
    self.origin = origin
    self.questions = questions
    self.finish = finish
  }

  /// A line of data.
  struct Line: Equatable {
    /// What stands in it, without class and tag.
    let text: String
    /// The line as an object.
    let json: String
  }
}

extension Client {
  /// Sends the questions of an errand.
  ///
  /// - Returns: What this program answers at once; nothing, since the answers come later.
  func begin(_ errand: Errand) -> [String] {
    guard !conversation.isCollecting else {
      return ["- \(FailureCode.usage.word) : a file cannot be written between 'begin' and 'end'"]
    }
    errands.append(errand)
    for question in errand.questions { ask(question, by: .errand, origin: errand.origin) }
    return []
  }

  /// Takes a line that answers a question of the first errand.
  ///
  /// - Returns: The answer of the errand, if this was its last line.
  func takeErrandLine(
    _ received: Conversation.Received, raw: RawLine
  ) -> [(received: Conversation.Received, raw: RawLine)] {
    guard var errand = errands.first else { return [] }
    errands.removeFirst()
    let line = received.line
    switch line.lineClass {
    case .data: errand.answers[errand.answers.count - 1].append(Self.errandLine(received, raw))
    case .success: errand.answers.append([])
    case .failure:
      errand.failure = errand.failure ?? (raw.text.hasPrefix("{") ? nil : received.withoutOurTag(raw).text)
      errand.failure = errand.failure ?? "- \(line.code) : \(line.note ?? "")"
      errand.answers.append([])
    case .notice, .flow: break
    }
    guard errand.answers.count > errand.questions.count else {
      errands.insert(errand, at: 0)
      return []
    }
    return localAnswer(
      errand.failure.map { [$0] } ?? errand.finish(errand.answers.dropLast()), to: errand.text, origin: errand.origin)
  }

  private static func errandLine(_ received: Conversation.Received, _ raw: RawLine) -> Errand.Line {
    if raw.text.hasPrefix("{") { return Errand.Line(text: received.line.note ?? "", json: raw.text) }
    let text = String(ServerLine.wholeText(of: raw.text, tag: received.asked?.tag))
    let isWhole = received.asked?.verb.map(Verb.wholeLines.contains) ?? false
    return Errand.Line(
      text: text,
      json: isWhole
        ? #"{"class":"data","text":\#(JSONWriter.quoted(text))}"# : JSONWriter.object(of: ". \(text)"))
  }
}

extension Verb {
  /// Verbs whose lines of data are text, not words.
  static let wholeLines: Set<Verb> = [.graph, .wave, .script]
}

/// `save FILE [replace]`: the present world as a script.
enum SaveCommand: Equatable {
  case save(String, replaces: Bool)
  case help
  case wrong(String)

  private static let verb = "save"
  private static let usage = "save FILE [replace]"

  /// The row of `help` for it, in the daemon's form.
  static let usageRows = [". \(usage) : writes the present world as a script, for 'fsmrepl run'"]

  /// - Returns: `nil` for another request.
  init?(_ text: String) {
    let request = RequestText(text)
    if request.verb == Verb.help.name, request.words == [Self.verb] {
      self = .help
      return
    }
    guard request.verb == Self.verb else { return nil }
    guard let line = ServerLine((["."] + request.words).joined(separator: " ")), line.fields.isEmpty,
      let file = line.words.first, line.words.dropFirst().allSatisfy({ $0 == "replace" }), line.words.count <= 2
    else {
      self = .wrong("save is used as '\(Self.usage)', with double quotes around a name with blanks or '='")
      return
    }
    self = .save(RecordCommand.path(file), replaces: line.words.count == 2)
  }

  /// Performs the command.
  ///
  /// - Returns: The lines of the answer, as far as they are known at once.
  func perform(on client: Client, _ text: String, origin: String) -> [String] {
    switch self {
    case .help: return Self.usageRows + [". example : save lesson.fsm", "+ \(Self.usageRows.count + 1)"]
    case .wrong(let text): return ["- \(FailureCode.usage.word) : \(text)"]
    case .save(let path, let replaces):
      return client.begin(
        Errand(text, origin: origin, asking: [Verb.script.name]) { answers in
          let lines = answers[0].map { "\($0.text)\n" }
          do throws(RegularFile.Problem) {
            try RegularFile.write(Array(lines.joined().utf8), to: path, replaces: replaces)
          } catch {
            return ["- \(FailureCode.badArgument.word) : \(path): \(error.text)"]
          }
          return ["+ saved \(Word.written(path)) lines=\(lines.count)"]
        })
    }
  }
}
