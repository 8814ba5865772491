public import StateMachines

/// A program that can be cancelled while it processes, but not while it loads.
///
/// | state | start | loaded | processed(result) | cancel | fail(error) | retry | reset |
/// | --- | --- | --- | --- | --- | --- | --- | --- |
/// | idle | → loading | refused | refused | refused | refused | refused | ignored |
/// | loading | refused | → processing | refused | refused | → failed | refused | refused |
/// | processing | refused | ignored, a duplicate | → finished | → cancelled | → failed | refused | refused |
/// | finished | refused | ignored, late | ignored, late | refused | ignored, late | refused | → idle |
/// | cancelled | refused | ignored, late | ignored, late | ignored | ignored, late | refused | → idle |
/// | failed | refused | ignored, late | ignored, late | refused | ignored | → loading | → idle |
///
/// The timers `load` and `process` are the work itself: what they bring is `loaded` and `processed`. The events of these
/// names bring the same early, and stop the timer. What comes after the end is ignored and counted in the reading `late`.
///
/// Chosen here: a refused cancel says why, so that a screen can tell it; a retry begins with loading whichever stage has
/// failed; a result or an error that is left out is `done` or `error`. How far the work has got is a reading and no part
/// of the state's word.
public struct Job: LegacyMachine {
  public enum State: StateWithData {
    /// Nothing was started.
    case idle
    /// The data are loaded; there is no way to stop it. `load` is running.
    case loading(since: Moment)
    /// The data are processed, and it may be cancelled. `process` is running.
    case processing(since: Moment)
    /// There is a result.
    case finished(result: String)
    /// It was cancelled, and whatever comes of it is no longer wanted.
    case cancelled
    /// A stage has failed.
    case failed(Stage, error: String)

    public enum Name: NamedCases { case idle, loading, processing, finished, cancelled, failed }

    public var name: Name {
      switch self {
      case .idle: .idle
      case .loading: .loading
      case .processing: .processing
      case .finished: .finished
      case .cancelled: .cancelled
      case .failed: .failed
      }
    }

    public var data: String? {
      switch self {
      case .idle, .loading, .processing, .cancelled: nil
      case .finished(let result): result
      case .failed(let stage, let error): "\(stage),\(error)"
      }
    }

    public static var carriesData: Bool { true }
  }

  public enum Stage: Hashable, Sendable, Codable { case loading, processing }

  public enum Event: Sendable {
    case start, loaded
    case processed(String?)
    case cancel
    case fail(String?)
    case retry, reset
  }

  public enum TimerName: NamedCases { case load, process }

  public struct Parameters: ParameterSet {
    var load = Interval.seconds(2)
    var process = Interval.seconds(5)
    public init() {}
  }

  public var state: State
  private var late = 0

  public init(initial: State.Name?, _ step: Step<Self>) {
    switch initial ?? .idle {
    case .idle: state = .idle
    case .loading: state = Self.load(step)
    case .processing: state = Self.process(step)
    case .finished: state = .finished(result: Self.standardResult)
    case .cancelled: state = .cancelled
    case .failed: state = .failed(.loading, error: Self.standardError)
    }
  }

  public mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (.idle, .event(.start)), (.failed, .event(.retry)):
      return .move(to: Self.load(step))
    case (.loading, .event(.loaded)):
      step.disarm(.load)
      return .move(to: Self.process(step))
    case (.loading, .expired(.load)):
      return .move(to: Self.process(step))
    case (.processing, .event(.processed(let result))):
      step.disarm(.process)
      return .move(to: .finished(result: result ?? Self.standardResult))
    case (.processing, .expired(.process)):
      return .move(to: .finished(result: Self.standardResult))
    case (.processing, .event(.cancel)):
      step.disarm(.process)
      return .move(to: .cancelled)
    case (.loading, .event(.fail(let error))):
      step.disarm(.load)
      return .move(to: .failed(.loading, error: error ?? Self.standardError))
    case (.processing, .event(.fail(let error))):
      step.disarm(.process)
      return .move(to: .failed(.processing, error: error ?? Self.standardError))
    case (.finished, .event(.reset)), (.cancelled, .event(.reset)), (.failed, .event(.reset)):
      return .move(to: .idle)

