public import MachineForms
public import StateMachines

/// A list that is loaded page by page, refreshed as a whole, and usable while more of it is loaded.
///
/// The rule is a ``PaginationFeature``; the machine adds the service that fetches. The wishes by state, where *refused*
/// means an actor without effects:
///
/// | state | load(false) | load(true) | refresh | select(20) | changedOnServer | itemsDidLoad expires | itemsLoadingDidFail expires |
/// | --- | --- | --- | --- | --- | --- | --- | --- |
/// | initial | → loading | refused | → loading | refused | ignored | – | – |
/// | loading | refused | refused | refused | refused | ignored | → content(20) | – |
/// | content | → loading | → content.nextPageLoading | → content.refreshing | stayed > selected 20 | ignored | – | – |
/// | last page | → loading | refused | → content.refreshing | stayed > selected 20 | ignored | – | – |
/// | refreshing | refused | refused | refused | stayed > selected 20 | ignored | → content(20) | – |
/// | nextPageLoading | refused | refused | refused | stayed > selected 20 | ignored | → content(40) | – |
/// | nextPageLoadingError | → loading | → content.nextPageLoading | → content.refreshing | stayed > selected 20 | ignored | – | – |
/// | error | refused | refused | → loading | refused | ignored | – | – |
///
/// A result leads to content(n): a first page replaces the items, and a next page is added to those present when it was
/// requested. A failed next page leads to content.nextPageLoadingError, and any other failure to error(e). A failed
/// refresh therefore loses the items, unless `keepOnRefreshError` keeps them and reports a toast. The reading
/// `elements` is the number of items in all states of `content`.
///
/// The row of `error` has a surprise: a button *Try again* that sends load(false) does nothing, because an error
/// forbids loading. The button must send refresh.
///
/// With `outside=on` the bootstrapper has subscribed to a server: it makes a refresh of each changedOnServer. The actor
/// takes it or not, as that of a person; if it does not, the report stays without effect, and is not refused, because the
/// server makes no mistake. Without `outside` changedOnServer is ignored.
///
/// With `service=manual` a page of at least `pageSize` elements is taken to have a next one. An answer that is sent
/// while the simulated service works replaces its answer; an answer that is not awaited is ignored.
///
/// Chosen here: `select`, whose news is the number of the shown element that is wanted, counted from 1; and which
/// errors forbid loading, which the source does not define. Here it is an error of the first page and, with `strict`,
/// also that of a next page, after which only a refresh recovers.
public struct Pagination: Machine {
  public typealias State = FeatureStore<PaginationFeature>

  public enum Event: MachineEvent {
    case load(Bool)
    case refresh
    case select(Int)
    /// Only the simulated service tells whether it is the last page.
    case itemsDidLoad(Int, isLast: Bool?)
    case itemsLoadingDidFail(String)
    case changedOnServer
  }

  public enum Output: OutputWithData {
    case toast(String), selected(Int), effect(String), state(String), bootstrapper(String)

    public enum Name: NamedCases { case toast, selected, effect, state, bootstrapper }
  }

  public struct Parameters: ServedParameters {
    var service = SimulatedService(latency: .seconds(1), items: 45)
    var pageSize = 20
    var strict = false
    var keepOnRefreshError = false
    var outside = false
    public init() {}

    var feature: PaginationFeature {
      PaginationFeature(isStrict: strict, keepsOnRefreshError: keepOnRefreshError)
    }

    /// The number of elements that the service has on a page.
    func count(onPage page: Int) -> Int { max(0, min(pageSize, service.items - page * pageSize)) }

    func isLast(_ page: Int) -> Bool { (page + 1) * pageSize >= service.items }
  }

  /// Turns news into outputs, and lets the simulated service decide its answer to an open stream.
  private struct Host: FeatureListener {
    typealias Subject = PaginationFeature
    let step: Step<Pagination>
    var isFailing: Bool

    mutating func hear(news: PaginationFeature.News, from store: inout State, _ feature: PaginationFeature) {
      switch news {
      case .toast(let text): step.emit(.toast(text))
      case .selected(let number): step.emit(.selected(number))
      }
    }

