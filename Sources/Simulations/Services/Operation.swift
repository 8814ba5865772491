import MachineForms
public import StateMachines

/// An operation on a serial queue as in RestKit, built of states and events as objects. start and finish move it;
/// cancel sets a flag beside its state.
///
/// | state | start | finish | cancel |
/// | --- | --- | --- | --- |
/// | Ready | → Executing, `execute` follows | refused | stayed, the flag, `cancellation` follows |
/// | Executing | refused | stayed, `finalize` follows: → Finished | stayed, the flag, `cancellation` follows |
/// | Finished | refused | refused | ignored |
///
/// Work for the queue is a timer without delay, so it runs at the same moment, in its own step and in the order of
/// scheduling. `execute` runs the execution block, `cancellation` runs the cancellation block, and `finalize` carries
/// out finish, with the finalization block just before Finished.
///
/// cancel has a surprise: it never changes the state. The author of the execution block must check the flag and finish;
/// otherwise a cancelled operation executes for ever. A second cancel is ignored.
///
/// Blocks do nothing by default. With `onExecute=finish` the execution block finishes a cancelled operation at once;
/// with `onCancel=finish` the cancellation block does. `onExecute=missing` is an operation without an execution block,
/// which cannot be started.
///
/// Where the original raises, the call is refused with the error's text. The original raises for finish later, on the
/// queue; here the call is refused at once, and nothing is scheduled. A finish called by a block has no caller to
/// refuse. If a cancellation block finishes an operation in Ready, or one that is already finishing, it raises on the
/// queue, with the output `raised`. A second finish while one is scheduled is refused. (The original needs an operation
/// and a queue to be made; here neither can be missing.)
public struct Operation: Machine {
  public struct State: StateWithData {
    public fileprivate(set) var name = Phase.ready
    /// Whether cancel was called; the state does not depend on it.
    fileprivate(set) var isCancelled = false
    /// The calls of finish that are scheduled: a block may call it as well as the owner.
    fileprivate(set) var finishes = 0
  }

  public enum Phase: UInt8, NamedCases, Codable {
    /// Made, and not started.
    case ready
    /// Started, and not finished.
    case executing
    /// Done.
    case finished

    public static var words: [String] { ["Ready", "Executing", "Finished"] }
  }

  public enum Event: MachineEvent {
    case start, finish, cancel
    /// Work on the queue. It belongs to no state: the caller schedules it, and it keeps its order.
    case execute, cancellation, finalize
  }

  /// The properties that observers of an operation watch.
  public enum Property: String, Choice { case isReady, isExecuting, isFinished }

  public enum Output: OutputWithData {
    case willChange(Property)
    case didChange(Property)
    case executionBlock, cancellationBlock, finalizationBlock
    case raised(String)

    public enum Name: NamedCases {
      case willChange, didChange, executionBlock, cancellationBlock, finalizationBlock, raised
    }
  }

  public struct Parameters: ParameterSet {
    enum OnExecute: String, Choice { case nothing, finish, missing }
    enum OnCancel: String, Choice { case nothing, finish }

    var onExecute = OnExecute.nothing
    var onCancel = OnCancel.nothing
    public init() {}
  }

  public var state = State()
  public init() {}

  public mutating func start(in name: Phase, _ step: Step<Self>) -> State {
    if name == .executing { step.arm(.execute, after: .zero) }
    return State(name: name)
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    var next = state
    switch event {
    case .start:
      switch state.name {
      case .ready where step.when("onExecute=missing", step.parameters.onExecute == .missing):
        return step.refuse("an operation without an execution block cannot be started")
      case .ready, .executing, .finished:
        do { return .move(to: try state.fired(.start, step)) } catch { return step.refuse(error.reason) }
      }
    case .finish:
      switch state.name {
      case .executing where step.when("finishing", state.finishes > 0):
        return step.refuse("the operation is finishing already")
      case .executing:
        next.scheduleFinish(step)
        return .stayAs(next)
      case .ready, .finished:
        return step.refuse(state.objects.refusal(of: Call.finish)?.reason ?? "finish is not possible")
      }
    case .cancel:
      switch state.name {
      case .ready, .executing:
        if step.when("cancelled", state.isCancelled) { return .ignore }
        next.isCancelled = true
        step.arm(.cancellation, after: .zero)
        return .stayAs(next)
      case .finished: return .ignore
      }
    case .execute:
      step.emit(.executionBlock)
      if state.isCancelled, step.parameters.onExecute == .finish { next.scheduleFinish(step) }
      return .stayAs(next)
    case .cancellation:
      step.emit(.cancellationBlock)
      if step.parameters.onCancel == .finish { next.scheduleFinish(step) }
      return .stayAs(next)
    case .finalize:
      next.finishes -= 1
      if next.finishes > 0 { step.arm(.finalize, after: .zero) }
      do {
        return .move(to: try next.fired(.finish, step))
      } catch { return step.emit(.raised(error.reason), then: .stayAs(next)) }
    }
  }
}

