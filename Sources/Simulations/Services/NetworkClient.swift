public import StateMachines

/// A client of a server: it sends requests while it is connected, and holds them back while it is not.
///
/// | link | connect | connected | connectFailed | connectionLost | request | response | timeout | disconnect |
/// | --- | --- | --- | --- | --- | --- | --- | --- | --- |
/// | offline | → connecting(1) | ignored | ignored | ignored | waits | late | ignored | ignored |
/// | connecting(n) | ignored | → online, sends what waits | → backoff(n), of the last attempt → offline, all that waits fails | ignored | waits | late | ignored | → offline |
/// | backoff(n) | → connecting(n+1) | ignored | ignored | ignored | waits | late | ignored | → offline |
/// | online | ignored | ignored | ignored | → backoff(0) | sent | completes | fails | → offline, what is under way fails |
///
/// An attempt that takes `connect` has failed. The n-th pause is the n-th of 1, 2, 4, 8, 16, 30 s and 30 s from then
/// on, without jitter, so that a test can name the moment; after a lost connection it is the first. A request without an
/// answer within `request` fails; an answer at that very moment is too late.
///
/// When the connection is lost, requests under way that are idempotent wait again, before the others and in their
/// order; those that are not fail with `lost`, for nobody knows whether they were carried out. With `policy=reject`
/// nothing waits: a request is refused at once while there is no connection. At most `queueLimit` requests wait.
///
/// Chosen here: requests are idempotent unless they say otherwise; `response` and `timeout` name a request by its name,
/// the oldest under way that bears it, or by its running number; the queue stays when the person disconnects.
public struct NetworkClient: LegacyMachine {
  public struct State: StateWithData {
    var link: Link
    /// Held back, in their order.
    var waiting: [Request] = []
    /// Sent and not answered, in the order of sending. Only while online; each has its `request` running.
    var underWay: [Sent] = []

    public enum Name: NamedCases { case offline, connecting, backoff, online }

    public var name: Name {
      switch link {
      case .offline: .offline
      case .connecting: .connecting
      case .backoff: .backoff
      case .online: .online
      }
    }

    public var data: String? {
      switch link {
      case .connecting(let attempt), .backoff(let attempt): "\(attempt)"
      case .offline, .online: nil
      }
    }

    public static var carriesData: Bool { true }
  }

  enum Link: Hashable, Codable {
    /// Nobody wants a connection, or all attempts have failed.
    case offline
    /// The n-th attempt. `connect` is running.
    case connecting(Int)
    /// A pause after the n-th attempt, or after a lost connection (0). `backoff` is running.
    case backoff(Int)
    /// Connected.
    case online
  }

  struct Request: Hashable, Codable {
    let name: String
    let isIdempotent: Bool
  }

  struct Sent: Hashable, Codable {
    let number: Int
    let request: Request
  }

  public enum Event: Sendable {
    case connect, connected, connectFailed, connectionLost
    case request(String, Bool?)
    case response(String)
    case timeout(String)
    case disconnect
  }

  public enum TimerName: NamedCases { case connect, backoff, request }

  public enum Output: OutputWithData {
    case sent(String, number: Int)
    case completed(String)
    case failed(String, Failure)

    public enum Name: NamedCases { case sent, completed, failed }

    public var name: Name {
      switch self {
      case .sent: .sent
      case .completed: .completed
      case .failed: .failed
      }
    }

    public var data: [Value] {
      switch self {
      case .sent(let request, let number): [.text(request), .integer(number)]
      case .completed(let request): [.text(request)]
      case .failed(let request, let why): [.text(request), why.value]
      }
    }
  }

  public enum Failure: String, Choice { case timeout, lost, disconnected, unreachable }

  public enum Policy: String, Choice { case queue, reject }

  /// Requests that may be under way; another one is refused.
  public static let mostUnderWay = 1_000

  public struct Parameters: ParameterSet {
    var connect = Interval.seconds(10)
    var request = Interval.seconds(30)
    var maxAttempts = 0
    var policy = Policy.queue
    var queueLimit = 100
    public init() {}
  }

  public var state: State
  private var lastNumber = 0
  private var lateDropped = 0

  public init(initial: State.Name?, _ step: Step<Self>) {
    switch initial ?? .offline {
    case .offline: state = State(link: .offline)
    case .connecting:
      state = State(link: .connecting(1))
      step.arm(.connect, after: step.parameters.connect)
    case .backoff:
      state = State(link: .backoff(1))
      step.arm(.backoff, after: NetworkClient.pause(after: 1))
    case .online: state = State(link: .online)
    }
  }

  /// The pause after the n-th failed attempt in a row: it doubles up to half a minute.
  static func pause(after attempt: Int) -> Interval {
    .seconds(attempt > 5 ? 30 : 1 << Int64(max(attempt, 1) - 1))
  }

