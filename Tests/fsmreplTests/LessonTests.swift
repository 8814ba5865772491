import Glibc
import Testing
import UnixHost

@testable import fsmrepl

/// Lessons at a real terminal, with a daemon of their own.
@Suite(.serialized)
struct LessonTests {
  /// A folder with lessons, and one for progress; both are gone with the test.
  private final class Folder {
    let path: String

    init() throws {
      var template = Array("/tmp/fsmrepl-test-XXXXXX".utf8CString)
      guard mkdtemp(&template) != nil else { throw SystemError.last }
      path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
      mkdir("\(path)/L", 0o700)
      try RegularFile.write(LessonTests.keys, to: "\(path)/L/01-keys.fsm", replaces: true)
      try RegularFile.write(LessonTests.fridge, to: "\(path)/L/02-fridge.fsm", replaces: true)
    }

    deinit {
      for file in ["L/01-keys.fsm", "L/02-fridge.fsm", "state/fsmd/lessons", "state/fsmd/history"] {
        unlink("\(path)/\(file)")
      }
      for folder in ["L", "state/fsmd", "state", ""] { rmdir("\(path)/\(folder)") }
    }

    /// What is kept of the learner's progress.
    var progress: String {
      let bytes =
        (try? RegularFile.read("\(path)/state/fsmd/lessons", endings: ["lessons"], atMost: 4096))
        ?? []
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst().joined(
        separator: "\n")
    }

