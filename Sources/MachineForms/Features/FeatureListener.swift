import StateMachines

/// Who hears of what a ``FeatureStore`` emits.
///
/// A store keeps no listeners, so that it stays a value: whoever calls it hands one in. One that speaks to several is a
/// listener of its own. All functions have defaults that do nothing.
public protocol FeatureListener<Subject> {
  associatedtype Subject: Feature

  /// An effect of an action is about to be applied.
  mutating func hear(effect: Subject.Effect, of action: Subject.Action)

  /// The post-processor has given one more action; see ``FeatureOrder`` for when it is taken up.
  mutating func hear(action: Subject.Action)

  /// A new state: one call for each effect, also when the state is equal to the one before.
  mutating func hear(state: Subject.State)

  /// A piece of news.
  ///
  /// The listener may send wishes from here. It sees the latest state in `store`, which in recursive order may be
  /// newer than the one that the news were made of.
  mutating func hear(news: Subject.News, from store: inout FeatureStore<Subject>, _ feature: Subject)

  /// An actor has kept its stream open: more effects are to be brought later, under the stream's key.
  ///
  /// Called before the immediate effects of the action are applied. A machine arms a keyed timer here.
  mutating func hear(open stream: FeatureStore<Subject>.Stream)
}

extension FeatureListener {
  @inlinable
  public mutating func hear(effect: Subject.Effect, of action: Subject.Action) {}

  @inlinable
  public mutating func hear(action: Subject.Action) {}

  @inlinable
  public mutating func hear(state: Subject.State) {}

  @inlinable
  public mutating func hear(news: Subject.News, from store: inout FeatureStore<Subject>, _ feature: Subject) {}

  @inlinable
  public mutating func hear(open stream: FeatureStore<Subject>.Stream) {}
}

/// A listener that hears nothing.
public struct NoListener<Subject: Feature>: FeatureListener {
  @inlinable
  public init() {}
}
