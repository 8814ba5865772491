internal import LineProtocol
internal import Scripts
internal import UnixHost

/// `fsmrepl lesson`: lists the lessons, or plays one. `fsmrepl run --show`: plays a script for a room.
extension Program {
  /// Reads the lessons, then lists them or plays the one that is wished for.
  static func teach(_ options: LessonOptions, _ invocation: Invocation) -> ExitCode {
    guard let path = options.folder ?? LessonFolder.path() else {
      complain("there is no folder 'Lessons' where this program comes from; --lessons names one")
      return .usage
    }
    guard let scripts = scripts([path]) else { return .usage }
    let folder = LessonFolder(scripts)
    guard !folder.entries.isEmpty else {
      complain("there is no lesson below \(path): a lesson's first line is 'lesson TITLE'")
      return .usage
    }
    guard let wish = options.wish else {
      list(folder, style(for: invocation))
      return .good
    }
    switch folder.choose(wish) {
    case .one(let entry): return play(entry, of: folder, options, invocation)
    case .several(let entries):
      if entries.isEmpty {
        complain("there is no lesson '\(wish)'; 'fsmrepl lesson' lists them")
      } else {
        complain("'\(wish)' fits \(entries.map { "\($0.number) \($0.heading.title)" }.joined(separator: ", "))")
      }
      return .usage
    }
  }

  private static func list(_ folder: LessonFolder, _ style: Style) {
    let progress = LessonProgress.load()
    var table = Table()
    for entry in folder.entries {
      let lesson = Lesson(entry.script)
      table.add([
        Table.Cell("\(entry.number)"), Table.Cell(entry.name, .name), Table.Cell(level(entry.heading.level)),
        Table.Cell("\(lesson.minutes) min"),
        Table.Cell(
          entry.heading.title + state(progress.entry(of: entry.file, items: lesson.items.count)), isText: true),
      ])
    }
    Descriptor.standardOutput.write(table.take(width: Descriptor.standardOutput.columns, style: style))
    say(
      "\(style(.quiet, "'fsmrepl lesson NUMBER' or a part of the name plays one."))\n",
      Descriptor.standardOutput.columns)
  }

  private static func level(_ level: Int) -> String {
    switch level {
    case 1: "for everybody"
    case 2: "after those"
    default: "for engineers"
    }
  }

  private static func state(_ entry: LessonProgress.Entry?) -> String {
    guard let entry else { return "" }
    let score = entry.score.asked > 0 ? ", \(entry.score.text)" : ""
    return entry.isDone ? " (done\(score))" : " (\(entry.item * 100 / max(1, entry.items)) %\(score))"
  }

  private static func play(
    _ entry: LessonFolder.Entry, of folder: LessonFolder, _ options: LessonOptions, _ invocation: Invocation
  ) -> ExitCode {
    guard options.isAutomatic || isAtTerminal else {
      complain("a lesson is for a terminal; --auto plays it without one")
      return .usage
    }
    var invocation = invocation
    // A lesson changes nothing of a daemon that others use, unless it is named.
    invocation.isPrivate = invocation.socket == nil
    let style = style(for: invocation)
    return connected(invocation, signals: Prompting.signals) { client, signals, _ in
      guard let connection = client.connection else { return .noConnection }
      let lesson = Lesson(entry.script)
      let width = Descriptor.standardOutput.columns
      say("\(style(.name, "\(entry.number)  \(entry.heading.title)"))\n\n", width)
      var play = LessonPlay(lesson)
      if !options.isAutomatic {
        switch resume(entry, lesson, style, signals) {
        case .play(let found): play = found
        case .end(let code): return code
        }
      }
      let program = LessonProgram(
        entry.script, play, manner: options.isAutomatic ? .automatic : .learner, style: style, client: client,
        connection: connection, signals: signals)
      @MainActor func keep() {
        guard !options.isAutomatic else { return }
        var progress = LessonProgress.load()
        progress.note(program.play, of: entry.file)
        progress.save()
      }
      program.onEnd = keep
      let code = program.run { world in
        guard let link = client.endpoint.own?.pageLink else { return }
        say("The page is at \(pageLink(link, world: world))\n\n", nil)
      }
      keep()
      if code == .good { say(farewell(program.play, entry, of: folder), width) }
      return code
    }
  }

