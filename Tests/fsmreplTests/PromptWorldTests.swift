import Foundation
import TestSupport
import Testing
import UnixHost

@testable import fsmrepl

/// Scripts, batches and time at the prompt, with a daemon of its own.
@Suite(.serialized)
struct PromptWorldTests {
  private let temporary: TemporaryFolder
  private var folder: String { temporary.path }

  init() throws {
    temporary = try TemporaryFolder()
  }

  private func start(_ requests: String..., columns: UInt16 = 120) throws -> Pseudoterminal {
    let terminal = try Pseudoterminal(["--private"], columns: columns)
    try terminal.wait(for: "main real ")
    for request in ["world new w clock=virtual", "use w"] + requests { terminal.type("\(request)\r") }
    return terminal
  }

  private func write(_ text: String, to file: String) throws -> String {
    try text.write(to: URL(filePath: "\(folder)/\(file)"), atomically: true, encoding: .utf8)
    return "\(folder)/\(file)"
  }

  @Test("what 'save' has written can be played")
  func saved() throws {
    let terminal = try start(
      "new shiftKey key", "send key tap", "advance 1s", "save \(folder)/a.fsm", "world new x clock=virtual")
    try terminal.wait(for: "saved")
    terminal.type("use x\rrun \(folder)/a.fsm\r")
    try terminal.wait(for: "✓ timers none")
    terminal.type("expect key on\r")
    #expect(try !terminal.wait(for: "✓ on").contains("error"))
  }

  @Test("a script has repeats, names, checks and documents, and ends at its first failure, which has its place")
  func scripts() throws {
    let path = try write(
      """
      let n = p
      repeat 2 as i
        new power $n$i
      end
      at 5s send p2 buttonClick => on
      expect p2 timers none
      define lamp format=mermaid
      stateDiagram-v2
        [*] --> dark
      enddefine
      new lamp l
      expect l reading volume none
      expect l timers a,b
      new power never
      """, to: "a.fsm")
    let terminal = try start("run \(path)")
    try terminal.wait(for: "p1 created, off  0.000s #1\np2 created, off  0.000s #2\n")
    try terminal.wait(for: "  ✓ on\n  ✓ timers none\n")
    try terminal.wait(for: "l created, dark")
    try terminal.wait(for: "  ✓ reading volume none\n")
    try terminal.wait(for: "not as expected: timers a,b wanted, timers none found\n")
    try terminal.wait(for: "\(path):13:17: EXPECTED; the lines after it were not run\n")
    terminal.type("list\rsync\r")
    #expect(try !terminal.wait(for: "all done").contains("never"))
  }

  @Test("of a script that cannot be played here nothing is")
  func refusedScripts() throws {
    let mistaken = try write("new power p\nsend p buttonClick => onn x y z\nnope\n", to: "mistaken.fsm")
    let watching = try write("new power p\nnever p on\n", to: "watching.fsm")
    let terminal = try start("run \(mistaken)")
    try terminal.wait(for: "\(mistaken):2:")
    try terminal.wait(for: "\(mistaken):3:1:")
    try terminal.wait(for: "error: \(mistaken) has mistakes; nothing was run\n")
    terminal.type("run \(watching)\r")
    try terminal.wait(for: "watching.fsm:2: 'never p on' is for 'fsmrepl run FILE'")
    terminal.type("list\r")
    try terminal.wait(for: "none\n")
    // A script goes to other worlds with its session.
    let moving = try write("world new y clock=virtual\nuse y\nnew power p\n", to: "moving.fsm")
    terminal.type("run \(moving)\r")
    try terminal.wait(for: "p created")
    try terminal.wait(for: "y virtual 0.000> ")
  }

