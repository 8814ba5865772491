import Foundation
import LineProtocol
import Scripts
import Synchronization
import TestSupport
import Testing
import UnixHost

@testable import fsmrepl

/// Lessons at a real terminal, with a daemon of their own.
@Suite(.serialized)
struct LessonTests {
  /// A folder with lessons, and one for progress; both are gone with the test.
  private final class Folder {
    private let folder: TemporaryFolder
    var path: String { folder.path }

    init() throws {
      folder = try TemporaryFolder()
      mkdir("\(path)/L", 0o700)
      try RegularFile.write(LessonTests.keys, to: "\(path)/L/01-keys.fsm", replaces: true)
      try RegularFile.write(LessonTests.fridge, to: "\(path)/L/02-fridge.fsm", replaces: true)
    }

    /// Makes the second lesson another one.
    func write(_ lines: String...) throws {
      let text = "lesson Cold\nlevel 2\n\(lines.joined(separator: "\n"))\n"
      try RegularFile.write(text, to: "\(path)/L/02-fridge.fsm", replaces: true)
    }

    /// What is kept of the learner's progress, with paths from this folder on.
    var progress: String {
      let bytes =
        (try? RegularFile.read("\(path)/state/fsmd/lessons", endings: ["lessons"], atMost: 4096))
        ?? []
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst().joined(separator: "\n")
        .replacing("\(path)/", with: "")
    }

    func start(
      _ words: String..., columns: UInt16 = 80, rows: UInt16 = 24, variables: [String] = []
    ) throws -> Pseudoterminal {
      try Pseudoterminal(
        words + ["--lessons", "\(path)/L"], columns: columns, rows: rows,
        variables: ["XDG_STATE_HOME=\(path)/state"] + variables)
    }
  }

  private static let keys = """
    lesson A key that locks
    level 1
    say A **tap** makes the next letter upper case.
    new shiftKey key
    ask state What is it after one tap?
    send key tap => on
    ask event How does it lock?
    send key tap => capsLock
    send key tap => off
    send key tap
    ask time When is the window over?
    step
    pause
    try key capsLock
      goal Lock the key.
      hint Be quick.
      send key tap
      send key tap
      send key tap
    end
    point capsLock
    show state key
    say The end of it.
    """

  private static let fridge = """
    lesson Cold
    level 2
    new fridge f start=4
    expect f cooling
    """

  @Test("the list has number, level, minutes, title and progress, in 80 columns")
  func list() throws {
    let folder = try Folder()
    let terminal = try folder.start("lesson", columns: 80)
    let shown = try terminal.wait(for: "plays one.")
    expect(shown, contains: "1  for everybody  3 min  A key that locks\n", "\(shown)")
    expect(shown, contains: "2  with practice  1 min  Cold\n")
    try expectEqual(terminal.waitForEnding(), .exited(0))
  }

  @Test("the list of the lessons that come with the program fits in 80 columns, also with scores")
  func wideList() throws {
    let folder = try Folder()
    let lessons = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Lessons").path
    for folderOfState in ["state", "state/fsmd"] { mkdir("\(folder.path)/\(folderOfState)", 0o700) }
    let scripts = RunFiles.scripts([lessons]).compactMap(\.item)
    let lines = scripts.map { script in
      let (path, parts) = (URL(filePath: script.name).resolvingSymlinksInPath().path, Lesson(script).items.count)
      return "\(path) \(parts)/\(parts) 10/10 done 10/10\n"
    }
    try RegularFile.write(lines.joined(), to: "\(folder.path)/state/fsmd/lessons", replaces: true)
    let terminal = try Pseudoterminal(
      ["lesson", "--lessons", lessons], columns: 80, variables: ["XDG_STATE_HOME=\(folder.path)/state"])
    let shown = try terminal.wait(for: "'fsmrepl lesson NUMBER'")
    let rows = shown.split(separator: "\n").filter { !$0.isEmpty }
    expect(rows.count == 15 && rows.allSatisfy { $0.contains(" min ") && $0.contains("(done 10/10)") }, "\(shown)")
  }

