import Foundation
import Synchronization
import TestSupport
import Testing
import UnixHost

@testable import fsmrepl

/// Words, programs, pages and questions of the prompt, at a real terminal.
@Suite(.serialized)
struct PromptWordsTests {
  private let temporary: TemporaryFolder
  private var folder: String { temporary.path }

  init() throws {
    temporary = try TemporaryFolder()
  }

  /// A daemon that lists sixty machines and knows a key.
  private func server() throws -> FakeServer {
    let seconds = Mutex(0)
    return try FakeServer { request in
      switch request {
      case "begin", "begin strict": ["+ @"]
      case "list": (1...60).map { ". @ m\($0) power off" } + ["+ @ 60"]
      case "list m1": [". @ m1 power \"a\\nb\u{1B}[2J\"", "+ @ 1"]
      case "list none": ["+ @ 0"]
      case "graph key format=svg": [". @ <svg>", ". @ </svg>", "+ @ 2"]
      case "send key tap": ["+ @ moved off on t=0.000 seq=2"]
      case "send key no": ["- @ REFUSED machine=key state=off event=no t=0.000 seq=3 : no"]
      case "advance until 5s": ["+ @ advanced fired=1 t=5.000 seq=2"]
      case "advance until 1s": ["- @ BAD-ARGUMENT t=5.000 : it is later already"]
      case "advance 2s": ["+ @ advanced fired=0 t=7.000 seq=2"]
      case "send key wired": ["+ @ moved off on t=0.000 seq=2 outputs=text"]
      case "journal since=3 limit=100":
        [
          ". @ 3 0.000 light moved off on wire=key.text", ". @ 4 0.000 tracker ignored none wire=light.lit",
          ". @ 5 0.000 other moved a b event=x", "+ @ 3",
        ]
      case "clock": ["+ @ clock virtual speed=1 paused=no t=\(seconds.withLock { $0 }).000 seq=0"]
      case "watch *": ["+ @ watching 1"]
      case "show endless": []
      case "cancel": ["- @.1 CANCELLED", "+ @"]
      default: ["+ @ echo \"\(request)\""]
      }
    }
  }

  private func start(
    _ server: FakeServer, _ arguments: [String] = [], columns: UInt16 = 80, pager: String = "cat",
    variables: [String] = [], hasColours: Bool = false
  ) throws -> Pseudoterminal {
    let terminal = try Pseudoterminal(
      ["--socket", server.path] + arguments, columns: columns, variables: ["PAGER=\(pager)"] + variables,
      hasColours: hasColours)
    try terminal.wait(for: "> ")
    return terminal
  }

  private func text(of file: String) throws -> String {
    try String(contentsOf: URL(filePath: "\(folder)/\(file)"), encoding: .utf8)
  }

  private func write(_ text: String, to file: String) throws {
    try text.write(to: URL(filePath: "\(folder)/\(file)"), atomically: true, encoding: .utf8)
  }

  @Test("words of the prompt work without a daemon's help")
  func words() throws {
    let server = try server()
    let terminal = try start(server)
    terminal.type("version\r")
    try terminal.wait(for: "fsmrepl 0.1.0, fsmd 0 on \(server.path)\n")
    terminal.type("help times\r")
    try terminal.wait(for: "250ms")
    try terminal.wait(for: "> ")
    terminal.type("repeat 3\r")
    try terminal.wait(for: "'repeat' is for scripts: 'run FILE' plays a file with it here")
    terminal.type("> send key tap\r")
    try terminal.wait(for: "off → on  0.000s #2\n")
    terminal.type("clear\r")
    try terminal.wait(for: "clear\n")
    try terminal.wait(for: "main virtual")
    expect(terminal.written.contains(Array("\u{1B}[H\u{1B}[2J".utf8)))
    terminal.type("?\r")
    try terminal.wait(for: "REQUEST > FILE")
    try terminal.wait(for: "main virtual")
    terminal.type("help run\r")
    try terminal.wait(for: "plays a script in the present world")
    terminal.type("? |\r")
    try terminal.wait(for: "gives the listed rows to a shell command\n")
  }

