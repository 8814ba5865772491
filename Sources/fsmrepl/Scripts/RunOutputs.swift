/// The outputs reported by notices, without those that were undone.
struct RunOutputs {
  /// One emission of an output: the sequence number of its input, and the time as printed.
  private typealias Emission = (sequence: UInt64, time: String)

  /// Whether notices are requested at all.
  var isWatching = false
  /// By machine and output, oldest first.
  private var emissions: [String: [String: [Emission]]] = [:]

  mutating func take(_ output: String, of machine: String, at time: String, by sequence: UInt64) {
    emissions[machine, default: [:]][output, default: []].append((sequence, time))
  }

  /// Forgets what this input and later ones emitted.
  mutating func forget(from sequence: UInt64) {
    for (machine, outputs) in emissions {
      for (output, all) in outputs where (all.last?.sequence ?? 0) >= sequence {
        let left = all.prefix { $0.sequence < sequence }
        emissions[machine]?[output] = left.isEmpty ? nil : Array(left)
      }
    }
  }

  func has(_ output: String, of machine: String, at time: String) -> Bool {
    emissions[machine]?[output]?.last?.time == time
  }

  func count(of output: String, of machine: String) -> Int { emissions[machine]?[output]?.count ?? 0 }

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
