public import MachineForms
public import StateMachines

/// Opens a résumé by its number: loads it, shows it, marks it as viewed, and tells the app where to go.
///
/// The rule is an ``OpenResumeFeature``; the machine adds the service that fetches. Actions by state:
///
/// | state \ action | open(id) | retry | close | changedOutside(id) | markViewed(id) |
/// | --- | --- | --- | --- | --- | --- |
/// | closed | → loading(id) | ignored | ignored | ignored | ignored |
/// | loading(x) | another: → loading(id) | ignored | → closed | ignored | ignored |
/// | shown(x,…) | another: → loading(id) | ignored | → closed | the same: stayed, loads anew | the same: → shown(x,viewed) |
/// | failed(x,e) | → loading(id) | → loading(x) | → closed | ignored | ignored |
///
/// What has come is shown; the post-processor then sends markViewed by itself, in the same step, and the news are
/// `route`, which carries the number as text, as coordinators take it. Loading that fails is a `toast`, closing a `closeScreen`.
///
/// Only the title of this machine is known from where it comes; the table is made up to fit. Chosen here:
///
/// - Any number of loads run side by side, each a timer with the running number of its request. A load that was begun
///   by open or retry counts only while that résumé is being loaded, one begun by changedOutside only while
///   that résumé is shown; other results are dropped, and counted in `lateDropped`.
/// - `retry` goes on with the open that failed: its result is routed to as well. A new version that comes in silence is not.
/// - A new version that cannot be loaded changes nothing, and nobody is told.
/// - A version that has just come is not viewed yet, also when the one before it was.
///
/// With `order=queued`, markViewed is taken up after the news instead of before them. Here nobody can tell the two apart:
/// markViewed has no news.
public struct OpenResume: LegacyMachine {
  public typealias State = FeatureStore<OpenResumeFeature>

  public enum Event: Sendable {
    case open(Int)
    case retry
    case close
    case changedOutside(Int)
    case markViewed(Int)
    case loaded(Int)
    case failed(Int, String)
  }

  public enum TimerName: NamedCases { case loaded, failed }

  public enum Output: OutputWithData {
    case route(Int)
    case toast(String)
    case closeScreen

    public enum Name: NamedCases { case route, toast, closeScreen }

    public var name: Name {
      switch self {
      case .route: .route
      case .toast: .toast
      case .closeScreen: .closeScreen
      }
    }

    public var data: [Value] {
      switch self {
      case .route(let id): [.text("\(id)")]
      case .toast(let text): [.text(text)]
      case .closeScreen: []
      }
    }
  }

  public struct Parameters: ServedParameters {
    var order = FeatureOrder.recursive
    var service = SimulatedService(latency: .seconds(1))
    public init() {}
  }

  /// How many loads may run side by side.
  public static let mostLoads = 100

  /// Turns news into outputs, and open streams into requests to the simulated service.
  private struct Host: FeatureListener {
    typealias Subject = OpenResumeFeature
    let step: Step<OpenResume>
    /// How many requests there have been.
    var requests: Int

    mutating func hear(news: OpenResumeFeature.News, from store: inout State, _ feature: OpenResumeFeature) {
      switch news {
      case .route(let id): step.emit(.route(id))
      case .toast(let text): step.emit(.toast(text))
      case .closeScreen: step.emit(.closeScreen)
      }
    }

    mutating func hear(open stream: State.Stream) {
      requests += 1
      let service = step.parameters.service
      guard service.isAutomatic else { return }
      step.arm(service.fails(request: requests, step) ? .failed : .loaded, key: stream.key, after: service.latency)
    }
  }

  public var state: State
  private var requests = 0
  private var lateDropped = 0

  /// A machine that is made in a later state than `closed` has to do with résumé 1.
  public init(initial: State.Name?, _ step: Step<Self>) {
    let feature = OpenResumeFeature()
    let order = step.parameters.order
    switch initial ?? .closed {
    case .closed: state = State(.closed, of: feature, order: order)
    case .loading:
      state = State(.closed, of: feature, order: order)
      var host = Host(step: step, requests: 0)
      state.accept(.open(1), by: feature, to: &host)
      requests = host.requests
    case .shown: state = State(.shown(.init(id: 1, isViewed: false)), of: feature, order: order)
    case .failed: state = State(.failed(1, error: "offline"), of: feature, order: order)
    }
  }

