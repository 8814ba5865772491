internal import LineProtocol
internal import Scripts
internal import UnixHost

/// The parsed command line.
struct Invocation: Equatable {
  /// Where requests come from, if not from a person at a terminal.
  enum Source: Equatable {
    case expression(String)
    case file(String)
    case standardInput
    /// A kind's document, which is loaded before all else.
    case document(String)

    var isDocument: Bool { request != nil }

    /// The request that loads a document; nil for any other source.
    var request: String? {
      if case .document(let path) = self { "\(LocalVerb.load.name) \(Word.written(path))" } else { nil }
    }
  }

  var socket: String?
  /// Where daemons are that share a database; nil if worlds are not followed to them.
  var hosts: HostsFile?
  /// Whether to start a daemon for this session even if others are running.
  var isPrivate = false
  /// The program to start for this session, instead of `fsmd`.
  var daemon: String?
  /// The options of that daemon about its live page.
  var pageOptions: [String] = []
  /// In the order given; empty means standard input.
  var sources: [Source] = []
  var keepsGoing = false
  var showsWire = false
  /// Whether the daemon writes JSON objects, which are shown as they are.
  var writesJSON = false
  /// Whether a script's lines are shown before their answers.
  var echoes = false
  var allowsColour = true
  /// Whether a room looks at the screen.
  var presents = false
  /// The options of `run`, if that is the command.
  var run: RunOptions?
  /// The options of `check`, if that is the command.
  var check: CheckOptions?
  /// The options of `lesson`, if that is the command.
  var lesson: LessonOptions?
  /// The file in which the session is recorded.
  var record: String?

  enum Name {
    case socket, hosts, own, daemon, page, pageControl, expression, file, keepGoing, echo, raw, json, noColour, present
    case record, tap, junit, wave, waveAll, update, check, strictDocuments, seed, real, speed, show, lessons, auto
    case letName, only, list, jobs, times, warningsFail, coverage, atLeast
    case completion
  }

  /// What the program is to do; the first operand names it.
  enum Command: String, CaseIterable {
    /// Sends requests, from a prompt or elsewhere.
    case requests = ""
    case run, check, lesson

    fileprivate var synopsis: String {
      switch self {
      case .requests: "[OPTION]…"
      case .run: "run [OPTION]… FILE…"
      case .check: "check [OPTION]… FILE…"
      case .lesson: "lesson [OPTION]… [NAME [from PART]]"
      }
    }

    /// What its help says after the options.
    fileprivate var page: String {
      switch self {
      case .requests: ""
      case .run:
        """
        Plays scripts (*.fsm, and folders of them; not those that others include, nor _*.fsm), each case or file in a
        world of its own, and says which pass. 'man fsmrepl' and Docs/Scripts.md say more.

        Exit codes: 0 good, 1 wrong command line, a file that it names cannot be read or is no document, script or
        transcript, or standard output cannot be written, 2 no connection or lost, 3 refused or failed request,
        4 expectation failed or too little covered, 5 time-out, 130 interrupted.

        """
      case .check:
        "Repeats transcripts (*.transcript, *.md, and folders of them), and shows the first answer of each that differs.\n"
      case .lesson: "Lists the lessons, or plays the one with this number or name, from a part on.\n"
      }
    }

    /// How it is called.
    fileprivate var usage: String {
      switch self {
      case .requests: "fsmrepl"
      case .run: "fsmrepl run FILE…"
      case .check: "fsmrepl check FILE…"
      case .lesson: "fsmrepl lesson"
      }
    }
  }

