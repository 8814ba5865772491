import LineProtocol

/// The times along a scale: those of inputs or, if they are too many, round ones.
struct TimeTicks {
  let moments: [Int64]
  /// How far apart round ones are, in nanoseconds; nil for those of inputs.
  let step: Int64?
  /// How many decimals of a second tell apart what has room for a text of its own.
  private let decimals: Int
  private let end: Int64

  private static let second: Int64 = 1_000_000_000

  private static let steps: [Int64] = {
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

  /// - Parameters:
  ///   - distance: The least distance between two texts, in the scale's unit.
  ///   - areRound: Whether there are too many inputs to write at each.
  init(_ scale: TimeScale, distance: Double, areRound: Bool) {
    let even = scale.pieces.filter { $0.part == .even && $0.to > $0.from }
    let unit = even.first.map { $0.width / Double($0.to - $0.from) } ?? 0
    end = scale.pieces.last?.to ?? 0
    step = areRound && unit > 0 ? Self.steps.first { Double($0) * unit >= distance } : nil
    guard let step else {
      moments = areRound ? [] : scale.moments
      decimals = (3..<9).first { Double(Self.power(9 - $0)) * unit <= distance || unit == 0 } ?? 9
      return
    }
    // The ends of a stretch are not round.
    decimals = ((0..<9).first { step % Self.power(9 - $0) == 0 } ?? 9) + 1
    moments = even.flatMap { piece -> [Int64] in
      let first = (piece.from + step - 1) / step * step
      return first > piece.to ? [] : Array(stride(from: first, through: piece.to, by: Int64.Stride(step)))
    }
  }

  private static func power(_ exponent: Int) -> Int64 { (0..<exponent).reduce(1) { power, _ in power * 10 } }

  /// A moment at the axis, cut to what tells it from others: `0.350`, `00:05:43.5`; beside round ones `1.5`, `6:00`, `1d 6:00:20`.
  func text(_ moment: Int64) -> String {
    let grain = Self.power(max(0, 9 - decimals))
    let seconds = WaveTime.seconds(moment / grain * grain)
    guard let step else {
      return moment < 60 * Self.second || decimals > 3 ? seconds : TimeText.people(seconds) ?? seconds
    }
    if areHours { return WaveTime.hours(moment, hasSeconds: step < 60 * Self.second || moment / Self.second % 60 != 0) }
    var text = seconds[...]
    while text.hasSuffix("0") { text = text.dropLast() }
    return String(text.hasSuffix(".") ? text.dropLast() : text)
  }

  /// Whether round moments are written as hours and minutes; a few minutes can be read in seconds.
  private var areHours: Bool {
    guard let step else { return false }
    return step >= 60 * Self.second || step >= Self.second && end >= 600 * Self.second
  }

  /// What the texts are; "" if some of them say it themselves.
  var unit: String {
    guard let step else { return end < 60 * Self.second || decimals > 3 ? "s" : "" }
    return !areHours ? "s" : step >= 60 * Self.second ? "h:mm" : "h:mm:ss"
  }
}
