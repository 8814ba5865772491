import StateMachines

/// A deterministic automaton that accepts or rejects words.
///
/// It has the five parts of the textbook definition: the states and the symbols are types, ``next(_:_:)`` is δ,
/// ``start`` is s₀, and ``isFinal(_:)`` defines F. δ may be partial: a missing transition rejects the word.
///
/// ``Acceptor`` is an automaton written as a table. Conform your own type if there are too many states for a table, for
/// instance sets of states of another automaton.
public protocol Accepting<State, Symbol>: Sendable {
  associatedtype State: Hashable & Sendable
  associatedtype Symbol

  /// The state before the first symbol.
  var start: State { get }

  /// Whether a word that ends in this state is accepted.
  func isFinal(_ state: State) -> Bool

  /// The state after one more symbol; `nil` if every word with this prefix is rejected.
  func next(_ state: State, _ symbol: Symbol) -> State?

  /// Reads `word` from `state` on.
  ///
  /// The default implementation calls ``next(_:_:)`` for each symbol. A type may provide a faster one with the same
  /// results.
  ///
  /// - Parameters:
  ///   - word: The symbols to read.
  ///   - state: The state before the first symbol.
  ///   - haltOnFinal: Whether to stop at the first final state, as in a search for a prefix. If `state` is final,
  ///     nothing is read.
  func run(_ word: some Sequence<Symbol>, from state: State, haltOnFinal: Bool) -> AcceptorRun<State>
}

extension Accepting {
  public func run(_ word: some Sequence<Symbol>, from state: State, haltOnFinal: Bool) -> AcceptorRun<State> {
    var state = state
    var read = 0
    if haltOnFinal, isFinal(state) { return AcceptorRun(state: state, read: 0, isAccepted: true) }
    for symbol in word {
      guard let next = next(state, symbol) else { return AcceptorRun(state: nil, read: read, isAccepted: false) }
      state = next
      read += 1
      if haltOnFinal, isFinal(state) { break }
    }
    return AcceptorRun(state: state, read: read, isAccepted: isFinal(state))
  }

  /// Reads a word from the start.
  ///
  /// - Complexity: O(symbols of the word) times the cost of δ.
  public func run(_ word: some Sequence<Symbol>, haltOnFinal: Bool = false) -> AcceptorRun<State> {
    run(word, from: start, haltOnFinal: haltOnFinal)
  }

  /// Whether the whole word is accepted.
  public func accepts(_ word: some Sequence<Symbol>) -> Bool { run(word).isAccepted }
}

/// The result of reading a word.
public struct AcceptorRun<State: Hashable & Sendable>: Hashable, Sendable {
  /// The state after the last symbol that was read; `nil` if the next symbol had no transition.
  public let state: State?
  /// The number of symbols read. It is less than the word's length if a transition was missing or the run was halted.
  public let read: Int
  /// Whether the run ended in a final state.
  public let isAccepted: Bool

  public init(state: State?, read: Int, isAccepted: Bool) {
    self.state = state
    self.read = read
    self.isAccepted = isAccepted
  }
}
