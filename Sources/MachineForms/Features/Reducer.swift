import StateMachines

/// The simplest state machine: `newState = reduce(state, wish)`.
///
/// A reducer is pure and synchronous. It reads only its arguments, does no I/O, and returns the next state for every
/// state and wish. If a wish means nothing in a state, it returns the state unchanged.
///
/// ```swift
/// struct Counting: Reducer {
///   enum Wish { case increase, decrease }
///
///   func reduce(_ state: Int, _ wish: Wish) -> Int {
///     switch wish {
///     case .increase: state + 1
///     case .decrease: state - 1
///     }
///   }
/// }
///
/// var store = ReducerStore(0, of: Counting.self)
/// store.subscribe { print($0) }                              // 0
/// store.accept(.increase, by: Counting()) { print($0) }      // 1
/// ```
///
/// In a `Machine`, a store is the state or a part of it, and the rule is one call of `accept`. A ``Feature`` with the
/// default actor is the same machine. Unlike a reducer, a feature can also refuse a wish, emit several effects, deliver
/// a result later, and publish news.
public protocol Reducer {
  associatedtype State
  associatedtype Wish

  /// The state after `wish` in `state`.
  func reduce(_ state: State, _ wish: Wish) -> State
}

/// The current state of a ``Reducer``.
///
/// Every wish emits exactly one state, even if it equals the previous one. A store keeps no listeners, so that it stays
/// a value: the caller passes a listener with each wish.
public struct ReducerStore<R: Reducer> {
  /// The current state. Only ``accept(_:by:_:)`` changes it.
  @inlinable
  public var state: R.State { current }

  @usableFromInline var current: R.State

  @inlinable
  public init(_ initial: R.State, of reducer: R.Type) {
    current = initial
  }

  /// Calls the listener once with the current state. Earlier states are not replayed.
  @inlinable
  public func subscribe(_ listener: (R.State) -> Void) {
    listener(current)
  }

  /// Processes a wish and emits the new state.
  @inlinable
  public mutating func accept(_ wish: R.Wish, by reducer: R, _ listener: (R.State) -> Void = { _ in }) {
    current = reducer.reduce(current, wish)
    listener(current)
  }
}

extension ReducerStore: Equatable where R.State: Equatable {}
extension ReducerStore: Hashable where R.State: Hashable {}
extension ReducerStore: Sendable where R.State: Sendable {}
extension ReducerStore: Encodable where R.State: Encodable {}
extension ReducerStore: Decodable where R.State: Decodable {}
