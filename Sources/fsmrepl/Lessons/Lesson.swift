internal import LineProtocol
internal import Scripts

/// A script as a presenter shows it: what is said, asked, shown and played, in order.
struct Lesson: Equatable {
  enum Item: Equatable {
    /// Lines of Markdown.
    case text([String])
    /// Steps that are played together: those of a line, or of a block.
    case play(Range<Int>)
    /// A question about a line, whose steps are played behind the answer.
    case ask(Script.Question)
    case picture(Script.Picture)
    case pause
    /// Free play; then its solution is played.
    case attempt(Script.Attempt)
  }

  private(set) var items: [Item] = []

  /// - Parameter showsRemarks: Whether the remarks of the script's own file are text, too.
  init(_ script: Script, showsRemarks: Bool = false) {
    var narration = script.narration
    if showsRemarks {
      narration += script.remarks
      narration.sort { ($0.step, $0.source, $0.line) < ($1.step, $1.source, $1.line) }
    }
    var place = 0
    var lastSaid: Script.Narration?
    for told in narration {
      while place < told.step {
        let group = script.group(at: place)
        // What is said within a block is said before it.
        if group.upperBound > told.step { break }
        items.append(.play(group))
        place = group.upperBound
      }
      switch told.content {
      case .say(let line): say(line, told, after: lastSaid)
      case .ask(let question):
        items.append(.ask(question))
        place = question.steps.upperBound
      case .picture(let picture): items.append(.picture(picture))
      case .pause: items.append(.pause)
      case .attempt(let attempt):
        items.append(.attempt(attempt))
        place = attempt.checks.upperBound
      }
      if case .say = told.content { lastSaid = told } else { lastSaid = nil }
    }
    while place < script.steps.count {
      let group = script.group(at: place)
      items.append(.play(group))
      place = group.upperBound
    }
  }

  /// Adds a line to the text before it, or begins one.
  private mutating func say(_ line: String, _ told: Script.Narration, after last: Script.Narration?) {
    guard let last, case .text(var lines)? = items.last else { return items.append(.text([line])) }
    // An empty line of the file separates paragraphs, too.
    if last.source != told.source || last.line + 1 != told.line { lines.append("") }
    items[items.count - 1] = .text(lines + [line])
  }

  /// The step at which an item begins; of text that of the next item with steps.
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

  /// How many minutes it takes, estimated: reading aloud, thinking, trying.
  var minutes: Int {
    var seconds = 0
    for item in items {
      switch item {
      case .text(let lines):
        // Two words a second.
        seconds += lines.reduce(0) { $0 + $1.split(separator: " ").count } / 2
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

extension Script {
  /// The steps that are played together with the one at a place, which is the first of them.
  func group(at place: Int) -> Range<Int> {
    let first = steps[place]
    var end = place
    while end < steps.count, steps[end].source == first.source, steps[end].line == first.line {
      switch steps[end].action {
      case .repeats(_, let past): return place..<Int(past)
      case .request(.begin, _): return place..<endOfBatch(from: end)
      case .request, .check, .again: end += 1
      }
    }
    return place..<end
  }

  private func endOfBatch(from place: Int) -> Int {
    for end in place..<steps.count {
      if case .request(.end, _) = steps[end].action { return end + 1 }
    }
    return steps.count
  }

  /// The lines of the file that some steps stand in, without outcomes; a document with the first of its lines.
  func lines(of range: Range<Int>) -> [String] {
    guard let first = range.first.map({ steps[$0] }), let last = range.last.map({ steps[$0] }) else { return [] }
    if case .request(.define, _) = first.action { return document(from: first) }
    let isOneFile = steps[range].allSatisfy { $0.source == first.source }
    guard first.line < last.line, isOneFile else { return [withoutOutcome(line(of: first), steps[range])] }
    let lines = sources[Int(first.source)].bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    return (first.line...last.line).map { number in
      let line = String(decoding: lines[Int(number) - 1], as: UTF8.self)
      return Self.beforeArrow(String(line.reversed().drop { $0 == " " || $0 == "\t" || $0 == "\r" }.reversed()))
    }
  }

  /// A `load`, or a `define` with its document.
  private func document(from step: Step) -> [String] {
    let first = Self.beforeArrow(line(of: step))
    guard !first.hasPrefix("load") else { return [first] }
    let lines = sources[Int(step.source)].bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
      .dropFirst(Int(step.line)).prefix(Self.mostLinesOfDocument + 1).map {
        String(decoding: $0.filter { $0 != 0x0D }, as: UTF8.self)
      }
    let end = lines.firstIndex { $0.drop { $0 == " " || $0 == "\t" } == "enddefine" }
    return [first] + (end.map { Array(lines[...$0]) } ?? lines.dropLast() + ["…"])
  }

  private static let mostLinesOfDocument = 40

  /// A line without its outcome; one with names with their values.
  private func withoutOutcome(_ line: String, _ steps: ArraySlice<Step>) -> String {
    guard line.contains("$"), let last = steps.last else { return Self.beforeArrow(line) }
    guard case .request = last.action, steps.count == 1 else { return Self.beforeArrow(line) }
    return request(of: last)
  }

  private static func beforeArrow(_ line: String) -> String {
    guard line.contains("=>"), let arrow = RequestText.split(line).first(where: { $0 == "=>" }) else { return line }
    let text = line[..<arrow.startIndex]
    return String(text.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
  }

  /// The remarks of the script's own file as narration. Within documents there are none.
  fileprivate var remarks: [Narration] {
    var remarks: [Narration] = []
    var isInDocument = false
    var next = 0
    let own = steps.indices.filter { steps[$0].source == 0 }
    let lines = sources[0].bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    for (place, bytes) in lines.enumerated() {
      let line = Int32(place + 1)
      let text = bytes.drop { $0 == 0x20 || $0 == 0x09 }
      while next < own.count, steps[own[next]].line < line { next += 1 }
      if isInDocument {
        isInDocument = !text.starts(with: "enddefine".utf8)
      } else if text.first == UInt8(ascii: "#") {
        let said = String(decoding: text.drop { $0 == UInt8(ascii: "#") }, as: UTF8.self).filter { $0 != "\r" }
        remarks.append(
          Narration(
            source: 0, line: line, step: next < own.count ? own[next] : steps.count,
            content: .say(String(said.drop { $0 == " " }))))
      } else if next < own.count, steps[own[next]].line == line, case .request(.define, _) = steps[own[next]].action,
        text.starts(with: "define".utf8) || text.first == UInt8(ascii: "@")
      {
        isInDocument = true
      }
    }
    return remarks
  }
}
