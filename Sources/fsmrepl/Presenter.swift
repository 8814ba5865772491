internal import LineProtocol

/// What is shown of the lines from the daemon, in the order in which they come.
struct Presenter {
  enum Form: Equatable {
    /// The lines as they are, but for the tags that we put on requests.
    case wire
    /// In words, tables lined up.
    case people(Style)
  }

  /// As wide as the longest of their names, `parameter`.
  private static let sectionWidth = 9

  /// Sections of `describe` that are lines of a picture.
  private static let pictures: Set = ["table", "example"]

  private let form: Form
  private var wording: Wording
  /// How wide the screen is now, in columns.
  private let columns: () -> Int?
  /// The data of the reply that is being received.
  private var table = Table()
  /// In replies that come in sections, the one whose rows are in the table.
  private var section: String?

  init(form: Form, columns: @escaping () -> Int? = { nil }) {
    self.form = form
    self.columns = columns
    switch form {
    case .wire: wording = Wording(style: .bare)
    case .people(let style): wording = Wording(style: style)
    }
  }

  /// - Parameters:
  ///   - raw: The line as it came.
  ///   - place: Where we are after it.
  /// - Returns: Whole lines, or nothing if nothing is to be shown yet.
  mutating func show(_ received: Conversation.Received, raw: String, in place: Place = Place()) -> String {
    wording.showsMilliseconds = place.isRunning
    if let asked = received.asked, asked.asker != .user { return "" }
    switch form {
    case .wire: return received.withoutOurTag(raw) + "\n"
    case .people: return words(received, raw: raw)
    }
  }

  /// A line that nobody can read, as it came.
  func showUnreadable(_ raw: String) -> String {
    raw + "\n"
  }

  private mutating func words(_ received: Conversation.Received, raw: String) -> String {
    let line = received.line
    let verb = received.asked?.verb
    let tag = received.asked.flatMap { $0.isOurTag ? nil : $0.tag }.map { wording.style(.quiet, "@\($0) ") } ?? ""
    switch line.lineClass {
    case .data:
      if verb == .graph {
        let text =
          raw.hasPrefix("{") ? line.note ?? "" : String(ServerLine.wholeText(of: raw, tag: received.asked?.tag))
        return diagram(text, received.asked)
      }
      return data(line, answering: received.asked, raw: raw)
    case .success:
      if verb == .help, received.asked?.words.isEmpty == true {
        for row in RecordCommand.usageRows.compactMap({ ServerLine($0) }) {
          table.add(wording.row(row, answering: verb))
        }
      }
      let rows = endTable()
      // The count behind a table says nothing that the table does not, unless there is none.
      if verb?.listsRows == true, line.words.count == 1, let count = Int(line.words[0]) {
        let nothing = verb == .diff ? "no difference" : "none"
        return rows + (count == 0 ? "\(tag)\(wording.style(.quiet, nothing))\n" : "")
      }
      if verb == .quit { return rows }  // The goodbye says it.
      return rows + tag + wording.success(line, answering: verb) + "\n"
    case .failure:
      return endTable() + tag + wording.failure(line) + "\n"
    case .notice:
      return (wording.event(line, showsSequence: false) ?? raw) + "\n"
    case .flow:
      return wording.flow(line) + "\n"
    }
  }

  private mutating func data(_ line: ServerLine, answering asked: Conversation.Asked?, raw: String) -> String {
    let verb = asked?.verb
    switch verb {
    case .diff:
      let worlds = asked?.words.suffix(2) ?? []
      return (wording.difference(line, worlds.first ?? "?", worlds.last ?? "?").map { "  \($0)" } ?? raw) + "\n"
    case .journal:
      return (wording.event(line, showsSequence: true) ?? raw) + "\n"
    case .coverage where line.words.first == "kind":
      // A heading, and below it a row for each figure.
      let ended = endTable()
      for figure in wording.figures(line) { table.add(figure) }
      return ended + wording.heading(line) + "\n"
    case .describe where Self.pictures.contains(line.words.first ?? ""):
      // Laid out already: shown as it is, below the others.
      let ended = line.words.first == section ? "" : endTable() + "\n"
      section = line.words.first
      return ended + "    \(line.note ?? "")\n"
    case .show, .describe, .coverage:
      // Sections have columns of their own.
      let ended = line.words.first == section ? "" : endTable()
      if table.isEmpty { table = Table(firstColumn: Self.sectionWidth) }
      section = line.words.first
      table.add(wording.row(line, answering: verb))
      return ended
    default:
      table.add(wording.row(line, answering: verb))
      return table.isFull ? takeTable() : ""
    }
  }

  /// A line of a diagram as it is; in a table, the row of the present state stands out.
  private func diagram(_ text: String, _ asked: Conversation.Asked?) -> String {
    let isTable = asked?.words.allSatisfy { !$0.hasPrefix("format=") || $0 == "format=table" } ?? false
    return (isTable && text.hasPrefix("> ") ? wording.style(.name, text) : text) + "\n"
  }

  private mutating func takeTable() -> String {
    table.take(indent: "  ", width: columns(), style: wording.style)
  }

  private mutating func endTable() -> String {
    guard !table.isEmpty else { return "" }
    defer {
      table = Table()
      section = nil
    }
    return takeTable()
  }
}

extension Conversation.Received {
  /// The line as it came, without a tag that we put on the request.
  func withoutOurTag(_ raw: String) -> String {
    guard let asked, asked.isOurTag, let tag = line.tag else { return raw }
    if raw.hasPrefix("{") {
      // The tag is the second member, and what is in quotes in a text has backslashes there.
      let member = ",\"tag\":\"\(tag)\""
      guard let place = raw.firstRange(of: member) else { return raw }
      return String(raw[..<place.lowerBound] + raw[place.upperBound...])
    }
    let mark = " @\(tag)"
    guard raw.dropFirst().hasPrefix(mark) else { return raw }
    return String(raw.prefix(1)) + raw.dropFirst(1 + mark.count)
  }
}

extension Verb {
  /// Whether its reply is a number of lines and then that number.
  fileprivate var listsRows: Bool {
    switch self {
    case .help, .kinds, .describe, .list, .count, .show, .can, .wires, .journal, .graph, .coverage, .agenda, .worlds,
      .diff, .limits,
      .stats:
      true
    default: false
    }
  }
}
