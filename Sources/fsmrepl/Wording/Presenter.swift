internal import LineProtocol

/// Turns lines from the daemon into the text to show, in order of arrival.
struct Presenter {
  enum Format: Equatable {
    /// The lines as they are, without our tags: for pipes and files.
    case wire
    /// The same with control characters escaped, for a terminal.
    case visible
    /// In words, with aligned tables.
    case people(Style)
  }

  /// Width of the longest section name, `parameter`.
  private static let sectionWidth = 9

  /// Sections of `describe` whose lines form a picture, and the columns in front of it.
  private static let pictures: Set = ["table", "example"]
  static let pageMargin = 4

  let format: Format
  private var wording: Wording
  /// The current width of the screen, in columns.
  private let columns: () -> Int?
  /// The data of the reply that is being received.
  private var table = Table()
  /// In replies with sections, the one whose rows are in the table.
  private var section: String?
  /// The rows of `help` for words that this program knows.
  private let localUsages: [String]
  /// Inputs whose outcome a notice has reported, the latest last.
  private var reported: [String] = []
  /// The machine whose state was reported last, and that state.
  private(set) var shown: (machine: String, state: String)?
  /// Its state by the notices since.
  private var news: String?

  /// As many inputs are remembered as can come before the answer to a request that caused them.
  private static let maxReported = 1_000

  private static let scriptUsages = LocalVerb.all.filter { !$0.isForPeople }.flatMap(\.rows)

  /// - Parameter localUsages: The rows of `help` for words that this program knows, in the daemon's form.
  init(format: Format, localUsages: [String] = scriptUsages, columns: @escaping () -> Int? = { nil }) {
    self.format = format
    self.localUsages = localUsages
    self.columns = columns
    switch format {
    case .wire, .visible: wording = Wording(style: .bare)
    case .people(let style): wording = Wording(style: style)
    }
  }

  /// - Parameter raw: The line as received.
  /// - Returns: Whole lines, or nothing if nothing is to be shown yet.
  mutating func show(_ received: Conversation.Received, raw: RawLine) -> ScreenText {
    if let asked = received.asked, asked.asker != .user { return "" }
    switch format {
    case .wire, .visible: return showWhole(received.withoutOurTag(raw))
    case .people: return words(received, raw: raw)
    }
  }

  /// An unparsed line, as received.
  func showWhole(_ raw: RawLine) -> ScreenText {
    switch format {
    case .wire: ScreenText(unescaped: raw.bytes + [0x0A])
    case .visible, .people: "\(ScreenText(raw.bytes))\n"
    }
  }

  private mutating func words(_ received: Conversation.Received, raw: RawLine) -> ScreenText {
    let line = received.line.shortened
    let verb = received.asked?.verb
    let tag =
      received.asked.flatMap { $0.isOurTag ? nil : $0.tag }.map { wording.style(.quiet, "@\($0) ") } ?? ScreenText()
    switch line.lineClass {
    case .data:
      if received.isWhole { return diagram(received.dataText(raw), received.asked) }
      return data(line, answering: received.asked, raw: raw.text)
    case .success:
      if verb == .help, let subject = received.asked?.words {
        for row in localUsages.compactMap({ ServerLine($0) }) {
          // Of a verb that this program explains itself, the rows are there already.
          let isAbout = subject.first == row.words.first && !LocalVerb.all.contains { $0.name == subject.first }
          if subject.isEmpty || isAbout { table.add(wording.row(row, answering: verb)) }
        }
      }
      let rows = endTable()
      // The count after a table repeats what the table shows, unless it is 0.
      if verb?.listsRows == true, line.words.count == 1, let count = Int(line.words[0]) {
        let nothing = verb == .diff ? "no difference" : "none"
        let legend = wording.legend(of: verb).wrapped(width: columns())
        let omitted: ScreenText =
          line["omitted"].map { _ in wrapped(wording.omission(line)) } ?? ""
        return count == 0 ? "\(rows)\(tag)\(wording.style(.quiet, nothing))\n" : "\(rows)\(legend)\(omitted)"
      }
      if verb == .use || verb == .world { forgetReported() }  // Numbers and names are those of another world.
      if verb == .quit { return rows }  // The goodbye is shown instead.
      if isReported(line, answering: verb), tag.isEmpty {
        let note = line.note.map { wrapped("  \($0)") } ?? ""
        return "\(rows)\(note)\(frame(of: line, answering: received.asked))"
      }
      let text = wrapped("\(tag)\(wording.success(line, answering: verb))")
      return "\(rows)\(text)\(frame(of: line, answering: received.asked))"
    case .failure:
      return "\(endTable())\(wrapped("\(tag)\(wording.failure(line))"))\(frame(of: line, answering: received.asked))"
    case .notice:
      if line.words.count > 3, line.words[3] == "pointed", let said = line["say"] {
        // An empty text takes away what a page shows.
        guard !said.isEmpty else { return "" }
        let lines = said.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let text = MarkdownText(
          ["Somebody \(line["predict"] == "yes" ? "asks" : "says"): \(lines[0])"] + lines.dropFirst())
        return text.shown(width: columns(), style: wording.style)
      }
      if line.words.count > 3, Self.outcomes.contains(line.words[3]) {
        if reported.count == Self.maxReported { reported.removeFirst(Self.maxReported / 2) }
        reported.append(line.words[0])
      }
      if line.words.count > 5, line.words[3] == "moved", line.words[2] == shown?.machine { news = line.words[5] }
      return wrapped(wording.event(line, showsSequence: false) ?? ScreenText(raw.text))
    case .flow:
      return wrapped(wording.flow(line))
    }
  }

