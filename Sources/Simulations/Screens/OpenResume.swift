public import MachineForms
public import StateMachines

/// A résumé screen: it loads a résumé by its number, shows it, marks it as viewed, and tells the app where to go.
///
/// The rule is an ``OpenResumeFeature``; the machine adds the service that fetches. The actions by state:
///
/// | state \ action | open(id) | retry | close | changedOutside(id) | markViewed(id) |
/// | --- | --- | --- | --- | --- | --- |
/// | closed | → loading(id) | ignored | ignored | ignored | ignored |
/// | loading(x) | another: → loading(id) | ignored | → closed | ignored | ignored |
/// | shown(x,…) | another: → loading(id) | ignored | → closed | the same: stayed, loads anew | the same: → shown(x,viewed) |
/// | failed(x,e) | → loading(id) | → loading(x) | → closed | ignored | ignored |
///
/// open of the résumé that is loading or shown is ignored, and so is an action with another number in the last two
/// columns.
///
/// A loaded résumé is shown. The post-processor then sends markViewed in the same step. The news is `route`, which
/// carries the number as text, as coordinators take it. A failed load is a `toast`, and closing is a `closeScreen`.
///
/// Chosen here: the table, because only the title of this machine is published, and these rules:
///
/// - Any number of loads run side by side, each a timer with the number of its request. The result of an open or a
///   retry counts only while that résumé is being loaded, and the result of a changedOutside only while that résumé is
///   shown. Other results are dropped, and counted in `lateDropped`.
/// - `retry` continues the open that failed, so its result is routed too. A new version after changedOutside is not
///   routed.
/// - A new version that cannot be loaded changes nothing, and is not reported.
/// - A newly loaded version is not viewed yet, even if the version before it was.
///
/// With `outside=on` the bootstrapper has subscribed to a server: it makes the action changedOutside(id) of each
/// changedOnServer(id), which stays, whether or not the actor does something. Without it changedOnServer is ignored, and
/// changedOutside can still be sent by hand.
///
/// With `mode=hardened` a résumé that is shown is closed before another is opened, and the news `closeScreen` says so. In
/// the faithful mode the screen of the old résumé stays while the new one loads, and a coordinator that allows no way
/// from one résumé to another refuses the `route` to the new one: the screen shows a résumé that the coordinator does
/// not know of.
///
/// With `order=queued`, markViewed is handled after the news instead of before it. Here the result is the same, because
/// markViewed has no news.
public struct OpenResume: Machine {
  public typealias State = FeatureStore<OpenResumeFeature>

  public enum Event: MachineEvent {
    case open(Int), retry, close
    case changedOutside(Int), markViewed(Int)
    case loaded(Int), failed(Int, String)
    case changedOnServer(Int)
  }

  public enum Output: OutputWithData {
    case route(Int), toast(String), closeScreen
    case effect(String), state(String), action(String), bootstrapper(String)

    public enum Name: NamedCases { case route, toast, closeScreen, effect, state, action, bootstrapper }

    public var data: [Value] {
      switch self {
      case .route(let id): [.text("\(id)")]
      case .toast(let text), .effect(let text), .state(let text), .action(let text), .bootstrapper(let text):
        [.text(text)]
      case .closeScreen: []
      }
    }
  }

  public enum Mode: String, Choice { case faithful, hardened }

  public struct Parameters: ServedParameters {
    var order = FeatureOrder.recursive
    var mode = Mode.faithful
    var outside = false
    var service = SimulatedService(latency: .seconds(1))
    public init() {}

    var feature: OpenResumeFeature { OpenResumeFeature(closesFirst: mode == .hardened) }
  }

  /// The most loads that may run side by side.
  public static let mostLoads = 100

  /// Turns news into outputs, and open streams into requests to the simulated service.
  private struct Host: FeatureListener {
    typealias Subject = OpenResumeFeature
    let step: Step<OpenResume>

