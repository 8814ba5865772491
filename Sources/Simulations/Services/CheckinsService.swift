public import StateMachines

/// The service that a list of check-ins is downloaded from, on a network of its own.
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
/// A fetch replaces the one that runs; requests have running numbers, and an answer to another number than the
/// present one is ignored and counted. Whom a fetch is for is settled at the call: the user that it names, otherwise the one
/// that `currentUser` has told of.
///
/// The hole in the faithful mode: nobody looks at the end whether that user is still logged in. With `mode=extended` the
/// answer is then noAuth, whatever it would have been.
///
/// Chosen here: a fetch that fails at once starts no request, so it has no number and uses up no `failures` and no
/// `failNext`. An answer may be sent as an event too, in either mode of `service`, and it comes instead of the timer's.
public struct CheckinsService: LegacyMachine {
  public enum State: StateWithData {
    /// Nothing runs.
    case idle(Conditions)
    /// A list is on its way. With service=auto `received` or `failed` is running.
    case fetching(Request, Conditions)

    public enum Name: NamedCases { case idle, fetching }

    public var name: Name {
      switch self {
      case .idle: .idle
      case .fetching: .fetching
      }
    }

    public var data: String? {
      switch self {
      case .idle: nil
      case .fetching(let request, _): "\(request.number),\(request.user)"
      }
    }

    public static var carriesData: Bool { true }
  }

  public struct Request: Hashable, Sendable, Codable {
    /// Counts from 1.
    let number: Int
    let user: String
    /// What will be answered; nil if somebody is to send it.
    let answer: Answer?
    /// Whether the user has not logged out since, or is back.
    var isUserPresent = true
  }

  /// What an answer depends on, besides the user.
  public struct Conditions: Hashable, Sendable, Codable {
    /// Who is logged in.
    var user: String?
    var isOffline = false
    /// What the next request fails with.
    var nextFailure: Failure?
  }

  public enum Answer: Hashable, Sendable, Codable {
    case received(Int)
    case failed(Failure)
  }

  public typealias Failure = CheckinsWithLogin.Failure

  public enum Event: Sendable {
    case fetch(String?)
    case received(Int, Int?)
    case failed(Failure, Int?)
    case cancel
    case currentUser(String?)
    case failNext(Failure)
    case offline, online
  }

  public enum TimerName: NamedCases { case received, failed }

  public enum Output: OutputWithData {
    case received(Int)
    case failed(Failure)

    public enum Name: NamedCases { case received, failed }

    public var name: Name {
      switch self {
      case .received: .received
      case .failed: .failed
      }
    }

    public var data: [Value] {
      switch self {
      case .received(let items): [.integer(items)]
      case .failed(let failure): [failure.value]
      }
    }
  }

  public enum Mode: String, Choice { case faithful, extended }

  public struct Parameters: ServedParameters {
    var service = SimulatedService()
    var mode = Mode.faithful
    var offline = false
    public init() {}
  }

  public var state: State
  private var requests = 0
  private var late = 0

  /// A service that is made in `fetching` fetches for user A.
  public init(initial: State.Name?, _ step: Step<Self>) {
    var conditions = Conditions(isOffline: step.parameters.offline)
    switch initial ?? .idle {
    case .idle: state = .idle(conditions)
    case .fetching:
      state = .idle(conditions)
      let request = request(for: "A", &conditions, step)
      state = .fetching(request, conditions)
    }
  }

