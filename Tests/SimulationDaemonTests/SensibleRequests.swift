import TestSupport
import StateMachines

@testable import SimulationDaemon

/// Requests that nearly always make sense: machines are named after their kinds, so events, timers, outputs and
/// parameters fit the machine.
struct SensibleRequests {
  private struct KindWords {
    let name: String
    let initialStates: [String]
    let events: [(name: String, arguments: [[String]])]
    let timers: [String]
    let outputs: [String]
    let parameters: [String]
    /// The required parameters of `new`.
    let required: String
  }

  private let kinds: [KindWords]

  init(_ catalogue: Catalogue) {
    kinds = catalogue.entries.compactMap { entry in
      guard case .machine(let kind) = entry else { return nil }
      return KindWords(
        name: kind.name, initialStates: kind.initialStates,
        events: kind.events.map { event in
          (event.name, event.arguments.map { SensibleRequests.words(of: $0.type) })
        },
        timers: kind.timers.map(\.name), outputs: kind.outputs.map(\.name),
        parameters: kind.parameters.flatMap { parameter in
          parameter.standard == nil
            ? []
            : ([parameter.example] + parameter.type.samples).map { "\(parameter.name)=\(ArgumentText.written($0))" }
        },
        required: kind.requiredExamples.reduce("") { text, given in
          text + " \(kind.parameters[given.parameter].name)=\(ArgumentText.written(given.value))"
        })
    }
  }

  /// Words for an argument, all within its range.
  static func words(of type: ValueType) -> [String] { type.samples.map { ArgumentText.written($0) } }

  private func name(_ kind: KindWords, _ dice: inout Dice) -> String { "\(kind.name)\(dice.number(below: 2))" }

  private func event(_ kind: KindWords, _ dice: inout Dice) -> String {
    let event = dice.one(of: kind.events)
    return event.arguments.reduce(event.name) { "\($0) \(dice.one(of: $1))" }
  }

  mutating func request(_ dice: inout Dice) -> String {
    let kind = dice.one(of: kinds)
    switch dice.number(below: 24) {
    case 0..<3:
      var text = "new \(kind.name) \(name(kind, &dice))\(kind.required)"
      if dice.once(in: 4) { text += " initial=\(dice.one(of: kind.initialStates))" }
      if !kind.parameters.isEmpty, dice.once(in: 2) { text += " " + dice.one(of: kind.parameters) }
      return text
    case 3: return dice.once(in: 3) ? "drop \(name(kind, &dice))" : "new phoneCall call\(dice.number(below: 2))"
    case 4: return "cast \(kind.name)* \(event(kind, &dice))"
    case 5:
      guard !kind.outputs.isEmpty else { return "send \(name(kind, &dice)) \(event(kind, &dice))" }
      let other = dice.one(of: kinds)
      let target = dice.one(of: other.events).name
      return "wire \(name(kind, &dice)) \(dice.one(of: kind.outputs)) \(name(other, &dice)) \(target)"
    case 6:
      guard !kind.timers.isEmpty else { return "send \(name(kind, &dice)) \(event(kind, &dice))" }
      return "fire \(name(kind, &dice)) \(dice.one(of: kind.timers))"
    case 7:
      let member = dice.one(of: ["tracker phoneTapped 123", "phone pressCall", "phone pressCancel", "phone hangUp"])
      return "send call\(dice.number(below: 2)).\(member)"
    case _: return "send \(name(kind, &dice)) \(event(kind, &dice))"
    }
  }
}
