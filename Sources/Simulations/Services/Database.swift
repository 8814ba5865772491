public import StateMachines

/// A database access object: it turns a request into a query, runs the query, and turns its rows into objects.
///
/// | state | perform(q) | translated(s) | rows(3) | mapped(3) | error(e) | cancel | query expires | next expires |
/// | --- | --- | --- | --- | --- | --- | --- | --- | --- |
/// | idle | → translating > translate q | ignored | ignored | ignored | ignored | refused | – | – |
/// | translating | stayed | → executing > execute s | refused | refused | → failed(translating,e) > failure translating e | → cancelled | – | – |
/// | executing | stayed | ignored | → mapping > map 3 | refused | → failed(executing,e) > failure executing e | → cancelled | → failed(executing,timeout) > failure executing timeout | – |
/// | mapping | stayed | ignored | ignored | → finished(3) > objects 3 | → failed(mapping,e) > failure mapping e | refused | – | – |
/// | finished | → translating > translate q | ignored | ignored | ignored | ignored | refused | – | – |
/// | failed | → translating > translate q | ignored | ignored | ignored | ignored | refused | – | – |
/// | cancelled | → translating > translate q | ignored | ignored | ignored | ignored | ignored | – | – |
///
/// One request is served at a time. Others wait in their order; the next one begins at the instant at which the present
/// one ends, by the timer `next`, so that the end is visible. A late answer is ignored and counted. No rows are
/// `finished(0)`, not an error.
///
/// With `service=auto` a simulated database answers a query after `latency` with `items` rows, or with the error
/// `offline`. The two other stages then take no time.
///
/// Chosen here: the table, because the source names only the four stages; an answer that skips a stage is refused; at
/// most `queueLimit` requests wait, and another one is refused.
public struct Database: Machine {
  public enum State: StateWithData {
    /// Nothing was requested.
    case idle
    /// The request is being written as a query.
    case translating(String)
    /// The query is being run. `query` is running.
    case executing
    /// This many rows are being turned into objects, which is short and cannot be cancelled.
    case mapping(Int)
    /// This many objects were found. `next` is running if a request waits.
    case finished(Int)
    /// A stage failed with this error. `next` is running if a request waits.
    case failed(Stage, String)
    /// The request was cancelled. `next` is running if a request waits.
    case cancelled

    public enum Name: NamedCases {
      case idle, translating, executing, mapping, finished, failed, cancelled
    }

    public var data: String? {
      switch self {
      case .finished(let count): "\(count)"
      case .failed(let stage, let error): "\(stage.rawValue),\(error)"
      case .idle, .translating, .executing, .mapping, .cancelled: nil
      }
    }

    public static var carriesData: Bool { true }
  }

  public enum Stage: String, Choice { case translating, executing, mapping }

  public enum Event: MachineEvent {
    case perform(String)
    case translated(String)
    case rows(Int)
    case mapped(Int)
    case error(String)
    case cancel
    case next
  }

  public enum Output: OutputWithData {
    case translate(String)
    case execute(String)
    case map(Int)
    case objects(Int)
    case failure(Stage, String)

    public enum Name: NamedCases { case translate, execute, map, objects, failure }
  }

  public struct Parameters: ServedParameters {
    var service = SimulatedService(mode: .manual, latency: .seconds(1))
    var query = Duration.seconds(5)
    var queueLimit = 100
    public init() {}
  }

