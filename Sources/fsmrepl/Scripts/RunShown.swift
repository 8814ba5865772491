internal import Scripts
import LineProtocol

/// A parsed answer to `show`.
struct RunShown {
  private(set) var state = ""
  private(set) var timers: [String] = []
  private var readings: [(name: String, value: String, unit: String)] = []

  /// - Parameter rows: Lines of the answer, as received.
  init(_ rows: [String]) {
    self.init(lines: rows.compactMap { ServerLine($0) })
  }

  init(lines: [ServerLine]) {
    for words in lines.map(\.words) where words.count > 1 {
      switch words[0] {
      case "state": state = words[1]
      case "timer": timers.append(words[1])
      case "reading" where words.count > 2:
        readings.append((words[1], words[2], words.count > 3 ? words[3] : ""))
      default: break
      }
    }
  }

  /// The value of a reading; `nil` if it has none now.
  func value(of name: String) -> String? { readings.first { $0.name == name }?.value }

  /// How a reading differs from the wanted one; `nil` if it does not.
  func difference(_ name: String, _ wanted: Script.Reading) -> (expected: String, got: String)? {
    let value = value(of: name)
    let others = readings.isEmpty ? "it has none now" : "it has \(readings.map(\.name).joined(separator: ", "))"
    let got = value.map { "\(name) \(Word.written($0))" } ?? "no reading '\(name)'; \(others)"
    switch wanted {
    case .none:
      return value == nil ? nil : ("no reading '\(name)'", got)
    case .text(let text):
      return value == text ? nil : ("\(name) \(Word.written(text))", got)
    case .number(let number, let tolerance):
      if let value, Self.isNear(value, number, tolerance) { return nil }
      return ("\(name) \(Self.text(number, tolerance))", got)
    case .seconds(let number, let tolerance):
      let unit = readings.first { $0.name == name }?.unit ?? ""
      if let value, unit == Self.unitOfTimes, Self.isNear(value, number, tolerance) { return nil }
      return ("\(name) \(Self.text(number, tolerance)) \(Self.unitOfTimes)", unit.isEmpty ? got : "\(got) \(unit)")
    }
  }

  /// The unit of readings that are times.
  private static let unitOfTimes = "s"

  private static func isNear(_ value: String, _ number: Double, _ tolerance: Double) -> Bool {
    // Rounding slack: neither number is exact in binary.
    let slack = tolerance + max(abs(number), 1) * 1e-12
    return Double(value).map { abs($0 - number) <= slack } ?? false
  }

  private static func text(_ number: Double, _ tolerance: Double) -> String {
    text(number) + (tolerance > 0 ? " ±\(text(tolerance))" : "")
  }

  private static func text(_ number: Double) -> String {
    abs(number) < 1e15 && number == number.rounded() ? "\(Int64(number))" : "\(number)"
  }

  /// The state of a machine after a notice; `nil` if the notice names no state.
  static func state(in words: [String]) -> String? {
    switch (words[3], words.count) {
    case ("moved", 6...), ("created", 6...): words[5]
    case ("stayed", 5...), ("ignored", 5...): words[4]
    default: nil
    }
  }
}

/// How many of the transitions of some kinds were made, from an answer to `coverage`.
struct RunCoverage: Equatable {
  /// A move, by the names of the states and of what triggers it.
  struct Transition: Equatable {
    let from: String
    let to: String
    let trigger: String
  }

  /// Whether any kind was looked at: false if no machine matched.
  private(set) var hasKinds = false
  private(set) var made = 0
  private(set) var all = 0
  /// What was not made, as far as the daemon names it.
  private(set) var missing: [Transition] = []

  /// - Parameter rows: Lines of the answer, as received.
  init(_ rows: [String]) {
    self.init(lines: rows.compactMap { ServerLine($0) })
  }

  init(lines: [ServerLine]) {
    for line in lines {
      if line.words.first == "kind", let numbers = line["transitions"]?.split(separator: "/").compactMap({ Int($0) }),
        numbers.count == 2
      {
        hasKinds = true
        made += numbers[0]
        all += numbers[1]
      }
      if line.words.starts(with: ["untried"]), line.words.count == 5, line.words[2] == "transition" {
        let trigger = line["event"] ?? line["timer"] ?? "?"
        missing.append(Transition(from: line.words[3], to: line.words[4], trigger: trigger))
      }
    }
  }

  /// Whether so many per cent were made. Of a kind without transitions all were.
  func reaches(_ percent: Int) -> Bool { hasKinds && made * 100 >= all * percent }

  /// What is said where no machine matched.
  static func nothing(_ pattern: String) -> String { "no machine matches '\(pattern)'" }

  var text: String { "\(all == 0 ? 100 : made * 100 / all)% (\(made) of \(all) transitions)" }
}

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
