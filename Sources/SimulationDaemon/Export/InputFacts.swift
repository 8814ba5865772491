import Simulator
import StateMachines

/// All that the journal says of one input.
struct InputFacts {
  var arguments: [Value] = []
  var parameters: [(parameter: Int, value: Value)] = []
  /// The place in the kind's list of states that a machine was asked to begin in.
  var initial: Int?
  /// Of the timer that expired or was fired; 0 where it bears none.
  var key: UInt32 = 0
  /// Where a delivery came from.
  var source: (machine: MachineID, output: Int)?
  /// The far end of a wire.
  var target: (machine: MachineID, event: Int)?
  /// The timers that began anew.
  var renewed: [RenewedTimer] = []
  /// How many inputs before it were undone.
  var undone: UInt64 = 0
  var before: String?
  var after: String?
  /// What the step asked for, in order.
  var effects: [JournalDetail] = []

  init(_ entry: JournalEntry, of world: borrowing WorldCore) {
    var details = world.details(of: entry)
    while let detail = details.next() {
      switch detail {
      case .emitted, .armed, .disarmed: effects.append(detail)
      case .dataBefore(let data): before = data
      case .dataAfter(let data): after = data
      case .arguments(let values): arguments = values
      case .parameters(let values): parameters = values
      case .initial(let state): initial = Int(state)
      case .key(let number): key = number
      case .source(let machine, let output): source = (machine, Int(output))
      case .target(let machine, let event): target = (machine, Int(event))
      case .undone(let count): undone = count
      case .renewed(let timer): renewed.append(timer)
      case .kind, .due: break
      }
    }
  }
}
