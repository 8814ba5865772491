import StateMachines

/// The connection that a ``Supervisor`` has handed over to a member of its proxy. A member serves one at a time.
struct ServedConnection: Hashable, Codable {
  /// `nil` while none is served.
  private var number: Int?

  /// The reaction of a member to a connection in a state in which nobody talks to it: the session begins, unless the
  /// member serves another connection already. The timer of the session starts anew.
  mutating func take<M: Machine>(
    _ new: Int, in first: M.State, arming timer: M.Event, after delay: Duration, _ step: Step<M>
  ) -> Reaction<M.State> where M.Parameters: SupervisedParameters, M.Output: MemberOutput {
    guard step.when("supervised", step.parameters.supervised) else { return step.refuse(Self.isUnsupervised) }
    guard step.when("free", number == nil) else { return pass(new, step) }
    number = new
    step.arm(timer, after: delay)
    return .move(to: first)
  }

  /// The reaction of a member that cannot serve a connection: the next member gets it or, from the last one, the
  /// supervisor.
  private func pass<M: Machine>(_ new: Int, _ step: Step<M>) -> Reaction<M.State>
  where M.Parameters: SupervisedParameters, M.Output: MemberOutput {
    step.emit(step.when("hasNext", step.parameters.hasNext) ? .busy(new) : .ended(new), then: .stay)
  }

  /// The reaction of a member to a connection in a state in which somebody talks to it.
  func sendAway<M: Machine>(_ new: Int, _ step: Step<M>) -> Reaction<M.State>
  where M.Parameters: SupervisedParameters, M.Output: MemberOutput {
    guard step.when("supervised", step.parameters.supervised) else { return step.refuse(Self.isUnsupervised) }
    return pass(new, step)
  }

  /// Tells the supervisor, if one handed the connection over, that the session is over.
  mutating func giveBack<M: Machine>(_ step: Step<M>) where M.Output: MemberOutput {
    if let number { step.emit(.ended(number)) }
    number = nil
  }

  private static let isUnsupervised = "accept needs supervised=on"
}

/// The parameters of a kind that can be a member of a proxy.
protocol SupervisedParameters: ParameterSet {
  var supervised: Bool { get set }
  /// Whether another member serves the same protocol, which gets the clients that this one cannot serve.
  var hasNext: Bool { get set }
}

/// The outputs of a kind that can be a member of a proxy.
protocol MemberOutput: OutputWithData {
  static func ended(_ connection: Int) -> Self
  static func busy(_ connection: Int) -> Self
}

extension ParameterForm where Parameters: SupervisedParameters {
  static var supervised: ParameterForm {
    .parameter("supervised", \.supervised, "on: a supervisor may hand clients over with accept")
  }

  static var hasNext: ParameterForm {
    .parameter("hasNext", \.hasNext, "on: a client that it cannot serve is for the next member, by busy")
  }
}

extension EventForm {
  /// The event by which a member of the proxy gets a connection from its supervisor.
  static func accept(_ make: @escaping @Sendable (Int) -> Event) -> EventForm {
    .event(make, .connection, about: "the supervisor hands a client over; it is passed on if another one is served")
  }
}

extension OutputForm {
  /// What a proxy's member passes on to the next one of its protocol.
  static var busy: OutputForm {
    .output(("connection", .connection), about: "another connection is served; only with hasNext=on")
  }

  /// The report of a proxy's member to its supervisor.
  static var ended: OutputForm { .output(("connection", .connection), about: "the connection is no longer served") }
}

extension Argument where A == Int {
  static var connection: Argument { .integer("connection", 1...1_000_000_000, like: [1]) }
}

extension ValueType {
  static let connection = ValueType.integer(1...1_000_000_000)
}