  public mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (.idle(var conditions), .event(.fetch(let user))):
      switch prompt(user, conditions) {
      case .fail(let failure):
        step.emit(.failed(failure))
        return .stay
      case .start(let user):
        let request = request(for: user, &conditions, step)
        return .move(to: .fetching(request, conditions))
      }
    case (.fetching(let replaced, var conditions), .event(.fetch(let user))):
      disarm(replaced, step)
      switch prompt(user, conditions) {
      case .fail(let failure):
        step.emit(.failed(failure))
        return .move(to: .idle(conditions))
      case .start(let user):
        let request = request(for: user, &conditions, step)
        return .move(to: .fetching(request, conditions))
      }
    case (.fetching(let request, let conditions), .event(.received(let items, let number))):
      guard isPresent(number, request) else { return .ignore }
      disarm(request, step)
      emit(.received(items), to: request, step)
      return .move(to: .idle(conditions))
    case (.fetching(let request, let conditions), .event(.failed(let failure, let number))):
      guard isPresent(number, request) else { return .ignore }
      disarm(request, step)
      emit(.failed(failure), to: request, step)
      return .move(to: .idle(conditions))
    case (.fetching(let request, let conditions), .expired):
      guard let answer = request.answer else { return .ignore }  // Then no timer can be running.
      emit(answer, to: request, step)
      return .move(to: .idle(conditions))
    case (.fetching(let request, let conditions), .event(.cancel)):
      disarm(request, step)
      return .move(to: .idle(conditions))

    case (.fetching(var request, var conditions), .event(.currentUser(let user))):
      request.isUserPresent = user == request.user
      conditions.user = user
      return .stayAs(.fetching(request, conditions))
    case (.idle(var conditions), .event(.currentUser(let user))):
      conditions.user = user
      return .stayAs(.idle(conditions))
    case (_, .event(.failNext(let failure))):
      guard step.parameters.service.isAutomatic else {
        return step.refuse("with service=manual it fails when failed is sent")
      }
      return .stayAs(state.with { $0.nextFailure = failure })
    case (_, .event(.offline)):
      return state.conditions.isOffline ? .ignore : .stayAs(state.with { $0.isOffline = true })
    case (_, .event(.online)):
      return state.conditions.isOffline ? .stayAs(state.with { $0.isOffline = false }) : .ignore

    case (.idle, .event(.received)), (.idle, .event(.failed)):
      late += 1
      return .ignore
    case (.idle, .event(.cancel)):
      return .ignore
    case (.idle, .expired):
      return .ignore  // Nothing can be running there.
    }
  }

  public func asksFor(_ timer: TimerName) -> Bool {
    switch state {
    case .idle: false
    case .fetching(let request, _): request.answer?.timer == timer
    }
  }

  /// What becomes of a call before any request is made.
  private enum Prompt {
    case start(String)
    case fail(Failure)
  }

  private func prompt(_ user: String?, _ conditions: Conditions) -> Prompt {
    guard let user = user ?? conditions.user else { return .fail(.noAuth) }
    return conditions.isOffline ? .fail(.failedToLoadData) : .start(user)
  }

  /// Sends a request on its way, and with service=auto its answer too.
  private mutating func request(for user: String, _ conditions: inout Conditions, _ step: Step<Self>) -> Request {
    requests += 1
    let service = step.parameters.service
    guard service.isAutomatic else { return Request(number: requests, user: user, answer: nil) }
    let answer: Answer
    if let failure = conditions.nextFailure {
      conditions.nextFailure = nil
      answer = .failed(failure)
    } else if service.fails(request: requests, step) {
      answer = .failed(.failedToLoadData)
    } else {
      let stored = ["A": service.items, "B": 0]
      answer = stored[user].map(Answer.received) ?? .failed(.failedToLoadData)
    }
    step.arm(answer.timer, after: service.latency)
    return Request(number: requests, user: user, answer: answer)
  }

  /// Whether an answer is to the present request; counts one that is not.
  private mutating func isPresent(_ number: Int?, _ request: Request) -> Bool {
    if number == nil || number == request.number { return true }
    late += 1
    return false
  }

  private func disarm(_ request: Request, _ step: Step<Self>) {
    if let answer = request.answer { step.disarm(answer.timer) }
  }

  private func emit(_ answer: Answer, to request: Request, _ step: Step<Self>) {
    if step.parameters.mode == .extended && !request.isUserPresent {
      step.emit(.failed(.noAuth))
      return
    }
    switch answer {
    case .received(let items): step.emit(.received(items))
    case .failed(let failure): step.emit(.failed(failure))
    }
  }
}

