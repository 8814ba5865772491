/// Finds states that repeat over and over, in one pass: `cooling, waiting, cooling, waiting, …`.
///
/// States that are wide enough to be drawn one by one come out as they went in. Memory is bounded by the longest pattern.
struct RepeatedStates: Sendable {
  /// A pattern that came several times in a row.
  struct Run: Sendable {
    /// The states of one turn, each with how long it usually lasts.
    let turn: [(state: UInt32, length: Int64)]
    let count: Int
    /// From the beginning of the first turn to the end of the last state of the run.
    let whole: Waveform.Segment
  }

  enum Item: Sendable {
    case single(Waveform.Segment)
    case run(Run)
  }

  private static let longestTurn = 6
  /// From as many turns on they are summed up.
  private static let fewestTurns = 3
  /// Lengths that are kept of each state of a turn; half of them are at most as long as the usual one.
  private static let mostLengths = 33

  /// The states of a turn, as far as they are known.
  private var turn: [UInt32] = []
  private var isTurnKnown = false
  /// The segments of turns that are not summed up yet.
  private var held: [Waveform.Segment] = []
  /// The run from its first segment on, once it is summed up.
  private var whole: Waveform.Segment?
  private var count = 0
  private var lengths: [[Int64]] = []

  /// Adds the next segment.
  ///
  /// - Parameter isNarrow: Whether so many segments between two moments are too narrow to be drawn one by one.
  /// - Returns: What is complete by that.
  mutating func add(
    _ segment: Waveform.Segment, isNarrow: (_ from: Int64, _ to: Int64, _ count: Int) -> Bool
  ) -> [Item] {
    guard isTurnKnown else { return begin(with: segment) }
    guard turn[count % turn.count] == segment.state, last?.to == segment.from else {
      return finish() + begin(with: segment)
    }
    note(segment)
    if whole != nil {
      whole?.to = segment.to
      whole?.end = segment.end
      return []
    }
    held.append(segment)
    guard count == Self.fewestTurns * turn.count else { return [] }
    guard isNarrow(held[0].from, segment.to, count) else { return finish() }
    whole = Waveform.Segment(
      from: held[0].from, to: segment.to, start: held[0].start, end: segment.end, state: held[0].state,
      branch: segment.branch)
    held = []
    return []
  }

  private var last: Waveform.Segment? { whole ?? held.last }

  private mutating func begin(with segment: Waveform.Segment) -> [Item] {
    var gone: [Item] = []
    if let place = turn.firstIndex(of: segment.state) {
      gone = held.prefix(place).map(Item.single)
      held.removeFirst(place)
      turn.removeFirst(place)
      if turn.count > 1 {
        isTurnKnown = true
        lengths = Array(repeating: [], count: turn.count)
        count = 0
        for held in held { note(held) }
        note(segment)
      } else {
        // The same state anew: no turn.
        gone += held.map(Item.single)
        held = []
      }
      held.append(segment)
      return gone
    }
    if turn.count == Self.longestTurn {
      gone.append(.single(held.removeFirst()))
      turn.removeFirst()
    }
    turn.append(segment.state)
    held.append(segment)
    return gone
  }

  private mutating func note(_ segment: Waveform.Segment) {
    let place = count % turn.count
    count += 1
    // What began before the stretch, or goes on after it, is not as long as it seems.
    guard segment.start != 0, segment.end != .max, lengths[place].count < Self.mostLengths else { return }
    lengths[place].append(segment.to - segment.from)
  }

  /// - Returns: What is left.
  mutating func finish() -> [Item] {
    defer { self = RepeatedStates() }
    guard let whole else { return held.map(Item.single) }
    let usual = zip(turn, lengths).map { state, lengths in
      (state, lengths.isEmpty ? 0 : lengths.sorted()[lengths.count / 2])
    }
    return [.run(Run(turn: usual, count: count / turn.count, whole: whole))]
  }
}

extension RepeatedStates.Run {
  /// `76 × cooling 10:56, waiting 26:47`.
  func text(_ name: (UInt32) -> String, times: String, hasLengths: Bool = true) -> String {
    let states = turn.map { hasLengths ? "\(name($0.state)) \(WaveTime.people($0.length))" : name($0.state) }
    return "\(count) \(times) \(states.joined(separator: ", "))"
  }
}