    case (.loading, .event(.cancel)):
      return step.refuse("cannot cancel while loading")
    case (.idle, .event(.cancel)):
      return step.refuse("nothing runs that could be cancelled")
    case (.finished, .event(.cancel)), (.failed, .event(.cancel)):
      return step.refuse("it has ended, there is nothing to cancel")
    case (.loading, .event(.start)), (.processing, .event(.start)):
      return step.refuse("it runs already")
    case (.finished, .event(.start)), (.cancelled, .event(.start)), (.failed, .event(.start)):
      return step.refuse("it must be reset before it can start again")
    case (.idle, .event(.loaded)), (.idle, .event(.processed)), (.idle, .event(.fail)):
      return step.refuse("it was not started")
    case (.loading, .event(.processed)):
      return step.refuse("nothing is processed before it is loaded")
    case (.idle, .event(.retry)), (.loading, .event(.retry)), (.processing, .event(.retry)),
      (.finished, .event(.retry)), (.cancelled, .event(.retry)):
      return step.refuse("only what has failed can be retried")
    case (.loading, .event(.reset)), (.processing, .event(.reset)):
      return step.refuse("it cannot be reset while it runs")

    case (.finished, .event(.loaded)), (.finished, .event(.processed)), (.finished, .event(.fail)),
      (.cancelled, .event(.loaded)), (.cancelled, .event(.processed)), (.cancelled, .event(.fail)),
      (.failed, .event(.loaded)), (.failed, .event(.processed)):
      late += 1
      return .ignore
    case (.idle, .event(.reset)), (.processing, .event(.loaded)), (.cancelled, .event(.cancel)),
      (.failed, .event(.fail)):
      return .ignore
    case (.idle, .expired), (.finished, .expired), (.cancelled, .expired), (.failed, .expired),
      (.loading, .expired(.process)), (.processing, .expired(.load)):
      return .ignore  // These timers cannot be running there.
    }
  }

  public func asksFor(_ timer: TimerName) -> Bool {
    switch (timer, state) {
    case (.load, .loading), (.process, .processing): true
    case (.load, .idle), (.load, .processing), (.load, .finished), (.load, .cancelled), (.load, .failed),
      (.process, .idle), (.process, .loading), (.process, .finished), (.process, .cancelled), (.process, .failed):
      false
    }
  }

  private static let standardResult = "done"
  private static let standardError = "error"

  private static func load(_ step: Step<Self>) -> State {
    step.arm(.load, after: step.parameters.load)
    return .loading(since: step.now)
  }

  private static func process(_ step: Step<Self>) -> State {
    step.arm(.process, after: step.parameters.process)
    return .processing(since: step.now)
  }

  /// How much of the present stage is done, from 0 to 1; nil where nothing runs.
  fileprivate func progress(at now: Moment, _ parameters: Parameters) -> Double? {
    switch state {
    case .loading(let since): Self.share(now - since, of: parameters.load)
    case .processing(let since): Self.share(now - since, of: parameters.process)
    case .idle, .finished, .cancelled, .failed: nil
    }
  }

  private static func share(_ elapsed: Interval, of whole: Interval) -> Double {
    whole > .zero ? min(1, Double(elapsed.nanoseconds) / Double(whole.nanoseconds)) : 1
  }
}

extension Job {
  public static let kind = Kind(
    Job.self, "job", "a program that can be cancelled while it processes, but not while it loads",
    form: .enumAndSwitch,
    origin: """
      an example in an article on state machines in iOS applications, of which the two stages and the rule for cancel are \
      kept; the other states and the durations are chosen here
      """,
    example: [
      "new job print", "send print start", "advance 1s", "can print cancel", "send print cancel", "advance 1s",
      "send print cancel", "advance 5s", "show print",
    ],
    states: [
      .idle: "nothing was started",
      .loading: "the data are loaded, which cannot be stopped",
      .processing: "the data are processed, which can be cancelled",
      .finished: "there is a result",
      .cancelled: "it was cancelled",
      .failed: "a stage has failed",
    ],
    events: [
      .event(.start, "begin with loading"),
      .event(.loaded, "the data are there before the timer says so; ignored as a duplicate or when it is too late"),
      .event(
        Event.processed, .optional(.text("result", like: ["ok"])),
        about: "the result is there before the timer says so; ignored when it is too late"),
      .event(.cancel, "give it up; only while it processes"),
      .event(Event.fail, .optional(.text("error", like: ["io"])), about: "the present stage has failed"),
      .event(.retry, "load again after a failure"),
      .event(.reset, "be ready for another start"),
    ],
    timers: [
      .load: .after("load", "all is loaded"),
      .process: .after("process", "all is processed"),
    ],
    readings: [
      .reading("progress", .number(0...1, unit: ""), "how much of the present stage is done") {
        machine, now, parameters in machine.progress(at: now, parameters)
      },
      .reading("late", .integer(0 ... .max), "how many results came after the end and were dropped") {
        machine, _, _ in machine.late
      },
    ],
    parameters: [
      .parameter("load", \.load, .delay, "how long loading takes"),
      .parameter("process", \.process, .delay, "how long processing takes"),
    ])
}