extension CheckinsService.Answer {
  fileprivate var timer: CheckinsService.TimerName {
    switch self {
    case .received: .received
    case .failed: .failed
    }
  }
}

extension CheckinsService.State {
  fileprivate var conditions: CheckinsService.Conditions {
    switch self {
    case .idle(let conditions), .fetching(_, let conditions): conditions
    }
  }

  fileprivate func with(_ change: (inout CheckinsService.Conditions) -> Void) -> Self {
    var conditions = conditions
    change(&conditions)
    return switch self {
    case .idle: .idle(conditions)
    case .fetching(let request, _): .fetching(request, conditions)
    }
  }
}

extension ValueType {
  /// How many check-ins a list has.
  static let checkins = ValueType.integer(0...1_000_000)
  /// Why there is no list of check-ins.
  static let checkinsFailure = ValueType.choice(CheckinsWithLogin.Failure.allCases.map(\.rawValue))
  /// Somebody who can log in.
  static let user = ValueType.text(bytes: 1...64)
}

extension CheckinsService {
  public static let kind = Kind(
    CheckinsService.self, "checkinsService",
    "downloads the check-ins of a user: A has some, B none, others are unknown",
    form: .enumAndSwitch,
    origin: """
      the service in an article on state machines in iOS applications: whom it answers what and when is that of its author's \
      stand-in; offline, failNext and mode=extended are added here
      """,
    example: [
      "new checkinsService s", "send s fetch", "send s fetch A", "advance 1s", "send s fetch B", "show s", "advance 3s",
      "send s failNext failedToLoadData", "send s fetch A", "advance 3s",
    ],
    states: [.idle: "nothing runs", .fetching: "a list is on its way, for the user at the time of the call"],
    events: [
      .event(
        Event.fetch, .optional(.text("user", bytes: 1...64, like: ["A", "B", "C"])),
        about: "somebody wants the list of a user, of the one who is logged in if none is named"),
      .event(
        Event.received, .count("items"), .optional(.integer("request", 1...1_000_000_000, like: [1])),
        about: "the list has come; ignored if no request runs, or another than the one named"),
      .event(
        Event.failed, .choice("error"), .optional(.integer("request", 1...1_000_000_000, like: [1])),
        about: "there will be no list; ignored if no request runs, or another than the one named"),
      .event(.cancel, "the answer is not wanted any more; ignored if no request runs"),
      .event(
        Event.currentUser, .optional(.text("user", bytes: 1...64, like: ["A", "B", "C"])),
        about: "this user is logged in now, or nobody"),
      .event(Event.failNext, .choice("error"), about: "the next request will fail; refused with service=manual"),
      .event(.offline, "the network is gone; a request that runs is not touched"),
      .event(.online, "the network is back"),
    ],
    timers: [
      .received: .after("latency", "the list comes"),
      .failed: .after("latency", "the download fails"),
    ],
    outputs: [
      .received: .output(("items", .checkins), about: "the list that was asked for"),
      .failed: .output(("error", .checkinsFailure), about: "why there is no list"),
    ],
    readings: [
      .reading("generation", .integer(0 ... .max), "how many requests were made") { machine, _, _ in machine.requests },
      .reading("user", .user, "for whom the list is fetched, otherwise who is logged in") { machine, _, _ in
        switch machine.state {
        case .idle(let conditions): conditions.user
        case .fetching(let request, _): request.user
        }
      },
      .reading("offline", .flag, "whether the network is gone") { machine, _, _ in machine.state.conditions.isOffline },
      .reading("late", .integer(0 ... .max), "how many answers came too late and were dropped") {
        machine, _, _ in machine.late
      },
    ],
    parameters: parameterForms)

  private static let parameterForms: [ParameterForm<Parameters>] =
    Parameters.serviceForms + [
      Parameters.itemsForm("how many check-ins user A has"),
      .parameter(
        "mode", \.mode, .choice(Mode.allCases.map(\.rawValue)),
        "faithful knows the user at the call only, extended looks again before it answers"),
      .parameter("offline", \.offline, .flag, "on: begins without a network"),
    ]
}