  @Test("the prompt is left with other words, too", arguments: ["exit\r", "\\q\r"])
  func leaves(keys: String) throws {
    let server = try FakeServer { $0 == "quit" ? ["+ @", "! bye reason=quit"] : ["+ @"] }
    let terminal = try start(server)
    terminal.type(keys)
    try expectEqual(terminal.waitForEnding(), .exited(0))
    expect(terminal.isRestored)
  }

  @Test("times and outcomes at the prompt")
  func timesAndOutcomes() throws {
    let server = try server()
    let terminal = try start(server)
    terminal.type("at 5s send key tap => on\r")
    try terminal.wait(for: "1 timer fired  5.000s #2\n")
    try terminal.wait(for: "off → on  0.000s #2\n  ✓ on\n")
    terminal.type("at 1s send key tap\r")
    try terminal.wait(for: "error: it is later already; no time has passed\n")
    terminal.type("after 2s send key tap => moved on off\r")
    try expect(!terminal.wait(for: "off → on  0.000s #2\n").contains("fired"))
    try terminal.wait(for: "not as expected: moved on off wanted, moved off on found\n")
    terminal.type("send key no => refused\r")
    try terminal.wait(for: "refused: no  0.000s #3\n")
    try terminal.wait(for: "  ✓ refused\n")
  }

  @Test("a file of requests is played up to the first that fails")
  func runs() throws {
    try write("# remark\nsend key tap => on\nafter 2s send key tap\n\nsend key no\nsend key tap\n", to: "a.fsm")
    let server = try server()
    let terminal = try start(server)
    terminal.type("run \(folder)/a.fsm\r")
    try terminal.wait(
      for: "off → on  0.000s #2\n  ✓ on\n0 timers fired  7.000s #2\noff → on  0.000s #2\nrefused: no  0.000s #3\n")
    try terminal.wait(for: "\(folder)/a.fsm:5:10: REFUSED; the lines after it were not run\n")
    terminal.type("fine\r")
    try expect(!terminal.wait(for: "echo  fine\n").contains("off → on"))
    terminal.type("run \(folder)\r")
    try terminal.wait(for: "error: \(folder): it is a folder, not a regular file\n")
    terminal.type("run \(folder)/none\r")
    try terminal.wait(for: "No such file or directory\n")
  }

  @Test("Ctrl-C ends a file that is played")
  func interruptsRun() throws {
    try write("show endless\nlist\nsend key tap\n", to: "a.fsm")
    let server = try server()
    let terminal = try start(server)
    terminal.type("run \(folder)/a.fsm\r")
    try terminal.wait(for: "…> ")
    terminal.type("\u{03}")
    // What is said of the file is said last, and once.
    try terminal.wait(for: "cancelled\n\(folder)/a.fsm:1:1: CANCELLED; the lines after it were not run\n")
    terminal.type("fine\r")
    let rest = try terminal.wait(for: "echo  fine\n")
    expect(!rest.contains("off → on") && !rest.contains("not run"), "\(rest)")
  }

  @Test("what a request lists goes to a command or a file, as a program reads it")
  func destinations() throws {
    let server = try server()
    let terminal = try start(server)
    terminal.type("list | sort -r | head -1\r")
    try terminal.wait(for: "m9 power off\n")
    try terminal.wait(for: "> ")
    terminal.type("list none | wc -l\r")
    try terminal.wait(for: "0\n")
    // What a terminal would obey does not get to it through a command either.
    terminal.type("list m1 | cat\r")
    try terminal.wait(for: "m1 power \"a\\nb\\e[2J\"\n")
    try terminal.wait(for: "> ")
    terminal.type("graph key > \(folder)/key.svg\r")
    try terminal.wait(for: "wrote \(folder)/key.svg, 2 lines\n")
    try expectEqual(text(of: "key.svg"), "<svg>\n</svg>\n")
    try terminal.wait(for: "main virtual 0.000> ")
    terminal.type("list m1 > \(folder)/m1\r")
    try terminal.wait(for: "wrote \(folder)/m1, 1 line\n")
    try expectEqual(text(of: "m1"), "m1 power \"a\\nb\u{1B}[2J\"\n")
    terminal.type("send key tap > \(folder)/x\r")
    try terminal.wait(for: "echo  send key tap > ")
    expect(access("\(folder)/x", F_OK) != 0)
    terminal.type("list > /dev/null\r")
    try terminal.wait(for: "error: /dev/null: it is a device, not a regular file\n")
    terminal.type("expect key on > \(folder)/x\r")
    try terminal.wait(for: "main virtual 0.000> ")
    for (line, answer) in [
      ("list >exist", "a blank must follow '>': '> exist'"), ("list |", "a command of the shell must follow '|'"),
      ("list >> f", "no answer is added to a file"),
    ] {
      terminal.type("\(line)\r")
      try terminal.wait(for: "error: \(answer)")
    }
  }

