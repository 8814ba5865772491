import StateMachines

/// Where moments stand along a drawing.
///
/// Time is to scale: of two stretches that are not folded, the longer one is wider, and each moment has one place. Long
/// silence is folded to a fixed width, which a drawing shows as a break. After inputs at the very end there is a tail, so that
/// the states to which they led can be seen.
package struct TimeScale: Sendable {
  package enum Part: Sendable {
    case even, fold, tail
  }

  package struct Piece: Sendable {
    package let part: Part
    package let from: Int64
    package let to: Int64
    package let position: Double
    package let width: Double
  }

  package let width: Double
  package let pieces: [Piece]
  /// Moments of inputs, in order: all of them, or some if there are too many to write at.
  package let moments: [Int64]

  /// How wide things are drawn, in the drawing's unit.
  package struct Measures: Sendable {
    package let width: Double
    package let fold: Double
    /// The width from which on the time between two moments is told apart; folds are made for that.
    package let least: Double
    package let tail: Double

    package init(width: Double, fold: Double, least: Double, tail: Double) {
      self.width = width
      self.fold = fold
      self.least = least
      self.tail = tail
    }
  }

  /// Beyond this many inputs, folds count the time within clusters, and not each moment is kept.
  private static let mostExact = 50_000
  private static let mostFolds = 24
  private static let mostMoments = 400

  /// Where inputs are: a moment, or a stretch of time in which they are too many to be told apart.
  private struct Place {
    let from: Int64
    let to: Int64
  }

  /// - Complexity: O(*n* log *n*) in the clusters and marks.
  package init(of wave: Waveform, _ measures: Measures) {
    let (from, to) = (wave.from.nanoseconds, wave.to.nanoseconds)
    let isExact = wave.inputCount <= TimeScale.mostExact && wave.clusters.isExact
    var places = wave.clusters.clusters.map { Place(from: $0.from, to: $0.to) }
    let hasTail = places.last?.to == to
    for mark in wave.marks {
      let moment = mark.moment.nanoseconds
      guard !places.contains(where: { $0.from <= moment && moment <= $0.to }) else { continue }
      places.append(Place(from: moment, to: moment))
    }
    places.sort { $0.from < $1.from }

    // The time between moments, and within stretches that are drawn as one; only the former may be folded.
    var edges: [(from: Int64, to: Int64, isSilent: Bool)] = []
    var reached = from
    for place in places {
      if place.from > reached { edges.append((reached, place.from, true)) }
      if place.to > place.from { edges.append((place.from, place.to, false)) }
      reached = max(reached, place.to)
    }
    if reached < to { edges.append((reached, to, true)) }
    let tail = edges.isEmpty ? measures.width : hasTail ? measures.tail : 0
    let free = max(1, measures.width - tail)
    let folded = TimeScale.folded(
      edges.indices.lazy.filter { edges[$0].isSilent }.map { ($0, edges[$0].to - edges[$0].from) }, free, measures,
      crowdedTime: isExact ? nil : edges.reduce(0) { $1.isSilent ? $0 : $0 + Double($1.to - $1.from) })

    let fold = measures.fold
    let total = edges.enumerated().reduce(0) {
      folded.contains($1.offset) ? $0 : $0 + Double($1.element.to - $1.element.from)
    }
    let unit = max(0, free - fold * Double(folded.count)) / max(1, total)

    var pieces: [Piece] = []
    var position: Double = 0
    func add(_ part: Part, _ from: Int64, _ to: Int64, _ width: Double) {
      pieces.append(Piece(part: part, from: from, to: to, position: position, width: width))
      position += width
    }
    for (number, edge) in edges.enumerated() {
      if folded.contains(number) {
        add(.fold, edge.from, edge.to, fold)
      } else if let last = pieces.last, last.part == .even {
        pieces.removeLast()
        position = last.position
        add(.even, last.from, edge.to, Double(edge.to - last.from) * unit)
      } else {
        add(.even, edge.from, edge.to, Double(edge.to - edge.from) * unit)
      }
    }
    if tail > 0 { add(.tail, to, to, tail) }
    width = measures.width
    let stride = max(1, isExact ? 1 : places.count / TimeScale.mostMoments)
    moments = Swift.stride(from: 0, to: places.count, by: stride).map { places[$0].from }
    self.pieces = pieces
  }

  /// The gaps to fold: as few as make the most of the others wide enough to be distinguished, each of them far longer than
  /// any that is not folded.
  ///
  /// - Parameter crowdedTime: If there are too many inputs to be distinguished: the time that they are within. Then as few
  ///   as give the most of the width to the others.
  private static func folded(
    _ gaps: some Sequence<(place: Int, length: Int64)>, _ width: Double, _ measures: Measures, crowdedTime: Double?
  ) -> Set<Int> {
    let gaps = gaps.sorted { ($0.length, $1.place) < ($1.length, $0.place) }
    guard gaps.count > 1 else { return [] }
    let ascending = gaps.map(\.length)
    var total = ascending.reduce(crowdedTime ?? 0) { $0 + Double($1) }
    let whole = total
    var bestGain: Double = 1
    let wanted = min(measures.least, max(1, width / Double(2 * gaps.count)))
    var best = (count: 0, crowded: Int.max)
    for count in 0...min(mostFolds, (gaps.count - 1) / 2, Int(clamping: width / 2 / measures.fold)) {
      if count > 0 {
        let shortest = ascending[ascending.count - count]
        total -= Double(shortest)
        guard shortest / farLonger >= ascending[ascending.count - count - 1] else { continue }
      }
      let unit = (width - measures.fold * Double(count)) / max(1, total)
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

  /// The position of a moment.
  package func position(_ moment: Int64) -> Double {
    var low = 0
    var high = pieces.count
    while low < high {
      let middle = (low + high) / 2
      if pieces[middle].from <= moment { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return 0 }
    let piece = pieces[low - 1]
    switch piece.part {
    case .tail: return piece.position
    case .even, .fold:
      return piece.position + piece.width * min(1, Double(moment - piece.from) / Double(piece.to - piece.from))
    }
  }
}