  public mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch (state.link, input) {
    case (.offline, .event(.connect)):
      return connect(attempt: 1, step)
    case (.backoff(let attempt), .event(.connect)), (.backoff(let attempt), .expired(.backoff)):
      return connect(attempt: attempt + 1, step)
    case (.connecting, .event(.connected)):
      return goOnline(step)
    case (.connecting(let attempt), .event(.connectFailed)), (.connecting(let attempt), .expired(.connect)):
      return attempt == step.parameters.maxAttempts ? giveUp(step) : pause(after: attempt, state.waiting, step)
    case (.online, .event(.connectionLost)):
      return loseConnection(step)
    case (.connecting, .event(.disconnect)), (.backoff, .event(.disconnect)):
      step.disarm(.connect)
      step.disarm(.backoff)
      return .move(to: State(link: .offline, waiting: state.waiting))
    case (.online, .event(.disconnect)):
      fail(state.underWay, .disconnected, step)
      return .move(to: State(link: .offline))

    case (.online, .event(.request(let name, let isIdempotent))):
      guard state.underWay.count < Self.mostUnderWay else {
        return step.refuse("\(Self.mostUnderWay) requests are under way; another may be sent when one has ended")
      }
      var next = state
      next.underWay.append(send(Request(name: name, isIdempotent: isIdempotent ?? true), step))
      return .stayAs(next)
    case (.offline, .event(.request(let name, let isIdempotent))),
      (.connecting, .event(.request(let name, let isIdempotent))),
      (.backoff, .event(.request(let name, let isIdempotent))):
      return hold(Request(name: name, isIdempotent: isIdempotent ?? true), step)
    case (.online, .event(.response(let name))):
      guard let place = place(of: name) else { return dropLate() }
      step.disarm(.request, key: state.underWay[place].number)
      step.emit(.completed(state.underWay[place].request.name))
      return end(place)
    case (.online, .event(.timeout(let name))):
      guard let place = place(of: name) else { return .ignore }
      step.disarm(.request, key: state.underWay[place].number)
      return timeOut(place, step)
    case (.online, .expired(.request)):
      guard let place = state.underWay.firstIndex(where: { $0.number == step.key }) else { return .ignore }
      return timeOut(place, step)

    case (.offline, .event(.response)), (.connecting, .event(.response)), (.backoff, .event(.response)):
      return dropLate()
    case (.offline, .event(.connected)), (.backoff, .event(.connected)), (.online, .event(.connected)),
      (.offline, .event(.connectFailed)), (.backoff, .event(.connectFailed)), (.online, .event(.connectFailed)),
      (.offline, .event(.connectionLost)), (.connecting, .event(.connectionLost)), (.backoff, .event(.connectionLost)),
      (.connecting, .event(.connect)), (.online, .event(.connect)), (.offline, .event(.disconnect)),
      (.offline, .event(.timeout)), (.connecting, .event(.timeout)), (.backoff, .event(.timeout)):
      return .ignore
    case (.offline, .expired), (.online, .expired(.connect)), (.online, .expired(.backoff)),
      (.connecting, .expired(.backoff)), (.connecting, .expired(.request)), (.backoff, .expired(.connect)),
      (.backoff, .expired(.request)):
      return .ignore  // These timers cannot be running there.
    }
  }

  // MARK: The link

  private func connect(attempt: Int, _ step: Step<Self>) -> Reaction<State> {
    step.disarm(.backoff)
    step.arm(.connect, after: step.parameters.connect)
    return .move(to: State(link: .connecting(attempt), waiting: state.waiting))
  }

  private func pause(after attempt: Int, _ waiting: [Request], _ step: Step<Self>) -> Reaction<State> {
    step.disarm(.connect)
    step.arm(.backoff, after: NetworkClient.pause(after: attempt))
    return .move(to: State(link: .backoff(attempt), waiting: waiting))
  }

  private mutating func goOnline(_ step: Step<Self>) -> Reaction<State> {
    step.disarm(.connect)
    return .move(to: State(link: .online, underWay: state.waiting.map { send($0, step) }))
  }

  private func giveUp(_ step: Step<Self>) -> Reaction<State> {
    step.disarm(.connect)
    for request in state.waiting { step.emit(.failed(request.name, .unreachable)) }
    return .move(to: State(link: .offline))
  }

  private func loseConnection(_ step: Step<Self>) -> Reaction<State> {
    fail(state.underWay.filter { !$0.request.isIdempotent }, .lost, step)
    let again = state.underWay.filter(\.request.isIdempotent)
    for sent in again { step.disarm(.request, key: sent.number) }
    return pause(after: 0, again.map(\.request), step)
  }

  // MARK: Requests

  private mutating func send(_ request: Request, _ step: Step<Self>) -> Sent {
    lastNumber += 1
    step.emit(.sent(request.name, number: lastNumber))
    step.arm(.request, key: lastNumber, after: step.parameters.request)
    return Sent(number: lastNumber, request: request)
  }

  private func hold(_ request: Request, _ step: Step<Self>) -> Reaction<State> {
    switch step.parameters.policy {
    case .reject: return step.refuse("blocked: there is no connection")
    case .queue:
      guard state.waiting.count < step.parameters.queueLimit else {
        return step.refuse("blocked: there is no connection, and \(state.waiting.count) requests wait already")
      }
      var next = state
      next.waiting.append(request)
      return .stayAs(next)
    }
  }

  private func place(of name: String) -> Int? {
    state.underWay.firstIndex { $0.request.name == name } ?? state.underWay.firstIndex { "\($0.number)" == name }
  }

  private func timeOut(_ place: Int, _ step: Step<Self>) -> Reaction<State> {
    step.emit(.failed(state.underWay[place].request.name, .timeout))
    return end(place)
  }

  private func end(_ place: Int) -> Reaction<State> {
    var next = state
    next.underWay.remove(at: place)
    return .stayAs(next)
  }

  private func fail(_ lost: [Sent], _ why: Failure, _ step: Step<Self>) {
    for sent in lost {
      step.disarm(.request, key: sent.number)
      step.emit(.failed(sent.request.name, why))
    }
  }

  private mutating func dropLate() -> Reaction<State> {
    lateDropped += 1
    return .ignore
  }

  public func asksFor(_ timer: TimerName) -> Bool {
    switch (timer, state.link) {
    case (.connect, .connecting), (.backoff, .backoff): true
    case (.request, .online): !state.underWay.isEmpty
    case (.connect, _), (.backoff, _), (.request, _): false
    }
  }
}

