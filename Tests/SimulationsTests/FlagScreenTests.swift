import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct FlagScreenTests {
  private static let flags = ["waiting", "repeated", "error", "systemError", "items"]

  /// A screen on which these flags were raised, one after the other.
  private func screen(_ raised: some Sequence<String>) -> Bench {
    let bench = Bench(FlagScreen.kind)
    for flag in raised { bench.send("set", .text(flag), .flag(true)) }
    return bench
  }

  /// The combination of flags with a number from 0 to 31.
  private func combination(_ number: Int) -> [String] {
    Self.flags.indices.filter { number >> $0 & 1 == 1 }.map { Self.flags[$0] }
  }

  @Test("all pairs, from the fewest flags that show each state")
  func pairs() {
    Table(
      FlagScreen.kind,
      """
      state           | set(waiting,true) | set(waiting,false) | set(repeated,true) | set(repeated,false) | set(error,true) | set(error,false) | set(systemError,true) | set(systemError,false) | set(items,true) | set(items,false)
      firstWaiting    | ignore            | → noData           | → repeatedWaiting  | ignore              | ⟲               | ignore           | ⟲                     | ignore                 | ⟲               | ignore
      repeatedWaiting | ignore            | → noData           | ignore             | → firstWaiting      | ⟲               | ignore           | ⟲                     | ignore                 | ⟲               | ignore
      alert           | → firstWaiting    | ignore             | ⟲                  | ignore              | ignore          | → noData         | ignore                | → toast                | ⟲               | ignore
      toast           | → firstWaiting    | ignore             | ⟲                  | ignore              | ignore          | → noData         | → alert               | ignore                 | ⟲               | ignore
      data            | → firstWaiting    | ignore             | ⟲                  | ignore              | → toast         | ignore           | ⟲                     | ignore                 | ignore          | → noData
      noData          | → firstWaiting    | ignore             | ⟲                  | ignore              | → toast         | ignore           | ⟲                     | ignore                 | → data          | ignore
      """
    ).check()
  }

  @Test("the ladder, for each of the 32 combinations")
  func ladder() {
    for number in 0..<32 {
      let raised = Set(combination(number))
      let shown =
        switch (raised.contains("waiting"), raised.contains("error")) {
        case (true, _): raised.contains("repeated") ? "repeatedWaiting" : "firstWaiting"
        case (false, true): raised.contains("systemError") ? "alert" : "toast"
        case (false, false): raised.contains("items") ? "data" : "noData"
        }
      let bench = screen(raised.sorted())
      expectEqual(bench.state(), shown, "\(raised)")
      for flag in Self.flags { expectEqual(bench.reading(flag), .flag(raised.contains(flag)), "\(flag) of \(raised)") }
    }
  }

  @Test("the ladder in the steps in which it grew", arguments: ["2", "3", "4", "whole"])
  func steps(branches: String) {
    for number in 0..<32 {
      let raised = Set(combination(number))
      let bench = Bench(FlagScreen.kind, ["branches": .text(branches)])
      for flag in raised.sorted() { bench.send("set", .text(flag), .flag(true)) }
      let isWhole = branches == "whole"
      let shown =
        if raised.contains("waiting"), isWhole || branches == "4" {
          isWhole && raised.contains("repeated") ? "repeatedWaiting" : "firstWaiting"
        } else if raised.contains("error") {
          isWhole && raised.contains("systemError") ? "alert" : "toast"
        } else {
          raised.contains("items") || branches == "2" ? "data" : "noData"
        }
      expectEqual(bench.state(), shown, "\(raised)")
    }
  }

  /// The screen of `comments` with two additions: a repeated wait, which keeps the old content, and two kinds of
  /// errors. It has no case for an impossible combination.
  private enum Extended: Hashable {
    case waiting(Wait)
    case error(system: Bool, hasContent: Bool)
    case data, noData

    enum Wait: Hashable {
      case first
      case repeated(hasContent: Bool)
    }

    enum Signal: CaseIterable { case receivedSome, receivedNone, failed, systemFailed, reload }

    func next(with signal: Signal) -> Extended {
      switch (self, signal) {
      case (.waiting, .receivedSome): .data
      case (.waiting, .receivedNone): .noData
      case (.waiting, .failed): .error(system: false, hasContent: hasContent)
      case (.waiting, .systemFailed): .error(system: true, hasContent: hasContent)
      case (.waiting, .reload): self
      case (.error, .reload), (.data, .reload), (.noData, .reload): .waiting(.repeated(hasContent: hasContent))
      case (.error, _), (.data, _), (.noData, _): self  // Too late.
      }
    }

    var hasContent: Bool {
      switch self {
      case .waiting(.first), .noData: false
      case .waiting(.repeated(let hasContent)), .error(_, let hasContent): hasContent
      case .data: true
      }
    }

    var shown: String {
      switch self {
      case .waiting(.first): "firstWaiting"
      case .waiting(.repeated): "repeatedWaiting"
      case .error(let system, _): system ? "alert" : "toast"
      case .data: "data"
      case .noData: "noData"
      }
    }

    /// The flags that a screen driven by flags must raise for this state.
    var flags: Set<String> {
      let content: Set<String> = hasContent ? ["items"] : []
      return switch self {
      case .waiting(.first): ["waiting"]
      case .waiting(.repeated): content.union(["waiting", "repeated"])
      case .error(let system, _): content.union(system ? ["error", "systemError"] : ["error"])
      case .data, .noData: content
      }
    }
  }

  @Test(
    "after every history of signals the flags show what the states show",
    arguments: Thorough.rounds(0..<50 as Range<UInt64>))
  func histories(seed: UInt64) throws {
    var generator = Generator(salt: seed)
    var extended = Extended.waiting(.first)
    let bench = screen(["waiting"])
    for _ in 0..<100 {
      let signal = try #require(Extended.Signal.allCases.randomElement(using: &generator))
      extended = extended.next(with: signal)
      // Flags are set one by one, in any order; the screens in between are not checked.
      for flag in Self.flags.shuffled(using: &generator) {
        bench.send("set", .text(flag), .flag(extended.flags.contains(flag)))
      }
      expectEqual(bench.state(), extended.shown, "\(signal), seed \(seed)")
      expectEqual(bench.reading("fictitious"), .flag(false), "\(extended), seed \(seed)")
    }
  }

  @Test("of the 32 combinations 9 can come about, and only those cannot be called fictitious")
  func fictitious() {
    var reached: Set<Extended> = [.waiting(.first)]
    var new = reached
    while !new.isEmpty {
      new = Set(new.flatMap { state in Extended.Signal.allCases.map(state.next) }).subtracting(reached)
      reached.formUnion(new)
    }
    let real = Set(reached.map(\.flags))
    expectEqual(real.count, 9)
    for number in 0..<32 {
      let raised = combination(number)
      expectEqual(screen(raised).reading("fictitious"), .flag(!real.contains(Set(raised))), "\(raised)")
    }
  }

  @Test("where nothing is repeated and no error is the system's, the screen of comments is the same")
  func comments() {
    let answers: [([Value], event: String, flags: Set<String>)] = [
      ([.integer(3)], "received", ["items"]), ([.integer(0)], "received", []),
      ([.text("timeout")], "failed", ["error"]),
    ]
    let words = ["data": "data", "noData": "noData", "error": "toast", "waitingData": "firstWaiting"]
    for answer in answers {
      let comments = Bench(Comments.kind, ["service": .text("manual")])
      comments.send("viewAppeared")
      let flags = screen(["waiting"])
      expectEqual(words[comments.word()], flags.state())
      comments.send(answer.event, answer.0)
      for flag in Self.flags { flags.send("set", .text(flag), .flag(answer.flags.contains(flag))) }
      expectEqual(words[comments.word()], flags.state())
    }
  }
}
