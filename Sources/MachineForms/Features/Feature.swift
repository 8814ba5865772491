public import StateMachines

/// An MVI feature (model, view, intent): wishes enter, effects change the state, news leave.
///
/// A conforming type contains the feature's logic; a ``FeatureStore`` contains its state. The functions have the names
/// of MVICore and the libraries that follow it:
///
/// | element | here | duty |
/// | --- | --- | --- |
/// | wish | ``Wish`` | a request from outside |
/// | action | ``Action`` | the actor's input: a wish, or a request of the feature to itself |
/// | wish to action | ``wishToAction(_:)`` | the identity, unless the action type differs |
/// | signal | ``Signal`` | a report of an outside service that the bootstrapper subscribed to |
/// | bootstrapper | ``bootstrapper()``, ``bootstrapper(_:)`` | the first actions, when the store is made, and those that follow from signals |
/// | actor | ``actor(_:_:_:)`` | all logic: whether an action is accepted, and its effects, at once or later |
/// | effect | ``Effect`` | a fact |
/// | reducer | ``reducer(_:_:)`` | applies a fact to the state; pure, synchronous, unconditional |
/// | post-processor | ``postProcessor(_:_:_:)`` | at most one further action after the state has changed |
/// | news | ``News`` | a single message that is not part of the state |
/// | news publisher | ``newsPublisher(_:_:_:)`` | at most one news item for each effect |
///
/// Only the reducer is required, and the actor if effects are not the wishes themselves. All functions are called
/// statically: a feature costs a few times as much as the same `switch`.
///
/// ```swift
/// struct Weather: Feature {
///   enum State: Hashable, Sendable { case unknown, loading, known(degrees: Int) }
///   enum Wish: Hashable, Sendable { case load }
///   enum Effect: Hashable, Sendable { case started, loaded(degrees: Int), failed }
///   enum News: Hashable, Sendable { case toast(String) }
///
///   func actor(_ state: State, _ wish: Wish, _ effects: inout Effects<Effect>) {
///     if state == .loading { return }  // No effect: the wish is refused.
///     effects.emit(.started)
///     effects.later()  // Whoever asks the service brings the rest with `deliver`.
///   }
///
///   func reducer(_ state: State, _ effect: Effect) -> State {
///     switch effect {
///     case .started: .loading
///     case .loaded(let degrees): .known(degrees: degrees)
///     case .failed: .unknown
///     }
///   }
///
///   func newsPublisher(_ wish: Wish, _ effect: Effect, _ state: State) -> News? {
///     effect == .failed ? .toast("no connection") : nil
///   }
/// }
///
/// var weather = FeatureStore(.unknown, of: Weather())
/// weather.accept(.load, by: Weather())
/// let request = weather.streams[0].key
/// weather.deliver(.loaded(degrees: 21), from: request, by: Weather())
/// // weather.state == .known(degrees: 21)
/// ```
///
/// Good practice: a reducer without conditions; effects only from the actor; a bootstrapper instead of a wish "begin";
/// ``FeatureStore/dispose()`` at the end. Features do not refer to each other. A listener connects them: it turns the
/// news of one into wishes of the other, and drops news without a matching wish. In a world, a wire does this.
///
/// In a `Machine`, the store is the state: a ``FeatureStore`` is a `StateWithData` if the feature's state is one.
/// The rule turns events into wishes, and timers into later effects. A ``FeatureListener`` that has the `Step` turns
/// news into outputs, and open streams into keyed timers.
public protocol Feature {
  associatedtype State: Sendable
  associatedtype Wish
  associatedtype Action: Sendable = Wish
  associatedtype Effect: Sendable = Wish
  associatedtype News = Never
  /// `Never` if the bootstrapper subscribes to no outside service.
  associatedtype Signal = Never

  /// Converts a wish to an action.
  func wishToAction(_ wish: Wish) -> Action

