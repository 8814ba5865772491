public import StateMachines

/// A cell of a machine's flat table: the effect of one input in one state.
///
/// Outputs and armed timers are in the order of the effects. Disarmed timers are omitted, because a chart disarms all
/// timers of a state that it leaves, whether they run or not.
public struct FlatCell: Hashable, Sendable {
  public let state: String
  /// The index of the input among the given events.
  public let input: Int
  public let verdict: Verdict
  /// The state after the input.
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
  /// The flat table of a machine: every state with every given event, ordered by state.
  ///
  /// Each cell is computed on a new machine that has just entered the state. Two machines written in different forms
  /// behave alike if their tables are equal, so a chart can be compared with a flat machine.
  ///
  /// - Parameter timers: The events of the machine's timers.
  /// - Complexity: O(states × events) steps.
  public static func flatTable(
    of events: [Event], timers: [Event] = [], at now: Instant = .beginning, with parameters: Parameters = Parameters()
  ) -> [FlatCell] {
    var record = StepRecord(generator: Generator(seed: 0))
    let table = TimerTable(timers)
    return withUnsafePointer(to: parameters) { parameters in
      State.Name.allCases.flatMap { name in
        events.enumerated().map { place, event in
          // Safety: the storage has room for one machine, which is initialised before use and deinitialised before
          // deallocation.
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
      case .disarm, .send: break
      }
    }
    return FlatCell(
      state: name.word, input: input, verdict: result.verdict, next: State.Name(at: Int(result.to)).word,
      outputs: outputs, armed: armed)
  }
}
