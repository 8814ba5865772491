public import StateMachines

/// A client of a server: it sends requests while it is connected, and queues them while it is not.
///
/// | link | connect | connected | connectFailed | connectionLost | request | response | timeout | disconnect |
/// | --- | --- | --- | --- | --- | --- | --- | --- | --- |
/// | offline | → connecting(1) | ignored | ignored | ignored | waits | late | ignored | ignored |
/// | connecting(n) | ignored | → online, sends waiting requests | → backoff(n); after the last attempt → offline, waiting requests fail | ignored | waits | late | ignored | → offline |
/// | backoff(n) | → connecting(n+1) | ignored | ignored | ignored | waits | late | ignored | → offline |
/// | online | ignored | ignored | ignored | → backoff(0) | sent | completes | fails | → offline, requests under way fail |
///
/// An attempt fails after `connect`. The n-th pause is the n-th of 1, 2, 4, 8, 16 and 30 s, and 30 s from then on,
/// without jitter, so that a test can compute the moment. After a lost connection the pause is the first. A request
/// without an answer within `request` fails; an answer at that exact moment is too late.
///
/// When the connection is lost, the idempotent requests under way wait again, in their order and before new ones. The
/// others fail with `lost`, because they may have been carried out. With `policy=reject` a new request is refused while
/// there is no connection. At most `queueLimit` new requests wait.
///
/// With `service=auto` a simulated server accepts a connection after `latency`, and answers each request after the same
/// time. A failing one gets no answer, so its time-out expires.
///
/// Chosen here: requests are idempotent unless they say otherwise; `response` and `timeout` identify a request by its
/// name, the oldest one under way, or by its number; waiting requests stay in the queue after disconnect.
public struct NetworkClient: Machine {
  public struct State: StateWithData {
    var link = Link.offline
    /// The queue, in order of arrival.
    var waiting: [Request] = []
    /// Requests without an answer, in the order of sending. Empty unless online; the timer `request` of each is
    /// running.
    var underWay: [Sent] = []

    public var name: Link.Name { link.name }
    public var data: String? { link.data }
    public static var carriesData: Bool { true }
  }

  public enum Link: StateWithData {
    /// No connection is wanted, or all attempts have failed.
    case offline
    /// The n-th attempt. `connect` is running.
    case connecting(Int)
    /// A pause after the n-th attempt, or after a lost connection (0). `backoff` is running.
    case backoff(Int)
    /// Connected.
    case online

    public enum Name: NamedCases { case offline, connecting, backoff, online }

    public var data: String? {
      switch self {
      case .connecting(let attempt), .backoff(let attempt): "\(attempt)"
      case .offline, .online: nil
      }
    }

    public static var samples: [Link] { [.connecting(1), .backoff(1)] }
  }

  struct Request: Hashable, Codable {
    let name: String
    let isIdempotent: Bool
  }

  struct Sent: Hashable, Codable {
    let number: Int
    let request: Request
  }

  public enum Event: MachineEvent {
    case connect, connected, connectFailed, connectionLost
    case request(String, Bool?)
    case response(String)
    case timeout(String)
    case disconnect
    /// The request with the timer's key as its number was not answered.
    case unanswered
  }

  public enum Output: OutputWithData {
    case sent(String, number: Int)
    case completed(String)
    case failed(String, Failure)

    public enum Name: NamedCases { case sent, completed, failed }
  }

  public enum Failure: String, Choice { case timeout, lost, disconnected, unreachable }

  public enum Policy: String, Choice { case queue, reject }

  /// The most requests that may be under way; another one is refused.
  public static let mostUnderWay = 1_000

  public struct Parameters: ServedParameters {
    var service = SimulatedService(mode: .manual, latency: .seconds(1))
    var connect = Duration.seconds(10)
    var request = Duration.seconds(30)
    var maxAttempts = 0
    var policy = Policy.queue
    var queueLimit = 100
    public init() {}
  }

