import Foundation
import Testing
import UnixHost

/// `record` and `fsmrepl check` as programs.
struct TranscriptsTests {
  private struct Run {
    let code: Child.Ending
    let output: String
    let log: String
  }

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

  private func write(_ name: String, _ text: String) throws {
    let file = URL(filePath: path(name))
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  private func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

  /// Runs `fsmrepl`; `@NAME` in an argument is the path of a file.
  private func run(_ arguments: String...) throws -> Run { try run(arguments) }

  private func run(_ arguments: [String]) throws -> Run {
    let words = arguments.map { $0.hasPrefix("@") ? path(String($0.dropFirst())) : $0 }
    let program = try ProgramRun("fsmrepl", words, in: folder, environment: ScriptsTests.alone)
    let code = try program.ending()
    func bare(_ text: String) -> String { text.replacing("\(folder.path)/", with: "") }
    return Run(code: code, output: bare(program.output), log: bare(program.log))
  }

  static let good = """
    # two taps
    > new shiftKey key
    + created key off t=0.000 seq=1
    > watch key
    + watching 1
    > send key tap
    * 2 0.000 key moved off on event=tap
    + moved off on t=0.000 seq=2
    > at 0.200s send key tap
    * 3 0.200 key moved on capsLock event=tap
    + moved on capsLock t=0.200 seq=3

    """

  // MARK: Checking

  @Test("a transcript that holds is one line and exit code 0")
  func passes() throws {
    try write("a.transcript", Self.good)
    let run = try run("check", "@a.transcript")
    #expect(run.code == .exited(0))
    #expect(run.output == "ok      a.transcript  0.200 s, 4 requests, 6 lines\n")
    #expect(run.log == "")
  }

  @Test("an answer that is another is exit code 4, with the lines around it")
  func differs() throws {
    try write("a.transcript", Self.good.replacing("at 0.200s", with: "at 0.350s"))
    let run = try run("check", "@a.transcript")
    #expect(run.code == .exited(4))
    #expect(
      run.output == """
        not ok  a.transcript  0.350 s, 4 requests, 6 lines
          a.transcript:9: > at 0.350s send key tap
            - in the file, + what came
               9  > at 0.350s send key tap
            - 10  * 3 0.200 key moved on capsLock event=tap
            - 11  + moved on capsLock t=0.200 seq=3
            +     * 4 0.350 key moved on off event=tap
            +     + moved on off t=0.350 seq=4

        """)
  }

  @Test("lines that are missing and lines too many are differences, also behind the last request")
  func missing() throws {
    try write("less.transcript", Self.good.replacing("+ watching 1\n", with: ""))
    try write("more.transcript", Self.good + "* 4 1.000 key moved capsLock off timer=no\n")
    let run = try run("check", "-k", "@less.transcript", "@more.transcript")
    #expect(run.code == .exited(4))
    #expect(run.output.contains("  less.transcript:4: > watch key\n"), "\(run.output)")
    #expect(run.output.contains("    +    + watching 1\n"), "\(run.output)")
    #expect(run.output.contains("    - 12  * 4 1.000 key moved capsLock off timer=no\n"), "\(run.output)")
    #expect(run.output.hasSuffix("0 of 2 passed\n"))
  }

