public import StateMachines

/// A database access object: a request becomes a query, the query is run, its rows become objects.
///
/// | state | perform | translated | rows | mapped | error | cancel | query expires |
/// | --- | --- | --- | --- | --- | --- | --- | --- |
/// | idle | → translating | late | late | late | late | refused | never runs |
/// | translating | queued | → executing | refused | refused | → failed(translating,e) | → cancelled | never runs |
/// | executing | queued | ignored | → mapping | refused | → failed(executing,e) | → cancelled | → failed(executing,timeout) |
/// | mapping | queued | ignored | ignored | → finished(n) | → failed(mapping,e) | refused | never runs |
/// | finished, failed | → translating | late | late | late | late | refused | never runs |
/// | cancelled | → translating | late | late | late | late | ignored | never runs |
///
/// One request at a time: those that come meanwhile wait in their order, and the next one begins at the instant at which
/// the present one ends, as the expiry of the timer `next`, so that the end can be seen. What comes late is ignored
/// and counted. No rows are `finished(0)`, not an error.
///
/// Chosen here: the table itself, of which only the four stages were given; an answer that skips a stage is refused; at
/// most `queueLimit` requests wait, and one more is refused.
public struct Database: LegacyMachine {
  public enum State: StateWithData {
    /// Nothing was asked.
    case idle
    /// The request is being written as a query.
    case translating
    /// The query is being run. `query` is running.
    case executing
    /// The rows are being made into objects: short, and not to be interrupted.
    case mapping
    /// So many objects were found. `next` is running if a request waits.
    case finished(Int)
    /// It went wrong. `next` is running if a request waits.
    case failed(Stage, String)
    /// It was called off. `next` is running if a request waits.
    case cancelled

    public enum Name: NamedCases {
      case idle, translating, executing, mapping, finished, failed, cancelled
    }

    public var name: Name {
      switch self {
      case .idle: .idle
      case .translating: .translating
      case .executing: .executing
      case .mapping: .mapping
      case .finished: .finished
      case .failed: .failed
      case .cancelled: .cancelled
      }
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

  public enum Event: Sendable {
    case perform(String)
    case translated(String)
    case rows(Int)
    case mapped(Int)
    case error(String)
    case cancel
  }

  public enum TimerName: NamedCases { case query, next }

  public enum Output: OutputWithData {
    case translate(String)
    case execute(String)
    case map(Int)
    case objects(Int)
    case failure(Stage, String)

    public enum Name: NamedCases { case translate, execute, map, objects, failure }

    public var name: Name {
      switch self {
      case .translate: .translate
      case .execute: .execute
      case .map: .map
      case .objects: .objects
      case .failure: .failure
      }
    }

    public var data: [Value] {
      switch self {
      case .translate(let text), .execute(let text): [.text(text)]
      case .map(let count), .objects(let count): [.integer(count)]
      case .failure(let stage, let error): [stage.value, .text(error)]
      }
    }
  }

  public struct Parameters: ParameterSet {
    var query = Interval.seconds(5)
    var queueLimit = 100
    public init() {}
  }

  public var state: State
  private var waiting: [String] = []
  private var lateDropped = 0

  public init(initial: State.Name?, _ step: Step<Self>) {
    switch initial ?? .idle {
    case .idle: state = .idle
    case .translating:
      step.emit(.translate("query"))
      state = .translating
    case .executing:
      step.emit(.execute("query"))
      step.arm(.query, after: step.parameters.query)
      state = .executing
    case .mapping:
      step.emit(.map(0))
      state = .mapping
    case .finished: state = .finished(0)
    case .failed: state = .failed(.executing, "error")
    case .cancelled: state = .cancelled
    }
  }

  public mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (.idle, .event(.perform(let request))):
      return translate(request, step)
    case (.finished, .event(.perform(let request))), (.failed, .event(.perform(let request))),
      (.cancelled, .event(.perform(let request))):
      // Whoever waits already, comes first.
      return waiting.isEmpty ? translate(request, step) : wait(request, step)
    case (.translating, .event(.perform(let request))), (.executing, .event(.perform(let request))),
      (.mapping, .event(.perform(let request))):
      return wait(request, step)
    case (.finished, .expired(.next)), (.failed, .expired(.next)), (.cancelled, .expired(.next)):
      return waiting.isEmpty ? .ignore : translate(waiting.removeFirst(), step)

    case (.translating, .event(.translated(let query))):
      step.emit(.execute(query))
      step.arm(.query, after: step.parameters.query)
      return .move(to: .executing)
    case (.executing, .event(.rows(let count))):
      step.disarm(.query)
      step.emit(.map(count))
      return .move(to: .mapping)
    case (.mapping, .event(.mapped(let count))):
      step.emit(.objects(count))
      return end(.finished(count), step)
    case (.translating, .event(.error(let error))):
      return fail(.translating, error, step)
    case (.executing, .event(.error(let error))):
      return fail(.executing, error, step)
    case (.mapping, .event(.error(let error))):
      return fail(.mapping, error, step)
    case (.executing, .expired(.query)):
      return fail(.executing, "timeout", step)
    case (.translating, .event(.cancel)), (.executing, .event(.cancel)):
      step.disarm(.query)
      return end(.cancelled, step)

    case (.translating, .event(.rows)), (.translating, .event(.mapped)), (.executing, .event(.mapped)):
      return step.refuse("that stage has not begun")
    case (.mapping, .event(.cancel)):
      return step.refuse("the rows are being made into objects, which is too short to be called off")
    case (.idle, .event(.cancel)), (.finished, .event(.cancel)), (.failed, .event(.cancel)):
      return step.refuse("nothing is being done that could be called off")

    case (.cancelled, .event(.cancel)), (.executing, .event(.translated)), (.mapping, .event(.translated)),
      (.mapping, .event(.rows)):
      return .ignore  // Said before.
    case (.idle, .event(.translated)), (.idle, .event(.rows)), (.idle, .event(.mapped)), (.idle, .event(.error)),
      (.finished, .event(.translated)), (.finished, .event(.rows)), (.finished, .event(.mapped)),
      (.finished, .event(.error)), (.failed, .event(.translated)), (.failed, .event(.rows)),
      (.failed, .event(.mapped)), (.failed, .event(.error)), (.cancelled, .event(.translated)),
      (.cancelled, .event(.rows)), (.cancelled, .event(.mapped)), (.cancelled, .event(.error)):
      lateDropped += 1
      return .ignore
    case (.idle, .expired), (.translating, .expired), (.executing, .expired(.next)), (.mapping, .expired),
      (.finished, .expired(.query)), (.failed, .expired(.query)), (.cancelled, .expired(.query)):
      return .ignore  // These timers cannot be running there.
    }
  }

