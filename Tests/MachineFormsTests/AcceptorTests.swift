import MachineForms
import StateMachines
import TestSupport
import Testing

struct AcceptorTests {
  @Test("the example accepts what it says")
  func example() {
    expect(evenOnes.accepts("1001"))
    expect(evenOnes.accepts(""))
    expect(!evenOnes.accepts("1000"))
    expect(readInPieces() == (false, 4))
  }

  @Test("the five parts are those that were written down")
  func parts() {
    expectEqual(evenOnes.states, [.even, .odd])
    expectEqual(evenOnes.alphabet, ["0", "1"])
    expectEqual(evenOnes.start, .even)
    expectEqual(evenOnes.finals, [.even])
    expectEqual(evenOnes.next(.even, "1"), .odd)
  }

  @Test("where there is no transition the word is rejected, whatever follows")
  func partial() {
    expectEqual(evenOnes.run("102"), AcceptorRun(state: nil, read: 2, isAccepted: false))
    expect(!evenOnes.accepts("2"))
    expect(!evenOnes.accepts("1021"))
    expect(!evenOnes.accepts("11 "))
  }

  /// Finds `ab`: state 2 is reached when it has been read.
  private let ab = Acceptor<Int, Character>(
    start: 0, finals: [2], transitions: [0: ["a": 1, "b": 0], 1: ["a": 1, "b": 2], 2: ["a": 2, "b": 2]])

  @Test("a run that halts stops at the first final state, one that does not reads on")
  func halting() {
    expectEqual(ab.run("baabba", haltOnFinal: true), AcceptorRun(state: 2, read: 4, isAccepted: true))
    expectEqual(ab.run("baabba"), AcceptorRun(state: 2, read: 6, isAccepted: true))
    expectEqual(ab.run("baaxab", haltOnFinal: true), AcceptorRun(state: nil, read: 3, isAccepted: false))
    expectEqual(ab.run("a", from: 2, haltOnFinal: true), AcceptorRun(state: 2, read: 0, isAccepted: true))
    expectEqual(evenOnes.run("11", haltOnFinal: true).read, 0)
  }

  @Test("halting changes where a run ends, not whether a word without continuation is accepted")
  func agreement() {
    func words(_ length: Int) -> [String] { length == 0 ? [""] : words(length - 1).flatMap { [$0 + "a", $0 + "b"] } }
    for word in (0...8).flatMap(words) {
      expectEqual(ab.accepts(word), word.contains("ab"), "\(word)")
      expectEqual(ab.run(word, haltOnFinal: true).isAccepted, word.contains("ab"), "\(word)")
    }
  }

  @Test("states that no word leads to, and automata that read nothing")
  func reachable() {
    let island = Acceptor<Int, Character>(start: 0, finals: [3], transitions: [0: ["a": 1], 2: ["a": 3]])
    expectEqual(island.states, [0, 1, 2, 3])
    expect(!island.accepts("a"))
    let nothingToRead = Acceptor<Int, Character>(start: 0, finals: [0], transitions: [:])
    expect(nothingToRead.accepts(""))
    expect(!nothingToRead.accepts("a"))
  }
}
