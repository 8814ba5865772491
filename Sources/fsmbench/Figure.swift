/// A measured number with its unit, and how people read it.
struct Figure {
  enum Unit {
    case perSecond
    case seconds
    case bytes
  }

  let value: Double
  let unit: Unit

  /// Three significant digits and a prefix: `8.93 M/s`, `36.0 µs`, `41.9 B`.
  var text: String {
    switch unit {
    case .perSecond: scaled(steps: [(1e9, "G/s"), (1e6, "M/s"), (1e3, "k/s"), (1, "/s")])
    case .seconds: scaled(steps: [(1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")])
    case .bytes: scaled(steps: [(1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1, "B")])
    }
  }

  private func scaled(steps: [(size: Double, name: String)]) -> String {
    guard let step = steps.first(where: { value.magnitude >= $0.size }) ?? steps.last else { return "" }
    return "\(threeDigits(value / step.size)) \(step.name)"
  }
}

/// A number with three significant digits, or more where it is a thousand or above: `0.98`, `3.07`, `41.9`, `1234`.
func threeDigits(_ value: Double) -> String {
  let decimals = value.magnitude < 9.995 ? 2 : value.magnitude < 99.95 ? 1 : 0
  let factor = decimals == 2 ? 100.0 : decimals == 1 ? 10.0 : 1.0
  let whole = Int((value.magnitude * factor).rounded())
  let sign = value < 0 && whole > 0 ? "-" : ""
  guard decimals > 0 else { return "\(sign)\(whole)" }
  let fraction = String(whole % Int(factor))
  return "\(sign)\(whole / Int(factor))." + String(repeating: "0", count: decimals - fraction.count) + fraction
}
