public import StateMachines

/// What the three mail protocols of the proxy are made with: who may log in, and how long that may take.
public struct MailParameters: ParameterSet {
  var sessionTimeout = Interval.seconds(60)
  var user = "user"
  var password = "secret"
  public init() {}

  func admits(user: String, password: String) -> Bool { user == self.user && password == self.password }
}

extension ParameterForm<MailParameters> {
  static let ofMail: [ParameterForm] = [
    .parameter(
      "sessionTimeout", \.sessionTimeout, .delay,
      "how long a client may take until it is handed over or leaves"),
    .parameter("user", \.user, .text(bytes: 1...64), "who may log in"),
    .parameter("password", \.password, .text(bytes: 1...64), "with which password"),
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