  public var state = State.idle
  private var waiting: [String] = []
  @Incidental private var lateDropped = 0
  private var queries = 0
  /// Whether the simulated database is going to fail the query.
  private var isFailing = false
  public init() {}

  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    switch name {
    case .idle: .idle
    case .translating: entering(.translating("query"), saying: .translate("query"), step)
    case .executing: executing("query", step)
    case .mapping: entering(.mapping(0), saying: .map(0), step)
    case .finished: .finished(0)
    case .failed: .failed(.executing, "error")
    case .cancelled: .cancelled
    }
  }

  public func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    switch state {
    case .executing: .after(parameters.query, .error("timeout")) + answer(parameters)
    case .finished, .failed, .cancelled: waiting.isEmpty ? .none : .after(.zero, .next)
    case .translating(let request): parameters.service.isAutomatic ? .after(.zero, .translated(request)) : .none
    case .mapping(let rows): parameters.service.isAutomatic ? .after(.zero, .mapped(rows)) : .none
    case .idle: .none
    }
  }

  /// The answer of the simulated database.
  private func answer(_ parameters: Parameters) -> StateTimers<Self> {
    let service = parameters.service
    return service.isAutomatic ? .after(service.latency, isFailing ? Self.offline : .rows(service.items)) : .none
  }

  /// The simulated database's error.
  private static let offline = Event.error("offline")

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .perform(let request):
      switch state {
      case .idle: return translate(request, step)
      case .finished, .failed, .cancelled:
        // Waiting requests come first.
        return step.when("nobody waits", waiting.isEmpty) ? translate(request, step) : wait(request, step)
      case .translating, .executing, .mapping: return wait(request, step)
      }
    case .translated(let query):
      switch state {
      case .translating: return .move(to: executing(query, step))
      case .executing, .mapping: return .ignore  // A repetition.
      case .idle, .finished, .failed, .cancelled: return dropLate()
      }
    case .rows(let count):
      switch state {
      case .translating: return step.refuse("the request is not at this stage yet")
      case .executing: return .move(to: entering(.mapping(count), saying: .map(count), step))
      case .mapping: return .ignore  // A repetition.
      case .idle, .finished, .failed, .cancelled: return dropLate()
      }
    case .mapped(let count):
      switch state {
      case .translating, .executing: return step.refuse("the request is not at this stage yet")
      case .mapping: return .move(to: entering(.finished(count), saying: .objects(count), step))
      case .idle, .finished, .failed, .cancelled: return dropLate()
      }
    case .error(let error):
      switch state {
      case .translating: return fail(.translating, error, step)
      case .executing: return fail(.executing, error, step)
      case .mapping: return fail(.mapping, error, step)
      case .idle, .finished, .failed, .cancelled: return dropLate()
      }
    case .cancel:
      switch state {
      case .translating, .executing: return .move(to: .cancelled)
      case .mapping:
        return step.refuse("the rows are being mapped, which cannot be cancelled")
      case .idle, .finished, .failed: return step.refuse("no request is under way")
      case .cancelled: return .ignore
      }
    case .next:
      switch state {
      case .finished, .failed, .cancelled:
        return waiting.isEmpty ? .ignore : translate(waiting.removeFirst(), step)
      case .idle, .translating, .executing, .mapping: return .ignore
      }
    }
  }

  private func entering(_ state: State, saying output: Output, _ step: Step<Self>) -> State {
    step.emit(output)
    return state
  }

  private func translate(_ request: String, _ step: Step<Self>) -> Reaction<State> {
    .move(to: entering(.translating(request), saying: .translate(request), step))
  }

  private mutating func executing(_ query: String, _ step: Step<Self>) -> State {
    queries += 1
    isFailing = step.parameters.service.isAutomatic && step.parameters.service.fails(request: queries, step)
    return entering(.executing, saying: .execute(query), step)
  }

  private func fail(_ stage: Stage, _ error: String, _ step: Step<Self>) -> Reaction<State> {
    .move(to: entering(.failed(stage, error), saying: .failure(stage, error), step))
  }

  private mutating func wait(_ request: String, _ step: Step<Self>) -> Reaction<State> {
    guard step.when("room", waiting.count < step.parameters.queueLimit) else {
      return step.refuse("\(waiting.count) requests are waiting, which is the limit")
    }
    waiting.append(request)
    return .stay
  }

  private mutating func dropLate() -> Reaction<State> {
    lateDropped += 1
    return .ignore
  }
}

extension Database {
  public static let kind = Kind(
    Database.self, "database",
    "a database access object: translates a request, runs the query, maps the rows to objects",
    origin: "a conference talk on state machines in iOS apps names the four stages; the table is designed here",
    source: "talk",
    example: [
      "new database d", "send d perform findAll", "send d perform findOne", "send d translated select", "advance 5s",
      "send d translated select", "send d rows 0", "send d mapped 0", "send d cancel", "show d",
      "new database auto service=auto items=2", "send auto perform findAll", "advance 1s", "show auto",
    ],
    states: {
      switch $0 {
      case .idle: "nothing was requested"
      case .translating: "the request is being translated to a query"
      case .executing: "the query is running"
      case .mapping: "the rows are being mapped to objects"
      case .finished: "this many objects were found"
      case .failed: "the request failed at this stage, with this error"
      case .cancelled: "the request was cancelled"
      }
    },
    events: [
      .event(Event.perform, .text("request", like: ["findAll"]), about: "starts or queues a request"),
      .event(Event.translated, .text("query", bytes: 1...4096, like: ["select"]), about: "the query is ready"),
      .event(Event.rows, .count("count"), about: "the database has answered with this many rows"),
      .event(Event.mapped, .count("count"), about: "this many objects were made"),
      .event(Event.error, .text("error", bytes: 1...256, like: ["syntax"]), about: "the present stage has failed"),
      .event(.cancel, "cancels the request; refused while the rows are being mapped"),
    ],
    timers: [
      .timer(.error("timeout"), named: "query", after: "query", "the query has timed out"),
      .timer(.translated(""), "the query is ready at once, for a simulated database"),
      .timer(.rows(0), after: "latency", "the simulated database answers"),
      .timer(offline, after: "latency", "the simulated database fails"),
      .timer(.mapped(0), "the objects are ready at once, for a simulated database"),
      .timer(.next, "the next waiting request starts, at the instant at which the previous one ended"),
    ],
    outputs: {
      switch $0 {
      case .translate: .output(("request", .text(bytes: 1...1024)), about: "translate this request to a query")
      case .execute: .output(("query", .text(bytes: 1...4096)), about: "run this query")
      case .map: .output(("count", .count), about: "map this many rows to objects")
      case .objects: .output(("count", .count), about: "this many objects were found")
      case .failure: .output(("stage", Stage.valueType), ("error", .text(bytes: 1...256)), about: "a stage has failed")
      }
    },
    readings: [
      .reading("waiting", .count, \.waiting.count, "requests that are waiting"),
      .reading("lateDropped", .count, \.lateDropped, "the number of answers that came too late"),
    ],
    parameters: [
      .parameter("query", \.query, .delay, "the timeout of a query"),
      .parameter("queueLimit", \.queueLimit, .integer(0...1_000_000), "the length of the queue"),
      Parameters.itemsForm("how many rows the simulated database has for a query"),
    ] + Parameters.serviceForms)
}

extension ValueType {
  /// A number of things.
  static let count = ValueType.integer(0...Int.max)
}
