import StateMachines

/// A finite automaton written down as M = (S, Σ, δ, s₀, F), which accepts a word or does not.
///
/// The table of δ has a row per state and says for each symbol where it leads. What is not in it is rejected. Two
/// transitions for one pair cannot be written: a dictionary literal with the same key twice is a programmer's error.
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
/// It is not a ``Machine``: it has no time, no outputs and no memory of what it has read but the state that a run ends
/// in. Hand that state to the next run to read a word in pieces.
public struct Acceptor<State: Hashable & Sendable, Symbol: Hashable & Sendable>: Accepting {
  /// S: the states that the parts below name.
  public let states: Set<State>
  /// Σ: the symbols that some transition reads.
  public let alphabet: Set<Symbol>
  /// δ, by state and then by symbol.
  public let transitions: [State: [Symbol: State]]
  /// s₀.
  public let start: State
  /// F.
  public let finals: Set<State>

  /// - Parameter transitions: A state without a row, or without an entry for some symbol, rejects there.
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

  /// The states that some word leads to.
  ///
  /// - Complexity: O(transitions).
  public var reachableStates: Set<State> {
    var found: Set<State> = [start]
    var waiting = [start]
    while let state = waiting.popLast() {
      for next in (transitions[state] ?? [:]).values where found.insert(next).inserted { waiting.append(next) }
    }
    return found
  }

  /// Whether it accepts any word at all.
  ///
  /// - Complexity: O(transitions).
  public var isEmpty: Bool { reachableStates.isDisjoint(with: finals) }
}
