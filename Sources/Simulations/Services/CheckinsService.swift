public import StateMachines

/// The service from which a list of check-ins is downloaded, on its own network.
///
/// | at the call of fetch | answer | after |
/// | --- | --- | --- |
/// | nobody is logged in | failed(noAuth) | at once |
/// | offline | failed(failedToLoadData) | at once |
/// | user A | received(items) | latency |
/// | user B | received(0) | latency |
/// | any other user | failed(failedToLoadData) | latency |
///
/// | state | fetch | received, failed | cancel | currentUser | failNext, offline, online |
/// | --- | --- | --- | --- | --- | --- |
/// | idle | → fetching, or stayed and failed at once | late, ignored | ignored | stayed | stayed |
/// | fetching | → fetching the next, or → idle and failed at once | → idle | → idle | stayed | stayed |
///
/// A fetch replaces the running one. Requests are numbered, and an answer with another number than the present
/// request's is ignored and counted. The user of a fetch is fixed at the call: the one that it names, otherwise the one
/// of the last `currentUser`. failNext is refused with `service=manual`; offline and online are ignored if nothing
/// changes.
///
/// The hole in the faithful mode: the answer does not depend on whether that user is still logged in. With
/// `mode=extended` the answer is noAuth if the user is not.
///
/// Chosen here: a fetch that fails at once starts no request, so it has no number, and counts neither for `failures`
/// nor for `failNext`. An answer may also be sent as an event, in either mode of `service`; it replaces the timer's
/// answer.
public struct CheckinsService: Machine {
  public struct State: StateWithData {
    /// The request under way. With service=auto the timer of its answer is running.
    var request: Request?
    /// Who is logged in.
    var user: String?
    var isOffline = false
    /// The failure of the next request.
    var nextFailure: Failure?

    public enum Name: NamedCases { case idle, fetching }
    public var name: Name { request == nil ? .idle : .fetching }
    public var data: String? { request.map { "\($0.number),\($0.user)" } }
    public static var carriesData: Bool { true }
  }

  struct Request: Hashable, Codable, PartlyIncidental {
    /// The request's number, from 1.
    let number: Int
    let user: String
    /// The answer that the simulated service is going to give; `nil` if the answer must be sent.
    let answer: Event?
    /// Whether the user is still, or again, logged in.
    var isUserPresent = true

    /// Whether its answer is expected, whether that is a failure, and whether the user is there. Of the number it
    /// matters only whether it is the first: a late answer has another one.
    func essence(for parameters: any ParameterSet) -> [Bool] {
      let isFailure = if case .failed = answer { true } else { false }
      return [number == 1, answer != nil, isFailure, isUserPresent]
    }
  }

  public typealias Failure = CheckinsWithLogin.Failure

  public enum Event: MachineEvent, Codable {
    case fetch(String?)
    case received(Int, request: Int? = nil)
    case failed(Failure, request: Int? = nil)
    case cancel
    case currentUser(String?)
    case failNext(Failure)
    case offline, online
  }

  public enum Output: OutputWithData {
    case received(Int)
    case failed(Failure)

    public enum Name: NamedCases { case received, failed }
  }

  public enum Mode: String, Choice { case faithful, extended }

  public struct Parameters: ServedParameters {
    var service = SimulatedService()
    var mode = Mode.faithful
    var offline = false
    public init() {}
  }

  public var state = State()
  @RequestCount private var requests = 0
  @Incidental private var late = 0
  public init() {}

