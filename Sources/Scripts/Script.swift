package import LineProtocol

/// A parsed script: the requests in order, and the expectation for each.
///
/// The requests are stored as one run of bytes in the form in which they are sent, so that many can be sent at once.
package struct Script: Sendable {
  /// A file of the script: the script itself first, then the files that it includes.
  package struct Source: Sendable {
    package let name: String
    let bytes: [UInt8]
    /// Where each line begins, after the mark of the encoding that may stand before the first.
    var starts: [Int32] = []
    /// The line that includes it; nil for the script itself.
    var includedBy: (source: Int32, line: Int32)?

    /// How many lines it has.
    package var count: Int { starts.count }

    /// A line by its number, from 1, without its end.
    package func line(_ number: Int) -> ArraySlice<UInt8> {
      let line = bytes[Int(starts[number - 1])...].prefix { $0 != 0x0A }
      return line.last == 0x0D && line.endIndex < bytes.count ? line.dropLast() : line
    }
  }

  /// One thing to do.
  package struct Step: Sendable {
    /// Index of its file in ``Script/sources``.
    package let source: Int32
    /// Its line in the file, from 1.
    package let line: Int32
    package let action: Action
    fileprivate let start: Int
    fileprivate let length: Int32
    /// Whether its words depend on the turn, by a counter or a range.
    package let isCounted: Bool
    /// The index in its line of the first word of the step; 2 after a time.
    fileprivate let firstWord: UInt8
    /// Index in ``Script/countedTimes`` of the time before it; negative if that is as written.
    fileprivate let countedTime: Int32
    /// Index in ``Script/expanded`` of its words with the values of names; negative if it has none, or is counted.
    fileprivate let expanded: Int32
    /// Whether playing goes on if it fails: an `expect?`.
    package let isSoft: Bool
  }

  /// What is played in a world of its own: the whole script, or its set-up and a case.
  package struct Part: Sendable {
    /// The title of the case; nil for a script without cases.
    package let title: String?
    /// The steps before the first case, which are played before each.
    package let setUp: Range<Int>
    package let body: Range<Int>

    /// Whether a step belongs to it.
    package func contains(_ step: Int) -> Bool { setUp.contains(step) || body.contains(step) }
  }

  package enum Action: Sendable {
    /// A request. `outcome` is an index in ``Script/outcomes``; if negative, the request only must not fail.
    case request(Verb?, outcome: Int32)
    /// Index in ``Script/checks``; the step carries the request that the check needs, if any.
    case check(Int32)
    /// Repeats the steps up to `past` so many times; the last of them is the matching ``again``.
    case repeats(Int32, past: Int32)
    case again(first: Int32)
  }

  /// An `expect` or `never` that is not a request of the protocol.
  package enum Check: Hashable, Sendable {
    /// Exactly these timers run, in any order. Its request is `show`.
    case timers(machine: String, names: [String])
    /// A reading has a value. Its request is `show`.
    case reading(machine: String, name: String, Reading)
    /// No action and no guard of the machine has failed so far. Its request is `journal`.
    case noErrors(machine: String)
    /// An output is emitted within so many nanoseconds; without `within`, at the current time. It has no request.
    case output(machine: String, name: String, within: Int64?)
    /// So many per cent of the transitions of the kinds of such machines have been made. Its request is `coverage`.
    case coverage(pattern: String, percent: Int)
    /// The state never occurs from here to the end. Its requests are `watch` and `expect`.
    case never(machine: String, StateText)

    /// What it asks the daemon, with line ends; empty if nothing.
    package var request: String {
      switch self {
      case .timers(let machine, _), .reading(let machine, _, _): "show \(machine)\n"
      case .coverage(let pattern, _): "coverage \(pattern)\n"
      case .noErrors(let machine): "journal \(machine) what=all limit=1000000\n"
      case .output: ""
      // With two asterisks, no `unwatch` in a script is likely to name the same pattern.
      case .never(let machine, let state):
        "watch \(machine)** what=all\nexpect \(machine) \(Word.written(state.word))\n"
      }
    }
  }

  /// The expected value of a reading.
  package indirect enum Reading: Hashable, Sendable {
    case number(Double, tolerance: Double)
    /// A time, which was written with its unit.
    case seconds(Double, tolerance: Double)
    case text(String)
    /// Written in quotes: that text as JSON, as `show` has it, or the same without quotes.
    case quoted(String, or: Reading)
    /// The machine has no such reading now.
    case none
  }

  /// The seed of its world, if the script gives one.
  package internal(set) var seed: UInt64?
  /// The titles of the cases, and the first step of each.
  package internal(set) var cases: [(title: String, first: Int)] = []
  /// The names that are set from outside and that a line uses, or would set.
  package internal(set) var namesUsed: Set<String> = []
  package internal(set) var sources: [Source] = []
  package internal(set) var steps: [Step] = []
  package internal(set) var outcomes: [ScriptOutcome] = []
  package internal(set) var checks: [Check] = []
  /// The heading of a lesson; nil for any other script.
  package internal(set) var heading: Heading?
  /// What the script says to people, in the order of its lines.
  package internal(set) var narration: [Narration] = []
  /// Whether a line that could not be read may make machines, or kinds. So nobody knows which there are.
  package internal(set) var mayMakeOthers: (machines: Bool, kinds: Bool) = (false, false)
  /// Whether a request takes the world back, or forth again.
  package private(set) var goesBack = false
  var counters: [ScriptCounter] = []
  private var text: [UInt8] = []
  /// The places for numbers in the requests of counted steps, by where their bytes start.
  private var holes: [Int: [ScriptTemplate.Hole]] = [:]
  /// The words of outcomes and checks that depend on the turn, by their index.
  private var countedOutcomes: [Int32: ScriptTemplate] = [:]
  private var countedChecks: [Int32: ScriptTemplate] = [:]
  /// `at TIME` and `after DURATION` that depend on the turn, with the turns of the step after them.
  private var countedTimes: [ScriptTemplate] = []
  private var expanded: [[UInt8]] = []
  /// Where the document of a step stands, by the step's index: its file, and how many lines of the file are before it.
  private var documents: [Int: (file: String, linesBefore: Int)] = [:]

  /// The name of the script's own file.
  package var name: String { sources[0].name }

  /// All steps, for a script without cases.
  package var whole: Part { Part(title: nil, setUp: 0..<0, body: 0..<steps.count) }

  /// What is played, in the order of the lines; one part at least.
  package var parts: [Part] {
    guard let first = cases.first else { return [whole] }
    let ends = cases.dropFirst().map(\.first) + [steps.count]
    return zip(cases, ends).map { Part(title: $0.title, setUp: 0..<first.first, body: $0.first..<$1) }
  }

  /// The bytes that a step sends, with line ends; empty if it sends nothing. Valid within the call.
  ///
  /// - Parameter turn: How often the lines of the step have been played before, in all repeats and ranges around them.
  package func withRequest<R>(of step: Step, turn: Int32 = 0, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    guard step.isCounted else { return withBytes(of: step, body) }
    if case .check(let place) = step.action {
      var request = check(place, turn: turn).request
      return request.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
    let bytes = withBytes(of: step) {
      ScriptTemplate.filled($0, holes[step.start] ?? [], turn: turn, counters)
    }
    return bytes.withUnsafeBytes(body)
  }

  private func withBytes<R>(of step: Step, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    text.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[step.start..<(step.start + Int(step.length))])) }
  }

  /// The request of a step without the line end; of a document only the line before it.
  package func request(of step: Step, turn: Int32 = 0) -> String {
    withRequest(of: step, turn: turn) { bytes in
      if case .request(.define, _) = step.action { return String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self) }
      return String(decoding: bytes.dropLast(), as: UTF8.self)
    }
  }

  /// The line of a step that brings a document, without `bytes=`, and the document.
  package func definition(of step: Step) -> (line: String, document: [UInt8]) {
    withRequest(of: step) { bytes in
      let line = bytes.prefix { $0 != 0x0A }
      let words = String(decoding: line, as: UTF8.self).split(separator: " ").dropLast()
      return (words.joined(separator: " "), Array(bytes[(line.endIndex + 1)...]))
    }
  }

  /// Whether only the notices of a whole world tell what a step expects.
  package func needsNotices(_ step: Step) -> Bool {
    if case .check(let place) = step.action { checks[Int(place)].needsNotices } else { false }
  }

  /// The expected outcome of a request; nil if it only must not fail.
  package func outcome(of step: Step, turn: Int32) -> ScriptOutcome? {
    guard case .request(_, let place) = step.action, place >= 0 else { return nil }
    guard step.isCounted, let template = countedOutcomes[place] else { return outcomes[Int(place)] }
    let words = ScriptWords(template.filled(turn: turn, counters))
    return (try? words.outcome(after: 0)) ?? outcomes[Int(place)]
  }

  /// What a check expects.
  package func check(_ place: Int32, turn: Int32) -> Check {
    guard let template = countedChecks[place] else { return checks[Int(place)] }
    let words = ScriptWords(template.filled(turn: turn, counters))
    return (try? words.check(0)) ?? checks[Int(place)]
  }

  /// Patterns of the names of all machines whose outputs are expected in a part.
  package func namesWithOutputs(in part: Part) -> Set<String> {
    var names: Set<String> = []
    // Most scripts expect none, and can be long.
    guard checks.contains(where: { if case .output = $0 { true } else { false } }) else { return names }
    for steps in [steps[part.setUp], steps[part.body]] {
      for step in steps {
        guard case .check(let place) = step.action, case .output(let machine, _, _) = checks[Int(place)] else {
          continue
        }
        guard let template = countedChecks[place] else {
          names.insert("\(machine)**")
          continue
        }
        // In all turns.
        let words = ScriptWords(template.filled(with: "*"))
        names.insert("\(words.text(words.words[2]))**")
      }
    }
    return names
  }

  /// The lines that include the file of a step, the nearest first: `FILE:LINE: include …`.
  package func inclusions(of step: Step) -> [String] {
    var lines: [String] = []
    var source = step.source
    while let (outer, line) = sources[Int(source)].includedBy {
      lines.append("\(sources[Int(outer)].name):\(line): \(self.line(outer, line))")
      source = outer
    }
    return lines
  }

  /// `FILE:LINE` of a step.
  package func place(of step: Step) -> String { "\(sources[Int(step.source)].name):\(step.line)" }

  /// The line of a step as written in its file, without leading and trailing blanks.
  package func line(of step: Step) -> String { line(step.source, step.line) }

  /// The line of narration.
  package func line(of narration: Narration) -> String { line(narration.source, narration.line) }

  /// `FILE:LINE:COLUMN` of a word of narration, as the line stands.
  package func place(of narration: Narration, word: Int) -> String {
    let bytes = bytes(narration.source, narration.line)
    let words = bytes.indices.split { bytes[$0] == 0x20 || bytes[$0] == 0x09 }
    let before = bytes.prefix(words.dropFirst(word).first?.startIndex ?? 0)
    return
      "\(sources[Int(narration.source)].name):\(narration.line):\(String(decoding: before, as: UTF8.self).count + 1)"
  }

  private func line(_ source: Int32, _ number: Int32) -> String {
    let line = bytes(source, number).drop { $0 == 0x20 || $0 == 0x09 }
    let end = line.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? line.startIndex
    return String(decoding: line[..<end], as: UTF8.self)
  }

  /// What a step does in this turn; nil if it is the same in each.
  package func played(_ step: Step, turn: Int32) -> String? {
    guard step.isCounted else { return nil }
    guard case .check(let place) = step.action else { return request(of: step, turn: turn) }
    return countedChecks[place].map { String(decoding: $0.filled(turn: turn, counters), as: UTF8.self) }
  }

  /// The line of a step as played in this turn, with its time; nil if it is as written.
  package func playedLine(of step: Step, turn: Int32) -> String? {
    let line = bytes(step.source, step.line)
    let words = ScriptWords(line)
    let isExpanded = step.expanded >= 0
    let played =
      played(step, turn: turn) ?? (isExpanded ? String(decoding: expanded[Int(step.expanded)], as: UTF8.self) : nil)
    if isTime(step, words) {
      return isExpanded || step.isCounted
        ? ScriptTime.written(fromRequest: request(of: step, turn: turn)) ?? played : nil
    }
    guard played != nil || step.countedTime >= 0 else { return nil }
    let start = words.words.dropFirst(Int(step.firstWord)).first?.start ?? line.endIndex
    let body = played ?? String(decoding: line[start...], as: UTF8.self)
    guard step.firstWord > 0, words.isWord(0, "at") || words.isWord(0, "after") else { return body }
    let time =
      step.countedTime >= 0
      ? String(decoding: countedTimes[Int(step.countedTime)].filled(turn: turn, counters), as: UTF8.self)
      : words.words.prefix(2).map { words.text($0) }.joined(separator: " ")
    return "\(time) \(body)"
  }

  private func isTime(_ step: Step, _ words: borrowing ScriptWords) -> Bool {
    step.firstWord == 0 && (words.isWord(0, "at") || words.isWord(0, "after"))
  }

  /// The column, from 1, at which a word of a step stands in its line, or at which the step begins.
  ///
  /// - Parameter word: Its index in what the step does, of which the outcome is a part.
  package func column(of step: Step, word: Int) -> Int {
    let bytes = bytes(step.source, step.line)
    let words = ScriptWords(bytes)
    // A time stands in the line in another form than in its request.
    let place = isTime(step, words) ? 1 : Int(step.firstWord) + word
    // `point STATE` stands for a request with one word more.
    let isPoint = place == words.words.count && words.isWord(0, "point")
    guard
      let word = isPoint
        ? words.words.last
        : words.words.indices.contains(place)
          ? words.words[place] : words.words.dropFirst(Int(step.firstWord)).first
    else { return 1 }
    return String(decoding: bytes.prefix(word.start), as: UTF8.self).count + 1
  }

  /// The index of `=>`, counted from the first word of the step.
  package func arrow(of step: Step) -> Int {
    let words = ScriptWords(bytes(step.source, step.line))
    let arrow = try? words.arrow(from: Int(step.firstWord))
    return (arrow ?? words.words.count) - Int(step.firstWord)
  }

  /// The index of the word that a failure names; the index of the verb if it names none.
  package func word(of step: Step, turn: Int32, wrongFor failure: ServerLine) -> Int {
    let words = ScriptWords(Array(request(of: step, turn: turn).utf8))
    let verb = words.words.first.map { words.bytes($0).first == WordScanner.at } == true ? 1 : 0
    func place(_ text: String?, isKey: Bool = false) -> Int? {
      guard let text else { return nil }
      return words.words.indices.dropFirst(verb + 1).first { place in
        let word = words.words[place]
        return isKey ? !word.isPlain && words.key(word) == text : words.text(word) == text
      }
    }
    if failure.code == FailureCode.timeout.word { return min(verb + 2, words.words.count - 1) }
    let subject = failure.code.split(separator: "-").last.map { $0.lowercased() }
    return subject.flatMap { place(failure[$0]) } ?? place(failure["argument"], isKey: true) ?? place(failure["got"])
      ?? place(failure["event"]) ?? place(failure["timer"]) ?? place(failure["expected"]) ?? place(failure["machine"])
      ?? verb
  }

  private func bytes(_ source: Int32, _ number: Int32) -> [UInt8] { Array(sources[Int(source)].line(Int(number))) }

  /// What the daemon says of a document, `. LINE:COLUMN SEVERITY : TEXT`, with the place in the file that it stands in:
  /// `FILE:LINE:COLUMN: SEVERITY: TEXT`. Another row stays as it is.
  package func finding(_ row: String, atStep place: Int) -> String {
    guard let document = documents[place], let line = ServerLine(row), line.words.count > 1 else { return row }
    let numbers = line.words[0].split(separator: ":").compactMap { Int($0) }
    guard numbers.count == 2 else { return row }
    return "\(document.file):\(numbers[0] + document.linesBefore):\(numbers[1]): \(line.words[1]): \(line.note ?? "")"
  }

  /// Mistakes of the script and its files, `FILE:LINE:COLUMN: TEXT`, in the order of their places; others after them.
  package func inOrder(_ mistakes: [String]) -> [String] {
    func place(_ mistake: String) -> (Int, Int, Int)? {
      for (number, source) in sources.enumerated() where mistake.hasPrefix("\(source.name):") {
        let rest = mistake.dropFirst(source.name.count + 1).split(separator: ":", maxSplits: 2)
        if rest.count == 3, let line = Int(rest[0]), let column = Int(rest[1]) { return (number, line, column) }
      }
      return nil
    }
    let last = (Int.max, 0, 0)
    return mistakes.enumerated().map { (key: place($0.element) ?? last, offset: $0.offset, text: $0.element) }
      .sorted { ($0.key.0, $0.key.1, $0.key.2, $0.offset) < ($1.key.0, $1.key.1, $1.key.2, $1.offset) }.map(\.text)
  }

  /// Says where the document of the last step stands.
  mutating func placeDocument(in file: String, linesBefore: Int) {
    documents[steps.count - 1] = (file, linesBefore)
  }

  /// Where a step stands: its file, its line, and the index of its first word in it.
  struct Origin {
    let source: Int
    let line: Int
    let firstWord: Int
    var isSoft = false
    /// The time before the step, if it is not as written.
    var countedTime: ScriptTemplate?
    /// The words of the step with the values of names, if it has any.
    var expanded: [UInt8]?
  }

  /// Appends a step.
  ///
  /// - Parameter isCounted: Whether a check depends on the turn.
  mutating func append(
    _ action: Action, request: some Sequence<UInt8>, isCounted: Bool = false, _ origin: Origin
  ) {
    let start = text.count
    text.append(contentsOf: request)
    append(action, from: start, isCounted: isCounted, origin)
  }

  /// Appends a step with a request.
  ///
  /// - Parameters:
  ///   - before: Text to send before it.
  ///   - holes: Places in the request for numbers.
  mutating func append(
    _ action: Action, request: UnsafeRawBufferPointer, before: StaticString, holes: [ScriptTemplate.Hole],
    isCounted: Bool, _ origin: Origin
  ) {
    let start = text.count
    before.withUTF8Buffer { text.append(contentsOf: $0) }
    text.append(contentsOf: request)
    text.append(0x0A)
    if !holes.isEmpty {
      self.holes[start] = holes.map {
        ScriptTemplate.Hole(
          offset: $0.offset + before.utf8CodeUnitCount, length: $0.length, counter: $0.counter, turns: $0.turns)
      }
    }
    append(action, from: start, isCounted: isCounted, origin)
  }

  private mutating func append(_ action: Action, from start: Int, isCounted: Bool, _ origin: Origin) {
    if let time = origin.countedTime { countedTimes.append(time) }
    if let words = origin.expanded { expanded.append(words) }
    if case .request(let verb?, _) = action, verb.goesBack { goesBack = true }
    steps.append(
      Step(
        source: Int32(origin.source), line: Int32(origin.line), action: action, start: start,
        length: Int32(text.count - start), isCounted: isCounted, firstWord: UInt8(clamping: origin.firstWord),
        countedTime: origin.countedTime == nil ? -1 : Int32(countedTimes.count - 1),
        expanded: origin.expanded == nil ? -1 : Int32(expanded.count - 1), isSoft: origin.isSoft))
  }

  /// Says that the last check, or the last outcome, depends on the turn.
  mutating func countLastCheck(_ template: ScriptTemplate) { countedChecks[Int32(checks.count - 1)] = template }
  mutating func countLastOutcome(_ template: ScriptTemplate) { countedOutcomes[Int32(outcomes.count - 1)] = template }

  func isCounted(outcome place: Int32) -> Bool { !countedOutcomes.isEmpty && countedOutcomes[place] != nil }

  /// Sets the end of the `repeat` step at `place` to the next step.
  mutating func close(repeatAt place: Int) {
    guard case .repeats(let count, _) = steps[place].action else { return }
    let step = steps[place]
    steps[place] = Step(
      source: step.source, line: step.line, action: .repeats(count, past: Int32(steps.count)), start: step.start,
      length: step.length, isCounted: false, firstWord: step.firstWord, countedTime: step.countedTime,
      expanded: step.expanded, isSoft: false)
  }
}

