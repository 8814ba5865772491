import TestSupport
import Testing
import UnixHost

@testable import fsmrepl

/// `quiz` and `cover`, typed at a real terminal with a daemon of its own.
@Suite(.serialized)
struct PracticeTests {
  private func start(_ requests: String..., columns: UInt16 = 100) throws -> Pseudoterminal {
    let terminal = try Pseudoterminal(["--private"], columns: columns)
    try terminal.wait(for: "main real ")
    for request in ["clock virtual"] + requests { terminal.type("\(request)\r") }
    return terminal
  }

  @Test("a quiz asks about each input, says why, and leaves the world as it was")
  func quiz() throws {
    let terminal = try start("new job print", "quiz print")
    try terminal.wait(for: "print is in idle.\n")
    try terminal.wait(for: "send print start\n")
    try terminal.wait(for: "quiz 1/")
    terminal.type("loading\r")
    try terminal.wait(for: "right: idle → loading\n")
    try terminal.wait(for: "send print loaded\n")
    terminal.type("ignored\r")
    let why = try terminal.wait(for: "send print ")
    expect(
      why,
      hasSuffix: "no: refused: it was not started\n  possible now: start\n  would do nothing: reset\n"
        + "  possible in loading, by way of: start\n  ", "\(why)")
    terminal.type("nonsense\r")
    try terminal.wait(for: "print has no state 'nonsense'")
    terminal.type("loding\r")
    try terminal.wait(for: "did you mean loading?")
    terminal.type("q\r")
    try terminal.wait(for: "1 of 2 right\n")
    try terminal.wait(for: "main virtual ")
    terminal.type("worlds\rshow print\r")
    let worlds = try terminal.wait(for: "state      idle")
    expect(!worlds.contains("quiz-"))
    terminal.type("journal print\rsync\r")
    let journal = try terminal.wait(for: "all done")
    expect(journal.contains("created, a job, idle") && !journal.contains("loading"), "\(journal)")
  }

  @Test("a quiz goes on in the next state, to its end")
  func scenes() throws {
    let terminal = try start("new power lamp", "quiz lamp")
    for (input, answer) in [("buttonClick", "on"), ("set on", "on"), ("set off", "ignored")] {
      try terminal.wait(for: "send lamp \(input)\n")
      terminal.type("\(answer)\r")
      try terminal.wait(for: "right: ")
    }
    try terminal.wait(for: "lamp is in on after buttonClick.\n")
    for answer in ["off", "ignored", "off"] {
      try terminal.wait(for: "send lamp ")
      terminal.type("\(answer)\r")
      try terminal.wait(for: "right: ")
    }
    try terminal.wait(for: "6 of 6 right\n")
    try terminal.wait(for: "main virtual ")
  }

  @Test("Ctrl-C and the end of input end a quiz, and not the program")
  func endings() throws {
    let terminal = try start("new power lamp")
    for key in ["\u{3}", "\u{4}"] {
      terminal.type("quiz lamp\r")
      try terminal.wait(for: "quiz 1/6> ")
      terminal.type(key)
      try terminal.wait(for: "nothing was answered\n")
      try terminal.wait(for: "main virtual ")
    }
    terminal.type("\u{4}")
    try expectEqual(terminal.waitForEnding(), .exited(0))
  }

  @Test("Ctrl-C and the end of input end a cover in the same way")
  func endingsOfCover() throws {
    let terminal = try start("new power lamp")
    for key in ["\u{3}", "\u{4}", "q\r"] {
      terminal.type("cover lamp\r")
      try terminal.wait(for: "0 of 4 transitions, 0 %\n")
      try terminal.wait(for: "main virtual ")
      terminal.type(key)
      try terminal.wait(for: "no more is shown of what is untried of lamp\n")
      try terminal.wait(for: "main virtual ")
    }
    terminal.type("send lamp buttonClick\rsync\r")
    try expect(!terminal.wait(for: "all done").contains("transitions"))
    terminal.type("\u{4}")
    try expectEqual(terminal.waitForEnding(), .exited(0))
  }

  @Test("answers are no lines of the history, and the request for a quiz is one")
  func history() throws {
    let terminal = try start("new power lamp", "quiz lamp")
    try terminal.wait(for: "quiz 1/6> ")
    terminal.type("on\r")
    try terminal.wait(for: "quiz 2/6> ")
    terminal.type("q\r")
    try terminal.wait(for: "1 of 1 right\n")
    try terminal.wait(for: "main virtual ")
    terminal.type("\u{1B}[A")
    try terminal.wait(for: "quiz lamp")
  }

  @Test("what cannot be asked about is told")
  func nothing() throws {
    let terminal = try start("quiz nobody")
    try terminal.wait(for: "error: ")
    terminal.type("quiz *\r")
    try terminal.wait(for: "quiz is used as 'quiz NAME'")
    terminal.type("cover nobody\r")
    try terminal.wait(for: "nobody")
    terminal.type("new power lamp\r")
    try terminal.wait(for: "lamp created")
  }

  @Test("the meter follows what is typed, until nothing is missing")
  func cover() throws {
    let terminal = try start("new power lamp", "cover lamp")
    try terminal.wait(for: "0 of 4 transitions, 0 %\n")
    try terminal.wait(for: "off → on by buttonClick\n")
    for (input, taken) in [("buttonClick", 1), ("buttonClick", 2), ("set on", 3)] {
      terminal.type("send lamp \(input)\r")
      try terminal.wait(for: "\(taken) of 4 transitions")
    }
    terminal.type("undo\r")
    try terminal.wait(for: "2 of 4 transitions")
    terminal.type("send lamp set on\r")
    try terminal.wait(for: "3 of 4 transitions")
    terminal.type("send lamp set off\r")
    try terminal.wait(for: "4 of 4 transitions, 100 %\n")
    try terminal.wait(for: "done: every transition of lamp has been taken, with 5 events\n")
    terminal.type("show lamp\r")
    let rest = try terminal.wait(for: "main virtual ")
    expect(!rest.contains("transitions"))
  }

  @Test("q ends the meter, and in a narrow window it fits")
  func narrow() throws {
    let terminal = try start("new shiftKey key", "cover key", columns: 40)
    try terminal.wait(for: "0 of 5")
    terminal.type("q\r")
    terminal.type("show key\r")
    try terminal.wait(for: "state      off")
    let rest = try terminal.wait(for: "main virtual ")
    expect(!rest.contains("transitions"))
  }
}
