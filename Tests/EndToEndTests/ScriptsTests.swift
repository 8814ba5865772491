import Foundation
import TestSupport
import Testing
import UnixHost

/// `fsmrepl run` as a program, with a daemon of its own or one that others use.
struct ScriptsTests {
  struct Run {
    let code: Child.Ending
    let output: String
    let log: String
  }

  static let alone: [(String, String?)] = [("FSMD_SOCKET", nil), ("XDG_RUNTIME_DIR", "/nonexistent"), ("TMPDIR", nil)]

  /// Writes files into a folder and runs `fsmrepl run` there; `@NAME` in an argument is the path of a file.
  func run(_ files: [String: String], _ arguments: String..., socket: String? = nil) throws -> Run {
    try run(files, options: arguments, socket: socket)
  }

  /// A daemon for scripts that need none of their own: each is played in a world of its own. It ends with this process.
  private static let shared = Result { Shared(try DaemonProcess("--ephemeral")) }

  // Unchecked: all that is read of it, the path of its socket, never changes.
  private struct Shared: @unchecked Sendable {
    let daemon: DaemonProcess
    init(_ daemon: DaemonProcess) { self.daemon = daemon }
  }

  func run(_ files: [String: String], options arguments: [String], socket: String? = nil) throws -> Run {
    let socket = try socket ?? Self.shared.get().daemon.socket
    let folder = try TemporaryFolder()
    for (name, text) in files {
      let file = URL(filePath: "\(folder.path)/\(name)")
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    let words = arguments.map { $0.hasPrefix("@") ? "\(folder.path)/\($0.dropFirst())" : $0 }
    let program = try ProgramRun(
      "fsmrepl", ["run", "--socket", socket] + words, in: folder, environment: Self.alone)
    let code = try program.ending()
    func bare(_ text: String) -> String { text.replacing("\(folder.path)/", with: "") }
    return Run(code: code, output: bare(program.output), log: bare(program.log))
  }

  static let good = """
    # double tap makes caps lock
    new shiftKey key
    at 0s      send key tap          => moved off on
    at 200ms   send key tap          => capsLock
    after 1s   send key tap          => off
    expect key off
    at 3s      send key cancel       => refused UNKNOWN-EVENT
    expect key timers none

    """

  @Test("a script that holds is one line and exit code 0")
  func passes() throws {
    let run = try run(["a.fsm": Self.good], "@a.fsm")
    expectEqual(run.code, .exited(0))
    expectEqual(run.output, "ok      a.fsm  3.000 s, 11 steps, 6 expectations\n")
    expectEqual(run.log, "")
  }

  @Test("each failure has the journal since the one before")
  func journals() throws {
    let script = """
      new power p
      expect? p on
      expect? p on
      send p buttonClick
      expect p off
      """
    let run = try run(["a.fsm": script], "@a.fsm")
    expectEqual(
      run.output,
      """
      not ok  a.fsm  0.000 s, 5 steps, 3 expectations
        a.fsm:2:11: expect? p on
          expected  on
          got       off
          the journal up to here
            1 0.000 p created power off
        a.fsm:3:11: expect? p on
          expected  on
          got       off
        a.fsm:5:10: expect p off
          expected  off
          got       on
          the journal from there up to here
            2 0.000 p moved off on event=buttonClick

      """)
    try expect(
      self.run(["a.fsm": script], "--tap", "@a.fsm").output,
      contains: "  'journal up to a.fsm:5:10':\n    - '2 0.000 p moved off on event=buttonClick'\n")
  }

  @Test("a mistake of one case stands at that case, and the others are reported, too")
  func mistakenCase() throws {
    let script = "new power p\ncase first\nsend p buttonClick\ncase second\nsend p buttonClik\ncase third\nlist\n"
    let run = try run(["a.fsm": script], "--junit", "@j.xml", "--tap", "@a.fsm")
    expectEqual(run.code, .exited(3))
    let reports = run.output.split(separator: "\n").filter { $0.contains("ok ") }
    expectEqual(reports.map { $0.prefix(14) }, ["ok 1 - a.fsm:f", "not ok 2 - a.f", "ok 3 - a.fsm:t"])
    expect(run.output, contains: "not ok 2 - a.fsm:second\n")
  }

  @Test(
    "exit codes, the failing line, what was expected and what came",
    arguments: [
      ("send key tap => off", 4, 17, "off", "moved off on"),
      ("send key nope", 3, 10, "ok", "refused UNKNOWN-EVENT : "),
      ("expect key on", 4, 12, "on", "off"), ("expect key timers doubleTap", 4, 19, "timers doubleTap", "timers none"),
      ("await key on within=1s", 5, 11, "ok", "refused TIMEOUT : "),
      ("await key on => on", 5, 17, "on", "refused TIMEOUT : "),
      ("expect output key text", 4, 19, "output text of key at 0.000", "no output of key"),
      ("expect output key text within 1s", 4, 19, "output text of key within 1s", "no output of key"),
      ("expect nobody timers none", 3, 8, "a machine", "there is no machine 'nobody'"),
      ("never key off", 4, 1, "never key off (s.fsm:2)", "key in off at 0.000"),
      ("never nobody on", 3, 7, "a machine and a state of its kind", "refused UNKNOWN-MACHINE"),
      ("never key capslock", 3, 11, "a machine and a state of its kind", "refused BAD-ARGUMENT"),
      ("after 1s send key tap => stayed", 4, 26, "stayed", "moved off on"),
      ("send key tap => moved on off", 4, 23, "moved on off", "moved off on"),
      ("send key character => moved", 4, 23, "moved", "refused BAD-ARGUMENT : "),
      ("fire key doubleTap => moved on", 4, 23, "moved on", "refused : "),
      ("send key tap => moved off off", 4, 27, "moved off off", "moved off on"),
      ("send key tap => on t=0s outputs=text", 4, 25, "on t=0s outputs=text", "moved off on t=0.000 outputs="),
      ("new fridge f strat=4", 3, 14, "ok", "refused BAD-ARGUMENT"), ("at 0s drop nobody", 3, 12, "ok", "refused"),
      ("resume", 3, 1, "ok", "refused CLOCK : "),
    ])
  func fails(line: String, code: Int32, column: Int, expected: String, got: String) throws {
    let run = try run(["s.fsm": "new shiftKey key\n\(line)\nlist\n"], "@s.fsm")
    expectEqual(run.code, .exited(code))
    let lines = run.output.split(separator: "\n")
    expect(lines.first, hasPrefix: "not ok  s.fsm  ", "\(run.output)")
    try #require(lines.count > 3, "\(run.output)")
    expectEqual(lines[1], "  s.fsm:2:\(column): \(line)")
    expectEqual(lines[2], "    expected  \(expected)")
    expect(lines[3], hasPrefix: "    got       \(got)", "\(lines[3])")
  }

  @Test("a failure shows the journal up to itself, though later requests were under way")
  func journal() throws {
    let later = String(repeating: "after 1s send key tap\n", count: 200)
    let before = String(repeating: "after 1s send key tap\n", count: 20)
    let run = try run(["s.fsm": "new shiftKey key\n\(before)expect key on\n\(later)"], "@s.fsm")
    expectEqual(run.code, .exited(4))
    let journal = run.output.components(separatedBy: "up to here\n").last?.split(separator: "\n") ?? []
    expectEqual(journal.count, 10)
    expectEqual(journal.last, "      31 20.000 key moved on off event=tap", "\(run.output)")
  }

  @Test("a state that has no name but its data may be named by them in a script")
  func namedByData() throws {
    let start = "new freeform f\n"
    let good = try run(
      ["s.fsm": start + "never f idle\nsend f set active => moved active\nexpect f active\n"], "@s.fsm")
    expectEqual(good.code, .exited(0), "\(good.output)")
    let bad = try run(["s.fsm": start + "never f active\nsend f set active\n"], "@s.fsm")
    expectEqual(bad.code, .exited(4), "\(bad.output)")
    expect(bad.output, contains: "expected  never f active (s.fsm:2)", "\(bad.output)")
  }

  @Test("an await that times out shows what happened until then, and nothing of later lines")
  func journalOfAwait() throws {
    let run = try run(
      ["s.fsm": "new shiftKey key\nsend key tap\nawait key capsLock within=2s\nsend key tap\n"], "@s.fsm")
    expectEqual(run.code, .exited(5))
    expect(run.output, hasSuffix: "      3 0.350 key stayed on timer=doubleTap\n", "\(run.output)")
  }

  @Test("the run stops at the first file that fails; --keep-going does not, and the first failure decides")
  func keepGoing() throws {
    let files = ["1.fsm": Self.good, "2.fsm": "show nobody", "3.fsm": "expect nobody on", "4.fsm": Self.good]
    let stopped = try run(files, "@1.fsm", "@2.fsm", "@3.fsm", "@4.fsm")
    expectEqual(stopped.code, .exited(3))
    expect(stopped.output, contains: "\nnot ok  3.fsm", "its mistake is told without playing it: \(stopped.output)")
    expect(stopped.output, hasSuffix: "1 of 4 passed, 1 not run\n", "\(stopped.output)")
    let whole = try run(files, "--keep-going", "@1.fsm", "@2.fsm", "@3.fsm", "@4.fsm")
    expectEqual(whole.code, .exited(3))
    expect(whole.output, contains: "\nnot ok  3.fsm")
    expect(
      whole.output, hasSuffix: "ok      4.fsm  3.000 s, 11 steps, 6 expectations\n2 of 4 passed\n", "\(whole.output)")
  }

  @Test("TAP: a plan, a line each, the facts of a failure, and what was not run")
  func tap() throws {
    let files = ["1.fsm": Self.good, "2.fsm": "new shiftKey k\nsend k nope", "#3.fsm": Self.good]
    let run = try run(files, "--tap", "@1.fsm", "@2.fsm", "@#3.fsm")
    expectEqual(run.code, .exited(3))
    expectEqual(
      run.output,
      """
      TAP version 14
      1..3
      ok 1 - 1.fsm
      not ok 2 - 2.fsm
        ---
        at: '2.fsm:2:8'
        line: 'send k nope'
        expected: 'ok'
        got: 'refused UNKNOWN-EVENT : a shiftKey has no event ''nope'''
        hints:
          - 'it has: tap, character'
        exit: 3
        ...
      ok 3 - \\#3.fsm # SKIP not run after a failure

      """)
  }

  @Test("a folder is all scripts below it, in the order of their bytes")
  func folders() throws {
    let run = try run(
      ["t/b.fsm": "list", "t/B/z.fsm": "list", "t/a/x.fsm": "list", "t/a.fsm": "list", "t/no.txt": "nonsense"], "--tap",
      "@t")
    expectEqual(run.code, .exited(0))
    expectEqual(
      run.output, "TAP version 14\n1..4\nok 1 - t/B/z.fsm\nok 2 - t/a.fsm\nok 3 - t/a/x.fsm\nok 4 - t/b.fsm\n")
  }

  @Test("nothing runs when a file does not parse; each file's mistake is told")
  func mistakes() throws {
    let run = try run(
      ["1.fsm": Self.good, "2.fsm": "list\n sned k", "3.fsm": "include x.fsm"], "@1.fsm", "@2.fsm", "@3.fsm", "@4.fsm")
    expectEqual(run.code, .exited(1))
    expectEqual(run.output, "")
    expectEqual(
      run.log,
      """
      2.fsm:2:2: 'sned' is no verb; did you mean 'send'?
      3.fsm:1:9: cannot read 'x.fsm': No such file or directory
      fsmrepl: cannot read 4.fsm: No such file or directory

      """)
  }

  @Test("scripts see neither each other's machines nor those of the daemon they run on, and leave no world behind")
  func isolation() throws {
    let daemon = try DaemonProcess()
    defer { daemon.letGo() }
    let client = try daemon.connect()
    try client.ask("new shiftKey key")
    try client.ask("watch * what=all")
    let worlds = try client.askAll("worlds").count
    let one = "list => 0\nnew shiftKey key\nsend key tap => on\n"
    let run = try run(
      ["1.fsm": one, "2.fsm": one + "expect key off\nnew shiftKey late\n", "3.fsm": one], "-k", "@1.fsm", "@2.fsm",
      "@3.fsm", "@1.fsm", socket: daemon.socket)
    expectEqual(run.code, .exited(4))
    expect(run.output, hasSuffix: "3 of 4 passed\n", "\(run.output)")
    try expect(client.hasNothing())
    try expectEqual(client.askAll("worlds").count, worlds)
    try expect(client.ask("expect key off"), hasPrefix: "+")
  }

  @Test("the same script says the same every time")
  func determinism() throws {
    let script = """
      new fridge f start=4
      new shiftKey key
      repeat 20
        after 10m
        send key tap
        expect output f compressorOn within 10h
      end
      send nobody tap
      """
    let runs = try (0..<5).map { _ in try run(["s.fsm": script], "@s.fsm").output }
    expectEqual(Set(runs).count, 1, "\(runs)")
    expect(runs[0], contains: "there is no machine 'nobody' in this world\n")
  }

  @Test("CRLF, tabs, UTF-8, other files, names and repeats")
  func language() throws {
    let run = try run(
      [
        "s.fsm":
          "\u{FEFF}# größe\r\nlet kind = shiftKey\r\ninclude sub/more.fsm\r\n\tat\t1s\tsend\tkey\ttap\t=>\ton\r\n",
        "sub/more.fsm": "include \"../größe.fsm\"\nrepeat 3\nnew $kind a$n\ndrop a$n\nend\n",
        "größe.fsm": "let n = 7\nnew $kind key\n",
      ], "@s.fsm")
    expectEqual(run.code, .exited(0), "\(run.output) \(run.log)")
    expectEqual(run.output, "ok      s.fsm  1.000 s, 9 steps, 1 expectation\n")
  }

  @Test("a batch runs at one moment, its lines have outcomes, and a failure in it is told at its line")
  func batches() throws {
    let good = try run(
      ["s.fsm": "new shiftKey k\nbegin\nrepeat 2\nsend k tap\nend\nexpect k capsLock\nend => ok batch=3\n"], "@s.fsm")
    expectEqual(good.code, .exited(0), "\(good.output)")
    let bad = try run(["s.fsm": "new shiftKey k\nbegin\nsend k tap => off\nlist\nend\n"], "@s.fsm")
    expect(bad.output, contains: "  s.fsm:3:15: send k tap => off\n", "\(bad.output)")
  }

  @Test("a batch may be as long as the daemon takes it; one line more is a failure of its end")
  func longBatches() throws {
    func script(_ lines: Int) -> String {
      "new shiftKey k\nnever k capsLock\nbegin\nrepeat \(lines)\nshow k\nend\nend\nsend k tap => on\n"
    }
    let good = try run(["s.fsm": script(10_000)], "@s.fsm")
    expectEqual(good.code, .exited(0), "\(good.output)")
    let bad = try run(["s.fsm": script(10_001)], "@s.fsm")
    expectEqual(bad.code, .exited(3))
    expect(bad.output, contains: "  s.fsm:7:1: end\n    expected  ok\n    got       refused LIMIT : ", "\(bad.output)")
  }

  @Test("a failure before a batch, and one within a repeat, ends the script all the same")
  func failureBeforeBatch() throws {
    let run = try run(
      ["s.fsm": "new shiftKey k\nexpect k on\nrepeat 500\nbegin\nsend k tap\nsend k tap\nend\nafter 1s\nend\n"],
      "@s.fsm")
    expectEqual(run.code, .exited(4))
    expect(run.output, contains: "  s.fsm:2:10: expect k on\n", "\(run.output)")
  }

  @Test("a never is held against what happens between lines, too, at the line during which it does")
  func never() throws {
    let run = try run(
      ["s.fsm": "new fridge f start=4\nnever f waiting\nafter 1m\nafter 1h\nlist\n"], "@s.fsm")
    expectEqual(run.code, .exited(4))
    expect(run.output, contains: "  s.fsm:4:7: after 1h\n    expected  never f waiting (s.fsm:2)\n", "\(run.output)")
    expect(run.output, contains: "    got       f in waiting at 343.116647296\n", "\(run.output)")
    expect(run.output, hasSuffix: "f armed maxTemperatureReached due=1949.750216758\n", "\(run.output)")
  }

  @Test("very many steps with a never are followed to the last notice")
  func neverForLong() throws {
    let run = try run(
      [
        "s.fsm":
          "new shiftKey k\nnever k capsLock\nrepeat 3000\nafter 1s send k tap => on\nafter 1s send k tap\nend\nsend k tap\nsend k tap"
      ],
      "@s.fsm")
    expect(run.output, contains: "expected  never k capsLock (s.fsm:2)\n", "\(run.output)")
    expect(run.output, contains: "  s.fsm:8:1: send k tap\n", "\(run.output)")
  }

  @Test("waiting for an output lets time pass to its moment, and not beyond")
  func outputs() throws {
    let run = try run(
      [
        "s.fsm": """
        new fridge f start=4
        expect output f compressorOn
        expect f reading temperature 4 +-0.001
        expect output f compressorOff within 343.116647296s
        expect f timers maxTemperatureReached
        expect output f compressorOn within 1ms
        """
      ], "@s.fsm")
    expect(
      run.output, contains: "not ok  s.fsm  343.116647296 s, 6 steps, 5 expectations\n  s.fsm:6:17: ", "\(run.output)")
    expect(
      run.output, contains: "got       last compressorOff at 343.116647296, compressorOn at 0.000\n", "\(run.output)")
  }

  @Test("nothing is played behind an output that was missed", arguments: [[], ["--real", "--speed", "1000000"]])
  func behindMissedOutput(options: [String]) throws {
    let text = "new fridge f start=4\nafter 1s\nexpect output f compressorOn\nexpect output f compressorOff within 1h\n"
    let run = try run(["s.fsm": text], options: options + ["@s.fsm"])
    expect(run.output, contains: "not ok  s.fsm  1.000 s, 3 steps, 1 expectation\n", "\(run.output)")
    expect(run.output, hasSuffix: "      1 0.000 f armed minTemperatureReached due=343.116647296\n", "\(run.output)")
  }

  @Test("at real pace the same comes out, with what happens to be seen")
  func realPace() throws {
    let run = try run(["s.fsm": Self.good], "--real", "--speed", "100", "@s.fsm")
    expectEqual(run.code, .exited(0), "\(run.output) \(run.log)")
    expect(
      run.output, contains: "> advance until 200ms\n> send key tap\n* 3 0.200 key moved on capsLock event=tap\n",
      "\(run.output)")
    expect(run.output, hasSuffix: "ok      s.fsm  3.000 s, 11 steps, 6 expectations\n", "\(run.output)")
  }

  /// So many timers that nobody waits for their end.
  static let endless = "new fridge f start=4 coolingTau=1ms waitingTau=1ms\nadvance 36500d\nlist\n"

  @Test("Ctrl-C in a long advance is exit code 130, and drops the world")
  func interrupted() throws {
    let daemon = try DaemonProcess()
    defer { daemon.letGo() }
    let client = try daemon.connect()
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/s.fsm"
    try Data(Self.endless.utf8).write(to: URL(filePath: path))
    let junit = "\(folder.path)/j.xml"
    let program = try ProgramRun(
      "fsmrepl", ["run", "--socket", daemon.socket, "--junit", junit, path], in: folder)
    try Patience.wait(until: "the world to be there") { try client.askAll("worlds").count > 2 }
    program.child.signal(SIGINT)
    try expectEqual(program.ending(), .exited(130), "\(program.log)")
    let report = try String(contentsOfFile: junit, encoding: .utf8)
    expect(report.contains("errors=\"1\" skipped=\"0\"") && report.contains("<error type=\"interrupted\""), "\(report)")
    try Patience.wait(until: "the world to be gone") { try client.askAll("worlds").count == 2 }
  }

  @Test("a daemon that goes away is exit code 2; one that was named and is not there, too")
  func lost() throws {
    let daemon = try DaemonProcess()
    let client = try daemon.connect()
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/s.fsm"
    try Data(Self.endless.utf8).write(to: URL(filePath: path))
    let program = try ProgramRun("fsmrepl", ["run", "--tap", "--socket", daemon.socket, path], in: folder)
    try Patience.wait(until: "the world to be there") { try client.askAll("worlds").count > 2 }
    daemon.signal(SIGKILL)
    try expectEqual(program.ending(), .exited(2))
    expect(program.output, hasSuffix: "Bail out! the connection to the daemon was lost\n")
    try expectEqual(run(["s.fsm": "list"], "@s.fsm", socket: daemon.socket).code, .exited(2))
  }

  @Test("the tests that every kind prints of itself are scripts, and hold")
  func printedTests() throws {
    let daemon = try DaemonProcess()
    defer { daemon.letGo() }
    let client = try daemon.connect()
    var files: [String: String] = [:]
    // Every one with `FSMD_THOROUGH=10`, or one in so many, from any of the first on: other tests try the lines of each.
    var dice = Dice(seed: 25)
    let rows = try client.askAll("kinds").dropLast()
    for place in stride(from: dice.number(below: Thorough.distance), to: rows.count, by: Thorough.distance) {
      let kind = rows[place].split(separator: " ")[1]
      let rows = try client.askAll("graph \(kind) format=tests")
      guard rows.last?.hasPrefix("+") == true else { continue }
      files["t/\(kind).fsm"] = rows.dropLast().map { $0.dropFirst(2) }.joined(separator: "\n")
    }
    func add(_ name: String) throws {
      let rows = try client.askAll("graph \(name) format=tests").dropLast()
      expect(rows.allSatisfy { !$0.utf8.contains { $0 < 0x20 } && !$0.contains("not by a request") }, "\(name)")
      files["t/\(name).fsm"] = rows.map { $0.dropFirst(2) }.joined(separator: "\n")
    }
    // A dollar begins a name in a script, a number sign a remark.
    for (place, pattern) in ["US$", "a b", "a\\tb", "a#b", "#", "a\\\"b", "[^a]\\\\.", "[^\\n]x"].enumerated() {
      try expect(client.ask("new acceptor a\(place) pattern=\"\(pattern)\""), hasPrefix: "+ ", "\(pattern)")
      try add("a\(place)")
    }
    let charts = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Examples/Statecharts")
    for (file, format) in [("traffic-light.scxml", "scxml"), ("elevator.scxml", "scxml"), ("login.mmd", "mermaid")] {
      let document = try String(contentsOf: charts.appending(path: file), encoding: .utf8)
      let kind = String(file.prefix { $0 != "." })
      try client.send("define \(kind) format=\(format) bytes=\(document.utf8.count)\n\(document)")
      try expect(client.final(), hasPrefix: "+ defined")
      try expect(client.ask("new \(kind) \(kind)-1"), hasPrefix: "+ created")
      try add("\(kind)-1")
    }
    expect(files.count >= 11 + 50 / Thorough.distance)
    let run = try run(files, "-k", "@t", socket: daemon.socket)
    expectEqual(run.code, .exited(0), "\(run.output.suffix(2_000)) \(run.log)")
  }

  @Test("the scripts of the documentation hold")
  func documentation() throws {
    let pages = ["Docs/Scripts.md", "Docs/Lessons.md", "Docs/Export.md", "Docs/Teaching.md", "README.md"]
    let blocks = try pages.flatMap { try Document($0).blocks(marked: "fsm") }
    expect(blocks.count > 6)
    for block in blocks {
      let run = try run(["s.fsm": block.text], "@s.fsm")
      expectEqual(run.code, .exited(0), "\(block.text)\n\(run.output)\(run.log)")
    }
  }
}
