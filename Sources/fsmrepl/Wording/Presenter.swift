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

  /// Sections of `describe` whose lines form a picture.
  private static let pictures: Set = ["table", "example"]

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
  /// Inputs whose outcome a notice has told, the latest last.
  private var told: [String] = []

  /// As many inputs are remembered as can come before the answer to a request that caused them.
  private static let mostTold = 1_000

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

  /// - Parameters:
  ///   - raw: The line as received.
  ///   - place: The world in use after it.
  /// - Returns: Whole lines, or nothing if nothing is to be shown yet.
  mutating func show(_ received: Conversation.Received, raw: RawLine, in place: Place = Place()) -> ScreenText {
    wording.showsMilliseconds = place.isRunning
    if let asked = received.asked, asked.asker != .user { return "" }
    switch format {
    case .wire, .visible: return showWhole(received.withoutOurTag(raw))
    case .people: return words(received, raw: raw.text)
    }
  }

  /// An unparsed line, as received.
  func showWhole(_ raw: RawLine) -> ScreenText {
    switch format {
    case .wire: ScreenText(unescaped: raw.bytes + [0x0A])
    case .visible, .people: "\(ScreenText(raw.bytes))\n"
    }
  }

  private mutating func words(_ received: Conversation.Received, raw: String) -> ScreenText {
    let line = received.line
    let verb = received.asked?.verb
    let tag =
      received.asked.flatMap { $0.isOurTag ? nil : $0.tag }.map { wording.style(.quiet, "@\($0) ") } ?? ScreenText()
    switch line.lineClass {
    case .data:
      if verb.map(Verb.wholeLines.contains) == true {
        let text =
          raw.hasPrefix("{") ? line.note ?? "" : String(ServerLine.wholeText(of: raw, tag: received.asked?.tag))
        return diagram(text, received.asked)
      }
      return data(line, answering: received.asked, raw: raw)
    case .success:
      if verb == .help, received.asked?.words.isEmpty == true {
        for row in localUsages.compactMap({ ServerLine($0) }) {
          table.add(wording.row(row, answering: verb))
        }
      }
      let rows = endTable()
      // The count after a table repeats what the table shows, unless it is 0.
      if verb?.listsRows == true, line.words.count == 1, let count = Int(line.words[0]) {
        let nothing = verb == .diff ? "no difference" : "none"
        return count == 0 ? "\(rows)\(tag)\(wording.style(.quiet, nothing))\n" : "\(rows)\(wording.legend(of: verb))"
      }
      if verb == .use || verb == .world { told = [] }  // Numbers are those of another world.
      if verb == .quit { return rows }  // The goodbye is shown instead.
      if isTold(line, answering: verb), tag.isEmpty { return "\(rows)\(frame(of: line, answering: verb))" }
      return "\(rows)\(wrapped("\(tag)\(wording.success(line, answering: verb))"))\(frame(of: line, answering: verb))"
    case .failure:
      return "\(endTable())\(wrapped("\(tag)\(wording.failure(line))"))\(frame(of: line, answering: verb))"
    case .notice:
      if line.words.count > 3, Self.outcomes.contains(line.words[3]) {
        if told.count == Self.mostTold { told.removeFirst(Self.mostTold / 2) }
        told.append(line.words[0])
      }
      return wrapped(wording.event(line, showsSequence: false) ?? ScreenText(raw))
    case .flow:
      return wrapped(wording.flow(line))
    }
  }

  /// What a notice says of an input as its answer does.
  private static let outcomes: Set = ["moved", "stayed", "ignored", "created", "dropped"]

  /// Whether a notice has told the outcome of this input.
  func hasTold(_ sequence: String) -> Bool { told.contains(sequence) }

  /// Forgets what was told: the daemon may be another, whose inputs have the same numbers.
  mutating func forgetTold() { told = [] }

  private func isTold(_ line: ServerLine, answering verb: Verb?) -> Bool {
    switch verb {
    case .send, .fire, .new, .drop: line["seq"].map(hasTold) == true
    case _: false
    }
  }

  /// For a room, the state that an answer leaves, on lines of its own.
  private func frame(of line: ServerLine, answering verb: Verb?) -> ScreenText {
    guard wording.style.isPresenting, let state = wording.state(after: line, answering: verb) else { return "" }
    return StateFrame.text(state, width: columns(), style: wording.style)
  }

  private func wrapped(_ text: ScreenText) -> ScreenText {
    "\(text.wrapped(width: columns()))\n"
  }

  private mutating func data(_ line: ServerLine, answering asked: Conversation.Asked?, raw: String) -> ScreenText {
    let verb = asked?.verb
    switch verb {
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
      return "\(ended)\(wording.heading(line))\n"
    case .describe where Self.pictures.contains(line.words.first ?? ""):
      // Already laid out: shown as it is, below the tables.
      let ended: ScreenText = line.words.first == section ? "" : "\(endTable())\n"
      section = line.words.first
      return "\(ended)    \(line.note ?? "")\n"
    case .define:
      // As compilers write it, so that editors find the place.
      let place = [asked?.file, line.words.first].compactMap(\.self).joined(separator: ":")
      let severity = line.words.dropFirst().first ?? ""
      let mark = wording.style(severity == "error" ? .bad : .attention, "\(severity)")
      return wrapped("\(place): \(mark): \(line.note ?? "")")
    case .show where wording.style.isPresenting && line.words.first == "state" && line.words.count > 1:
      return "\(endTable())\(StateFrame.text(line.words[1], width: columns(), style: wording.style))"
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
    guard wording.style.usesColour, !text.hasPrefix("<"), !text.hasPrefix("{") else { return ScreenText(text) }
    var line = ScreenText()
    var rest = text[...]
    while let first = rest.first {
      let role = Self.waveRole(first)
      let run = rest.prefix { Self.waveRole($0) == role }
      line = "\(line)\(wording.style(role, String(run)))"
      rest = rest.dropFirst(run.count)
    }
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
    defer {
      table = Table()
      section = nil
    }
    return takeTable()
  }
}

extension Conversation.Received {
  /// The line as received, without a tag that we added to the request.
  func withoutOurTag(_ raw: RawLine) -> RawLine {
    guard let asked, asked.isOurTag, let tag = line.tag else { return raw }
    // In an object the tag is the second member, and quotes within a text are escaped by backslashes.
    let isObject = raw.bytes.first == UInt8(ascii: "{")
    let mark = Array((isObject ? ",\"tag\":\"\(tag)\"" : " @\(tag)").utf8)
    guard let place = isObject ? raw.bytes.firstRange(of: mark) : 1..<(1 + mark.count),
      raw.bytes.dropFirst(place.lowerBound).starts(with: mark)
    else { return raw }
    return RawLine(bytes: Array(raw.bytes[..<place.lowerBound] + raw.bytes[place.upperBound...]))
  }
}

extension Verb {
  /// Whether its reply is a number of rows followed by their count.
  var listsRows: Bool {
    switch self {
    case .help, .kinds, .describe, .list, .count, .show, .can, .wires, .journal, .wave, .script, .graph, .coverage,
      .agenda,
      .worlds, .who,
      .diff, .limits,
      .stats:
      true
    default: false
    }
  }
}