    mutating func hear(news: OpenResumeFeature.News, from store: inout State, _ feature: OpenResumeFeature) {
      switch news {
      case .route(let id): step.emit(.route(id))
      case .toast(let text): step.emit(.toast(text))
      case .closeScreen: step.emit(.closeScreen)
      }
    }

    mutating func hear(effect: OpenResumeFeature.Effect, of action: OpenResumeFeature.Action) {
      step.emit(.effect(caseName(of: effect)))
    }

    mutating func hear(state: OpenResumeFeature.State) { step.emit(.state(state.printed)) }

    mutating func hear(action: OpenResumeFeature.Action) { step.emit(.action(caseName(of: action))) }

    mutating func hear(bootstrapped action: OpenResumeFeature.Action) {
      step.emit(.bootstrapper(caseName(of: action)))
    }

    mutating func hear(open stream: State.Stream) {
      let service = step.parameters.service
      guard service.isAutomatic else { return }
      let fails = service.fails(request: stream.key, step)
      step.arm(fails ? .failed(0, OpenResume.offline) : .loaded(0), key: stream.key, after: service.latency)
    }
  }

  /// The simulated service's error text.
  private static let offline = "offline"

  public var state = State(.closed, of: OpenResumeFeature())
  @Incidental private var lateDropped = 0
  public init() {}

  /// A machine that is made in a state after `closed` has résumé 1.
  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    func made(in state: OpenResumeFeature.State) -> State {
      State(state, of: step.parameters.feature, order: step.parameters.order)
    }
    switch name {
    case .closed: return made(in: .closed)
    case .loading:
      var store = made(in: .closed)
      var host = Host(step: step)
      store.accept(.open(1), by: step.parameters.feature, to: &host)
      return store
    case .shown: return made(in: .shown(.init(id: 1, isViewed: false)))
    case .failed: return made(in: .failed(1, error: Self.offline))
    }
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .open(let id): take(.wish(.open(id)), step)
    case .retry: take(.wish(.retry), step)
    case .close: take(.wish(.close), step)
    case .changedOutside(let id): take(.changedOutside(id), step)
    case .markViewed(let id): take(.markViewed(id), step)
    case .loaded(let id): answer(id, step) { .loaded(.init(id: $0, isViewed: false)) }
    case .failed(let id, let error): answer(id, step) { .failed($0, error: error) }
    case .changedOnServer(let id):
      if step.when("outside", step.parameters.outside) { hear(.resumeChanged(id), step) } else { .ignore }
    }
  }

  private func hear(_ signal: OpenResumeFeature.Signal, _ step: Step<Self>) -> Reaction<State> {
    var next = state
    var host = Host(step: step)
    guard next.report(signal, by: step.parameters.feature, to: &host) else { return .stay }
    return next.streams.count > Self.mostLoads ? .stay : .stayAs(next)
  }

  private func take(_ action: OpenResumeFeature.Action, _ step: Step<Self>) -> Reaction<State> {
    var next = state
    var host = Host(step: step)
    guard next.act(action, by: step.parameters.feature, to: &host) else { return .ignore }
    if next.streams.count > Self.mostLoads {
      return step.refuse("\(Self.mostLoads) loads are under way, which is the limit")
    }
    switch action {
    case .wish, .markViewed: return .move(to: next)
    case .changedOutside: return .stayAs(next)
    }
  }

  /// Takes an answer to the request whose timer has expired or, if it was sent by hand, to the oldest awaited request
  /// for this résumé. If none is awaited, the answer is dropped, and a simulated service goes on with its request.
  private mutating func answer(
    _ id: Int, _ step: Step<Self>, _ effect: (_ id: Int) -> OpenResumeFeature.Effect
  ) -> Reaction<State> {
    let feature = step.parameters.feature
    let isByHand = step.key == 0
    let streams = state.streams.filter { isByHand ? feature.id(of: $0) == id : $0.key == step.key }
    guard let awaited = streams.first(where: { feature.isAwaited($0, in: state.state) }) else {
      if let late = streams.first, !isByHand || !step.parameters.service.isAutomatic { state.finish(late.key) }
      lateDropped += 1
      return .ignore
    }
    if isByHand {
      step.disarm(.loaded(id), key: awaited.key)
      step.disarm(.failed(id, Self.offline), key: awaited.key)
    }
    let effect = effect(feature.id(of: awaited) ?? id)
    var next = state
    if case (.changedOutside, .failed) = (awaited.action, effect) {
      next.finish(awaited.key)
      return .stayAs(next)
    }
    var host = Host(step: step)
    next.deliver(effect, from: awaited.key, by: feature, to: &host)
    return .move(to: next)
  }
}

