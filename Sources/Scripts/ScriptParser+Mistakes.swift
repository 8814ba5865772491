import LineProtocol

/// Mistakes, and how to go on after them.
extension ScriptParser {
  /// The message of a mistake that only follows from another one. It is not reported.
  static let isConsequence = ""

  mutating func note(_ mistake: ScriptFailure) {
    guard mistake.message != Self.isConsequence, knownMistakes.count < ScriptLimits.countedMistakes,
      knownMistakes.insert(mistake).inserted
    else { return }
    if mistakes.count < ScriptLimits.mistakes { mistakes.append(mistake) }
    if knownMistakes.count == ScriptLimits.countedMistakes { stop() }
  }

  /// Leaves the rest of the script unread, with whatever it makes.
  mutating func stop() {
    hasEnded = true
    script.mayMakeOthers = (true, true)
  }

  /// A mistake after which nothing more is read.
  mutating func fatal(_ mistake: ScriptFailure) -> ScriptFailure {
    stop()
    return mistake
  }

  /// Opens the block, or defines the name, that a wrong line was meant to bring, so that the lines after it are no
  /// mistakes.
  mutating func recover(blocksBefore: Int, wasInDocument: Bool) {
    if wasInDocument { script.mayMakeOthers.kinds = true }
    guard !hasEnded, !wasInDocument else { return }
    var tokens = raw.split(maxSplits: 8) { $0 == 0x20 || $0 == 0x09 }.map { String(decoding: $0, as: UTF8.self) }[...]
    if tokens.first == "at" || tokens.first == "after" { tokens = tokens.dropFirst(2) }
    if tokens.first?.hasPrefix("@") == true { tokens = tokens.dropFirst() }
    let start = failure(at: 0, Self.isConsequence)
    let place = "\(start.file):\(line)"
    let word = tokens.popFirst() ?? ""
    let meant = Self.nearestWord(word) ?? word
    narrator.pass(over: meant)
    if !Self.isFirstWord(meant) || meant == "new" || meant == "include" { script.mayMakeOthers.machines = true }
    if ["define", "load", "include"].contains(meant) { script.mayMakeOthers.kinds = true }
    // After a mistyped word it is not sure that a block begins.
    func unclosed(_ message: String) -> ScriptFailure { meant == word ? failure(at: 0, message) : start }
    switch meant {
    case "repeat" where blocks.count == blocksBefore:
      let counter: String? =
        switch tokens.dropFirst().first {
        case "as": tokens.dropFirst(2).first
        case "in": tokens.first
        case _: nil
        }
      let name = counter.flatMap { names[$0] == nil ? $0 : nil }
      if let name { names[name] = ScriptName(meaning: .mistaken, place: place) }
      blocks.append((.repeats(step: nil, within: times, counter: name), unclosed(Self.unclosedRepeat)))
      loops.append(Loop(count: 1, counter: nil))
    case "begin" where blocks.count == blocksBefore && isInBatch:
      blocks.append((.mistakenBatch, start))
    case "begin" where blocks.count == blocksBefore:
      blocks.append((.batch, unclosed(Self.unclosedBatch)))
    case "try" where blocks.count == blocksBefore:
      blocks.append((.mistakenAttempt, unclosed("this 'try' has no 'end'")))
    case "define":
      document = OpenDocument(line: "", outcome: -1, start: start, lines: DocumentLines(isSkipped: true))
    case "case" where !isInSession && !isIncluded && script.heading == nil && blocks.isEmpty:
      beginCase(tokens.joined(separator: " "))
    case "let":
      guard let name = tokens.first, names[name] == nil else { return }
      names[name] = ScriptName(meaning: .mistaken, place: place)
    case "include":
      // Any name may be one of the file's.
      names[""] = ScriptName(meaning: .mistaken, place: place)
    default: break
    }
  }

  func checkBytes() throws(ScriptFailure) {
    guard raw.count <= ScriptLimits.line else {
      throw failure(at: 0, "this line has \(raw.count) bytes; at most \(ScriptLimits.line) are allowed")
    }
    guard !TextRules.isPlain(raw) else { return }
    var before = ""
    var decoder = Unicode.UTF8()
    var bytes = raw.makeIterator()
    while true {
      switch decoder.decode(&bytes) {
      case .emptyInput: return
      case .error: throw failure(after: before, "this is not valid UTF-8")
      case .scalarValue(let scalar):
        if scalar.value < 0x20 && scalar != "\t" || (0x7F...0x9F).contains(scalar.value) {
          throw failure(after: before, "a control character is not allowed; of these only tab is")
        }
        before.unicodeScalars.append(scalar)
      }
    }
  }

  /// An error at a byte offset of the current line.
  func failure(at start: Int, _ message: String) -> ScriptFailure {
    failure(after: String(decoding: raw.prefix(start), as: UTF8.self), message)
  }

  func failure(after text: String, _ message: String) -> ScriptFailure {
    ScriptFailure(file: script.sources[source].name, line: max(1, line), column: text.count + 1, message: message)
  }

  /// An error at a word; after the last word if there is none at this index.
  func failure(word place: Int, _ message: String) -> ScriptFailure {
    guard words.words.indices.contains(place) else {
      return failure(at: raw.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? 0, message)
    }
    return failure(at: words.words[place].start, message)
  }
}
