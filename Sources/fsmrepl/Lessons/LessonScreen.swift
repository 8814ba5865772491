internal import LineProtocol
internal import Scripts
internal import UnixHost

/// The answers to a lesson's lines in the words of the prompt, with what else happened.
struct LessonScreen {
  private let style: Style
  private var presenter: Presenter
  private let wording: Wording
  /// What happened since the last answer.
  private var notices: [ServerLine] = []
  /// How many events and how many answers of the line there were.
  private var events = 0
  private var answers = 0
  private var width: Int?

  /// How many events of a line, or of a block, are shown, and how many answers.
  private static let most = 12

  init(style: Style) {
    self.style = style
    wording = Wording(style: style)
    presenter = Presenter(format: .people(style), columns: { Descriptor.standardOutput.columns })
  }

  /// A line begins.
  mutating func begin(_ width: Int?) {
    self.width = width
    notices = []
    events = 0
    answers = 0
  }

  mutating func take(notice line: String) {
    if let notice = ServerLine(line) { notices.append(notice) }
  }

  /// What is left to say of a line.
  mutating func end() -> ScreenText {
    let leftOut = max(0, events - Self.most) + max(0, answers - Self.most)
    guard leftOut > 0 else { return "" }
    return "\(style(.quiet, "and \(leftOut) more"))\n"
  }

  /// The text for a step: what happened before its input, its answer, then what its input caused.
  ///
  /// - Parameters:
  ///   - isExpected: Whether a check holds.
  ///   - isLast: Whether it is the last step of its line. The time before a line is a step of its own, whose answer is
  ///     not shown.
  mutating func show(
    _ script: Script, _ step: Script.Step, _ rows: [String], _ last: String?, isExpected: Bool = true, isLast: Bool
  ) -> ScreenText {
    defer { notices = [] }
    var text = ScreenText()
    let reply = last.flatMap { ServerLine($0) }
    var own: String?
    if case .request(let verb?, _) = step.action, [.send, .fire, .new, .drop].contains(verb) { own = reply?["seq"] }
    let others = notices.filter { $0.words.first != own && Self.isWorthReporting($0) }
    // What the input caused follows the answer to it.
    let cause = own.flatMap { UInt64($0) } ?? .max
    let isCaused = { (notice: ServerLine) in notice.words.first.flatMap { UInt64($0) } ?? 0 > cause }
    for notice in others where !isCaused(notice) { text += report(notice) }
    if case .check = step.action {
      if isExpected { text += "\(style(.good, style.usesUnicode ? "✓" : "ok"))\n" }
    } else if let last {
      text += answer(script, step, rows, last, reply, isLast: isLast)
    }
    for notice in others where isCaused(notice) { text += report(notice) }
    return text
  }

  private mutating func report(_ notice: ServerLine) -> ScreenText {
    guard let event = wording.event(notice, showsSequence: false) else { return "" }
    events += 1
    return events <= Self.most ? "\(event.wrapped(width: width))\n" : ""
  }

  private mutating func answer(
    _ script: Script, _ step: Script.Step, _ rows: [String], _ last: String, _ reply: ServerLine?, isLast: Bool
  ) -> ScreenText {
    let isFailure = reply?.lineClass == .failure
    guard isLast || isFailure else { return "" }
    if !isFailure { answers += 1 }
    guard isFailure || answers <= Self.most else { return "" }
    if case .request(.point, _) = step.action, reply?.lineClass == .success {
      let words = RequestText(script.request(of: step)).words
      let look = style(.attention, "\(style.arrow) \(words.first ?? ""): look at \(words.last ?? "")")
      return "\(look.wrapped(width: width))\n"
    }
    return show(script.request(of: step), rows, last, width)
  }

  /// An answer in the words of the prompt.
  mutating func show(_ request: String, _ rows: [String], _ last: String, _ width: Int?) -> ScreenText {
    var asked = Conversation.Asked(request)
    asked.isOurTag = true
    var text = ScreenText()
    for row in rows + [last] {
      guard let line = ServerLine(row) ?? ServerLine(whole: row) else { continue }
      text += presenter.show(Conversation.Received(line: line, asked: asked), raw: RawLine(row))
    }
    return text
  }

  /// A table without the counts of states and pairs below it, which are for engineers. What its signs mean stays.
  ///
  /// - Parameter rows: The lines of data of `graph NAME`.
  static func withoutCounts(_ rows: [String]) -> [String] {
    guard let end = rows.lastIndex(where: { $0.allSatisfy { $0 == "." || $0 == " " } }) else { return rows }
    let legend = rows[end...].dropFirst().drop { row in !signs.contains { row.hasPrefix(". \($0)") } }
    return legend.isEmpty ? Array(rows[..<end]) : Array(rows[...end] + legend)
  }

  /// With what the meaning of the signs in a table begins, and the reason why a table has not all of a machine.
  private static let signs = ["⟲ ", "ignored: ", "refused: ", "– ", "· ", "* ", "> ", "Partial: "]

  /// Moves, outputs, and what a timer or a wire brought.
  static func isWorthReporting(_ notice: ServerLine) -> Bool {
    guard notice.words.count > 3 else { return false }
    return switch notice.words[3] {
    case "moved", "output", "undone", "redone": true
    case "stayed", "ignored", "refused": notice["timer"] != nil || notice["wire"] != nil
    default: false
    }
  }
}
