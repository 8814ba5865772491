import StateMachines

/// The temperature of a cooled chamber: one segment of an exponential curve, stored by its beginning.
///
/// In a ``Regime`` dT/dt = (T∞ − T) / τ, so that T(t) = T∞ + (T₀ − T∞)·e^(−(t − t₀)/τ). No work is done while time
/// passes: the temperature is computed when it is read, and the moment of a crossing is known in advance. The regime is
/// not stored, because it follows from the machine's state. When the regime changes, a new segment begins.
struct Chamber: Hashable, Sendable, Codable {
  /// The temperature in °C at the beginning of the segment.
  private(set) var temperature = 0.0
  /// The beginning of the segment.
  private(set) var since = Instant.beginning

  /// The target temperature, and how fast the chamber approaches it.
  struct Regime: Hashable {
    /// T∞ in °C.
    let target: Double
    /// τ, the time in which the chamber covers 63 % of the way to the target. Greater than zero.
    let tau: Nanoseconds
  }

  /// A temperature at which a sensor reports. A temperature equal to it counts.
  enum Threshold {
    /// Reports this temperature or a lower one.
    case atMost(Double)
    /// Reports this temperature or a higher one.
    case atLeast(Double)

    var temperature: Double {
      switch self {
      case .atMost(let temperature), .atLeast(let temperature): temperature
      }
    }

    func isReached(by temperature: Double) -> Bool {
      switch self {
      case .atMost(let threshold): temperature <= threshold
      case .atLeast(let threshold): temperature >= threshold
      }
    }
  }

  /// The temperature in °C at a moment of this segment.
  func temperature(at now: Instant, in regime: Regime) -> Double {
    let elapsed = Double((now - since).nanoseconds) / Double(regime.tau.nanoseconds)
    return regime.target + (temperature - regime.target) * Exponential.exp(-elapsed)
  }

  /// The next segment, which begins when the regime changes.
  ///
  /// When a sensor reports a crossing, the temperature is exactly the threshold. When a report was sent by hand, or the
  /// threshold was passed before the segment began, the temperature follows the curve.
  ///
  /// - Parameters:
  ///   - regime: The regime until now.
  ///   - threshold: The threshold that a sensor waits for, if any.
  func next(at now: Instant, in regime: Regime, crossing threshold: Threshold?) -> Chamber {
    let reached = threshold?.temperature
    let isCrossing = reached.map { crosses($0, at: now, in: regime) } ?? false
    return Chamber(temperature: isCrossing ? reached ?? temperature : temperature(at: now, in: regime), since: now)
  }

  /// Whether the temperature is `threshold` at this moment, to the nearest nanosecond.
  func crosses(_ threshold: Double, at now: Instant, in regime: Regime) -> Bool {
    crossing(of: threshold, in: regime) == now - since
  }

  /// The time from the beginning of the segment until the temperature is `threshold`, to the nearest nanosecond.
  ///
  /// - Returns: `nil` if the temperature never crosses it, or only after more than a hundred years.
  func crossing(of threshold: Double, in regime: Regime) -> Nanoseconds? {
    let ratio = (temperature - regime.target) / (threshold - regime.target)
    guard ratio >= 1, ratio.isFinite else { return nil }
    let nanoseconds = Double(regime.tau.nanoseconds) * Exponential.log(ratio)
    guard nanoseconds <= Double(Nanoseconds.longest.nanoseconds) else { return nil }
    return Nanoseconds(nanoseconds: Int64(nearest: nanoseconds))
  }

  /// The time from the beginning of the segment until a sensor reports a threshold; `nil` if it never does.
  ///
  /// A threshold that is reached before the segment begins is reported after the cabinet's `recheckDelay`, so that two
  /// machines with contradicting settings do not bounce within one instant.
  func report(of threshold: Threshold, in regime: Regime, _ cabinet: Cabinet) -> Nanoseconds? {
    threshold.isReached(by: temperature) ? cabinet.recheckDelay : crossing(of: threshold.temperature, in: regime)
  }
}
