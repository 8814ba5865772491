/// Log messages: one line each on standard error, with time and level.
package struct Log: Sendable {
  package enum Level: Int, Comparable, CaseIterable, Sendable {
    case error
    case warning
    case info
    case debug

    /// The level with this name; `nil` for any other word.
    package init?(name: String) {
      guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
      self = found
    }

    package var name: String {
      switch self {
      case .error: "error"
      case .warning: "warning"
      case .info: "info"
      case .debug: "debug"
      }
    }

    package static func < (left: Level, right: Level) -> Bool {
      left.rawValue < right.rawValue
    }
  }

  /// Messages above this level are neither built nor written.
  package let level: Level
  private let output: Descriptor

  package init(level: Level, output: Descriptor = .standardError) {
    self.level = level
    self.output = output
  }

  package func error(_ text: @autoclosure () -> String) { write(.error, text) }
  package func warning(_ text: @autoclosure () -> String) { write(.warning, text) }
  package func info(_ text: @autoclosure () -> String) { write(.info, text) }
  package func debug(_ text: @autoclosure () -> String) { write(.debug, text) }

  private func write(_ level: Level, _ text: () -> String) {
    guard level <= self.level else { return }
    // One write for the whole line, so that lines of several processes do not mix.
    output.writeAll("\(WallClock.stamp()) \(level.name) \(Self.oneLine(text()))\n")
  }

  /// `text` with control characters escaped, so that client text cannot fake a line or control a terminal.
  static func oneLine(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if scalar.properties.generalCategory == .control {
        result += scalar.escaped(asASCII: true)
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
