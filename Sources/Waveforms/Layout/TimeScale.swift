import StateMachines

/// Where moments stand along a drawing.
///
/// Time is even, except where instants are too close to be distinguished: these get a least width. Long silence is folded to a fixed
/// width, and an instant with several inputs is unfolded: it gets a slot for each of them, in the order of their numbers.
package struct TimeScale: Sendable {
  package enum Part: Sendable {
    case even, fold, instant
  }

  package struct Piece: Sendable {
    package let part: Part
    package let from: Int64
    package let to: Int64
    package let position: Double
    package let width: Double
    /// How many inputs an unfolded instant has; 0 otherwise.
    package let inputs: Int
    /// Their numbers: places in ``TimeScale/sequences``, or `nil` if they are as good as even between two.
    let sequences: Range<Int>?
    let numbers: ClosedRange<UInt64>
  }

  package let width: Double
  package let pieces: [Piece]
  /// Moments of inputs, in order: all of them, or some if there are too many to write at.
  package let moments: [Int64]
  private let sequences: [UInt64]

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

  /// Beyond this many inputs, moments are distinguished only as far as ``MomentClusters`` does.
  private static let mostExact = 50_000
  private static let mostFolds = 24
  private static let mostMoments = 400

  /// Where inputs are: a moment, or a stretch of time that is drawn as one.
  private struct Place {
    let from: Int64
    let to: Int64
    let count: Int
    let sequences: Range<Int>?
    let numbers: ClosedRange<UInt64>
  }

  /// - Complexity: O(*n* log *n*) in the inputs, of which at most ``mostExact`` count, and the lanes.
  package init(of wave: Waveform, _ measures: Measures) {
    let (from, to) = (wave.from.nanoseconds, wave.to.nanoseconds)
    let isExact = wave.inputCount <= TimeScale.mostExact && wave.clusters.isExact
    var sequences: [UInt64] = []
    var places = isExact ? TimeScale.exactPlaces(of: wave, &sequences) : TimeScale.clusters(of: wave)
    for mark in wave.marks {
      let moment = mark.moment.nanoseconds
      guard !places.contains(where: { $0.from <= moment && moment <= $0.to }) else { continue }
      places.append(Place(from: moment, to: moment, count: 0, sequences: nil, numbers: 0...0))
    }
    places.sort { $0.from < $1.from }

    // Slots for the instants with several inputs.
    func isUnfolded(_ place: Place) -> Bool {
      guard place.from == place.to, place.count > 0 else { return false }
      // At the end there would be no room for the state that an input leads to.
      return place.count > 1 || place.from == to
    }
    let crowded = places.filter(isUnfolded)
    let inputs = crowded.reduce(0) { $0 + $1.count }
    let room = measures.width / 2
    var slot = inputs == 0 ? 0 : min(measures.slot.upperBound, room / Double(inputs))
    if inputs > 0, slot < measures.slot.lowerBound { slot = crowded.count <= 4 ? room / Double(inputs) : 0 }
    if from == to, inputs > 0 { slot = measures.width / Double(inputs) }

    // The time between moments, and within stretches that are drawn as one; only the former may be folded.
    var edges: [(from: Int64, to: Int64, place: Int?)] = []
    var reached = from
    for (number, place) in places.enumerated() {
      if place.from > reached { edges.append((reached, place.from, nil)) }
      edges.append((place.from, place.to, number))
      reached = max(reached, place.to)
    }
    if reached < to { edges.append((reached, to, nil)) }
    let gaps = edges.map { $0.to - $0.from }
    let free = max(1, measures.width - slot * Double(inputs))
    let folded = TimeScale.folded(
      edges.indices.lazy.filter { edges[$0].place == nil }.map { ($0, gaps[$0]) }, free, measures.fold,
      crowdedTime: isExact ? nil : edges.reduce(0) { $1.place == nil ? $0 : $0 + Double($1.to - $1.from) })

    let rest = max(0, free - measures.fold * Double(folded.count))
    let widths = TimeScale.widths(
      of: gaps.enumerated().map { folded.contains($0.offset) ? 0 : $0.element }, rest, least: measures.least)
    // If nothing is left but folds, they share the room.
    let isAllFolded = !folded.isEmpty && gaps.indices.allSatisfy { gaps[$0] == 0 || folded.contains($0) }
    let fold = isAllFolded ? free / Double(folded.count) : measures.fold

    var pieces: [Piece] = []
    var position: Double = 0
    func add(_ part: Part, _ from: Int64, _ to: Int64, _ width: Double, of place: Place? = nil) {
      pieces.append(
        Piece(
          part: part, from: from, to: to, position: position, width: width, inputs: place?.count ?? 0,
          sequences: place?.sequences, numbers: place?.numbers ?? 0...0))
      position += width
    }
    for (number, edge) in edges.enumerated() {
      if let place = edge.place.map({ places[$0] }), slot > 0, isUnfolded(place) {
        add(.instant, edge.from, edge.to, slot * Double(place.count), of: place)
      } else if folded.contains(number) {
        add(.fold, edge.from, edge.to, fold)
      } else if edge.to == edge.from {
        continue
      } else if !isExact, let last = pieces.last, last.part == .even {
        // Too many to have widths of their own.
        pieces.removeLast()
        position = last.position
        add(.even, last.from, edge.to, last.width + widths[number])
      } else {
        add(.even, edge.from, edge.to, widths[number])
      }
    }
    width = measures.width
    let stride = max(1, isExact ? 1 : places.count / TimeScale.mostMoments)
    moments = Swift.stride(from: 0, to: places.count, by: stride).map { places[$0].from }
    self.sequences = sequences
    self.pieces = pieces
  }

  /// Each moment with the numbers of its inputs.
  private static func exactPlaces(of wave: Waveform, _ sequences: inout [UInt64]) -> [Place] {
    var inputs: [(moment: Int64, sequence: UInt64)] = []
    inputs.reserveCapacity(wave.inputCount)
    for lane in wave.lanes { for tick in lane.ticks { inputs.append((tick.moment, tick.sequence)) } }
    for input in wave.worldInputs { inputs.append((input.moment, input.sequence)) }
    inputs.sort { $0 < $1 }
    sequences = inputs.map(\.sequence)
    var places: [Place] = []
    var start = 0
    while start < inputs.count {
      let moment = inputs[start].moment
      var end = start
      while end < inputs.count, inputs[end].moment == moment { end += 1 }
      places.append(
        Place(
          from: moment, to: moment, count: end - start, sequences: start..<end,
          numbers: sequences[start]...sequences[end - 1]))
      start = end
    }
    return places
  }

  private static func clusters(of wave: Waveform) -> [Place] {
    wave.clusters.clusters.map {
      Place(from: $0.from, to: $0.to, count: $0.count, sequences: nil, numbers: $0.first...max($0.first, $0.last))
    }
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

  /// The gaps to fold: as few as make the most of the others wide enough to be distinguished, each of them far longer than
  /// any that is not folded.
  ///
  /// - Parameter crowdedTime: If there are too many inputs to be distinguished: the time that they are within. Then as few
  ///   as give the most of the width to the others.
  private static func folded(
    _ gaps: some Sequence<(place: Int, length: Int64)>, _ width: Double, _ fold: Double, crowdedTime: Double?
  ) -> Set<Int> {
    let gaps = gaps.sorted { ($0.length, $1.place) < ($1.length, $0.place) }
    guard gaps.count > 1 else { return [] }
    let ascending = gaps.map(\.length)
    var total = ascending.reduce(crowdedTime ?? 0) { $0 + Double($1) }
    let whole = total
    var bestGain: Double = 1
    let wanted = min(8, max(1, width / Double(2 * gaps.count)))
    var best = (count: 0, crowded: Int.max)
    for count in 0...min(mostFolds, (gaps.count - 1) / 2, Int(clamping: width / 2 / fold)) {
      if count > 0 {
        let shortest = ascending[ascending.count - count]
        total -= Double(shortest)
        guard shortest / farLonger >= ascending[ascending.count - count - 1] else { continue }
      }
      let unit = (width - fold * Double(count)) / max(1, total)
      if crowdedTime != nil {
        let gain = unit * whole / width
        if gain > 2 * bestGain { (best.count, bestGain) = (count, gain) }
        continue
      }
      let least = Int64(clamping: min(Double(Int64.max / 2), wanted / unit))
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
    return Set(gaps.suffix(best.count).map(\.place))
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
    // At an unfolded instant the piece after it begins at the same moment.
    if low > 1, pieces[low - 1].part != .instant, pieces[low - 1].from == moment, pieces[low - 2].part == .instant,
      pieces[low - 2].from == moment
    {
      if sequence == .max { return pieces[low - 1].position }
      low -= 1
    }
    let (start, width) = (pieces[low - 1].position, pieces[low - 1].width)
    switch pieces[low - 1].part {
    case .instant: return start + width * share(of: sequence, in: pieces[low - 1])
    case .even, .fold:
      let (from, to) = (pieces[low - 1].from, pieces[low - 1].to)
      return start + width * min(1, Double(moment - from) / Double(to - from))
    }
  }

  /// How far along an unfolded instant an input is, from 0 to 1.
  private func share(of sequence: UInt64, in piece: Piece) -> Double {
    guard let places = piece.sequences else {
      let (first, last) = (piece.numbers.lowerBound, piece.numbers.upperBound)
      return sequence <= first ? 0 : min(1, Double(sequence - first) / Double(last - first + 1))
    }
    var low = places.lowerBound
    var high = places.upperBound
    while low < high {
      let middle = (low + high) / 2
      if sequences[middle] < sequence { low = middle + 1 } else { high = middle }
    }
    return Double(low - places.lowerBound) / Double(places.count)
  }
}
