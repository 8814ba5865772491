import Simulator
import StateMachines

/// All details of one input.
struct InputFacts {
  var arguments: [Value] = []
  var parameters: [(parameter: Int, value: Value)] = []
  /// The index of the requested initial state.
  var initial: Int?
  /// The key of the timer that expired or was fired; 0 if it has none.
  var key: UInt32 = 0
  /// The source of a delivery.
  var source: (machine: MachineID, output: Int)?
  /// The target of a wire.
  var target: (machine: MachineID, event: Int)?
  /// The timers that were renewed.
  var renewed: [RenewedTimer] = []
  /// The document of a kind that was defined, or the name of one that was taken back.
  var document: KindDocument?
  var undefined: String?
  var before: String?
  var after: String?
  /// The effects of the step, in order.
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
      case .renewed(let timer): renewed.append(timer)
      case .defined(let given, _): document = given
      case .undefined(let name): undefined = name
      case .kind, .due, .reason, .undone, .redone: break
      }
    }
  }
}
