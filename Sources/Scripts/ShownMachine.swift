package import LineProtocol

/// A parsed answer to `show`.
package struct ShownMachine {
  package private(set) var state = ""
  package private(set) var timers: [String] = []
  private var readings: [(name: String, value: String, unit: String)] = []

  package init(_ rows: [ServerLine]) {
    for words in rows.map(\.words) where words.count > 1 {
      switch words[0] {
      case "state": state = words[1]
      case "timer": timers.append(words[1])
      case "reading" where words.count > 2:
        readings.append((words[1], words[2], words.count > 3 ? words[3] : ""))
      default: break
      }
    }
  }

  /// A reading as `show` has it, with its unit if it has one; `nil` if it has no value now.
  package func reading(_ name: String) -> [String]? {
    readings.first { $0.name == name }.map { ["reading", $0.name, $0.value] + ($0.unit.isEmpty ? [] : [$0.unit]) }
  }

  private func value(of name: String) -> String? { readings.first { $0.name == name }?.value }

  /// How a reading differs from the wanted one; `nil` if it does not.
  package func difference(_ name: String, _ wanted: Script.Reading) -> (expected: String, got: String)? {
    let value = value(of: name)
    let others = readings.isEmpty ? "it has none now" : "it has \(readings.map(\.name).joined(separator: ", "))"
    // The text of a document is JSON, with its own quotes, and is written so, too.
    let got = value.map { "\(name) \($0.hasPrefix("\"") ? $0 : Word.written($0))" } ?? "no reading '\(name)'; \(others)"
    switch wanted {
    case .none:
      return value == nil ? nil : ("no reading '\(name)'", got)
    case .text(let text):
      return value == text ? nil : ("\(name) \(Word.written(text))", got)
    case .quoted(let text, let other):
      return value == JSONWriter.quoted(text) ? nil : difference(name, other)
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
  package static let unitOfTimes = "s"

  private static func isNear(_ value: String, _ number: Double, _ tolerance: Double) -> Bool {
    // Rounding slack: neither number is exact in binary.
    let slack = tolerance + max(abs(number), 1) * 1e-12
    return Double(value).map { abs($0 - number) <= slack } ?? false
  }

  private static func text(_ number: Double, _ tolerance: Double) -> String {
    text(number) + (tolerance > 0 ? " ±\(text(tolerance))" : "")
  }

  private static func text(_ number: Double) -> String {
    Int64(exactly: number).flatMap { $0.magnitude < 1_000_000_000_000_000 ? "\($0)" : nil } ?? "\(number)"
  }

  /// The state of a machine after a notice; `nil` if the notice names no state.
  package static func state(in words: [String]) -> String? {
    switch (words[3], words.count) {
    case ("moved", 6...), ("created", 6...): words[5]
    case ("stayed", 5...), ("ignored", 5...): words[4]
    default: nil
    }
  }
}
