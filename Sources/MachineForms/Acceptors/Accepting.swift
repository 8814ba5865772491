import StateMachines

/// A deterministic automaton that reads words and accepts some of them.
///
/// The five parts of the textbook are here: the states and the symbols are types, ``next(_:_:)`` is δ, ``start`` is s₀,
/// and ``isFinal(_:)`` says which states are in F. δ may be partial; where it has nothing, the word is rejected,
/// whatever follows.
///
/// ``Acceptor`` is the automaton that is written down as a table. A type of one's own is for automata whose states are
/// too many to write down, for instance sets of states of another one.
public protocol Accepting<State, Symbol>: Sendable {
  associatedtype State: Hashable & Sendable
  associatedtype Symbol

  /// The state before anything is read.
  var start: State { get }

  /// Whether a word that ends in this state is accepted.
  func isFinal(_ state: State) -> Bool

  /// The state after one more symbol, or `nil` if no word that goes on this way is accepted.
  func next(_ state: State, _ symbol: Symbol) -> State?

  /// Reads `word` from `state` on.
  ///
  /// There is an implementation that asks for one state after the other; a type may have a faster one, which must give
  /// the same.
  ///
  /// - Parameter haltOnFinal: Whether the first final state ends the run, as it does where the automaton is to find
  ///   something rather than to judge a whole word. A `state` that is final ends it before anything is read.
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

/// What came of reading a word.
public struct AcceptorRun<State: Hashable & Sendable>: Hashable, Sendable {
  /// The state after the last symbol that was read; `nil` if there was no transition for the next one.
  public let state: State?
  /// How many symbols were read: fewer than the word has if a transition was missing or the run was halted.
  public let read: Int
  /// Whether it ended in a final state.
  public let isAccepted: Bool

  public init(state: State?, read: Int, isAccepted: Bool) {
    self.state = state
    self.read = read
    self.isAccepted = isAccepted
  }
}
