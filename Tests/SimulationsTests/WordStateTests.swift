import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct WordStateTests {
  private func after(_ kind: Kind, _ events: String...) -> Bench {
    let bench = Bench(kind, ["pattern": .text("(ab|c)*d")])
    for event in events {
      if event == "end" { bench.send("end") } else { bench.send("text", .text(event)) }
    }
    return bench
  }

  @Test("acceptor: all pairs")
  func acceptor() {
    Table(
      WordAcceptor.kind,
      rows: [
        "after abd": { after(WordAcceptor.kind, "abd") },
        "after a": { after(WordAcceptor.kind, "a") },
        "after abd, end": { after(WordAcceptor.kind, "abd", "end") },
        "after abda, end": { after(WordAcceptor.kind, "abda", "end") },
      ],
      """
      state           | text(abd)    | text(ab)    | char(d)      | char(x)      | end                     | reset
      reading         | → accepting  | ⟲           | → accepting  | → rejecting  | → rejected > rejected 0 | ⟲
      after a         | → rejecting  | → rejecting | → rejecting  | → rejecting  | → rejected > rejected 1 | ⟲
      accepting       | → rejecting  | → rejecting | → rejecting  | → rejecting  | → accepted > accepted 0 | → reading
      after abd       | → rejecting  | → rejecting | → rejecting  | → rejecting  | → accepted > accepted 3 | → reading
      rejecting       | ⟲            | ⟲           | ⟲            | ⟲            | → rejected > rejected 0 | → reading
      accepted        | refuse       | refuse      | refuse       | refuse       | refuse                  | → reading
      rejected        | refuse       | refuse      | refuse       | refuse       | refuse                  | → reading
      after abd, end  | refuse       | refuse      | refuse       | refuse       | refuse                  | → reading
      after abda, end | refuse       | refuse      | refuse       | refuse       | refuse                  | → reading
      """
    ).check()
  }

  @Test("regex: all pairs")
  func regex() {
    Table(
      RegexMatcher.kind,
      rows: [
        "after abd": { after(RegexMatcher.kind, "abd") },
        "after abd, end": { after(RegexMatcher.kind, "abd", "end") },
      ],
      """
      state          | text(abd)   | text(ab)    | char(d)     | char(x)     | end                     | reset
      reading        | → accepting | ⟲           | → accepting | → rejecting | → rejected > rejected 0 | ⟲
      accepting      | → rejecting | → rejecting | → rejecting | → rejecting | → accepted > accepted 0 | → reading
      after abd      | → rejecting | → rejecting | → rejecting | → rejecting | → accepted > accepted 3 | → reading
      rejecting      | ⟲           | ⟲           | ⟲           | ⟲           | → rejected > rejected 0 | → reading
      accepted       | → accepting | → reading   | → accepting | → rejecting | → rejected > rejected 0 | → reading
      rejected       | → accepting | → reading   | → accepting | → rejecting | → rejected > rejected 0 | → reading
      after abd, end | → accepting | → reading   | → accepting | → rejecting | → rejected > rejected 0 | → reading
      """
    ).check()
  }

  @Test("the words of the example, in one piece and character by character", arguments: ["acceptor", "regex"])
  func words(name: String) throws {
    guard case .machine(let kind)? = Catalogue.simulations[name] else { return }
    for (word, isAccepted) in [
      ("d", true), ("abd", true), ("cabcd", true), ("", false), ("ab", false), ("abda", false),
    ] {
      for pieces in [[word], word.map { String($0) }] {
        let bench = Bench(kind, ["pattern": .text("(ab|c)*d")])
        for piece in pieces { bench.send(piece.count == 1 ? "char" : "text", .text(piece)) }
        expect(bench.send("end"), hasSuffix: " > \(isAccepted ? "accepted" : "rejected") \(word.count)", "\(word)")
        expectEqual(bench.state(), (isAccepted ? "accepted" : "rejected"))
      }
    }
  }

  @Test("an automaton that halts does so at its first final state and reads no further")
  func halting() {
    func bench(_ pattern: String) -> Bench {
      Bench(WordAcceptor.kind, ["pattern": .text(pattern), "haltOnFinal": .flag(true)])
    }
    let finder = bench(".*spam")
    expectEqual(finder.send("text", .text("no sp")), "stayed reading event=text")
    expectEqual(finder.send("text", .text("am, spam")), "moved reading accepted event=text > accepted 7")
    expectEqual(
      finder.send("char", .text("x")), "refused accepted event=char : the word was accepted; send reset to start again")
    expectEqual(finder.send("reset"), "moved accepted reading event=reset")
    expectEqual(finder.send("end"), "moved reading rejected event=end > rejected 0")
    let nothing = bench("a*")
    expectEqual(nothing.lines, ["0.000 m created accepted > accepted 0"])
    expectEqual(nothing.send("reset"), "stayed accepted event=reset > accepted 0")
    expectEqual(Bench(WordAcceptor.kind, initial: "accepting", ["haltOnFinal": .flag(true)]).state(), "accepted")
  }

  @Test("how long a word is, and how much of it was all right")
  func readings() {
    let bench = Bench(RegexMatcher.kind, ["pattern": .text("(ab|c)*d")])
    bench.send("text", .text("abcab"))
    expectEqual(bench.reading("length"), .integer(5))
    expectNil(bench.reading("good"))
    bench.send("text", .text("xy"))
    bench.send("char", .text("d"))
    expectEqual(bench.reading("length"), .integer(8))
    expectEqual(bench.reading("good"), .integer(5))
    expectEqual(bench.send("end"), "moved rejecting rejected event=end > rejected 8")
    expectEqual(bench.send("text", .text("d")), "moved rejected accepting event=text")
    expectEqual(bench.reading("length"), .integer(1))
  }

  @Test("a pattern that is none is refused, with where and what")
  func conflicts() {
    for kind in [WordAcceptor.kind, RegexMatcher.kind] {
      let place = kind.parameters.firstIndex { $0.name == "pattern" }!
      let pool = kind.makeParameterPool()
      #expect(
        throws: ParameterConflict("pattern", allowed: "a regular expression; character 3: ')' closes nothing")
      ) { try pool.intern([(place, .text("ab)d"))]) }
      #expect(throws: Never.self) { try pool.intern([(place, .text(""))]) }
    }
  }
}
