import TestSupport
import Glibc
import StateMachines
import Testing
import UnixHost

/// What a daemon says and does when its store cannot be had, as a process.
@Suite("Stores that cannot be had")
struct StoreFailureTests {
  private let folder: TemporaryFolder
  private var store: String { "\(folder.path)/state/fsmd" }

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Starts a daemon in this test's folder that is to fail, with one line, exit 3 and nothing changed.
  private func expectFailure(
    _ arguments: [String] = [], naming words: String..., environment: [(String, String?)] = [],
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let before = contents()
    let run = try ProgramRun(
      "fsmd", ["--socket", "\(folder.path)/other"] + arguments, in: folder, environment: environment)
    #expect(try run.ending() == .exited(3), sourceLocation: location)
    #expect(run.output == "", sourceLocation: location)
    let lines = run.log.split(separator: "\n")
    #expect(lines.count == 1, "\(run.log)", sourceLocation: location)
    for word in words { #expect(run.log.contains(word), "\(run.log)", sourceLocation: location) }
    #expect(contents() == before, sourceLocation: location)
    #expect(fileType(of: "\(folder.path)/other") == nil, sourceLocation: location)
  }

  /// What is stored, byte by byte.
  private func contents() -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    for name in ["journal.sqlite", "journal.sqlite-wal", "journal.heads"] {
      if let bytes = bytes(of: "\(store)/\(name)") { contents[name] = bytes }
    }
    return contents
  }

