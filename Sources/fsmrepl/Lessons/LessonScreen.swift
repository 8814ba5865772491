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
  private var shown = 0
  private var leftOut = 0
  private var width: Int?

  /// How many answers and events of a line, or of a block, are shown.
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
    shown = 0
    leftOut = 0
  }

  mutating func take(notice line: String) {
    if let notice = ServerLine(line) { notices.append(notice) }
  }

  /// What is left to say of a line.
  mutating func end() -> ScreenText {
    guard leftOut > 0 else { return "" }
    return "\(style(.quiet, "and \(leftOut) more"))\n"
  }

  /// The answer to a step, and before it what happened besides its own input.
  ///
  /// - Parameter isLast: Whether it is the last step of its line; that time passes before it needs no answer.
  mutating func show(
    _ script: Script, _ step: Script.Step, _ rows: [String], _ last: String?, isLast: Bool
  ) -> ScreenText {
    defer { notices = [] }
    var text = ScreenText()
    guard let last else { return "\(style(.good, style.usesUnicode ? "✓" : "ok"))\n" }
    let reply = ServerLine(last)
    var own: String?
    if case .request(let verb?, _) = step.action, [.send, .fire, .new, .drop].contains(verb) { own = reply?["seq"] }
    for notice in notices where notice.words.first != own && Self.isWorthTelling(notice) {
      guard let event = wording.event(notice, showsSequence: false), count() else { continue }
      text += "\(event.wrapped(width: width))\n"
    }
    guard isLast || reply?.lineClass == .failure, count() else { return text }
    if case .request(.point, _) = step.action, reply?.lineClass == .success {
      let words = RequestText(script.request(of: step)).words
      let look = style(.attention, "\(style.arrow) \(words.first ?? ""): look at \(words.last ?? "")")
      return "\(text)\(look.wrapped(width: width))\n"
    }
    if case .check = step.action {
      let isFine = reply?.lineClass == .success
      return isFine ? "\(text)\(style(.good, style.usesUnicode ? "✓" : "ok"))\n" : text
    }
    return "\(text)\(show(script.request(of: step), rows, last, width))"
  }

  /// An answer in the words of the prompt.
  mutating func show(_ request: String, _ rows: [String], _ last: String, _ width: Int?) -> ScreenText {
    let parts = RequestText(request)
    let asked = Conversation.Asked(
      tag: parts.tag, isOurTag: true, text: request, verb: parts.verb.flatMap(Verb.named), words: parts.words,
      asker: .user, origin: "")
    var text = ScreenText()
    for row in rows + [last] {
      guard let line = ServerLine(row) ?? ServerLine(whole: row) else { continue }
      text += presenter.show(Conversation.Received(line: line, asked: asked), raw: RawLine(row))
    }
    return text
  }

  private mutating func count() -> Bool {
    shown += 1
    if shown > Self.most { leftOut += 1 }
    return shown <= Self.most
  }

  /// Moves, outputs, and what a timer or a wire brought.
  private static func isWorthTelling(_ notice: ServerLine) -> Bool {
    guard notice.words.count > 3 else { return false }
    return switch notice.words[3] {
    case "moved", "output", "undone", "redone": true
    case "stayed", "ignored", "refused": notice["timer"] != nil || notice["wire"] != nil
    default: false
    }
  }
}
