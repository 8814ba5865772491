public import StateMachines

/// An MVI feature (model, view, intent): wishes come in, effects change the state, news go out.
///
/// A conforming type is what a feature does; a ``FeatureStore`` is where it stands. The type's functions are the
/// elements of the form, under the names that they have in MVICore and in the libraries that follow it:
///
/// | element | here | duty |
/// | --- | --- | --- |
/// | wish | ``Wish`` | what others ask for |
/// | action | ``Action`` | what the actor gets: the wishes, and what the feature asks of itself |
/// | wish to action | ``wishToAction(_:)`` | the identity, unless actions are of another type |
/// | bootstrapper | ``bootstrapper()`` | the first actions, once, while the store is made |
/// | actor | ``actor(_:_:_:)`` | all logic: whether an action is taken, and the effects it has, at once or later |
/// | effect | ``Effect`` | a fact |
/// | reducer | ``reducer(_:_:)`` | applies a fact to the state; pure, synchronous, and does not ask whether it may |
/// | post-processor | ``postProcessor(_:_:_:)`` | at most one more action after the state has changed |
/// | news | ``News`` | what is said once and is no part of the state |
/// | news publisher | ``newsPublisher(_:_:_:)`` | at most one piece of news for each effect |
///
/// Only the reducer must be written, and the actor where effects are not the wishes themselves. All are called statically: a
/// feature costs a few times what the same `switch` does.
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
/// Practice: a reducer without conditions; effects only from the actor; no wish that means "begin" (that is the
/// bootstrapper); an end by ``FeatureStore/dispose()``. Features know nothing of each other: what binds them is a listener
/// that turns the news of one into wishes of the other, and drops those that mean nothing there. In a world
/// that is a wire.
///
/// In a ``Machine`` the store is the state: a ``FeatureStore`` is a ``StateWithData`` where the feature's state is one.
/// The rule turns events into wishes, and timers into effects that come later; a ``FeatureListener`` with the
/// ``Step`` at hand turns news into outputs and streams that stay open into keyed timers.
public protocol Feature {
  associatedtype State: Sendable
  associatedtype Wish
  associatedtype Action: Sendable = Wish
  associatedtype Effect: Sendable = Wish
  associatedtype News = Never

  /// The action that a wish becomes.
  func wishToAction(_ wish: Wish) -> Action

  /// The actions to begin with, in their order. What an outside service reports afterwards is sent with
  /// ``FeatureStore/act(_:by:to:)``.
  func bootstrapper() -> [Action]

  /// Decides what comes of an action: no effect (the wish is refused), some at once, some later.
  ///
  /// It gets the state of the moment at which the action is taken up, and cannot fail: that something went wrong is an
  /// effect. It does not know the states that its effects lead to.
  func actor(_ state: State, _ action: Action, _ effects: inout Effects<Effect>)

  /// The state after an effect. `state` is the latest one, not the one that the actor saw.
  func reducer(_ state: State, _ effect: Effect) -> State

  /// One more action, after `effect` of `action` has led to `state`; `nil` for none.
  func postProcessor(_ action: Action, _ effect: Effect, _ state: State) -> Action?

  /// What is to be said once, after `effect` of `action` has led to `state`; `nil` for nothing.
  ///
  /// `state` is the one that this effect led to, also when the post-processor's action has changed it since.
  func newsPublisher(_ action: Action, _ effect: Effect, _ state: State) -> News?
}

extension Feature {
  @inlinable
  public func bootstrapper() -> [Action] { [] }

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
  /// Passes each wish on as the identical effect: the feature is its reducer.
  @inlinable
  public func actor(_ state: State, _ wish: Wish, _ effects: inout Effects<Wish>) { effects.emit(wish) }
}

/// When the action of a post-processor, and a wish that a news listener sends, is taken up.
///
/// The effects of one action are applied without a break in either order, and no order makes a wish wait for effects
/// that come later.
public enum FeatureOrder: String, Choice {
  /// At once, to its end, inside what goes on: the news of a post-processor's action come before the news
  /// of the effect that it answers. This is how it is without a scheduler.
  case recursive
  /// Behind all that waits already: news come in the order of the actions. This is how it is with a scheduler.
  case queued
}

/// The stream of effects that an actor gives for one action: none, one, several, and more of them later.
///
/// None and one allocate nothing.
public struct Effects<Effect> {
  @usableFromInline var first: Effect?
  @usableFromInline var rest: [Effect]?
  @usableFromInline let key: Int
  @usableFromInline var staysOpen = false

  @inlinable
  init(key: Int) {
    self.key = key
  }

  /// An empty stream outside of a store, to try an actor by itself; its ``later()`` gives 1.
  @inlinable
  public init() {
    self.init(key: 1)
  }

  /// Adds an effect that takes place at once, behind those before it.
  @inlinable
  public mutating func emit(_ effect: Effect) {
    if first == nil {
      first = effect
    } else {
      rest = (rest ?? []) + [effect]
    }
  }

  /// Keeps the stream open for effects that come later, through ``FeatureStore/deliver(_:from:isLast:by:to:)``.
  ///
  /// - Returns: The key of the stream: the running number, from 1, of the action among those of its store that have
  ///   kept their streams open. Asking twice gives the same.
  @inlinable
  @discardableResult
  public mutating func later() -> Int {
    staysOpen = true
    return key
  }

  /// The effects that take place at once, in order.
  public var immediate: [Effect] { (first.map { [$0] } ?? []) + (rest ?? []) }

  /// Whether effects come later.
  public var isOpen: Bool { staysOpen }
}