  public mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch input {
    case .event(.open(let id)): return take(.wish(.open(id)), step)
    case .event(.retry): return take(.wish(.retry), step)
    case .event(.close): return take(.wish(.close), step)
    case .event(.changedOutside(let id)): return take(.changedOutside(id), step)
    case .event(.markViewed(let id)): return take(.markViewed(id), step)
    case .event(.loaded(let id)):
      return answer(id, .loaded(.init(id: id, isViewed: false)), step)
    case .event(.failed(let id, let error)):
      return answer(id, .failed(id, error: error), step)
    case .expired(.loaded):
      guard let stream = state.stream(of: step.key), let id = OpenResumeFeature().id(of: stream) else { return .ignore }
      return finish(stream, .loaded(.init(id: id, isViewed: false)), step)
    case .expired(.failed):
      guard let stream = state.stream(of: step.key), let id = OpenResumeFeature().id(of: stream) else { return .ignore }
      return finish(stream, .failed(id, error: "offline"), step)
    }
  }

  private mutating func take(_ action: OpenResumeFeature.Action, _ step: Step<Self>) -> Reaction<State> {
    var effects = Effects<OpenResumeFeature.Effect>()
    OpenResumeFeature().actor(state.state, action, &effects)
    if effects.isOpen && state.streams.count == Self.mostLoads {
      return step.refuse("\(Self.mostLoads) loads are under way; another may begin when one of them has ended")
    }
    var host = Host(step: step, requests: requests)
    var next = state
    guard next.act(action, by: OpenResumeFeature(), to: &host) else { return .ignore }
    requests = host.requests
    return effects.immediate.isEmpty ? .stayAs(next) : .move(to: next)
  }

  /// Takes an answer by hand: it belongs to the oldest request for this résumé that is awaited. Where none is, it is
  /// dropped, and a simulated service that is still at work on one goes on.
  private mutating func answer(
    _ id: Int, _ effect: OpenResumeFeature.Effect, _ step: Step<Self>
  ) -> Reaction<State> {
    let feature = OpenResumeFeature()
    let streams = state.streams.filter { feature.id(of: $0) == id }
    let isAutomatic = step.parameters.service.isAutomatic
    guard let awaited = streams.first(where: { feature.isAwaited($0, in: state.state) }) else {
      if let late = streams.first, !isAutomatic { state.finish(late.key) }
      return drop()
    }
    if isAutomatic {
      step.disarm(.loaded, key: awaited.key)
      step.disarm(.failed, key: awaited.key)
    }
    return finish(awaited, effect, step)
  }

  private mutating func finish(
    _ stream: State.Stream, _ effect: OpenResumeFeature.Effect, _ step: Step<Self>
  ) -> Reaction<State> {
    let feature = OpenResumeFeature()
    guard feature.isAwaited(stream, in: state.state) else {
      state.finish(stream.key)  // The feature's state is as it was; only the request is over.
      return drop()
    }
    var next = state
    if case (.changedOutside, .failed) = (stream.action, effect) {
      next.finish(stream.key)
      return .stayAs(next)
    }
    var host = Host(step: step, requests: requests)
    next.deliver(effect, from: stream.key, by: feature, to: &host)
    return .move(to: next)
  }

  private mutating func drop() -> Reaction<State> {
    lateDropped += 1
    return .ignore
  }

  public func asksFor(_ timer: TimerName) -> Bool { !state.streams.isEmpty }
}

extension ValueType {
  /// What a coordinator takes for the name of a screen's item: here a résumé's number, as text.
  fileprivate static let screen = ValueType.text(bytes: 1...64)
}

extension Argument where A == Int {
  /// The number of a résumé: the one of a machine that was made in a later state, and another.
  fileprivate static var resume: Argument { .integer("id", 0...1_000_000_000, like: [1, 2]) }
}

extension OpenResume {
  public static let kind = Kind(
    OpenResume.self, "resume", "opens a résumé: loads it, shows it, marks it as viewed",
    form: .feature,
    origin: """
      the example by which a talk on MVI walks through all parts of a feature; the talk gives its title and its parts, \
      and the table is made up to fit them
      """,
    example: [
      "new resume r", "send r open 7", "advance 1s", "send r changedOutside 7", "send r open 8", "agenda", "advance 1s",
      "send r close", "show r",
    ],
    states: [
      .closed: "no résumé is wanted",
      .loading: "the résumé with this number is on its way",
      .shown: "the résumé with this number is shown, and viewed or not",
      .failed: "the résumé with this number could not be had, for this reason",
    ],
    events: [
      .event(Event.open, .resume, about: "the wish for a résumé; ignored for the one that is there or on its way"),
      .event(.retry, "the wish to try once more what failed"),
      .event(.close, "the wish to be done with it"),
      .event(Event.changedOutside, .resume, about: "from outside: this résumé has another version"),
      .event(Event.markViewed, .resume, about: "the post-processor's own action: this résumé has been seen"),
      .event(Event.loaded, .resume, about: "the service: this résumé has come"),
      .event(
        Event.failed, .resume, .text("error", bytes: 1...256, like: ["offline"]),
        about: "the service: this résumé cannot be had"),
    ],
    timers: [
      .loaded: .after("latency", "the résumé of a request comes").keyed("request"),
      .failed: .after("latency", "the résumé of a request turns out not to be had").keyed("request"),
    ],
    outputs: [
      .route: .output(("id", .screen), about: "the résumé that was to be opened is there: show its screen"),
      .toast: .output(("text", .text(bytes: 1...256)), about: "the résumé that was to be opened cannot be had"),
      .closeScreen: .output(about: "it is closed: leave its screen"),
    ],
    readings: [
      .reading("loads", .integer(0...mostLoads), "how many requests are under way") { machine, _, _ in
        machine.state.streams.count
      },
      .reading("lateDropped", .integer(0...Int.max), "how many answers nobody waited for any more") { machine, _, _ in
        machine.lateDropped
      },
    ],
    parameters: [.order] + Parameters.serviceForms)
}

extension ParameterForm<OpenResume.Parameters> {
  fileprivate static var order: Self {
    .parameter(
      "order", \.order, .choice(FeatureOrder.allCases.map(\.rawValue)),
      "when the post-processor's action is taken up: at once, or behind the news")
  }
}
