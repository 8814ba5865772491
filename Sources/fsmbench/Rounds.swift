internal import UnixHost

/// How long and how often to measure.
struct Effort {
  /// How often each of a pair is measured; an odd number has a true median.
  var rounds = 7
  /// The duration of one rate measurement.
  var nanoseconds: UInt64 = 400_000_000
  /// How many machines "a million" means.
  var million = 1_000_000

  static let quick = Effort(rounds: 3, nanoseconds: 150_000_000, million: 200_000)
}

/// Two measurements of the same kind, taken in turn.
struct Pairing {
  let ours: Double
  let peer: Double
  /// Ours divided by the peer's: the median of the rounds' ratios, in which a drift of the machine's speed cancels out.
  let ratio: Double

  /// Measures both once to warm up, then in turn, the order swapped from round to round.
  init(rounds: Int, ours: () throws -> Double, peer: () throws -> Double) rethrows {
    _ = try ours()
    _ = try peer()
    var pairs: [(ours: Double, peer: Double)] = []
    for round in 0..<rounds {
      if round.isMultiple(of: 2) {
        let first = try ours()
        pairs.append((first, try peer()))
      } else {
        let first = try peer()
        pairs.append((try ours(), first))
      }
    }
    self.ours = median(pairs.map(\.ours))
    self.peer = median(pairs.map(\.peer))
    ratio = median(pairs.map { $0.ours / $0.peer })
  }
}

/// The middle value, or the mean of the two middle ones.
///
/// - Precondition: `values` is not empty.
func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  let middle = sorted.count / 2
  return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
}

/// Seconds that `body` takes.
func seconds(_ body: () throws -> Void) rethrows -> Double {
  let begin = HostClock.now()
  try body()
  return Double(HostClock.now() - begin) / 1e9
}

/// How many things `work` does per second; it gets the number of earlier calls and returns how many things it did.
func rate(for nanoseconds: UInt64, _ work: (_ call: Int) throws -> Int) rethrows -> Double {
  let begin = HostClock.now()
  var done = 0
  var calls = 0
  while true {
    done += try work(calls)
    calls += 1
    let elapsed = HostClock.now() - begin
    if elapsed >= nanoseconds { return Double(done) / (Double(elapsed) / 1e9) }
  }
}
