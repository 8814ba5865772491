internal import StateMachines

/// A simulated service behind a machine: it answers after a latency, or only when its answer is sent by hand.
///
/// Its answer is a timer of the machine, armed by the request, so that `agenda` shows it and `fire` brings it early.
struct SimulatedService: Hashable, Sendable {
  enum Mode: String, Choice { case auto, manual }

  /// Whether it answers by itself.
  var mode = Mode.auto
  /// The time that an answer takes.
  var latency = Duration.seconds(3)
  /// The number of requests that fail before one may succeed.
  var failures = 0
  /// The part of the other requests that fail, from 0 (none) to 1 (all).
  var failureRate = 0.0
  /// The number of items in an answer.
  var items = 5

  var isAutomatic: Bool { mode == .auto }

  /// Whether a request fails: the first `failures` do, and of the others chance decides.
  ///
  /// It draws from the world's generator only if chance decides.
  ///
  /// - Parameter number: The running number of the request, from 1.
  func fails<M>(request number: Int, _ step: Step<M>) -> Bool {
    if number <= failures { return true }
    return failureRate > 0 && Double(step.draw(in: 0...999_999)) < failureRate * 1_000_000
  }
}

/// A number of requests. Beyond the service's `failures` it decides nothing.
@propertyWrapper
struct RequestCount: Hashable, Codable, Sendable, PartlyIncidental {
  var wrappedValue: Int

  init(wrappedValue: Int) {
    self.wrappedValue = wrappedValue
  }

  init(from decoder: any Decoder) throws {
    wrappedValue = try decoder.singleValueContainer().decode(Int.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }

  func essence(for parameters: any ParameterSet) -> Int { Self.essence(of: wrappedValue, for: parameters) }

  /// - Parameter least: Numbers below it are told apart in any case.
  static func essence(of count: Int, for parameters: any ParameterSet, least: Int = 0) -> Int {
    min(count, max(least, (parameters as? any ServedParameters)?.service.failures ?? 0))
  }
}

/// The parameters of a kind with a simulated service behind it.
protocol ServedParameters: ParameterSet {
  var service: SimulatedService { get set }
}

extension ServedParameters {
  /// The forms of the service's parameters, without `items`.
  static var serviceForms: [ParameterForm<Self>] {
    [
      .parameter("service", \.service.mode, "auto: the service answers after latency; manual: only events answer"),
      .parameter("latency", \.service.latency, .delay, "how long the service takes to answer"),
      .parameter("failures", \.service.failures, .integer(0...1_000_000), "the number of requests that fail at first"),
      .parameter(
        "failureRate", \.service.failureRate, .number(0...1, unit: ""),
        "the share of the other requests that fail at random"
      ),
    ]
  }

  static func itemsForm(_ about: String) -> ParameterForm<Self> {
    .parameter("items", \.service.items, .integer(0...1_000_000), about)
  }
}