// MARK: States and events as objects

extension Operation {
  /// The calls that fire an event. cancel fires none.
  enum Call: NamedCases, Codable { case start, finish }

  /// The blocks act on the step: they emit outputs and schedule work.
  typealias Objects = EventObjects<Step<Operation>, Void>

  static let objects: Objects.Definition = {
    do {
      return try Objects.Definition(
        states: [
          Objects.State(
            "Ready", willExit: { _, step, _ in step.emit(.willChange(.isReady)) },
            didExit: { _, step, _ in step.emit(.didChange(.isReady)) }),
          Objects.State(
            "Executing", willEnter: { _, step, _ in step.emit(.willChange(.isExecuting)) },
            didEnter: { _, step, _ in
              step.emit(.didChange(.isExecuting))
              step.arm(.execute, after: .zero)
            },
            willExit: { _, step, _ in step.emit(.willChange(.isExecuting)) },
            didExit: { _, step, _ in step.emit(.didChange(.isExecuting)) }),
          Objects.State(
            "Finished",
            willEnter: { _, step, _ in step.emit(.willChange(.isFinished), .finalizationBlock) },
            didEnter: { _, step, _ in step.emit(.didChange(.isFinished)) }),
        ],
        events: [
          Objects.Event("start", from: ["Ready"], to: "Executing"),
          Objects.Event("finish", from: ["Executing"], to: "Finished"),
        ])
    } catch {
      preconditionFailure("the definition is wrong: \(error)")
    }
  }()
}

extension Operation.State {
  /// The machine of objects in this state.
  fileprivate var objects: Operation.Objects.Machine { Operation.Objects.Machine(Operation.objects, in: name) }

  /// The state after an event, whose blocks run.
  fileprivate func fired(_ call: Operation.Call, _ step: Step<Operation>) throws(FireFailure) -> Self {
    var machine = objects
    var queue = step
    try machine.fire(call, userInfo: (), on: &queue)
    var next = self
    next.name = machine.current(as: Operation.Phase.self) ?? name
    return next
  }

  /// Schedules a call of finish; a second one follows when the first is done.
  fileprivate mutating func scheduleFinish(_ step: Step<Operation>) {
    finishes += 1
    if finishes == 1 { step.arm(.finalize, after: .zero) }
  }
}

// MARK: The catalogue entry

extension ValueType {
  fileprivate static let property = Operation.Property.valueType
}

extension Operation {
  public static let kind = Kind(
    Operation.self, "operation", "an operation on a serial queue: start and finish move it, cancel is only a flag",
    form: .eventObjects,
    origin: "the state machine of RestKit's request operations, built with TransitionKit, with its order of calls",
    source: "talk",
    example: [
      "new operation download onExecute=finish", "send download cancel", "expect download Ready",
      "send download start", "expect download Finished", "show download", "send download finish",
    ],
    states: {
      switch $0 {
      case .ready: "the operation is not started"
      case .executing: "the operation is running"
      case .finished: "the operation is finished"
      }
    },
    events: [
      .event(.start, "the queue starts the operation"),
      .event(.finish, "the work ends"),
      .event(.cancel, "sets the flag isCancelled; the state stays"),
    ],
    timers: [
      .timer(.execute, "the queue runs the execution block"),
      .timer(.cancellation, "the queue runs the cancellation block"),
      .timer(.finalize, "the queue runs finish"),
    ],
    outputs: {
      switch $0 {
      case .willChange: .output(("property", .property), about: "a property is about to change")
      case .didChange: .output(("property", .property), about: "a property has changed")
      case .executionBlock: "the execution block runs"
      case .cancellationBlock: "the cancellation block runs"
      case .finalizationBlock: "the finalization block runs"
      case .raised: .output(("reason", .text(bytes: 1...1_024)), about: "a block's call of finish fails on the queue")
      }
    },
    readings: [
      .reading("isReady", .flag, "whether it can be started") { machine, _, _ in machine.state.name == .ready },
      .reading("isExecuting", .flag, "whether it is running") { machine, _, _ in machine.state.name == .executing },
      .reading("isFinished", .flag, "whether it is finished") { machine, _, _ in machine.state.name == .finished },
      .reading("isCancelled", .flag, \.state.isCancelled, "whether it was cancelled, in any state"),
    ],
    parameters: [
      .parameter(
        "onExecute", \.onExecute,
        "finish: the execution block finishes a cancelled operation; missing: there is no block"),
      .parameter("onCancel", \.onCancel, "finish: the cancellation block finishes the operation"),
    ])
}
