internal import LineProtocol
internal import Scripts
internal import UnixHost

/// A verb of this program, which the daemon does not know.
///
/// The answers of verbs that scripts have, too, have the daemon's form, so that scripts treat them alike.
struct LocalVerb {
  let name: String
  /// What may follow it, and what that does.
  private let forms: [(words: String, summary: String)]
  private let example: String
  /// What its words have to be like.
  private var hint = ""
  /// Whether it is for somebody at a prompt, and for no script.
  var isForPeople: Bool { PromptWords.all.contains(name) || ScriptTime(name) != nil }

  static let load = LocalVerb(
    name: "load",
    forms: [
      (
        "FILE [as KIND] [strict] [follow [anew]]",
        "a kind from a statechart in SCXML (.scxml), Mermaid (.mmd), PlantUML (.puml) or XState (.json), or a diagram of a "
          + "page (README.md#2); with strict in the formal notation alone, "
          + "with follow again whenever the file is saved, up to the next load of it; with follow anew its machines are also "
          + "made again"
      )
    ], example: "load lamp.mmd", hint: quotedFile)
  /// A verb of the daemon, which counts the bytes of a document; here its lines follow.
  static let define = LocalVerb(
    name: Verb.define.name,
    forms: [
      (
        "KIND [resource=PATH] format=scxml|mermaid|plantuml|xstate",
        "a kind from a document: its lines follow, up to '\(DocumentSource.end)'; or a file that a document refers to"
      )
    ], example: "define lamp format=mermaid")
  static let save = LocalVerb(
    name: "save", forms: [("FILE [replace]", "writes the present world as a script, for 'fsmrepl run'")],
    example: "save lesson.fsm", hint: quotedFile)
  static let export = LocalVerb(
    name: "export",
    forms: [("NAME FOLDER", "writes a machine with its diagram, its past and a page that replays it")],
    example: "export key lesson", hint: quotedFile)
  static let record = LocalVerb(
    name: "record",
    forms: [
      (
        "[FILE] [replace]",
        "writes the session from now on as a transcript for 'fsmrepl check'; without FILE, says whether it does"
      ),
      ("off", "ends that"),
    ], example: "record tour.transcript", hint: quotedFile)
  static let quiz = LocalVerb(
    name: "quiz", forms: [("NAME", "asks what the next inputs of a machine will do, and says why")],
    example: "quiz key", hint: oneMachine)
  static let cover = LocalVerb(
    name: "cover", forms: [("NAME", "shows after each request which transitions are still untried; 'q' ends it")],
    example: "cover key", hint: oneMachine)
  static let run = LocalVerb(
    name: "run",
    forms: [
      ("FILE", "plays a script in the present world after its check, up to the first line that fails")
    ], example: "run tour.fsm", hint: quotedFile)
  static let at = LocalVerb(
    name: "at", forms: [("TIME [LINE]", "lets time pass up to TIME, if the clock stands still; then runs LINE")],
    example: "at 5s send key tap")
  static let after = LocalVerb(
    name: "after", forms: [("DURATION [LINE]", "lets DURATION pass; then runs LINE")],
    example: "after 250ms send key tap")
  static let clear = LocalVerb(name: "clear", forms: [("", "an empty screen")], example: "clear")
  static let version = LocalVerb(
    name: "version", forms: [("", "the versions of the prompt and the daemon")], example: "version")
  static let exit = LocalVerb(
    name: "exit", forms: [("", "closes the prompt, as 'quit', '\\q' and Ctrl-D do")], example: "exit"
  )

  static let all = [define, load, save, export, record, quiz, cover, run, at, after, clear, version, exit]

  /// The first words of lines that only scripts have.
  static let scriptWords = ["repeat", "let", "include", "seed", "expect?"] + runWords
  /// Those that need a world of their own.
  static let runWords = ["never", "case"]

  /// The first words of all requests that this program may answer.
  static let words = Set(all.map(\.name) + scriptWords + [Verb.help.name])

  /// The word of the prompt that is meant by a misspelled one, unless a verb of the daemon is as near.
  static func meant(by word: String) -> String? {
    Nearest.match(word, among: Verb.allCases.map(\.name) + all.map(\.name)).flatMap { Verb.named($0) == nil ? $0 : nil }
  }

  private static let quotedFile = "with double quotes around a name with blanks or '='"
  private static let oneMachine = "with the name of one machine"

  /// The rows of `help` for it, in the daemon's form.
  var rows: [String] { zip(usages, forms).map { ". \($0) : \($1.summary)" } }

  private var usages: [String] { forms.map { $0.words.isEmpty ? name : "\(name) \($0.words)" } }

  /// What is wrong with a request of another form.
  var misfit: String {
    let usage = "\(name) is used as \(usages.map { "'\($0)'" }.joined(separator: " or "))"
    return hint.isEmpty ? usage : "\(usage), \(hint)"
  }

  /// The answer to a request of another form.
  var misuse: String { "- \(FailureCode.usage.word) : \(misfit)" }

  /// Whether a line of the daemon's `help` is about a verb that has another form here.
  static func replaces(_ row: ServerLine) -> Bool { row.words.first == define.name }

  /// Whether a request does not fit any form, as far as that can be known without a daemon.
  func isMisused(_ text: String) -> Bool {
    let words = RequestText(text).words
    let plain = words.filter { !CompletionContext.isKeyed($0) }
    return !forms.contains { form in
      let form = UsageForm(form.words.split(separator: " ").map(String.init))
      return form.misfit(of: plain) == nil
        && form.keys.allSatisfy { key in
          let given = words.first { $0.hasPrefix("\(key.name)=") }?.dropFirst(key.name.count + 1)
          return given.map { key.value.problem(with: String($0)) == nil } ?? key.value.isOptional
        }
    }
  }

  /// The answer to `help VERB` for a verb of this program; `nil` for any other request.
  static func help(_ text: String, isAtPrompt: Bool) -> [String]? {
    let request = RequestText(text)
    guard request.verb == Verb.help.name, let verb = all.first(where: { request.words == [$0.name] }),
      isAtPrompt || !verb.isForPeople
    else { return nil }
    return verb.rows + [". example : \(verb.example)", "+ \(verb.rows.count + 1)"]
  }

  /// The answer to a verb that is for scripts or for somebody at a prompt, where nobody is; `nil` for any other request.
  static func misplaced(_ text: String, isAtPrompt: Bool) -> [String]? {
    guard !isAtPrompt, let word = RequestText(text).verb else { return nil }
    let place: String
    if ScriptTime(word) != nil {
      place = "the prompt and for scripts, which \(played)"
    } else if scriptWords.contains(word) {
      place = "scripts, which \(played)"
    } else if all.contains(where: { $0.isForPeople && $0.name == word }) {
      place = "the prompt, where somebody types"
    } else {
      return nil
    }
    return ["- \(FailureCode.usage.word) : '\(word)' is for \(place)"]
  }

  /// What plays scripts.
  static let played = "'fsmrepl run FILE' plays"

  /// Expands `~`, which no shell has done here.
  static func path(_ word: String) -> String {
    guard word.hasPrefix("~/"), let home = SocketPath.variable("HOME") else { return word }
    return home + word.dropFirst()
  }
}
