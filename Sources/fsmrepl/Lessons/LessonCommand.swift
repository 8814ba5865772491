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
    let readings = read([path])
    let folder = LessonFolder(
      readings.compactMap(\.item), broken: readings.filter { $0.item == nil }.map(\.name),
      isBuiltIn: options.folder == nil)
    guard !folder.entries.isEmpty else {
      if readings.allSatisfy({ $0.item != nil }) {
        complain("there is no lesson below \(path): a lesson's first line is 'lesson TITLE'")
      }
      return .usage
    }
    guard let wish = options.wish else {
      return list(folder, style(for: invocation))
    }
    switch folder.choose(wish) {
    case .one(let entry): return play(entry, of: folder, options, invocation)
    case .broken(let path):
      complain("\(path) has mistakes, so it cannot be played")
      return .usage
    case .several(let entries):
      if entries.isEmpty {
        complain("there is no lesson '\(wish)'; 'fsmrepl lesson' lists them")
      } else {
        complain("'\(wish)' fits \(entries.map { "\($0.number) \($0.heading.title)" }.joined(separator: ", "))")
      }
      return .usage
    }
  }

  private static func list(_ folder: LessonFolder, _ style: Style) -> ExitCode {
    let progress = LessonProgress.load()
    var table = Table()
    for entry in folder.entries {
      let lesson = Lesson(entry.script)
      table.add([
        Table.Cell("\(entry.number)"), Table.Cell(level(entry.heading.level)), Table.Cell("\(lesson.minutes) min"),
        Table.Cell(
          entry.heading.title + state(progress.entry(of: entry.key), of: lesson), isText: true),
      ])
    }
    let columns = Descriptor.standardOutput.columns
    let hint: ScreenText = "\(style(.quiet, "'fsmrepl lesson NUMBER' or a part of the title plays one."))\n"
    let list = table.take(width: columns, style: style) + hint.wrapped(width: columns, indent: 0)
    return report(list.inEncoding(of: style))
  }

  private static func level(_ level: Int) -> String {
    switch level {
    case 1: "for everybody"
    case 2: "with practice"
    default: "for engineers"
    }
  }

  /// Short, so that a row of the list fits on a screen of 80 columns: `(done 3/4)`, `(25 %, 1/2)`.
  private static func state(_ entry: LessonProgress.Entry?, of lesson: Lesson) -> String {
    guard let entry else { return "" }
    if let best = entry.best { return best.asked > 0 ? " (done \(best.fraction))" : " (done)" }
    guard let place = entry.place(of: lesson.items.count) else { return "" }
    return " (\(place * 100 / entry.items) %\(entry.score.asked > 0 ? ", \(entry.score.fraction)" : ""))"
  }

  private static func play(
    _ entry: LessonFolder.Entry, of folder: LessonFolder, _ options: LessonOptions, _ invocation: Invocation
  ) -> ExitCode {
    guard options.isAutomatic || isAtTerminal else {
      complain("a lesson is for a terminal; --auto plays it without one")
      return .usage
    }
    guard options.isAutomatic || hasPrompt() else { return .usage }
    let lesson = Lesson(entry.script)
    let parts = lesson.items.count
    if let part = options.part, part > parts {
      complain("lesson \(entry.number) has parts 1 to \(parts), and no part \(part)")
      return .usage
    }
    var invocation = invocation
    // A lesson changes nothing of a daemon that others use, unless it is named.
    invocation.isPrivate = invocation.socket == nil
    let style = style(for: invocation)
    return playing(invocation, signals: Prompting.signals) { client, connection, signals in
      var play = LessonPlay(lesson, from: (options.part ?? 1) - 1, score: nil)
      if options.part == nil, !options.isAutomatic {
        switch resume(entry, lesson, style, signals) {
        case .play(let found): play = found
        case .leave: return .good
        case .signal(let number): client.endProcess(by: number)
        }
      }
      let program = LessonProgram(
        entry.script, play, mode: options.isAutomatic ? .automatic : .learner, style: style, client: client,
        connection: connection, signals: signals)
      /// - Returns: False if it could not be kept.
      @MainActor func keep() -> Bool {
        guard !options.isAutomatic else { return true }
        var progress = LessonProgress.load()
        progress.note(program.play, of: entry.key)
        return progress.save()
      }
      program.onEnd = { _ = keep() }
      let code = program.run {
        introduction("\(entry.number)  \(entry.heading.title)", of: client, world: $0, style)
      }
      let isKept = keep()
      if code == .good || code == .noConnection {
        say(farewell(program.play, entry, of: folder, isKept: isKept), style)
      }
      return code
    }
  }

  private enum Beginning {
    case play(LessonPlay)
    case leave
    case signal(Int32)
  }

  /// Asks where to begin a lesson that was left in the middle.
  private static func resume(
    _ entry: LessonFolder.Entry, _ lesson: Lesson, _ style: Style, _ signals: SignalQueue
  ) -> Beginning {
    guard let known = LessonProgress.load().entry(of: entry.key), let place = known.place(of: lesson.items.count) else {
      return .play(LessonPlay(lesson))
    }
    say(
      "You have been here before, up to part \(place) of \(known.items). 'lesson \(entry.number) from N' begins with part N.\n",
      style)
    switch LessonTerminal(style: style, signals: signals).key("Enter: go on   b: begin again   q: leave") {
    case .next: return .play(LessonPlay(lesson, from: place, score: known.score))
    case .back: return .play(LessonPlay(lesson))
    case .leave: return .leave
    case .signal(let number): return .signal(number)
    }
  }

  private static func farewell(
    _ play: LessonPlay, _ entry: LessonFolder.Entry, of folder: LessonFolder, isKept: Bool
  ) -> ScreenText {
    guard play.item == nil else {
      guard isKept else { return "\nYour place could not be saved: the lesson will start from the beginning.\n" }
      let part: ScreenText = "part \(play.reached + 1) of \(play.lesson.items.count)"
      return "\nThe lesson waits for you: 'fsmrepl lesson \(entry.number)' goes on here, with \(part).\n"
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
    guard hasPrompt() else { return .usage }
    let readings = read(run.files)
    guard readings.allSatisfy({ $0.item != nil }) else { return .usage }
    guard let script = readings.first?.item, readings.count == 1 else {
      complain("--show plays one script")
      return .usage
    }
    if let first = script.cases.first {
      complain("--show plays a script in one world, and each case needs its own; leave out 'case \(first.title)'")
      return .usage
    }
    var invocation = invocation
    invocation.isPrivate = invocation.socket == nil
    let style = style(for: invocation)
    return playing(invocation, signals: Prompting.signals) { client, connection, signals in
      return LessonProgram(
        script, LessonPlay(Lesson(script, showsRemarks: true)), mode: .room, style: style, client: client,
        connection: connection, signals: signals
      ).run { introduction(script.heading?.title, of: client, world: $0, style) }
    }
  }

  /// The scripts of files; mistakes are reported.
  private static func read(_ paths: [String]) -> [RunFiles.Reading<Script>] {
    let readings = RunFiles.scripts(paths)
    for line in readings.flatMap(\.mistakes) { Descriptor.standardError.report("\(line)") }
    return readings
  }

  private static var isAtTerminal: Bool {
    Descriptor.standardInput.isTerminal && Descriptor.standardOutput.isTerminal
  }

  private static func say(_ text: ScreenText, _ style: Style) {
    let output = Descriptor.standardOutput
    output.write(text.wrapped(width: output.columns, indent: 0).inEncoding(of: style))
  }

  /// The title, and where the world is on the page of a daemon of our own, if that has one; a link is not wrapped.
  private static func introduction(_ title: String?, of client: Client, world: String, _ style: Style) -> ScreenText {
    let columns = Descriptor.standardOutput.columns
    let heading: ScreenText = title.map { "\(style(.name, $0).wrapped(width: columns, indent: 0))\n\n" } ?? ""
    guard let link = client.endpoint.own?.pageLink else { return heading }
    return "\(heading)The page is at \(pageLink(link, world: world))\n\n"
  }

  /// The link to a world: `http://127.0.0.1:8080/?world=lesson#TOKEN`.
  static func pageLink(_ link: String, world: String) -> String {
    guard let fragment = link.firstIndex(of: "#") else { return link }
    return "\(link[..<fragment])?world=\(world)\(link[fragment...])"
  }
}