    func start(
      _ words: String..., columns: UInt16 = 80, variables: [String] = []
    ) throws -> Pseudoterminal {
      try Pseudoterminal(
        words + ["--lessons", "\(path)/L"], columns: columns,
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

  @Test("the list has number, name, level, minutes, title and progress")
  func list() throws {
    let folder = try Folder()
    let terminal = try folder.start("lesson", columns: 100)
    let shown = try terminal.wait(for: "plays one.")
    #expect(shown.contains("1  keys"))
    #expect(shown.contains("for everybody"))
    #expect(shown.contains("A key that locks"))
    #expect(shown.contains("2  fridge"))
    #expect(try terminal.waitForEnding() == .exited(0))
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
    terminal.type("onn\r")
    try terminal.wait(for: "mean on?\n")
    try terminal.wait(for: "state> ")
    terminal.type("on\r")
    try terminal.wait(for: "✓ Right.\n")
    try terminal.wait(for: "> send key tap\n")
    try terminal.wait(for: "off → on")
    try terminal.wait(for: "event> ")
    terminal.type("character x\r")
    let why = try terminal.wait(for: "> send key tap\n")
    #expect(
      why.replacing("\n", with: " ").contains(
        "No. That brings key from on to off. The event is tap."))
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
    #expect(end.contains("This is the end of the lesson. 2 of 3 right. Next: 'fsmrepl lesson 2',"))
    #expect(try terminal.waitForEnding() == .exited(0))
    #expect(terminal.isRestored)
    #expect(folder.progress == "01-keys.fsm 12/12 2/3")
  }

  @Test("Ctrl-C leaves at a question, and the next time the lesson goes on there")
  func interrupted() throws {
    let folder = try Folder()
    var terminal = try folder.start("lesson", "1")
    try terminal.wait(for: "state> ")
    terminal.type("on\r")
    try terminal.wait(for: "event> ")
    terminal.type("half a line\u{03}")
    try terminal.wait(for: "'fsmrepl lesson 1' goes on here.")
    #expect(try terminal.waitForEnding() == .exited(0))
    #expect(terminal.isRestored)
    #expect(folder.progress == "01-keys.fsm 3/12 1/1")
    terminal = try folder.start("lesson", "1")
    try terminal.wait(for: "up to part 3 of 12.")
    try terminal.wait(for: "Enter: go on")
    terminal.type("\r")
    try terminal.wait(for: "? How does it lock?")
    try terminal.wait(for: "event> ")
    terminal.type("tap\r")
    try terminal.wait(for: "on → capsLock")
    try terminal.wait(for: "time> ")
    terminal.type("\u{04}")
    #expect(try terminal.waitForEnding() == .exited(0))
    #expect(folder.progress == "01-keys.fsm 6/12 2/2")
    terminal = try folder.start("lesson", "1")
    try terminal.wait(for: "b: begin again")
    terminal.type("b")
    try terminal.wait(for: "> new shiftKey key\n")
  }

  @Test(
    "the end of input, Ctrl-C and 'quit' leave free play and a pause",
    arguments: ["\u{04}", "\u{03}", "quit\r"])
  func leaving(keys: String) throws {
    let folder = try Folder()
    let terminal = try folder.start("lesson", "1")
    for prompt in ["state> ", "event> ", "time> "] {
      try terminal.wait(for: prompt)
      terminal.type("\r")
      try terminal.wait(for: "The answer:")
    }
    try terminal.wait(for: "Enter: on")
    if keys != "quit\r" {
      terminal.type(keys)
      #expect(try terminal.waitForEnding() == .exited(0))
      #expect(folder.progress == "01-keys.fsm 7/12 0/3")
      return
    }
    terminal.type("\r")
    try terminal.wait(for: "virtual 0.350> ")
    terminal.type(keys)
    #expect(try terminal.waitForEnding() == .exited(0))
    #expect(terminal.isRestored)
    #expect(folder.progress == "01-keys.fsm 8/12 0/3")
  }

  @Test("free play harms nothing: what it breaks is whole again, and 'skip' plays the solution")
  func broken() throws {
    let folder = try Folder()
    let terminal = try folder.start("lesson", "1")
    for prompt in ["state> ", "event> ", "time> "] {
      try terminal.wait(for: prompt)
      terminal.type("\r")
    }
    try terminal.wait(for: "Enter: on")
    terminal.type("\r")
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
    #expect(try terminal.waitForEnding() == .exited(0))
  }

  @Test("the window may change its width, and the terminal may have neither colours nor Unicode")
  func terminals() throws {
    let folder = try Folder()
    let terminal = try folder.start("lesson", "1", variables: ["LC_ALL=C", "NO_COLOR=1"])
    try terminal.wait(for: "state> ")
    terminal.resize(columns: 40)
    terminal.type("on\r")
    try terminal.wait(for: "Right.")
    try terminal.wait(for: "off -> on")
    try terminal.wait(for: "event> ")
    #expect(terminal.written.allSatisfy { $0 < 0x80 })
    terminal.signal(SIGTERM)
    #expect(try terminal.waitForEnding() == .killed(signal: SIGTERM))
    #expect(folder.progress == "01-keys.fsm 3/12 1/1")
  }

  @Test("--auto answers everything itself, without a terminal, and keeps nothing")
  func automatic() throws {
    let folder = try Folder()
    let terminal = try folder.start("lesson", "--auto", "keys")
    try terminal.wait(for: "state> on\n")
    try terminal.wait(for: "event> tap\n")
    try terminal.wait(for: "time> 0.350\n")
    try terminal.wait(for: "3 of 3 right.")
    #expect(try terminal.waitForEnding() == .exited(0))
    #expect(folder.progress.isEmpty)
  }

  @Test("a lesson that nobody has, or that several are")
  func choice() throws {
    let folder = try Folder()
    var terminal = try folder.start("lesson", "zoo")
    try terminal.wait(for: "there is no lesson 'zoo'")
    #expect(try terminal.waitForEnding() == .exited(1))
    terminal = try folder.start("lesson", "e")
    #expect(try terminal.waitForEnding() == .exited(1))
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
    try terminal.wait(for: "Enter: on")
    terminal.type("\r")
    try terminal.wait(for: "key created, off")
    try terminal.wait(for: "Enter: on")
    terminal.type(" ")
    try terminal.wait(for: "off → on  0.000s #2")
    try terminal.wait(for: "Enter: on")
    terminal.type("\u{1B}[C")
    try terminal.wait(for: "> after 1s\n")
    try terminal.wait(for: "0.350  key  stays on")
    try terminal.wait(for: "Enter: on")
    terminal.type("b")
    try terminal.wait(for: "> send key tap\n")
    try terminal.wait(for: "off → on  0.000s #2")
    try terminal.wait(for: "Enter: on")
    terminal.type("\u{1B}[D")
    try terminal.wait(for: "> new shiftKey key\n")
    try terminal.wait(for: "Enter: on")
    terminal.type("q")
    #expect(try terminal.waitForEnding() == .exited(0))
    #expect(terminal.isRestored)
  }
}
