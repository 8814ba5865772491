internal import Glibc
internal import LineProtocol
internal import Scripts
internal import UnixHost

/// The program from its command line to its exit status.
@MainActor
enum Program {
  /// How long the daemon may take to send its greeting, in nanoseconds.
  private static let greetingPatience: UInt64 = 5_000_000_000

  static func run(_ words: [String]) -> ExitCode {
    Descriptor.fillStandard()
    setlocale(LC_ALL, "")
    let invocation: Invocation
    do throws(UsageFailure) {
      switch try Invocation.table.parse(words) {
      case .help:
        return report(ScreenText(unescaped: Invocation.help(for: words).utf8))
      case .version:
        return report("fsmrepl \(Release.version)\n")
      case .run(let options, let operands):
        if let wish = options.first(where: { $0.name == .completion }) {
          return report(ScreenText(unescaped: Invocation.completion.script(for: try .init(option: wish.value)).utf8))
        }
        invocation = try Invocation(options: options, operands: operands)
      }
    } catch {
      let text = Invocation.table.text(of: error) { Nearest.match($0, among: $1) }
      complain("\(text); try 'fsmrepl --help'")
      return .usage
    }
    return run(invocation)
  }

  private static func run(_ invocation: Invocation) -> ExitCode {
    if let lesson = invocation.lesson { return teach(lesson, invocation) }
    if let run = invocation.run { return run.isShown ? show(run, invocation) : play(run, invocation) }
    if let check = invocation.check { return repeatAll(check, invocation) }
    let isInteractive =
      invocation.sources.allSatisfy(\.isDocument) && Descriptor.standardInput.isTerminal
      && Descriptor.standardOutput.isTerminal
    guard !isInteractive || hasPrompt() else { return .usage }
    let style = style(for: invocation)
    let format: Presenter.Format =
      if !Descriptor.standardOutput.isTerminal {
        .wire
      } else if invocation.showsWire || invocation.writesJSON {
        .visible
      } else {
        .people(style)
      }

    let source: LineSource?
    do throws(LineSource.FileFailure) {
      // Documents are loaded before the requests, which may come from a pipe.
      let readsInput = invocation.sources.allSatisfy(\.isDocument)
      source = isInteractive ? nil : try LineSource(invocation.sources + (readsInput ? [.standardInput] : []))
    } catch {
      complain("\(error)")
      return .usage
    }

    let recording: Recording?
    do throws(Recording.Failure) {
      recording = try invocation.record.map { path throws(Recording.Failure) in try Recording(path) }
    } catch {
      complain("\(error)")
      return .usage
    }

    return connected(invocation, signals: isInteractive ? Prompting.signals : Dialogue.signals) {
      client, signals, greeting in
      if let recording { client.record(recording) }
      defer {
        recording?.end()
        if let recording, recording.count == 0 { complain("nothing was recorded in \(recording.path)") }
      }
      if let source {
        return ScriptRunner(
          client: client, source: source, format: format, keepsGoing: invocation.keepsGoing, echoes: invocation.echoes,
          signals: signals
        ).run()
      }
      welcome(greeting, client: client, style: style)
      return Prompting(client: client, format: format, style: style, signals: signals)
        .run(invocation.sources.compactMap(\.request))
    }
  }

  /// Whether lines can be typed; otherwise the reason has been printed.
  static func hasPrompt() -> Bool {
    guard let reason = Readline.load() else { return true }
    complain("\(reason)")
    return false
  }

  /// Options that make a daemon of our own poll for 100 microseconds before it sleeps, while a processor is left for that:
  /// a script sends its next line sooner than a sleeping thread wakes up.
  private static func polling(_ invocation: Invocation) -> [String] {
    // Each worker has a daemon of its own.
    2 * (invocation.run?.jobs ?? 1) <= WorkerPool.processors ? ["--poll", "100"] : []
  }

