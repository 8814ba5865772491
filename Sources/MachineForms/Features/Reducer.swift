import StateMachines

/// The simplest state machine: `newState = reduce(state, wish)`.
///
/// A reducer is pure and synchronous. It looks at nothing but its arguments, does no I/O, and gives the next state for
/// every state and every wish; where a wish means nothing, it gives the state back as it is.
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
/// In a ``Machine`` a store is the state or a part of it, and the whole rule is one `accept`. A ``Feature`` without an actor of its own
/// is the same machine again: its actor passes each wish on as the identical effect. What a reducer cannot do
/// (refuse a wish, do two things, bring a result later, say something once) is what a feature adds.
public protocol Reducer {
  associatedtype State
  associatedtype Wish

  /// The state that follows when `wish` comes in `state`.
  func reduce(_ state: State, _ wish: Wish) -> State
}

/// The present state of a ``Reducer``, and nothing else.
///
/// Every wish makes exactly one emission, also when the new state is equal to the old one. A store keeps no
/// listeners, so that it stays a value: whoever hands in a wish hands in who listens.
public struct ReducerStore<R: Reducer> {
  /// Changed only by ``accept(_:by:_:)``.
  @inlinable
  public var state: R.State { current }

  @usableFromInline var current: R.State

  @inlinable
  public init(_ initial: R.State, of reducer: R.Type) {
    current = initial
  }

  /// Replays the present state, once; what was before it is not told.
  @inlinable
  public func subscribe(_ listener: (R.State) -> Void) {
    listener(current)
  }

  /// Takes a wish, and emits the state after it.
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