  @Test("a command that ends early or is not there is harmless")
  func brokenPipes() throws {
    let server = try server()
    let terminal = try start(server)
    for command in ["list | true", "list | nonesuch", "! exit 3", "! kill -9 $$", "list | head -1"] {
      terminal.type("\(command)\r")
      try terminal.wait(for: "main virtual 0.000> ")
    }
    terminal.type("fine\r")
    try terminal.wait(for: "echo  fine\n")
  }

  @Test("Ctrl-C and Ctrl-Z are those of the command that has the terminal, which is taken back as it was")
  func foreground() throws {
    let server = try server()
    let terminal = try start(server)
    terminal.type("! stty -echo; echo up; cat\r")
    try terminal.wait(for: "up\n")
    terminal.type("to the command\r")
    try terminal.wait(for: "to the command\n")
    server.say("* 3 1.000 key dropped")
    terminal.type("\u{03}")
    // What came meanwhile is shown now.
    try terminal.wait(for: "1.000  key  dropped\n")
    try terminal.wait(for: "main virtual 1.000> ")
    terminal.type("fine\r")
    try terminal.wait(for: "fine\n")
    try terminal.wait(for: "echo  fine\n")
    terminal.type("\u{04}")
    try expectEqual(terminal.waitForEnding(), .exited(0))
    expect(terminal.isRestored)
  }

  @Test("a long answer goes to the pager, a short one to the screen")
  func pages() throws {
    let server = try server()
    let terminal = try start(server, pager: "echo PAGED; cat; echo END")
    terminal.type("send key tap\r")
    try expect(!terminal.wait(for: "off → on  0.000s #2\n").contains("PAGED"))
    terminal.type("list\r")
    try terminal.wait(for: "PAGED\n")
    try expectEqual(terminal.wait(for: "END\n").split(separator: "\n").count, 61)
    try terminal.wait(for: "main virtual 0.000> ")
    // While something is watched, its notices are to be seen when they come.
    terminal.type("watch *\r")
    try terminal.wait(for: "1 watch\n")
    terminal.type("list\r")
    try expect(!terminal.wait(for: "m60  power  off\n").contains("PAGED"))
  }

  @Test("the pager of most says which keys go on and back, and other pagers are left alone")
  func pagerPrompt() throws {
    let said = "s?eq goes back:space goes on, q goes back."
    expectEqual(Pager.command(for: nil, hasLess: true), "exec less -FRX '-P\(said)'")
    expectNil(Pager.command(for: nil, hasLess: false))
    for none in ["", " ", "cat"] { expectNil(Pager.command(for: none, hasLess: true)) }
    // As the shell expands it: the dollar ends the text.
    let server = try server()
    let terminal = try start(server, pager: "echo \"[$LESS]\"; cat")
    terminal.type("list\r")
    try terminal.wait(for: "[FRXP\(said)$]\n")
  }

  @Test(
    "a pager that ends early, is killed or is not there is harmless",
    arguments: ["head -n 1", "kill -9 $$", "true", "nonesuch", "exit 1", "", " "])
  func brokenPagers(pager: String) throws {
    let server = try server()
    let terminal = try start(server, pager: pager)
    terminal.type("list\r")
    if ["nonesuch", "", "exit 1", " "].contains(pager) { try terminal.wait(for: "m60  power  off\n") }
    try terminal.wait(for: "main virtual 0.000> ")
    terminal.type("fine\r")
    try terminal.wait(for: "echo  fine\n")
    terminal.type("\u{04}")
    try expectEqual(terminal.waitForEnding(), .exited(0))
    expect(terminal.isRestored)
  }