  /// Connects, calls `body`, and cleans up afterwards.
  static func connected(
    _ invocation: Invocation, signals numbers: [Int32], _ body: (Client, SignalQueue, ServerLine) -> ExitCode
  ) -> ExitCode {
    let client: Client
    do throws(SocketFailure) {
      client = Client(
        endpoint: Endpoint(
          try SocketPath.resolve(option: invocation.socket), isPrivate: invocation.isPrivate,
          program: invocation.daemon, options: invocation.pageOptions + polling(invocation),
          hosts: invocation.hosts),
        form: invocation.writesJSON ? .json : .text)
    } catch {
      complain("\(error)")
      return .noConnection
    }
    do throws(SystemError) {
      let signals = try SignalQueue(numbers)
      defer {
        // Signals stay blocked here: one would end the process before it has cleaned up.
        withExtendedLifetime(signals) {
          _ = client.close()
          client.endpoint.close()
        }
      }
      // Whether files are played by a daemon that is there or by one for them alone makes no difference.
      let isQuiet = invocation.check != nil || invocation.run != nil || invocation.lesson != nil
      switch connect(client, listeningTo: signals, isQuiet: isQuiet) {
      case .greeted(let greeting):
        if !isQuiet, let link = client.endpoint.own?.pageLink { complain("the page is at \(link)") }
        return body(client, signals, greeting)
      case .failed: return .noConnection
      case .stopped(let number):
        if number != SIGINT { client.endProcess(by: number) }
        return .interrupted  // What is open closes with it.
      }
    } catch {
      complain("\(error)")
      return .noConnection
    }
  }

  /// Plays scripts; all are read before the first starts. If one cannot be read, all mistakes of all are reported.
  private static func play(_ run: RunOptions, _ invocation: Invocation) -> ExitCode {
    let readings = RunFiles.scripts(
      run.files, checking: run.onlyChecks ? run.strictDocuments ? .strict : .asLoaded : nil, values: run.values)
    let hasMistakes = readings.contains { !$0.mistakes.isEmpty }
    let files = readings.compactMap { RunFile($0, run) }
    if files.isEmpty {
      complain("no file and no case matches \(run.only.map { "'\($0)'" }.joined(separator: " or ")); --list shows them")
      return .usage
    }
    if !hasMistakes, let unused = unusedValue(run, readings.compactMap(\.item)) {
      complain("\(unused)")
      return .usage
    }
    if run.onlyLists {
      for line in readings.flatMap(\.mistakes) { Descriptor.standardError.report("\(line)") }
      let tests = files.filter { $0.script != nil }.flatMap(\.tests)
      let status = report(tests.reduce("") { "\($0)\($1.fullLabel)\n" })
      return hasMistakes ? .usage : status
    }
    func program(_ client: Client, _ connection: Connection, _ signals: SignalQueue) -> RunProgram {
      RunProgram(
        options: run, invocation: invocation, style: style(for: invocation), client: client, connection: connection,
        signals: signals)
    }
    // With --keep-going, a file that cannot be read fails alone.
    let failsAlone = invocation.keepsGoing && !run.onlyChecks
    guard hasMistakes, !failsAlone, files.contains(where: { !$0.mistakes.isEmpty }) else {
      return playing(invocation) { program($0, $1, $2).run(files) }
    }
    var results = readings.map(\.result)
    var status = ExitCode.usage
    if readings.contains(where: { $0.item != nil || $0.rest != nil }) {
      _ = playing(invocation) { client, connection, signals in
        do throws(Dialogue.Stop) {
          results = try program(client, connection, signals).examine(readings)
        } catch {
          if case .signal(let number) = error {
            if number != SIGINT { client.endProcess(by: number) }
            status = .interrupted
          }
        }
        return status
      }
    }
    let code = FileRun.reportUnread(results, subject: .scripts, isTAP: run.isTAP, junit: run.junit)
    return status == .interrupted ? status : code
  }

  /// What is wrong with a name from the command line that no script uses; nil if each is used.
  private static func unusedValue(_ run: RunOptions, _ scripts: [Script]) -> String? {
    let used = scripts.reduce(into: Set<String>()) { $0.formUnion($1.namesUsed) }
    guard let unused = run.values.keys.sorted().first(where: { !used.contains($0) }) else { return nil }
    return "no script uses '$\(unused)', to which --let gives a value"
  }