  public var state = State()
  private var lastNumber = 0
  @Incidental private var lateDropped = 0
  /// The number of attempts and requests that the simulated server has seen.
  private var asked = 0
  /// Whether the simulated server is going to accept the connection.
  private var isAccepting = false
  public init() {}

  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    State(link: Link(sampleNamed: name))
  }

  /// A pause ends with the next attempt, and an attempt that takes too long fails. Requests have their own timers: see
  /// `send(_:_:)`.
  public func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    switch state.link {
    case .connecting where isAccepting:
      [.after(parameters.connect, .connectFailed), .after(parameters.service.latency, .connected)]
    case .connecting: .after(parameters.connect, .connectFailed)
    case .backoff(let attempt): .after(NetworkClient.pause(after: attempt), .connect)
    case .offline, .online: .none
    }
  }

  public mutating func entered(_ state: State, _ step: Step<Self>) {
    switch state.link {
    case .connecting: isAccepting = isAnswered(step)
    case .offline, .backoff, .online: break
    }
  }

  /// Whether a simulated server is going to answer the present attempt or request.
  private mutating func isAnswered(_ step: Step<Self>) -> Bool {
    guard step.parameters.service.isAutomatic else { return false }
    asked += 1
    return !step.parameters.service.fails(request: asked, step)
  }

  /// The pause after the n-th failed attempt in a row: it doubles up to half a minute.
  static func pause(after attempt: Int) -> Duration {
    .seconds(attempt > 5 ? 30 : 1 << max(attempt - 1, 0))
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .connect:
      switch state.link {
      case .offline: return .move(to: state.with(.connecting(1)))
      case .backoff(let attempt): return .move(to: state.with(.connecting(attempt + 1)))
      case .connecting, .online: return .ignore
      }
    case .connected:
      switch state.link {
      case .connecting: return .move(to: State(link: .online, underWay: state.waiting.map { send($0, step) }))
      case .offline, .backoff, .online: return .ignore
      }
    case .connectFailed:
      switch state.link {
      case .connecting(let attempt) where step.when("last attempt", attempt == step.parameters.maxAttempts):
        for request in state.waiting { step.emit(.failed(request.name, .unreachable)) }
        return .move(to: State())
      case .connecting(let attempt): return .move(to: state.with(.backoff(attempt)))
      case .offline, .backoff, .online: return .ignore
      }
    case .connectionLost:
      switch state.link {
      case .online:
        for sent in state.underWay {
          stopWaiting(for: sent, step)
          if !sent.request.isIdempotent { step.emit(.failed(sent.request.name, .lost)) }
        }
        return .move(to: State(link: .backoff(0), waiting: state.underWay.map(\.request).filter(\.isIdempotent)))
      case .offline, .connecting, .backoff: return .ignore
      }
    case .request(let name, let isIdempotent):
      let request = Request(name: name, isIdempotent: isIdempotent ?? true)
      switch state.link {
      case .online where step.when("too many under way", state.underWay.count >= Self.mostUnderWay):
        return step.refuse("\(Self.mostUnderWay) requests are under way, which is the limit")
      case .online: return .stayAs(State(link: .online, underWay: state.underWay + [send(request, step)]))
      case .offline, .connecting, .backoff: return hold(request, step)
      }
    case .response(let name):
      switch state.link {
      case .online:
        let answered = step.key > 0 ? state.underWay.first { $0.number == step.key } : sent(as: name)
        guard let sent = answered else { return dropLate() }
        return end(sent, saying: .completed(sent.request.name), step)
      case .offline, .connecting, .backoff: return dropLate()
      }
    case .timeout(let name): return timeOut(sent(as: name), step)
    case .unanswered: return timeOut(state.underWay.first { $0.number == step.key }, step)
    case .disconnect:
      switch state.link {
      case .offline: return .ignore
      case .connecting, .backoff: return .move(to: state.with(.offline))
      case .online:
        for sent in state.underWay {
          stopWaiting(for: sent, step)
          step.emit(.failed(sent.request.name, .disconnected))
        }
        return .move(to: State())
      }
    }
  }

  // MARK: Requests

  /// Sends a request under a new number, which is the key of its timer.
  private mutating func send(_ request: Request, _ step: Step<Self>) -> Sent {
    lastNumber += 1
    step.emit(.sent(request.name, number: lastNumber))
    step.arm(.unanswered, key: lastNumber, after: step.parameters.request)
    if isAnswered(step) { step.arm(.response(""), key: lastNumber, after: step.parameters.service.latency) }
    return Sent(number: lastNumber, request: request)
  }

  private func hold(_ request: Request, _ step: Step<Self>) -> Reaction<State> {
    switch step.parameters.policy {
    case .reject: return step.refuse("blocked: there is no connection")
    case .queue:
      guard step.when("room", state.waiting.count < step.parameters.queueLimit) else {
        return step.refuse(
          "blocked: there is no connection, and the queue is full with \(state.waiting.count) requests")
      }
      var next = state
      next.waiting.append(request)
      return .stayAs(next)
    }
  }

  /// The request under way with this name, or else with this number. Without a connection there is none.
  private func sent(as name: String) -> Sent? {
    state.underWay.first { $0.request.name == name } ?? state.underWay.first { "\($0.number)" == name }
  }

  private func timeOut(_ sent: Sent?, _ step: Step<Self>) -> Reaction<State> {
    guard let sent else { return .ignore }
    return end(sent, saying: .failed(sent.request.name, .timeout), step)
  }

  private func end(_ sent: Sent, saying output: Output, _ step: Step<Self>) -> Reaction<State> {
    step.emit(output)
    stopWaiting(for: sent, step)
    return .stayAs(State(link: .online, underWay: state.underWay.filter { $0.number != sent.number }))
  }

  private func stopWaiting(for sent: Sent, _ step: Step<Self>) {
    step.disarm(.unanswered, key: sent.number)
    if step.parameters.service.isAutomatic { step.disarm(.response(""), key: sent.number) }
  }

  private mutating func dropLate() -> Reaction<State> {
    lateDropped += 1
    return .ignore
  }
}

