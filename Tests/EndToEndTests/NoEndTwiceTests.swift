import Glibc
import TestSupport
import Testing
import UnixHost

/// A step that ended the daemon is not taken again. The daemon of these tests has a kind, `fuse`, that ends it.
@Suite("No end comes twice")
struct NoEndTwiceTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  // MARK: Lives

  private func start(_ fault: String?, _ arguments: String...) throws -> DaemonProcess {
    try DaemonProcess(with: arguments, in: folder, program: "Fuse", environment: [("FSMD_FUSE", fault)])
  }

  /// A start that ends by itself, perhaps before anybody can connect.
  private func startAndEnd(_ fault: String, _ arguments: String...) throws -> Child.Ending {
    let words = ["--socket", "\(folder.path)/s"] + arguments
    return try ProgramRun("Fuse", words, in: folder, environment: [("FSMD_FUSE", fault)]).ending()
  }

  private func program(_ arguments: String...) throws -> (code: Child.Ending, text: String) {
    let run = try ProgramRun("Fuse", arguments, in: folder)
    return (try run.ending(), run.output + run.log)
  }

  private func isFatal(_ ending: Child.Ending) -> Bool {
    switch ending {
    case .exited: false
    case .killed(let signal): [SIGILL, SIGTRAP, SIGSEGV, SIGABRT, SIGBUS].contains(signal)
    }
  }

  private func shutDown(_ daemon: DaemonProcess) throws {
    try expectEqual(daemon.connect().ask("shutdown"), "+")
    try expectEqual(daemon.run.ending(), .exited(0))
  }

  /// The worlds, when the one that is told is known to be out of service.
  private func outage(of world: String, _ daemon: DaemonProcess) throws -> String {
    let client = try daemon.connect()
    return try Patience.wait(for: "a world out of service") {
      try client.askAll("worlds").first { $0.hasPrefix(". \(world) out-of-service : ") }
    }
  }

  /// Whether a world has come back and serves.
  private func serves(_ world: String, _ daemon: DaemonProcess) throws -> Bool {
    let client = try daemon.connect()
    try client.ask("use \(world)")
    // It may be there from an earlier life.
    try client.ask("drop own")
    return try client.ask("new power own").hasPrefix("+ created ")
  }

  // MARK: Requests

  @Test(
    "a request that was never stored: its world serves, and the log names the request",
    arguments: [
      "send f spark", "@7 send f spark", "cast f spark", "send g light", "graph fuse", "batch", "fire g burn",
    ])
  func requests(request: String) throws {
    let fault = request.hasPrefix("fire") ? "burnt:trap" : "spark:trap"
    var daemon = try start(fault)
    let client = try daemon.connect()
    let line = request == "batch" ? "begin\nsend g light\nend" : request
    for request in ["world new w durable=yes", "use w", "new fuse f", "new fuse g burn=1h"] { try client.ask(request) }
    if request.hasPrefix("fire") { try client.ask("send g light") } else { try client.ask("wire g glow f spark") }
    try client.send("\(line)\n")
    expect(isFatal(try daemon.run.ending()))
    daemon = try start(fault)
    try expect(serves("w", daemon))
    // What is left of a diagram is drawn without its line.
    let named = request == "batch" ? "send g light" : request == "graph fuse" ? "graph" : request
    expect(daemon.run.log, contains: "in world w while it took '\(named)", "\(daemon.run.log)")
    expect(!daemon.run.log.contains("out of service"))
    try shutDown(daemon)
    try expectEqual(program("verify").code, .exited(0))
    // It is told once.
    daemon = try start(nil)
    expect(!daemon.run.log.contains("while it took"))
  }

  @Test("a step that leaves no room on the stack, and one that aborts", arguments: ["spark:deep", "spark:abort"])
  func ways(fault: String) throws {
    var daemon = try start(fault)
    let client = try daemon.connect()
    try client.ask("new fuse f")
    try client.send("send f spark\n")
    expect(isFatal(try daemon.run.ending()))
    daemon = try start(fault)
    try expect(serves("main", daemon))
    expect(daemon.run.log, contains: "(\(fault == "spark:deep" ? "SIGSEGV" : "SIGABRT")) in world main")
  }

  @Test("a signal of another process says nothing about a world")
  func sent() throws {
    let daemon = try start(nil)
    try daemon.connect().ask("new fuse f")
    daemon.signal(SIGSEGV)
    try expectEqual(daemon.run.ending(), .killed(signal: SIGSEGV))
    let next = try start(nil)
    try expect(serves("main", next))
    expect(!next.run.log.contains("while it took"))
  }

  // MARK: What would come again

  @Test("a timer of a world whose clock runs: it is out of service, the others serve, and repair brings it back")
  func timer() throws {
    var daemon = try start("burnt:trap")
    var client = try daemon.connect()
    // It is answered, and so stored, before it has burned down.
    for request in ["world new w durable=yes", "new fuse f burn=500ms", "send f light"] { try client.ask(request) }
    expect(isFatal(try daemon.run.ending()))
    let why = "the daemon ended in a timer of it that was to be input 3 and would expire again (SIG"
    for _ in 0..<2 {
      daemon = try start("burnt:trap")
      let line = try outage(of: "main", daemon)
      expect(line.contains(why), "\(line)")
      try expect(serves("w", daemon))
      try shutDown(daemon)
    }
    let verified = try program("verify", "main")
    expect(verified.code == .exited(3) && verified.text.contains(why), "\(verified)")
    let survey = try program("repair", "main").text
    expect(survey, contains: "--to 2 keeps all up to input 2 and loses nothing, and pauses its clock", "\(survey)")
    try expectEqual(program("repair", "--to", "2", "--yes", "main").code, .exited(0))
    try expectEqual(program("verify").code, .exited(0))
    daemon = try start("burnt:trap")
    client = try daemon.connect()
    try expect(client.ask("clock"), contains: "paused")
    try expect(client.ask("drop f"), hasPrefix: "+ ")
    try expect(client.ask("resume"), hasPrefix: "+")
    try expect(serves("main", daemon))
    try shutDown(daemon)
  }

  @Test("a timer that was due at the kill, and expires before timers are renewed at a start")
  func renewal() throws {
    // The windows of all keys end at the moment at which the fuse burns down, before it, and are stored a part at a time.
    let daemon = try start("burnt:kill")
    let client = try daemon.connect()
    let keys = (0..<6_000).map { "new shiftKey k\($0)" }.joined(separator: "\n")
    let requests = [
      "world new w clock=virtual durable=yes", "use w", "quiet on", keys, "new fuse f burn=350ms", "quiet off",
    ]
    try client.send(requests.joined(separator: "\n") + "\n@there sync\n")
    _ = try client.lines { $0 == "+ @there" }
    for request in ["cast k* tap", "send f light"] { try expect(client.ask(request), hasPrefix: "+") }
    try client.send("clock real\n")
    try expectEqual(daemon.run.ending(), .killed(signal: SIGKILL))
    expect(isFatal(try startAndEnd("burnt:trap", "--on-restart", "restart")))
    let next = try start("burnt:trap", "--on-restart", "restart")
    // The renewal would have been an input before it.
    try expect(outage(of: "w", next), contains: "the daemon ended in a timer of it that was to be input 18003 and")
    try expect(serves("main", next))
  }

  @Test("a replay of stored inputs at a start", arguments: ["spark:trap", "spark:deep"])
  func replay(fault: String) throws {
    var daemon = try start(nil)
    let client = try daemon.connect()
    for request in ["world new w durable=yes", "use w", "new fuse f", "send f spark", "send f spark"] {
      try client.ask(request)
    }
    daemon.signal(SIGKILL)
    _ = try daemon.run.ending()
    expect(isFatal(try startAndEnd(fault)))
    daemon = try start(fault)
    let why = "the daemon ended when it replayed input 2 (SIG"
    try expect(outage(of: "w", daemon).contains(why))
    try expect(serves("main", daemon))
    try shutDown(daemon)
    let verified = try program("verify")
    expect(verified.code == .exited(3) && verified.text.contains(why), "\(verified)")
    let survey = try program("repair", "w").text
    expect(survey, contains: "--to 1 keeps all up to input 1 and loses inputs 2 to 3\n", "\(survey)")
    try expectEqual(program("repair", "--to", "1", "--yes", "w").code, .exited(0))
    daemon = try start(fault)
    try expect(serves("w", daemon))
    try shutDown(daemon)
  }

  @Test("a checkpoint that is written")
  func writing() throws {
    var daemon = try start("write:trap", "--limit", "checkpointInputs=3")
    let client = try daemon.connect()
    for request in ["world new w durable=yes", "use w", "new fuse f", "send f spark", "send f spark"] {
      try client.send("\(request)\n")
    }
    expect(isFatal(try daemon.run.ending()))
    daemon = try start("write:trap", "--limit", "checkpointInputs=3")
    try expect(outage(of: "w", daemon), contains: "the daemon ended when it wrote a checkpoint at input 3 (SIG")
    try expect(serves("main", daemon))
  }

  @Test("a checkpoint that is read: none is read again, and the world is replayed from its beginning")
  func reading() throws {
    var daemon = try start(nil, "--limit", "checkpointInputs=3", "--limit", "journal=1")
    let client = try daemon.connect()
    for request in ["new fuse f", "send f spark", "send f spark"] { try client.ask(request) }
    try Patience.wait(until: "a checkpoint") { try client.askAll("stats").contains(". storeCheckpoints 1 copies") }
    for _ in 0..<3 { try client.ask("send f spark") }
    daemon.signal(SIGKILL)
    _ = try daemon.run.ending()
    expect(isFatal(try startAndEnd("read:trap", "--limit", "journal=1")))
    for _ in 0..<2 {
      daemon = try start("read:trap", "--limit", "journal=1", "--limit", "checkpointInputs=3")
      try expect(serves("main", daemon))
      expect(daemon.run.log, contains: "the daemon ended when it read the checkpoint at input ", "\(daemon.run.log)")
      try shutDown(daemon)
    }
    try expectEqual(program("verify").code, .exited(3))
  }

  // MARK: Kills

  @Test("a kill, or an end without memory, decides only when the same input was under way at two ends in a row")
  func kills() throws {
    var daemon = try start(nil)
    let client = try daemon.connect()
    for request in ["world new w durable=yes", "use w", "new fuse f", "send f spark"] { try client.ask(request) }
    daemon.signal(SIGKILL)
    _ = try daemon.run.ending()
    let killed = Child.Ending.killed(signal: SIGKILL)
    try expectEqual(startAndEnd("spark:kill"), killed)
    // Once is no reason, and an end of another kind between two makes them two first ones.
    daemon = try start(nil)
    try expect(serves("w", daemon))
    try shutDown(daemon)
    try expectEqual(startAndEnd("spark:kill"), killed)
    try expectEqual(startAndEnd("spark:kill"), killed)
    daemon = try start("spark:kill")
    try expect(outage(of: "w", daemon), contains: "replayed input 2 (it was killed there twice in a row)")
    try expect(serves("main", daemon))
  }
}