  /// A service that is made in `fetching` fetches for user A.
  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    let idle = State(isOffline: step.parameters.offline)
    return switch name {
    case .idle: idle
    case .fetching: fetching(for: "A", from: idle, step)
    }
  }

  public func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    if let answer = state.request?.answer { .after(parameters.service.latency, answer) } else { .none }
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    var next = state
    switch event {
    case .fetch(let named):
      guard let user = named ?? state.user else { return fail(.noAuth, step) }
      if step.when("offline", state.isOffline) { return fail(.failedToLoadData, step) }
      return .move(to: fetching(for: user, from: state, step))
    case .received(let items, let number): return end(with: .received(items), to: number, step)
    case .failed(let failure, let number): return end(with: .failed(failure), to: number, step)
    case .cancel:
      switch state.name {
      case .idle: return .ignore
      case .fetching: return .move(to: state.idle)
      }
    case .currentUser(let user):
      next.user = user
      next.request?.isUserPresent = user == state.request?.user
      return .stayAs(next)
    case .failNext(let failure):
      guard step.when("service=auto", step.parameters.service.isAutomatic) else {
        return step.refuse("with service=manual, send failed instead")
      }
      next.nextFailure = failure
      return .stayAs(next)
    case .offline, .online:
      next.isOffline = event == .offline
      return next == state ? .ignore : .stayAs(next)
    }
  }

  /// Fails at the call, before a request is made. A request under way is dropped.
  private func fail(_ failure: Failure, _ step: Step<Self>) -> Reaction<State> {
    step.emit(.failed(failure), then: state.name == .idle ? .stay : .move(to: state.idle))
  }

  /// Ends the present request with its answer. Any other answer comes too late, and is counted.
  private mutating func end(with answer: Output, to number: Int?, _ step: Step<Self>) -> Reaction<State> {
    guard let request = state.request, step.when("to this request", number == nil || number == request.number) else {
      late += 1
      return .ignore
    }
    let looksAgain = step.parameters.mode == .extended
    let isGone = step.when("user gone", looksAgain && !request.isUserPresent)
    return step.emit(isGone ? .failed(.noAuth) : answer, then: .move(to: state.idle))
  }

  /// Starts a request; a simulated service decides now how it will answer.
  private mutating func fetching(for user: String, from state: State, _ step: Step<Self>) -> State {
    requests += 1
    var next = state
    let service = step.parameters.service
    let answer: Event?
    if !service.isAutomatic {
      answer = nil
    } else if let failure = state.nextFailure {
      next.nextFailure = nil
      answer = .failed(failure)
    } else if service.fails(request: requests, step) {
      answer = .failed(.failedToLoadData)
    } else {
      let stored = ["A": service.items, "B": 0]
      answer = stored[user].map { .received($0) } ?? .failed(.failedToLoadData)
    }
    next.request = Request(number: requests, user: user, answer: answer)
    return next
  }
}

extension CheckinsService.State {
  fileprivate var idle: Self {
    var state = self
    state.request = nil
    return state
  }
}

extension ValueType {
  /// The number of check-ins in a list.
  static let checkins = ValueType.integer(0...1_000_000)
  /// The reason why the request has failed of check-ins.
  static let checkinsFailure = CheckinsWithLogin.Failure.valueType
  /// A user's name.
  static let user = ValueType.text(bytes: 1...64)
}

extension CheckinsService {
  public static let kind = Kind(
    CheckinsService.self, "checkinsService",
    "downloads a user's check-ins: A has some, B has none, other users are unknown",
    origin: "the stand-in service of an article; offline, failNext and mode=extended are added here",
    source: "article",
    example: [
      "new checkinsService s", "send s fetch", "send s fetch A", "advance 1s", "send s fetch B", "show s", "advance 3s",
      "send s failNext failedToLoadData", "send s fetch A", "advance 3s",
    ],
    states: {
      switch $0 {
      case .idle: "no request is under way"
      case .fetching: "a list is being downloaded for the user of the request"
      }
    },
    events: [
      .event(
        Event.fetch, .optional(.text("user", bytes: 1...64, like: ["A", "B", "C"])),
        about: "requests a user's list, by default that of the logged-in user"),
      .event(
        Event.received, .count("items"), .optional(.integer("request", 1...1_000_000_000, like: [1])),
        about: "the list has arrived; ignored unless it answers the running request"),
      .event(
        Event.failed, .choice("error"), .optional(.integer("request", 1...1_000_000_000, like: [1])),
        about: "the request has failed; ignored unless it is the running one"),
      .event(.cancel, "cancels the running request; ignored if there is none"),
      .event(
        Event.currentUser, .optional(.text("user", bytes: 1...64, like: ["A", "B", "C"])),
        about: "sets the logged-in user; without a name nobody is logged in"),
      .event(Event.failNext, .choice("error"), about: "the next request will fail; refused with service=manual"),
      .event(.offline, "the network is lost; a running request continues"),
      .event(.online, "the network is back"),
    ],
    timers: [
      .timer(.received(0), after: "latency", "the list arrives"),
      .timer(.failed(.noAuth), after: "latency", "the download fails"),
    ],
    outputs: {
      switch $0 {
      case .received: .output(("items", .checkins), about: "the requested list")
      case .failed: .output(("error", .checkinsFailure), about: "why the request has failed")
      }
    },
    readings: [
      .reading("generation", .count, \.requests, "the number of requests"),
      .reading("user", .user, "the user of the running request, otherwise the logged-in user") { machine, _, _ in
        machine.state.request?.user ?? machine.state.user
      },
      .reading("offline", .flag, \.state.isOffline, "whether the network is lost"),
      .reading("late", .count, \.late, "the number of answers that came too late"),
    ],
    parameters: parameterForms)

  private static let parameterForms: [ParameterForm<Parameters>] =
    Parameters.serviceForms + [
      Parameters.itemsForm("how many check-ins user A has"),
      .parameter("mode", \.mode, "faithful checks the user at the request, extended also at the answer"),
      .parameter("offline", \.offline, "on: starts without a network"),
    ]
}