  private func put(_ bytes: [UInt8], _ name: String) throws {
    let file = open("\(store)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    defer { close(file) }
    guard write(file, bytes, bytes.count) == bytes.count else { throw HarnessFailure(what: "cannot write \(name)") }
  }

  /// Lets a daemon keep something in this test's folder, and end.
  ///
  /// - Parameter isKilled: Whether it ends by a signal, with its log still to be written back.
  private func keepSomething(isKilled: Bool) throws {
    let daemon = try DaemonProcess(in: folder)
    let client = try daemon.connect()
    for number in 0..<40 { try expect(client.ask("new power p\(number)"), hasPrefix: "+ created") }
    if isKilled { daemon.signal(SIGKILL) } else { try expectEqual(client.ask("shutdown"), "+") }
    _ = try daemon.run.ending()
    let hasLog = (bytes(of: "\(store)/journal.sqlite-wal") ?? []).isEmpty == false
    expectEqual(hasLog, isKilled)
  }

  // MARK: Starting

  @Test("a file that was cut off is named, and left as it is", arguments: [true, false])
  func truncated(isKilled: Bool) throws {
    try keepSomething(isKilled: isKilled)
    let good = contents()
    for name in isKilled ? ["journal.sqlite-wal"] : ["journal.sqlite"] {
      let whole = try #require(good[name])
      for length in [0, 1, 31, 100, 4096, whole.count / 2, whole.count - 1] {
        try put(Array(whole[..<length]), name)
        try expectFailure(naming: "\(store)/journal.sqlite", "is damaged", "move it away", "restore a backup")
      }
      try put(whole, name)
    }
    let daemon = try DaemonProcess(in: folder)
    try expectEqual(daemon.connect().askAll("count").first, ". power off 40")
  }

  @Test("a bit that was turned over is found, in the database and in its log", arguments: [true, false])
  func flipped(isKilled: Bool) throws {
    try keepSomething(isKilled: isKilled)
    let good = contents()
    let name = isKilled ? "journal.sqlite-wal" : "journal.sqlite"
    let whole = try #require(good[name])
    var dice = Dice(seed: isKilled ? 1 : 2)
    var found = 0
    // Some bits mean nothing: it goes on until one is found.
    let first = dice.number(below: 12)
    var round = 0
    while round < Thorough.rounds(12) || (found == 0 && round < 48) {
      defer { round += 1 }
      var bytes = whole
      // In the last part of the log is what came last, and of each page of the database something.
      let place =
        isKilled
        ? whole.count - 1 - dice.number(below: 4000) : (first + round) % 12 * whole.count / 12 + dice.number(below: 100)
      bytes[place] ^= UInt8(1 << dice.number(below: 8))
      try put(bytes, name)
      let run = try ProgramRun("fsmd", ["--socket", "\(folder.path)/other"], in: folder)
      if let client = try? TestClient(of: run, at: "\(folder.path)/other") { try client.send("shutdown\n") }
      switch try run.ending() {
      case .exited(3):
        found += 1
        // The bytes of the schema's number have another one then.
        let isOfSchema = !isKilled && 60..<64 ~= place
        expect(run.log, contains: "\(store)/journal.sqlite \(isOfSchema ? "has schema" : "is damaged")", "\(run.log)")
        expectEqual(contents()[name], bytes)
      case .exited(0):
        // In bytes that mean nothing.
        break
      case let other: Issue.record("byte \(place): \(other) \(run.log)")
      }
      for (name, bytes) in good { try put(bytes, name) }
    }
    expect(found > 0)
  }

  @Test("notes that are damaged or gone take nothing away")
  func notes() throws {
    try keepSomething(isKilled: true)
    let good = try #require(contents()["journal.heads"])
    for bytes in [[], Array(good[..<40]), good.map { $0 ^ 1 }] {
      try put(bytes, "journal.heads")
      let daemon = try DaemonProcess(in: folder)
      try expect(daemon.connect().ask("world"), contains: " seq=40")
      daemon.signal(SIGKILL)
      _ = try daemon.run.ending()
    }
  }

  @Test("an address of another database is no folder")
  func otherAddress() throws {
    let folder = try TemporaryFolder()
    let run = try ProgramRun("fsmd", ["--socket", "\(folder.path)/s", "--store", "mysql://host/x"], in: folder)
    try expectEqual(run.ending(), .exited(1))
    expect(run.log, contains: "'mysql://host/x' is no store: it is a folder, or postgresql://USER@HOST/DATABASE")
    expect(!TemporaryFolder.names(in: folder.path).contains("mysql:"))
  }

  @Test("a later schema and what is no store of ours are told apart, and left as they are")
  func otherFiles() throws {
    try keepSomething(isKilled: false)
    var newer = try #require(contents()["journal.sqlite"])
    newer[63] = 99
    try put(newer, "journal.sqlite")
    try expectFailure(naming: "\(store)/journal.sqlite", "schema 99", "this release knows 4", "use a later release")
    try put(Array("Dear diary, \(String(repeating: "nothing happened. ", count: 400))".utf8), "journal.sqlite")
    try expectFailure(naming: "\(store)/journal.sqlite", "it is not an SQLite database", "move it away")
  }

  @Test("a log without its database is told, and stays")
  func orphanedLog() throws {
    try keepSomething(isKilled: true)
    unlink("\(store)/journal.sqlite")
    try expectFailure(naming: "\(store)/journal.sqlite", "it is missing", "journal.sqlite-wal")
  }

  @Test("a folder that cannot be made or written is told, with a way out")
  func folders() throws {
    // Nobody may make anything there, not even root.
    try expectFailure(naming: "/proc/none", environment: [("XDG_STATE_HOME", "/proc/none")])
    close(creat("\(folder.path)/file", 0o600))
    try expectFailure(naming: "\(folder.path)/file", environment: [("XDG_STATE_HOME", "\(folder.path)/file")])
    try expectFailure(
      naming: "XDG_STATE_HOME", "HOME", "--ephemeral", environment: [("XDG_STATE_HOME", nil), ("HOME", nil)])
    let run = try ProgramRun(
      "fsmd", ["--ephemeral", "--socket", "\(folder.path)/e"], in: folder,
      environment: [("XDG_STATE_HOME", nil), ("HOME", nil)])
    try expect(TestClient(of: run, at: "\(folder.path)/e").line(), hasPrefix: "+ fsmd ")
    // Root may write everywhere: what an unwritable store does is tested in the process.
    guard geteuid() != 0 else { return }
    try keepSomething(isKilled: false)
    chmod("\(store)/journal.sqlite", 0o400)
    try expectFailure(naming: "\(store)/journal.sqlite", "is read-only", "--ephemeral")
  }

  // MARK: Several daemons

  @Test("a second daemon is told who has the store; on the same socket, who has that")
  func second() throws {
    let first = try DaemonProcess(in: folder)
    let client = try first.connect()
    try expect(client.ask("new power p"), hasPrefix: "+")
    try expectFailure(naming: "\(store)/journal.sqlite", first.socket, "process \(first.facts.pid)", "$XDG_STATE_HOME")
    let same = try ProgramRun("fsmd", ["--socket", first.socket], in: folder)
    try expectEqual(same.ending(), .exited(2))
    expect(same.log, contains: "process \(first.facts.pid)", "\(same.log)")
    try expect(client.ask("send p buttonClick"), hasPrefix: "+ moved")
    // When the first has gone, however, the store is free.
    first.signal(SIGKILL)
    _ = try first.run.ending()
    let third = try DaemonProcess(in: folder, socket: "other")
    try expect(third.connect().ask("expect p on"), hasPrefix: "+ on")
  }

  @Test("without the lock's file a second daemon gets the worlds, and the first one leaves them alone")
  func fenced() throws {
    let first = try DaemonProcess(in: folder)
    let client = try first.connect()
    try expect(client.ask("new power p"), hasPrefix: "+")
    unlink("\(store)/journal.lock")
    let second = try DaemonProcess(in: folder, socket: "other")
    let other = try second.connect()
    try expect(other.ask("send p buttonClick"), hasPrefix: "+ moved off on")
    for _ in 0..<3 {
      let answer = try client.ask("send p buttonClick")
      expect(answer, hasPrefix: "- STORAGE world=main : ")
      expect(answer.contains(second.socket) && answer.contains("process \(second.facts.pid)"), "\(answer)")
    }
    try expectEqual(client.ask("world new brief"), "+ created brief")
    try expectEqual(client.ask("shutdown"), "+")
    try expectEqual(first.run.ending(), .exited(0))
    try expect(other.ask("send p buttonClick"), hasPrefix: "+ moved on off")
  }

  @Test("a program that locks the database delays nobody for long; who wrote is told, and afterwards all is well")
  func locked() throws {
    guard Products.isInPath("python3") else { return }
    let daemon = try DaemonProcess(in: folder)
    let client = try daemon.connect()
    try expect(client.ask("new power p"), hasPrefix: "+")
    let script = """
      import sqlite3, sys
      connection = sqlite3.connect(sys.argv[1], isolation_level=None)
      connection.execute("BEGIN EXCLUSIVE")
      print("locked", flush=True)
      sys.stdin.read()
      """
    let leash = try Pipe()
    let program = try ProgramRun(
      "python3", ["-c", script, "\(store)/journal.sqlite"], in: folder, input: leash.reading, isOurs: false)
    leash.reading.close()
    try Patience.wait(until: "the database to be locked") { program.output.contains("locked") }
    try expect(
      client.ask("@1 send p buttonClick"), hasPrefix: "- @1 STORAGE world=main : \(store)/journal.sqlite is locked")
    try expectEqual(client.ask("world new brief"), "+ created brief")
    leash.writing.close()
    _ = try program.ending()
    try Patience.wait(until: "the world to be written again") {
      try client.ask("@2 send p buttonClick").hasPrefix("+ @2 moved off on")
    }
  }

  // MARK: No room

  @Test("where files may not grow the daemon lives on; what was acknowledged is there, and with room it goes on")
  func fileSize() throws {
    let socket = "\(folder.path)/s"
    let shell = #"ulimit -S -f 1500 && exec "$0" --socket "$1""#
    let run = try ProgramRun(
      "sh", ["-c", shell, try Products.path(of: "fsmd"), socket], in: folder,
      environment: [("XDG_STATE_HOME", "\(folder.path)/state")], isOurs: false)
    let client = try TestClient(of: run, at: socket)
    _ = try client.line()
    try expectEqual(client.ask("world new brief"), "+ created brief")
    var acknowledged = 0
    var isFull = false
    for round in 0..<400 where !isFull {
      try client.send((0..<50).map { "new power p\(round).\($0)\n" }.joined())
      let answers = try (0..<50).map { _ in try client.final() }
      acknowledged += answers.count { $0.hasPrefix("+ created ") }
      let failed = answers.filter { $0.hasPrefix("- STORAGE world=main : ") }
      expectEqual(failed.count + answers.count { $0.hasPrefix("+ ") }, 50)
      isFull = !failed.isEmpty
      if isFull { expect(failed.allSatisfy { $0.contains("no room") }, "\(failed[0])") }
    }
    expect(isFull && acknowledged > 100, "\(acknowledged)")
    try expect(client.ask("use brief"), hasPrefix: "+")
    try expect(client.ask("new power p"), hasPrefix: "+ created p")
    expect(run.isRunning)
    // More room, and all goes on.
    if Products.isInPath("prlimit") {
      let tool = try ProgramRun(
        "prlimit", ["--pid", "\(run.child.pid)", "--fsize=unlimited"], in: folder, isOurs: false)
      try expectEqual(tool.ending(), .exited(0))
      _ = try client.ask("use main")
      try Patience.wait(until: "the world to be back") { try client.ask("new power more").hasPrefix("+") }
      acknowledged += 1
    }
    run.child.signal(SIGKILL)
    _ = try run.ending()
    let again = try DaemonProcess(in: folder)
    try expectEqual(again.connect().ask("count"), "+ 1")
    try expectEqual(again.connect().askAll("count").first, ". power off \(acknowledged)")
  }
}

/// The whole of a file; nil if there is none.
private func bytes(of path: String) -> [UInt8]? {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { return nil }
  defer { close(file) }
  var bytes: [UInt8] = []
  var piece = [UInt8](repeating: 0, count: 64 << 10)
  while true {
    let count = read(file, &piece, piece.count)
    guard count > 0 else { return bytes }
    bytes += piece[..<count]
  }
}

extension TestClient {
  /// A connection to a program that is starting.
  convenience init(of run: ProgramRun, at path: String) throws {
    try Patience.wait(until: "a socket at \(path)") {
      guard run.isRunning else { throw HarnessFailure(what: "it has ended: \(run.log)") }
      return fileType(of: path) == S_IFSOCK && (try? ClientSocket.connect(path: path).close()) != nil
    }
    try self.init(path: path)
  }
}
