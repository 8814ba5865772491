public import StateMachines

/// The state of a ``Feature``, with the actions that still await effects.
///
/// A store is a value: copies are independent, and a store can be saved and resumed. It holds neither the feature nor
/// listeners: each call receives the feature (with the services that its actor uses) and a listener. Swift's exclusive
/// access to values guarantees that one caller at a time changes the state.
///
/// An action is processed as follows:
///
/// 1. The actor is called with the current state.
/// 2. For each effect, the reducer makes a new state from the *latest* state and the effect.
/// 3. The new state is stored and emitted, even if it equals the previous one.
/// 4. The post-processor may return a further action. See ``FeatureOrder`` for when it is processed.
/// 5. The news publisher may return a news item.
///
/// An actor that emits no effect and keeps no stream open refuses the action: nothing is emitted, post-processed or
/// published. A store with ``mostStreams`` open streams refuses an action that would open another. Later effects
/// (``deliver(_:from:isLast:by:to:)``) run steps 2 to 5 with their action. Nothing waits for them or cancels them: the
/// actor of a second wish runs immediately, while the streams of the first are open.
///
/// Equality compares the state, the open streams, the order and whether the store is disposed. It ignores the number of
/// earlier streams.
public struct FeatureStore<F: Feature>: Sendable {
  /// An action whose stream is open, with the state that its actor saw.
  public struct Stream: Sendable {
    /// The serial number of the stream.
    public let key: Int
    public let action: F.Action
    /// The state that the actor saw.
    public let state: F.State

    @inlinable
    init(key: Int, action: F.Action, state: F.State) {
      self.key = key
      self.action = action
      self.state = state
    }
  }

  @usableFromInline
  enum Work: Sendable {
    case action(F.Action)
    case effect(F.Effect, of: F.Action)
  }

  /// The maximal number of nested or queued actions in one call.
  public static var longestChain: Int { 1_000 }

  /// The maximal number of open streams. An action that would open another is refused.
  public static var mostStreams: Int { 1_000 }

  public let order: FeatureOrder
  @usableFromInline var current: F.State
  @usableFromInline var isDisposedOf = false
  @usableFromInline var open: [Stream] = []
  @usableFromInline var lastKey = 0
  /// The queue in queued order; empty between calls.
  @usableFromInline var queue: [Work] = []
  /// The number of nested calls.
  @usableFromInline var depth = 0

  /// The stored properties to encode: all but those used only during a call.
  private enum CodingKeys: CodingKey { case order, current, isDisposedOf, open, lastKey }

  /// The current state: the first value for a new subscriber. News are not replayed.
  @inlinable
  public var state: F.State { current }

  /// The open streams, in the order in which they were opened.
  @inlinable
  public var streams: [Stream] { open }

  /// The open stream with a key; `nil` if it has ended or never existed.
  @inlinable
  public func stream(of key: Int) -> Stream? { open.first { $0.key == key } }

  /// Whether ``dispose()`` was called. A disposed store never changes.
  @inlinable
  public var isDisposed: Bool { isDisposedOf }

  /// Creates a store without running the bootstrapper.
  ///
  /// A machine uses it before it starts, since a feature may need the `Step`.
  @inlinable
  public init(_ initial: F.State, order: FeatureOrder = .recursive) {
    current = initial
    self.order = order
  }

  /// Creates a store with an initial state, and runs the bootstrapper to its end.
  ///
  /// The immediate effects of the bootstrapper's actions are complete on return. `listener` is called for open streams
  /// only, since no subscriber can exist before.
  @inlinable
  public init<L: FeatureListener>(
    _ initial: F.State, of feature: F, order: FeatureOrder = .recursive, to listener: inout L
  ) where L.Subject == F {
    self.init(initial, order: order)
    var bootstrapping = Bootstrapping(listener: listener)
    switch order {
    case .recursive:
      for action in feature.bootstrapper() { act(action, by: feature, to: &bootstrapping) }
    case .queued:
      queue = feature.bootstrapper().map(Work.action)
      drain(by: feature, to: &bootstrapping)
    }
    listener = bootstrapping.listener
  }