  @Test("a 'begin' in a batch does not end it, and a mistake in a strict one that a file brings counts")
  func batches() throws {
    let path = try write("new power p\nnope\n", to: "a.fsm")
    let terminal = try start("begin", "begin")
    try terminal.wait(for: "'begin' cannot stand between 'begin' and 'end'")
    try terminal.wait(for: "batch> ")
    terminal.type("discard\rbegin\rrun \(path)\rend\r")
    try terminal.wait(for: "nothing was run: 'run \(path)' is a mistake\n")
    terminal.type("begin\r+\r+ created p off\rnew power p\rend\r")
    try terminal.wait(for: "lines of answers, which begin with + - . or *, are passed over\n")
    try terminal.wait(for: "p created")
  }

  @Test("before much time passes a question comes, and nothing has moved then, whoever wrote the line")
  func questions() throws {
    let terminal = try start("new fridge f", "new shiftKey key")
    let path = try write("await key capsLock\nsend key tap\n", to: "a.fsm")
    for (line, answer) in [
      ("await key capsLock", "\r"), ("await key capsLock => TIMEOUT", "n\r"), ("run \(path)", "\u{03}"),
      ("await key capsLock", "\u{04}"), ("await key capsLock | cat", "n\r"),
    ] {
      terminal.type("\(line)\r")
      try terminal.wait(for: "key does not reach capsLock within 1d 00:00:00 and ")
      try terminal.wait(for: "[y/N]> ")
      terminal.type(answer)
      try terminal.wait(for: "not sent: '")
      try terminal.wait(for: "w virtual 0.000> ")
    }
    terminal.type("list\r")
    #expect(try !terminal.wait(for: "key  shiftKey  off").contains("trial"))
    terminal.type("await key capsLock => TIMEOUT\r")
    try terminal.wait(for: "[y/N]> ")
    terminal.type("y\r")
    try terminal.wait(for: "✓ refused TIMEOUT")
    terminal.type("worlds\rsync\r")
    #expect(try !terminal.wait(for: "all done").contains("trial"))
  }

  @Test("a line behind a time is looked at before the time passes")
  func linesBehindTimes() throws {
    let terminal = try start("after 1h nonsense")
    try terminal.wait(for: "error: there is no verb 'nonsense'; no time has passed\n")
    terminal.type("after 1s new power p\r")
    try terminal.wait(for: "p created, off  1.000s #1\n")
  }

  @Test("the name of an event or a machine alone is explained")
  func firstWords() throws {
    let terminal = try start("new shiftKey key", "tap")
    try terminal.wait(for: "'tap' is an event of key: send key tap\n")
    for (line, hint) in [
      ("key Tap", "'tap' is an event of key: send key tap\n"), ("send tap", "'tap' is an event of key: send key tap\n"),
      ("key", "key is a machine: 'show key' tells its state"),
    ] {
      terminal.type("\(line)\r")
      try terminal.wait(for: hint)
    }
    terminal.type("new job print\rcancel\r")
    try terminal.wait(for: "'cancel' is an event of print: send print cancel\n")
    terminal.type("send key tap > out.txt\r")
    try terminal.wait(for: "the words behind 'send' are the machine's own, and so is '>'\n")
    terminal.type("nonsense\rsync\r")
    #expect(try !terminal.wait(for: "all done").contains("is an event"))
  }

  @Test("what wires caused is told of all requests that bring inputs")
  func caused() throws {
    let terminal = try start("new phoneCall call", "cast call.phone goHome")
    try terminal.wait(for: "+2 more: call.tracker ignored, call.tracker ignored\n")
    terminal.type("begin\rsend call.phone openApp\rend\r")
    try terminal.wait(for: "the batch has run, 1 line\n  +2 more: ")
  }

  @Test("for a room the machine that was shown last is shown again when time has moved it")
  func presents() throws {
    let terminal = try Pseudoterminal(["--private", "--present"])
    try terminal.wait(for: "main real ")
    terminal.type("clock virtual\rnew fridge f\r")
    try terminal.wait(for: "f created, cooling")
    try terminal.wait(for: "  f\n\n")
    terminal.type("step\r")
    try terminal.wait(for: "1 timer fired")
    try terminal.wait(for: "  f\n\n")
    terminal.type("advance 1ms\rsync\r")
    #expect(try !terminal.wait(for: "all done").contains("  f\n"))
  }
}
