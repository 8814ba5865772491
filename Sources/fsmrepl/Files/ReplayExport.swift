internal import Glibc
internal import LineProtocol
internal import Page
internal import UnixHost

/// `export NAME FOLDER`: a folder that opens anywhere, without a daemon and without a network.
///
/// | file | is |
/// | --- | --- |
/// | `index.html` | the live page with what it would have received: it replays the machine, with the slider |
/// | `diagram.svg` | the machine's diagram with its present state, if the daemon has Graphviz |
/// | `wave.svg` | what it did over time |
/// | `journal.txt` | the same in the lines of the journal |
/// | `world.fsm` | the world as a script, if the journal goes back to its beginning |
struct ReplayExport {
  private let name: String
  private let folder: String
  /// The requests that a page would make, with their answers.
  private var recorded: [(request: String, lines: [String])] = []
  private var notes: [String] = []

  /// How many machines a composed name may have.
  private static let maxMembers = 50

  /// Asks for the machines first, then for what the page shows of them.
  static func inquiry(_ text: String, origin: String, _ name: String, _ folder: String) -> Inquiry {
    let patterns = ["list \(Word.written(name))", "list \(Word.written("\(name).*")) limit=\(maxMembers)"]
    return Inquiry(text, origin: origin, asking: patterns + ["world", "clock"]) { answers in
      if let failure = answers.lazy.compactMap(\.failure).first { return .end([failure]) }
      let rows = (answers[0].objects.dropLast() + answers[1].objects.dropLast()).compactMap { ServerLine(json: $0) }
      let machines = rows.map { (name: $0.words[0], kind: $0.words[1]) }
      guard !machines.isEmpty else {
        return .end([
          "- \(FailureCode.unknownMachine.word) machine=\(Word.written(name)) : there is no machine '\(name)'"
        ])
      }
      let list = answers[0].objects.dropLast() + answers[1].objects.dropLast()
      let world = answers[2].objects.last ?? ""
      let clock = answers[3].objects
      let recorded = [("list", Array(list)), ("clock", clock)]
      let possible = machines.map { "can \(Word.written($0.name))" }
      return .ask(possible) { answers in
        let outcomes = zip(possible, answers).flatMap { request, answer in
          answer.objects.dropLast().compactMap { ServerLine(json: $0)?.words.first }.map { "\(request) \($0)" }
        }
        let questions = possible + outcomes + questions(name, machines)
        return .ask(questions) { answers in
          var export = ReplayExport(name: name, folder: folder)
          export.recorded = recorded
          return .end(export.write(questions, answers, world: world))
        }
      }
    }
  }

  private init(name: String, folder: String) {
    self.name = name
    self.folder = folder
  }

  /// The last four are for files of their own.
  private static func questions(_ name: String, _ machines: [(name: String, kind: String)]) -> [String] {
    let names = machines.map(\.name)
    let shown = names.contains(name) ? names : [name] + names
    let pattern = Word.written(names.contains(name) ? name : "\(name).*")
    return ["kinds"] + Set(machines.map(\.kind)).sorted().map { "describe \(Word.written($0))" }
      + shown.map(Word.written).flatMap { name in
        [
          "show \(name)", "list \(name)", "graph \(name) format=json present=no",
          "graph \(name) format=svg present=no",
        ]
      } + names.map { "wave \(Word.written($0)) from=0 format=json" } + [
        "graph \(Word.written(name)) format=svg", "wave \(pattern) from=0 format=svg",
        "journal \(pattern) since=1 limit=1000000 what=all", Verb.script.name,
      ]
  }

  /// Writes the files.
  ///
  /// - Returns: The lines of the answer.
  private mutating func write(_ questions: [String], _ answers: [Inquiry.Answer], world: String) -> [String] {
    recorded += zip(questions, answers).dropLast(4).map { ($0, $1.objects) }
    let (diagram, wave, journal, script) = (
      answers[answers.count - 4], answers[answers.count - 3], answers[answers.count - 2], answers[answers.count - 1]
    )
    if let failure = journal.failure { return [failure] }
    guard mkdir(folder, 0o777) == 0 || errno == EEXIST && RunFiles.isFolder(folder) else {
      return [Client.failure("\(folder): \(SystemError.last)")]
    }
    var count = 0
    do throws(RegularFile.Problem) {
      for (file, answer) in [
        ("diagram.svg", diagram), ("wave.svg", wave), ("journal.txt", journal), ("world.fsm", script),
      ] {
        if let failure = answer.failure {
          notes.append("! \(file) was not written: \(failure.dropFirst(2))")
          continue
        }
        try RegularFile.write(answer.texts.map { "\($0)\n" }.joined(), to: "\(folder)/\(file)", replaces: true)
        count += 1
      }
      try RegularFile.write(page(world: world, journal), to: "\(folder)/index.html", replaces: true)
    } catch {
      return [Client.failure("\(folder): \(error.text)")]
    }
    return notes.map { ". note : \($0.dropFirst(2))" } + [
      "+ exported \(Word.written("\(folder)/index.html")) files=\(count + 1)"
    ]
  }

  // MARK: The page

  /// The page in one file: a browser loads no modules from files.
  private func page(world: String, _ journal: Inquiry.Answer) -> String {
    LivePage.html
      .replaced("<link rel=\"stylesheet\" href=\"./page.css\">", by: "<style>\n\(LivePage.css)</style>")
      .replaced(
        "<script type=\"module\" src=\"./main.js\"></script>",
        by: """
          <script type="application/json" id="recording">\(Self.inScript(recording(world: world, journal)))</script>
          <script type="module">
          \(LivePage.script)</script>
          """)
  }

  /// Text in a script element: nothing in it can end the element.
  private static func inScript(_ json: String) -> String { json.replaced("<", by: "\\u003c") }

  /// What the page gets; recording.js says in which form.
  private func recording(world: String, _ journal: Inquiry.Answer) -> String {
    let answers = recorded.map { "\(JSONWriter.quoted($0.request)):[\($0.lines.joined(separator: ",\n"))]" }
    return """
      {"world":\(world),
      "answers":{\(answers.joined(separator: ",\n"))},
      "journal":[\(journal.objects.dropLast().joined(separator: ",\n"))]}
      """
  }
}
