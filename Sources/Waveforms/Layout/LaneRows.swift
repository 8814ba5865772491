/// What of a lane is drawn in rows, for text and for pictures alike, and what is left out.
struct LaneRows {
  /// The names of regions with a row each; a single empty one if its states have no regions.
  let regions: [String]
  /// The timers with a row.
  let timers: [Waveform.Timer]
  let timersLeftOut: Int
  /// The undone stretches that are shown, newest last.
  let undone: ArraySlice<Waveform.Undone>
  /// How many older ones are not.
  let undoneLeftOut: Int
  let curves: [Waveform.Curve]

  private static let mostUndone = 4
  private static let mostTimers = 12

  init(of lane: Waveform.Lane) {
    regions = lane.regions.count > 1 ? lane.regions : [""]
    // A timer of which all is undone has no row.
    let timers = lane.timers.lazy.filter { !$0.bars.isEmpty }
    self.timers = Array(timers.prefix(LaneRows.mostTimers))
    timersLeftOut = timers.count - self.timers.count
    undone = lane.undone.suffix(LaneRows.mostUndone)
    undoneLeftOut = lane.undone.count - undone.count
    curves = lane.curves.filter { !$0.points.isEmpty }
  }

  /// The label of a row of undone inputs.
  static func label(of undone: Waveform.Undone, _ wave: Waveform) -> String {
    "undone by \(wave.branches[Int(undone.branch) - 1].undoer)"
  }
}

/// The states of regions in the words of states.
struct RegionWords: Sendable {
  private let count: Int
  private var words = Waveform.WordList()
  /// By state of the lane.
  private var parts: [UInt32: [UInt32]] = [:]

  init(regions: Int) {
    count = regions
  }

  subscript(_ word: UInt32) -> String { words[word] }

  /// The states of the regions in a state, by number of their own.
  mutating func parts(of state: UInt32, _ wave: Waveform) -> [UInt32] {
    if let known = parts[state] { return known }
    let found =
      count == 1
      ? [words.number(of: wave.words[state])]
      : RegionWords.split(wave.words[state]).map { words.number(of: String($0)) }
    parts[state] = found
    return found
  }

  /// Split at `+` outside parentheses.
  static func split(_ word: String) -> [Substring] {
    var parts: [Substring] = []
    var depth = 0
    var start = word.startIndex
    for place in word.indices {
      switch word[place] {
      case "(": depth += 1
      case ")": depth -= 1
      case "+" where depth == 0:
        parts.append(word[start..<place])
        start = word.index(after: place)
      default: break
      }
    }
    return parts + [word[start...]]
  }
}

/// Unites the segments of a region that another region's move has cut.
struct RegionCourse: Sendable {
  private var last: Waveform.Segment?

  /// Adds the region's part of the next segment.
  ///
  /// - Returns: The segment that is complete by that.
  mutating func add(_ segment: Waveform.Segment, _ word: UInt32) -> Waveform.Segment? {
    if var open = last, open.state == word, open.to == segment.from, open.end == segment.start {
      open.to = segment.to
      open.end = segment.end
      last = open
      return nil
    }
    defer {
      last = Waveform.Segment(
        from: segment.from, to: segment.to, start: segment.start, end: segment.end, state: word,
        branch: segment.branch)
    }
    return last
  }

  mutating func finish() -> Waveform.Segment? {
    defer { last = nil }
    return last
  }
}
