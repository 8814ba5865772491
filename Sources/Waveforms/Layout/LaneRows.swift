/// What of a lane is drawn in rows, for text and for pictures alike.
struct LaneRows {
  struct Row {
    /// `nil` for the machine itself.
    let label: String?
    let segments: [Piece]
    let branch: UInt32
  }

  struct Piece {
    let from: Int64
    let to: Int64
    let start: UInt64
    var end: UInt64
    /// In ``LaneRows/words``.
    let word: UInt32
  }

  /// The words of states, or of their parts.
  let words: [String]
  /// The states in effect: one row, or one for each region.
  let rows: [Row]
  /// The undone branches that are shown, newest last.
  let undone: [Row]
  /// How many older branches are not shown.
  let undoneLeftOut: Int
  /// The timers, with the bars in effect of each.
  let timers: [(name: String, bars: [Waveform.Bar])]

  static let mostBranches = 4
  static let mostTimers = 12

  init(of lane: Waveform.Lane, _ wave: Waveform) {
    let effective = lane.segments.filter { $0.branch == 0 }
    // Regions are told apart in words only where there are few segments to look at.
    let hasRegions = lane.regions.count > 1 && effective.count <= 20_000
    if hasRegions {
      var rows: [Row] = []
      var words = wave.words
      var texts: [UInt32: [UInt32]] = [:]
      for (place, region) in lane.regions.enumerated() {
        var pieces: [Piece] = []
        for segment in effective {
          let parts =
            texts[segment.state]
            ?? LaneRows.parts(of: wave.words[segment.state]).map { words.number(of: String($0)) }
          texts[segment.state] = parts
          guard place < parts.count else { continue }
          let word = parts[place]
          if let last = pieces.last, last.word == word, last.to == segment.from, last.end == segment.start {
            pieces[pieces.count - 1] = Piece(
              from: last.from, to: segment.to, start: last.start, end: segment.end, word: word)
          } else {
            pieces.append(
              Piece(from: segment.from, to: segment.to, start: segment.start, end: segment.end, word: word))
          }
        }
        rows.append(Row(label: place == 0 ? nil : region, segments: pieces, branch: 0))
      }
      self.rows = rows
      self.words = words.words
    } else {
      rows = [Row(label: nil, segments: effective.map(LaneRows.piece), branch: 0)]
      words = wave.words.words
    }
    var branches: [UInt32: [Piece]] = [:]
    for segment in lane.segments where segment.branch != 0 {
      branches[segment.branch, default: []].append(LaneRows.piece(segment))
    }
    let shown = branches.keys.sorted().suffix(LaneRows.mostBranches)
    undone = shown.map {
      Row(label: "undone by \(wave.branches[Int($0) - 1].undoer)", segments: branches[$0] ?? [], branch: $0)
    }
    undoneLeftOut = branches.count - shown.count
    var timers: [(name: String, bars: [Waveform.Bar])] = []
    var places: [UInt32: Int] = [:]
    for bar in lane.bars where bar.branch == 0 {
      if let place = places[bar.timer] {
        timers[place].bars.append(bar)
      } else if timers.count < LaneRows.mostTimers {
        places[bar.timer] = timers.count
        timers.append((wave.words[bar.timer], [bar]))
      }
    }
    self.timers = timers
  }

  private static func piece(_ segment: Waveform.Segment) -> Piece {
    Piece(from: segment.from, to: segment.to, start: segment.start, end: segment.end, word: segment.state)
  }

  /// The states of the regions in a state's word: split at `+` outside parentheses.
  static func parts(of word: String) -> [Substring] {
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
