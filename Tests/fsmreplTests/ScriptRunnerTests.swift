import Glibc
import LineProtocol
import TestSupport
import Testing
import UnixHost

@testable import fsmrepl

@Suite(.serialized)
struct ScriptRunnerTests {
  private struct Run {
    let status: ExitCode
    let output: String
    let errors: String
  }

  private func run(
    _ server: FakeServer, _ sources: [Invocation.Source], keepsGoing: Bool = false, echoes: Bool = false,
    form: LineForm = .text
  ) throws -> Run {
    let client = Client(endpoint: Endpoint(try SocketPath.resolve(option: server.path)), form: form)
    try client.open()
    let signals = try SignalQueue(Dialogue.signals)
    var greeting: ServerLine?
    _ = client.wait(
      listeningTo: signals, until: HostClock.now() + 5_000_000_000, isDone: { greeting != nil }
    ) { if case .greeting(let line) = $0 { greeting = line } }
    client.begin(with: try #require(greeting))
    let output = try Pipe()
    let errors = try Pipe()
    let runner = ScriptRunner(
      client: client, source: try LineSource(sources), format: .wire, keepsGoing: keepsGoing,
      echoes: echoes, signals: signals, output: output.writing, errors: errors.writing)
    let status = runner.run()
    _ = client.close()
    return Run(status: status, output: text(of: output), errors: text(of: errors))
  }

  /// What was written into a pipe, which is closed.
  private func text(of pipe: Pipe) -> String {
    pipe.writing.close()
    defer { pipe.reading.close() }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    guard case .bytes(let count) = bytes.withUnsafeMutableBytes({ pipe.reading.read(into: $0) }) else { return "" }
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  /// Answers by the first word of the request.
  private func server() throws -> FakeServer {
    try FakeServer { request in
      switch request.split(separator: " ").first {
      case "list": [". @ a power off", "+ @ 1"]
      case "refuse": ["- @ REFUSED machine=a state=off event=x allowed=\"\" t=0.000 seq=1 : no"]
      case "expect": ["- @ EXPECTED expected=on got=off : a is in off"]
      case "await": ["- @ TIMEOUT state=off t=1.000"]
      case "tell": ["* 1 0.000 a moved off on event=x", "+ @"]
      case "quiet": ["+ @"]
      case "send": []
      case "sync": ["+ @ t=0.000 seq=0"]
      case "begin": ["+ @"]
      case "quit": ["+ @", "! bye reason=quit"]
      case "shutdown": ["+ @", "! bye reason=shutdown"]
      case "die": nil
      case let word?: ["+ @ \(word)"]
      case nil: []
      }
    }
  }

  @Test("with --echo each line stands before what comes of it, remarks too")
  func echo() throws {
    let run = try run(try server(), [.expression("# remark\n\nlist\nmore")], echoes: true)
    expectEqual(run.output, "# remark\n\n> list\n. a power off\n+ 1\n> more\n+ more\n")
  }

  @Test("with --echo and --keep-going each answer follows its request, too")
  func echoAndKeepGoing() throws {
    let run = try run(
      try server(), [.expression("list\nrefuse\n# remark\ntell\nmore")], keepsGoing: true, echoes: true)
    expectEqual(
      run.output,
      """
      > list
      . a power off
      + 1
      > refuse
      - REFUSED machine=a state=off event=x allowed="" t=0.000 seq=1 : no
      # remark
      > tell
      * 1 0.000 a moved off on event=x
      +
      > more
      + more

      """)
    expectEqual(run.status, .failed)
  }

  @Test("an await on a paused clock says what it waits for", arguments: [false, true])
  func silentWait(keepsGoing: Bool) throws {
    let server = try FakeServer(
      greeting: ["+ fsmd protocol=1 version=0 world=main clock=real t=0.000 seq=0"]
    ) { request in
      switch request.split(separator: " ").first {
      case "pause", "clock": ["+ @ speed=1 paused=yes t=0.000 seq=0"]
      case "expect" where request.hasSuffix("on"): ["- @ EXPECTED expected=on got=off : a is in off"]
      case "await": ["+ @ reached on t=0.000 seq=0"]
      case _: ["+ @"]
      }
    }
    let run = try run(server, [.expression("pause\nawait a off\nawait a on within=1s\nsync")], keepsGoing: keepsGoing)
    expectEqual(
      run.output, "+ speed=1 paused=yes t=0.000 seq=0\n+ reached on t=0.000 seq=0\n+ reached on t=0.000 seq=0\n+\n")
    expectEqual(
      run.errors,
      "fsmrepl: -e:3: the clock is paused, and moves when another client sends 'resume' or 'advance'; Ctrl-C ends the"
        + " waiting\n")
  }

  /// Answers in objects once it was asked to.
  private func writer() throws -> FakeServer {
    try FakeServer { request in
      switch request {
      case "mode json": [#"{"class":"success"}"#]
      case "list": [#"{"class":"data","name":"a","kind":"power","state":"off"}"#, #"{"class":"success","lines":1}"#]
      case "tagged":
        [#"{"class":"data","tag":".4","text":",\"tag\":"}"#, #"{"class":"success","tag":".4"}"#]
      case "expect a on": [#"{"class":"failure","code":"EXPECTED","expected":"on","got":"off","text":"a is in off"}"#]
      case "quit": [#"{"class":"success"}"#, #"{"class":"flow","what":"bye","reason":"quit"}"#]
      case _: nil
      }
    }
  }

  @Test("with --json objects are asked for first, and written without what we put into them", arguments: [false, true])
  func json(keepsGoing: Bool) throws {
    let run = try run(
      try writer(), [.expression("# remark\nlist\nlist\ntagged\nexpect a on")], keepsGoing: keepsGoing, form: .json)
    expectEqual(run.status, .expectation)
    let list =
      #"{"class":"data","name":"a","kind":"power","state":"off"}"# + "\n" + #"{"class":"success","lines":1}"# + "\n"
    expectEqual(
      run.output,
      list + list + #"{"class":"data","text":",\"tag\":"}"# + "\n" + #"{"class":"success"}"#
        + "\n"
        + #"{"class":"failure","code":"EXPECTED","expected":"on","got":"off","text":"a is in off"}"# + "\n")
    expectEqual(run.errors, "fsmrepl: -e:5: EXPECTED: expect a on\n")
    let quit = try self.run(try writer(), [.expression("quit")], form: .json)
    expect(quit.status == .good && quit.errors == "")
    expect(quit.output, hasSuffix: #"{"class":"flow","what":"bye","reason":"quit"}"# + "\n")
  }

  @Test("a daemon that writes no JSON is told of, and nothing is asked of it")
  func noJSON() throws {
    let old = try FakeServer { request in
      request == "mode json" ? ["- @ UNKNOWN-VERB verb=mode : there is no verb 'mode'"] : ["+ @ asked"]
    }
    let run = try run(old, [.expression("list")], form: .json)
    expectEqual(run.status, .failed)
    expectEqual(run.output, "")
    expect(run.errors, hasPrefix: "fsmrepl: this daemon does not write JSON: - ")
  }

  @Test("requests run in order, and their answers are written as they come")
  func inOrder() throws {
    let run = try run(try server(), [.expression("list\n# remark\n\ntell"), .expression("@x more")])
    expectEqual(run.status, .good)
    expectEqual(run.output, ". a power off\n+ 1\n* 1 0.000 a moved off on event=x\n+\n+ @x more\n")
    expectEqual(run.errors, "")
  }

  @Test(
    "the first failure stops, is named, and decides the status",
    arguments: [
      ("refuse", ExitCode.failed, "REFUSED"), ("expect a on", .expectation, "EXPECTED"),
      ("await a on", .timeOut, "TIMEOUT"),
    ])
  func stops(request: String, status: ExitCode, code: String) throws {
    let run = try run(try server(), [.expression("one\n\(request)\ntwo"), .expression("three")])
    expectEqual(run.status, status)
    expect(run.output, hasPrefix: "+ one\n- \(code) ")
    expect(!run.output.contains("two") && !run.output.contains("three"))
    expectEqual(run.errors, "fsmrepl: -e:2: \(code): \(request)\n")
  }

  @Test("going on runs everything; the first failure still decides")
  func keepsGoing() throws {
    let run = try run(try server(), [.expression("await a b\none\nrefuse\ntwo")], keepsGoing: true)
    expectEqual(run.status, .timeOut)
    expect(run.output, hasSuffix: "+ two\n")
    expectEqual(run.errors.split(separator: "\n").count, 2)
  }

  @Test("a line that is answered here stands in its turn, so that the first failure decides")
  func inTurn() throws {
    let lines = "expect a on\nquiz p\nload nosuch.mmd\nlet x = 3\nat 5s one\nsave\none"
    let run = try run(try server(), [.expression(lines)], keepsGoing: true)
    expectEqual(
      run.output,
      """
      - EXPECTED expected=on got=off : a is in off
      - USAGE : 'quiz' is for the prompt, where somebody types
      - BAD-ARGUMENT : cannot read 'nosuch.mmd': No such file or directory
      - USAGE : 'let' is for scripts, which 'fsmrepl run FILE' plays
      - USAGE : 'at' is for the prompt and for scripts, which 'fsmrepl run FILE' plays
      \(LocalVerb.save.misuse)
      + one

      """)
    expectEqual(run.status, .expectation)
    // With nothing to answer before it, a sign tells when it is done.
    let quiet = try self.run(try server(), [.expression("quiet on\nsend a b\nload nosuch.mmd\none")], keepsGoing: true)
    expect(quiet.output.hasPrefix("+\n- BAD-ARGUMENT : ") && quiet.output.hasSuffix("\n+ one\n"))
    // In a batch it stands after what came before the batch; words of scripts are left to the daemon there.
    let batch = try self.run(
      try server(), [.expression("one\nbegin\nload nosuch.mmd\nlet x\nend")], keepsGoing: true)
    expectEqual(
      batch.output, "+ one\n+\n- BAD-ARGUMENT : a document cannot stand between 'begin' and 'end'\n+ let\n+ end\n")
  }

  @Test(
    "what only scripts or the prompt have leads there, once",
    arguments: [
      ("refuse => ok", "which 'fsmrepl run FILE' plays"), ("expect a timers none", "which 'fsmrepl run FILE' plays"),
      ("expect a on > file", "for the prompt, where somebody types"),
      ("expect a on | less", "for the prompt, where somebody types"),
    ])
  func misplaced(line: String, hint: String) throws {
    let run = try run(try server(), [.expression("\(line)\n\(line)")], keepsGoing: true)
    expectEqual(run.errors.split(separator: "\n").count { $0.hasSuffix(hint) }, 1)
  }

  @Test("what comes after the end of the session is not dropped in silence", arguments: [false, true])
  func afterTheEnd(keepsGoing: Bool) throws {
    let quit = try run(try server(), [.expression("one\nquit\n\n# remark\ntwo")], keepsGoing: keepsGoing)
    expectEqual(quit.status, .good)
    expectEqual(quit.output, "+ one\n+\n! bye reason=quit\n")
    expectEqual(quit.errors, "fsmrepl: -e:5: not sent, because 'quit' came before: two\n")
    let shutdown = try run(try server(), [.expression("shutdown"), .expression("two")], keepsGoing: keepsGoing)
    expectEqual(shutdown.status, .noConnection)
    expectEqual(shutdown.errors, "fsmrepl: -e: not sent, because 'shutdown' came before: two\n")
    let last = try run(try server(), [.expression("shutdown\n# remark\n")], keepsGoing: keepsGoing)
    expect(last.status == .good && last.errors == "")
  }

  @Test("a source that cannot be read is told of", arguments: [false, true])
  func folder(keepsGoing: Bool) throws {
    let run = try run(
      try server(), [.expression("one"), .file("/proc/self"), .expression("two")], keepsGoing: keepsGoing)
    expectEqual(run.status, .usage)
    expectEqual(run.output, (keepsGoing ? "+ one\n+ two\n" : "+ one\n"))
    expectEqual(run.errors, "fsmrepl: cannot read /proc/self: Is a directory\n")
  }

  @Test("requests that succeed silently do not make the script wait, nor end it early", arguments: [false, true])
  func quiet(keepsGoing: Bool) throws {
    let run = try run(
      try server(), [.expression("quiet on\nsend a b\nsend a c\nlist\nsend a d")], keepsGoing: keepsGoing)
    expectEqual(run.status, .good)
    expectEqual(run.output, "+\n. a power off\n+ 1\n")
  }

  @Test("a batch without an end is a failure")
  func openBatch() throws {
    let run = try run(try server(), [.expression("begin\nsend a b")])
    expectEqual(run.status, .failed)
    expect(run.errors, contains: "no 'end'")
  }

  @Test("leaving is no loss; a connection that breaks is")
  func endings() throws {
    let leaver = try FakeServer { $0 == "quit" ? ["+ @", "! bye reason=quit"] : $0 == "one" ? ["+ @"] : nil }
    let quit = try run(leaver, [.expression("one\nquit\ndie\none")])
    expectEqual(quit.status, .good)
    expectEqual(quit.output, "+\n+\n! bye reason=quit\n")
    let lost = try run(try server(), [.expression("one\ndie\ntwo")])
    expectEqual(lost.status, .noConnection)
    expectEqual(lost.output, "+ one\n")
    expectEqual(lost.errors, "fsmrepl: the connection to the daemon was lost\n")
  }

  @Test("bytes that are no UTF-8 are never sent")
  func invalid() throws {
    var template = Array("/tmp/fsmrepl-test-XXXXXX".utf8CString)
    let file = Descriptor(rawValue: mkstemp(&template))
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer { unlink(path) }
    let bytes: [UInt8] = [0x61, 0xFF, 0x0A]
    bytes.withUnsafeBytes { _ = file.writeAll($0) }
    file.close()
    let run = try run(try server(), [.file(path)])
    expectEqual(run.status, .failed)
    expectEqual(run.output, "- SYNTAX : the line is not UTF-8\n")
  }

  @Test(
    "a daemon that turns us away, or speaks otherwise, has not greeted us",
    arguments: [
      (["- LIMIT name=clients value=256", "! bye reason=limit"], "- LIMIT name=clients value=256"),
      (["+ fsmd protocol=2 version=9"], "it speaks protocol 2, this program 1"),
      (["220 mail.example ESMTP"], "not an fsmd: 220 mail.example ESMTP"), (["+ OK"], "not an fsmd: + OK"),
    ])
  func turnedAway(greeting: [String], reason: String) throws {
    let server = try FakeServer(greeting: greeting) { _ in nil }
    let client = Client(endpoint: Endpoint(try SocketPath.resolve(option: server.path)))
    try client.open()
    var reasons: [String] = []
    _ = client.wait(
      listeningTo: try SignalQueue([]), until: HostClock.now() + 5_000_000_000, isDone: { !reasons.isEmpty }
    ) { arrival in
      switch arrival {
      case .turnedAway(let reason): reasons.append(reason)
      case .greeting, .line, .unreadable, .note: Issue.record("taken for a greeting")
      }
    }
    expectEqual(reasons.first, reason)
    expect(!client.isReady)
    _ = client.close()
  }

  @Test("a named daemon that is not there is not replaced by one of our own")
  func named() throws {
    let endpoint = Endpoint(try SocketPath.resolve(option: "/tmp/fsmrepl-test-nobody/s"))
    #expect(throws: Endpoint.Failure.socket(.nobodyListens(path: "/tmp/fsmrepl-test-nobody/s"))) {
      _ = try endpoint.connect()
    }
    expectNil(endpoint.own)
  }
}
