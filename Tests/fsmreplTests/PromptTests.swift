import Foundation
import Synchronization
import TestSupport
import Testing
import UnixHost

@testable import fsmrepl

/// The real program at a real terminal, with a daemon that says what a test wants.
@Suite(.serialized)
struct PromptTests {
  private func server() throws -> FakeServer {
    try FakeServer { request in
      switch request.split(separator: " ").joined(separator: " ") {
      case "help":
        [". @ send NAME EVENT [argument…] : one event", ". @ sync : a sign", ". @ use W : another world", "+ @ 3"]
      case "list * limit=100", "list k* limit=100": [". @ key shiftKey off", "+ @ 1"]
      case "list key limit=100": [". @ key shiftKey off", "+ @ 1"]
      case "can key": [". @ tap", "+ @ 1"]
      case "describe shiftKey": [". @ event tap : the key", ". @ event type c=text : a letter", "+ @ 2"]
      case "send key tap": ["* 2 0.500 key moved off on event=tap", "+ @ moved off on t=0.500 seq=2"]
      case "use lesson": ["+ @ world=lesson clock=virtual t=7.000 seq=0"]
      case "watch *": ["+ @ watching 1"]
      case "await key on within=59s": []
      case "cancel": ["- @.1 CANCELLED", "+ @"]
      case "quit": ["+ @", "! bye reason=quit"]
      case "die": nil
      default: ["+ @ echo \"\(request)\""]
      }
    }
  }

  private func start(_ server: FakeServer, columns: UInt16 = 80) throws -> Pseudoterminal {
    let terminal = try Pseudoterminal(["--socket", server.path], columns: columns)
    try terminal.wait(for: "main virtual 0.000> ")
    return terminal
  }

  @Test("a line is sent, its answer shown, and the prompt tells the new time")
  func answers() throws {
    let server = try server()
    let terminal = try start(server)
    terminal.type("send key tap\r")
    // Told by a notice, and so not again.
    try terminal.wait(for: "0.500  key  off → on  (event tap)\n")
    try expect(!terminal.wait(for: "main virtual 0.500> ").contains("off → on"))
  }