  @Test("each lesson that comes with the program takes ten to twelve minutes by the estimate that the list shows")
  func minutes() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Lessons").path
    let scripts = RunFiles.scripts([folder]).compactMap(\.item)
    expectEqual(scripts.count, 15)
    for script in scripts { expect((9...12).contains(Lesson(script).minutes), "\(script.name)") }
  }

  @Test(
    "a lesson is played to its end: answers, free play, score, what comes next",
    arguments: [80, 40] as [UInt16])
  func whole(columns: UInt16) throws {
    let folder = try Folder()
    let terminal = try folder.start("lesson", "keys", columns: columns)
    try terminal.wait(for: "1  A key that locks\n")
    try terminal.wait(for: "upper case.\n")
    try terminal.wait(for: "> new shiftKey key\n")
    try terminal.wait(for: "key created, off")
    try terminal.wait(for: "? What is it after one tap?\n")
    try terminal.wait(for: "state> ")
    // No state of the machine: it asks again.
    terminal.type("no idea\r")
    let list = try terminal.wait(for: "stayed.\n").replacing("\n", with: " ")
    expect(list, hasSuffix: "It has: off, on, capsLock. Other answers are ignored, refused and ", "\(list)")
    try terminal.wait(for: "state> ")
    terminal.type("onn\r")
    try expect(terminal.wait(for: "on?\n"), contains: "key has no state 'onn'. Did you mean")
    try terminal.wait(for: "state> ")
    // Two states are none; a sentence about one is.
    terminal.type("off or on\r")
    try terminal.wait(for: "key has no state 'off or on'.")
    try terminal.wait(for: "state> ")
    terminal.type("It will be On.\r")
    try terminal.wait(for: "✓ Right.\n")
    try terminal.wait(for: "> send key tap\n")
    try terminal.wait(for: "off → on")
    try terminal.wait(for: "event> ")
    terminal.type("character x\r")
    let why = try terminal.wait(for: "> send key tap\n")
    expect(why.replacing("\n", with: " "), contains: "No. That brings key from on to off. The event is tap.")
    try terminal.wait(for: "time> ")
    terminal.type("350ms\r")
    try terminal.wait(for: "Right.")
    try terminal.wait(for: "Exactly 0.350 s")
    try terminal.wait(for: "Enter: on")
    terminal.type(" ")
    try terminal.wait(for: "Your turn: Lock the key.\n")
    try terminal.wait(for: "lesson virtual 0.350> ")
    terminal.type("hint\r")
    try terminal.wait(for: "Hint: Be quick.\n")
    terminal.type("send key tap\r")
    try terminal.wait(for: "on → off")
    terminal.type("send key tap\r")
    try terminal.wait(for: "off → on")
    terminal.type("send key tap\r")
    try terminal.wait(for: "on → capsLock")
    try terminal.wait(for: "✓ Done.\n")
    try terminal.wait(for: "→ key: look at capsLock\n")
    // Shown in the lesson's own world, in which its solution was played.
    try terminal.wait(for: "state")
    try terminal.wait(for: "capsLock")
    try terminal.wait(for: "The end of it.\n")
    let end = try terminal.wait(for: "Cold.").replacing("\n", with: " ")
    expect(end, contains: "This is the end of the lesson. 2 of 3 right. Next: 'fsmrepl lesson 2',")
    try expectEqual(terminal.waitForEnding(), .exited(0))
    expect(terminal.isRestored)
    expectEqual(folder.progress, "L/01-keys.fsm 12/12 2/3 done 2/3")
  }

  @Test("a learner goes back to the question before, as often as there is one, and it is not counted again")
  func back() throws {
    let folder = try Folder()
    let terminal = try folder.start("lesson", "keys")
    try terminal.wait(for: "state> ")
    terminal.type("off\r")
    try terminal.wait(for: "No.")
    try terminal.wait(for: "event> ")
    terminal.type("back\r")
    // With the text before it, in a world as it was then.
    try terminal.wait(for: "back\n\nA tap makes the next letter upper case.\n\n? What is it after one tap?")
    try terminal.wait(for: "state> ")
    terminal.type("on\r")
    try terminal.wait(for: "✓ Right.")
    try terminal.wait(for: "event> ")
    terminal.type("tap\r")
    try terminal.wait(for: "time> ")
    terminal.type("350ms\r")
    try terminal.wait(for: "Enter: on   b: back   q: leave   part 8 of 12")
    terminal.type("b")
    try terminal.wait(for: "time> ")
    terminal.type("1s\r")
    try terminal.wait(for: "No.")
    try terminal.wait(for: "Enter: on")
    terminal.type(" ")
    try terminal.wait(for: "virtual 0.350> ")
    terminal.type("back\r")
    try terminal.wait(for: "time> ")
    terminal.type("\u{03}")
    try terminal.wait(for: "'fsmrepl lesson 1' goes on here, with part 9 of 12.")
    try expectEqual(terminal.waitForEnding(), .exited(0))
    expectEqual(folder.progress, "L/01-keys.fsm 8/12 2/3")
  }

  @Test("a lesson begins in the middle where that is wished, and then its score is not that of the whole")
  func middle() throws {
    let folder = try Folder()
    var terminal = try folder.start("lesson", "1", "from", "6")
    try terminal.wait(for: "1  A key that locks\n\nA tap makes the next letter upper case.\n\n> send key tap\n")
    try terminal.wait(for: "off → on")
    try terminal.wait(for: "time> ")
    terminal.type("\u{04}")
    try expectEqual(terminal.waitForEnding(), .exited(0))
    terminal = try folder.start("lesson", "1", "from", "13")
    try terminal.wait(for: "lesson 1 has parts 1 to 12, and no part 13")
    try expectEqual(terminal.waitForEnding(), .exited(1))
    terminal = try folder.start("lesson", "1", "from", "x")
    try terminal.wait(for: "'x' is no part of a lesson")
    try expectEqual(terminal.waitForEnding(), .exited(1))
  }

  @Test("the state alone misses the point of a question that offers what becomes of the event")
  func point() throws {
    let folder = try Folder()
    try folder.write(
      "new job print", "send print start", "ask state Cancel! Which state, or ignored, or refused?",
      "send print cancel => refused", "ask state Which state then?", "send print cancel => refused")
    let terminal = try folder.start("lesson", "2", columns: 120)
    try terminal.wait(for: "state> ")
    terminal.type("it stays loading\r")
    try terminal.wait(for: "The state is loading, as before. But what becomes of the event: is it ignored, refused\n")
    try terminal.wait(for: "or stayed?\n")
    try terminal.wait(for: "state> ")
    terminal.type("loading, and refused\r")
    try terminal.wait(for: "✓ Right.")
    // Where only the state is asked for, it is enough.
    try terminal.wait(for: "state> ")
    terminal.type("loading\r")
    try terminal.wait(for: "✓ Right.")
    let again = try folder.start("lesson", "2", "--auto")
    try expectEqual(again.waitForEnding(), .exited(0))
  }

  @Test("a table of a lesson for everybody has no counts below it")
  func counts() throws {
    let folder = try Folder()
    let table = "new power p\nshow table p\n"
    for (level, hasCounts) in [(1, false), (2, true)] {
      try RegularFile.write("lesson T\nlevel \(level)\n\(table)", to: "\(folder.path)/L/02-fridge.fsm", replaces: true)
      let terminal = try folder.start("lesson", "2", "--auto")
      try expectEqual(terminal.wait(for: "ignored: nothing happens").contains("2 states, 2 events"), hasCounts)
    }
  }

  @Test("Ctrl-C leaves at a question, and the next time the lesson goes on there")
  func interrupted() throws {
    let folder = try Folder()
    var terminal = try folder.start("lesson", "1")
    try terminal.wait(for: "state> ")
    terminal.type("on\r")
    try terminal.wait(for: "event> ")
    terminal.type("half a line\u{03}")
    try terminal.wait(for: "'fsmrepl lesson 1' goes on here, with part ")
    try expectEqual(terminal.waitForEnding(), .exited(0))
    expect(terminal.isRestored)
    expectEqual(folder.progress, "L/01-keys.fsm 3/12 1/1")
    terminal = try folder.start("lesson", "1")
    try terminal.wait(for: "up to part 3 of 12.")
    try terminal.wait(for: "Enter: go on")
    terminal.type("\r")
    // The text before the question is told again.
    try terminal.wait(for: "A tap makes the next letter upper case.\n\n? How does it lock?")
    try terminal.wait(for: "event> ")
    terminal.type("TAP\r")
    try terminal.wait(for: "on → capsLock")
    try terminal.wait(for: "time> ")
    terminal.type("q\r")
    try expectEqual(terminal.waitForEnding(), .exited(0))
    expectEqual(folder.progress, "L/01-keys.fsm 6/12 2/2")
    terminal = try folder.start("lesson", "1")
    try terminal.wait(for: "b: begin again")
    terminal.type("b")
    try terminal.wait(for: "> new shiftKey key\n")
  }

  @Test(
    "the end of input, Ctrl-C, 'quit' and 'q' leave free play and a pause",
    arguments: ["\u{04}", "\u{03}", "quit\r", "q\r"])
  func leaving(keys: String) throws {
    let folder = try Folder()
    let terminal = try folder.start("lesson", "1")
    for prompt in ["state> ", "event> ", "time> "] {
      try terminal.wait(for: prompt)
      // One Enter too many uses up no question.
      terminal.type("\r")
      try terminal.wait(for: prompt)
      terminal.type("\r")
      try terminal.wait(for: "The answer:")
    }
    try terminal.wait(for: "Enter: on")
    if !keys.hasSuffix("\r") {
      terminal.type(keys)
      try expectEqual(terminal.waitForEnding(), .exited(0))
      expectEqual(folder.progress, "L/01-keys.fsm 7/12 0/3")
      return
    }
    terminal.type("\r")
    try terminal.wait(for: "virtual 0.350> ")
    terminal.type(keys)
    try expectEqual(terminal.waitForEnding(), .exited(0))
    expect(terminal.isRestored)
    expectEqual(folder.progress, "L/01-keys.fsm 8/12 0/3")
  }

  @Test("free play harms nothing: what it breaks is whole again, and 'skip' plays the solution")
  func broken() throws {
    let folder = try Folder()
    let terminal = try folder.start("lesson", "1")
    for prompt in ["state> ", "event> ", "time> "] {
      try terminal.wait(for: prompt)
      terminal.type("\r\r")
    }
    try terminal.wait(for: "Enter: on")
    terminal.type("\r")
    try terminal.wait(for: "virtual 0.350> ")
    terminal.type("send key tap\r")
    try terminal.wait(for: "on → off")
    terminal.type("use main\r")
    try terminal.wait(for: "main real")
    terminal.type("again\r")
    try terminal.wait(for: "Your turn: Lock the key.")
    try terminal.wait(for: "virtual 0.350> ")
    terminal.type("drop key\r")
    try terminal.wait(for: "dropped")
    terminal.type("mode json\r")
    try terminal.wait(for: "virtual 0.350> ")
    terminal.type("begin\r")
    try terminal.wait(for: "batch> ")
    terminal.type("skip\r")
    try terminal.wait(for: "off → on")
    try terminal.wait(for: "on → capsLock")
    try terminal.wait(for: "The end of it.")
    try expectEqual(terminal.waitForEnding(), .exited(0))
  }

  @Test("where progress cannot be kept, nobody says that it is")
  func unkept() throws {
    let folder = try Folder()
    let terminal = try Pseudoterminal(["lesson", "1", "--lessons", "\(folder.path)/L"])
    try terminal.wait(for: "state> ")
    terminal.type("\u{03}")
    try terminal.wait(for: "Your place could not be saved")
    try expectEqual(terminal.waitForEnding(), .exited(0))
    let full = try Folder()
    mkdir("\(full.path)/state", 0o700)
    mkdir("\(full.path)/state/fsmd", 0o700)
    mkdir("\(full.path)/state/fsmd/lessons", 0o700)
    let other = try full.start("lesson", "1")
    try other.wait(for: "state> ")
    other.type("\u{03}")
    try other.wait(for: "Your place could not be saved")
    try expectEqual(FileManager.default.contentsOfDirectory(atPath: "\(full.path)/state/fsmd"), ["lessons"])
  }

  @Test("a copy of a lesson in another folder has a progress of its own")
  func copies() throws {
    let folder = try Folder()
    mkdir("\(folder.path)/My 100 % own", 0o700)
    try RegularFile.write(Self.keys, to: "\(folder.path)/My 100 % own/01-keys.fsm", replaces: true)
    let terminal = try folder.start("lesson", "1")
    try terminal.wait(for: "state> ")
    terminal.type("\u{03}")
    try expectEqual(terminal.waitForEnding(), .exited(0))
    for isThere in [false, true] {
      let own = try Pseudoterminal(
        ["lesson", "1", "--lessons", "\(folder.path)/My 100 % own"],
        variables: ["XDG_STATE_HOME=\(folder.path)/state"])
      try expectEqual(own.wait(for: isThere ? "Enter: go on" : "state> ").contains("been here before"), isThere)
      if !isThere {
        own.type("on\r")
        try own.wait(for: "event> ")
      }
      own.type(isThere ? "q" : "\u{03}")
      try expectEqual(own.waitForEnding(), .exited(0))
    }
    expectEqual(folder.progress, "L/01-keys.fsm 2/12 0/0\nMy%20100%20%25%20own/01-keys.fsm 3/12 1/1")
  }

  @Test("a signal at the question where to begin leaves nothing of the daemon behind", arguments: [SIGTERM, SIGHUP])
  func beginning(signal: Int32) throws {
    let folder = try Folder()
    mkdir("\(folder.path)/tmp", 0o700)
    func start() throws -> Pseudoterminal { try folder.start("lesson", "1", variables: ["TMPDIR=\(folder.path)/tmp"]) }
    var terminal = try start()
    try terminal.wait(for: "state> ")
    terminal.type("\u{03}")
    try expectEqual(terminal.waitForEnding(), .exited(0))
    terminal = try start()
    try terminal.wait(for: "Enter: go on")
    terminal.signal(signal)
    try expectEqual(terminal.waitForEnding(), .killed(signal: signal))
    try expectEqual(FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/tmp"), [])
  }

  @Test("a lesson with mistakes is told, and the others are listed and played")
  func mistakes() throws {
    let folder = try Folder()
    try RegularFile.write("lesson Bad\nlevel 1\nask nonsense\n", to: "\(folder.path)/L/03-bad.fsm", replaces: true)
    var terminal = try folder.start("lesson", columns: 100)
    try terminal.wait(for: "03-bad.fsm:3:")
    try terminal.wait(for: "A key that locks")
    try expectEqual(terminal.waitForEnding(), .exited(0))
    terminal = try folder.start("lesson", "--auto", "cold")
    try expectEqual(terminal.waitForEnding(), .exited(0))
    for wish in ["3", "bad"] {
      terminal = try folder.start("lesson", wish, columns: 200)
      try terminal.wait(for: "L/03-bad.fsm has mistakes, so it cannot be played")
      try expectEqual(terminal.waitForEnding(), .exited(1))
    }
    for name in ["01-keys", "02-fridge"] { unlink("\(folder.path)/L/\(name).fsm") }
    terminal = try folder.start("lesson", columns: 100)
    try expectEqual(terminal.waitForEnding(), .exited(1))
  }

  /// A prompt with a daemon of its own, and the path of its socket.
  private func daemon() throws -> (prompt: Pseudoterminal, socket: String) {
    let prompt = try Pseudoterminal(["--private"], columns: 200)
    try prompt.wait(for: " on ")
    let socket = try prompt.wait(for: ". 'help'")
    try prompt.wait(for: "main real ")
    return (prompt, socket)
  }

  @Test("with a daemon of others a lesson has a world of its own, and leaves none behind")
  func shared() throws {
    let folder = try Folder()
    let (prompt, socket) = try daemon()
    let terminal = try folder.start("lesson", "1", "--socket", socket)
    try terminal.wait(for: "state> ")
    prompt.type("worlds\r")
    try prompt.wait(for: "  lesson-")
    let number = try prompt.wait(for: " ")
    // So the copy in which answers are tried cannot be made.
    prompt.type("world new lesson-\(number)-trial\r")
    try prompt.wait(for: "-trial created")
    terminal.type("off\r")
    try terminal.wait(for: "Your answers cannot be judged:")
    try terminal.wait(for: "off → on")
    try terminal.wait(for: "event> ")
    terminal.type("tap\r")
    try expect(!terminal.wait(for: "on → capsLock").contains("judged"))
    try terminal.wait(for: "time> ")
    terminal.type("\u{03}")
    try expectEqual(terminal.waitForEnding(), .exited(0))
    expectEqual(folder.progress, "L/01-keys.fsm 6/12 0/0")
    prompt.type("worlds\rsync\r")
    try expect(!prompt.wait(for: "all done").contains("lesson-"))
  }

  @Test("a killed player's world goes with the next lesson; those that others play, and other worlds, stay")
  func killed() throws {
    let folder = try Folder()
    let (prompt, socket) = try daemon()
    func worlds() throws -> Set<String> {
      prompt.type("worlds\rsync\r")
      return Set(try prompt.wait(for: "all done").matches(of: #/\n  ((lesson|mine)\S*) /#).map { String($0.output.1) })
    }
    prompt.type("world new mine\r")
    let players = try (0..<3).map { _ in try folder.start("lesson", "1", "--socket", socket) }
    for player in players { try player.wait(for: "state> ") }
    let before = try worlds()
    expectEqual(before.count, 4)
    players[0].signal(SIGKILL)
    try expectEqual(players[0].waitForEnding(), .killed(signal: SIGKILL))
    try expectEqual(worlds(), before)
    let next = try folder.start("lesson", "2", "--socket", socket)
    try next.wait(for: "This was the last lesson.")
    let after = try worlds()
    expect(after.count == 3 && after.isStrictSubset(of: before) && after.contains("mine"), "\(after)")
    players[1].type("on\r")
    try players[1].wait(for: "Right.")
  }

  @Test("a lesson's worlds are left behind if nobody is in one of them and their process is gone")
  func leftBehind() {
    func left(_ worlds: [String], clients: [String], running: Set<pid_t> = []) -> [String] {
      LessonWorlds.leftBehind(
        worlds.compactMap { ServerLine(". \($0) clock=virtual t=0.000 seq=0") },
        clients: clients.compactMap { ServerLine($0) }, isRunning: running.contains)
    }
    let seven = ["lesson-7", "lesson-7-2", "lesson-7-trial", "lesson-7-2-trial"]
    let worlds = ["main", "lesson", "lesson-77", "lesson-x", "lesson-7-mine"] + seven
    expectEqual(left(worlds, clients: [". ana client=1 world=main"]), ["lesson-77"] + seven)
    // While an answer is tried its player is in the copy.
    expectEqual(left(worlds, clients: [". ana client=1 world=ana/lesson-7-trial"]), ["lesson-77"])
    expectEqual(left(worlds, clients: [". ana client=1 world=main"], running: [7]), ["lesson-77"])
    expect(left(["ben/lesson-9"], clients: [". ana client=1 world=main", ". ben"]).isEmpty)
    expect(left(worlds, clients: []).isEmpty)
  }

  @Test("a daemon that goes away ends a lesson, and the place is kept")
  func lost() throws {
    let folder = try Folder()
    let (prompt, socket) = try daemon()
    let terminal = try folder.start("lesson", "1", "--socket", socket)
    try terminal.wait(for: "state> ")
    prompt.type("quit\r")
    try expectEqual(prompt.waitForEnding(), .exited(0))
    terminal.type("on\r")
    try terminal.wait(for: "the connection to the daemon was lost")
    try terminal.wait(for: "'fsmrepl lesson 1' goes on here, with part ")
    try expectEqual(terminal.waitForEnding(), .exited(2))
    expect(terminal.isRestored)
    expectEqual(folder.progress, "L/01-keys.fsm 2/12 0/0")
  }

  @Test("a goal about timers is reached with 'mode json', too")
  func json() throws {
    let folder = try Folder()
    try folder.write("new shiftKey key", "try key timers doubleTap", "goal Wait.", "send key tap", "end")
    let terminal = try folder.start("lesson", "2")
    try terminal.wait(for: "virtual 0.000> ")
    for request in ["mode json", "send key tap"] { terminal.type("\(request)\r") }
    try terminal.wait(for: "✓ Done.")
    try expectEqual(terminal.waitForEnding(), .exited(0))
  }

  @Test("the window may change its width, and the terminal may have neither colours nor Unicode")
  func terminals() throws {
    let folder = try Folder()
    let text = "show table key\nshow graph key\nsay - From “−18 °C” on…\npause\nask state What is it after one tap?"
    try RegularFile.write(
      Self.keys.replacing("ask state What is it after one tap?", with: text), to: "\(folder.path)/L/01-keys.fsm",
      replaces: true)
    let list = try folder.start("lesson", variables: ["LC_ALL=C"])
    try list.wait(for: "plays one.")
    expect(list.written.allSatisfy { $0 < 0x80 })
    let terminal = try folder.start("lesson", "1", columns: 30, variables: ["LC_ALL=C", "TERM=dumb"])
    // What does not fit on the screen any more waits for a key.
    for _ in 0..<2 {
      try terminal.wait(for: "Enter: on")
      terminal.type("\r")
    }
    try terminal.wait(for: "  - From \"-18 oC\" on~\n")
    try terminal.wait(for: "Enter: on")
    // What cannot be erased stays, and no commands are sent.
    expect(!terminal.written.contains(0x1B))
    terminal.type("\r")
    try terminal.wait(for: "\n")
    try terminal.wait(for: "state> ")
    terminal.resize(columns: 40)
    terminal.type("on\r")
    try terminal.wait(for: "Right.")
    try terminal.wait(for: "off -> on")
    try terminal.wait(for: "event> ")
    expect(terminal.written.allSatisfy { $0 < 0x80 })
    terminal.signal(SIGTERM)
    try expectEqual(terminal.waitForEnding(), .killed(signal: SIGTERM))
    expectEqual(folder.progress, "L/01-keys.fsm 7/16 1/1")
  }

  @Test("--auto answers everything itself, without a terminal, and keeps nothing")
  func automatic() throws {
    let folder = try Folder()
    let terminal = try folder.start("lesson", "--auto", "keys")
    try terminal.wait(for: "state> on\n")
    try terminal.wait(for: "event> tap\n")
    try terminal.wait(for: "time> 0.350\n")
    try terminal.wait(for: "3 of 3 right.")
    try expectEqual(terminal.waitForEnding(), .exited(0))
    expect(folder.progress.isEmpty)
  }

  @Test("--auto fails where a picture cannot be drawn")
  func automaticFailure() throws {
    let folder = try Folder()
    try folder.write("new shiftKey key", "show table kee")
    let terminal = try folder.start("lesson", "--auto", "2")
    try terminal.wait(for: "This line fails")
    try terminal.wait(for: "expected a picture, got - UNKNOWN-MACHINE")
    try expectEqual(terminal.waitForEnding(), .exited(3))
  }

  @Test("data that a question asks for are asked for again, however they are left out")
  func data() throws {
    let folder = try Folder()
    try folder.write(
      "new checkins s", "send s startLoading", "ask state How many?", "send s loadingFinished 5 => list(5)")
    let terminal = try folder.start("lesson", "2", columns: 200)
    for answer in ["list", "List 5"] {
      try terminal.wait(for: "state> ")
      terminal.type("\(answer)\r")
      try terminal.wait(for: "Write them in parentheses:\nlist(…).")
    }
    try terminal.wait(for: "state> ")
    terminal.type("LIST(5)\r")
    try terminal.wait(for: "✓ Right.")
  }

  @Test("nothing scrolls away unread: what does not fit, and what is taller than the screen, waits for a key")
  func page() throws {
    let folder = try Folder()
    try folder.write(
      "say One.", "new shiftKey key", "send key tap", "journal", (1...12).map { "say - \($0)" }.joined(separator: "\n"),
      "pause", "say The end.")
    // So high that all of it fits.
    var terminal = try folder.start("lesson", "2", rows: 40)
    try expect(terminal.wait(for: "Enter: on"), contains: "  • 12\n")
    terminal = try folder.start("lesson", "2", rows: 12)
    // The title, a text and two requests; then an answer of more rows than are left.
    let first = try terminal.wait(for: "Enter: on")
    expect(first.hasPrefix("2  Cold\n") && first.contains("off → on") && !first.contains("> journal"), "\(first)")
    expect(first.count { $0 == "\n" } <= 11)
    terminal.type(" ")
    let second = try terminal.wait(for: "Enter: on")
    // A text of more rows than the screen has begins below, and goes on after the key.
    expect(second.contains("> journal") && !second.contains("• 12\n"), "\(second)")
    expect(second.count { $0 == "\n" } <= 11)
    terminal.type(" ")
    try expect(terminal.wait(for: "Enter: on"), contains: "  • 12\n")
    terminal.type(" ")
    try terminal.wait(for: "The end.")
    try expectEqual(terminal.waitForEnding(), .exited(0))
  }

  @Test("in free play, too, an answer that comes too late is seen, and what only happens inside is not")
  func late() throws {
    let folder = try Folder()
    try folder.write(
      "new resume r", "try r reading lateDropped 1", "goal Late.", "send r open 8", "send r open 9",
      "advance 2s", "end")
    let terminal = try folder.start("lesson", "2", rows: 60)
    try terminal.wait(for: "virtual 0.000> ")
    for request in ["send r open 8", "send r open 9", "advance 2s"] { terminal.type("\(request)\r") }
    let shown = try terminal.wait(for: "✓ Done.")
    expect(shown.contains("ignored in loading(9)") && !shown.contains("armed"), "\(shown)")
    try expectEqual(terminal.waitForEnding(), .exited(0))
  }

  @Test("a signal leaves the terminal as it was, at a question, a pause and in free play", arguments: 0..<3)
  func signalled(place: Int) throws {
    let folder = try Folder()
    try folder.write(
      "new shiftKey key", ["ask state What?", "pause", "try key on\ngoal G."][place], "send key tap => on",
      place == 2 ? "end" : "")
    let terminal = try folder.start("lesson", "2")
    try terminal.wait(for: ["state> ", "Enter: on", "virtual 0.000> "][place])
    terminal.signal(SIGQUIT)
    try expectEqual(terminal.waitForEnding(), .killed(signal: SIGQUIT))
    expect(terminal.isRestored)
  }

  @Test("a lesson that cannot be written fails")
  func unwritten() throws {
    let folder = try Folder()
    let prompt = try Pseudoterminal(["--private"], columns: 200)
    try prompt.wait(for: "main real ")
    prompt.type("! /proc/$PPID/exe lesson --auto 2 --lessons \(folder.path)/L >/dev/full; echo exit $?.\r")
    try prompt.wait(for: "the lesson cannot be written")
    try prompt.wait(for: "exit 1.")
  }

  @Test("a drawing takes the width of the terminal, a text at most 88 columns")
  func width() throws {
    let folder = try Folder()
    let words = Array(repeating: "word", count: 40).joined(separator: " ")
    try folder.write("say \(words)", "new shiftKey key", "send key tap", "after 1s", "show wave")
    let terminal = try folder.start("lesson", "2", columns: 130, rows: 60)
    let longest = try terminal.wait(for: "This was the last lesson.").split(separator: "\n")
    expect((80...88).contains(longest.filter { $0.hasPrefix("word") }.map(\.count).max() ?? 0))
    expect(longest.contains { $0.count > 100 && !$0.hasPrefix("word") })
  }

  @Test("--page prints the link to the lesson's world; --present has large states, and times as people say them")
  func options() throws {
    let folder = try Folder()
    var terminal = try folder.start("lesson", "1", "--page")
    let link = try terminal.wait(for: "upper case.")
    expect(link.contains("The page is at http://127.0.0.1:") && link.contains("/?world=lesson#"))
    terminal = try folder.start("lesson", "1", "--present")
    try terminal.wait(for: "state> ")
    terminal.type("on\r")
    try terminal.wait(for: "> send key tap\n")
    try terminal.wait(for: "\n  ██    ██  ██  ██  ██\n")
    // The reason is told as people say times, too.
    try folder.write("new fridge f start=4", "ask state What is next?", "await f waiting")
    terminal = try folder.start("lesson", "2", "--present")
    try terminal.wait(for: "state> ")
    terminal.type("it stays cooling\r")
    try terminal.wait(for: "No. At 00:05:43.116 the timer minTemperatureReached fires")
  }

  /// A daemon on which a lesson has its world; what `use` is answered to the first and to later connections.
  private func server(
    use answers: [[String]], isAsked: DispatchSemaphore = DispatchSemaphore(value: 0)
  ) throws -> FakeServer {
    let used = Mutex(0)
    return try FakeServer { request in
      switch request.split(separator: " ").first {
      case "use":
        let turn = used.withLock { count in
          defer { count += 1 }
          return count
        }
        isAsked.signal()
        return answers[min(turn, answers.count - 1)]
      // Whoever hangs answers nothing more; an answer to somebody who is gone would end the tests.
      case "watch" where used.withLock { $0 } > 1: return []
      case "new": return ["+ @ created key off t=0.000 seq=1"]
      default: return ["+ @ done t=0.000"]
      }
    }
  }

  @Test("Ctrl-C leaves free play with a daemon that hangs")
  func hanging() throws {
    let folder = try Folder()
    try folder.write("new shiftKey key", "try key on", "goal Go.", "send key tap", "end")
    let isAsked = DispatchSemaphore(value: 0)
    let server = try server(use: [["+ @ world=w clock=virtual t=0.000 seq=0"], []], isAsked: isAsked)
    let terminal = try folder.start("lesson", "2", "--socket", server.path)
    try terminal.wait(for: "Your turn: Go.")
    for _ in 0..<2 { expectEqual(isAsked.wait(timeout: .now() + .seconds(20)), .success) }
    terminal.type("\u{03}")
    try terminal.wait(for: "'fsmrepl lesson 2' goes on here, with part ")
    try expectEqual(terminal.waitForEnding(), .exited(0))
  }

  @Test("a world that cannot be entered: the daemon's reason is told")
  func noWorld() throws {
    let folder = try Folder()
    let server = try server(use: [["- @ BUSY : there is no room"]])
    let terminal = try folder.start("lesson", "2", "--socket", server.path)
    try terminal.wait(for: "the lesson gets no world: BUSY : there is no room")
    try expectEqual(terminal.waitForEnding(), .exited(3))
  }

  @Test("a lesson that nobody has, or that several are")
  func choice() throws {
    let folder = try Folder()
    var terminal = try folder.start("lesson", "zoo")
    try terminal.wait(for: "there is no lesson 'zoo'")
    try expectEqual(terminal.waitForEnding(), .exited(1))
    terminal = try folder.start("lesson", "e")
    try expectEqual(terminal.waitForEnding(), .exited(1))
  }

  @Test("a script is shown to a room: its remarks, a key for the next line, another for back")
  func room() throws {
    let folder = try Folder()
    let file = "\(folder.path)/L/02-fridge.fsm"
    try RegularFile.write(
      "# A key.\nnew shiftKey key\nsend key tap => on\nafter 1s\nsay *Said.*\n", to: file,
      replaces: true)
    let terminal = try Pseudoterminal(["run", "--show", file])
    try terminal.wait(for: "A key.\n")
    // There is nothing before the first line.
    try terminal.wait(for: "Enter: on   q: leave")
    terminal.type("b")
    terminal.type("\r")
    try terminal.wait(for: "key created, off")
    try terminal.wait(for: "Enter: on")
    terminal.type(" ")
    try terminal.wait(for: "off → on  0.000s #2")
    try terminal.wait(for: "Enter: on")
    terminal.type("\u{1B}[C")
    try terminal.wait(for: "> after 1s\n")
    try terminal.wait(for: "0.350  key  stayed in on")
    try terminal.wait(for: "Enter: on")
    terminal.type("b")
    try terminal.wait(for: "> send key tap\n")
    try terminal.wait(for: "off → on  0.000s #2")
    try terminal.wait(for: "Enter: on")
    terminal.type("\u{1B}[D")
    try terminal.wait(for: "> new shiftKey key\n")
    try terminal.wait(for: "Enter: on   b: back   q: leave")
    // In a narrow window the keys take one row, too.
    terminal.resize(columns: 20)
    terminal.type("b")
    try terminal.wait(for: "A key.\n")
    try terminal.wait(for: "Enter: on   q: leav")
    terminal.type("q")
    try expectEqual(terminal.waitForEnding(), .exited(0))
    expect(terminal.isRestored)
  }
}
