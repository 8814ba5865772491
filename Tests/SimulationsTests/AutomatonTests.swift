import MachineForms
@testable import Simulations
import MachineTesting
import StateMachines
import TestSupport
import Testing

struct AutomatonTests {
  private static let parity: [String: Value] = [
    "states": .text("even,odd"), "alphabet": .text("01"), "accepting": .text("even"),
    "transitions": .text("even:0:even,even:1:odd,odd:0:odd,odd:1:even"),
  ]

  private static func after(_ word: String, end: Bool = false) -> @Sendable () -> Bench {
    {
      let bench = Bench(Automaton.kind, Self.parity)
      bench.send("text", .text(word))
      if end { bench.send("end") }
      return bench
    }
  }

  @Test("all pairs")
  func pairs() {
    Table(
      Automaton.kind, with: Self.parity,
      rows: [
        "after 1": Self.after("1"), "after 11": Self.after("11"), "after 12": Self.after("12"),
        "after 11, end": Self.after("11", end: true), "after 1, end": Self.after("1", end: true),
      ],
      """
      state         | text(1)     | text(11)    | text(02)    | char(0)     | char(x)     | end                     | reset
      reading       | → accepting | ⟲           | → rejecting | ⟲           | → rejecting | → rejected > rejected 0 | → accepting
      accepting     | → reading   | ⟲           | → rejecting | ⟲           | → rejecting | → accepted > accepted 0 | ⟲
      after 1       | → accepting | ⟲           | → rejecting | ⟲           | → rejecting | → rejected > rejected 1 | → accepting
      after 11      | → reading   | ⟲           | → rejecting | ⟲           | → rejecting | → accepted > accepted 2 | ⟲
      rejecting     | ⟲           | ⟲           | ⟲           | ⟲           | ⟲           | → rejected > rejected 0 | → accepting
      after 12      | ⟲           | ⟲           | ⟲           | ⟲           | ⟲           | → rejected > rejected 2 | → accepting
      accepted      | refuse      | refuse      | refuse      | refuse      | refuse      | refuse                  | → accepting
      rejected      | refuse      | refuse      | refuse      | refuse      | refuse      | refuse                  | → accepting
      after 11, end | refuse      | refuse      | refuse      | refuse      | refuse      | refuse                  | → accepting
      after 1, end  | refuse      | refuse      | refuse      | refuse      | refuse      | refuse                  | → accepting
      """
    ).check()
  }

  @Test("a word is judged as the automaton of the form judges it, however it is cut", arguments: 0..<64)
  func words(number: Int) throws {
    let word = String(number, radix: 2)
    let acceptor = Automaton.Parameters().automaton
    let whole = Bench(Automaton.kind, Self.parity)
    whole.send("text", .text(word))
    let cut = Bench(Automaton.kind, Self.parity)
    for character in word { cut.send("char", .text(String(character))) }
    expect(whole.state() == cut.state() && whole.reading("at") == cut.reading("at"))
    expectEqual(whole.reading("length"), .integer(word.count))
    whole.send("end")
    expectEqual((whole.state() == "accepted"), acceptor.accepts(word.unicodeScalars), "\(word)")
    expectEqual(acceptor.accepts(word.unicodeScalars), (number.nonzeroBitCount % 2 == 0), "\(word)")
  }

  @Test("the state of the automaton is a reading, and there is none once the word is judged")
  func place() {
    let bench = Bench(Automaton.kind, Self.parity)
    expectEqual(bench.reading("at"), .text("even"))
    bench.send("text", .text("1"))
    expectEqual(bench.reading("at"), .text("odd"))
    bench.send("end")
    expectNil(bench.reading("at"))
  }

  @Test("haltOnFinal: the first accepting state ends the work, at the beginning too")
  func halt() {
    var parts = Self.parity
    parts["haltOnFinal"] = .flag(true)
    expectEqual(Bench(Automaton.kind, parts).lines, ["0.000 m created accepted > accepted 0"])
    parts["accepting"] = .text("odd")
    let bench = Bench(Automaton.kind, parts)
    expectEqual(bench.send("text", .text("00100")), "moved reading accepted event=text > accepted 3")
  }

  @Test("a state that the parts rule out is the start as it really is")
  func ruledOut() {
    func made(_ initial: String, accepting: String, halts: Bool = false) -> String {
      var parts = Self.parity
      parts["accepting"] = .text(accepting)
      parts["haltOnFinal"] = .flag(halts)
      let bench = Bench(Automaton.kind, initial: initial, parts)
      return
        ([bench.lines[0].replacing("0.000 m created ", with: "")] + [bench.reading("at")].compactMap { $0?.printed })
        .joined(separator: " at ")
    }
    expectEqual(made("accepting", accepting: ""), "reading at even")
    expectEqual(made("accepted", accepting: ""), "reading at even")
    expectEqual(made("reading", accepting: "odd,even"), "accepting at even")
    expectEqual(made("reading", accepting: "odd,even", halts: true), "accepted > accepted 0")
    expectEqual(made("accepting", accepting: "odd", halts: true), "reading at even")
    expectEqual(made("accepting", accepting: "even", halts: true), "accepted > accepted 0")
    expectEqual(made("accepting", accepting: "odd"), "accepting at odd")
    expectEqual(made("rejected", accepting: "odd,even"), "rejected")
  }

  @Test("parts that do not fit each other are conflicts of the part that is wrong")
  func conflicts() {
    func conflict(_ change: (inout Automaton.Parameters) -> Void) -> String? {
      var parameters = Automaton.Parameters()
      change(&parameters)
      return parameters.conflict?.parameter
    }
    expectNil(conflict { _ in })
    expectEqual(conflict { $0.states = "even,even" }, "states")
    expectEqual(conflict { $0.states = "even,,odd" }, "states")
    expectEqual(conflict { $0.transitions = "even:0:odd,even:0:even" }, "transitions")
    expectEqual(conflict { $0.transitions = "even:2:odd" }, "transitions")
    expectEqual(conflict { $0.transitions = "even:0:nowhere" }, "transitions")
    expectEqual(conflict { $0.transitions = "even:0" }, "transitions")
    expectEqual(conflict { $0.accepting = "even,other" }, "accepting")
    expectNil(conflict { $0.accepting = "" })
    expectNil(conflict { $0.transitions = "" })
  }

  @Test("a machine that was written with a state that its automaton has not is not read")
  func validity() {
    var machine = Automaton()
    machine.state = .reading("odd", length: 1)
    expect(machine.isValid(for: Automaton.Parameters()))
    machine.state = .accepting("nowhere", length: 1)
    expect(!machine.isValid(for: Automaton.Parameters()))
  }
}