  @Test("a session at the prompt is recorded, and what it says of that is for people")
  func record() throws {
    let temporary = try TemporaryFolder()
    let folder = temporary.path
    let file = "\(folder)/s.transcript"
    let terminal = try Pseudoterminal(["--private"], columns: 200)
    try terminal.wait(for: "main real ")
    terminal.type("rec\t\(folder)/no/x\r")
    try terminal.wait(for: "error: cannot write \(folder)/no/x: No such file or directory (BAD-ARGUMENT)\n")
    terminal.type("record \(file)\r")
    try terminal.wait(for: "recording  \(file)\n")
    terminal.type("new power lamp\r")
    try terminal.wait(for: "lamp created, off")
    terminal.type("record\r")
    try terminal.wait(for: "recording  \(file)  requests 1\n")
    terminal.type("record off\r")
    try terminal.wait(for: "recorded  \(file)  requests 1\n")
    terminal.type("record \(folder)/s\t\r")
    try terminal.wait(for: "error: \(file) is there already; 'record \(file) replace' overwrites it")
    terminal.type("help record\r")
    try terminal.wait(for: "record [FILE] [replace]")
    terminal.type("quit\r")
    try expectEqual(terminal.waitForEnding(), .exited(0))
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
    defer { bytes.deallocate() }
    let descriptor = Descriptor(rawValue: open(file, O_RDONLY | O_CLOEXEC))
    defer { descriptor.close() }
    guard case .bytes(let count) = descriptor.read(into: bytes) else { throw SystemError.last }
    let recorded = String(decoding: bytes[..<count], as: UTF8.self)
    expect(
      recorded.wholeMatch(of: #/#.*\n> at \S+s new power lamp\n\+ created lamp off t=\S+ seq=1\n/#) != nil,
      "\(recorded)")
  }

  @Test("what is watched appears above the line being typed, which stays", arguments: [80, 30] as [UInt16])
  func notices(columns: UInt16) throws {
    let server = try server()
    let terminal = try start(server, columns: columns)
    terminal.type("a line that is longer than thirty columns")
    try terminal.wait(for: "columns")
    server.say("* 3 1.000 key dropped")
    // From the first column on: what was typed has been cleared away before.
    try terminal.wait(for: "\r1.000  key  dropped\n")
    try terminal.wait(for: "main virtual 1.000> a line")
    try terminal.wait(for: "columns")
    terminal.type("\r")
    try terminal.wait(for: "echo")
  }

  @Test("a flood of notices is shown whole, but the line is not drawn anew for each")
  func flood() throws {
    let server = try server()
    let terminal = try start(server)
    terminal.type("typed")
    try terminal.wait(for: "typed")
    for index in 0..<2_000 { server.say("* \(index) 1.000 key output tick\(index)") }
    let before = try terminal.wait(for: "tick1999\n")
    let lines = before.split(separator: "\n").filter { $0.contains("tick") }
    expectEqual(lines.count, 1_999)
    expect(before.split(separator: "typed").count < 200)
    try terminal.wait(for: "main virtual 1.000> typed")
  }

  @Test("TAB asks the daemon: verbs, machines, events possible now first")
  func completes() throws {
    let server = try server()
    let terminal = try start(server)
    terminal.type("se\t")
    try terminal.wait(for: "send ")
    terminal.type("\t")
    try terminal.wait(for: "key ")
    terminal.type("\t\t")
    try terminal.wait(for: "tap   the key\n")
    try terminal.wait(for: "type  (not now) c text — a letter\n")
    terminal.type("a\t\r")  // What both have in common, the t, has been put in.
    try terminal.wait(for: "off → on")
  }

  @Test("Ctrl-C cancels what runs, and otherwise drops the line")
  func interrupts() throws {
    let server = try server()
    let terminal = try start(server)
    terminal.type("await key on within=59s\r")
    try terminal.wait(for: "…> ")
    terminal.type("\u{03}")
    try terminal.wait(for: "cancelled\n")
    try terminal.wait(for: "main virtual 0.000> ")
    terminal.type("nonsense\u{03}")
    try terminal.wait(for: "^C\n")
    terminal.type("fine\r")
    try terminal.wait(for: "echo  fine")
  }

  @Test("Ctrl-C drops the line with its place in the history, and a search does not bring it back")
  func dropsAll() throws {
    let server = try server()
    let terminal = try start(server)
    for line in ["one", "two", "three"] {
      terminal.type("\(line)\r")
      try terminal.wait(for: "echo  \(line)\n")
    }
    terminal.type("\u{10}\u{10}\u{10}")
    try terminal.wait(for: "one")
    terminal.type("\u{03}")
    // Behind the line, though the cursor may stand within it.
    try terminal.wait(for: "^C\n")
    try terminal.wait(for: "> ")
    terminal.type("\u{10}\r")
    try terminal.wait(for: "echo  three\n")
    terminal.type("dropped\u{03}")
    try terminal.wait(for: "^C\n")
    try terminal.wait(for: "> ")
    terminal.type("\u{12}\u{07}fine\r")
    try expect(!terminal.wait(for: "echo  fine\n").contains("dropped"))
    terminal.type("abc\u{02}\u{02}\u{03}")
    try terminal.wait(for: "^C\n")
    expect(!String(decoding: terminal.written, as: UTF8.self).contains("\u{08}\u{08}^C"))
  }

  @Test("after Ctrl-Z the prompt comes back once, with what was typed")
  func suspends() throws {
    let server = try server()
    let terminal = try start(server)
    terminal.type("typed")
    try terminal.wait(for: "typed")
    for _ in 0..<2 {
      terminal.signal(SIGTSTP)
      try terminal.waitUntilStopped()
      expect(terminal.isRestored)
      terminal.signal(SIGCONT)
      try terminal.wait(for: "main virtual 0.000> typed")
    }
    expect(!terminal.isRestored)
    terminal.type("\r")
    try expect(!terminal.wait(for: "echo  typed\n").contains("main virtual"))
  }

  @Test("in a window that becomes narrow or wide the prompt is drawn where it stood")
  func resizes() throws {
    let server = try server()
    let terminal = try start(server)
    terminal.type("a line longer than thirty columns is typed here")
    try terminal.wait(for: "here")
    // 67 columns are in the third row of a window of 30, where it has been broken anew.
    for (columns, rows) in [(30, 2), (80, 0), (15, 4)] as [(UInt16, Int)] {
      let before = terminal.written.count
      terminal.resize(columns: columns)
      try terminal.wait(for: "main virtual")
      let up = rows == 0 ? "" : "\u{1B}[\(rows)A"
      let drawn = String(decoding: terminal.written[before...], as: UTF8.self)
      expect(drawn, hasPrefix: "\(up)\r\u{1B}[J", "\(columns): \(Array(drawn.utf8.prefix(12)))")
    }
    terminal.type("\r")
    try terminal.wait(for: "echo")
  }

  @Test("an advance that was cancelled leaves the time at which it ended in the prompt")
  func cancelledTime() throws {
    let server = try FakeServer { request in
      switch request {
      case let advance where advance.hasPrefix("advance "): []
      case "cancel": ["- @.1 CANCELLED t=86400.000 seq=9 fired=8 : by this connection", "+ @"]
      default: ["+ @ echo"]
      }
    }
    let terminal = try start(server)
    terminal.type("advance 36500d\r")
    try terminal.wait(for: "…> ")
    terminal.type("\u{03}")
    try terminal.wait(for: "cancelled, 8 timers fired  1d 00:00:00 #9\n")
    try terminal.wait(for: "main virtual 1d 00:00:00> ")
  }

  @Test("where time goes by, each prompt shows what time it is, also after an answer without one")
  func currentTime() throws {
    let seconds = Mutex(0)
    let server = try FakeServer(
      greeting: ["+ fsmd protocol=1 version=0 world=main clock=real t=0.000 seq=0"],
      answer: { request in
        guard request == "clock" else { return ["+ @ echo"] }
        return seconds.withLock { seconds in
          seconds += 1
          return ["+ @ clock real speed=1 paused=no t=\(seconds).000 seq=0"]
        }
      })
    let terminal = try Pseudoterminal(["--socket", server.path])
    try terminal.wait(for: "main real 0.0s> ")
    terminal.type("list\r")
    try terminal.wait(for: "echo\n")
    try terminal.wait(for: "main real 1.0s> ")
    terminal.type("\r")
    try terminal.wait(for: "main real 2.0s> ")
    terminal.type("typed\u{03}")
    try terminal.wait(for: "main real 3.0s> ")
    terminal.type("begin\r")  // What follows is kept for the batch, so nothing is asked.
    try terminal.wait(for: "main real 3.0s batch> ")
    terminal.type("list\rend\r")
    try terminal.wait(for: "main real 4.0s> ")
  }

  /// What is typed at a prompt of a page, and what the page says comes of it.
  private struct Turn {
    /// The prompt up to its time, and its time: `main real `, `0.0s`. A question and a document have none.
    let mark: Substring
    let time: Substring
    let typed: Substring
    var answer: [Substring] = []

    /// Times of a real clock are never the same.
    func comparable(_ lines: [some StringProtocol]) -> [String] {
      lines.map { mark.hasSuffix(" real ") ? String($0).replacing(#/\d+\.\d+/#, with: "T") : String($0) }
    }
  }

  /// The sessions of a page are one conversation.
  private func turns(of page: Document) throws -> [Turn] {
    var turns: [Turn] = []
    for line in page.blocks(marked: "fsmrepl").flatMap(\.lines) where !line.isEmpty {
      if let prompt = line.wholeMatch(
        of: #/(\S+ (?:real|virtual) |\[y/N\]|define \S+ up to enddefine)((?:\d+d )?[\d.:]+s?(?: batch)?|)> (.+)/#)
      {
        turns.append(Turn(mark: prompt.output.1, time: prompt.output.2, typed: prompt.output.3))
      } else {
        try #require(!turns.isEmpty, "\(page.path) begins without a prompt")
        turns[turns.count - 1].answer.append(line)
      }
    }
    return turns
  }

  /// Waits for a prompt that asks for a line.
  ///
  /// - Returns: What was shown before it, and the time in it.
  private func prompt(of mark: Substring, at terminal: Pseudoterminal) throws -> (before: String, time: String) {
    var before = ""
    while true {
      before += try terminal.wait(for: "\(mark)")
      let time = try terminal.wait(for: "> ")
      if !time.contains("…") { return (before, time) }
    }
  }

  @Test(
    "the pages show sessions at the prompt as they are, but for the times of a real clock",
    arguments: ["README.md", "Docs/Prompt.md", "Docs/Statecharts.md", "Docs/Tour.md"])
  func pages(path: String) throws {
    let page = try Document(path)
    let folder = try TemporaryFolder()
    if let diagram = page.blocks(marked: "mermaid").first {
      try Data(diagram.text.utf8).write(to: URL(filePath: "\(folder.path)/lamp.mmd"))
    }
    let turns = try turns(of: page)
    expect(turns.count >= 4)
    let terminal = try Pseudoterminal(["--private"], columns: 100, folder: folder.path)
    var time = try prompt(of: turns[0].mark, at: terminal).time
    for (place, turn) in turns.enumerated() {
      expectEqual(turn.comparable([time]), turn.comparable([turn.time]), "\(path): \(turn.typed)")
      terminal.type("\(turn.typed)\r")
      try terminal.wait(for: "\(turn.typed)\n")
      let next = try prompt(of: turns[min(place + 1, turns.count - 1)].mark, at: terminal)
      let came = next.before.split(separator: "\n").map { $0.filter { $0 != "\r" } }.filter { !$0.isEmpty }
      expectEqual(turn.comparable(came), turn.comparable(turn.answer), "\(path): \(turn.typed)")
      time = next.time
    }
  }

  @Test("Ctrl-D, quit and a signal leave the terminal as it was", arguments: ["\u{04}", "quit\r", nil])
  func restores(keys: String?) throws {
    let server = try server()
    let terminal = try start(server)
    expect(!terminal.isRestored)
    if let keys { terminal.type(keys) } else { terminal.signal(SIGTERM) }
    try expectEqual(terminal.waitForEnding(), (keys == nil ? .killed(signal: SIGTERM) : .exited(0)))
    expect(terminal.isRestored)
  }

  @Test("a lost daemon is said to be lost, and on return the world and the watches are restored")
  func reconnects() throws {
    let server = try server()
    let terminal = try start(server)
    terminal.type("use lesson\r")
    try terminal.wait(for: "lesson virtual 7.000> ")
    terminal.type("watch *\r")
    try terminal.wait(for: "1 watch\n")
    terminal.type("die\r")
    try terminal.wait(for: "not answered: 'die'\n")
    try terminal.wait(for: "the connection to the daemon was lost")
    try terminal.wait(for: "connected again\n")
    try terminal.wait(for: "lesson virtual 7.000> ")
  }

  @Test("pasted lines are all sent, one after the other")
  func pastes() throws {
    let server = try server()
    let terminal = try start(server)
    terminal.type("one\rtwo\rthree")
    try terminal.wait(for: "echo  one\n")
    try terminal.wait(for: "echo  two\n")
    try terminal.wait(for: "> three")
    terminal.type("\u{15}\u{1B}[200~four\nfive\u{1B}[201~")
    try terminal.wait(for: "five")
    terminal.type("\r")
    try terminal.wait(for: "echo  four\n")
    try terminal.wait(for: "echo  five\n")
  }

  @Test("a daemon of one's own is started, works, and leaves nothing behind", arguments: ["quit\r", "\u{04}", nil])
  func ownDaemon(keys: String?) throws {
    let temporary = try TemporaryFolder()
    let folder = temporary.path
    let terminal = try Pseudoterminal([], columns: 200, variables: ["TMPDIR=\(folder)", "XDG_RUNTIME_DIR=\(folder)"])
    try terminal.wait(for: "no daemon answers on \(folder)/fsmd/fsmd.sock; starting one for this session alone\n")
    try terminal.wait(for: "main real ")
    terminal.type("new power p\r")
    try terminal.wait(for: "p created, off")
    if let keys { terminal.type(keys) } else { terminal.hangUp() }
    let ending = try terminal.waitForEnding()
    expect(ending == .exited(0) || keys == nil && ending == .killed(signal: SIGHUP))
    expectEqual(rmdir(folder), 0, "something is left in \(folder)")
  }
}