  private enum Beginning {
    case play(LessonPlay)
    case end(ExitCode)
  }

  /// Where somebody begins who has been there before.
  private static func resume(
    _ entry: LessonFolder.Entry, _ lesson: Lesson, _ style: Style, _ signals: SignalQueue
  ) -> Beginning {
    guard let known = LessonProgress.load().entry(of: entry.file, items: lesson.items.count), !known.isDone,
      known.item > 0
    else { return .play(LessonPlay(lesson)) }
    say("You have been here before, up to part \(known.item) of \(known.items).\n", Descriptor.standardOutput.columns)
    switch LessonTerminal(style: style, signals: signals).key(
      style(.quiet, "Enter: go on   b: begin again   q: leave"))
    {
    case .next: return .play(LessonPlay(lesson, from: known.item, score: known.score))
    case .back: return .play(LessonPlay(lesson))
    case .leave: return .end(.good)
    case .signal(let number): SignalQueue.endProcess(by: number)
    }
  }

  private static func farewell(
    _ play: LessonPlay, _ entry: LessonFolder.Entry, of folder: LessonFolder
  ) -> ScreenText {
    guard play.item == nil else {
      return "\nThe lesson waits for you: 'fsmrepl lesson \(entry.number)' goes on here.\n"
    }
    let score = play.score.asked > 0 ? " \(play.score.text)." : ""
    guard let next = folder.next(after: entry) else { return "This was the last lesson.\(score)\n" }
    return "This is the end of the lesson.\(score) Next: 'fsmrepl lesson \(next.number)', \(next.heading.title).\n"
  }

  /// Plays a script line by line.
  static func show(_ run: RunOptions, _ invocation: Invocation) -> ExitCode {
    guard isAtTerminal else {
      complain("--show is for a terminal")
      return .usage
    }
    guard let scripts = scripts(run.files) else { return .usage }
    guard let script = scripts.first, scripts.count == 1 else {
      complain("--show plays one script")
      return .usage
    }
    var invocation = invocation
    invocation.isPrivate = invocation.socket == nil
    let style = style(for: invocation)
    return connected(invocation, signals: Prompting.signals) { client, signals, _ in
      guard let connection = client.connection else { return .noConnection }
      if let heading = script.heading {
        say("\(style(.name, heading.title))\n\n", Descriptor.standardOutput.columns)
      }
      return LessonProgram(
        script, LessonPlay(Lesson(script, showsRemarks: true)), manner: .room, style: style, client: client,
        connection: connection, signals: signals
      ).run { world in
        guard let link = client.endpoint.own?.pageLink else { return }
        say("The page is at \(pageLink(link, world: world))\n\n", nil)
      }
    }
  }

  /// The scripts of files; `nil` if one has mistakes, which are told.
  private static func scripts(_ paths: [String]) -> [Script]? {
    let readings = RunFiles.scripts(paths)
    for line in readings.flatMap(\.mistakes) { Descriptor.standardError.tell("\(line)") }
    let scripts = readings.compactMap(\.item)
    return scripts.count == readings.count ? scripts : nil
  }

  private static var isAtTerminal: Bool {
    Descriptor.standardInput.isTerminal && Descriptor.standardOutput.isTerminal
  }

  private static func say(_ text: ScreenText, _ width: Int?) {
    Descriptor.standardOutput.write(text.wrapped(width: width, indent: 0))
  }

  /// The link to a world: `http://127.0.0.1:8080/?world=lesson#TOKEN`.
  static func pageLink(_ link: String, world: String) -> String {
    guard let fragment = link.firstIndex(of: "#") else { return link }
    return "\(link[..<fragment])?world=\(world)\(link[fragment...])"
  }
}
