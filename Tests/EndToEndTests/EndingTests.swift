import Foundation
import Glibc
import TestSupport
import Testing
import UnixHost

/// How the daemon ends, and how connections do.
struct EndingTests {
  private let daemon: DaemonProcess

  init() throws {
    daemon = try DaemonProcess()
  }

  private func expectEnd(of clients: [TestClient], reason: String = "! bye reason=shutdown") throws {
    for client in clients { try expectEqual(client.readToEnd().last, reason) }
    try expectEqual(daemon.run.ending(), .exited(0))
    expectNil(fileType(of: daemon.socket), "the socket's file is removed")
  }

  @Test(
    "a signal that ends processes ends the daemon cleanly: goodbye to all, no file left, exit 0",
    arguments: [SIGTERM, SIGINT, SIGHUP])
  func signals(_ number: Int32) throws {
    let clients = try (0..<10).map { _ in try daemon.connect() }
    try clients[0].send("new power p\nawait p on\n")
    try expect(clients[0].final(), hasPrefix: "+ created")
    try expectEqual(clients[1].ask("begin"), "+")
    try expectEqual(clients[2].ask("watch *"), "+ watching 1")
    try clients[3].send("half a lin")
    try expectEqual(clients[4].ask("sync"), "+")
    daemon.signal(number)
    try expectEnd(of: clients)
  }

  @Test("standard input that is no pipe is at its end at once, so --until-stdin-closes ends the daemon")
  func unwatchedInput() throws {
    let folder = try TemporaryFolder()
    let file = "\(folder.path)/input"
    try Data("text\n".utf8).write(to: URL(filePath: file))
    for path in ["/dev/null", file] {
      let input = Descriptor(rawValue: open(path, O_RDONLY | O_CLOEXEC))
      defer { input.close() }
      let run = try ProgramRun(
        "fsmd", ["--ephemeral", "--socket", "\(folder.path)/s", "--until-stdin-closes"], in: folder, input: input)
      try expectEqual(run.ending(), .exited(0), "\(path)")
      expectNil(fileType(of: "\(folder.path)/s"))
    }
  }

  @Test("a signal that comes as soon as there is a socket does so too", arguments: [["--ephemeral"], []])
  func early(_ options: [String]) throws {
    for _ in 0..<10 {
      let young = try DaemonProcess(with: options)
      young.signal(SIGTERM)
      try expectEqual(young.run.ending(), .exited(0))
      expectNil(fileType(of: young.socket))
    }
  }

  @Test(
    "an end in the midst of worlds that are made and dropped: what was answered is so, and a kill leaves one change more at most",
    arguments: [SIGTERM, SIGKILL], [0, 7, 30])
  func worlds(_ number: Int32, after answers: Int) throws {
    let options = ["--durability", "full", "--workers", "1"]
    let young = try DaemonProcess(with: options)
    let client = try young.connect()
    let requests = (0..<60).flatMap { ["world new w\($0) durable=yes", "world drop w\($0 - 3)"] }
    try client.send(requests.joined(separator: "\n") + "\n")
    var replies = try (0..<answers).map { _ in try client.final() }
    young.signal(number)
    replies += try client.readToEnd().filter { $0.hasPrefix("+ ") || $0.hasPrefix("- ") }
    try expectEqual(young.run.ending(), (number == SIGKILL ? .killed(signal: SIGKILL) : .exited(0)))
    var worlds: Set = ["main"]
    for reply in replies {
      let words = reply.split(separator: " ").map(String.init)
      if words[1] == "created" { worlds.insert(words[2]) }
      if words[1] == "dropped" { worlds.remove(words[2]) }
    }
    let last = try DaemonProcess(with: options, in: young.folder)
    let found = Set(
      try last.connect().askAll("worlds").dropLast().map { String($0.split(separator: " ")[1]) })
    let difference = found.symmetricDifference(worlds)
    expect(difference.count <= (number == SIGKILL ? 1 : 0), "\(difference), \(replies.suffix(3))")
  }

  @Test("the verb shutdown answers, then says goodbye to everybody")
  func shutdownVerb() throws {
    let clients = try (0..<5).map { _ in try daemon.connect() }
    try expectEqual(clients[0].ask("@s shutdown"), "+ @s")
    try expectEnd(of: clients)
  }

  @Test("replies that were given before the end are delivered with it")
  func lastWords() throws {
    let client = try daemon.connect()
    try expect(client.ask("new power p"), hasPrefix: "+ created")
    let count = 20_000
    try client.send(String(repeating: "send p buttonClick\n", count: count) + "shutdown\n")
    let lines = try client.readToEnd()
    expectEqual(lines.count, count + 2)
    expectEqual(lines.suffix(2), ["+", "! bye reason=shutdown"])
    try expectEnd(of: [])
  }

  @Test("a client that does not read cannot hold up the end for longer than a moment")
  func stubborn() throws {
    let client = try daemon.connect()
    try client.sendWhatFits(
      Array(String(repeating: "describe smartFridge\n", count: 2_000).utf8), waiting: false)
    let other = try daemon.connect()
    try expectEqual(other.ask("sync"), "+")
    let start = HostClock.now()
    try expectEqual(other.ask("shutdown"), "+")
    try expectEqual(daemon.run.ending(), .exited(0))
    expect(HostClock.now() - start < 10_000_000_000)
    expectNil(fileType(of: daemon.socket))
  }

  @Test("quit answers, says goodbye and closes, whatever was sent behind it; others stay")
  func quit() throws {
    let other = try daemon.connect()
    let client = try daemon.connect()
    try client.send("@1 sync\n@q quit\n@2 new power p\n")
    try expectEqual(client.readToEnd(), ["+ @1", "+ @q", "! bye reason=quit"])
    try expect(other.ask("show p"), hasPrefix: "- UNKNOWN-MACHINE")
  }

  @Test("the end of standard input ends the daemon where that was asked for, and not otherwise")
  func standardInput() throws {
    let client = try daemon.connect()
    daemon.letGo()
    try expectEnd(of: [client])

    let folder = try TemporaryFolder()
    let free = try ProgramRun("fsmd", ["--socket", "\(folder.path)/s"], in: folder)  // Its input is /dev/null.
    let second = try Patience.wait(for: "the daemon") { try? TestClient(path: "\(folder.path)/s") }
    try expect(second.line(), hasPrefix: "+ fsmd ")
    try expectEqual(second.ask("sync"), "+")
    expect(free.isRunning)
  }

  @Test("a socket's file that somebody else has put there since is not removed")
  func foreignFile() throws {
    let client = try daemon.connect()
    unlink(daemon.socket)
    close(creat(daemon.socket, 0o600))
    try expectEqual(client.ask("shutdown"), "+")
    try expectEqual(daemon.run.ending(), .exited(0))
    expectEqual(fileType(of: daemon.socket), S_IFREG)
  }
}
