import StateMachines

/// The parameters of the three mail protocols of the proxy.
///
/// Any name may log in with any password but `bad`.
public struct MailParameters: SupervisedParameters {
  var sessionTimeout = Duration.seconds(60)
  var supervised = false
  var hasNext = false
  public init() {}

  static func admits(password: String) -> Bool { password != "bad" }

  /// The reason for refusing commands after the end.
  static let isOver = "the session is over"
}

extension ParameterForm<MailParameters> {
  static let ofMail: [ParameterForm] = [
    .parameter("sessionTimeout", \.sessionTimeout, .delay, "the timeout of a session"),
    .supervised, .hasNext,
  ]
}

extension ValueType {
  /// An address or a name, as a client of a mail server sends it.
  static let mailName = ValueType.text(bytes: 0...256)
}

extension Argument where A == String {
  static func mailName(_ name: String, like samples: [String]) -> Argument {
    .text(name, bytes: 0...256, like: samples)
  }
}