  /// What a notice says of an input as its answer does.
  private static let outcomes: Set = ["moved", "stayed", "ignored", "created", "dropped"]

  /// Whether a notice has reported the outcome of this input.
  func hasReported(_ sequence: String) -> Bool { reported.contains(sequence) }

  /// Forgets what was reported: the daemon may be another, whose inputs have the same numbers.
  mutating func forgetReported() {
    reported = []
    shown = nil
    news = nil
  }

  /// Forgets the rows of an answer of which no more is shown.
  mutating func forgetRows() {
    table = Table()
    section = nil
  }

  private func isReported(_ line: ServerLine, answering verb: Verb?) -> Bool {
    switch verb {
    case .send, .fire, .new, .drop: line["seq"].map(hasReported) == true
    case _: false
    }
  }

  /// For a room, the state that an answer leaves, on lines of its own.
  private mutating func frame(of line: ServerLine, answering asked: Conversation.Asked?) -> ScreenText {
    guard let state = wording.state(after: line, answering: asked?.verb),
      let machine = asked?.verb == .new ? line.words[1] : asked?.words.first
    else { return "" }
    return frame(of: machine, in: state)
  }

  /// For a room, the state of the machine that was shown last, if notices have reported another since.
  mutating func takeNews() -> ScreenText {
    guard let shown, let state = news.take(), state != shown.state else { return "" }
    return frame(of: shown.machine, in: state)
  }

  /// For a room, the state of a machine, on lines of its own.
  mutating func frame(of machine: String, in state: String) -> ScreenText {
    shown = (machine, state)
    news = nil
    guard wording.style.isPresenting, case .people = format else { return "" }
    return StateFrame.text(state, of: machine, width: columns(), style: wording.style)
  }

  private func wrapped(_ text: ScreenText) -> ScreenText {
    "\(text.wrapped(width: columns()))\n"
  }

  private mutating func data(_ line: ServerLine, answering asked: Conversation.Asked?, raw: String) -> ScreenText {
    let verb = asked?.verb
    switch verb {
    case .help where asked?.words.isEmpty == true && LocalVerb.replaces(line): return ""
    case .diff:
      let worlds = asked?.words.suffix(2) ?? []
      return wrapped(
        wording.difference(line, worlds.first ?? "?", worlds.last ?? "?").map { "  \($0)" } ?? ScreenText(raw))
    case .journal:
      return wrapped(wording.event(line, showsSequence: true) ?? ScreenText(raw))
    case .coverage where line.words.first == "kind":
      // A heading, and below it a row for each figure.
      let ended = endTable()
      for figure in wording.figures(line) { table.add(figure) }
      return "\(ended)\(wrapped(wording.heading(line)))"
    case .describe where Self.pictures.contains(line.words.first ?? ""):
      // Already laid out: shown as it is, below the tables.
      let ended: ScreenText = line.words.first == section ? "" : "\(endTable())\n"
      section = line.words.first
      return "\(ended)\(wrapped("\(String(repeating: " ", count: Self.pageMargin))\(line.note ?? "")"))"
    case .define:
      // As compilers write it, so that editors find the place.
      let place = [asked?.file, line.words.first].compactMap(\.self).joined(separator: ":")
      let severity = line.words.dropFirst().first ?? ""
      let mark = wording.style(severity == "error" ? .bad : .attention, "\(severity)")
      return wrapped("\(place): \(mark): \(line.note ?? "")")
    case .show where wording.style.isPresenting && line.words.first == "state" && line.words.count > 1:
      return "\(endTable())\(frame(of: asked?.words.first ?? "", in: line.words[1]))"
    case .show, .describe, .coverage:
      // Each section has its own columns.
      let ended = line.words.first == section ? ScreenText() : endTable()
      if table.isEmpty { table = Table(firstColumn: Self.sectionWidth) }
      section = line.words.first
      table.add(wording.row(line, answering: verb))
      return ended
    default:
      table.add(wording.row(line, answering: verb))
      return table.isFull ? takeTable() : ""
    }
  }