  @Test("a prompt that ends while a pager shows an answer writes nothing into it")
  func endsInPager() throws {
    let server = try FakeServer { request in
      request == "list" ? (1...60).map { ". @ m\($0) power off" } + ["+ @ 60", "! bye reason=quit"] : ["+ @"]
    }
    // It goes on when the pipe of the answer is closed, and a line is typed.
    let terminal = try start(server, pager: "cat; read line </dev/tty; echo END")
    terminal.type("list\r")
    try terminal.wait(for: "m60  power  off\n")
    terminal.type("\r")
    let shown = try terminal.wait(for: "END")
    expect(!shown.contains("> "), "\(shown)")
    try expectEqual(terminal.waitForEnding(), .exited(0))
  }

  @Test("Ctrl-C ends that an answer is shown")
  func endsShowing() throws {
    let server = try FakeServer { request in
      request == "list" ? (1...50_000).map { ". @ m\($0) power off" } + ["+ @ 50000"] : ["+ @ echo"]
    }
    let terminal = try start(server)
    terminal.type("list\r")
    // The terminal takes no more before this reads it.
    try terminal.wait(for: "m1  ")
    terminal.type("\u{03}")
    let shown = try terminal.wait(for: "no more is shown of 'list'\n")
    expect(!shown.contains("m50000"))
    terminal.type("show p\r")
    try expect(!terminal.wait(for: "echo").contains("m50000"))
  }

  @Test("a pager that is not there loses nothing of an answer that is still coming")
  func missingPager() throws {
    let server = try FakeServer { request in
      request == "list" ? (1...1200).map { ". @ m\($0) power off" } : ["+ @ echo \"\(request)\""]
    }
    let terminal = try start(server, pager: "nonesuch")
    terminal.type("list\r")
    try terminal.wait(for: "m1 ")
    for number in 1201...2500 { server.say(". @.1 m\(number) power off") }
    server.say("+ @.1 2500")
    let shown = try terminal.wait(for: "m2500 ")
    for number in [2, 1200, 1201, 2499] { expect(shown, contains: "m\(number) ") }
    try terminal.wait(for: "main virtual 0.000> ")
  }

  @Test("a program that takes nothing loses nothing, however much it was given")
  func keptForPager() throws {
    signal(SIGPIPE, SIG_IGN)
    let program = try ForegroundProgram("exit 127", isFed: true)
    program.isPager = true
    let piece = [UInt8](repeating: 0x61, count: 1 << 20)
    for _ in 0..<6 { program.write(piece) }
    try wait { program.ending() != nil }
    expectEqual(program.given?.count, 6 << 20)
    let reader = try ForegroundProgram("cat >/dev/null", isFed: true)
    for _ in 0..<6 { reader.write(piece) }
    try wait {
      reader.flush()
      return !reader.wantsToWrite
    }
    expectNil(reader.given)
    reader.finish()
    try wait { reader.ending() != nil }
  }

  /// Waits, with a bound, until something holds.
  private func wait(until holds: () -> Bool) throws {
    let deadline = HostClock.now() + 20_000_000_000
    while !holds() {
      guard HostClock.now() < deadline else { throw Pseudoterminal.Failure(description: "waited in vain") }
      poll(nil, 0, 1)
    }
  }

  @Test("a batch that is typed is strict")
  func strict() throws {
    let asked = Mutex<[String]>([])
    let server = try FakeServer { request in
      asked.withLock { $0.append(request) }
      return ["+ @ echo"]
    }
    let terminal = try start(server)
    terminal.type("begin\r")
    try terminal.wait(for: "batch> ")
    terminal.type("end\r")
    try terminal.wait(for: "main virtual 0.000> ")
    expect(asked.withLock(\.self).contains("begin strict"))
    // A mistake that is reported here is one of the batch, too.
    for (line, answer) in [
      ("after 1s list", "no time passes between 'begin' and 'end'"),
      ("quiz key", "'quiz' cannot stand between 'begin' and 'end'"),
      ("cover key", "'cover' cannot stand between 'begin' and 'end'"),
    ] {
      terminal.type("begin\r")
      try terminal.wait(for: "batch> ")
      terminal.type("\(line)\r")
      try terminal.wait(for: answer)
      terminal.type("end\r")
      try terminal.wait(for: "nothing was run: '")
      try terminal.wait(for: "main virtual 0.000> ")
    }
    expectEqual(asked.withLock(\.self).count { $0 == "discard" }, 3)
  }

