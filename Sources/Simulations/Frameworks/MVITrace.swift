public import MachineForms
public import StateMachines

/// A feature that emits an output at each call of its parts, to show the order of the calls.
///
/// Its state is a number, which the reducer increases, and the number of slow wishes under way. `s0`, `s1`, … are its
/// states in the order of their making. The wishes:
///
/// | wish | effects | post-processor | news |
/// | --- | --- | --- | --- |
/// | chain | E1; of the action P: E2 | P after E1 | N1 of E1, N2 of E2 |
/// | slow | started at once, finished after `latency`: +5 | | |
/// | fast | added: +100 | | |
/// | several | E3 and E4 at once: +1 each | | N3, N4 |
/// | loop | looped | | L, whose listener sends second and third |
/// | second, third | the effect of the same name | | |
/// | same | unchanged; a state is still emitted | | |
/// | nothing | none, and no part but the actor is called | | |
///
/// A wish with effects is *moved*, and `nothing` is *stayed*. With `order=recursive` the action P is completed before
/// N1 is published, so N2 comes first, and N1 still has s1; with `order=queued`, N1 comes first. A second slow wish
/// does not wait for the first. `subscribe` repeats the present state, and no news. With `bootstrap=on` two actions of
/// the bootstrapper (+1, +2) run before anybody can subscribe, and a subscriber gets only the state after both. After
/// `dispose` everything is dropped, including the work under way.
public struct MVITrace: Machine {
  public enum Wish: String, Choice {
    case chain = "I"
    case slow, fast, several
    case loop = "W1"
    case second = "W2"
    case third = "W3"
    case same, nothing
  }

  public enum Event: MachineEvent {
    case wish(Wish)
    case subscribe
    case dispose
    case finished
  }

  public struct State: StateWithData {
    var store: FeatureStore<Tracing>

    public enum Name: NamedCases { case idle, loading, disposed }

    public var name: Name {
      if store.isDisposed { return .disposed }
      return store.state.loads == 0 ? .idle : .loading
    }

    public var data: String? { "\(store.state.total)" }
    public static var carriesData: Bool { true }
  }

  /// A call of a part with its arguments, or what a subscriber gets.
  public struct Output: OutputWithData {
    public enum Name: NamedCases { case bootstrapper, actor, reducer, state, postProcessor, news }

    public let name: Name
    public let data: [Value]
  }

  public struct Parameters: ParameterSet {
    var order = FeatureOrder.recursive
    var bootstrap = false
    var initialCount = 100
    var latency = Duration.seconds(1)
    public init() {}
  }

  /// The most slow wishes that may be under way.
  public static let mostLoads = 100

  /// The subscriber: it emits the states, turns open streams into timers, and answers the news L with two wishes.
  private struct Host: FeatureListener {
    typealias Subject = Tracing
    let step: Step<MVITrace>

    mutating func hear(state: Tracing.State) {
      step.say(state)
    }

    mutating func hear(news: Tracing.News, from store: inout FeatureStore<Tracing>, _ feature: Tracing) {
      step.say(.news, .text(news.word), news.state.number)
      guard news.word == "L" else { return }
      store.accept(.second, by: feature, to: &self)
      store.accept(.third, by: feature, to: &self)
    }

    mutating func hear(open stream: FeatureStore<Tracing>.Stream) {
      step.arm(.finished, key: stream.key, after: step.parameters.latency)
    }
  }

  public var state = State(store: FeatureStore(Tracing.State(total: 100)))
  public init() {}

  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    let tracing = Tracing(step: step)
    var host = Host(step: step)
    var store = FeatureStore(
      Tracing.State(total: step.parameters.initialCount), of: tracing, order: step.parameters.order, to: &host)
    switch name {
    case .idle: break
    case .loading: store.accept(.slow, by: tracing, to: &host)
    case .disposed: store.dispose()
    }
    return State(store: store)
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch state.name {
    case .disposed: return .ignore
    case .idle, .loading: break
    }
    let tracing = Tracing(step: step)
    var host = Host(step: step)
    var store = state.store
    switch event {
    case .wish(let wish):
      if wish == .slow, step.when("mostLoads", store.streams.count == Self.mostLoads) {
        return step.refuse("\(Self.mostLoads) slow wishes are under way, which is the limit")
      }
      return store.accept(wish, by: tracing, to: &host) ? .move(to: State(store: store)) : .stay
    case .subscribe:
      step.say(store.state)
      return .stay
    case .dispose:
      for stream in store.streams { step.disarm(.finished, key: stream.key) }
      store.dispose()
      return .move(to: State(store: store))
    case .finished:
      guard store.deliver(.finished, from: step.key, by: tracing, to: &host) else { return .ignore }
      _ = step.when("last load", store.streams.isEmpty)
      return .move(to: State(store: store))
    }
  }
}

