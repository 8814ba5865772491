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
  /// The flat table of a machine: every state with every one of these inputs, states in their order.
  ///
  /// Each cell is worked out on a machine of its own that has just entered the state. It is what a chart is equal to,
  /// and two machines that are written in different forms do the same if their tables are equal.
  ///
  /// - Complexity: O(states × inputs) steps.
  public static func flatTable(
    of inputs: [Input<Event, TimerName>], at now: Moment = .beginning, with parameters: Parameters = Parameters()
  ) -> [FlatCell] {
    var record = StepRecord(generator: Generator(seed: 0))
    return State.Name.all.flatMap { name in
      inputs.indices.map { place in
        // The step may not outlive the pointers it is made of.
        withUnsafePointer(to: parameters) { parameters in
          withUnsafeMutablePointer(to: &record) { record in
            record.pointee.begin(at: now)
            let step = Step<Self>(record, parameters)
            var machine = Self(initial: name, step)
            record.pointee.begin(at: now)
            let reaction = machine.react(to: inputs[place], step)
            return cell(name, place, reaction, in: record.pointee)
          }
        }
      }
    }
  }

  private static func cell(
    _ name: State.Name, _ input: Int, _ reaction: Reaction<State>, in record: StepRecord
  ) -> FlatCell {
    var outputs: [String] = []
    var armed: [String] = []
    for effect in record.effects {
      switch effect {
      case .emit(let output, _, _): outputs.append(Output.Name(at: Int(output)).word)
      case .arm(let timer, _, _): armed.append(TimerName(at: Int(timer)).word)
      case .disarm: break
      }
    }
    let (verdict, next): (Verdict, State.Name) =
      switch reaction {
      case .move(to: let next): (.moved, next.name)
      case .stayAs(let next): (.stayed, next.name)
      case .stay: (.stayed, name)
      case .ignore: (.ignored, name)
      case .refuse: (.refused, name)
      }
    return FlatCell(
      state: name.word, input: input, verdict: verdict, next: next.word, outputs: outputs, armed: armed)
  }
}