    mutating func hear(effect: PaginationFeature.Effect, of wish: PaginationFeature.Wish) {
      step.emit(.effect(caseName(of: effect)))
    }

    mutating func hear(state: PaginationFeature.State) { step.emit(.state(state.printed)) }

    mutating func hear(bootstrapped wish: PaginationFeature.Wish) { step.emit(.bootstrapper(caseName(of: wish))) }

    mutating func hear(open stream: State.Stream) {
      let service = step.parameters.service
      isFailing = service.isAutomatic && service.fails(request: stream.key, step)
    }
  }

  /// The simulated service's error text.
  private static let offline = "offline"

  public var state = State(.initial, of: PaginationFeature())
  /// Whether the request under way is going to fail.
  private var isFailing = false
  public init() {}

  /// A machine that is made in a state of `content` shows the service's first page. The error of a failed one is
  /// `offline`.
  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    let parameters = step.parameters
    switch name {
    case .initial: return state
    case .loading: return accept(.load(isNextPage: false), step)
    case .content, .refreshing, .nextPageLoading, .nextPageLoadingError:
      let items = PaginationFeature.Items(
        elements: parameters.count(onPage: 0), nextPageIndex: parameters.isLast(0) ? nil : 1)
      let option = name == .nextPageLoadingError ? PaginationFeature.Option.nextPageLoadingError(Self.offline) : nil
      state = State(.content(items, option), of: parameters.feature)
      if name == .refreshing { return accept(.refresh, step) }
      return name == .nextPageLoading ? accept(.load(isNextPage: true), step) : state
    case .error: return State(.error(Self.offline), of: parameters.feature)
    }
  }

  /// The answer of the simulated service.
  public func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    let service = parameters.service
    guard service.isAutomatic, let stream = state.streams.first else { return .none }
    if isFailing { return .after(service.latency, .itemsLoadingDidFail(Self.offline)) }
    let page = parameters.feature.page(of: stream)
    return .after(
      service.latency, .itemsDidLoad(parameters.count(onPage: page), isLast: parameters.isLast(page)))
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    let parameters = step.parameters
    switch event {
    case .load(let isNextPage): return take(.load(isNextPage: isNextPage), step)
    case .refresh: return take(.refresh, step)
    case .select(let number): return take(.select(number), step)
    case .itemsDidLoad(let count, let isLast):
      return answer(step) {
        .itemsDidLoad(parameters.feature.merged($0, count: count, isLast: isLast ?? (count < parameters.pageSize)))
      }
    case .itemsLoadingDidFail(let error):
      return answer(step) { .itemsLoadingDidFail(error, isPaginationError: $0.action == .load(isNextPage: true)) }
    case .changedOnServer:
      guard step.when("outside", parameters.outside) else { return .ignore }
      var next = state
      var host = Host(step: step, isFailing: isFailing)
      guard next.report(.listChanged, by: parameters.feature, to: &host) else { return .stay }
      isFailing = host.isFailing
      return .move(to: next)
    }
  }

  private mutating func take(_ wish: PaginationFeature.Wish, _ step: Step<Self>) -> Reaction<State> {
    if let reason = step.parameters.feature.refusal(of: wish, in: state.state) { return step.refuse(reason) }
    let next = accept(wish, step)
    return next == state ? .stay : .move(to: next)
  }

  private mutating func accept(_ wish: PaginationFeature.Wish, _ step: Step<Self>) -> State {
    var next = state
    var host = Host(step: step, isFailing: isFailing)
    next.accept(wish, by: step.parameters.feature, to: &host)
    isFailing = host.isFailing
    return next
  }

  /// Delivers the effect of the request under way. An answer without a request is ignored.
  private func answer(_ step: Step<Self>, _ effect: (State.Stream) -> PaginationFeature.Effect) -> Reaction<State> {
    guard let stream = state.streams.first else { return .ignore }
    var next = state
    var host = Host(step: step, isFailing: isFailing)
    next.deliver(effect(stream), from: stream.key, by: step.parameters.feature, to: &host)
    return .move(to: next)
  }
}

