/// Round moments along a scale.
struct TimeTicks {
  let moments: [Int64]
  /// How far apart they are, in nanoseconds.
  let step: Int64

  private static let steps: [Int64] = {
    let second: Int64 = 1_000_000_000
    let (minute, hour, day) = (60 * second, 3_600 * second, 86_400 * second)
    var steps: [Int64] = []
    var decade: Int64 = 1
    while decade < second {
      steps += [decade, 2 * decade, 5 * decade]
      decade *= 10
    }
    steps += [1, 2, 5, 10, 15, 30].map { $0 * second } + [1, 2, 5, 10, 15, 30].map { $0 * minute }
    steps += [1, 2, 3, 6, 12].map { $0 * hour }
    decade = 1
    while decade <= 10_000 {
      steps += [decade * day, 2 * decade * day, 5 * decade * day]
      decade *= 10
    }
    return steps
  }()

  /// - Parameter distance: The least distance between two ticks, in the scale's unit.
  init(_ scale: TimeScale, distance: Double) {
    let even = scale.pieces.filter { $0.part == .even && $0.to > $0.from }
    guard let unit = even.first.map({ $0.width / Double($0.to - $0.from) }), unit > 0 else {
      (moments, step) = ([], 1)
      return
    }
    guard let step = Self.steps.first(where: { Double($0) * unit >= distance }) else {
      (moments, step) = ([], 1)
      return
    }
    self.step = step
    moments = even.flatMap { piece -> [Int64] in
      let first = (piece.from + step - 1) / step * step
      return first > piece.to ? [] : Array(stride(from: first, through: piece.to, by: Int64.Stride(step)))
    }
  }

  /// A moment beside ticks of this step: `6:00`, `1d 6:00`, `0:35`, `1.5`.
  func text(_ moment: Int64) -> String {
    let second: Int64 = 1_000_000_000
    guard step < 60 * second else { return WaveTime.hours(moment, hasSeconds: moment / second % 60 != 0) }
    return step >= second && moment % second == 0 ? "\(moment / second)" : Self.decimals(moment)
  }

  /// What the texts are.
  var unit: String { step >= 60_000_000_000 ? "h:mm" : "s" }

  private static func decimals(_ moment: Int64) -> String {
    var text = WaveTime.seconds(moment)[...]
    while text.hasSuffix("0") { text = text.dropLast() }
    return String(text.hasSuffix(".") ? text.dropLast() : text)
  }
}