  /// Checks transcripts; all are read before the first starts.
  private static func repeatAll(_ check: CheckOptions, _ invocation: Invocation) -> ExitCode {
    var invocation = invocation
    // A transcript names its worlds, which may clash with those of a shared daemon: use one only if it is named.
    invocation.isPrivate = invocation.socket == nil
    let readings = RunFiles.transcripts(check.files)
    guard readings.allSatisfy(\.mistakes.isEmpty) else {
      return FileRun.reportUnread(
        readings.map(\.result), subject: .transcripts, isTAP: check.isTAP, junit: check.junit)
    }
    return playing(invocation) {
      CheckProgram(
        options: check, keepsGoing: invocation.keepsGoing, style: style(for: invocation), client: $0, connection: $1,
        signals: $2
      ).run(readings.compactMap(\.item))
    }
  }

  static func playing(
    _ invocation: Invocation, signals: [Int32] = Dialogue.signals,
    _ body: (Client, Connection, SignalQueue) -> ExitCode
  ) -> ExitCode {
    connected(invocation, signals: signals) { client, signals, _ in
      guard let connection = client.connection else { return .noConnection }
      return body(client, connection, signals)
    }
  }

  enum Attempt {
    case greeted(ServerLine)
    /// The reason has been printed.
    case failed
    case stopped(by: Int32)
  }

  /// Connects and waits for the greeting.
  static func connect(_ client: Client, listeningTo signals: SignalQueue, isQuiet: Bool) -> Attempt {
    var stopped: Int32?
    func isToStop() -> Bool {
      while let number = signals.next() {
        if Dialogue.signals.contains(number) { stopped = number }
      }
      return stopped != nil
    }
    do throws(Endpoint.Failure) {
      try client.open(note: { note in if !isQuiet { complain("\(note)") } }, isToStop: isToStop)
    } catch {
      if let stopped { return .stopped(by: stopped) }
      complain("\(error)")
      return .failed
    }
    var greeting: ServerLine?
    var refusal: String?
    let waiting = client.wait(
      listeningTo: signals, until: HostClock.now() + greetingPatience, isDone: { greeting != nil || refusal != nil }
    ) { arrival in
      switch arrival {
      case .greeting(let line): greeting = line
      case .turnedAway(let reason): refusal = refusal ?? reason
      case .line, .unreadable, .note: break  // Nothing has been asked or is watched yet.
      }
    }
    switch waiting {
    case .signal(let number): return .stopped(by: number)
    case .late: complain("the daemon on \(client.endpoint.socketPath) does not answer")
    case .done, .ended:
      if let greeting {
        client.begin(with: greeting)
        return .greeted(greeting)
      }
      complain("the daemon on \(client.endpoint.socketPath) refuses the connection\(refusal.map { ": \($0)" } ?? "")")
    }
    return .failed
  }

  private static func welcome(_ greeting: ServerLine, client: Client, style: Style) {
    let version = greeting["version"].map { " \($0)" } ?? ""
    let text = "fsmd\(version) on \(client.endpoint.socketPath). 'help' lists the verbs, TAB completes, Ctrl-D leaves."
    Descriptor.standardOutput.write(
      "\(style(.quiet, ScreenText(text).wrapped(width: Descriptor.standardOutput.columns, indent: 0)))\n")
  }

  /// Uses colours only at a terminal that supports them, unless the user declines.
  static func style(for invocation: Invocation) -> Style {
    let terminal = SocketPath.variable("TERM") ?? ""
    let declined = !(SocketPath.variable("NO_COLOR") ?? "").isEmpty
    let usesColour =
      invocation.allowsColour && !declined && !terminal.isEmpty && terminal != "dumb"
      && Descriptor.standardOutput.isTerminal
    let encoding = nl_langinfo(Int32(CODESET)).map { String(cString: $0) } ?? ""
    return Style(usesColour: usesColour, usesUnicode: encoding == "UTF-8", isPresenting: invocation.presents)
  }

  /// Writes what was asked for instead of a session.
  static func report(_ text: ScreenText) -> ExitCode {
    guard !Descriptor.standardOutput.write(text) else { return .good }
    complainOfOutput(.last)
    return .usage
  }

  nonisolated static func complainOfOutput(_ error: SystemError) {
    complain("cannot write standard output: \(error)")
  }

  nonisolated static func complain(_ text: ScreenText) {
    Descriptor.standardError.report("fsmrepl: \(text)")
  }
}
