internal import Scripts

/// A script as a presenter shows it: what is said, asked, shown and played, in order.
struct Lesson: Equatable {
  enum Item: Equatable {
    /// Lines of Markdown.
    case text([String])
    /// Steps that are played together: those of a line, or of a block.
    case play(Range<Int>)
    /// A question about a line, whose steps are played after the answer.
    case ask(Script.Question)
    case picture(Script.Picture)
    case pause
    /// Free play; then its solution is played.
    case attempt(Script.Attempt)
  }

  private(set) var items: [Item] = []

  /// - Parameter showsRemarks: Whether the remarks of the script's own file are text, too.
  init(_ script: Script, showsRemarks: Bool = false) {
    var place = 0
    var lastSaid: Script.Narration?
    for narration in script.narration {
      while place < narration.step {
        let group = script.group(at: place)
        // What is said within a block is said before it.
        if group.upperBound > narration.step { break }
        items.append(.play(group))
        place = group.upperBound
      }
      switch narration.content {
      case .say(let line): say(line, narration, after: lastSaid)
      case .remark(let line): if showsRemarks { say(line, narration, after: lastSaid) }
      case .ask(let question):
        items.append(.ask(question))
        place = question.steps.upperBound
      case .picture(let picture): items.append(.picture(picture))
      case .pause: items.append(.pause)
      case .attempt(let attempt):
        items.append(.attempt(attempt))
        place = attempt.checks.upperBound
      }
      switch narration.content {
      case .say: lastSaid = narration
      case .remark: if showsRemarks { lastSaid = narration }
      case .ask, .picture, .pause, .attempt: lastSaid = nil
      }
    }
    while place < script.steps.count {
      let group = script.group(at: place)
      items.append(.play(group))
      place = group.upperBound
    }
  }

  /// Adds a line to the text before it, or begins one.
  private mutating func say(_ line: String, _ narration: Script.Narration, after last: Script.Narration?) {
    guard let last, case .text? = items.last, case .text(var lines)? = items.popLast() else {
      return items.append(.text([line]))
    }
    // An empty line of the file separates paragraphs, too.
    if last.source != narration.source || last.line + 1 != narration.line { lines.append("") }
    lines.append(line)
    items.append(.text(lines))
  }

  /// The step at which an item begins; for an item without steps, the step that is played next.
  func firstStep(of place: Int) -> Int {
    for item in items[..<place].reversed() {
      switch item {
      case .play(let steps): return steps.upperBound
      case .ask(let question): return question.steps.upperBound
      case .attempt(let attempt): return attempt.checks.upperBound
      case .text, .picture, .pause: continue
      }
    }
    return 0
  }

  /// How many minutes it takes, estimated: reading, thinking, trying.
  var minutes: Int {
    var seconds = 0
    for item in items {
      switch item {
      case .text(let lines):
        // 150 words a minute, as somebody reads aloud.
        seconds += lines.reduce(0) { $0 + $1.split(separator: " ").count } * 2 / 5
      case .play: seconds += 5
      case .ask: seconds += 25
      case .picture: seconds += 15
      case .pause: seconds += 2
      case .attempt: seconds += 90
      }
    }
    return max(1, (seconds + 30) / 60)
  }

  /// How many questions it has.
  var questions: Int {
    items.count { if case .ask = $0 { true } else { false } }
  }
}
