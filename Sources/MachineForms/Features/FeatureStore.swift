public import StateMachines

/// Where a ``Feature`` stands: its state, and the actions whose effects are still to come.
///
/// A store is a value. A copy goes its own way, and a store can be kept and gone on with. It holds neither the feature
/// nor listeners: each call is handed the feature (with the services that its actor uses) and who listens. That
/// states are made in one place at a time need not be checked: nobody can change a value while another does.
///
/// One action is handled so:
///
/// 1. The actor is asked, with the present state.
/// 2. For each effect the reducer makes a state of the *latest* state and the effect.
/// 3. That state becomes the present one and is emitted, also when it is equal to the last.
/// 4. The post-processor may give one more action. See ``FeatureOrder`` for when it is taken up.
/// 5. The news publisher may give one piece of news.
///
/// An actor that gives no effects refuses the action: nothing is emitted, post-processed or published. So does a store
/// with ``mostStreams`` open streams that is to open one more. Effects that come
/// later (``deliver(_:from:isLast:by:to:)``) go through 2 to 5 with the action that they belong to. Nothing waits for
/// them and nothing cancels them: the actor of a second wish runs at once, beside the streams of the first.
///
/// Equality compares the state, the open streams and whether the store is disposed of; how many streams there have been
/// is not part of it.
public struct FeatureStore<F: Feature>: Sendable {
  /// An action whose actor has kept its stream open, as it was when the actor was asked.
  public struct Stream: Sendable {
    /// The running number of the stream.
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

  /// How many actions one call may come to, one inside the other or one behind the other.
  public static var longestChain: Int { 1_000 }

  /// How many streams may be open. An action that would open one more is refused.
  public static var mostStreams: Int { 1_000 }

  public let order: FeatureOrder
  @usableFromInline var current: F.State
  @usableFromInline var isDisposedOf = false
  @usableFromInline var open: [Stream] = []
  @usableFromInline var lastKey = 0
  /// Waits in queued order; empty whenever nobody is inside.
  @usableFromInline var queue: [Work] = []
  /// How many calls are inside one another.
  @usableFromInline var depth = 0

  /// What is written out: all but what is there only while somebody is inside.
  private enum CodingKeys: CodingKey { case order, current, isDisposedOf, open, lastKey }

  /// The present state: what a new subscriber is told first. News are not replayed.
  @inlinable
  public var state: F.State { current }

  /// The streams that are open, in the order in which they were opened.
  @inlinable
  public var streams: [Stream] { open }

  /// The open stream with a key; `nil` if it has ended.
  @inlinable
  public func stream(of key: Int) -> Stream? { open.first { $0.key == key } }

  /// Whether ``dispose()`` has been called: nothing changes any more.
  @inlinable
  public var isDisposed: Bool { isDisposedOf }

  /// A store whose feature has not begun: nothing of its bootstrapper is done, nor will be.
  ///
  /// It is what a machine has before it starts, since a feature may need the ``Step``.
  @inlinable
  public init(_ initial: F.State, order: FeatureOrder = .recursive) {
    current = initial
    self.order = order
  }

  /// Makes the store: holds the initial state, is ready for actions, and then runs the bootstrapper to its end.
  ///
  /// What the bootstrapper's actions do at once is done when this returns. Nobody can have subscribed before, so
  /// `listener` hears of open streams, and neither of the states on the way nor of news.
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

  /// Takes a wish.
  ///
  /// - Returns: Whether the actor gave effects; `false`, too, where the store is disposed of. A
  ///   wish that waits in the queue counts as taken.
  /// - Precondition: The wish leads to at most ``longestChain`` actions. A post-processor must end.
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

  /// Takes an action from inside: what a service reports to which the bootstrapper has subscribed.
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

  // MARK: Effects that come later

  /// Brings an effect of an action whose stream is open.
  ///
  /// It is applied to the latest state.
  ///
  /// - Parameters:
  ///   - key: The number that ``Effects/later()`` gave.
  ///   - isLast: Whether the stream ends with it.
  /// - Returns: Whether there was such a stream. An effect without one is dropped.
  /// - Precondition: As for a wish.
  /// - Complexity: O(*n*) in the number of open streams, beside what the feature does.
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

  /// Ends a stream without an effect. One that is not open is left alone.
  @inlinable
  public mutating func finish(_ key: Int) {
    open.removeAll { $0.key == key }
  }

  /// Ends the feature: what is under way (effects, actions, news, open streams) is dropped, and so is whatever comes.
  ///
  /// The state stays as it is. A machine disarms the timers of ``streams`` first.
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

  /// Works off the queue, with what is put behind it meanwhile.
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

  /// Passes on what concerns open streams, and nothing else.
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

/// A store is the state of a machine whose rule is a feature: it has the names and prints the data of the feature's state.
extension FeatureStore: StateWithData where F.State: StateWithData, F.Action: Hashable & Codable {
  @inlinable
  public var name: F.State.Name { current.name }

  @inlinable
  public var data: String? { current.data }

  @inlinable
  public static var carriesData: Bool { F.State.carriesData }
}
