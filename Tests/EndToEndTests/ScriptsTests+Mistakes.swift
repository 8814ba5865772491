import Foundation
import TestSupport
import Testing
import UnixHost

/// What scripts count, and how their mistakes are told.
extension ScriptsTests {
  @Test("scripts count, at full speed and at real pace", arguments: [[], ["--real", "--speed", "1000000"]])
  func counts(options: [String]) throws {
    let text = """
      new shiftKey s{1..30}              # thirty keys, one line
      never s{1..30} capsLock
      repeat 30 as i
        send s$i tap                     => moved off on
        expect s$i timers doubleTap
        after ${i}ms
        repeat 2 as j
          send s$i character $j          => ok outputs=text
          expect output s$i text
        end
        expect s$i off
        expect output s$i text within 1s
      end
      list s*                            => 30
      count                              => 1
      begin
        send s{1..3} tap                 => on
        repeat 2 as i
          drop s$i                       => ok
        end
      end                                => ok batch=5
      expect s{3..3}{0..0} off
      """
    let run = try run(["s.fsm": text], options: options + ["@s.fsm"])
    expectEqual(run.code, .exited(0), "\(run.output)\(run.log)")
    expect(run.output, hasSuffix: "ok      s.fsm  0.465 s, 340 steps, 279 expectations\n", "\(run.output.suffix(300))")
    expectEqual(run.log, "", "nothing is said of the daemon that is started")
  }

  @Test("a failure says which time round it was")
  func playedLine() throws {
    let text = "new shiftKey s{1..3}\nsend s3 tap\nrepeat 3 as i\n  send s$i tap => moved off on # all\nend\n"
    let request = try run(["s.fsm": text], "@s.fsm")
    expect(
      request.output,
      contains: """
          s.fsm:4:25: send s$i tap => moved off on # all
            played    send s3 tap
            expected  moved off on
            got       moved on capsLock

        """, "\(request.output)")
    let timed = try run(
      ["s.fsm": "new shiftKey k\nrepeat 3 as i\n  after ${i}00ms  send k tap  => off # or not\nend\n"], "@s.fsm")
    expect(timed.output, contains: "    played    after 100ms send k tap  => off # or not\n", "\(timed.output)")
    let time = try run(["s.fsm": "new shiftKey k\nrepeat 3 as i\n  after 2s\n  at ${i}500ms list\nend\n"], "@s.fsm")
    expect(time.output, contains: "    played    at 1500ms\n", "\(time.output)")
    let check = try run(["s.fsm": "new shiftKey s{1..3}\nexpect s{1..3} timers doubleTap\n"], "--tap", "@s.fsm")
    expect(check.output, contains: "\n  played: 'expect s1 timers doubleTap'\n", "\(check.output)")
    let never = try run(["s.fsm": "new shiftKey s{1..3}\nnever s{1..3} on\nsend s2 tap\n"], "@s.fsm")
    expect(never.output, contains: "    expected  never s2 on (s.fsm:2)\n", "\(never.output)")
  }

  @Test("a failure has the hints of the prompt")
  func hints() throws {
    let event = try run(["s.fsm": "new shiftKey k\nsend k tpa\n"], "@s.fsm")
    expect(
      event.output, contains: "no event 'tpa'\n              did you mean tap?\n              it has: tap, character\n",
      "\(event.output)")
    let phone = try run(["s.fsm": "new phone p\nsend p hangUp => moved\n"], "--junit", "@j.xml", "@s.fsm")
    expect(
      phone.output, contains: "possible in background+noAlert+dialing, by way of: openTel, alert, pressCall, callUI\n",
      "\(phone.output)")
    expect(phone.output, contains: "possible now: openTel, goHome\n              would do nothing: openApp\n")
  }

