import MachineForms
import StateMachines

/// A lamp with two levels.
enum Level: NamedCases { case low, high }
enum Press: NamedCases { case up, down }

final class Display {
  var brightness = 1
  func brighten() { brightness += 1 }
}

enum LevelTable {
  static let schema = Schema<Level, Press, Display>(initial: .low) { level, press in
    switch level {
    case .low:
      switch press {
      case .up: .to(.high) { $0.brighten() }
      case .down: nil
      }
    case .high:
      switch press {
      case .up: nil
      case .down: .to(.low)
      }
    }
  }
}

/// Presses up, up and down.
///
/// - Returns: The transitions that happened, and how bright the display was in the end.
func pressLevels() -> (transitions: [String], brightness: Int) {
  var transitions: [String] = []
  let display = Display()
  let machine = SchemaMachine(LevelTable.schema, subject: display)
  machine.didTransition = { old, event, new in transitions.append("\(old) \(event) \(new)") }
  machine.handle(.up)
  machine.handle(.up)  // ignored
  machine.handle(.down)
  return (transitions, display.brightness)  // ["low up high", "high down low"], 2
}
