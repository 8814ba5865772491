package import StateMachines

/// A machine that needs everything a machine can have, for the tests of what a machine is.
package struct Turnstile: Machine {
  package enum State: StateWithData {
    /// Nobody passes.
    case locked
    /// Somebody has paid for so many to pass. `patience` is running.
    case unlocked(passes: Int)
    /// Nobody passes, whatever is paid.
    case broken(Fault)

    package enum Name: NamedCases { case locked, unlocked, broken }

    package var data: String? {
      switch self {
      case .locked: nil
      case .unlocked(let passes): "\(passes)"
      case .broken(let fault): fault.rawValue
      }
    }

    package static var carriesData: Bool { true }
  }

  package enum Fault: String, Choice { case jammed, noPower }

  package enum Event: MachineEvent {
    case push
    case coin(Int)
    case fail(Fault, code: Int?)
    case write(Character, String?)
    case lights(Bool)
    case nobodyCame, blinked
  }

  package enum Output: OutputWithData {
    case passed
    case change(Int, to: String)

    package enum Name: NamedCases { case passed, change }
  }

  package struct Parameters: ParameterSet {
    package var patience = Duration.seconds(10)
    package var price = 2
    package var limit = 5
    package var name: String?
    package var fault = Fault.jammed

    package init() {}

    package var conflict: ParameterConflict? {
      price > limit ? ParameterConflict("price", allowed: "at most \(limit)") : nil
    }
  }

  package var state = State.locked
  /// A reference, to see that values are copied and destroyed as they should be.
  package var witness = Witness()
  package var letters = 0

  package init() {}

  package mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    switch name {
    case .locked: .locked
    case .unlocked: .unlocked(passes: 1)
    case .broken: .broken(step.parameters.fault)
    }
  }

  package func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    switch state {
    case .unlocked: .after(parameters.patience, .nobodyCame)
    case .locked, .broken: .none
    }
  }

  package mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .push:
      switch state {
      case .locked: return step.refuse("pay first")
      case .unlocked(let passes):
        step.emit(.passed)
        return .move(to: passes > 1 ? .unlocked(passes: passes - 1) : .locked)
      case .broken: return step.refuse("out of order")
      }
    case .coin(let amount):
      if state.name == .broken { return step.refuse("out of order") }
      if amount < step.parameters.price { return step.refuse("a pass costs \(step.parameters.price)") }
      step.emit(.change(amount % step.parameters.price, to: step.parameters.name ?? "you"))
      let passes = amount / step.parameters.price
      guard case .unlocked(let before) = state else { return .move(to: .unlocked(passes: passes)) }
      step.arm(.nobodyCame, after: step.parameters.patience)
      return .stayAs(.unlocked(passes: before + passes))
    case .fail(let fault, code: _): return .move(to: .broken(fault))
    case .write:
      letters += 1
      return .stay
    case .lights, .blinked: return .ignore
    case .nobodyCame: return .move(to: .locked)
    }
  }

  package static let kind = Kind(
    Turnstile.self, "turnstile", version: 3, "lets those pass who pay",
    states: {
      switch $0 {
      case .locked: "nobody passes"
      case .unlocked: "somebody has paid"
      case .broken: "nobody passes, whatever is paid"
      }
    },
    events: [
      .event(.push, "somebody pushes"),
      .event(Event.coin, .integer("amount", 1...100), about: "somebody pays"),
      .event(Event.fail, .choice("fault"), .optional(.integer("code", 0...9)), about: "something breaks"),
      .event(Event.write, .character("c"), .optional(.text("color")), about: "somebody writes on it"),
      .event(Event.lights, .flag("on"), about: "the light is switched"),
    ],
    timers: [
      .timer(.nobodyCame, named: "patience", after: "patience", "nobody came"),
      .timer(.blinked, named: "blink", "never runs"),
    ],
    outputs: {
      switch $0 {
      case .passed: .output(about: "somebody has passed")
      case .change:
        .output(("amount", .integer(0...100)), ("person", .text(bytes: 1...64)), about: "what is given back")
      }
    },
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
package final class Witness: Sendable, Codable {
  package init() {}
}
