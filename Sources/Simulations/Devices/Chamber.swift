import StateMachines

/// The temperature of a cooled chamber as a law: a segment of an exponential curve, known by where it begins.
///
/// In a ``Regime`` dT/dt = (T∞ − T) / τ, so that T(t) = T∞ + (T₀ − T∞)·e^(−(t − t₀)/τ). Nothing happens while time
/// goes by: the temperature is worked out when somebody asks, and the moment of a crossing is known beforehand. The regime is
/// not kept here, because it follows from the machine's state; whenever it changes, a new segment begins.
struct Chamber: Hashable, Sendable, Codable {
  /// The temperature in °C at the beginning of the segment.
  private(set) var temperature = 0.0
  /// The beginning of the segment.
  private(set) var since = Instant.beginning

  /// What the temperature tends to, and how fast.
  struct Regime: Hashable {
    /// T∞ in °C.
    let target: Double
    /// τ, the time after which 63 % of the way to the target are done. Greater than zero.
    let tau: Nanoseconds
  }

  /// A temperature at which a sensor reports. Reaching it exactly counts.
  enum Threshold {
    /// Reports that it is so cold.
    case atMost(Double)
    /// Reports that it is so warm.
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

  /// The segment that begins at a moment of this one, because another regime holds from then on.
  ///
  /// At the moment at which a sensor reports a crossing the temperature is the threshold, by definition. Where a report was
  /// sent by hand, or the threshold had been passed before the segment began, it is what the law says.
  ///
  /// - Parameters:
  ///   - regime: What has held until now.
  ///   - threshold: What a sensor was waiting for, if one was.
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
  /// - Returns: `nil` if that never happens, or takes longer than a hundred years.
  func crossing(of threshold: Double, in regime: Regime) -> Nanoseconds? {
    let ratio = (temperature - regime.target) / (threshold - regime.target)
    guard ratio >= 1, ratio.isFinite else { return nil }
    let nanoseconds = Double(regime.tau.nanoseconds) * Exponential.log(ratio)
    guard nanoseconds <= Double(Nanoseconds.longest.nanoseconds) else { return nil }
    return Nanoseconds(nanoseconds: Int64(nearest: nanoseconds))
  }

  /// The time from the beginning of the segment until a sensor reports a threshold; `nil` if it never does.
  ///
  /// A threshold that has been reached before the segment begins is reported after the cabinet's `recheckDelay`, so that
  /// two machines that contradict each other do not bounce within one instant.
  func report(of threshold: Threshold, in regime: Regime, _ cabinet: Cabinet) -> Nanoseconds? {
    threshold.isReached(by: temperature) ? cabinet.recheckDelay : crossing(of: threshold.temperature, in: regime)
  }
}
