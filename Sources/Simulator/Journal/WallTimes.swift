package import StateMachines

/// What the host's clock showed when inputs came.
///
/// A world's moments say nothing of the time of day: its clock can be stopped, sped up and turned back, and the host's
/// can be set. So the journal has marks beside its inputs. A mark maps the world's moments to the host's time, from one
/// input on: a moment, the time at it, and the speed. A new mark is made when the last one no longer fits. Rules and replays
/// do not use marks.
struct WallTimes {
  /// In order of their inputs. Those before the journal's first input are dropped, but for the one that it needs.
  private(set) var marks: ContiguousArray<WallMark> = []

  /// The largest error at which a mark still fits, in nanoseconds.
  private static let tolerance: Int64 = 1_000_000

  /// In bytes.
  var bytes: Int { marks.count * MemoryLayout<WallMark>.stride }

  /// Adds a mark for the next inputs, unless the last one says the same.
  mutating func note(_ mark: WallMark) {
    guard let last = marks.last else {
      if mark.wall != nil { marks.append(mark) }
      return
    }
    if last.speed == mark.speed, WallTimes.agree(last.wall(at: mark.moment), mark.wall) { return }
    if last.sequence < mark.sequence { return marks.append(mark) }
    // There was no input since the last one.
    marks.removeLast()
    note(mark)
  }

  private static func agree(_ one: Int64?, _ other: Int64?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    let (distance, overflow) = one.subtractingReportingOverflow(other)
    return !overflow && distance.magnitude <= tolerance
  }

  /// Adds the marks of inputs that follow.
  mutating func adopt(_ later: some Sequence<WallMark>) {
    for mark in later where mark.sequence > marks.last?.sequence ?? 0 { marks.append(mark) }
  }

  /// The mark that holds for an input.
  ///
  /// - Complexity: O(log *marks*).
  func mark(of sequence: UInt64) -> WallMark? {
    place(of: sequence).map { marks[$0] }
  }

  /// The marks that hold for inputs from this one on.
  func marks(from sequence: UInt64) -> ArraySlice<WallMark> {
    ArraySlice(marks[(place(of: sequence) ?? 0)...])
  }

  /// Drops the marks that no input from this one on needs.
  mutating func forget(before sequence: UInt64) {
    if let first = place(of: sequence), first > 0 { marks.removeFirst(first) }
  }

  private func place(of sequence: UInt64) -> Int? {
    var low = 0
    var high = marks.count
    while low < high {
      let middle = (low + high) / 2
      if marks[middle].sequence <= sequence { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }
}

/// Maps moments to the host's time, from one input on.
struct WallMark: Equatable {
  /// The first input that it is about.
  let sequence: UInt64
  let moment: Int64
  /// The time at that moment, in nanoseconds since 1970; nil if time does not pass by itself there.
  let wall: Int64?
  /// How many billionths of a second the world went on per second of the host's; 0 if it stood still.
  let speed: UInt64

  /// The time at a moment; nil if there is none, or if it is beyond all dates.
  func wall(at moment: Int64) -> Int64? {
    guard let wall, speed > 0 else { return wall }
    let (distance, isTooFar) = moment.subtractingReportingOverflow(self.moment)
    let (high, low) = distance.magnitude.multipliedFullWidth(by: 1_000_000_000)
    guard !isTooFar, high < speed else { return nil }
    guard let passed = Int64(exactly: speed.dividingFullWidth((high, low)).quotient) else { return nil }
    let (sum, overflow) =
      distance < 0 ? wall.subtractingReportingOverflow(passed) : wall.addingReportingOverflow(passed)
    return overflow ? nil : sum
  }
}

extension WallMark {
  /// The size of a stored one: four numbers of eight bytes, little-endian.
  static let size = 32
  /// Stored as the time where there is none.
  private static let none = Int64.min

  init?(_ bytes: UnsafeRawBufferPointer, at place: Int) {
    guard place + WallMark.size <= bytes.count else { return nil }
    func number(_ index: Int) -> Int64 {
      Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: place + index * 8, as: Int64.self))
    }
    let wall = number(2)
    self.init(
      sequence: UInt64(bitPattern: number(0)), moment: number(1), wall: wall == WallMark.none ? nil : wall,
      speed: UInt64(bitPattern: number(3)))
  }

  func append(to bytes: inout [UInt8]) {
    for number in [Int64(bitPattern: sequence), moment, wall ?? WallMark.none, Int64(bitPattern: speed)] {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
  }
}

extension WorldCore {
  /// Keeps what the host's clock shows, for the inputs that follow.
  ///
  /// - Parameters:
  ///   - wall: The host's time in nanoseconds since 1970; nil for a world whose time does not pass by itself.
  ///   - moment: The world's moment at that time.
  ///   - speed: How many billionths of a second the world goes on per second of the host's; 0 while it stands still.
  package mutating func noteWallTime(_ wall: Int64?, at moment: Instant, speed: UInt64) {
    journal.wallTimes.note(
      WallMark(sequence: journal.last + 1, moment: moment.nanoseconds, wall: wall, speed: speed))
  }

  /// What the host's clock showed when an input came, in nanoseconds since 1970; nil if the world's time did not pass by
  /// itself then. For a timer it is when it was due.
  ///
  /// - Complexity: O(log *marks*): how often the world's clock or the host's was set.
  package func wallTime(of entry: JournalEntry) -> Int64? {
    journal.wallTimes.mark(of: entry.sequence)?.wall(at: entry.moment.nanoseconds)
  }

  /// Whether the time of any input in memory is known.
  package var hasWallTimes: Bool { !journal.wallTimes.marks.isEmpty }
}

extension JournalSegment {
  /// Whether the host's clock may have showed this time or a later one at one of its inputs: a quick check, which reads no
  /// input.
  package func mayReach(wall: Int64) -> Bool {
    for (place, mark) in wallMarks.enumerated() {
      let end = place + 1 < wallMarks.count ? wallMarks[place + 1].moment : facts.lastMoment
      if [mark.wall, mark.wall(at: end)].contains(where: { $0.map { $0 >= wall } ?? false }) { return true }
    }
    return false
  }
}