extension NetworkClient {
  public static let kind = Kind(
    NetworkClient.self, "networkClient", "sends requests while it is connected, and holds them back while it is not",
    origin: """
      a conference talk on state machines in iOS applications has a client that sends or blocks requests as the connection \
      is there or not; attempts, pauses and time-outs are added here, as such clients commonly have them
      """,
    example: [
      "new networkClient c", "send c request A", "send c connect", "advance 10s", "advance 1s", "send c connected",
      "send c connectionLost", "agenda", "show c",
    ],
    states: [
      .offline: "there is no connection, and none is being made",
      .connecting: "the connection is being made; which attempt it is",
      .backoff: "a pause before the next attempt; how many have failed in a row",
      .online: "connected",
    ],
    events: [
      .event(.connect, "a connection is wanted, without waiting any longer"),
      .event(.connected, "the server has accepted"),
      .event(.connectFailed, "the server could not be reached"),
      .event(.connectionLost, "the connection has broken"),
      .event(
        Event.request, .text("name", bytes: 1...256, like: ["A"]), .optional(.flag("idempotent")),
        about: "something is wanted of the server; one that must not be carried out twice says idempotent=off"),
      .event(Event.response, .text("name", bytes: 1...256, like: ["A"]), about: "the server has answered"),
      .event(Event.timeout, .text("name", bytes: 1...256, like: ["A"]), about: "nobody waits for an answer any more"),
      .event(.disconnect, "no connection is wanted any more"),
    ],
    timers: [
      .connect: .after("connect", "the attempt has taken too long"),
      .backoff: .computed("the pause is over: 1, 2, 4, 8, 16 s, then 30 s"),
      .request: .after("request", "the answer has not come").keyed("request"),
    ],
    outputs: [
      .sent: .output(("name", .requestName), ("number", .count), about: "a request goes out, under its running number"),
      .completed: .output(("name", .requestName), about: "a request was answered"),
      .failed: .output(
        ("name", .requestName), ("why", .choice(Failure.allCases.map(\.rawValue))), about: "a request is given up"),
    ],
    readings: [
      .reading("waiting", .count, "requests that are held back") { machine, _, _ in machine.state.waiting.count },
      .reading("underWay", .count, "requests without an answer") { machine, _, _ in machine.state.underWay.count },
      .reading("lateDropped", .count, "answers that came too late") { machine, _, _ in machine.lateDropped },
    ],
    parameters: [
      .parameter("connect", \.connect, .delay, "how long an attempt may take"),
      .parameter("request", \.request, .delay, "how long the server may take to answer"),
      .parameter("maxAttempts", \.maxAttempts, .integer(0...1_000_000), "how many attempts are made; 0 is no limit"),
      .parameter(
        "policy", \.policy, .choice(Policy.allCases.map(\.rawValue)),
        "queue lets requests wait for the connection, reject refuses them"),
      .parameter("queueLimit", \.queueLimit, .integer(0...10_000), "how many requests may wait"),
    ])
}

extension ValueType {
  fileprivate static let requestName = ValueType.text(bytes: 1...256)
}
