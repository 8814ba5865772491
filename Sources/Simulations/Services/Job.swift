public import StateMachines

/// A program that can be cancelled while it processes, but not while it loads.
///
/// | state | start | loaded | processed(ok) | cancel | fail(io) | retry | reset | load expires | process expires |
/// | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
/// | idle | → loading | refused | refused | refused | refused | refused | ignored | – | – |
/// | loading | refused | → processing | refused | refused | → failed(loading,io) | refused | refused | → processing | – |
/// | processing | refused | ignored | → finished(ok) | → cancelled | → failed(processing,io) | refused | refused | – | → finished(done) |
/// | finished | refused | ignored | ignored | refused | ignored | refused | → idle | – | – |
/// | cancelled | refused | ignored | ignored | ignored | ignored | refused | → idle | – | – |
/// | failed | refused | ignored | ignored | refused | ignored | → loading | → idle | – | – |
///
/// The timers `load` and `process` are the work: they bring `loaded` and `processed`. The events of these names bring
/// the same result earlier, and stop the timer. An event that comes after the end is ignored and counted in the reading
/// `late`.
///
/// Chosen here: a refused cancel gives its reason, for a screen to show; a retry begins with loading, whichever stage
/// failed; an omitted result or error is `done` or `error`. The progress is a reading, not part of the state.
public struct Job: Machine {
  public enum State: StateWithData {
    case idle, loading, processing, finished(result: String), cancelled, failed(Stage, error: String)

    public enum Name: NamedCases { case idle, loading, processing, finished, cancelled, failed }

    public var data: String? {
      switch self {
      case .finished(let result): result
      case .failed(let stage, let error): "\(stage),\(error)"
      case .idle, .loading, .processing, .cancelled: nil
      }
    }

    public static var carriesData: Bool { true }
    public static var samples: [State] { [.finished(result: "done"), .failed(.loading, error: "error")] }
  }

  public enum Stage: Hashable, Sendable, Codable { case loading, processing }

  public enum Event: MachineEvent { case start, loaded, processed(String?), cancel, fail(String?), retry, reset }

  public struct Parameters: ParameterSet {
    var load = Duration.seconds(2)
    var process = Duration.seconds(5)
    public init() {}
  }

  public var state = State.idle
  @Incidental private var late = 0
  @Incidental private var since = Instant.beginning
  public init() {}

  public mutating func entered(_ state: State, _ step: Step<Self>) { since = step.now }

  public func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    switch state {
    case .loading: .after(parameters.load, .loaded)
    case .processing: .after(parameters.process, .processed(nil))
    case .idle, .finished, .cancelled, .failed: .none
    }
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .start:
      switch state {
      case .idle: .move(to: .loading)
      case .loading, .processing: step.refuse("it runs already")
      case .finished, .cancelled, .failed: step.refuse("send reset before it can start again")
      }
    case .loaded:
      switch state {
      case .idle: step.refuse("it was not started")
      case .loading: .move(to: .processing)
      case .processing: .ignore
      case .finished, .cancelled, .failed: dropLate()
      }
    case .processed(let result):
      switch state {
      case .idle, .loading: step.refuse("the data are not loaded yet")
      case .processing: .move(to: .finished(result: result ?? "done"))
      case .finished, .cancelled, .failed: dropLate()
      }
    case .cancel:
      switch state {
      case .loading: step.refuse("cannot cancel while loading")
      case .processing: .move(to: .cancelled)
      case .idle, .finished, .failed: step.refuse("nothing is running")
      case .cancelled: .ignore
      }
    case .fail(let error):
      switch state {
      case .idle: step.refuse("it was not started")
      case .loading: .move(to: .failed(.loading, error: error ?? "error"))
      case .processing: .move(to: .failed(.processing, error: error ?? "error"))
      case .finished, .cancelled: dropLate()
      case .failed: .ignore
      }
    case .retry:
      switch state {
      case .failed: .move(to: .loading)
      case .idle, .loading, .processing, .finished, .cancelled: step.refuse("only a failed job can be retried")
      }
    case .reset:
      switch state {
      case .idle: .ignore
      case .loading, .processing: step.refuse("it cannot be reset while it runs")
      case .finished, .cancelled, .failed: .move(to: .idle)
      }
    }
  }

  /// Counts an event that comes after the end.
  private mutating func dropLate() -> Reaction<State> {
    late += 1
    return .ignore
  }

  /// The part of the present stage that is done, from 0 to 1; `nil` when nothing runs.
  private func progress(at now: Instant, _ parameters: Parameters) -> Double? {
    guard state == .loading || state == .processing else { return nil }
    let whole = Nanoseconds(state == .loading ? parameters.load : parameters.process)
    return whole > .zero ? min(1, Double((now - since).nanoseconds) / Double(whole.nanoseconds)) : 1
  }

  public static let kind = Kind(
    Job.self, "job", "a program that can be cancelled while it processes, but not while it loads",
    origin: "an article on state machines in iOS applications: its two stages and its rule for cancel",
    source: "article",
    example: [
      "new job print", "send print start", "advance 1s", "can print cancel", "send print cancel", "advance 1s",
      "send print cancel", "advance 5s", "show print",
    ],
    states: {
      switch $0 {
      case .idle: "nothing was started"
      case .loading: "the data are loaded, which cannot be stopped"
      case .processing: "the data are processed, which can be cancelled"
      case .finished: "there is a result"
      case .cancelled: "it was cancelled"
      case .failed: "a stage has failed"
      }
    },
    events: [
      .event(.start, "begin with loading"),
      .event(.loaded, "loaded before the timer expires"),
      .event(Event.processed, .optional(.text("result", like: ["ok"])), about: "processed before the timer expires"),
      .event(.cancel, "cancel the job; refused while it loads"),
      .event(Event.fail, .optional(.text("error", like: ["io"])), about: "the present stage has failed"),
      .event(.retry, "load again after a failure"),
      .event(.reset, "return to idle"),
    ],
    timers: [
      .timer(.loaded, named: "load", after: "load", "the data are loaded"),
      .timer(.processed(nil), named: "process", after: "process", "the data are processed"),
    ],
    readings: [
      .reading("progress", .number(0...1, unit: ""), "the completed part of the stage") { $0.progress(at: $1, $2) },
      .reading("late", .count, \.late, "the number of results that came after the end"),
    ],
    parameters: [
      .parameter("load", \.load, .delay, "how long loading takes"),
      .parameter("process", \.process, .delay, "how long processing takes"),
    ])
}
