import StateMachines

/// A listener to a ``FeatureStore``.
///
/// A store keeps no listeners, so that it stays a value: the caller passes one to each call. To reach several
/// listeners, write one that forwards to them. All methods do nothing by default.
public protocol FeatureListener<Subject> {
  associatedtype Subject: Feature

  /// Called before an effect of an action is applied.
  mutating func hear(effect: Subject.Effect, of action: Subject.Action)

  /// Called when the post-processor has returned an action; see ``FeatureOrder`` for when the action is processed.
  mutating func hear(action: Subject.Action)

  /// Called when the bootstrapper has made an action of a signal, before the action is processed.
  mutating func hear(bootstrapped action: Subject.Action)

  /// Called with the new state after each effect, even if it equals the previous state.
  mutating func hear(state: Subject.State)

  /// Called with a news item.
  ///
  /// The listener may send wishes from here. In recursive order, the state in `store` may be newer than the state from
  /// which the news were made.
  mutating func hear(news: Subject.News, from store: inout FeatureStore<Subject>, _ feature: Subject)

  /// Called when an actor keeps its stream open for later effects, which must be delivered with the stream's key.
  ///
  /// It is called before the immediate effects of the action are applied. A machine arms a keyed timer here.
  mutating func hear(open stream: FeatureStore<Subject>.Stream)
}

extension FeatureListener {
  @inlinable
  public mutating func hear(effect: Subject.Effect, of action: Subject.Action) {}

  @inlinable
  public mutating func hear(action: Subject.Action) {}

  @inlinable
  public mutating func hear(bootstrapped action: Subject.Action) {}

  @inlinable
  public mutating func hear(state: Subject.State) {}

  @inlinable
  public mutating func hear(news: Subject.News, from store: inout FeatureStore<Subject>, _ feature: Subject) {}

  @inlinable
  public mutating func hear(open stream: FeatureStore<Subject>.Stream) {}
}

/// A listener that does nothing.
public struct NoListener<Subject: Feature>: FeatureListener {
  @inlinable
  public init() {}
}