  /// A line of a diagram as it is; in a table, the row of the current state is highlighted.
  private func diagram(_ text: String, _ asked: Conversation.Asked?) -> ScreenText {
    if asked?.verb == .wave { return "\(waveLine(text))\n" }
    let isTable = asked?.words.allSatisfy { !$0.hasPrefix("format=") || $0 == "format=table" } ?? false
    return "\(isTable && text.hasPrefix("> ") ? wording.style(.name, text) : ScreenText(text))\n"
  }

  /// A line of a waveform; colours repeat what its signs say.
  private func waveLine(_ text: String) -> ScreenText {
    guard !text.hasPrefix("<"), !text.hasPrefix("{") else { return ScreenText(text) }
    var line = ScreenText()
    var rest = Self.withoutNanoseconds(text)[...]
    while let first = rest.first {
      // In front of a room signs are bold, not on a ground of their own.
      let role = Self.waveRole(first).map { wording.style.isPresenting && $0 != .quiet ? .name : $0 }
      let run = rest.prefix { Self.waveRole($0) == Self.waveRole(first) }
      line = "\(line)\(wording.style(role, String(run)))"
      rest = rest.dropFirst(run.count)
    }
    return line
  }

  /// The time in a row of the table below a waveform, cut to milliseconds in as many columns.
  private static func withoutNanoseconds(_ text: String) -> String {
    let words = text.split(separator: " ", maxSplits: 1)
    guard let time = words.first, time.first?.isNumber == true, TimeText.time(String(time)) != nil else { return text }
    let short = ScreenTime.cut(String(time), to: 3)
    var line = text
    line.replaceSubrange(
      time.startIndex..<time.endIndex, with: String(repeating: " ", count: time.count - short.count) + short)
    return line
  }

  private static func waveRole(_ sign: Character) -> Style.Role? {
    switch sign {
    case "▼", "▽", "│": .state
    case "◆", "┝", "━", "▶", "╳": .attention
    case "✗", "!": .bad
    case "○", "┄", "┈", "─", "┬": .quiet
    default: nil
    }
  }

  private mutating func takeTable() -> ScreenText {
    table.take(indent: "  ", width: columns(), style: wording.style)
  }

  private mutating func endTable() -> ScreenText {
    guard !table.isEmpty else { return "" }
    defer { forgetRows() }
    return takeTable()
  }
}

extension ServerLine {
  /// More characters of a word or a value are not shown to people.
  private static let longestWord = 500

  /// The line with its very long words cut, for people.
  fileprivate var shortened: ServerLine {
    func short(_ text: String) -> String {
      text.utf8.count <= Self.longestWord || text.count <= Self.longestWord
        ? text : "\(text.prefix(Self.longestWord))… (\(text.count) characters)"
    }
    return ServerLine(
      lineClass: lineClass, tag: tag, words: words.map(short),
      fields: fields.map { Field(key: $0.key, value: short($0.value)) }, note: note)
  }
}

extension Conversation.Received {
  /// Whether a line of data is a text, and has no words.
  var isWhole: Bool { asked?.verb.map(Verb.wholeLines.contains) ?? false }

  /// What a line of data says, without class and tag; in `mode json` the object, or the text in it.
  func dataText(_ raw: RawLine) -> String {
    if raw.text.hasPrefix("{") { return isWhole ? line.note ?? "" : withoutOurTag(raw).text }
    return String(ServerLine.wholeText(of: raw.text, tag: asked?.tag))
  }

  /// The line as received, without a tag that we added to the request.
  func withoutOurTag(_ raw: RawLine) -> RawLine {
    guard let asked, asked.isOurTag, let tag = line.tag else { return raw }
    return raw.without(tag: tag)
  }
}

extension Verb {
  /// Whether its reply is a number of rows followed by their count.
  var listsRows: Bool { replyShapes.success.contains { $0.text == "LINES" } }
}