  static let table = OptionTable<Name>(
    program: "fsmrepl",
    synopsis:
      "[OPTION]… [DOCUMENT]… [-]\n       fsmrepl [run] [OPTION]… FILE…\n       fsmrepl check [OPTION]… FILE…\n       fsmrepl lesson [OPTION]… [NAME [from PART]]",
    options: [
      .init(
        .socket, short: "s", long: "socket", argument: .required("PATH"),
        summary: "the daemon's socket, instead of $FSMD_SOCKET or the default"),
      .init(
        .hosts, long: "hosts", argument: .required("FILE"),
        summary: "follow worlds to the daemons in FILE: lines 'NAME SOCKET', or 'NAME COMMAND' (ssh …)"),
      .init(.own, long: "private", summary: "start a daemon for this session alone, even if others run"),
      .init(
        .daemon, long: "daemon", argument: .required("PROGRAM"),
        summary: "start this daemon for this session alone, instead of fsmd"),
      .init(
        .page, long: "page", argument: .optional("[HOST:]PORT"),
        summary: "as --private, with a live page for browsers, and print its link\n(default: a free port of 127.0.0.1)"),
      .init(.pageControl, long: "page-control", summary: "as --page, and the page can change worlds"),
      .init(
        .expression, short: "e", long: "execute", argument: .required("CMD"),
        summary: "run a request and leave; may be repeated"),
      .init(
        .file, short: "f", long: "file", argument: .required("FILE"),
        summary: "run the requests in a file and leave; may be repeated"),
      .init(
        .keepGoing, short: "k", long: "keep-going",
        summary:
          "continue after a failed request, with 'run' and 'check' after a failed file;\nthe first failure decides the exit code"
      ),
      .init(.echo, long: "echo", summary: "show each line of a script, comments too, before its answer"),
      .init(.raw, long: "raw", summary: "show the lines of the protocol as they are"),
      .init(.json, long: "json", summary: "show the lines as JSON objects, and nothing else"),
      .init(
        .record, long: "record", argument: .required("FILE"),
        summary: "write a transcript of the session, which 'check' repeats"),
      .init(.noColour, long: "no-color", summary: "no colours (as with $NO_COLOR)"),
      .init(
        .present, long: "present", summary: "for a room: strong contrast, states in a frame, times as people say them"),
      .init(.tap, long: "tap", summary: "run, check: report as TAP 14"),
      .init(.junit, long: "junit", argument: .required("FILE"), summary: "run, check: write a report for CI, too"),
      .init(
        .wave, long: "wave", argument: .required("FILE"),
        summary: "run: draw what the script did as SVG; of several scripts and cases,\neach that failed, with its name"),
      .init(.waveAll, long: "wave-all", summary: "run: with --wave, draw those that passed, too"),
      .init(
        .check, long: "check",
        summary:
          "run: play nothing; check the words of the scripts and their documents, and the named\ndocuments (*.scxml, *.mmd, *.puml, *.json, and folders of them)"
      ),
      .init(
        .strictDocuments, long: "strict-documents",
        summary: "run --check: take diagrams by their formal notation alone"),
      .init(
        .letName, long: "let", argument: .required("NAME=VALUE"),
        summary: "run: give a name of the scripts a value, instead of their 'let';\nmay be repeated"),
      .init(
        .only, long: "only", argument: .required("PATTERN"),
        summary: "run: play the files and cases that match, FILE or FILE:TITLE,\nas in a shell; may be repeated"),
      .init(.list, long: "list", summary: "run: list the files and cases, and play nothing"),
      .init(
        .jobs, short: "j", long: "jobs", argument: .required("N"), summary: "run: play N files side by side"),
      .init(
        .times, long: "repeat", argument: .required("N"),
        summary: "run: play everything N times, each time with the next seed"),
      .init(.warningsFail, long: "warnings-fail", summary: "run: a warning fails its script"),
      .init(
        .coverage, long: "coverage", argument: .required("FILE|DIR/"),
        summary:
          "run: write what all scripts have covered of each kind as JSON\n('-': to standard output), or a page with pictures into a folder"
      ),
      .init(
        .atLeast, long: "at-least", argument: .required("[LEVEL=]N%"),
        summary:
          "run: exit code 4 if less of a kind is covered; LEVEL is states,\ntransitions (the default), guards, timers or switches"
      ),
      .init(.update, long: "update", summary: "check: replace the answers that differ"),
      .init(
        .seed, long: "seed", argument: .required("N"),
        summary: "run: the seed of each world, instead of\nthe seed in its script (or 0)"),
      .init(.real, long: "real", summary: "run: play at the pace of a real clock, and show notices"),
      .init(.speed, long: "speed", argument: .required("X"), summary: "run: with --real, X times as fast"),
      .init(.show, long: "show", summary: "run: show a script line by line, with its remarks; a key for the next line"),
      .init(
        .lessons, long: "lessons", argument: .required("DIR"),
        summary: "lesson: the folder of the lessons, instead of those of this program"),
      .init(.auto, long: "auto", summary: "lesson: play it without a terminal; it answers its questions itself"),
      .init(
        .completion, long: "completion", argument: .required("SHELL"),
        values: ShellCompletion.Shell.allCases.map(\.rawValue),
        summary: "print the completion of this command line for bash, zsh or fish"),
    ])

  /// The completion of the command line, each option with the commands that it goes with.
  static let completion = ShellCompletion(
    program: table.program,
    commands: (Command.allCases.filter { $0 != .requests } + [.requests]).map { command in
      ShellCompletion.Command(
        command.rawValue, table.completions { $0.commands.contains(command) }, takesFiles: command != .lesson)
    })

  static let usage =
    table.usage + """

      '-' reads requests from standard input. Without a request and with a terminal it is a prompt.
      A document (*.scxml, *.mmd, *.puml, *.json, *.md) becomes a kind first. A script (*.fsm) is played as with 'run'.
      'run' plays scripts (*.fsm, and folders of them), each in a world of its own, and says which pass.
      'check' repeats transcripts (*.transcript, *.md, and folders of them) on virtual time, with a daemon of its own
      unless --socket names one, and shows the first answer of each that differs.
      'lesson' lists the lessons, or plays the one with this number or name, from a part on, with a daemon of its
      own.
      If no daemon is named and none answers at the default path, one is started for this session alone.

      Exit codes: 0 good, 1 wrong command line, a file that it names cannot be read or is no document, script or
      transcript, or standard output cannot be written, 2 no connection or lost, 3 refused or failed request,
      4 expectation failed, 5 time-out, 130 interrupted.

      """