  /// The initial actions, in order.
  func bootstrapper() -> [Action]

  /// The action that the bootstrapper's subscription makes of a report of an outside service; `nil` drops it.
  ///
  /// The bootstrapper knows no state: whether the action does something is for the actor to decide.
  func bootstrapper(_ signal: Signal) -> Action?

  /// Decides the effects of an action: none (the wish is refused), some at once, or some later.
  ///
  /// It receives the state at the moment when the action is processed. It cannot fail: a failure is an effect. It does
  /// not see the states that its effects lead to.
  func actor(_ state: State, _ action: Action, _ effects: inout Effects<Effect>)

  /// The state after an effect. `state` is the latest one, which may be newer than the one that the actor saw.
  func reducer(_ state: State, _ effect: Effect) -> State

  /// A further action, after `effect` of `action` has led to `state`; `nil` for none.
  func postProcessor(_ action: Action, _ effect: Effect, _ state: State) -> Action?

  /// The news after `effect` of `action` has led to `state`; `nil` for none.
  ///
  /// `state` is the state after this effect, even if the post-processor's action has changed it since.
  func newsPublisher(_ action: Action, _ effect: Effect, _ state: State) -> News?
}

extension Feature {
  @inlinable
  public func bootstrapper() -> [Action] { [] }

  @inlinable
  public func bootstrapper(_ signal: Signal) -> Action? { nil }

  @inlinable
  public func postProcessor(_ action: Action, _ effect: Effect, _ state: State) -> Action? { nil }

  @inlinable
  public func newsPublisher(_ action: Action, _ effect: Effect, _ state: State) -> News? { nil }
}

extension Feature where Action == Wish {
  @inlinable
  public func wishToAction(_ wish: Wish) -> Wish { wish }
}

extension Feature where Action == Wish, Effect == Wish {
  /// Emits each wish as the identical effect, so the reducer alone determines the feature.
  @inlinable
  public func actor(_ state: State, _ wish: Wish, _ effects: inout Effects<Wish>) { effects.emit(wish) }
}

/// When a store processes the action of a post-processor, or a wish that a listener sends on news.
///
/// In queued order, the immediate effects of one action are applied without interruption. In neither order does a wish
/// wait for later effects.
public enum FeatureOrder: String, Choice {
  /// Immediately and completely, inside the current action: the news of a post-processor's action precede the news of
  /// the effect that caused it. This is the order without a scheduler.
  case recursive
  /// After everything in the queue: news come in the order of the actions. This is the order with a scheduler.
  case queued
}

/// The stream of effects of one action: immediate ones, and an indication of later ones.
///
/// A stream with at most one effect allocates nothing.
public struct Effects<Effect> {
  @usableFromInline var first: Effect?
  @usableFromInline var rest: [Effect]?
  @usableFromInline let key: Int
  @usableFromInline var staysOpen = false

  @inlinable
  init(key: Int) {
    self.key = key
  }

  /// Creates an empty stream, to test an actor without a store. Its ``later()`` returns 1.
  @inlinable
  public init() {
    self.init(key: 1)
  }

  /// Adds an immediate effect after the previous ones.
  @inlinable
  public mutating func emit(_ effect: Effect) {
    if first == nil {
      first = effect
    } else {
      rest = (rest ?? []) + [effect]
    }
  }

  /// Keeps the stream open for later effects, through ``FeatureStore/deliver(_:from:isLast:by:to:)``.
  ///
  /// - Returns: The key of the stream: a serial number, from 1, among the streams of its store that were kept open.
  ///   Repeated calls return the same key.
  @inlinable
  @discardableResult
  public mutating func later() -> Int {
    staysOpen = true
    return key
  }

  /// The immediate effects, in order.
  public var immediate: [Effect] { (first.map { [$0] } ?? []) + (rest ?? []) }

  /// Whether the stream stays open for later effects.
  public var isOpen: Bool { staysOpen }
}
