import Foundation
import TestSupport
import Testing
import UnixHost

/// `fsmrepl check` as a program.
struct TranscriptsTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
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

  @Test("a transcript that holds is one line and exit code 0")
  func passes() throws {
    try place.write("a.transcript", Self.good)
    let run = try place.run("check", "@a.transcript")
    expectEqual(run.code, .exited(0))
    expectEqual(run.output, "ok      a.transcript  0.200 s, 4 requests, 6 lines\n")
    expectEqual(run.log, "")
  }

  @Test("a durable world is an ordinary one in a check, and so is a fork of it that was recorded")
  func durable() throws {
    try place.write(
      "d.transcript",
      """
      > world new w durable=yes seed=7
      + created w
      > use w
      + world=w clock=virtual t=0.000 seq=0
      > @x world new v clock=virtual durable=maybe
      - @x BAD-ARGUMENT argument=durable got=maybe allowed=no,yes : durable is one of no,yes
      > world new v durable=yes
      - BAD-ARGUMENT argument=durable got=yes allowed=no : this daemon keeps nothing, since it was started with --ephemeral

      """)
    let run = try place.run("check", "@d.transcript")
    expectEqual(run.code, .exited(0), "\(run.output)")
  }

  @Test("an answer that is another is exit code 4, with the lines around it")
  func differs() throws {
    try place.write("a.transcript", Self.good.replacing("at 0.200s", with: "at 0.350s"))
    let run = try place.run("check", "@a.transcript")
    expectEqual(run.code, .exited(4))
    expectEqual(
      run.output,
      """
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
    try place.write("less.transcript", Self.good.replacing("+ watching 1\n", with: ""))
    try place.write("more.transcript", Self.good + "* 4 1.000 key moved capsLock off timer=no\n")
    let run = try place.run("check", "-k", "@less.transcript", "@more.transcript")
    expectEqual(run.code, .exited(4))
    expect(run.output, contains: "  less.transcript:4: > watch key\n", "\(run.output)")
    expect(run.output, contains: "    +    + watching 1\n", "\(run.output)")
    expect(run.output, contains: "    - 12  * 4 1.000 key moved capsLock off timer=no\n", "\(run.output)")
    expect(run.output, hasSuffix: "0 of 2 passed\n")
  }

  @Test("--update makes it hold, and changes nothing else; what holds is not touched")
  func update() throws {
    let wrong = Self.good.replacing("seq=2", with: "seq=9").replacing("+ watching 1\n", with: "# why\n\n")
    try place.write("a.md", "# A page\n\n```fsmd\n\(wrong)```\n\nThe end, without a line's end.")
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: place.path("a.md"))
    try place.write("b.transcript", Self.good)
    let before = try FileManager.default.attributesOfItem(atPath: place.path("b.transcript"))[.systemFileNumber] as? Int
    let run = try place.run("check", "--update", "@a.md", "@b.transcript")
    expectEqual(run.code, .exited(0), "\(run.output)\(run.log)")
    expect(
      run.output, hasPrefix: "updated a.md  0.200 s, 4 requests, 6 lines; 2 answers changed\nok      b.transcript",
      "\(run.output)")
    let right = Self.good.replacing("+ watching 1\n", with: "+ watching 1\n# why\n\n")
    try expectEqual(place.text("a.md"), "# A page\n\n```fsmd\n\(right)```\n\nThe end, without a line's end.")
    expectEqual(permissions(of: place.path("a.md")), 0o640)
    try expectEqual(
      FileManager.default.attributesOfItem(atPath: place.path("b.transcript"))[.systemFileNumber] as? Int, before)
    try expectEqual(place.run("check", "@a.md").code, .exited(0))
    expectEqual(TemporaryFolder.names(in: place.folder.path).filter { $0.hasPrefix("a.md") }, ["a.md"])
  }

  @Test("nothing runs when a file is no transcript; each file's mistake is told")
  func mistakes() throws {
    try place.write("1.transcript", Self.good)
    try place.write("2.transcript", "> list\n+ 0\n> at once list\n")
    try place.write("3.transcript", "send key tap\n")
    let run = try place.run("check", "@1.transcript", "@2.transcript", "@3.transcript", "@4.transcript")
    expectEqual(run.code, .exited(1))
    expectEqual(run.output, "")
    let lines = run.log.split(separator: "\n")
    expectEqual(lines.count, 3, "\(run.log)")
    expect(lines.first, hasPrefix: "2.transcript:3:6: 'once' is no time; it is ")
    expect(lines.dropFirst().first, hasPrefix: "3.transcript:1:1: this is neither a request")
    expectEqual(lines.last, "fsmrepl: cannot read 4.transcript: No such file or directory")
  }

  @Test("a time that has passed is told as such, and is not updated away")
  func passedTime() throws {
    try place.write("a.transcript", Self.good + "> at 100ms list\n+ 0\n")
    for options in [[], ["--update"]] {
      let run = try place.run(["check"] + options + ["@a.transcript"])
      expectEqual(run.code, .exited(3))
      expect(run.output, contains: "  a.transcript:12: > at 100ms list\n    expected  time to pass\n", "\(run.output)")
      try expect(place.text("a.transcript"), hasSuffix: "> at 100ms list\n+ 0\n")
    }
  }

  @Test("the check stops at the first file that differs; --keep-going does not; TAP and JUnit tell of it")
  func reports() throws {
    try place.write("1.transcript", "> list\n+ 1\n")
    try place.write("2.transcript", Self.good)
    let stopped = try place.run("check", "@1.transcript", "@2.transcript")
    expect(stopped.output, hasSuffix: "0 of 2 passed, 1 not run\n", "\(stopped.output)")
    let whole = try place.run("check", "-k", "--tap", "--junit", "@j.xml", "@1.transcript", "@2.transcript")
    expectEqual(whole.code, .exited(4))
    expectEqual(
      whole.output,
      """
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
    let report = try place.text("j.xml")
    expect(report, contains: #"<testsuite name="fsmrepl check" tests="2" failures="1" errors="0""#, "\(report)")
  }

  @Test("of a folder, transcripts and the pages that have one; pages without are passed over wherever they are named")
  func folders() throws {
    try place.write("t/b.transcript", "> list\n+ 0\n")
    try place.write("t/a/c.md", "x\n```fsmd\n> list\n+ 0\n```\n")
    try place.write("t/plain.md", "x\n> a quotation\n")
    try place.write("t/no.txt", "nonsense\n")
    let run = try place.run("check", "--tap", "@t", "@t/plain.md")
    expectEqual(run.output, "TAP version 14\n1..2\nok 1 - t/a/c.md\nok 2 - t/b.transcript\n", "\(run.log)")
    let none = try place.run("check", "@t/plain.md")
    expectEqual(none.code, .exited(1))
    expect(none.log.hasPrefix("fsmrepl: there is no transcript (") && none.log.hasSuffix(" in t/plain.md\n"))
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
      {"class":"success"}
      > use main
      {"class":"success","world":"main","clock":"virtual","t":0.000,"seq":2}

      """
    try place.write("1.transcript", one)
    try place.write(
      "2.transcript",
      one + "> quit\n{\"class\":\"success\"}\n{\"class\":\"flow\",\"what\":\"bye\",\"reason\":\"quit\"}\n")
    let worlds = try client.askAll("worlds").count
    for options in [[], ["--socket", daemon.socket]] {
      let run = try place.run(["check"] + options + ["@1.transcript", "@2.transcript", "@1.transcript"])
      expectEqual(run.code, .exited(0), "\(run.output)\(run.log)")
    }
    try expectEqual(client.askAll("worlds").count, worlds)
    try expect(client.ask("expect key off"), hasPrefix: "+")
  }

  @Test("a daemon that is named and not there is exit code 2; Ctrl-C is 130 and drops the world")
  func ends() throws {
    try place.write("a.transcript", "> new fridge f start=4 coolingTau=1ms waitingTau=1ms\n> advance 36500d\n")
    try expectEqual(place.run("check", "--socket", "@nobody", "@a.transcript").code, .exited(2))
    let daemon = try DaemonProcess()
    defer { daemon.letGo() }
    let client = try daemon.connect()
    let program = try ProgramRun(
      "fsmrepl", ["check", "--socket", daemon.socket, place.path("a.transcript")], in: place.folder)
    try Patience.wait(until: "the world to be there") { try client.askAll("worlds").count > 2 }
    program.child.signal(SIGINT)
    try expectEqual(program.ending(), .exited(130), "\(program.log)")
    try Patience.wait(until: "the world to be gone") { try client.askAll("worlds").count == 2 }
  }
}
