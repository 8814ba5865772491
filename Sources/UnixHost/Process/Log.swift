internal import Glibc

/// Log messages: one line each on standard error, with time and level.
///
/// What goes to systemd's journal has the level as a prefix that it understands, and no time, since it notes its own. No
/// line is longer than the journal takes as one.
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

    /// As in syslog(3).
    fileprivate var priority: Int {
      switch self {
      case .error: 3
      case .warning: 4
      case .info: 6
      case .debug: 7
      }
    }

    package static func < (left: Level, right: Level) -> Bool {
      left.rawValue < right.rawValue
    }
  }

  /// Messages above this level are neither built nor written.
  package let level: Level
  private let output: Descriptor
  private let isForJournal: Bool
  /// The most bytes of a message; the journal cuts lines at 48 KiB.
  static let longest = 32 << 10

  package init(level: Level, output: Descriptor = .standardError) {
    self.init(level: level, output: output, journal: SocketPath.variable("JOURNAL_STREAM"))
  }

  /// - Parameter journal: `DEVICE:INODE` of the stream that the journal reads, as systemd says it.
  init(level: Level, output: Descriptor, journal: String?) {
    self.level = level
    self.output = output
    var found = stat()
    isForJournal = journal != nil && fstat(output.rawValue, &found) == 0 && journal == "\(found.st_dev):\(found.st_ino)"
  }

  package func error(_ text: @autoclosure () -> String) { write(.error, text) }
  package func warning(_ text: @autoclosure () -> String) { write(.warning, text) }
  package func info(_ text: @autoclosure () -> String) { write(.info, text) }
  package func debug(_ text: @autoclosure () -> String) { write(.debug, text) }

  private func write(_ level: Level, _ text: () -> String) {
    guard level <= self.level else { return }
    // One write for the whole line, so that lines of several processes do not mix.
    let head = isForJournal ? "<\(level.priority)>" : "\(WallClock.stamp()) \(level.name) "
    output.writeAll("\(head)\(Self.cut(Self.oneLine(text())))\n")
  }

  private static func cut(_ text: String) -> String {
    guard text.utf8.count > longest else { return text }
    var end = text.utf8.index(text.startIndex, offsetBy: longest)
    while end.samePosition(in: text.unicodeScalars) == nil { text.utf8.formIndex(before: &end) }
    return "\(text[..<end])... (of \(text.utf8.count) bytes)"
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