  @Test(
    "a timer, an output, a reading or a state that a kind has not is a mistake of the script, never a green test",
    arguments: [
      ("expect k timers dubleTap", 17, "timer", "a shiftKey has no timer 'dubleTap'", "did you mean doubleTap?"),
      ("expect k timers doubleTap,x(3)", 17, "timer", "a shiftKey has no timer 'x(3)'", "it has: doubleTap"),
      ("expect output k txt", 17, "output", "a shiftKey has no output 'txt'", "did you mean text?"),
      ("expect output k txt within 100d", 17, "output", "a shiftKey has no output 'txt'", "did you mean text?"),
      ("expect f reading x none", 18, "reading", "a fridge has no reading 'x'", "it has: temperature"),
      ("expect f reading x 4", 18, "reading", "a fridge has no reading 'x'", "it has: temperature"),
      ("expect f reading x none\ndrop f", 18, "reading", "a fridge has no reading 'x'", "it has: temperature"),
      ("send k tap => capslock", 15, "state", "a shiftKey has no state 'capslock'", "did you mean capsLock?"),
      ("send k tap => moved off onn", 25, "state", "a shiftKey has no state 'onn'", "did you mean on?"),
    ])
  func unknownNames(line: String, column: Int, subject: String, got: String, hint: String) throws {
    for options in [[], ["--real", "--speed", "1000000"]] {
      let run = try run(["s.fsm": "new shiftKey k\nnew fridge f\n\(line)\nlist\n"], options: options + ["@s.fsm"])
      expectEqual(run.code, .exited(3))
      let place = "  s.fsm:3:\(column): \(line.split(separator: "\n")[0])\n"
      let reason = "    expected  a known \(subject)\n    got       \(got)\n              \(hint)\n"
      expect(run.output.contains(place + reason), "\(run.output)")
    }
  }