  @Test("so is one in a strict batch that was asked for by its name, the first of a connection")
  func strictByName() throws {
    let asked = Mutex<[String]>([])
    let server = try FakeServer { request in
      asked.withLock { $0.append(request) }
      return ["+ @ echo"]
    }
    let terminal = try start(server)
    terminal.type("begin strict\r")
    try terminal.wait(for: "batch> ")
    terminal.type("at 5s list\r")
    try terminal.wait(for: "no time passes between 'begin' and 'end'")
    terminal.type("end\r")
    try terminal.wait(for: "nothing was run: '")
    expect(asked.withLock(\.self), contains: "discard")
  }

  @Test("what wires have caused is reported after the answer")
  func caused() throws {
    let server = try server()
    let terminal = try start(server)
    terminal.type("send key wired\r")
    try terminal.wait(for: "off → on  ⇒ text  0.000s #2\n  +2 more: light off → on, tracker ignored\n")
  }

  @Test("hints are after the cursor, and gone when the line is entered")
  func hints() throws {
    let server = try server()
    let terminal = try start(server, hasColours: true)
    terminal.type("send key ")
    try terminal.wait(for: "EVENT [argument…]")
    expect(terminal.written.contains(Array("\u{1B}7\u{1B}[2m".utf8)))
    terminal.type("tap\r")
    try terminal.wait(for: "off → on")
    // Erased before the line ends: the cursor stands at its end.
    let written = String(decoding: terminal.written, as: UTF8.self)
    let last = try #require(written.ranges(of: "\u{1B}8").last)
    expect(written[last.upperBound...], hasPrefix: "\u{1B}[K")
  }

  @Test("no hints without colours, and none that a narrow screen has no room for", arguments: [true, false])
  func noHints(hasColours: Bool) throws {
    let server = try server()
    let terminal = try start(
      server, columns: 40, variables: hasColours ? ["NO_COLOR=1"] : [], hasColours: hasColours)
    terminal.type("send key ")
    try terminal.wait(for: "key ")
    terminal.type("tap\r")
    try terminal.wait(for: "off → on")
    expect(!String(decoding: terminal.written, as: UTF8.self).contains("EVENT"))
  }

  @Test("a hint takes no second row, however the window changes")
  func narrowHints() throws {
    let server = try server()
    let terminal = try start(server, columns: 40, hasColours: true)
    terminal.type("watch ")
    try terminal.wait(for: "PATTERN [w")
    for columns in [20, 60, 15] as [UInt16] {
      terminal.resize(columns: columns)
      try terminal.wait(for: "main virtual")
    }
    let hints = String(decoding: terminal.written, as: UTF8.self).split(separator: "\u{1B}7").dropFirst()
      .map { text in text.firstRange(of: "\u{1B}8").map { text[..<$0.lowerBound] } ?? text }
    expect(hints.allSatisfy { $0.count < 60 }, "\(hints)")
    terminal.type("*\r")
    try terminal.wait(for: "1 watch\n")
  }

  @Test("for a room the state is drawn in blocks")
  func presents() throws {
    let server = try server()
    let terminal = try start(server, ["--present"])
    terminal.type("send key tap\r")
    try terminal.wait(for: "off → on  0s #2\n  key\n\n    ████    ██      ██\n")
    try terminal.wait(for: "main virtual 0s> ")
  }

  @Test("without UTF-8 no byte above ASCII is written")
  func ascii() throws {
    let server = try server()
    let terminal = try start(server, ["--present"], variables: ["LC_ALL=C"])
    terminal.type("send key tap\rhelp times\r")
    try terminal.wait(for: "off -> on  0s #2\n  key\n\n    ####    ##      ##\n")
    try terminal.wait(for: "t=5.000")
    expect(terminal.written.allSatisfy { $0 < 0x80 })
  }

  @Test("of a pasted transcript the requests are sent")
  func pastes() throws {
    let server = try server()
    let terminal = try start(server)
    terminal.type("\u{1B}[200~> one\n+ answer\n! bye reason=quit\n> two\u{1B}[201~")
    try terminal.wait(for: "two")
    terminal.type("\r")
    try terminal.wait(for: "echo  one\n")
    try expect(!terminal.wait(for: "echo  two\n").contains("error"))
  }
}
