import Foundation
import TestSupport
import Testing
import UnixHost

/// `record` and `--record` in the program, and what a check says of it.
struct RecordingTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
  }

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
    try place.write("requests", requests)
    let session = try place.run("--private", "-k", "--record", "@s.transcript", "-f", "@requests")
    expectEqual(session.code, .exited(5))
    let recorded = try place.text("s.transcript")
    let lines = recorded.split(separator: "\n")
    for remark in ["clock", "speed 100000", "stats", "await key capsLock within=20ms"] {
      expect(lines.contains { $0.hasPrefix("# > ") && $0.hasSuffix(remark) }, "\(remark) in \(recorded)")
    }
    expect(
      lines.contains { $0.wholeMatch(of: #/> (at \d+\.\d{3,9}s )?await f waiting within=1h/#) != nil }, "\(recorded)")
    expect(!recorded.split(separator: "\n").contains { !$0.hasPrefix("#") && $0.contains("real") }, "\(recorded)")
    let check = try place.run("check", "@s.transcript")
    expectEqual(check.code, .exited(0), "\(check.output)\(recorded)")
  }

  @Test("what is recorded is the protocol's text, whatever is shown; on a virtual clock it needs no times")
  func recordedText() throws {
    try place.write("requests", "world new w seed=5\nuse w\nnew shiftKey key\nadvance 1s\n# remark\n@7 send key tap\n")
    let session = try place.run("--private", "--record", "@s.transcript", "-f", "@requests")
    expectEqual(session.code, .exited(0), "\(session.log)")
    let end = """
      + world=w clock=virtual t=0.000 seq=0
      > new shiftKey key
      + created key off t=0.000 seq=1
      > advance 1s
      + advanced fired=0 t=1.000 seq=1
      > @7 send key tap
      + @7 moved off on t=1.000 seq=2

      """
    let recorded = try place.text("s.transcript")
    expect(recorded.contains(#/^# .*\n> (at \S+ )?world new w seed=5\n\+ created w\n/#), "\(recorded)")
    expect(recorded, hasSuffix: end, "\(recorded)")
    try expectEqual(place.run("check", "@s.transcript").code, .exited(0))
  }

  @Test("objects are recorded where they are asked for")
  func recordedObjects() throws {
    let session = try place.run(
      "--private", "--json", "--record", "@s.md", "-e", "new shiftKey key", "-e", "expect key off", "-e", "quit")
    expectEqual(session.code, .exited(0), "\(session.log)")
    let recorded = try place.text("s.md")
    expect(recorded, hasPrefix: "```fsmd\n> mode json\n{\"class\":\"success\"}\n> at ", "\(recorded)")
    expect(recorded, hasSuffix: "\"reason\":\"quit\"}\n```\n", "\(recorded)")
    try expectEqual(place.run("check", "@s.md").code, .exited(0))
  }

  @Test("each end of a batch is recorded with it, and each answer stands under its own request")
  func batches() throws {
    let requests = """
      world new w
      use w
      new fridge f
      begin
      new fridge h
      end
      begin strict
      new frigde i
      new fridge j
      end
      begin
      new fridge k
      discard
      begin strict
      drop nobody
      discard
      list f
      count
      begin
      new fridge l

      """
    try place.write("requests", requests)
    let session = try place.run("--private", "-k", "--record", "@s.transcript", "-f", "@requests")
    expectEqual(session.code, .exited(3), "\(session.log)")
    let recorded = try place.text("s.transcript")
    expect(
      recorded,
      hasSuffix: """
        > begin
        +
        > new fridge h
        > end
        + created h cooling t=0.000 seq=2
        + batch=1
        > begin strict
        +
        > new frigde i
        > new fridge j
        > end
        - UNKNOWN-KIND kind=frigde did-you-mean=fridge : there is no kind 'frigde'; 'kinds' lists them
        - BATCH index=1 : line 1 is a mistake; nothing of the batch was run
        > begin
        +
        > new fridge k
        > discard
        + discarded 1
        > begin strict
        +
        > drop nobody
        > discard
        - UNKNOWN-MACHINE machine=nobody : there is no machine 'nobody' in world w
        + discarded 1
        > list f
        . f fridge cooling
        + 1
        > count
        . fridge cooling 2
        + 1

        """, "\(recorded)")
    let check = try place.run("check", "@s.transcript")
    expectEqual(check.code, .exited(0), "\(check.output)\(check.log)")
  }

  @Test("record is answered like a request, in its turn, and ends where it is told to")
  func verb() throws {
    try place.write("requests", "record\nquiet on\nnew power lamp\nrecord \(place.path("s 1"))\nrecord off\n")
    let wrong = try place.run("--private", "-k", "-f", "@requests")
    expectEqual(wrong.code, .exited(3))
    expect(wrong.output, hasPrefix: "+ off\n+\n- USAGE : record is used as ", "\(wrong.output)")
    try place.write(
      "requests",
      "world new w\nuse w\nwatch *\nrecord \"\(place.path("s 1"))\"\nnew power lamp\nrecord\nrecord off\ndrop lamp\nrecord off\n"
    )
    let right = try place.run("--private", "-k", "-f", "@requests")
    expect(
      right.output, contains: "+ recording \"s 1\"\n* 1 0.000 lamp created power off\n+ created lamp", "\(right.output)"
    )
    expect(right.output, contains: "+ recording \"s 1\" requests=1\n+ recorded \"s 1\" requests=1\n", "\(right.output)")
    expect(right.output, hasSuffix: "- USAGE : nothing is being recorded\n", "\(right.output)")
    let recorded = try place.text("s 1")
    expect(
      recorded,
      hasSuffix: """
        > world new w
        + created w
        > use w
        + world=w clock=virtual t=0.000 seq=0
        > watch *
        + watching 1
        > new power lamp
        * 1 0.000 lamp created power off
        + created lamp off t=0.000 seq=1

        """, "\(recorded)")
    try expectEqual(place.run("check", "@s 1").code, .exited(0))
  }

  @Test("a recording neither writes over a file unasked nor begins where it cannot be written")
  func unwritable() throws {
    try place.write("taken", "mine")
    let taken = try place.run("--private", "--record", "@taken", "-e", "list")
    expectEqual(taken.code, .exited(1))
    expect(taken.output == "" && taken.log.hasPrefix("fsmrepl: taken is there already; 'record taken replace'"))
    try expectEqual(place.text("taken"), "mine")
    let absent = try place.run("--private", "-e", "record \(place.path("no/file"))", "-e", "list")
    expectEqual(absent.code, .exited(3))
    expectEqual(absent.output, "- BAD-ARGUMENT : cannot write no/file: No such file or directory\n")
    let replaced = try place.run("--private", "-e", "record \(place.path("taken")) replace", "-e", "list")
    expectEqual(replaced.code, .exited(0), "\(replaced.log)")
    try expect(place.text("taken"), hasSuffix: " list\n+ 0\n")
    // A file with nothing in it has nothing to lose.
    try place.write("empty", "")
    try expectEqual(place.run("--private", "--record", "@empty", "-e", "list").code, .exited(0))
  }

  @Test("in a world that is not new the recording waits for one that is")
  func usedWorld() throws {
    let daemon = try DaemonProcess()
    defer { daemon.letGo() }
    let client = try daemon.connect()
    try client.ask("new shiftKey key")
    let session = try place.run(
      "--socket", daemon.socket, "--record", "@s.transcript", "-e", "send key tap", "-e", "world new w clock=real",
      "-e", "use w", "-e", "new power p", "-e", "use main", "-e", "list", "-e", "use w", "-e", "send p buttonClick")
    expectEqual(session.code, .exited(0))
    expect(session.log, contains: "the world main is not new: it has had an input, and a check", "\(session.log)")
    let recorded = try place.text("s.transcript")
    expect(!recorded.contains("key"), "\(recorded)")
    expect(recorded, contains: "> world new w clock=virtual\n+ created w\n> use w\n", "\(recorded)")
    let check = try place.run("check", "@s.transcript")
    expectEqual(check.code, .exited(0), "\(check.output)\(recorded)")
    let nothing = try place.run("--socket", daemon.socket, "--record", "@n.transcript", "-e", "list")
    expect(nothing.code == .exited(0) && nothing.log.hasSuffix("fsmrepl: nothing was recorded in n.transcript\n"))
  }

  @Test("what a session had recorded when it was killed can be checked")
  func killed() throws {
    let input = try UnixHost.Pipe()
    defer { input.writing.close() }
    let session = try ProgramRun(
      "fsmrepl", ["--private", "--record", place.path("s.transcript"), "-"], in: place.folder, input: input.reading,
      environment: ScriptsTests.alone)
    input.reading.close()
    input.writing.writeAll("new shiftKey key doubleTap=1ms\nwatch key what=all\nsend key tap\nawait key capsLock\n")
    try Patience.wait(until: "the timer to be written") { session.output.contains("stayed on timer=doubleTap") }
    session.child.signal(SIGKILL)
    _ = try session.ending()
    let recorded = contents(of: place.path("s.transcript"))
    expect(recorded, contains: " send key tap\n", "\(recorded)")
    let check = try place.run("check", "@s.transcript")
    expectEqual(check.code, .exited(0), "\(check.output)\(recorded)")
  }
}
