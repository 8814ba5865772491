internal import Scripts
import LineProtocol
internal import UnixHost

/// A line at the foot of a terminal: the world time, its speed relative to real time, and the next step.
final class RunProgress {
  private let output: Descriptor
  private var isShown = false
  private var nextLook: UInt64 = 0
  private var began: UInt64 = 0

  /// Time between two updates, in nanoseconds. Scripts that end sooner show no line.
  private static let interval: UInt64 = 100_000_000

  init(output: Descriptor) {
    self.output = output
  }

  /// Starts the clock for a script.
  func begin() {
    began = HostClock.now()
    nextLook = began + Self.interval
  }

  /// Shows the progress of a script, at most once per interval.
  func show(_ script: Script, worldTime: @autoclosure () -> String, next: Script.Step?) {
    let now = HostClock.now()
    guard now >= nextLook else { return }
    nextLook = now + Self.interval
    let time = worldTime()
    let factor = Double(TimeText.time(time) ?? 0) / Double(max(1, now - began))
    var text: ScreenText =
      "\(script.name)  \(time) s  ×\(factor >= 10 ? "\(Int(factor))" : "\((factor * 10).rounded() / 10)")"
    if let next { text += "  next \(next.line): \(script.line(of: next))" }
    let width = max(20, (output.columns ?? 80) - 1)
    output.writeAll("\r\u{1B}[K\(text.text.prefix(width))")
    isShown = true
  }

  /// Removes the line, before something else is written.
  func clear() {
    guard isShown else { return }
    output.writeAll("\r\u{1B}[K")
    isShown = false
  }
}
