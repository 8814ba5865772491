public import StateMachines

/// The machine that a diagram marks: its name and current state, and what is possible for it.
public struct GraphMark: Hashable, Sendable {
  public let name: String
  /// Its state, as an index in the kind's list, or in the graph's list where states are named by their data.
  public let state: Int
  /// Its state's data, if it prints any.
  public let data: String?
  /// What inputs would do to it now.
  public let present: [PresentOutcome]

  public init(_ name: String = "", state: Int, data: String? = nil, present: [PresentOutcome] = []) {
    self.name = name
    self.state = state
    self.data = data
    self.present = present
  }
}

/// What an input would do to a machine as it is now.
public struct PresentOutcome: Hashable, Sendable {
  public let input: GraphInput
  public let verdict: Verdict
  /// The state afterwards, as an index in the kind's list, and its data.
  public let state: Int
  public let data: String?
  /// The outputs emitted, as indices in the kind's list.
  public let outputs: [Int]
  /// Whether random numbers were drawn, so that the input may have another outcome.
  public let isByChance: Bool

  public init(
    _ input: GraphInput, _ verdict: Verdict, state: Int, data: String? = nil, outputs: [Int] = [],
    isByChance: Bool = false
  ) {
    self.input = input
    self.verdict = verdict
    self.state = state
    self.data = data
    self.outputs = outputs
    self.isByChance = isByChance
  }

  /// After so many steps of a document's machine nothing more is tried: some hundredths of a second.
  private static let mostChartSteps = 300_000

  /// Tries a machine's events, with each choice of their samples, and lets each of its running timers expire when it is
  /// due, as far as that does not take too long. The machine is left unchanged.
  ///
  /// - Parameters:
  ///   - value: A machine of the kind.
  ///   - parameters: Its parameters.
  ///   - timers: Its running timers.
  ///   - seen: Further choices of arguments to try, by event: those of the graph that is drawn.
  ///   - isByPlace: Whether machines in one state are distinguished by ``Machine/place(for:)``.
  /// - Complexity: A step for each choice of samples and each timer.
  public static func all(
    of kind: Kind, _ value: UnsafeRawPointer, _ parameters: UnsafeRawPointer, at now: Instant,
    timers: [(timer: Int, key: UInt32, due: Instant)], seen: [Int: [[Value]]] = [:], isByPlace: Bool = false
  ) -> [PresentOutcome] {
    let trial = Trial(kind, parameters, seen: seen, isByPlace: isByPlace)
    trial.record.chartStepsEnd = mostChartSteps
    let machine = MachineCopy(
      kind, of: value, at: now,
      timers: timers.map { MachineCopy.Timer(timer: $0.timer, key: $0.key, due: $0.due) })
    let here = isByPlace ? kind.machine.place(machine.value, parameters) : nil
    func outcome(_ input: GraphInput, _ result: StepResult, of copy: MachineCopy) -> PresentOutcome {
      let place = isByPlace ? kind.machine.place(copy.value, parameters) : nil
      let verdict = place != here && result.verdict == .stayed ? .moved : result.verdict
      return PresentOutcome(
        input, verdict, state: copy.state, data: place ?? copy.data, outputs: trial.outputs(of: result),
        isByChance: trial.hasDrawn)
    }
    var outcomes: [PresentOutcome] = []
    for input in trial.inputs.indices.dropLast(kind.timers.count) where trial.chartSteps < mostChartSteps {
      let copy = machine.copy()
      outcomes.append(outcome(trial.inputs[input], trial.send(input, to: copy), of: copy))
    }
    for timer in machine.timers where trial.chartSteps < mostChartSteps {
      let copy = machine.copy()
      outcomes.append(outcome(.timer(timer.timer), trial.expire(timer, at: timer.due, of: copy), of: copy))
    }
    // The last one was perhaps cut short.
    return trial.chartSteps < mostChartSteps ? outcomes : Array(outcomes.dropLast())
  }
}

extension StateGraph {
  /// The mark of a machine whose state is an index in the kind's list, with the index in ``states``; `nil` if the graph
  /// does not have the state.
  func resolve(_ mark: GraphMark) -> GraphMark? {
    numbers.known(mark.state, data: mark.data).map {
      GraphMark(mark.name, state: $0, data: mark.data, present: mark.present)
    }
  }
}
