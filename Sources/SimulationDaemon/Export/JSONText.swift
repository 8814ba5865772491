import LineProtocol
import StateMachines

/// Values as JSON for programs: times and durations are numbers of seconds.
enum JSONText {
  static func of(_ value: Value) -> String {
    switch value {
    case .none: "null"
    case .text(let text): quoted(text)
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)"
    case .flag(let flag): flag ? "true" : "false"
    case .interval(let interval): TimeText.seconds(interval.nanoseconds)
    case .moment(let moment): TimeText.seconds(moment.nanoseconds)
    }
  }

  /// An object with a member per value.
  static func object(_ members: [(name: String, value: Value)]) -> String {
    "{" + members.map { "\(quoted($0.name)):\(of($0.value))" }.joined(separator: ",") + "}"
  }

  static func quoted(_ text: String) -> String { JSONWriter.quoted(text) }
}