extension ValueType {
  /// The name of a screen's item, as a coordinator takes it: a résumé's number as text.
  fileprivate static let screen = ValueType.text(bytes: 1...64)
}

extension Argument where A == Int {
  /// The number of a résumé: the one that `start` uses, and another.
  fileprivate static var resume: Argument { .integer("id", 0...1_000_000_000, like: [1, 2]) }
}

extension OpenResume {
  public static let kind = Kind(
    OpenResume.self, "resume", "a résumé screen: loads a résumé, shows it, marks it as viewed",
    form: .feature,
    origin: "the example of a talk on MVI, which gives its title and its parts; the table is designed here",
    source: "slides",
    parts: FeatureParts(
      wishes: ["open", "retry", "close"], signals: ["changedOnServer"], bootstrapper: ["changedOutside"],
      effects: ["started", "loaded", "failed", "viewed", "closed"], postProcessor: ["markViewed"],
      news: ["route", "toast", "closeScreen"]),
    example: [
      "new resume r", "send r open 7", "advance 1s", "send r changedOutside 7", "send r open 8", "agenda", "advance 1s",
      "send r close", "show r",
    ],
    states: {
      switch $0 {
      case .closed: "no résumé is open"
      case .loading: "this résumé is being loaded"
      case .shown: "this résumé is shown"
      case .failed: "loading this résumé has failed, for this reason"
      }
    },
    events: [
      .event(Event.open, .resume, about: "opens a résumé; ignored if it is open or being loaded"),
      .event(.retry, "loads a résumé again after a failure"),
      .event(.close, "closes the résumé"),
      .event(Event.changedOutside, .resume, about: "this résumé has changed on the server"),
      .event(Event.markViewed, .resume, about: "the post-processor's action: this résumé was viewed"),
      .event(Event.loaded, .resume, about: "the service has sent this résumé"),
      .event(
        Event.failed, .resume, .text("error", bytes: 1...256, like: ["offline"]),
        about: "the request for this résumé has failed"),
      .event(
        Event.changedOnServer, .resume,
        about: "a server reports to the bootstrapper that this résumé has changed; only with outside=on"),
    ],
    timers: [
      .timer(.loaded(0), after: "latency", keyed: "request", "the service sends the requested résumé"),
      .timer(.failed(0, offline), after: "latency", keyed: "request", "the request fails"),
    ],
    outputs: {
      switch $0 {
      case .route: .output(("id", .screen), about: "the opened résumé is loaded: show its screen")
      case .toast: .output(("text", .text(bytes: 1...256)), about: "loading the opened résumé has failed")
      case .closeScreen: "the résumé is closed: leave its screen"
      case .effect: .featureEffect
      case .state: .featureState
      case .action: .featureAction
      case .bootstrapper: .featureBootstrapper
      }
    },
    readings: [
      .reading("loads", .integer(0...mostLoads), \.state.streams.count, "the number of requests under way"),
      .reading("lateDropped", .count, \.lateDropped, "the number of answers that came too late"),
    ],
    parameters: [
      .order,
      .parameter("mode", \.mode, "hardened closes a résumé that is shown before it opens another"),
      .parameter("outside", \.outside, "on: the bootstrapper has subscribed to a server's reports"),
    ] + Parameters.serviceForms)
}

extension ParameterForm<OpenResume.Parameters> {
  fileprivate static var order: Self {
    .parameter("order", \.order, "when the post-processor's action is handled: at once, or after the news")
  }
}
