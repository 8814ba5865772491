@testable import Simulator
import StateMachines

/// A rewind in one call, which the daemon does in slices.
extension WorldCore {
  @discardableResult
  mutating func goBack(_ goal: Rewinding.Goal, by inputs: Int = 1_000) throws -> ClosedRange<UInt64>? {
    let rewinding = Rewinding(of: self, to: goal)
    while !rewinding.hasArrived { try rewinding.advance(through: self, by: inputs) }
    return rewind(rewinding)
  }

  @discardableResult
  mutating func undo(_ requests: Int = 1) throws -> ClosedRange<UInt64>? { try goBack(.requests(requests)) }

  @discardableResult
  mutating func goTo(_ nanoseconds: Int64) throws -> ClosedRange<UInt64>? {
    try goBack(.moment(Instant(nanoseconds: nanoseconds)))
  }

  /// All facts about the present: the time, machines with states, readings and timers, wires, composed names.
  func portrait() -> [String] {
    var lines = [now.text]
    var machines: [String] = []
    for number in 0..<registry.capacity {
      let machine = MachineID(UInt32(number))
      guard isAlive(machine) else { continue }
      let kind = kind(of: machine)
      let timers = runningTimers(of: machine).map { "\(kind.timers[$0.timer].word($0.key)) \($0.due.text)" }
      let composed = compositions.values.first { $0.members.contains(machine) }?.name ?? ""
      machines.append(
        "\(name(of: machine)) \(kind.name) \(state(of: machine)) \(parameterValues(of: machine)) "
          + "\(readings(of: machine)) \(timers) \(composed)")
    }
    lines += machines.sorted()
    lines += allWires().map {
      "\(name(of: $0.from)).\($0.output) \(name(of: $0.to)).\($0.event)"
    }
    let due = agendaItems(matching: .all, limit: .max).map {
      "\($0.due.text) \(name(of: $0.machine)) \($0.timer) \($0.key)"
    }
    return lines + due + ["stalled \(isStalled), \(runningTimerCount) timers"]
  }
}