  @inlinable
  public init(_ initial: F.State, of feature: F, order: FeatureOrder = .recursive) {
    var listener = NoListener<F>()
    self.init(initial, of: feature, order: order, to: &listener)
  }

  // MARK: Actions

  /// Processes a wish.
  ///
  /// - Returns: Whether the actor emitted effects or kept its stream open; `false` if the store is disposed. A queued
  ///   wish counts as accepted.
  /// - Precondition: The wish leads to at most ``longestChain`` actions, so a post-processor must end.
  @inlinable
  @discardableResult
  public mutating func accept<L: FeatureListener>(
    _ wish: F.Wish, by feature: F, to listener: inout L
  ) -> Bool where L.Subject == F {
    act(feature.wishToAction(wish), by: feature, to: &listener)
  }

  @inlinable
  @discardableResult
  public mutating func accept(_ wish: F.Wish, by feature: F) -> Bool {
    var listener = NoListener<F>()
    return accept(wish, by: feature, to: &listener)
  }

  /// Processes a report of an outside service, to which the bootstrapper subscribed.
  ///
  /// - Returns: As for a wish; `false` if the bootstrapper drops the report.
  /// - Precondition: As for a wish.
  @inlinable
  @discardableResult
  public mutating func report<L: FeatureListener>(
    _ signal: F.Signal, by feature: F, to listener: inout L
  ) -> Bool where L.Subject == F {
    if isDisposedOf { return false }
    guard let action = feature.bootstrapper(signal) else { return false }
    listener.hear(bootstrapped: action)
    return act(action, by: feature, to: &listener)
  }

  /// Processes an action from inside the feature.
  ///
  /// - Returns: As for a wish.
  /// - Precondition: As for a wish.
  @inlinable
  @discardableResult
  public mutating func act<L: FeatureListener>(
    _ action: F.Action, by feature: F, to listener: inout L
  ) -> Bool where L.Subject == F {
    if isDisposedOf { return false }
    if order == .queued && depth > 0 {
      queue.append(.action(action))
      return true
    }
    let isTaken = run(action, by: feature, to: &listener)
    if !queue.isEmpty && depth == 0 { drain(by: feature, to: &listener) }
    return isTaken
  }

  // MARK: Later effects

  /// Applies a later effect of an action whose stream is open, to the latest state.
  ///
  /// - Parameters:
  ///   - effect: The effect to apply.
  ///   - key: The key that ``Effects/later()`` returned.
  ///   - isLast: Whether the effect ends the stream.
  ///   - feature: The feature whose store this is.
  ///   - listener: Is told of the new state and the news.
  /// - Returns: Whether the stream was open. Otherwise the effect is dropped.
  /// - Precondition: As for a wish.
  /// - Complexity: O(*n*) in the number of open streams, plus the feature's own work.
  @inlinable
  @discardableResult
  public mutating func deliver<L: FeatureListener>(
    _ effect: F.Effect, from key: Int, isLast: Bool = true, by feature: F, to listener: inout L
  ) -> Bool where L.Subject == F {
    guard let place = open.firstIndex(where: { $0.key == key }) else { return false }
    let action = open[place].action
    if isLast { open.remove(at: place) }
    if order == .queued && depth > 0 {
      queue.append(.effect(effect, of: action))
      return true
    }
    depth += 1
    apply(effect, of: action, by: feature, to: &listener)
    depth -= 1
    if !queue.isEmpty && depth == 0 { drain(by: feature, to: &listener) }
    return true
  }

  @inlinable
  @discardableResult
  public mutating func deliver(_ effect: F.Effect, from key: Int, isLast: Bool = true, by feature: F) -> Bool {
    var listener = NoListener<F>()
    return deliver(effect, from: key, isLast: isLast, by: feature, to: &listener)
  }

  /// Ends a stream without an effect. Nothing happens if it is not open.
  @inlinable
  public mutating func finish(_ key: Int) {
    open.removeAll { $0.key == key }
  }

  /// Ends the feature: pending effects, actions, news and open streams are dropped, and later calls do nothing.
  ///
  /// The state stays. A machine disarms the timers of ``streams`` first.
  @inlinable
  public mutating func dispose() {
    isDisposedOf = true
    open = []
    queue = []
  }