extension Step<MVITrace> {
  fileprivate func say(_ part: MVITrace.Output.Name, _ data: Value...) { emit(MVITrace.Output(name: part, data: data)) }

  /// Emits a state as subscribers get it.
  fileprivate func say(_ state: Tracing.State) {
    say(.state, state.number, .integer(state.total), .text(state.loads == 0 ? "idle" : "loading"))
  }
}

/// The feature of ``MVITrace``: each part emits its call and the state that it gets.
public struct Tracing: Feature {
  public struct State: Hashable, Sendable, Codable {
    var total: Int
    /// The number of slow wishes under way.
    var loads = 0
    /// The number of states before this one.
    var place = 0

    var number: Value { .text("s\(place)") }
  }

  public typealias Wish = MVITrace.Wish

  public enum Action: Hashable, Sendable, Codable {
    case wish(Wish)
    /// The action of the post-processor.
    case p
    /// The actions of the bootstrapper.
    case b1, b2

    var word: String {
      switch self {
      case .wish(let wish): wish.rawValue
      case .p, .b1, .b2: "\(self)".uppercased()
      }
    }
  }

  public enum Effect: Hashable, Sendable {
    case e1, e2, e3, e4, started, finished, added(Int), looped, second, third, unchanged

    var word: String {
      switch self {
      case .e1, .e2, .e3, .e4: "\(self)".uppercased()
      case .started, .finished, .looped, .second, .third, .unchanged: "\(self)"
      case .added: "added"
      }
    }
  }

  public struct News: Hashable, Sendable {
    let word: String
    let state: State
  }

  let step: Step<MVITrace>

  public func wishToAction(_ wish: Wish) -> Action { .wish(wish) }

  public func bootstrapper() -> [Action] {
    guard step.parameters.bootstrap else { return [] }
    step.say(.bootstrapper, .integer(2))
    return [.b1, .b2]
  }

  public func actor(_ state: State, _ action: Action, _ effects: inout Effects<Effect>) {
    step.say(.actor, state.number, .text(action.word))
    switch action {
    case .wish(.chain): effects.emit(.e1)
    case .wish(.slow):
      effects.emit(.started)
      effects.later()
    case .wish(.fast): effects.emit(.added(100))
    case .wish(.several):
      effects.emit(.e3)
      effects.emit(.e4)
    case .wish(.loop): effects.emit(.looped)
    case .wish(.second): effects.emit(.second)
    case .wish(.third): effects.emit(.third)
    case .wish(.same): effects.emit(.unchanged)
    case .wish(.nothing): break
    case .p: effects.emit(.e2)
    case .b1: effects.emit(.added(1))
    case .b2: effects.emit(.added(2))
    }
  }

  public func reducer(_ state: State, _ effect: Effect) -> State {
    step.say(.reducer, state.number, .text(effect.word))
    var new = state
    switch effect {
    case .started: new.loads += 1
    case .finished:
      new.loads -= 1
      new.total += 5
    case .added(let number): new.total += number
    case .e3, .e4: new.total += 1
    case .e1, .e2, .looped, .second, .third: break
    case .unchanged: return state
    }
    new.place += 1
    return new
  }

  public func postProcessor(_ action: Action, _ effect: Effect, _ state: State) -> Action? {
    let answer: Action? = effect == .e1 ? .p : nil
    step.say(.postProcessor, state.number, .text(effect.word), .text(answer?.word ?? "nil"))
    return answer
  }

  public func newsPublisher(_ action: Action, _ effect: Effect, _ state: State) -> News? {
    switch effect {
    case .e1: News(word: "N1", state: state)
    case .e2: News(word: "N2", state: state)
    case .e3: News(word: "N3", state: state)
    case .e4: News(word: "N4", state: state)
    case .looped: News(word: "L", state: state)
    case .started, .finished, .added, .second, .third, .unchanged: nil
    }
  }
}
