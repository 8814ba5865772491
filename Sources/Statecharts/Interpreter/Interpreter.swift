public import StateMachines

/// Runs charts of one definition by the algorithm of the SCXML Recommendation, appendix D.
///
/// What it does is a function of the arguments alone. The object keeps nothing between two calls but memory to work in,
/// so one can serve any number of machines, one after the other.
///
/// Each input is one macrostep. What a chart sends to itself, to a chart that it has invoked or to the one that has
/// invoked it, arrives as a timer, which is due at once if there is no delay: the order of the timers is that of the
/// external queue.
public final class Interpreter {
  let definition: Definition
  /// The machine under way and memory to work in.
  private(set) var run: ChartRun

  /// What the last input asks for.
  public var effects: [ChartEffect] { run.effects }

  public init(_ definition: Definition, limits: StatechartLimits = StatechartLimits()) {
    self.definition = definition
    run = ChartRun(definition, limits)
  }

  /// Makes a machine and takes it to its first stable configuration.
  ///
  /// - Parameter generator: Drawn from by `Math.random()`. Unchanged if a limit was exceeded.
  /// - Returns: The machine, and `moved` or the limit that it has exceeded. The effects are in ``effects``.
  public func start(now: Instant, generator: inout Generator) -> (RunningChart, ChartOutcome) {
    start(with: DataObject(), now: now, generator: &generator)
  }

  /// - Parameters:
  ///   - data: Data of the document that begin otherwise than it says.
  ///   - isInterruptible: Whether it ends with a limit when ``Budget/Pause`` returns false.
  func start(
    with data: DataObject, now: Instant, generator: inout Generator, isInterruptible: Bool = false
  ) -> (RunningChart, ChartOutcome) {
    var machine = RunningChart()
    let outcome = run.start(&machine, with: data, now: now, generator: &generator, isInterruptible: isInterruptible)
    return (machine, outcome)
  }

  /// Gives an input to a machine, in place.
  ///
  /// - Parameters:
  ///   - machine: Unchanged if a limit was exceeded.
  ///   - sender: The machine that has sent the event; answers go to it.
  ///   - generator: Drawn from by `Math.random()`. Unchanged if a limit was exceeded.
  /// - Complexity: At most the steps of the budget. A transition without content in a chart without regions, data and
  ///   eventless transitions takes no memory.
  public func step(
    _ machine: inout RunningChart, _ input: ChartInput, from sender: String? = nil, now: Instant,
    generator: inout Generator
  ) -> ChartOutcome {
    if case .event(let name, _) = input,
      let outcome = definition.plain?.step(&machine.root.configuration, &machine.root.variables, name.number)
    {
      // Such a chart has no effects, and nothing in it can fail.
      run.forgetGuards()
      return outcome
    }
    return stepInFull(&machine, input, from: sender, now: now, generator: &generator)
  }

  /// As ``step(_:_:from:now:generator:)``, always by the algorithm, which notes the guards.
  ///
  /// - Parameter used: What is gone of the budget.
  func stepInFull(
    _ machine: inout RunningChart, _ input: ChartInput, from sender: String?, now: Instant, generator: inout Generator,
    used: (steps: Int, bytes: Int) = (0, 0)
  ) -> ChartOutcome {
    run.step(&machine, input, from: sender, now: now, generator: &generator, used: used)
  }

  /// Roughly the bytes that the machine may have gained by the last input.
  var gained: Int { run.gained + run.spent.bytes + effects.count * MemoryLayout<PendingSend>.stride }

  /// Lets go of what the last input has left, its ``effects`` among it.
  ///
  /// - Returns: Whether the memory that it keeps is little. If not, drop the interpreter.
  func rest() -> Bool { run.rest() }

  /// The states that the last input has entered and left for good, in order; `nil` if there are none.
  func passedStates(of machine: RunningChart) -> String? {
    guard !run.passed.isEmpty else { return nil }
    let passed = run.passed.filter { !machine.root.configuration.contains($0) }
    let listed = passed.prefix(ChartRun.mostPassed).map(definition.id(of:))
    return listed.isEmpty
      ? nil : (listed + (run.passed.count > ChartRun.mostPassed ? ["…"] : [])).joined(separator: ", ")
  }

  /// What has failed in the last input, each with its line in the document.
  public var failures: [String] {
    run.failures.map { line, message in line > 0 ? "line \(line): \(message)" : message }
  }

  /// What the last input has used of the budget.
  var spent: (steps: Int, bytes: Int) { run.spent }
}
