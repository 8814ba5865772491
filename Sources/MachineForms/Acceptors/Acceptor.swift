import StateMachines

/// A finite automaton M = (S, Σ, δ, s₀, F), written as a table, which accepts or rejects words.
///
/// The table of δ has a row per state with the next state for each symbol. A missing entry rejects the word. The
/// automaton is deterministic: a dictionary literal with a duplicate key traps.
///
/// ```swift
/// let evenOnes = Acceptor<Parity, Character>(
///   start: .even, finals: [.even],
///   transitions: [
///     .even: ["0": .even, "1": .odd],
///     .odd: ["0": .odd, "1": .even],
///   ])
/// evenOnes.accepts("1001")      // true
/// evenOnes.run("102").read      // 2: there is no transition for "2"
/// ```
///
/// It is not a `Machine`: it has no time and no outputs, and the state in which a run ends is its only memory. To
/// read a word in pieces, pass that state to the next run.
public struct Acceptor<State: Hashable & Sendable, Symbol: Hashable & Sendable>: Accepting {
  /// S: the states named by the other parts.
  public let states: Set<State>
  /// Σ: the symbols with at least one transition.
  public let alphabet: Set<Symbol>
  /// δ, by state and then by symbol.
  public let transitions: [State: [Symbol: State]]
  /// s₀.
  public let start: State
  /// F.
  public let finals: Set<State>

  /// - Parameters:
  ///   - start: s₀, the state before the first symbol.
  ///   - finals: F, the states in which a word is accepted.
  ///   - transitions: δ. A state without a row, or without an entry for a symbol, rejects the symbol.
  /// - Complexity: O(transitions).
  public init(start: State, finals: Set<State>, transitions: [State: [Symbol: State]]) {
    self.start = start
    self.finals = finals
    self.transitions = transitions
    var states = finals.union([start])
    var alphabet: Set<Symbol> = []
    for (state, row) in transitions {
      states.insert(state)
      states.formUnion(row.values)
      alphabet.formUnion(row.keys)
    }
    self.states = states
    self.alphabet = alphabet
  }

  public func isFinal(_ state: State) -> Bool { finals.contains(state) }

  /// - Complexity: O(1).
  public func next(_ state: State, _ symbol: Symbol) -> State? { transitions[state]?[symbol] }
}
