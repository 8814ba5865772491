public import StateMachines

/// A cell of a machine's flat table: what one input does in one state.
///
/// Outputs and armed timers stand in the order of the effects. Timers that are disarmed are left out, because a chart
/// disarms what a state may own, whether it runs or not.
public struct FlatCell: Hashable, Sendable {
  public let state: String
  /// The place of the input among those that were asked for.
  public let input: Int
  public let verdict: Verdict
  /// The state after it.
  public let next: String
  public let outputs: [String]
  public let armed: [String]

  public init(state: String, input: Int, verdict: Verdict, next: String, outputs: [String], armed: [String]) {
    self.state = state
    self.input = input
    self.verdict = verdict
    self.next = next
    self.outputs = outputs
    self.armed = armed
  }
}

extension Machine {
  /// The flat table of a machine: every state with every one of these events, states in their order.
  ///
  /// Each cell is worked out on a machine of its own that has just entered the state. It is what a chart is equal to,
  /// and two machines that are written in different forms do the same if their tables are equal.
  ///
  /// - Parameter timers: The events that timers bring.
  /// - Complexity: O(states × events) steps.
  public static func flatTable(
    of events: [Event], timers: [Event] = [], at now: Instant = .beginning, with parameters: Parameters = Parameters()
  ) -> [FlatCell] {
    var record = StepRecord(generator: Generator(seed: 0))
    let table = TimerTable(timers)
    return withUnsafePointer(to: parameters) { parameters in
      State.Name.allCases.flatMap { name in
        events.enumerated().map { place, event in
          // Safety: room for one machine, which is made before it is used and destroyed before the room is given back.
          let machine = UnsafeMutablePointer<Self>.allocate(capacity: 1)
          defer { machine.deallocate() }
          record.begin(at: now)
          record.timers = table.stepTimers(running: 0)
          _ = Self.initialize(machine, initial: name.index, parameters, &record)
          defer { machine.deinitialize(count: 1) }
          var running: UInt64 = 0
          for case .arm(let timer, _, _) in record.effects { running |= 1 << UInt64(timer) }
          record.begin(at: now)
          record.timers = table.stepTimers(running: running)
          let result = withExtendedLifetime(table) {
            withUnsafePointer(to: event) { Self.step(machine, event: $0, parameters, &record) }
          }
          return cell(name, place, result, in: record, timers)
        }
      }
    }
  }

  private static func cell(
    _ name: State.Name, _ input: Int, _ result: StepResult, in record: StepRecord, _ timers: [Event]
  ) -> FlatCell {
    var outputs: [String] = []
    var armed: [String] = []
    for effect in record.effects {
      switch effect {
      case .emit(let output, _, _): outputs.append(Output.Name(at: Int(output)).word)
      case .arm(let timer, _, _): armed.append("\(timers[Int(timer)])")
      case .disarm, .tell: break
      }
    }
    return FlatCell(
      state: name.word, input: input, verdict: result.verdict, next: State.Name(at: Int(result.to)).word,
      outputs: outputs, armed: armed)
  }
}