  private func translate(_ request: String, _ step: Step<Self>) -> Reaction<State> {
    step.emit(.translate(request))
    return .move(to: .translating)
  }

  private mutating func wait(_ request: String, _ step: Step<Self>) -> Reaction<State> {
    guard waiting.count < step.parameters.queueLimit else {
      return step.refuse("\(waiting.count) requests wait already, and no more may")
    }
    waiting.append(request)
    return .stay
  }

  private func fail(_ stage: Stage, _ error: String, _ step: Step<Self>) -> Reaction<State> {
    step.disarm(.query)
    step.emit(.failure(stage, error))
    return end(.failed(stage, error), step)
  }

  private func end(_ state: State, _ step: Step<Self>) -> Reaction<State> {
    if !waiting.isEmpty { step.arm(.next, after: .zero) }
    return .move(to: state)
  }

  public func asksFor(_ timer: TimerName) -> Bool {
    switch (timer, state) {
    case (.query, .executing): true
    case (.next, .finished), (.next, .failed), (.next, .cancelled): !waiting.isEmpty
    case (.query, _), (.next, _): false
    }
  }
}

extension Database {
  public static let kind = Kind(
    Database.self, "database",
    "a database access object: translates a request, runs the query, makes objects of the rows",
    origin: """
      a conference talk on state machines in iOS applications names the four stages of such an object; the table is \
      designed here
      """,
    example: [
      "new database d", "send d perform findAll", "send d perform findOne", "send d translated select", "advance 5s",
      "send d translated select", "send d rows 0", "send d mapped 0", "send d cancel", "show d",
    ],
    states: [
      .idle: "nothing was asked",
      .translating: "the request is being written as a query",
      .executing: "the query is being run",
      .mapping: "the rows are being made into objects",
      .finished: "so many objects were found",
      .failed: "it went wrong at this stage, for this reason",
      .cancelled: "it was called off",
    ],
    events: [
      .event(
        Event.perform, .text("request", like: ["findAll"]), about: "something is wanted; waits while another is served"),
      .event(Event.translated, .text("query", bytes: 1...4096, like: ["select"]), about: "the query is written"),
      .event(Event.rows, .count("count"), about: "the database has answered with so many rows"),
      .event(Event.mapped, .count("count"), about: "so many objects were made"),
      .event(Event.error, .text("error", bytes: 1...256, like: ["syntax"]), about: "the present stage went wrong"),
      .event(.cancel, "the request is called off; not possible while the rows are being made into objects"),
    ],
    timers: [
      .query: .after("query", "the database has taken too long"),
      .next: .computed("the request that waits begins, at the instant at which the one before has ended"),
    ],
    outputs: [
      .translate: .output(("request", .text(bytes: 1...1024)), about: "write this as a query"),
      .execute: .output(("query", .text(bytes: 1...4096)), about: "run this query"),
      .map: .output(("count", .count), about: "make objects of so many rows"),
      .objects: .output(("count", .count), about: "so many objects were found"),
      .failure: .output(
        ("stage", .choice(Stage.allCases.map(\.rawValue))), ("error", .text(bytes: 1...256)), about: "it went wrong"),
    ],
    readings: [
      .reading("waiting", .count, "requests that wait") { machine, _, _ in machine.waiting.count },
      .reading("lateDropped", .count, "answers that came too late") { machine, _, _ in machine.lateDropped },
    ],
    parameters: [
      .parameter("query", \.query, .delay, "how long a query may run"),
      .parameter("queueLimit", \.queueLimit, .integer(0...1_000_000), "how many requests may wait"),
    ])
}

extension ValueType {
  /// How many there are of something.
  static let count = ValueType.integer(0...Int.max)
}
