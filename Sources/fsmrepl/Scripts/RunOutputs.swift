/// The outputs reported by notices, without those that were undone.
struct RunOutputs {
  /// One emission of an output: the sequence number of its input, and the time as printed.
  private typealias Emission = (sequence: UInt64, time: String)

  /// Whether notices are requested at all.
  var isWatching = false
  /// Whether the world may go back, so that an earlier emission may become the last again.
  let keepsAll: Bool
  /// By machine and output, oldest first.
  private var emissions: [String: [String: [Emission]]] = [:]

  init(keepsAll: Bool) { self.keepsAll = keepsAll }

  mutating func take(_ output: String, of machine: String, at time: String, by sequence: UInt64) {
    if !keepsAll { emissions[machine]?[output]?.removeAll(keepingCapacity: true) }
    emissions[machine, default: [:]][output, default: []].append((sequence, time))
  }

  /// Forgets what this input and later ones emitted.
  mutating func forget(from sequence: UInt64) {
    for (machine, outputs) in emissions {
      for output in outputs.keys {
        while let last = emissions[machine]?[output]?.last, last.sequence >= sequence {
          emissions[machine]?[output]?.removeLast()
        }
      }
    }
  }

  func has(_ output: String, of machine: String, at time: String) -> Bool {
    emissions[machine]?[output]?.last?.time == time
  }

  /// The input that emitted an output last; 0 if none has.
  func last(_ output: String, of machine: String) -> UInt64 { emissions[machine]?[output]?.last?.sequence ?? 0 }

  /// The outputs that a machine emitted at a time.
  func text(of machine: String, at time: String) -> String {
    let names = (emissions[machine] ?? [:]).filter { $0.value.last?.time == time }.keys.sorted()
    return names.isEmpty ? lastText(of: machine) : "output \(names.joined(separator: ","))"
  }

  /// The last emission of each output of a machine.
  func lastText(of machine: String) -> String {
    let last = (emissions[machine] ?? [:]).compactMapValues(\.last).sorted { $0.key < $1.key }
    guard !last.isEmpty else { return "no output of \(machine)" }
    return "last " + last.map { "\($0.key) at \($0.value.time)" }.joined(separator: ", ")
  }
}
