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

  @Test("pasted lines are done in their order, whoever answers them")
  func inOrder() throws {
    let terminal = try start(columns: 200)
    try terminal.wait(for: "w virtual")
    let lines = [
      "new power p", "! expr 40 + 2", "send p buttonClick", "load nosuch.mmd", "export p \(folder)/p",
      "send p buttonClick",
      "at 5s list",
    ]
    terminal.type("\u{1B}[200~\(lines.joined(separator: "\n"))\u{1B}[201~\r")
    for shown in [
      "p created, off", "42\n", "off → on", "error: cannot read 'nosuch.mmd'", "exported ", "on → off",
      "  p  power  off\n",
    ] {
      try terminal.wait(for: shown)
    }
    let journal = try String(contentsOfFile: "\(folder)/p/journal.txt", encoding: .utf8)
    expectEqual(journal.split(separator: "\n").count, 2, "\(journal)")
  }

  @Test("a new daemon of one's own has no world of the old one, which is said")
  func newDaemon() throws {
    let terminal = try start("new power p")
    try terminal.wait(for: "p created")
    terminal.type("! for p in $(cat /proc/$PPID/task/$PPID/children); do [ $p = $$ ] || kill -9 $p; done\r")
    try terminal.wait(for: "connected again, to a new daemon: the worlds of the old one are gone\n")
  }

  @Test("a document on the command line is loaded, and the prompt opens; a diagram is written as one")
  func document() throws {
    let path = try write("stateDiagram-v2\n  [*] --> dark\n  dark --> lit : press\n", to: "bulb.mmd")
    let terminal = try Pseudoterminal(["--private", path], columns: 120)
    try terminal.wait(for: "bulb")
    try terminal.wait(for: "main real ")
    for name in ["b1.mmd", "b2.mermaid", "b3.scxml", "b4.xml"] {
      let kind = String(name.prefix(2))
      terminal.type("graph bulb > \(folder)/\(name)\r")
      try terminal.wait(for: "wrote \(folder)/\(name)")
      terminal.type("load \(folder)/\(name)\rnew \(kind) m\(kind)\r")
      try terminal.wait(for: "m\(kind) created, dark")
    }
  }

  @Test("the prompt in a paused world says so before anything is asked there")
  func paused() throws {
    let terminal = try start()
    terminal.type("use main\rpause\r")
    try terminal.wait(for: "main paused ")
    terminal.type("use w\r")
    try terminal.wait(for: "w virtual")
    terminal.type("use main\r")
    try terminal.wait(for: "main paused ")
  }

  @Test("what 'save' has written can be played")
  func saved() throws {
    let terminal = try start(
      "new shiftKey key", "send key tap", "advance 1s", "save \(folder)/a.fsm", "world new x clock=virtual")
    try terminal.wait(for: "saved")
    terminal.type("use x\rrun \(folder)/a.fsm\r")
    try terminal.wait(for: "✓ timers none")
    terminal.type("expect key on\r")
    try expect(!terminal.wait(for: "✓ on").contains("error"))
  }

  @Test("a followed document says how that ends, and its machines keep their version or are made again")
  func follows() throws {
    func lamp(_ last: String) throws -> String {
      try write("stateDiagram-v2\n  [*] --> off\n  off --> on : press / beep\n\(last)", to: "lamp.mmd")
    }
    let path = try lamp("")
    let terminal = try start(
      "load \(path) follow", "new lamp l", "new power p", "wire l beep p buttonClick", "send l press", columns: 200)
    try terminal.wait(for: "  loaded again whenever it is saved; 'load \(path)' once more ends that\n")
    try terminal.wait(for: "off → on")
    _ = try lamp("  on --> off : press\n")
    try terminal.wait(for: "was saved")
    try terminal.wait(for: "  machines that are there keep their version; 'follow anew' makes them again\n")
    terminal.type("load \(path) follow anew\r")
    try terminal.wait(for: "version 3")
    try terminal.wait(for: "  machines that are there keep their version up to the next time, and are then made")
    terminal.type("drop l\rnew lamp l strict=on\rwire l beep p buttonClick\r")
    try terminal.wait(for: "l created, off")
    _ = try lamp("  on --> off : tap\n")
    try terminal.wait(for: "was saved")
    try terminal.wait(for: "l dropped")
    try terminal.wait(for: "l created, off")
    terminal.type("describe l\r")
    try terminal.wait(for: "made=on")
    terminal.type("wires\r")
    try terminal.wait(for: "  l  beep  p  buttonClick\n")
    try FileManager.default.removeItem(atPath: path)
    try terminal.wait(for: "\(path) is gone: it is loaded when it is there again\n")
    _ = try lamp("")
    try terminal.wait(for: "was saved")
  }

  @Test("a followed document is loaded into its own world, when that is in use again")
  func followsInItsWorld() throws {
    let diagram = "stateDiagram-v2\n  [*] --> off\n  off --> on : press\n"
    let path = try write(diagram, to: "lamp.mmd")
    let terminal = try start("world new a", "use a", "load \(path) follow", "world new b", "use b", columns: 200)
    try terminal.wait(for: "now in b")
    _ = try write("\(diagram)  on --> off : press\n", to: "lamp.mmd")
    terminal.type("list\ruse a\r")
    let before = try terminal.wait(for: "now in a")
    expect(!before.contains("was saved"), "\(before)")
    try terminal.wait(for: "was saved")
    try terminal.wait(for: "version 2")
  }

  @Test("a document that is refused leaves what is followed as it was")
  func followsOn() throws {
    let good = "stateDiagram-v2\n  [*] --> off\n  off --> on : press\n"
    let path = try write(good, to: "lamp.mmd")
    let terminal = try start("load \(path) follow", columns: 200)
    try terminal.wait(for: "loaded again whenever it is saved")
    _ = try write("stateDiagram-v2\n  [*] -->\n", to: "lamp.mmd")
    try terminal.wait(for: "was saved")
    try terminal.wait(for: "the document has ")
    terminal.type("load \(path)\r")
    try terminal.wait(for: "the document has ")
    _ = try write(good, to: "lamp.mmd")
    try terminal.wait(for: "was saved")
    try terminal.wait(for: "version 2")
    // A file that cannot be read is not followed, one with a mistake is.
    terminal.type("load \(folder)/none.mmd follow\r")
    try terminal.wait(for: "cannot read")
    _ = try write("stateDiagram-v2\n  [*] -->\n", to: "door.mmd")
    terminal.type("load \(folder)/door.mmd follow\r")
    try terminal.wait(for: "loaded again whenever it is saved")
    _ = try write(good, to: "none.mmd")
    _ = try write(good, to: "door.mmd")
    try expect(!terminal.wait(for: "defined  door").contains("none.mmd was saved"))
  }

  @Test("of a page that is followed the chosen diagram is loaded again")
  func followsPage() throws {
    func page(_ event: String) throws -> String {
      let diagrams = ["stop", event].map { "```mermaid\nstateDiagram-v2\n  [*] --> off\n  off --> on : \($0)\n```\n" }
      return try write(diagrams.joined(separator: "\n"), to: "page.md")
    }
    let terminal = try start("load \(page("press"))#2 as lamp follow", columns: 200)
    try terminal.wait(for: "loaded again whenever it is saved")
    _ = try page("touch")
    try terminal.wait(for: "was saved")
    terminal.type("new lamp l\rsend l touch\r")
    try terminal.wait(for: "off → on")
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
      new fridge f physics=off
      expect f reading temperature none
      expect p2 off
      new power never
      """, to: "a.fsm")
    let terminal = try start("run \(path)")
    try terminal.wait(for: "p1 created, off  0.000s #1\np2 created, off  0.000s #2\n")
    try terminal.wait(for: "  ✓ on\n  ✓ timers none  5.000s\n")
    try terminal.wait(for: "l created, dark")
    try terminal.wait(for: "  ✓ reading temperature none  5.000s\n")
    try terminal.wait(for: "not as expected: p2 is in on, not in off\n")
    try terminal.wait(for: "\(path):14:11: EXPECTED; the lines after it were not run\n")
    terminal.type("list\rsync\r")
    try expect(!terminal.wait(for: "all done").contains("never"))
  }

  @Test("of a script that cannot be played here nothing is")
  func refusedScripts() throws {
    let mistaken = try write("new power p\nsend p buttonClick => onn x y z\nnope\n", to: "mistaken.fsm")
    let watching = try write(
      "new power p\nnever p on\nexpect output p text\n", to: "watching.fsm")
    let terminal = try start("run \(mistaken)")
    try terminal.wait(for: "\(mistaken):2:")
    try terminal.wait(for: "\(mistaken):3:1:")
    try terminal.wait(for: "error: \(mistaken) has mistakes; nothing was run\n")
    terminal.type("run \(watching)\r")
    for place in ["2:1", "3:1"] { try terminal.wait(for: "watching.fsm:\(place): this is for 'fsmrepl run FILE'") }
    terminal.type("list\r")
    try terminal.wait(for: "none\n")
    // A script goes to other worlds with its session.
    let moving = try write("world new y clock=virtual seed=3\nuse y\nnew power p\n", to: "moving.fsm")
    terminal.type("run \(moving)\r")
    try terminal.wait(for: "p created")
    try terminal.wait(for: "y virtual 0.000> ")
  }

  @Test(
    "words that machines and kinds do not know are told before anything is run, with all other mistakes of the file")
  func unknownWords() throws {
    let path = try write(
      """
      new frigde g
      sned key tap
      send key tpa
      expect key timers boom
      new power p
      expect l bright
      define lamp format=mermaid
      stateDiagram-v2
        [*] --> dark
      enddefine
      expect l dim
      world new v
      use v
      expect other on

      """, to: "a.fsm")
    let lamp = try write("stateDiagram-v2\n  [*] --> lit\n", to: "lamp.mmd")
    let terminal = try start(
      "new shiftKey key", "new power other", "load \(lamp)", "new lamp l", "advance 2s", "run \(path)")
    let told = try terminal.wait(for: "error: \(path) has mistakes; nothing was run\n").replacing("\n  ", with: " ")
    for mistake in [
      "2:1: 'sned' is no verb; did you mean 'send'?\n", "1:5: there is no kind 'frigde'",
      "3:10: a shiftKey has no event 'tpa'; did you mean tap?; it has: tap, character\n",
      "4:19: a shiftKey has no timer 'boom'; it has: doubleTap\n", "6:10: a lamp has no state 'bright'",
      "11:10: a lamp has no state 'dim'",
    ] {
      expect(told, contains: "\(path):\(mistake)", "\(mistake) in \(told)")
    }
    terminal.type("worlds\rlist\rsync\r")
    let after = try terminal.wait(for: "all done")
    expect(!after.contains("trial") && !after.contains("  p ") && !after.contains("v  virtual"), "\(after)")
  }

  @Test("a file that is right is not refused for what the world has already")
  func presentMachines() throws {
    let path = try write(
      """
      send key tap => on
      expect call.phone foreground
      expect f reading temperature none
      repeat 2 as i
        send s$i tap
        expect s$i timers doubleTap
      end
      drop call
      drop f
      new shiftKey f
      expect f timers none
      expect l reading x none
      """, to: "a.fsm")
    func chart(_ name: String) throws -> String {
      try write(
        """
        <scxml version="1.0" datamodel="ecmascript"><datamodel><data id="\(name)"/></datamodel><state id="a"/></scxml>
        """, to: "\(name).scxml")
    }
    let terminal = try start(
      "new shiftKey key", "new phoneCall call", "new fridge f physics=off", "new shiftKey s1", "new shiftKey s2",
      "load \(try chart("x")) as k", "new k l")
    // The machine keeps the version of its kind that it was made with.
    terminal.type("load \(try chart("y")) as k\rexpect l reading yy none\r")
    try terminal.wait(for: "error: a k has no reading 'yy'\n  it has: x\n")
    terminal.type("run \(path)\r")
    try expect(!terminal.wait(for: "✓ reading x none").contains("nothing was run"))
  }

  @Test("a typed expectation of what a machine does not have is a mistake, and nothing is sent for it")
  func typedExpectations() throws {
    let terminal = try start("new shiftKey key")
    for (line, answer) in [
      ("expect key reading foo none", "a shiftKey has no reading 'foo'\n  it has none\n"),
      ("expect key timers boom", "a shiftKey has no timer 'boom'\n  it has: doubleTap\n"),
      ("send key tap => onn", "a shiftKey has no state 'onn'\n  did you mean on?\n"),
      ("send key tap => on outputs=txt", "a shiftKey has no output 'txt'\n  did you mean text?\n"),
      ("expect kee timers none", "there is no machine 'kee' in this world\n  did you mean key?\n"),
      ("after 1s send key tpa", "a shiftKey has no event 'tpa'; no time has passed\n  did you mean tap?\n"),
    ] {
      terminal.type("\(line)\r")
      try terminal.wait(for: "error: \(answer)")
    }
    terminal.type("send key tap => on\r")
    try terminal.wait(for: "off → on  0.000s #2\n  ✓ on\n")
    // What a batch makes is there for its lines.
    terminal.type("begin\rnew fridge f\rexpect f timers none\rexpect f reading x none\r")
    try terminal.wait(for: "error: a fridge has no reading 'x'\n")
    terminal.type("end\r")
    try terminal.wait(for: "nothing was run: 'expect f reading x none' is a mistake\n")
  }

  @Test("the lines after a 'use' are tried when the script is in that world")
  func behindUse() throws {
    let path = try write("send key tap\nuse v\nnew shiftKey k\nexpect k reading foo none\nlist\n", to: "a.fsm")
    let terminal = try start("world new v clock=virtual", "new shiftKey key", "run \(path)")
    try terminal.wait(for: "off → on")
    try terminal.wait(for: "\(path):4:18: a shiftKey has no reading 'foo'; it has none\n")
    try terminal.wait(for: "the lines after it were not run\n")
    terminal.type("list\r")
    try terminal.wait(for: "none\n")
  }

  @Test("each line of a batch that fails has its place, and the batch is played to its end")
  func failuresInBatch() throws {
    let path = try write(
      """
      new shiftKey k
      begin
        send k tap => off
        send k tap => on
        expect k capsLock
      end
      point k on
      """, to: "a.fsm")
    let terminal = try start("run \(path)")
    let said = try terminal.wait(for: "the lines after the batch were not run\n")
    expect(said, contains: "not as expected: off wanted, moved off on found\n\(path):3:17: EXPECTED\n", "\(said)")
    expect(said, contains: "not as expected: on wanted, moved on capsLock found\n\(path):4:17: EXPECTED\n", "\(said)")
    expect(said.contains("✓ capsLock") && said.contains("the batch has run, 3 lines\n"), "\(said)")
    expect(!said.contains("a batch begins"), "\(said)")
    // A line that the daemon refuses ends the batch, and those after it are not reported as failures.
    let stopped = try write("begin\n  fire k doubleTap\n  send k tap => off\nend\n", to: "b.fsm")
    terminal.type("run \(stopped)\r")
    let answer = try terminal.wait(for: "batch stopped")
    expect(answer.contains("\(stopped):2:10: REFUSED\n") && !answer.contains("\(stopped):3"), "\(answer)")
    try expect(!terminal.wait(for: "> ").contains("the lines after"))
    // A line that is refused before it is sent leaves no batch open.
    terminal.type("quiet on\rrun \(stopped)\r")
    try terminal.wait(for: "error: with 'quiet on' there may be no answer to compare")
    try terminal.wait(for: "nothing of the batch was run, nor the lines after it\n")
    terminal.type("quiet off\r")
    try expect(!terminal.wait(for: "w virtual 0.000> ").contains("cannot stand"))
  }

  @Test("a script that begins before the time of the world says what leads there, and nothing is run")
  func pastTimes() throws {
    let path = try write("new power p\nadvance until 1s\n", to: "a.fsm")
    let terminal = try start("advance 6s", "run \(path)")
    let way = "'goto 1s' goes back there; 'world new NAME clock=virtual' and 'use NAME' begin at 0\n"
    let told = try terminal.wait(for: "nothing was run\n").replacing("\n  ", with: " ")
    expect(
      told,
      contains: "\(path):2:15: it is 6.000 already, and world time does not go back; allowed: 6.000 or later; \(way)",
      "\(told)")
    terminal.type("advance until 1s\r")
    try terminal.wait(for: "error: it is 6.000 already, and world time does not go back (BAD-ARGUMENT)\n")
    try terminal.wait(for: "  \(way)")
    terminal.type("world new v clock=virtual\ruse v\rrun \(path)\r")
    try terminal.wait(for: "v virtual 1.000> ")
    // What it has made is in its way the second time.
    terminal.type("run \(path)\r")
    try terminal.wait(for: "\(path):1:11: there is a machine 'p' already; 'drop p' removes it\n")
    terminal.type("new power p\r")
    try terminal.wait(for: "error: there is a machine 'p' already (NAME-TAKEN)\n  'drop p' removes it\n")
  }

  @Test("a line that is not sent after a question says so at its place")
  func declined() throws {
    let path = try write("list\nawait key capsLock\nlist\n", to: "a.fsm")
    let terminal = try start("new shiftKey key", "new fridge f", "run \(path)")
    try terminal.wait(for: "[y/N]> ")
    terminal.type("n\r")
    try terminal.wait(for: "\(path):2:1: not sent; the lines after it were not run\n")
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
    try terminal.wait(for: "lines of answers are passed over: they begin with + - . or *, or are rows of a table\n")
    try terminal.wait(for: "p created")
  }

  @Test("rows of a table that are pasted are no requests")
  func rows() throws {
    let terminal = try start("new power p", "graph p")
    try terminal.wait(for: "> present state\n")
    terminal.type("\u{1B}[200~  state  buttonClick  set\n> off    → on *       to: false: ignored\u{1B}[201~\r")
    try terminal.wait(for: "or are rows of a table\n")
    terminal.type("  off    → on *\r   list\r")
    try expect(!terminal.wait(for: "  p  power  off").contains("error"))
  }

  @Test("a name that no machine has is told of where it is no mistake, and a redo says what it has brought back")
  func absence() throws {
    let terminal = try start("new power lamp", "watch lmp")
    try terminal.wait(
      for: "there is no machine 'lmp' in world w; one that is made later is watched; did you mean lamp?\n")
    for request in ["journal lmp", "wave lmp", "coverage lmp", "list lmp"] {
      terminal.type("\(request)\r")
      try terminal.wait(for: "there is no machine 'lmp' in world w; did you mean lamp?\n")
    }
    terminal.type("cover lmp\r")
    try expect(!terminal.wait(for: "did you mean lamp?").contains("ends it"))
    terminal.type("undo\rredo\r")
    try terminal.wait(for: "  brought back: new power lamp\n")
    // It has lived.
    terminal.type("drop lamp\rjournal lamp\rlist\r")
    try terminal.wait(for: "lamp  dropped\n")
    try expect(!terminal.wait(for: "none\n").contains("there is no machine"))
  }

  @Test("a script that lets time pass does not begin where the clock runs, and its seed is told of")
  func runningClock() throws {
    let path = try write("seed 7\nnew power p\nadvance 1s\n", to: "a.fsm")
    let terminal = try start("use main", "run \(path)")
    try terminal.wait(for: "\(path):3 lets time pass, and this world's clock is running")
    try terminal.wait(for: "Nothing was run\n")
    terminal.type("use w\rrun \(path)\r")
    try terminal.wait(for: "'seed' is passed over: this world keeps its own")
    try terminal.wait(for: "p created, off  0.000s #1\n")
  }

  @Test("an await that no time ends says so, and how to get the prompt back", arguments: [true, false])
  func silentWait(isPaused: Bool) throws {
    let terminal = try start("use main", isPaused ? "pause" : "sync", "new power p", "new shiftKey k")
    try terminal.wait(for: "k created")
    terminal.type("await p on\(isPaused ? " within=1s" : "")\r")
    try terminal.wait(
      for: isPaused
        ? "note: the clock is paused, and moves when another client sends 'resume' or 'advance'; Ctrl-C ends the"
        : "note: no timer runs, so nothing comes by itself; Ctrl-C ends the waiting\n")
    terminal.type("\u{03}")
    try terminal.wait(for: "cancelled")
    // What is there already, what is no state, and what a timer may bring, is as always.
    terminal.type("await p off\rawait p no\rfoo\r")
    try expect(!terminal.wait(for: "there is no verb 'foo'").contains("Ctrl-C"))
    guard !isPaused else { return }
    terminal.type("send k tap\rawait k capsLock within=1ms\r")
    try expect(!terminal.wait(for: "the time is over").contains("Ctrl-C"))
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
    try expect(!terminal.wait(for: "key  shiftKey  off").contains("trial"))
    terminal.type("await key capsLock => TIMEOUT\r")
    try terminal.wait(for: "[y/N]> ")
    terminal.type("y\r")
    try terminal.wait(for: "✓ refused TIMEOUT")
    terminal.type("worlds\rsync\r")
    try expect(!terminal.wait(for: "all done").contains("trial"))
  }

  @Test("a step back says what it has taken back, and asks before if that is much, but not for a file")
  func takenBack() throws {
    let path = try write("new fridge g\nadvance 2h\nundo\nnew fridge h\nadvance 2h\ngoto 0\n", to: "a.fsm")
    let terminal = try start("new shiftKey key", "send key tap", "undo")
    try terminal.wait(for: "now at 0.000s  #3\n  taken back: send key tap\n")
    // The answer to a line that was pasted with it comes after that.
    terminal.type("send key tap\rundo\rlist\r")
    try terminal.wait(for: "now at 0.000s  #5")
    try expect(!terminal.wait(for: "taken back: send key tap").contains("shiftKey"))
    try terminal.wait(for: "shiftKey")
    terminal.type("new fridge f\radvance 1d\rundo\r")
    try terminal.wait(
      for: "this takes back 1d 00:00:00 of time: new fridge f, and 75 timers since; 'goto TIME' goes less far; go on?\n"
    )
    try terminal.wait(for: "[y/N]> ")
    // TAB completes no verb where an answer is wanted.
    terminal.type("\tn\r")
    try terminal.wait(for: "not sent: 'undo'\n")
    terminal.type("show f\rundo\r")
    try terminal.wait(for: "temperature")
    try terminal.wait(for: "[y/N]> ")
    terminal.type("y\r")
    let said = try terminal.wait(for: "goes less far\n").replacing("\n    ", with: " ")
    expect(said, contains: "taken back: new fridge f, and 75 timers since; 'redo' brings it back, 'goto TIME' ")
    // In a paste it is tried when the lines before it are done.
    terminal.type("\u{1B}[200~drop f\nnew fridge f\nadvance 1d\nundo\u{1B}[201~\r")
    try terminal.wait(for: "new fridge f, and 75 timers since; 'goto TIME' goes less far; go on?")
    terminal.type("n\r")
    try terminal.wait(for: "not sent: 'undo'\n")
    // A step to the present time takes no number, and nothing is said of the step before it.
    terminal.type("undo\r")
    try terminal.wait(for: "[y/N]> ")
    terminal.type("y\r")
    try terminal.wait(for: "goes less far\n")
    terminal.type("goto 0\rnew power p\r")
    try expect(!terminal.wait(for: "p created").contains("taken back"))
    terminal.type("advance 1h\rgoto 0\r")
    try terminal.wait(for: "this takes back 01:00:00 of time; go on?\n")
    terminal.type("n\r")
    try terminal.wait(for: "not sent: 'goto 0'\n")
    terminal.type("send p buttonClick\radvance 1m\rgoto 0\r")
    try terminal.wait(for: "this takes back 01:01:00 of time: send p buttonClick; go on?\n")
    terminal.type("y\r")
    try terminal.wait(for: "taken back: send p buttonClick\n")
    terminal.type("run \(path)\r")
    try expect(!terminal.wait(for: "taken back: new fridge g, and 5 timers since").contains("[y/N]"))
    try expect(!terminal.wait(for: "taken back: 5 timers").contains("[y/N]"))
    terminal.type("worlds\r")
    try expect(!terminal.wait(for: "w     clock=virtual").contains("trial"))
  }

  @Test("a line after a time is looked at before the time passes")
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
      ("send key", "key has: tap, character\n"),
      ("key", "key is a machine: 'show key' prints its state"),
    ] {
      terminal.type("\(line)\r")
      try terminal.wait(for: hint)
    }
    terminal.type("new job print\rcancel\r")
    try terminal.wait(for: "'cancel' is an event of print: send print cancel\n")
    for (line, hint) in [
      ("send key tap -> on", "'=>' compares an answer: 'send key tap => on'\n"),
      ("expect key == on", "'==' is not needed: 'expect key on'\n"),
      ("help shiftKey", "shiftKey is a kind: 'describe shiftKey' explains it\n"),
      ("help shiftkey", "shiftKey is a kind: 'describe shiftKey' explains it\n"),
      ("help key", "key is a machine: 'show key' prints its state"),
      ("help tap", "'tap' is an event of key: send key tap\n"), ("advance 1m30s", "did you mean 90s?\n"),
    ] {
      terminal.type("\(line)\r")
      try terminal.wait(for: "  \(hint)")
    }
    terminal.type("help lsit\r")
    try terminal.wait(for: "did you mean list?\n")
    try terminal.wait(for: "w virtual ")
    terminal.type("send key tap > out.txt\r")
    try terminal.wait(for: "the words after 'send' belong to the machine, and so does '>'\n")
    terminal.type("nonsense\rsync\r")
    try expect(!terminal.wait(for: "all done").contains("is an event"))
  }

  @Test("what wires caused is told of all requests that bring inputs")
  func caused() throws {
    let terminal = try start("new phoneCall call", "cast call.phone goHome")
    try terminal.wait(for: "+2 more: call.tracker ignored, call.tracker ignored\n")
    terminal.type("begin\rsend call.phone openApp\rend\r")
    try terminal.wait(for: "the batch has run, 1 line\n  +2 more: ")
    // What wires caused before a batch is not told of it.
    terminal.type("send call.phone goHome\rbegin\rnew power p\rend\rsync\r")
    try terminal.wait(for: "the batch has run, 1 line")
    try expect(!terminal.wait(for: "all done").contains("more:"))
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
    try expect(!terminal.wait(for: "all done").contains("  f\n"))
  }
}
