import LineProtocol
import StateMachines

/// Values as JSON for database queries: times and durations are numbers of seconds.
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

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      case _: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
