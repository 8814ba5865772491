import StateMachines

/// Where moments stand along a drawing.
///
/// Time is even, but for what is too short to be told apart, which gets a least width. Long silence is folded to a fixed width, and an instant with several inputs is
/// unfolded: it gets a slot for each of them, in the order of their numbers.
package struct TimeScale: Sendable {
  package enum Part: Sendable {
    case even, fold, instant
  }

  package struct Piece: Sendable {
    package let part: Part
    package let from: Int64
    package let to: Int64
    package internal(set) var position: Double
    package let width: Double
    /// The inputs of an unfolded instant.
    package let sequences: [UInt64]
  }

  package let width: Double
  package let pieces: [Piece]
  /// The distinct moments of inputs, in order; empty if there are too many to look at each.
  package let moments: [Int64]

  /// How wide things are drawn, in the drawing's unit.
  package struct Measures: Sendable {
    package let width: Double
    package let fold: Double
    /// The least width of the time between two moments, if there are few of them.
    package let least: Double
    /// The least and the largest slot of an input in an unfolded instant.
    package let slot: ClosedRange<Double>

    package init(width: Double, fold: Double, least: Double, slot: ClosedRange<Double>) {
      self.width = width
      self.fold = fold
      self.least = least
      self.slot = slot
    }
  }

  /// Beyond this many inputs moments are told apart only by ``grains`` of the stretch.
  private static let mostExact = 50_000
  private static let grains: Int64 = 1 << 16
  private static let mostFolds = 24

  /// - Complexity: O(inputs), and O(*n* log *n*) for up to ``mostExact`` of them.
  package init(of wave: Waveform, _ measures: Measures) {
    let (from, to) = (wave.from.nanoseconds, wave.to.nanoseconds)
    var instants: [(moment: Int64, sequences: [UInt64])] = []
    let isExact = wave.inputCount <= TimeScale.mostExact
    if isExact {
      var inputs: [(Int64, UInt64)] = []
      inputs.reserveCapacity(wave.inputCount)
      for lane in wave.lanes { for tick in lane.ticks { inputs.append((tick.moment, tick.sequence)) } }
      for input in wave.worldInputs { inputs.append((input.moment, input.sequence)) }
      inputs.sort { $0 < $1 }
      for (moment, sequence) in inputs {
        if instants.last?.moment == moment {
          instants[instants.count - 1].sequences.append(sequence)
        } else {
          instants.append((moment, [sequence]))
        }
      }
    } else {
      // The first moment in each grain of the stretch.
      let grain = max(1, (to - from) / TimeScale.grains + 1)
      var found = [Int64](repeating: .max, count: Int((to - from) / grain) + 1)
      for lane in wave.lanes {
        for tick in lane.ticks {
          let place = Int((tick.moment - from) / grain)
          if tick.moment < found[place] { found[place] = tick.moment }
        }
      }
      instants = found.filter { $0 != .max }.map { ($0, []) }
    }
    for mark in wave.marks where !instants.contains(where: { $0.moment == mark.moment.nanoseconds }) {
      instants.append((mark.moment.nanoseconds, []))
    }
    instants.sort { $0.moment < $1.moment }

    // Slots for the instants with several inputs.
    func isUnfolded(_ instant: (moment: Int64, sequences: [UInt64])) -> Bool {
      // At the end there would be no room for the state that an input leads to.
      instant.sequences.count > 1 || instant.moment == to && !instant.sequences.isEmpty
    }
    let crowded = instants.filter(isUnfolded)
    let inputs = crowded.reduce(0) { $0 + $1.sequences.count }
    let room = measures.width / 2
    var slot = inputs == 0 ? 0 : min(measures.slot.upperBound, room / Double(inputs))
    if inputs > 0, slot < measures.slot.lowerBound { slot = crowded.count <= 4 ? room / Double(inputs) : 0 }
    if from == to, inputs > 0 { slot = measures.width / Double(inputs) }

    // Silences to fold.
    var edges = instants.map(\.moment)
    if edges.first != from { edges.insert(from, at: 0) }
    if edges.last != to { edges.append(to) }
    let gaps = zip(edges, edges.dropFirst()).map { $1 - $0 }
    let free = max(1, measures.width - slot * Double(inputs))
    let folded = TimeScale.folded(gaps, free, measures.fold)

    let rest = max(0, free - measures.fold * Double(folded.count))
    let widths = TimeScale.widths(
      of: gaps.enumerated().map { folded.contains($0.offset) ? 0 : $0.element }, rest, least: measures.least)
    // If nothing is left but folds, they share the room.
    let fold = folded.count < gaps.count || folded.isEmpty ? measures.fold : free / Double(folded.count)

    var pieces: [Piece] = []
    var position: Double = 0
    func add(_ part: Part, _ from: Int64, _ to: Int64, _ width: Double, _ sequences: [UInt64] = []) {
      pieces.append(
        Piece(part: part, from: from, to: to, position: position, width: width, sequences: sequences))
      position += width
    }
    var next = 0
    for place in edges.indices {
      if next < instants.count, instants[next].moment == edges[place] {
        let sequences = instants[next].sequences
        if slot > 0, isUnfolded(instants[next]) {
          add(.instant, edges[place], edges[place], slot * Double(sequences.count), sequences)
        }
        next += 1
      }
      guard place < gaps.count else { continue }
      if folded.contains(place) {
        add(.fold, edges[place], edges[place + 1], fold)
      } else if !isExact, let last = pieces.last, last.part == .even {
        // Too many to have widths of their own.
        pieces.removeLast()
        position = last.position
        add(.even, last.from, edges[place + 1], last.width + widths[place])
      } else {
        add(.even, edges[place], edges[place + 1], widths[place])
      }
    }
    width = measures.width
    moments = isExact ? instants.map(\.moment) : []
    self.pieces = pieces
  }

  /// The widths of gaps that share some room: by length, but none less than `least`, or than half of an even share.
  private static func widths(of gaps: [Int64], _ room: Double, least: Double) -> [Double] {
    var count = 0
    var total: Double = 0
    for gap in gaps where gap > 0 {
      count += 1
      total += Double(gap)
    }
    let least = min(least, room / Double(2 * max(1, count)))
    var left = room
    for gap in gaps.sorted() where gap > 0 {
      guard Double(gap) * left < least * total else { break }
      left -= least
      total -= Double(gap)
    }
    let unit = total > 0 ? left / total : 0
    return gaps.map { $0 > 0 ? max(least, Double($0) * unit) : 0 }
  }

  /// The gaps to fold: as few as make the most of the others wide enough to be told apart, each of them far longer than
  /// any that is not folded.
  private static func folded(_ gaps: [Int64], _ width: Double, _ fold: Double) -> Set<Int> {
    guard gaps.count > 1 else { return [] }
    let ascending = gaps.sorted()
    var total = ascending.reduce(0) { $0 + Double($1) }
    let wanted = min(8, max(1, width / Double(2 * gaps.count)))
    var best = (count: 0, crowded: Int.max)
    for count in 0...min(mostFolds, (gaps.count - 1) / 2, Int(width / 2 / fold)) {
      if count > 0 {
        let shortest = ascending[ascending.count - count]
        total -= Double(shortest)
        guard shortest / farLonger >= ascending[ascending.count - count - 1] else { continue }
      }
      let unit = (width - fold * Double(count)) / max(1, total)
      let least = Int64(min(Double(Int64.max / 2), wanted / unit))
      var low = 0
      var high = ascending.count - count
      while low < high {
        let middle = (low + high) / 2
        if ascending[middle] < least { low = middle + 1 } else { high = middle }
      }
      if low < best.crowded { best = (count, low) }
      if low == 0 { break }
    }
    guard best.count > 0 else { return [] }
    return Set(gaps.indices.sorted { gaps[$0] > gaps[$1] }.prefix(best.count))
  }

  private static let farLonger: Int64 = 8

  /// The position of an input, or of a moment without one.
  ///
  /// - Parameter sequence: The input; 0 for the beginning of the moment, `UInt64.max` for its end.
  package func position(_ moment: Int64, _ sequence: UInt64) -> Double {
    var low = 0
    var high = pieces.count
    while low < high {
      let middle = (low + high) / 2
      if pieces[middle].from <= moment { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return 0 }
    var piece = pieces[low - 1]
    // At an unfolded instant the piece behind it begins at the same moment.
    if piece.part != .instant, piece.from == moment, low > 1, pieces[low - 2].part == .instant,
      pieces[low - 2].from == moment
    {
      if sequence == .max { return piece.position }
      piece = pieces[low - 2]
    }
    switch piece.part {
    case .instant:
      if sequence == 0 { return piece.position }
      var rank = 0
      var end = piece.sequences.count
      while rank < end {
        let middle = (rank + end) / 2
        if piece.sequences[middle] < sequence { rank = middle + 1 } else { end = middle }
      }
      return piece.position + piece.width * Double(rank) / Double(piece.sequences.count)
    case .even, .fold:
      guard piece.to > piece.from else { return piece.position }
      let share = Double(moment - piece.from) / Double(piece.to - piece.from)
      return piece.position + piece.width * min(1, share)
    }
  }
}
