public import StateMachines

/// What the three mail protocols of the proxy are made with.
///
/// Any name may log in with any password but `bad`.
public struct MailParameters: ParameterSet {
  var sessionTimeout = Duration.seconds(60)
  public init() {}

  static func admits(password: String) -> Bool { password != "bad" }

  /// Why nothing is taken from a client after the end.
  static let isOver = "the session is over"
}

extension ParameterForm<MailParameters> {
  static let ofMail: [ParameterForm] = [
    .parameter(
      "sessionTimeout", \.sessionTimeout, .delay,
      "how long a client may take until it is handed over or leaves")
  ]
}

extension ValueType {
  /// An address or a name as a client of a mail server gives it.
  static let mailName = ValueType.text(bytes: 0...256)
}

extension Argument where A == String {
  static func mailName(_ name: String, like samples: [String]) -> Argument {
    .text(name, bytes: 0...256, like: samples)
  }
}