  @Test("--update makes it hold, and changes nothing else; what holds is not touched")
  func update() throws {
    let wrong = Self.good.replacing("seq=2", with: "seq=9").replacing("+ watching 1\n", with: "# why\n\n")
    try write("a.md", "# A page\n\n```fsmd\n\(wrong)```\n\nThe end, without a line's end.")
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path("a.md"))
    try write("b.transcript", Self.good)
    let before = try FileManager.default.attributesOfItem(atPath: path("b.transcript"))[.systemFileNumber] as? Int
    let run = try run("check", "--update", "@a.md", "@b.transcript")
    #expect(run.code == .exited(0), "\(run.output)\(run.log)")
    #expect(
      run.output.hasPrefix("updated a.md  0.200 s, 4 requests, 6 lines; 2 answers changed\nok      b.transcript"),
      "\(run.output)")
    let right = Self.good.replacing("+ watching 1\n", with: "+ watching 1\n# why\n\n")
    #expect(try text("a.md") == "# A page\n\n```fsmd\n\(right)```\n\nThe end, without a line's end.")
    #expect(permissions(of: path("a.md")) == 0o640)
    #expect(
      try FileManager.default.attributesOfItem(atPath: path("b.transcript"))[.systemFileNumber] as? Int == before)
    #expect(try self.run("check", "@a.md").code == .exited(0))
    #expect(TemporaryFolder.names(in: folder.path).filter { $0.hasPrefix("a.md") } == ["a.md"])
  }

  @Test("nothing runs when a file is no transcript; each file's mistake is told")
  func mistakes() throws {
    try write("1.transcript", Self.good)
    try write("2.transcript", "> list\n+ 0\n> at once list\n")
    try write("3.transcript", "send key tap\n")
    let run = try run("check", "@1.transcript", "@2.transcript", "@3.transcript", "@4.transcript")
    #expect(run.code == .exited(1))
    #expect(run.output == "")
    let lines = run.log.split(separator: "\n")
    #expect(lines.count == 3, "\(run.log)")
    #expect(lines.first?.hasPrefix("2.transcript:3:6: 'once' is no time; it is ") == true)
    #expect(lines.dropFirst().first?.hasPrefix("3.transcript:1:1: this is neither a request") == true)
    #expect(lines.last == "fsmrepl: cannot read 4.transcript: No such file or directory")
  }

  @Test("a time that has passed is told as such, and is not updated away")
  func passedTime() throws {
    try write("a.transcript", Self.good + "> at 100ms list\n+ 0\n")
    for options in [[], ["--update"]] {
      let run = try run(["check"] + options + ["@a.transcript"])
      #expect(run.code == .exited(3))
      #expect(run.output.contains("  a.transcript:12: > at 100ms list\n    expected  time to pass\n"), "\(run.output)")
      #expect(try text("a.transcript").hasSuffix("> at 100ms list\n+ 0\n"))
    }
  }

  @Test("the check stops at the first file that differs; --keep-going does not; TAP and JUnit tell of it")
  func reports() throws {
    try write("1.transcript", "> list\n+ 1\n")
    try write("2.transcript", Self.good)
    let stopped = try run("check", "@1.transcript", "@2.transcript")
    #expect(stopped.output.hasSuffix("0 of 2 passed, 1 not run\n"), "\(stopped.output)")
    let whole = try run("check", "-k", "--tap", "--junit", "@j.xml", "@1.transcript", "@2.transcript")
    #expect(whole.code == .exited(4))
    #expect(
      whole.output == """
        TAP version 14
        1..2
        not ok 1 - 1.transcript
          ---
          at: '1.transcript:1'
          line: '> list'
          expected: '+ 1'
          got: '+ 0'
          exit: 4
          difference:
            - '  > list'
            - '- + 1'
            - '+ + 0'
          ...
        ok 2 - 2.transcript

        """)
    let report = try text("j.xml")
    #expect(report.contains(#"<testsuite name="fsmrepl check" tests="2" failures="1" errors="0""#), "\(report)")
  }

  @Test("of a folder, transcripts and the pages that have one; pages without are passed over wherever they are named")
  func folders() throws {
    try write("t/b.transcript", "> list\n+ 0\n")
    try write("t/a/c.md", "x\n```fsmd\n> list\n+ 0\n```\n")
    try write("t/plain.md", "x\n> a quotation\n")
    try write("t/no.txt", "nonsense\n")
    let run = try run("check", "--tap", "@t", "@t/plain.md")
    #expect(run.output == "TAP version 14\n1..2\nok 1 - t/a/c.md\nok 2 - t/b.transcript\n", "\(run.log)")
    let none = try self.run("check", "@t/plain.md")
    #expect(none.code == .exited(1))
    #expect(none.log == "fsmrepl: there is no transcript in t/plain.md\n")
  }

  @Test("files see nothing of each other, and leave nothing behind on a daemon that was named")
  func isolation() throws {
    let daemon = try DaemonProcess()
    defer { daemon.letGo() }
    let client = try daemon.connect()
    try client.ask("new shiftKey key")
    let one = """
      > world
      + world=main clock=virtual t=0.000 seq=0
      > list
      + 0
      > world new w seed=3
      + created w
      > use w
      + world=w clock=virtual t=0.000 seq=0
      > new shiftKey key
      + created key off t=0.000 seq=1
      > world drop w
      ! world dropped=w
      + dropped w
      > list
      + 0
      > world new w
      + created w
      > diff w main
      + 0
      > quiet on
      +
      > new power lamp
      > send lamp buttonClick
      > use main
      + world=main clock=virtual t=0.000 seq=2
      > mode json
      {"class":"success","words":[]}
      > use main
      {"class":"success","words":[],"world":"main","clock":"virtual","t":0.000,"seq":2}

      """
    try write("1.transcript", one)
    try write(
      "2.transcript",
      one + "> quit\n{\"class\":\"success\",\"words\":[]}\n{\"class\":\"flow\",\"what\":\"bye\",\"reason\":\"quit\"}\n")
    let worlds = try client.askAll("worlds").count
    for options in [[], ["--socket", daemon.socket]] {
      let run = try run(["check"] + options + ["@1.transcript", "@2.transcript", "@1.transcript"])
      #expect(run.code == .exited(0), "\(run.output)\(run.log)")
    }
    #expect(try client.askAll("worlds").count == worlds)
    #expect(try client.ask("expect key off").hasPrefix("+"))
  }

  @Test("a daemon that is named and not there is exit code 2; Ctrl-C is 130 and drops the world")
  func ends() throws {
    try write("a.transcript", "> new fridge f start=4 coolingTau=1ms waitingTau=1ms\n> advance 36500d\n")
    #expect(try run("check", "--socket", "@nobody", "@a.transcript").code == .exited(2))
    let daemon = try DaemonProcess()
    defer { daemon.letGo() }
    let client = try daemon.connect()
    let program = try ProgramRun("fsmrepl", ["check", "--socket", daemon.socket, path("a.transcript")], in: folder)
    try Patience.wait(until: "the world to be there") { try client.askAll("worlds").count > 2 }
    program.child.signal(SIGINT)
    #expect(try program.ending() == .exited(130), "\(program.log)")
    try Patience.wait(until: "the world to be gone") { try client.askAll("worlds").count == 2 }
  }

  // MARK: Recording

  @Test("a session on a real clock checks on a virtual one, and what only the clock could say is a remark")
  func realClock() throws {
    let requests = """
      watch key what=all
      new shiftKey key doubleTap=5ms
      send key tap
      await key capsLock within=20ms
      show key
      clock
      begin
      send key tap
      expect key off
      end
      new phone mobile
      send mobile hangUp
      new fridge f start=4
      speed 100000
      await f waiting within=1h
      show f
      stats
      world new other clock=real
      use other
      new power lamp
      use main
      agenda
      journal f

      """
    try write("requests", requests)
    let session = try run("--private", "-k", "--record", "@s.transcript", "-f", "@requests")
    #expect(session.code == .exited(5))
    let recorded = try text("s.transcript")
    let lines = recorded.split(separator: "\n")
    for remark in ["clock", "speed 100000", "stats", "await key capsLock within=20ms"] {
      #expect(lines.contains { $0.hasPrefix("# > ") && $0.hasSuffix(remark) }, "\(remark) in \(recorded)")
    }
    #expect(
      lines.contains { $0.wholeMatch(of: #/> (at \d+\.\d{3,9}s )?await f waiting within=1h/#) != nil }, "\(recorded)")
    #expect(!recorded.split(separator: "\n").contains { !$0.hasPrefix("#") && $0.contains("real") }, "\(recorded)")
    let check = try run("check", "@s.transcript")
    #expect(check.code == .exited(0), "\(check.output)\(recorded)")
  }

  @Test("what is recorded is the protocol's text, whatever is shown; on a virtual clock it needs no times")
  func recordedText() throws {
    try write("requests", "world new w seed=5\nuse w\nnew shiftKey key\nadvance 1s\n# remark\n@7 send key tap\n")
    let session = try run("--private", "--record", "@s.transcript", "-f", "@requests")
    #expect(session.code == .exited(0), "\(session.log)")
    let end = """
      + world=w clock=virtual t=0.000 seq=0
      > new shiftKey key
      + created key off t=0.000 seq=1
      > advance 1s
      + advanced fired=0 t=1.000 seq=1
      > @7 send key tap
      + @7 moved off on t=1.000 seq=2

      """
    let recorded = try text("s.transcript")
    #expect(recorded.contains(#/^# .*\n> (at \S+ )?world new w seed=5\n\+ created w\n/#), "\(recorded)")
    #expect(recorded.hasSuffix(end), "\(recorded)")
    #expect(try run("check", "@s.transcript").code == .exited(0))
  }

  @Test("objects are recorded where they are asked for")
  func recordedObjects() throws {
    let session = try run(
      "--private", "--json", "--record", "@s.md", "-e", "new shiftKey key", "-e", "expect key off", "-e", "quit")
    #expect(session.code == .exited(0), "\(session.log)")
    let recorded = try text("s.md")
    #expect(recorded.hasPrefix("```fsmd\n> mode json\n{\"class\":\"success\",\"words\":[]}\n> at "), "\(recorded)")
    #expect(recorded.hasSuffix("\"reason\":\"quit\"}\n```\n"), "\(recorded)")
    #expect(try run("check", "@s.md").code == .exited(0))
  }

  @Test("record is answered like a request, in its turn, and ends where it is told to")
  func verb() throws {
    try write("requests", "record\nquiet on\nnew power lamp\nrecord \(path("s 1"))\nrecord off\n")
    let wrong = try run("--private", "-k", "-f", "@requests")
    #expect(wrong.code == .exited(3))
    #expect(wrong.output.hasPrefix("+ off\n+\n- USAGE : record is used as "), "\(wrong.output)")
    try write(
      "requests",
      "world new w\nuse w\nwatch *\nrecord \"\(path("s 1"))\"\nnew power lamp\nrecord\nrecord off\ndrop lamp\nrecord off\n"
    )
    let right = try run("--private", "-k", "-f", "@requests")
    #expect(
      right.output.contains("+ recording \"s 1\"\n* 1 0.000 lamp created power off\n+ created lamp"), "\(right.output)")
    #expect(right.output.contains("+ recording \"s 1\" requests=1\n+ recorded \"s 1\" requests=1\n"), "\(right.output)")
    #expect(right.output.hasSuffix("- USAGE : nothing is being recorded\n"), "\(right.output)")
    let recorded = try text("s 1")
    #expect(
      recorded.hasSuffix(
        """
        > world new w
        + created w
        > use w
        + world=w clock=virtual t=0.000 seq=0
        > watch *
        + watching 1
        > new power lamp
        * 1 0.000 lamp created power off
        + created lamp off t=0.000 seq=1

        """), "\(recorded)")
    #expect(try run("check", "@s 1").code == .exited(0))
  }

  @Test("a recording neither writes over a file unasked nor begins where it cannot be written")
  func unwritable() throws {
    try write("taken", "mine")
    let taken = try run("--private", "--record", "@taken", "-e", "list")
    #expect(taken.code == .exited(1))
    #expect(taken.output == "" && taken.log.hasPrefix("fsmrepl: taken is there already; 'record taken replace'"))
    #expect(try text("taken") == "mine")
    let absent = try run("--private", "-e", "record \(path("no/file"))", "-e", "list")
    #expect(absent.code == .exited(3))
    #expect(absent.output == "- BAD-ARGUMENT : cannot write no/file: No such file or directory\n")
    let replaced = try run("--private", "-e", "record \(path("taken")) replace", "-e", "list")
    #expect(replaced.code == .exited(0), "\(replaced.log)")
    #expect(try text("taken").hasSuffix(" list\n+ 0\n"))
    // A file with nothing in it has nothing to lose.
    try write("empty", "")
    #expect(try run("--private", "--record", "@empty", "-e", "list").code == .exited(0))
  }

  @Test("in a world that is not new the recording waits for one that is")
  func usedWorld() throws {
    let daemon = try DaemonProcess()
    defer { daemon.letGo() }
    let client = try daemon.connect()
    try client.ask("new shiftKey key")
    let session = try run(
      "--socket", daemon.socket, "--record", "@s.transcript", "-e", "send key tap", "-e", "world new w clock=real",
      "-e", "use w", "-e", "new power p", "-e", "use main", "-e", "list", "-e", "use w", "-e", "send p buttonClick")
    #expect(session.code == .exited(0))
    #expect(session.log.contains("the world main is not new: it has had an input, and a check"), "\(session.log)")
    let recorded = try text("s.transcript")
    #expect(!recorded.contains("key"), "\(recorded)")
    #expect(recorded.contains("> world new w clock=virtual\n+ created w\n> use w\n"), "\(recorded)")
    let check = try run("check", "@s.transcript")
    #expect(check.code == .exited(0), "\(check.output)\(recorded)")
    let nothing = try run("--socket", daemon.socket, "--record", "@n.transcript", "-e", "list")
    #expect(nothing.code == .exited(0) && nothing.log.hasSuffix("fsmrepl: nothing was recorded in n.transcript\n"))
  }

  @Test("what a session had recorded when it was killed can be checked")
  func killed() throws {
    let input = try UnixHost.Pipe()
    defer { input.writing.close() }
    let session = try ProgramRun(
      "fsmrepl", ["--private", "--record", path("s.transcript"), "-"], in: folder, input: input.reading,
      environment: ScriptsTests.alone)
    input.reading.close()
    input.writing.writeAll("new shiftKey key doubleTap=1ms\nwatch key what=all\nsend key tap\nawait key capsLock\n")
    try Patience.wait(until: "the timer to be written") { session.output.contains("stayed on timer=doubleTap") }
    session.child.signal(SIGKILL)
    _ = try session.ending()
    let recorded = contents(of: path("s.transcript"))
    #expect(recorded.contains(" send key tap\n"), "\(recorded)")
    let check = try run("check", "@s.transcript")
    #expect(check.code == .exited(0), "\(check.output)\(recorded)")
  }
}
