/// A measured number with its unit and its text.
struct Figure {
  enum Unit {
    case perSecond
    case bytesPerSecond
    case seconds
    case bytes
  }

  let value: Double
  let unit: Unit

  /// Three significant digits and a prefix: `8.93 M/s`, `412 MB/s`, `36.0 µs`, `41.9 B`.
  var text: String {
    switch unit {
    case .perSecond: scaled(steps: [(1e9, "G/s"), (1e6, "M/s"), (1e3, "k/s"), (1, "/s")])
    case .bytesPerSecond: scaled(steps: [(1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1, "B/s")])
    case .seconds: scaled(steps: [(1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")])
    case .bytes: scaled(steps: [(1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1, "B")])
    }
  }

  private func scaled(steps: [(size: Double, name: String)]) -> String {
    guard let step = steps.first(where: { value.magnitude >= $0.size }) ?? steps.last else { return "" }
    return "\(threeDigits(value / step.size)) \(step.name)"
  }
}

/// A number with three significant digits (two or fewer below 0.1): `0.041`, `0.98`, `3.07`, `41.9`, `1234`.
func threeDigits(_ value: Double) -> String {
  let (decimals, factor) =
    switch value.magnitude {
    case ..<0.0995: (3, 1_000.0)
    case ..<9.995: (2, 100.0)
    case ..<99.95: (1, 10.0)
    default: (0, 1.0)
    }
  let scaled = Int((value.magnitude * factor).rounded())
  let sign = value < 0 && scaled > 0 ? "-" : ""
  guard decimals > 0 else { return "\(sign)\(scaled)" }
  let fraction = String(scaled % Int(factor))
  return "\(sign)\(scaled / Int(factor))." + String(repeating: "0", count: decimals - fraction.count) + fraction
}