extension NetworkClient.State {
  /// The same waiting requests with another link.
  fileprivate func with(_ link: NetworkClient.Link) -> Self { Self(link: link, waiting: waiting) }
}

extension NetworkClient {
  public static let kind = Kind(
    NetworkClient.self, "networkClient",
    "a client that sends requests while it is connected, and queues them while it is not",
    origin: "a conference talk names a client that sends or blocks; attempts, pauses and timeouts are added here",
    source: "talk",
    example: [
      "new networkClient c", "send c request A", "send c connect", "advance 10s", "advance 1s", "send c connected",
      "send c connectionLost", "agenda", "show c", "new networkClient auto service=auto failures=1",
      "send auto connect", "send auto request A", "advance 12s", "agenda auto", "advance 1s",
    ],
    states: {
      switch $0 {
      case .offline: "there is no connection, and none is being made"
      case .connecting: "connecting, with the number of the attempt"
      case .backoff: "a pause before the next attempt, with the number of failed attempts"
      case .online: "connected"
      }
    },
    events: [
      .event(.connect, "connect now"),
      .event(.connected, "the server has accepted the connection"),
      .event(.connectFailed, "the server could not be reached"),
      .event(.connectionLost, "the connection was lost"),
      .event(
        Event.request, .text("name", bytes: 1...256, like: ["A"]), .optional(.flag("idempotent")),
        about: "sends or queues a request; idempotent=off if it must not be carried out twice"),
      .event(Event.response, .text("name", bytes: 1...256, like: ["A"]), about: "the server has answered"),
      .event(Event.timeout, .text("name", bytes: 1...256, like: ["A"]), about: "the request has timed out"),
      .event(.disconnect, "close the connection, or stop connecting"),
    ],
    timers: [
      .timer(.connectFailed, named: "connect", after: "connect", "the attempt has timed out"),
      .timer(.connect, named: "backoff", "the pause is over: 1, 2, 4, 8, 16 s, then 30 s"),
      .timer(.unanswered, named: "request", after: "request", keyed: "request", "the request has timed out"),
      .timer(.connected, after: "latency", "the simulated server accepts the connection"),
      .timer(.response(""), after: "latency", keyed: "request", "the simulated server answers"),
    ],
    outputs: {
      switch $0 {
      case .sent: .output(("name", .requestName), ("number", .count), about: "a request is sent, with its number")
      case .completed: .output(("name", .requestName), about: "a request was answered")
      case .failed: .output(("name", .requestName), ("why", Failure.valueType), about: "a request has failed")
      }
    },
    readings: [
      .reading("waiting", .count, \.state.waiting.count, "the number of queued requests"),
      .reading("underWay", .count, \.state.underWay.count, "the number of unanswered requests"),
      .reading("lateDropped", .count, \.lateDropped, "the number of answers that came too late"),
    ],
    parameters: [
      .parameter("connect", \.connect, .delay, "the timeout of an attempt"),
      .parameter("request", \.request, .delay, "the timeout of a request"),
      .parameter("maxAttempts", \.maxAttempts, .integer(0...1_000_000), "the maximum number of attempts; 0: no limit"),
      .parameter("policy", \.policy, "queue keeps requests until there is a connection, reject refuses them"),
      .parameter("queueLimit", \.queueLimit, .integer(0...10_000), "the length of the queue"),
    ] + Parameters.serviceForms)
}

extension ValueType {
  fileprivate static let requestName = ValueType.text(bytes: 1...256)
}
