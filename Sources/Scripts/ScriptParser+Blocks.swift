import LineProtocol

/// Repeats, ranges, batches and free play.
extension ScriptParser {
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
  mutating func beginRanges() -> (first: Int, times: Int) {
    let outer = (script.steps.count, times)
    for loop in rangeLoops {
      script.append(.repeats(Int32(loop.count), past: 0), request: EmptyCollection(), origin(0))
      times = min(times * loop.count, ScriptLimits.lines + 1)
    }
    return outer
  }

  mutating func end(_ ranges: (first: Int, times: Int)) {
    times = ranges.times
    for step in (ranges.first..<(ranges.first + rangeLoops.count)).reversed() {
      script.append(.again(first: Int32(step + 1)), request: EmptyCollection(), origin(0))
      script.close(repeatAt: step)
    }
  }

  static let unclosedRepeat = "this 'repeat' has no 'end'"
  static let unclosedBatch = "this 'begin' has no 'end'"

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

  /// Begins to read the lines up to `end` once for each word.
  mutating func beginEach(_ name: String, in words: [String], word place: Int) throws(ScriptFailure) {
    let each = Each(name: name, words: words[...], start: following, line: line, names: names)
    try open(.each(each), Self.unclosedRepeat, word: place)
    takeWord(of: each)
  }

  /// Gives the name of the innermost block its next word.
  private mutating func takeWord(of each: Each) {
    var each = each
    guard let word = each.words.popFirst(), let open = blocks.popLast() else { return }
    blocks.append((.each(each), open.start))
    names = each.names
    names[each.name] = ScriptName(
      meaning: .value(word), place: "\(open.start.file):\(each.line)", isFromOutside: true)
  }

  /// Goes back to the first line of a block, for its next word.
  ///
  /// - Parameter past: Where the line after its `end` begins.
  mutating func goBack(to each: Each, past: Int) -> Bool {
    bytesRead += past - each.start
    linesAgain += line - each.line
    guard bytesRead <= ScriptLimits.file, linesAgain <= ScriptLimits.linesAgain else {
      note(
        fatal(
          failure(
            at: 0,
            "the words of 'repeat' make more than \(ScriptLimits.linesAgain) lines of this script, or \(ScriptLimits.file) bytes"
          )))
      return false
    }
    takeWord(of: each)
    line = each.line
    return true
  }

  /// Ends what a block has begun.
  mutating func leave(_ block: Block) {
    if case .each(let each) = block { names = each.names }
    guard case .repeats(_, let within, let name) = block else { return }
    times = within
    loops.removeLast()
    if let name { names[name] = nil }
  }

  mutating func beginBatch(word place: Int) throws(ScriptFailure) {
    if isInBatch { throw failure(word: place, "a batch cannot stand in a batch") }
    try open(.batch, Self.unclosedBatch, word: place)
  }

  mutating func openAttempt(_ unclosed: ScriptFailure) throws(ScriptFailure) {
    guard blocks.count < ScriptLimits.blocks else { throw unclosed }
    blocks.append((.attempt, unclosed))
  }

  mutating func open(_ block: Block, _ unclosed: String, word place: Int) throws(ScriptFailure) {
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
    if case .each(let each) = open.block, !each.words.isEmpty {
      again = each
      return false
    }
    blocks.removeLast()
    leave(open.block)
    let step: Int
    switch open.block {
    case .batch: return true
    case .each: return false
    case .attempt:
      narrator.endAttempt()
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
}