extension Verb {
  /// Whether the world goes back with it, or forth again.
  package var goesBack: Bool { self == .undo || self == .redo || self == .goto }
}

/// Size limits of a script.
package enum ScriptLimits {
  /// Bytes of a line, without its end and with names replaced; the same as for a request.
  package static let line = 65_536
  /// Bytes of a script with all files that it includes, each file counted as often as it is included.
  package static let file = 256 << 20
  /// Depth of includes, the script itself counted.
  package static let includes = 16
  /// Files included, each counted as often as it is included.
  package static let inclusions = 10_000
  /// Count of one `repeat`.
  package static let times = 1_000_000
  /// Lines played, with every `repeat` expanded.
  package static let lines = 10_000_000
  /// Ranges in one line.
  package static let ranges = 8
  /// Depth of blocks.
  package static let blocks = 32
  /// Cases of a script.
  package static let cases = 100_000
  /// Lines read again for the words of a `repeat NAME in`.
  package static let linesAgain = 1_000_000
  /// Names defined by `let`.
  package static let names = 10_000
  /// Bytes of the value of a name.
  package static let value = 4_096
  /// Bytes that the values of names add to all lines together.
  package static let expansion = 16 << 20
  /// How many mistakes of a script are reported.
  package static let mistakes = 50
  /// How many mistakes are counted before the rest of a script is left unread.
  package static let countedMistakes = 1_000
  /// The file name ending of an included file.
  package static let ending = ".fsm"

  /// Whether a text can be the name of a value.
  package static func isName(_ text: String) -> Bool { ScriptName.isName(text) }

  /// Whether a text can be the value of a name.
  package static func isValue(_ text: String) -> Bool {
    text.utf8.count <= value
      && text.unicodeScalars.allSatisfy { $0 == "\t" || $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
  }
}

/// An error in a script, and its position.
package struct ScriptFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package let file: String
  /// From 1.
  package let line: Int
  /// In characters, from 1.
  package let column: Int
  /// What was found and what is allowed.
  package let message: String

  package init(file: String, line: Int, column: Int, message: String) {
    self.file = file
    self.line = line
    self.column = column
    self.message = message
  }

  package var description: String { "\(file):\(line):\(column): \(message)" }
}

/// All mistakes of a script and of the files that it includes.
package struct ScriptMistakes: Error, Hashable, Sendable, CustomStringConvertible {
  /// In the order in which they were found; at most ``ScriptLimits/mistakes``.
  package let reported: [ScriptFailure]
  /// How many there are besides.
  package let more: Int
  /// Whether the rest of the script was not read, because there are too many.
  package let isCut: Bool

  /// A line for each that is reported, and one for the others.
  package var lines: [String] {
    var lines = reported.map { "\($0)" }
    if more > 0, let file = reported.first?.file {
      let number = "\(more) more mistake\(more == 1 ? "" : "s")"
      lines.append(isCut ? "\(file): at least \(number); the rest was not read" : "\(file): \(number)")
    }
    return lines
  }

  package var description: String { lines.joined(separator: "\n") }
}