  @Test("--check finds data and events that are wrong before an outcome, too, unless that is the outcome")
  func wrongBeforeOutcome() throws {
    let text = """
      new shiftKey k
      send k character => refused
      send k tpa => refused
      send k character => moved
      send k character => refused BAD-ARGUMENT
      send k tap => on

      """
    let run = try run(["s.fsm": text], "--check", "@s.fsm")
    expectEqual(run.code, .exited(3))
    let lines = run.output.matches(of: #/\n  s\.fsm:(\d+):\d+: /#).map { String($0.output.1) }
    expectEqual(lines, ["2", "3", "4"], "\(run.output)")
  }

  @Test("all words that the kinds do not know are told, of all files, before any of these is played")
  func unknownWords() throws {
    let files = [
      "0.fsm": "new shiftKey key\n",
      "1.fsm": """
      new shiftKey key
      expect key onn
      expect kee on
      never key capslock
      send key tap => moved of on
      send key tap => movd
      new shiftKey k initial=onn
      new shiftKey l dubleTap=1s
      wire key txt key tap
      cast kee tap
      list kee => 0
      watch kee
      coverage shiftKey
      show graph kee
      new phoneCall p
      send p.trakcer phoneTapped 112
      send p openApp
      send key tap => on outputs=txt
      repeat 2 as i
        new fridge f$i
        send f$i openDoor
        send g$i openDoor
      end
      new frigde g

      """,
      "2.fsm": "new fridge f\nexpect f reading temprature 3\n",
    ]
    let folder = try TemporaryFolder()
    for options in [[], ["--check"]] {
      let run = try run(files, options: options + ["@0.fsm", "@1.fsm", "@2.fsm"])
      expectEqual(run.code, .exited(3))
      expect(run.output, hasSuffix: "1 of 3 passed\n", "\(run.output)")
      let places = run.output.matches(of: #/\n  ([12]\.fsm:\d+:\d+): /#).map { String($0.output.1) }
      let wanted = [
        "2:12", "3:8", "4:11", "5:23", "6:17", "7:16", "8:16", "9:10", "10:6", "11:6", "12:7", "13:10", "14:12", "16:6",
        "17:6", "18:20", "21:12", "22:8", "24:5",
      ]
      expectEqual(places, wanted.map { "1.fsm:\($0)" } + ["2.fsm:2:18"], "\(run.output)")
      for hint in ["on", "key", "capsLock", "off", "moved", "doubleTap", "text", "p.tracker", "fridge", "temperature"] {
        expect(run.output, contains: "did you mean \(hint)?\n", "\(hint) in \(run.output)")
      }
      expect(run.output, contains: "'shiftKey' is a kind; write kind=shiftKey\n")
      expect(run.output, contains: "there is no machine 'g1' in this world\n")
    }
    let junit = "\(folder.path)/j.xml"
    let run = try run(files, "--tap", "--junit", junit, "@1.fsm", "@2.fsm")
    expect(
      run.output, contains: "\n  more:\n    - '1.fsm:3:8: expected ok, got refused UNKNOWN-MACHINE : ", "\(run.output)")
    expect(run.output, contains: "\nnot ok 2 - 2.fsm\n", "\(run.output)")
    let report = try String(contentsOfFile: junit, encoding: .utf8)
    expect(report, contains: "tests=\"2\" failures=\"0\" errors=\"2\"", "\(report)")
    expect(report, contains: "no event 'openDoor'", "\(report)")
  }

  @Test("what follows from a mistake is not told, and a line of a batch is looked at like any other")
  func consequences() throws {
    let text = """
      new shiftKey key initial=onn
      send key tap
      expect key timers doubleTap
      new shiftKey k
      begin
        new shiftKey l
        send k tpa
        send l tap => onn
      end
      send l tap
      undo
      send k tap
      send m tap
      expect k on
      """
    let run = try run(["s.fsm": text], "--check", "@s.fsm")
    let places = run.output.matches(of: #/\n  s\.fsm:(\d+:\d+): /#).map { String($0.output.1) }
    expect(run.code == .exited(3) && places == ["1:18", "7:10"], "\(run.output)")
    let goBack = "new shiftKey a\nat 1s new shiftKey b\nundo 1\nnew shiftKey b\ngoto 500ms\nsend b tap\nsend a tap\n"
    let back = try self.run(["s.fsm": goBack], "--check", "@s.fsm")
    expect(back.output.contains("\n  s.fsm:6:6: ") && !back.output.contains("s.fsm:4"), "\(back.output)")
  }

  @Test("what takes too long is not tried before it is played, and the report says up to which line words are checked")
  func longScripts() throws {
    let text = "new fridge f start=4 coolingTau=1ms waitingTau=1ms\nexpect f reading x none\nadvance 36500d\nsend f x\n"
    let run = try run(["s.fsm": text], "--check", "@s.fsm")
    expectEqual(run.code, .exited(3), "\(run.output)")
    expect(run.output, contains: "s.fsm:2: the words are checked up to this line", "\(run.output)")
    expect(run.output.contains("  s.fsm:2:18: ") && !run.output.contains("  s.fsm:4:"), "\(run.output)")
  }

  @Test("a document that is checked is what the report is about, and no request that loads it")
  func checkedDocument() throws {
    let run = try run(["d.mmd": "stateDiagram-v2\n[*] --> a\na --> b : go [\n"], "--check", "@d.mmd")
    expectEqual(run.code, .exited(3), "\(run.output)")
    expect(
      run.output, contains: "d.mmd\n    expected  no mistake\n    got       refused BAD-DEFINITION", "\(run.output)")
    expect(!run.output.contains("load"), "\(run.output)")
  }

  @Test(
    "a block without an end hides no unknown word, also in a file that is included",
    arguments: [
      ["s.fsm": "begin\nnew shiftKey key\nsend key tpa\n"], ["s.fsm": "repeat 3\nnew shiftKey key\nsend key tpa\n"],
      [
        "s.fsm": "new shiftKey key\nrepeat 100\ninclude a.fsm\nend\nsend key tpa\n", "a.fsm": "repeat 99\nlist\n",
      ],
    ])
  func blocksWithoutEnd(files: [String: String]) throws {
    let run = try run(files, "--check", "@s.fsm")
    expectEqual(run.code, .exited(1), "\(run.log)")
    expect(run.log.contains("has no 'end'") && run.log.contains("has no event 'tpa'"), "\(run.log)")
  }

  @Test("a file that cannot be read hides no unknown word, of itself or of others", arguments: [[], ["--check"]])
  func unreadWithUnknownWords(options: [String]) throws {
    let files = [
      "1.fsm": "new shiftKey key\nexpect key onn\n",
      "2.fsm": "new shiftKey key\nsned key tap\nsend key tpa\ndefine k format=scxml\n<scxml>\nenddefine\n",
      "3.fsm": Self.good,
    ]
    let run = try run(files, options: options + ["@1.fsm", "@2.fsm", "@3.fsm"])
    expect(run.code == .exited(1) && run.output == "", "\(run.output)")
    for line in [
      "1.fsm:2:12: a shiftKey has no state 'onn'; did you mean on?; allowed: off,on,capsLock\n",
      "2.fsm:2:1: 'sned' is no verb; did you mean 'send'?\n",
      "2.fsm:3:10: a shiftKey has no event 'tpa'; did you mean tap?; it has: tap, character\n", "2.fsm:6:1: error: ",
    ] {
      expect(run.log.contains(line), "\(line) in \(run.log)")
    }
    expect(!run.log.contains("3.fsm"), "\(run.log)")
    expectEqual(run.log.split(separator: "\n").count, 4, "each is told once: \(run.log)")
    let report = try self.run(files, "--tap", "@1.fsm", "@2.fsm", "@3.fsm").output
    for line in ["  at: '1.fsm:2:12'\n", "    - '2.fsm:3:10: a shiftKey has no event", "ok 3 - 3.fsm # SKIP"] {
      expect(report.contains(line), "\(line) in \(report)")
    }
    // Without a daemon what could be read is told all the same.
    let alone = try self.run(files, options: options + ["@1.fsm", "@2.fsm"], socket: "/tmp/fsmrepl-test-nobody/s")
    expect(alone.code == .exited(1) && alone.log.contains("2.fsm:2:1: 'sned'"), "\(alone.log)")
  }

  @Test("a mistake that is expected is not told; a request is read by the rules of words, also at real pace")
  func expectedMistakes() throws {
    let text = """
      define k format=scxml => BAD-DEFINITION
      <scxml>
      enddefine
      new shiftKey key
      repeat 300
        never key capsLock
      end
      advance\t5s
      send\tkey\ttap => on
      advance "2s"
      at 7s send key tap => off
      """
    for options in [[], ["--real", "--speed", "1000000"]] {
      let run = try run(["s.fsm": text], options: options + ["@s.fsm"])
      expectEqual(run.code, .exited(0), "\(run.output)")
      expect(run.output, hasSuffix: "ok      s.fsm  7.000 s, 307 steps, 303 expectations\n", "\(run.output)")
    }
    let wrong = try run(["s.fsm": text.replacing("=> on", with: "=> refused UNKNOWN-EVENT event=tap")], "@s.fsm")
    expect(wrong.output, contains: "  s.fsm:9:17: ", "\(wrong.output)")
    let fields = try run(["s.fsm": "new shiftKey key\nsend key tpa => UNKNOWN-EVENT event=tap\n"], "@s.fsm")
    expect(
      fields.output, contains: "got       refused UNKNOWN-EVENT event=tpa : a shiftKey has no event 'tpa'\n",
      "\(fields.output)")
  }

  @Test("all bad documents of all files are told")
  func badDocuments() throws {
    let bad = "define k format=scxml\n<scxml>\nenddefine\n"
    let run = try run(
      ["1.fsm": bad + bad.replacing(" k ", with: " l "), "2.fsm": bad, "3.fsm": Self.good], "--check", "@1.fsm",
      "@2.fsm",
      "@3.fsm")
    expectEqual(run.code, .exited(3))
    for place in ["1.fsm:1:", "1.fsm:4:", "2.fsm:1:"] {
      expect(run.output, contains: "  \(place)", "\(place) in \(run.output)")
    }
    expect(run.output, hasSuffix: "1 of 3 passed\n", "\(run.output)")
  }

  @Test("a definition is compared with its outcome in the script's own world")
  func definedLater() throws {
    let kind = "format=mermaid => ok version=1"
    let text = """
      at 5s
      define k \(kind) t=5
      stateDiagram-v2
        a --> b: go
      enddefine
      undefine k
      define k \(kind)
      stateDiagram-v2
        a --> b: go
      enddefine
      """
    let run = try run(["s.fsm": text, "t.fsm": text.replacing("t=5", with: "t=6")], "-k", "@s.fsm", "@t.fsm")
    expectEqual(run.code, .exited(4), "\(run.output)")
    expect(run.output, hasSuffix: "1 of 2 passed\n", "\(run.output)")
  }

  @Test("what a machine has, if not now, is no mistake")
  func knownNames() throws {
    let text = """
      new fridge f physics=off
      expect f reading temperature none
      new serverFleet x => refused UNKNOWN-KIND
      """
    let run = try run(["s.fsm": text], "@s.fsm")
    expectEqual(run.code, .exited(0), "\(run.output)")
  }

  @Test("what a machine of that name once had is no mistake, though another has the name at the end")
  func formerNames() throws {
    let text = "new fridge m physics=off\nexpect m reading temperature none\ndrop m\nnew shiftKey m\n"
    let good = try run(["s.fsm": text], "@s.fsm")
    expectEqual(good.code, .exited(0), "\(good.output)")
    let bad = try run(["s.fsm": text.replacing("temperature", with: "temprature")], "@s.fsm")
    expect(bad.code == .exited(3) && bad.output.contains("  s.fsm:2:18: "), "\(bad.output)")
  }

  @Test("what a machine of an older version of its kind has is no mistake; each kind is looked at once")
  func olderVersions() throws {
    func chart(_ name: String) -> String {
      """
      define k format=scxml
      <scxml version="1.0" datamodel="ecmascript"><datamodel><data id="\(name)"/></datamodel><state id="a"/></scxml>
      enddefine

      """
    }
    let text = """
      \(chart("x"))new k m
      expect m reading x none
      \(chart("y"))expect m reading x none
      new k n
      repeat 200 as i
        new fridge f$i physics=off
        expect f$i reading temperature none
        drop f$i
      end
      """
    let good = try run(["s.fsm": text], "@s.fsm")
    expectEqual(good.code, .exited(0), "\(good.output)")
    let bad = try run(["s.fsm": "\(text)\nexpect n reading x none\n"], "@s.fsm")
    expect(bad.code == .exited(3) && bad.output.contains("a k has no reading 'x'"), "\(bad.output)")
  }

  @Test("a mistake is found behind however many checks that pass")
  func manyDoubts() throws {
    let text = "new fridge f{1..1001} physics=off\nexpect f{1..1001} reading temperature none\n"
    let good = try run(["s.fsm": text], "@s.fsm")
    expectEqual(good.code, .exited(0), "\(good.output)")
    let bad = try run(["s.fsm": "\(text)expect f7 reading temprature none\nlist\n"], "@s.fsm")
    expect(bad.code == .exited(3) && bad.output.contains("  s.fsm:3:19: "), "\(bad.output)")
  }

  @Test("the coverage of what is not there is a mistake, not all that there is")
  func nobodysCoverage() throws {
    let text = "new shiftKey key\ntry coverage kye 1%\n  goal Tap.\n  send key tap\nend\n"
    let bad = try run(["s.fsm": text], "@s.fsm")
    expectEqual(bad.code, .exited(3))
    expect(
      bad.output,
      contains: "  s.fsm:2:14: try coverage kye 1%\n    expected  a machine\n    got       there is no machine 'kye'",
      "\(bad.output)")
    let good = try run(["s.fsm": text.replacing("kye", with: "key")], "@s.fsm")
    expectEqual(good.code, .exited(0), "\(good.output)")
  }

  @Test("expected outputs that come cost hardly more requests than their time")
  func requestsOfOutputs() throws {
    let daemon = try DaemonProcess()
    defer { daemon.letGo() }
    let client = try daemon.connect()
    func requests() throws -> Int {
      let rows = try client.askAll("stats").map { $0.split(separator: " ") }
      return rows.first { $0.count > 2 && $0[1] == "requests" }.flatMap { Int($0[2]) } ?? 0
    }
    let before = try requests()
    let text = """
      new shiftKey key
      send key character a
      repeat 200
        expect output key text within 1s
      end
      """
    let run = try run(["s.fsm": text], "@s.fsm", socket: daemon.socket)
    expectEqual(run.code, .exited(0), "\(run.output)")
    let after = try requests()
    expect(after - before < 50, "\(after - before) requests")
  }

  @Test("an output of a machine that is not there is a mistake, too")
  func nobodysOutput() throws {
    let run = try run(["s.fsm": "list\nexpect output nobody o\n"], "@s.fsm")
    expectEqual(run.code, .exited(3))
    expect(
      run.output,
      contains:
        "  s.fsm:2:15: expect output nobody o\n    expected  a machine\n    got       there is no machine 'nobody'",
      "\(run.output)")
  }

  @Test("reports exist when files cannot be read: failed tests with all mistakes")
  func reportsOfMistakes() throws {
    let files = [
      "1.fsm": Self.good, "2.fsm": "list\n sned k\nlits # x\n", "3.fsm": "include x.fsm",
    ]
    let folder = try TemporaryFolder()
    let junit = "\(folder.path)/j.xml"
    let run = try run(files, "--tap", "--junit", junit, "@1.fsm", "@2.fsm", "@3.fsm", "@4.fsm")
    expectEqual(run.code, .exited(1))
    expectEqual(
      run.output,
      """
      TAP version 14
      1..4
      ok 1 - 1.fsm # SKIP not run, because another file cannot be read
      not ok 2 - 2.fsm
        ---
        mistakes:
          - '2.fsm:2:2: ''sned'' is no verb; did you mean ''send''?'
          - '2.fsm:3:1: ''lits'' is no verb; did you mean ''list''?'
        exit: 1
        ...
      not ok 3 - 3.fsm
        ---
        mistakes:
          - '3.fsm:1:9: cannot read ''x.fsm'': No such file or directory'
        exit: 1
        ...
      not ok 4 - 4.fsm
        ---
        mistakes:
          - 'fsmrepl: cannot read 4.fsm: No such file or directory'
        exit: 1
        ...

      """)
    expectEqual(run.log.split(separator: "\n").count, 4)
    let report = try String(contentsOfFile: junit, encoding: .utf8)
    expect(report, contains: "tests=\"4\" failures=\"0\" errors=\"3\" skipped=\"1\"", "\(report)")
    expect(report, contains: "'lits' is no verb", "\(report)")
  }

  @Test("transcripts that cannot be read have reports, too")
  func reportsOfTranscripts() throws {
    let folder = try TemporaryFolder()
    try Data("no request\n".utf8).write(to: URL(filePath: "\(folder.path)/t.transcript"))
    let program = try ProgramRun(
      "fsmrepl", ["check", "--tap", "\(folder.path)/t.transcript"], in: folder, environment: Self.alone)
    try expectEqual(program.ending(), .exited(1))
    let output = program.output.replacing("\(folder.path)/", with: "")
    expect(output, hasPrefix: "TAP version 14\n1..1\nnot ok 1 - t.transcript\n  ---\n  mistakes:\n", "\(output)")
  }
}
