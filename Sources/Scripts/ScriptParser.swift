import LineProtocol
import Synchronization

/// Parses scripts: requests as at the prompt, with times, expectations, names, repeats and included files.
///
/// Docs/Scripts.md has the grammar. It checks everything that can be checked without a daemon. After a mistake it goes
/// on with the next line, and finds the others too; what only follows from a mistake is not reported.
package struct ScriptParser: ~Copyable {
  /// The result of reading a file.
  package enum Loaded {
    case bytes([UInt8])
    /// Why it cannot be read.
    case failed(String)
  }

  enum Block {
    /// The index of its step, if its line is right, how often the lines around it are played, and its counter's name.
    case repeats(step: Int?, within: Int, counter: String?)
    /// The lines are read once for each word.
    case each(Each)
    case batch
    /// A batch that cannot stand where it does, so that its `end` is no request.
    case mistakenBatch
    /// Free play; its lines are a solution.
    case attempt
    /// One that cannot stand where it does.
    case mistakenAttempt
  }

  /// A `repeat NAME in WORD…`.
  struct Each {
    let name: String
    /// The words that are left.
    var words: ArraySlice<String>
    /// Where its first line begins in the file, and the number of the line before it.
    let start: Int
    let line: Int
    /// The names before it. Those that its lines set end with each word.
    let names: [String: ScriptName]
  }

  struct OpenDocument {
    let line: String
    let outcome: Int32
    let start: ScriptFailure
    var lines = DocumentLines()
  }

  /// A repeat or a range around the current line.
  struct Loop {
    let count: Int
    /// Index in ``Script/counters``.
    let counter: Int?
  }

  let load: (String) -> Loaded
  /// Whether it is played in a session of somebody, who may go to another world with it.
  let isInSession: Bool
  var script = Script()
  var words = ScriptWords()
  var names: [String: ScriptName] = [:]
  var outcomes: [String: Int32] = [:]
  var blocks: [(block: Block, start: ScriptFailure)] = []
  var loops: [Loop] = []
  /// The loops of the current line's ranges.
  var rangeLoops: [Loop] = []
  var mistakes: [ScriptFailure] = []
  var knownMistakes: Set<ScriptFailure> = []
  /// Whether the rest of the script is not read.
  var hasEnded = false
  /// A document whose lines are being read, between `define` and `enddefine`.
  var document: OpenDocument?
  /// The files being read, each included by the one before it.
  var files: [String] = []
  /// How many files have been included.
  var inclusions = 0
  /// How often the current line is played.
  var times = 1
  var linesPlayed = 0
  /// How many lines are played before each case, and the names that they set; nil before the first case.
  var setUp: (lines: Int, names: [String: ScriptName])?
  var titles: Set<String> = []
  /// Whether the current line is an `expect?`.
  var isSoft = false
  /// Where the line after the current one begins in its file.
  var following = 0
  /// The block whose lines are read again after the current line.
  var again: Each?
  var linesAgain = 0
  var bytesRead = 0
  /// How many bytes the values of names have added so far.
  var expansion = 0
  var source = 0
  var line = 0
  // Safety: the current line in the bytes of its file, which `read` keeps alive while this is used.
  var raw = UnsafeRawBufferPointer(start: nil, count: 0)
  var narrator = Narrator()

  /// Keeps the value in memory, so that the compiler passes its address and not its fields one by one: it checks them
  /// in a third of the time.
  private let isAddressOnly = Atomic(true)

  init(isInSession: Bool, load: @escaping (String) -> Loaded) {
    self.isInSession = isInSession
    self.load = load
  }

  /// Parses a script with all files that it includes.
  ///
  /// - Parameters:
  ///   - name: The path of the file, for messages; included files are searched relative to it.
  ///   - isInSession: Whether it is played in a session, and not in a world of its own.
  ///   - load: Reads an included file.
  /// - Throws: All mistakes; of very many the first ones and their number.
  /// - Complexity: O(*n*) in the bytes of all files.
  package static func parse(
    _ name: String, _ bytes: [UInt8], isInSession: Bool = false, load: @escaping (String) -> Loaded
  ) throws(ScriptMistakes) -> Script {
    let (script, mistakes) = read(name, bytes, isInSession: isInSession, load: load)
    if let mistakes { throw mistakes }
    return script
  }

  /// The same.
  ///
  /// - Parameter values: Names that are set from outside; a `let` of one of them is skipped. The words are valid.
  /// - Returns: The script without the lines that are wrong, and their mistakes; nil if all is right.
  package static func read(
    _ name: String, _ bytes: [UInt8], isInSession: Bool = false, values: [String: String] = [:],
    load: @escaping (String) -> Loaded
  ) -> (script: Script, mistakes: ScriptMistakes?) {
    var parser = ScriptParser(isInSession: isInSession, load: load)
    parser.names = values.mapValues { ScriptName(meaning: .value($0), place: "--let", isFromOutside: true) }
    parser.read(name, bytes)
    parser.script.namesUsed = parser.words.used.intersection(values.keys)
    let (reported, count) = (parser.mistakes, parser.knownMistakes.count)
    let mistakes = ScriptMistakes(
      reported: reported, more: count - reported.count, isCut: count == ScriptLimits.countedMistakes)
    return (parser.script, count > 0 ? mistakes : nil)
  }

  mutating func takeWords() throws(ScriptFailure) {
    do throws(ScriptWords.Problem) {
      try words.read(raw, names: names)
    } catch {
      throw failure(at: error.start, error.message ?? Self.isConsequence)
    }
    expansion += max(0, words.written.count - raw.count)
    guard expansion <= ScriptLimits.expansion else {
      throw fatal(
        failure(at: 0, "the values of names make this script longer by more than \(ScriptLimits.expansion) bytes"))
    }
    try takeLine()
  }

  /// Parses a text as a line in the place of the current one.
  mutating func takePart(_ text: String) throws(ScriptFailure) {
    let whole = raw
    defer { raw = whole }
    let failed = Array(text.utf8).withUnsafeBytes { bytes -> ScriptFailure? in
      raw = bytes
      do throws(ScriptFailure) {
        try takeWords()
      } catch {
        return error
      }
      return nil
    }
    if let failed { throw failed }
  }

  // MARK: Steps

  /// Whether the current line is in an included file.
  var isIncluded: Bool { files.count > 1 }

  var isInBatch: Bool {
    blocks.contains { if case .batch = $0.block { true } else { false } }
  }

  var isInRepeat: Bool {
    blocks.contains {
      switch $0.block {
      case .repeats, .each: true
      case .batch, .mistakenBatch, .attempt, .mistakenAttempt: false
      }
    }
  }

  /// Whether the innermost block is one of free play.
  var isInAttempt: Bool {
    if case .attempt? = blocks.last?.block { true } else { false }
  }

  /// Appends a step that sends some words of the current line, once for each number of its ranges.
  ///
  /// - Parameters:
  ///   - before: Text to send before them.
  ///   - firstWord: The index of the step's first word in the line.
  ///   - isTime: Whether it is the time before a line, which has no ranges.
  mutating func append(
    _ action: Script.Action, words range: Range<Int>, before: StaticString = "", firstWord: Int, isTime: Bool = false
  ) throws(ScriptFailure) {
    let holes = filled(words.holes(in: range), inRanges: !isTime)
    let isCounted: Bool
    if case .request(_, let outcome) = action {
      isCounted = !holes.isEmpty || script.isCounted(outcome: outcome)
    } else {
      isCounted = !holes.isEmpty
    }
    let outer = isTime || rangeLoops.isEmpty ? nil : beginRanges()
    try count()
    script.append(
      action, request: words.written(range), before: before, holes: holes, isCounted: isCounted,
      origin(firstWord, isCounted: isCounted))
    if let outer { end(outer) }
  }

  /// Appends the check of an `expect` or a `never`, whose words begin at an index.
  mutating func append(_ check: Script.Check, from first: Int) throws(ScriptFailure) {
    script.checks.append(check)
    let range = first..<words.words.count
    let holes = words.holes(in: range)
    if !holes.isEmpty {
      script.countLastCheck(ScriptTemplate(bytes: Array(words.written(range)), holes: filled(holes)))
    }
    let outer = rangeLoops.isEmpty ? nil : beginRanges()
    try count()
    script.append(
      .check(Int32(script.checks.count - 1)), request: check.request.utf8, isCounted: !holes.isEmpty,
      origin(first, isCounted: !holes.isEmpty))
    if let outer { end(outer) }
  }

  /// Appends a step that sends nothing.
  mutating func append(_ action: Script.Action) throws(ScriptFailure) {
    try count()
    script.append(action, request: EmptyCollection(), origin(0))
  }

  func origin(_ firstWord: Int, isCounted: Bool = true) -> Script.Origin {
    var origin = Script.Origin(source: source, line: line, firstWord: firstWord, isSoft: isSoft)
    if !isCounted, words.hasValues {
      origin.expanded = Array(words.written(min(firstWord, words.words.count)..<words.words.count))
    }
    guard firstWord > 0, words.hasValues || !loops.isEmpty else { return origin }
    let holes = words.holes(in: 0..<firstWord)
    if words.hasValues || !holes.isEmpty {
      origin.countedTime = ScriptTemplate(bytes: Array(words.written(0..<firstWord)), holes: filled(holes))
    }
    return origin
  }

  mutating func count() throws(ScriptFailure) {
    linesPlayed += times
    guard linesPlayed <= ScriptLimits.lines else {
      throw fatal(
        failure(at: 0, "with all its repetitions this script has more than \(ScriptLimits.lines) lines"))
    }
  }
}
