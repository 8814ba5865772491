import LineProtocol

/// Parses scripts: requests as at the prompt, with times, expectations, names, repeats and included files.
///
/// Docs/Scripts.md has the grammar. It checks everything that can be checked without a daemon. Behind a mistake it goes
/// on with the next line, and finds the others too; what only follows from a mistake is not told.
package struct ScriptParser: ~Copyable {
  /// The result of reading a file.
  package enum Loaded {
    case bytes([UInt8])
    /// Why it cannot be read.
    case failed(String)
  }

  private enum Block {
    /// The index of its step, if its line is right, how often the lines around it are played, and its counter's name.
    case repeats(step: Int?, within: Int, counter: String?)
    case batch
    /// A batch that cannot stand where it does, so that its `end` is no request.
    case mistakenBatch
    /// Free play; its lines are a solution.
    case attempt
    /// One that cannot stand where it does.
    case mistakenAttempt
  }

  private struct OpenDocument {
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

  private let load: (String) -> Loaded
  /// Whether it is played in a session of somebody, who may go to another world with it.
  let isInSession: Bool
  var script = Script()
  var words = ScriptWords()
  var names: [String: ScriptName] = [:]
  var outcomes: [String: Int32] = [:]
  private var blocks: [(block: Block, start: ScriptFailure)] = []
  private var loops: [Loop] = []
  /// The loops of the current line's ranges.
  private(set) var rangeLoops: [Loop] = []
  private var mistakes: [ScriptFailure] = []
  private var knownMistakes: Set<ScriptFailure> = []
  /// Whether the rest of the script is not read.
  private var hasEnded = false
  /// A document whose lines are being read, between `define` and `enddefine`.
  private var document: OpenDocument?
  /// The files being read, each included by the one before it.
  private var files: [String] = []
  /// How many files have been included.
  private var inclusions = 0
  /// How often the current line is played.
  private var times = 1
  private var linesPlayed = 0
  private var bytesRead = 0
  /// How many bytes the values of names have added so far.
  private var expansion = 0
  var source = 0
  var line = 0
  // Safety: the current line in the bytes of its file, which `read` keeps alive while this is used.
  private(set) var raw = UnsafeRawBufferPointer(start: nil, count: 0)
  var narrator = Narrator()

  private init(isInSession: Bool, load: @escaping (String) -> Loaded) {
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
    _ name: String, _ bytes: [UInt8], isInSession: Bool = false, load: (String) -> Loaded
  ) throws(ScriptMistakes) -> Script {
    let (script, mistakes) = read(name, bytes, isInSession: isInSession, load: load)
    if let mistakes { throw mistakes }
    return script
  }

  /// The same.
  ///
  /// - Returns: The script without the lines that are wrong, and their mistakes; nil if all is right.
  package static func read(
    _ name: String, _ bytes: [UInt8], isInSession: Bool = false, load: (String) -> Loaded
  ) -> (script: Script, mistakes: ScriptMistakes?) {
    withoutActuallyEscaping(load) { load in
      var parser = ScriptParser(isInSession: isInSession, load: load)
      parser.read(name, bytes)
      let (told, count) = (parser.mistakes, parser.knownMistakes.count)
      let mistakes = ScriptMistakes(
        told: told, more: count - told.count, isCut: count == ScriptLimits.countedMistakes)
      return (parser.script, count > 0 ? mistakes : nil)
    }
  }

  // MARK: Files and lines

  private mutating func read(_ file: String, _ bytes: [UInt8]) {
    source = script.sources.count
    script.sources.append(Script.Source(name: file, bytes: bytes))
    files.append(file)
    let outer = blocks.count
    line = 0
    bytesRead += bytes.count
    guard bytesRead <= ScriptLimits.file else {
      return note(
        fatal(
          failure(at: 0, "with this file the script has \(bytesRead) bytes; at most \(ScriptLimits.file) are read")))
    }
    bytes.withUnsafeBytes { readLines($0) }
    if !hasEnded, let missing = missingNarration() { note(missing) }
    files.removeLast()
    guard !hasEnded else { return }
    if let document, !document.lines.isSkipped {
      note(document.start)
      script.mayMakeOthers.kinds = true
    }
    document = nil
    while blocks.count > outer, let open = blocks.popLast() {
      note(open.start)
      leave(open.block)
    }
  }

  private mutating func readLines(_ bytes: UnsafeRawBufferPointer) {
    // Some editors write a byte order mark before the first line.
    var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while start < bytes.count, !hasEnded {
      let lineFeed = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
      var end = lineFeed
      if end > start, bytes[end - 1] == 0x0D { end -= 1 }
      raw = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
      script.sources[source].starts.append(Int32(start))
      start = lineFeed + 1
      line += 1
      let open = (blocks.count, document != nil)
      do throws(ScriptFailure) {
        if document != nil {
          try takeDocumentLine()
        } else if let first = raw.first(where: { $0 != 0x20 && $0 != 0x09 }) {
          try checkBytes()
          if first == WordScanner.hash {
            takeRemark()
            continue
          }
          if try takeNarration() { continue }
          try takeWords()
          try finishLine()
        }
      } catch {
        note(error)
        recover(blocksBefore: open.0, wasInDocument: open.1)
      }
    }
  }

  private mutating func takeWords() throws(ScriptFailure) {
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

  // MARK: Mistakes

  /// The message of a mistake that only follows from another one. It is not told.
  static let isConsequence = ""

  private mutating func note(_ mistake: ScriptFailure) {
    guard mistake.message != Self.isConsequence, knownMistakes.count < ScriptLimits.countedMistakes,
      knownMistakes.insert(mistake).inserted
    else { return }
    if mistakes.count < ScriptLimits.mistakes { mistakes.append(mistake) }
    if knownMistakes.count == ScriptLimits.countedMistakes { stop() }
  }

  /// Leaves the rest of the script unread, with whatever it makes.
  private mutating func stop() {
    hasEnded = true
    script.mayMakeOthers = (true, true)
  }

  /// A mistake behind which nothing more is read.
  private mutating func fatal(_ mistake: ScriptFailure) -> ScriptFailure {
    stop()
    return mistake
  }

  /// Opens the block, or defines the name, that a wrong line was meant to bring, so that the lines behind it are no
  /// mistakes.
  private mutating func recover(blocksBefore: Int, wasInDocument: Bool) {
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
    // Behind a mistyped word it is not sure that a block begins.
    func unclosed(_ message: String) -> ScriptFailure { meant == word ? failure(at: 0, message) : start }
    switch meant {
    case "repeat" where blocks.count == blocksBefore:
      let counter = tokens.count > 2 && tokens.dropFirst().first == "as" ? tokens.dropFirst(2).first : nil
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
    case "let":
      guard let name = tokens.first, names[name] == nil else { return }
      names[name] = ScriptName(meaning: .mistaken, place: place)
    case "include":
      // Any name may be one of the file's.
      names[""] = ScriptName(meaning: .mistaken, place: place)
    default: break
    }
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

  private func checkBytes() throws(ScriptFailure) {
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
      case .error: throw failure(behind: before, "this is not valid UTF-8")
      case .scalarValue(let scalar):
        if scalar.value < 0x20 && scalar != "\t" || (0x7F...0x9F).contains(scalar.value) {
          throw failure(behind: before, "a control character is not allowed; of these only tab is")
        }
        before.unicodeScalars.append(scalar)
      }
    }
  }

  /// An error at a byte offset of the current line.
  func failure(at start: Int, _ message: String) -> ScriptFailure {
    failure(behind: String(decoding: raw.prefix(start), as: UTF8.self), message)
  }

  private func failure(behind text: String, _ message: String) -> ScriptFailure {
    ScriptFailure(file: script.sources[source].name, line: max(1, line), column: text.count + 1, message: message)
  }

  /// An error at a word; after the last word if there is none at this index.
  func failure(word place: Int, _ message: String) -> ScriptFailure {
    guard words.words.indices.contains(place) else {
      return failure(at: raw.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? 0, message)
    }
    return failure(at: words.words[place].start, message)
  }

  // MARK: Steps

  /// Whether the current line is in an included file.
  var isIncluded: Bool { files.count > 1 }

  var isInBatch: Bool {
    blocks.contains { if case .batch = $0.block { true } else { false } }
  }

  var isInRepeat: Bool {
    blocks.contains { if case .repeats = $0.block { true } else { false } }
  }

  /// Whether the innermost block is one of free play.
  var isInAttempt: Bool {
    if case .attempt? = blocks.last?.block { true } else { false }
  }

  /// The same, or of one that is a mistake.
  var isInAnyAttempt: Bool {
    if case .mistakenAttempt? = blocks.last?.block { true } else { isInAttempt }
  }

  /// Appends a step that sends some words of the current line, once for each number of its ranges.
  ///
  /// - Parameters:
  ///   - before: Text to send before them.
  ///   - firstWord: The index of the step's first word in the line; 0 for the time before it, which has no ranges.
  mutating func append(
    _ action: Script.Action, words range: Range<Int>, before: StaticString = "", firstWord: Int
  ) throws(ScriptFailure) {
    let isTime = firstWord < range.lowerBound
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
      action, request: words.written(range), before: before, holes: holes, isCounted: isCounted, origin(firstWord))
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
      .check(Int32(script.checks.count - 1)), request: check.request.utf8, isCounted: !holes.isEmpty, origin(first))
    if let outer { end(outer) }
  }

  /// Appends a step that sends nothing.
  private mutating func append(_ action: Script.Action) throws(ScriptFailure) {
    try count()
    script.append(action, request: EmptyCollection(), origin(0))
  }

  private func origin(_ firstWord: Int) -> Script.Origin {
    Script.Origin(source: source, line: line, firstWord: firstWord)
  }

  private mutating func count() throws(ScriptFailure) {
    linesPlayed += times
    guard linesPlayed <= ScriptLimits.lines else {
      throw fatal(
        failure(at: 0, "with all its repetitions this script has more than \(ScriptLimits.lines) lines"))
    }
  }

  // MARK: Counters and ranges

  /// Makes counters of the ranges of the current line.
  mutating func countRanges() {
    rangeLoops = words.ranges.map { range in
      script.counters.append(range)
      return Loop(count: range.count, counter: script.counters.count - 1)
    }
  }

  /// Checks that words have no range.
  func checkRanges(in range: Range<Int>) throws(ScriptFailure) {
    for hole in words.holes(in: range) {
      guard case .range = hole.source else { continue }
      throw failure(
        word: hole.word, "a range can stand only in a request or an expectation; in quotes it is a plain word")
    }
  }

  /// Checks that words are the same each time that they are played.
  func checkFixed(_ range: Range<Int>) throws(ScriptFailure) {
    try checkRanges(in: range)
    for hole in words.holes(in: range) {
      guard case .counter(let counter) = hole.source else { continue }
      throw failure(word: hole.word, "'$\(script.counters[counter].name)' counts, so it cannot stand here")
    }
  }

  /// Places for numbers, with how they follow from the turn.
  ///
  /// - Parameter inRanges: Whether the step is played for each number of the line's ranges.
  func filled(_ holes: [ScriptWords.Hole], inRanges: Bool = true) -> [ScriptTemplate.Hole] {
    guard !holes.isEmpty else { return [] }
    let around = inRanges ? loops + rangeLoops : loops
    return holes.map { hole in
      let counter: Int
      switch hole.source {
      case .counter(let place): counter = place
      case .range(let place): counter = rangeLoops[place].counter ?? 0
      }
      let inner = around.lastIndex { $0.counter == counter }.map { around[($0 + 1)...] } ?? []
      // Past the limit of lines nothing is played.
      let turns = inner.reduce(1) { min($0 * max(1, $1.count), ScriptLimits.lines + 1) }
      return ScriptTemplate.Hole(offset: hole.offset, length: hole.length, counter: counter, turns: turns)
    }
  }

  /// Begins the loops of the line's ranges.
  ///
  /// - Returns: The first of their steps, and how often the line itself is played.
  private mutating func beginRanges() -> (first: Int, times: Int) {
    let outer = (script.steps.count, times)
    for loop in rangeLoops {
      script.append(.repeats(Int32(loop.count), past: 0), request: EmptyCollection(), origin(0))
      times = min(times * loop.count, ScriptLimits.lines + 1)
    }
    return outer
  }

  private mutating func end(_ ranges: (first: Int, times: Int)) {
    times = ranges.times
    for step in (ranges.first..<(ranges.first + rangeLoops.count)).reversed() {
      script.append(.again(first: Int32(step + 1)), request: EmptyCollection(), origin(0))
      script.close(repeatAt: step)
    }
  }

  // MARK: Blocks and other files

  private static let unclosedRepeat = "this 'repeat' has no 'end'"
  private static let unclosedBatch = "this 'begin' has no 'end'"

  /// - Parameter name: What stands for the number of the time round.
  mutating func beginRepeat(_ count: Int, as name: String?, word place: Int) throws(ScriptFailure) {
    try open(
      .repeats(step: script.steps.count, within: times, counter: name), Self.unclosedRepeat, word: place)
    var counter: Int?
    if let name {
      script.counters.append(ScriptCounter(name, upTo: count))
      counter = script.counters.count - 1
      names[name] = ScriptName(
        meaning: .counter(script.counters.count - 1, longest: script.counters[script.counters.count - 1].longest),
        place: "\(script.sources[source].name):\(line)")
    }
    loops.append(Loop(count: count, counter: counter))
    try append(.repeats(Int32(count), past: 0))
    // Past the limit the exact number no longer matters.
    times = min(times * count, ScriptLimits.lines + 1)
  }

  /// Ends what a block has begun.
  private mutating func leave(_ block: Block) {
    guard case .repeats(_, let within, let name) = block else { return }
    times = within
    loops.removeLast()
    if let name { names[name] = nil }
  }

  /// Begins a document, which ends with `enddefine`.
  mutating func beginDocument(_ line: String, outcome: Int32, word place: Int) {
    document = OpenDocument(
      line: line, outcome: outcome, start: failure(word: place, "this 'define' has no '\(DocumentSource.end)'"))
  }

  private mutating func takeDocumentLine() throws(ScriptFailure) {
    guard var open = document.take() else { return }
    switch open.lines.take(raw) {
    case .taken: document = open
    case .tooLong:
      document = open
      throw failure(at: 0, "a document has at most \(DocumentSource.mostBytes) bytes")
    case .end where open.lines.isSkipped: break
    case .end:
      let request = DocumentSource.Request(line: open.line, bytes: open.lines.bytes)
      // Failures of the request are about its first line.
      let end = line
      line = open.start.line
      try append(.request(.define, outcome: open.outcome), request)
      script.placeDocument(in: script.sources[source].name, linesBefore: line)
      line = end
    }
  }

  /// Appends the requests that bring a document; the last of them has the outcome.
  mutating func load(_ path: String, as kind: String?, outcome: Int32, word place: Int) throws(ScriptFailure) {
    let file = Self.path(path, beside: script.sources[source].name)
    let requests: [DocumentSource.Request]
    do throws(DocumentSource.Failure) {
      requests = try DocumentSource(file, as: kind, load: load).requests
    } catch {
      throw failure(word: place, error.message)
    }
    for request in requests.dropLast() { try append(.request(.define, outcome: -1), request) }
    if let last = requests.last { try append(.request(.define, outcome: outcome), last) }
    script.placeDocument(in: file, linesBefore: 0)
  }

  private mutating func append(_ action: Script.Action, _ request: DocumentSource.Request) throws(ScriptFailure) {
    try count()
    script.append(action, request: request.sent, origin(0))
  }

  mutating func beginBatch(word place: Int) throws(ScriptFailure) {
    if isInBatch { throw failure(word: place, "a batch cannot stand in a batch") }
    try open(.batch, Self.unclosedBatch, word: place)
  }

  mutating func openAttempt(_ unclosed: ScriptFailure) throws(ScriptFailure) {
    guard blocks.count < ScriptLimits.blocks else { throw unclosed }
    blocks.append((.attempt, unclosed))
  }

  private mutating func open(_ block: Block, _ unclosed: String, word place: Int) throws(ScriptFailure) {
    guard blocks.count < ScriptLimits.blocks else {
      throw fatal(failure(word: place, "blocks may be nested at most \(ScriptLimits.blocks) deep"))
    }
    blocks.append((block, failure(word: place, unclosed)))
  }

  /// Ends the innermost block that began in this file.
  ///
  /// - Returns: Whether it was a batch, whose `end` is a request.
  mutating func endBlock(word place: Int) throws(ScriptFailure) -> Bool {
    guard let open = blocks.last, open.start.file == script.sources[source].name else {
      throw failure(word: place, "there is no 'repeat', 'begin' or 'try' before this 'end'")
    }
    blocks.removeLast()
    leave(open.block)
    let step: Int
    switch open.block {
    case .batch: return true
    case .attempt:
      endAttempt()
      return false
    // It was a mistake, so it has no step.
    case .repeats(nil, _, _), .mistakenBatch, .mistakenAttempt: return false
    case .repeats(let first?, _, _): step = first
    }
    // Nothing between: it would only take time.
    guard script.steps.count > step + 1 else {
      script.steps.removeLast()
      return false
    }
    try append(.again(first: Int32(step + 1)))
    script.close(repeatAt: step)
    return false
  }

  mutating func include(_ path: String, word place: Int) throws(ScriptFailure) {
    let file = Self.path(path, beside: script.sources[source].name)
    // An error quotes the words around it, so files that are not scripts must not be read.
    guard file.hasSuffix(ScriptLimits.ending) else {
      throw failure(word: place, "'\(path)' is not a script: a script's name ends with '\(ScriptLimits.ending)'")
    }
    if let first = files.firstIndex(of: file) {
      let circle = (files[first...] + [file]).joined(separator: " includes ")
      throw failure(word: place, "files include each other: \(circle)")
    }
    guard files.count < ScriptLimits.includes else {
      throw failure(word: place, "files may include each other at most \(ScriptLimits.includes) deep")
    }
    inclusions += 1
    guard inclusions <= ScriptLimits.inclusions else {
      if inclusions > ScriptLimits.inclusions + 1 { return }
      throw failure(
        word: place,
        "a script includes at most \(ScriptLimits.inclusions) files, each counted as often as it is included")
    }
    let bytes: [UInt8]
    switch load(file) {
    case .bytes(let found): bytes = found
    case .failed(let why): throw failure(word: place, "cannot read '\(file)': \(why)")
    }
    let (source, line, raw) = (source, line, raw)
    read(file, bytes)
    (self.source, self.line, self.raw) = (source, line, raw)
  }

  /// Resolves a path relative to the including file: without `.` and, where possible, without `..`.
  static func path(_ path: String, beside file: String) -> String {
    let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    let whole = path.hasPrefix("/") ? path : folder + path
    var parts: [Substring] = []
    for part in whole.split(separator: "/") where part != "." {
      if part == "..", let last = parts.last, last != ".." {
        parts.removeLast()
      } else {
        parts.append(part)
      }
    }
    return (whole.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
  }
}
