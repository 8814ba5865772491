import MachineForms
import StateMachines

/// What the automaton of the example remembers of a word: whether the ones so far are even in number.
enum Parity { case even, odd }

/// Accepts words of `0` and `1` that have an even number of ones, the empty word too.
let evenOnes = Acceptor<Parity, Character>(
  start: .even, finals: [.even],
  transitions: [
    .even: ["0": .even, "1": .odd],
    .odd: ["0": .odd, "1": .even],
  ])

/// Reads a word that comes in two pieces.
///
/// - Returns: Whether the whole is accepted, and how much of the second piece was read.
func readInPieces() -> (isAccepted: Bool, read: Int) {
  let first = evenOnes.run("0110100")
  guard let state = first.state else { return (false, 0) }
  let second = evenOnes.run("1001", from: state, haltOnFinal: false)
  return (second.isAccepted, second.read)  // (false, 4): five ones in all
}