  // MARK: One action

  @inlinable
  mutating func run<L: FeatureListener>(
    _ action: F.Action, by feature: F, to listener: inout L
  ) -> Bool where L.Subject == F {
    precondition(depth < Self.longestChain, "the actions of a feature send one another without end")
    depth += 1
    var effects = Effects<F.Effect>(key: lastKey + 1)
    feature.actor(current, action, &effects)
    if effects.staysOpen && open.count >= Self.mostStreams {
      depth -= 1
      return false
    }
    if effects.staysOpen {
      lastKey = effects.key
      let stream = Stream(key: effects.key, action: action, state: current)
      open.append(stream)
      listener.hear(open: stream)
    }
    if let effect = effects.first { apply(effect, of: action, by: feature, to: &listener) }
    if let rest = effects.rest {
      for effect in rest { apply(effect, of: action, by: feature, to: &listener) }
    }
    depth -= 1
    return effects.first != nil || effects.staysOpen
  }

  @inlinable
  mutating func apply<L: FeatureListener>(
    _ effect: F.Effect, of action: F.Action, by feature: F, to listener: inout L
  ) where L.Subject == F {
    if isDisposedOf { return }
    listener.hear(effect: effect, of: action)
    let new = feature.reducer(current, effect)
    current = new
    listener.hear(state: new)
    if let post = feature.postProcessor(action, effect, new) {
      listener.hear(action: post)
      switch order {
      case .recursive: _ = run(post, by: feature, to: &listener)
      case .queued: queue.append(.action(post))
      }
    }
    if isDisposedOf { return }
    if let news = feature.newsPublisher(action, effect, new) {
      listener.hear(news: news, from: &self, feature)
    }
  }

  /// Processes the queue, including items that are appended meanwhile.
  @inlinable
  mutating func drain<L: FeatureListener>(by feature: F, to listener: inout L) where L.Subject == F {
    depth += 1
    var place = 0
    while place < queue.count {
      precondition(place < Self.longestChain, "the actions of a feature send one another without end")
      let work = queue[place]
      place += 1
      switch work {
      case .action(let action): _ = run(action, by: feature, to: &listener)
      case .effect(let effect, of: let action): apply(effect, of: action, by: feature, to: &listener)
      }
    }
    depth -= 1
    queue = []
  }

  /// Forwards only calls about open streams.
  @usableFromInline
  struct Bootstrapping<L: FeatureListener>: FeatureListener where L.Subject == F {
    @usableFromInline typealias Subject = F
    @usableFromInline var listener: L

    @inlinable
    init(listener: L) {
      self.listener = listener
    }

    @inlinable
    mutating func hear(open stream: Stream) {
      listener.hear(open: stream)
    }
  }
}

extension FeatureStore.Stream: Equatable where F.State: Equatable, F.Action: Equatable {}
extension FeatureStore.Stream: Hashable where F.State: Hashable, F.Action: Hashable {}

extension FeatureStore.Stream: Encodable where F.State: Encodable, F.Action: Encodable {}
extension FeatureStore.Stream: Decodable where F.State: Decodable, F.Action: Decodable {}
extension FeatureStore: Encodable where F.State: Encodable, F.Action: Encodable {}
extension FeatureStore: Decodable where F.State: Decodable, F.Action: Decodable {}

extension FeatureStore: Equatable where F.State: Equatable, F.Action: Equatable {
  @inlinable
  public static func == (left: Self, right: Self) -> Bool {
    left.current == right.current && left.open == right.open && left.order == right.order
      && left.isDisposedOf == right.isDisposedOf
  }
}

extension FeatureStore: Hashable where F.State: Hashable, F.Action: Hashable {
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(current)
    hasher.combine(open)
    hasher.combine(isDisposedOf)
  }
}

/// A store is the state of a machine whose rule is a feature. It has the name and data of the feature's state.
extension FeatureStore: StateWithData where F.State: StateWithData, F.Action: Hashable & Codable {
  @inlinable
  public var name: F.State.Name { current.name }

  @inlinable
  public var data: String? { current.data }

  @inlinable
  public static var carriesData: Bool { F.State.carriesData }
}
