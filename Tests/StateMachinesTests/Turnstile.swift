import StateMachines

/// A machine that needs everything a machine can have, for the tests of what a machine is.
struct Turnstile: LegacyMachine {
  enum State: StateWithData {
    /// Nobody passes.
    case locked
    /// Somebody has paid for so many to pass. `patience` is running.
    case unlocked(passes: Int)
    /// Nobody passes, whatever is paid.
    case broken(Fault)

    enum Name: NamedCases { case locked, unlocked, broken }

    var name: Name {
      switch self {
      case .locked: .locked
      case .unlocked: .unlocked
      case .broken: .broken
      }
    }

    var data: String? {
      switch self {
      case .locked: nil
      case .unlocked(let passes): "\(passes)"
      case .broken(let fault): fault.rawValue
      }
    }

    static var carriesData: Bool { true }
  }

  enum Fault: String, Choice { case jammed, noPower }

  enum Event: Sendable {
    case push
    case coin(Int)
    case fail(Fault, code: Int?)
    case write(Character, String?)
    case lights(Bool)
  }

  enum TimerName: NamedCases { case patience, blink }

  enum Output: OutputWithData {
    case passed
    case change(Int, to: String)

    enum Name: NamedCases { case passed, change }

    var name: Name {
      switch self {
      case .passed: .passed
      case .change: .change
      }
    }

    var data: [Value] {
      switch self {
      case .passed: []
      case .change(let amount, let person): [.integer(amount), .text(person)]
      }
    }
  }

  struct Parameters: ParameterSet {
    var patience = Interval.seconds(10)
    var price = 2
    var limit = 5
    var name: String?
    var fault = Fault.jammed

    init() {}

    var conflict: ParameterConflict? {
      price > limit ? ParameterConflict("price", allowed: "at most \(limit)") : nil
    }
  }

  var state: State
  /// A reference, to see that values are copied and destroyed as they should be.
  var witness = Witness()
  var letters = 0

  init(initial: State.Name?, _ step: Step<Self>) {
    switch initial ?? .locked {
    case .locked: state = .locked
    case .unlocked:
      state = .unlocked(passes: 1)
      step.arm(.patience, after: step.parameters.patience)
    case .broken: state = .broken(step.parameters.fault)
    }
  }

  mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (.locked, .event(.coin(let amount))), (.unlocked, .event(.coin(let amount))):
      if amount < step.parameters.price { return step.refuse("a pass costs \(step.parameters.price)") }
      step.emit(.change(amount % step.parameters.price, to: step.parameters.name ?? "you"))
      step.arm(.patience, after: step.parameters.patience)
      let passes = amount / step.parameters.price
      if case .unlocked(let before) = state { return .stayAs(.unlocked(passes: before + passes)) }
      return .move(to: .unlocked(passes: passes))
    case (.unlocked(let passes), .event(.push)):
      step.disarm(.patience)
      step.emit(.passed)
      return passes > 1 ? .move(to: .unlocked(passes: passes - 1)) : .move(to: .locked)
    case (.unlocked, .expired(.patience)):
      return .move(to: .locked)
    case (_, .event(.fail(let fault, code: _))):
      step.disarm(.patience)
      return .move(to: .broken(fault))
    case (.locked, .event(.push)):
      return step.refuse("pay first")
    case (.broken, .event(.push)), (.broken, .event(.coin)):
      return step.refuse("out of order")
    case (_, .event(.write)):
      letters += 1
      return .stay
    case (_, .event(.lights)), (.locked, .expired(.patience)), (.broken, .expired(.patience)), (_, .expired(.blink)):
      return .ignore
    }
  }

  func asksFor(_ timer: TimerName) -> Bool {
    switch (timer, state) {
    case (.patience, .unlocked): true
    case (.patience, .locked), (.patience, .broken), (.blink, _): false
    }
  }

  static let kind = Kind(
    Turnstile.self, "turnstile", version: 3, "lets those pass who pay",
    states: [.locked: "nobody passes", .unlocked: "somebody has paid", .broken: "nobody passes, whatever is paid"],
    events: [
      .event(.push, "somebody pushes"),
      .event(Event.coin, .integer("amount", 1...100), about: "somebody pays"),
      .event(Event.fail, .choice("fault"), .optional(.integer("code", 0...9)), about: "something breaks"),
      .event(Event.write, .character("c"), .optional(.text("color")), about: "somebody writes on it"),
      .event(Event.lights, .flag("on"), about: "the light is switched"),
    ],
    timers: [.patience: .after("patience", "nobody came"), .blink: .computed("never runs")],
    outputs: [
      .passed: .output(about: "somebody has passed"),
      .change: .output(
        ("amount", .integer(0...100)), ("person", .text(bytes: 1...64)), about: "what is given back"),
    ],
    readings: [
      .reading("passes", .integer(0...100), "how many may pass") { machine, _, _ in
        if case .unlocked(let passes) = machine.state { passes } else { nil }
      },
      .reading("price", .integer(0...100), "of a pass") { _, _, parameters in parameters.price },
      .reading("clock", .moment, "the present") { _, now, _ in now },
    ],
    parameters: [
      .parameter("patience", \.patience, .interval(.zero ... .days(1)), "how long it stays open"),
      .parameter("price", \.price, .integer(1...100), "of a pass"),
      .parameter("limit", \.limit, .integer(1...100), "of the price"),
      .parameter("name", \.name, .optional(.text(bytes: 1...64)), "of who pays"),
      .parameter("fault", \.fault, .choice(Fault.allCases.map(\.rawValue)), "what breaks"),
    ])
}

/// Something with an identity, so that a leak or an early end of a machine's value is seen.
final class Witness: Sendable, Codable {}