extension ValueType {
  /// A service's error text.
  fileprivate static let failure = ValueType.text(bytes: 1...256)
}

extension Pagination {
  public static let kind = Kind(
    Pagination.self, "pagination", "a list that is loaded page by page",
    form: .feature,
    origin: "the code of a talk on MVI; refresh and the merging of pages, which it omits, are designed here",
    source: "slides",
    parts: FeatureParts(
      wishes: ["load", "refresh", "select"], signals: ["changedOnServer"], bootstrapper: ["refresh"],
      effects: [
        "itemsLoadingDidStart", "itemsRefreshingDidStart", "itemsDidLoad", "itemsLoadingDidFail", "itemSelected",
      ],
      news: ["toast", "selected"]),
    example: [
      "new pagination p", "send p load false", "advance 1s", "send p load true", "send p refresh", "advance 1s",
      "send p refresh", "advance 1s", "show p",
    ],
    states: {
      switch $0 {
      case .initial: "nothing was requested"
      case .loading: "the first page is being loaded, and nothing is shown"
      case .content: "this many elements are shown, and nothing is being loaded"
      case .refreshing: "elements are shown while the list is reloaded"
      case .nextPageLoading: "elements are shown while the next page is loaded"
      case .nextPageLoadingError: "elements are shown, and loading the next page has failed"
      case .error: "loading has failed, for this reason; only refresh loads again"
      }
    },
    events: [
      .event(Event.load, .flag("isNextPage"), about: "loads the next page (true), or the first one alone"),
      .event(.refresh, "reloads the list while its elements are shown"),
      .event(
        Event.select, .integer("number", 1...1_000_000_000, like: [1, 1_000_000_000]),
        about: "opens one of the shown elements"),
      .event(
        { Event.itemsDidLoad($0, isLast: nil) }, .count("elements"),
        about: "the service has sent a page with this many elements"),
      .event(
        Event.itemsLoadingDidFail, .text("error", bytes: 1...256, like: ["offline"]),
        about: "the request for a page has failed"),
      .event(.changedOnServer, "a server reports to the bootstrapper that the list has changed; only with outside=on"),
    ],
    timers: [
      .timer(.itemsDidLoad(0, isLast: nil), after: "latency", "the service sends the requested page"),
      .timer(.itemsLoadingDidFail(""), after: "latency", "the request for a page fails"),
    ],
    outputs: {
      switch $0 {
      case .toast: .output(("text", .failure), about: "a refresh has failed; the elements are kept")
      case .selected: .output(("number", .integer(1...1_000_000_000)), about: "an element to open")
      case .effect: .featureEffect
      case .state: .featureState
      case .bootstrapper: .featureBootstrapper
      }
    },
    readings: [
      .reading("isProcessing", .flag, \.state.state.isProcessing, "whether a page is being loaded"),
      .reading("canLoadNextPage", .flag, \.state.state.canLoadNextPage, "whether there is a next page"),
      .reading("loadingError", .failure, "the error that forbids loading") { machine, _, parameters in
        parameters.feature.loadingError(of: machine.state.state)
      },
      .reading("pageError", .failure, \.state.state.pageError, "why loading the next page has failed"),
      .reading("elements", .count, \.state.state.items?.elements, "the number of shown elements"),
      .reading("nextPageIndex", .count, \.state.state.items?.nextPageIndex, "the next page, from 0"),
    ],
    parameters: [
      .parameter("pageSize", \.pageSize, .integer(1...1_000_000), "the number of elements on a page"),
      Parameters.itemsForm("the total number of elements"),
      .parameter("strict", \.strict, "on: after a failed next page, too, only refresh loads again"),
      .parameter("keepOnRefreshError", \.keepOnRefreshError, "on: a failed refresh keeps the elements"),
      .parameter("outside", \.outside, "on: the bootstrapper has subscribed to a server's reports"),
    ] + Parameters.serviceForms)
}
