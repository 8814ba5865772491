import Glibc
import TestSupport
import Testing
import UnixHost

/// How the daemon starts, and how it says that it cannot.
struct StartTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func run(_ arguments: [String], _ environment: [(String, String?)] = []) throws -> ProgramRun {
    try ProgramRun("fsmd", arguments, in: folder, environment: environment)
  }

  /// Expects that a start fails: one line that holds `words`, exit 2, nothing on standard output.
  private func expectFailure(_ socket: String, naming words: String..., at location: SourceLocation = #_sourceLocation)
    throws
  {
    let run = try run(["--socket", socket])
    #expect(try run.ending() == .exited(2), sourceLocation: location)
    #expect(run.output == "", sourceLocation: location)
    let log = run.log
    #expect(log.hasSuffix("\n") && log.split(separator: "\n").count == 1, "\(log)", sourceLocation: location)
    for word in words { #expect(log.contains(word), "\(log)", sourceLocation: location) }
  }

  @Test("a missing folder is named")
  func missingFolder() throws {
    try expectFailure("\(folder.path)/none/s", naming: "\(folder.path)/none", "No such file")
    try expectFailure("\(folder.path)/s/", naming: "\(folder.path)/s")
  }

  @Test("a folder that is none, or may not be written, is named")
  func badFolder() throws {
    close(creat("\(folder.path)/file", 0o600))
    try expectFailure("\(folder.path)/file/s", naming: "\(folder.path)/file", "Not a directory")
    // Nobody may write there, not even root.
    try expectFailure("/proc/s", naming: "/proc/s")
    let closed = "\(folder.path)/closed"
    mkdir(closed, 0o500)
    // Root may write anywhere, so for root that folder is as good as any.
    if geteuid() != 0 { try expectFailure("\(closed)/s", naming: closed, "Permission denied") }
  }

  @Test("a path of 107 bytes serves, one of 108 is refused with the limit")
  func longestPath() throws {
    let deepest = folder.path + "/" + String(repeating: "d", count: 40)
    mkdir(deepest, 0o700)
    let longest = deepest + "/" + String(repeating: "s", count: 107 - deepest.utf8.count - 1)
    try expectFailure(longest + "s", naming: "108", "107")
    let run = try run(["--socket", longest])
    // The socket is there before somebody listens on it.
    let client = try Patience.wait(for: "the daemon") { try? TestClient(path: longest) }
    try expect(client.line(), hasPrefix: "+ fsmd ")
    try expectEqual(client.ask("shutdown"), "+")
    try expectEqual(run.ending(), .exited(0))
  }

  @Test("a socket on which a daemon lives is refused, and its process is named; the daemon lives on")
  func inUse() throws {
    let daemon = try DaemonProcess()
    let client = try daemon.connect()
    try expectFailure(daemon.socket, naming: daemon.socket, "process \(daemon.facts.pid)")
    try expectEqual(client.ask("sync"), "+")
    try expectEqual(daemon.connect().ask("sync"), "+")
  }

  @Test("what is no socket is left alone")
  func noSocket() throws {
    let path = "\(folder.path)/file"
    close(creat(path, 0o640))
    try expectFailure(path, naming: path, "not a socket")
    expectEqual(permissions(of: path), 0o640)
    expectEqual(fileType(of: path), S_IFREG)
    mkdir("\(folder.path)/folder", 0o700)
    try expectFailure("\(folder.path)/folder", naming: "\(folder.path)/folder", "not a socket")
  }

  @Test("the socket that a killed daemon left behind is replaced, and has mode 0600")
  func stale() throws {
    let socket = "\(folder.path)/s"
    for _ in 0..<2 {
      let run = try run(["--socket", socket])
      try Patience.wait(until: "the daemon to listen") { (try? ClientSocket.connect(path: socket).close()) != nil }
      expectEqual(permissions(of: socket), 0o600)
      run.child.signal(SIGKILL)
      try expectEqual(run.ending(), .killed(signal: SIGKILL))
      expectEqual(fileType(of: socket), S_IFSOCK)
    }
  }

  @Test("of daemons that start at the same moment exactly one wins", arguments: Thorough.rounds(0..<4))
  func race(_ round: Int) throws {
    let socket = "\(folder.path)/s"
    let runs = try (0..<6).map { _ in try run(["--socket", socket]) }
    try Patience.wait(until: "all but one to have ended") { runs.filter(\.isRunning).count == 1 }
    guard let winner = runs.first(where: { $0.isRunning }) else { throw HarnessFailure(what: "nobody won") }
    for run in runs where run !== winner {
      try expectEqual(run.ending(), .exited(2))
      expectEqual(run.log.split(separator: "\n").count, 1, "\(run.log)")
      expect(run.log, contains: "process \(winner.child.pid)", "\(run.log)")
    }
    let client = try TestClient(path: socket)
    try expect(client.line(), hasPrefix: "+ fsmd ")
    try expectEqual(client.ask("shutdown"), "+")
    try expectEqual(winner.ending(), .exited(0))
    expectNil(fileType(of: socket))
  }

  @Test(
    "an option that is wrong: one line that says so, a hint, exit 1",
    arguments: [
      ["--nonsense"], ["-x"], ["operand"], ["--socket"], ["--socket="], ["--limit", "clients"],
      ["--limit", "clients=0"], ["--limit", "clients=x"], ["--limit", "nonsense=1"], ["--limit", "line=63"],
      ["--limit", "clients=99999999999999999999"], ["--log", "loud"], ["--poll", "-1"], ["--poll", "x"],
    ])
  func badOptions(_ arguments: [String]) throws {
    let run = try run(arguments)
    try expectEqual(run.ending(), .exited(1))
    expectEqual(run.output, "")
    let lines = run.log.split(separator: "\n")
    expect(lines.count == 2 && lines.first?.hasPrefix("fsmd: ") == true, "\(run.log)")
    expectEqual(lines.last, "Try 'fsmd --help'.", "\(run.log)")
  }

  @Test("--help and --version print to standard output and exit 0")
  func help() throws {
    for words in [["--help"], ["-h"], ["--vers"], ["-V"]] {
      let run = try run(words)
      try expectEqual(run.ending(), .exited(0))
      expectEqual(run.log, "")
      if words[0].lowercased().contains("h") {
        for option in ["--socket", "--ephemeral", "--limit", "--log", "--help", "--version"] {
          expect(run.output.contains(option))
        }
      } else {
        expect(run.output.wholeMatch(of: #/fsmd \d+\.\d+\.\d+\n/#) != nil, "\(run.output)")
      }
    }
  }

  @Test("the path comes from the option, else FSMD_SOCKET, else the runtime directory, else the temporary one")
  func defaultPaths() throws {
    let runtime = "\(folder.path)/run"
    let temporary = "\(folder.path)/tmp"
    for path in [runtime, temporary] { mkdir(path, 0o755) }
    let own = "\(temporary)/fsmd-\(geteuid())"
    let cases: [(variable: String?, runtime: String?, options: [String], path: String, made: String?)] = [
      ("\(folder.path)/v", runtime, ["-s", "\(folder.path)/o"], "\(folder.path)/o", nil),
      ("\(folder.path)/v", runtime, [], "\(folder.path)/v", nil),
      (nil, runtime, [], "\(runtime)/fsmd/fsmd.sock", "\(runtime)/fsmd"),
      (nil, nil, [], "\(own)/fsmd.sock", own),
    ]
    for expected in cases {
      let run = try run(
        expected.options,
        [("FSMD_SOCKET", expected.variable), ("XDG_RUNTIME_DIR", expected.runtime), ("TMPDIR", temporary)])
      let client = try Patience.wait(for: "a socket at \(expected.path)") { () -> TestClient? in
        guard run.isRunning else { throw HarnessFailure(what: run.log) }
        return fileType(of: expected.path) == S_IFSOCK ? try? TestClient(path: expected.path) : nil
      }
      expectEqual(permissions(of: expected.path), 0o600)
      if let made = expected.made { expectEqual(permissions(of: made), 0o700) }
      try expect(client.line(), hasPrefix: "+ fsmd ")
      run.child.signal(SIGTERM)
      try expectEqual(run.ending(), .exited(0))
      expectNil(fileType(of: expected.path))
    }
    // A named path is taken as it is; its folder is nobody's to make.
    let named = try run([], [("FSMD_SOCKET", "\(folder.path)/none/v")])
    try expectEqual(named.ending(), .exited(2))
  }

  @Test("limits given on the command line hold, and are shown")
  func limits() throws {
    let daemon = try DaemonProcess("--limit", "line=100", "--limit", "batch=2")
    let client = try daemon.connect()
    let limits = try client.askAll("limits")
    expect(limits, contains: ". line 100 bytes")
    expect(limits, contains: ". batch 2 lines")
    try expect(client.ask(String(repeating: "x", count: 100)), hasPrefix: "- UNKNOWN-VERB")
    try expect(client.ask(String(repeating: "x", count: 101)), hasPrefix: "- TOO-LONG limit=100")
    try client.send("begin\nsync\nkinds\nkinds\nend\n")
    try expectEqual(client.final(), "+")
    try expect(client.final(), hasPrefix: "- LIMIT name=batch value=2")
  }

  @Test("started without standard descriptors, it opens none of its own under their numbers")
  func noStandardDescriptors() throws {
    let socket = "\(folder.path)/s"
    let shell = #"exec "$0" --ephemeral --socket "$1" --log debug <&- >&- 2>&-"#
    let child = try Child.spawn("sh", ["-c", shell, try Products.path(of: "fsmd"), socket])
    defer {
      child.signal(SIGKILL)
      child.waitForEnding()
    }
    let client = try Patience.wait(for: "the daemon") { try? TestClient(path: socket) }
    try expect(client.line(), hasPrefix: "+ fsmd ")
    var target = [CChar](repeating: 0, count: 64)
    for number in 0...2 {
      let length = readlink("/proc/\(child.pid)/fd/\(number)", &target, target.count)
      let name = String(decoding: target.prefix(max(0, length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
      expectEqual(name, "/dev/null", "\(number)")
    }
    try expectEqual(client.ask("sync"), "+")
  }

  @Test("log lines go to standard error, as many as asked for")
  func logLevels() throws {
    for (level, isChatty) in [("debug", true), ("info", false), ("error", false)] {
      let daemon = try DaemonProcess("--log", level)
      let client = try daemon.connect()
      try expectEqual(client.ask("quit"), "+")
      try expectEqual(client.readToEnd(), ["! bye reason=quit"])
      let second = try daemon.connect()
      try expectEqual(second.ask("shutdown"), "+")
      try expectEqual(daemon.run.ending(), .exited(0))
      expectEqual(daemon.run.output, "")
      expectEqual(daemon.run.log.contains(" debug "), isChatty, "\(daemon.run.log)")
      expectEqual(daemon.run.log.contains("listens on \(daemon.socket)"), (level != "error"))
    }
  }
}