  /// The text of `--help` for words that ask for it: that of the command among them, or of all.
  static func help(for words: [String]) -> String {
    let others = words.filter { $0 != "-h" && $0 != "--help" }
    guard case .run(_, let operands)? = try? table.parse(others),
      let command = operands.first.flatMap(Command.init), command != .requests
    else { return usage }
    return table.usage("\(command.synopsis)") { $0.commands.contains(command) } + "\n\(command.page)"
  }

  /// - Throws: A ``UsageFailure`` for an option that does not go with the command, or an operand other than `-` without one.
  init(options: [OptionTable<Name>.Given], operands: [String]) throws(UsageFailure) {
    let isScript = operands.first?.hasSuffix(ScriptLimits.ending) == true
    let command = isScript ? .run : operands.first.flatMap(Command.init) ?? .requests
    for option in options where !option.name.commands.contains(command) {
      let others = Command.allCases.filter { option.name.commands.contains($0) }.map { "'\($0.usage)'" }
      throw .wrong(
        command == .requests
          ? "--\(option.long) is for \(others.joined(separator: " and "))"
          : "--\(option.long) does not go with '\(command.rawValue)'")
    }
    switch command {
    case .requests: break
    case .run: run = try RunOptions(options: options, operands: isScript ? operands[...] : operands.dropFirst())
    case .check: check = try CheckOptions(options: options, operands: operands.dropFirst())
    case .lesson: lesson = try LessonOptions(options: options, operands: operands.dropFirst())
    }
    for option in options {
      switch option.name {
      case .socket: socket = option.value
      case .hosts: hosts = try HostsFile(path: option.value)
      case .own: isPrivate = true
      case .daemon:
        daemon = option.value
        isPrivate = true
      case .page:
        pageOptions += ["--page", option.value.isEmpty ? "0" : option.value]
        isPrivate = true
      case .pageControl:
        pageOptions.append("--page-control")
        isPrivate = true
      case .expression: sources.append(.expression(option.value))
      case .file: sources.append(option.value == "-" ? .standardInput : .file(option.value))
      case .keepGoing: keepsGoing = true
      case .echo: echoes = true
      case .raw: showsWire = true
      case .json: writesJSON = true
      case .noColour: allowsColour = false
      case .present: presents = true
      case .record: record = option.value
      // Those of one command, which has read them.
      case .tap, .junit, .update, .lessons, .auto, .seed, .real, .speed, .check, .strictDocuments, .wave, .waveAll,
        .show, .letName, .only, .list, .jobs, .times, .warningsFail, .coverage, .atLeast:
        break
      case .completion: break  // ``Program`` has printed it.
      }
    }
    if writesJSON, echoes { throw .wrong("--json shows objects only, and --echo the lines of a script") }
    if daemon?.isEmpty == true { throw .wrong("--daemon takes the path of a program") }
    if pageOptions == ["--page-control"] { pageOptions += ["--page", "0"] }
    if isPrivate, socket != nil {
      let own = options.map(\.long).first { ["private", "daemon", "page", "page-control"].contains($0) }
      throw .wrong("--\(own ?? "private") starts a daemon of its own, and --socket names another")
    }
    for operand in operands where command == .requests && operand != "-" {
      // `page.md#2` is a diagram of a page.
      guard DocumentSource.isDocumentOrPage(String(operand.prefix { $0 != "#" })) else {
        throw .wrong(
          "'\(operand)' is not understood here; a request is given with -e, a file with -f, a script (*.fsm) with 'run', a"
            + " transcript with 'check', a lesson with 'lesson', a document by its name (*.mmd, *.puml, *.scxml, *.json, *.md)"
        )
      }
    }
    guard command == .requests else { return }
    sources = operands.filter { $0 != "-" }.map { Source.document($0) } + sources
    sources += operands.filter { $0 == "-" }.map { _ in Source.standardInput }
  }
}

extension Invocation.Name {
  /// The commands that the option goes with.
  fileprivate var commands: Set<Invocation.Command> {
    switch self {
    case .socket, .hosts, .own, .daemon, .noColour, .present: [.requests, .run, .check, .lesson]
    case .page, .pageControl: [.requests, .run, .lesson]
    case .keepGoing, .raw: [.requests, .run, .check]
    case .expression, .file, .echo, .json, .record, .completion: [.requests]
    case .tap, .junit: [.run, .check]
    case .check, .strictDocuments, .seed, .real, .speed, .wave, .waveAll, .show: [.run]
    case .letName, .only, .list, .jobs, .times, .warningsFail, .coverage, .atLeast: [.run]
    case .update: [.check]
    case .lessons, .auto: [.lesson]
    }
  }
}
