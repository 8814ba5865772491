import Glibc
import TestSupport
import Testing
import UnixHost

/// A class on one daemon: users of one group, as the kernel knows them. Only root can act as others.
@Suite(.serialized, .enabled(if: OtherUser.isPossible && OtherUser.group != nil, "only root can act as other users"))
struct GroupTests {
  private let daemon: DaemonProcess

  init() throws {
    daemon = try Self.start()
  }

  private static func start(_ arguments: String..., in old: TemporaryFolder? = nil) throws -> DaemonProcess {
    let folder = try old ?? TemporaryFolder()
    // Members of the group must reach the socket.
    chmod(folder.path, 0o711)
    return try DaemonProcess(
      with: ["--group", try #require(OtherUser.group).name, "--watch-socket", "\(folder.path)/watch"] + arguments,
      in: folder)
  }

  private func connect(_ number: Int) throws -> TestClient {
    let client = try OtherUser.member(number).connect(daemon.socket)
    let greeting = try client.line()
    guard greeting.hasPrefix("+ fsmd protocol=1 ") else { throw HarnessFailure(what: "greeted with: \(greeting)") }
    return client
  }

  @Test("members of the group connect, each with a world main of their own; others cannot")
  func members() throws {
    // Who has been greeted may count on both sockets.
    let (one, other) = (try connect(1), try connect(2))
    expectEqual(permissions(of: daemon.socket), 0o660)
    expectEqual(permissions(of: "\(daemon.folder.path)/watch"), 0o660)
    try expect(one.ask("new power lamp"), hasPrefix: "+ created lamp")
    try expect(other.ask("show lamp"), hasPrefix: "- UNKNOWN-MACHINE")
    try expect(daemon.connect().ask("show lamp"), hasPrefix: "- UNKNOWN-MACHINE")
    try expect(one.ask("world share main"), hasPrefix: "+ shared main read")
    try expect(other.ask("use 30001/main"), hasPrefix: "+ world=30001/main")
    try expect(other.ask("send lamp buttonClick"), hasPrefix: "- READ-ONLY")
    try expect(other.askAll("who"), contains: ". 30001")
    try expect(one.ask("shutdown"), hasPrefix: "- NOT-OWNER verb=shutdown owner=root")
    #expect(throws: SocketFailure.self) {
      try OtherUser(uid: 31_000, gid: 31_000).acting { try ClientSocket.connect(path: daemon.socket).close() }
    }
    try expect(daemon.connect().ask("world drop 30002/main"), hasPrefix: "- BAD-ARGUMENT")
  }

  @Test("with several stores a user without an account goes by the number, which decides where the worlds are")
  func nameless() throws {
    let place = try Workplace()
    try place.write("map", "30001/* \(place.path("one"))\n* \(place.path("two"))\n")
    let several = try Self.start("--store-map", place.path("map"))
    let learner = try OtherUser.member(1).connect(several.socket)
    try expect(learner.line(), hasPrefix: "+ fsmd ")
    try expect(learner.ask("new power p"), hasPrefix: "+ created p")
    try expectEqual(several.connect().ask("shutdown"), "+")
    try expectEqual(several.run.ending(), .exited(0))
    let verify = try ProgramRun("fsmd", ["verify", "--state", place.path("one")], in: place.folder)
    try expectEqual(verify.ending(), .exited(0))
    expect(verify.output, hasPrefix: "30001/main inputs 1..1 good ")
  }

  @Test("connections of the other socket may only look")
  func watchSocket() throws {
    let owner = try daemon.connect()
    try expect(owner.ask("new power lamp"), hasPrefix: "+ created")
    let watcher = try OtherUser.member(3).connect("\(daemon.folder.path)/watch")
    try expect(watcher.line(), hasPrefix: "+ fsmd ")
    try expect(watcher.ask("use root/main"), hasPrefix: "- UNKNOWN-WORLD")
    try expect(owner.ask("world share main write"), hasPrefix: "+ shared main write")
    try expect(watcher.ask("use root/main"), hasPrefix: "+ world=root/main")
    try expectEqual(watcher.ask("watch *"), "+ watching 1")
    try expect(owner.ask("send lamp buttonClick"), hasPrefix: "+ moved")
    try expect(watcher.line(), hasPrefix: "* ")
    try expect(watcher.ask("send lamp buttonClick"), hasPrefix: "- READ-ONLY verb=send")
    try expect(watcher.ask("world new w"), hasPrefix: "- READ-ONLY verb=world")
  }

  @Test("users' worlds are there again after a restart, with whom they are shared")
  func restart() throws {
    let learner = try connect(1)
    try expect(learner.ask("new power lamp"), hasPrefix: "+ created")
    try expectEqual(learner.ask("world new lab durable=yes"), "+ created lab")
    try expectEqual(learner.ask("world share lab"), "+ shared lab read")
    daemon.signal(SIGKILL)
    _ = try daemon.run.ending()
    let next = try Self.start(in: daemon.folder)
    let again = try OtherUser.member(1).connect(next.socket)
    try expect(again.line(), hasPrefix: "+ fsmd ")
    try expect(again.ask("expect lamp off"), hasPrefix: "+ off")
    let other = try OtherUser.member(2).connect(next.socket)
    try expect(other.line(), hasPrefix: "+ fsmd ")
    try expect(other.ask("use 30001/lab"), hasPrefix: "+ world=30001/lab")
  }

  @Test("one of 30 users does the worst: the others' requests are all answered, and right")
  func hostile() throws {
    let learners = try (1..<30).map { try connect($0) }
    for learner in learners { try expect(learner.ask("new power lamp"), hasPrefix: "+ created lamp") }
    let hostile = Hostile(OtherUser.member(30), daemon.socket)
    try hostile.begin()
    for round in 0..<8 {
      try hostile.go(on: round)
      for learner in learners { try learner.send("@r\(round) send lamp buttonClick\n@l\(round) list\n") }
      for learner in learners {
        try expect(learner.line(), hasPrefix: "+ @r\(round) moved \(round.isMultiple(of: 2) ? "off on" : "on off") ")
        try expect(learner.line(), hasPrefix: ". @l\(round) lamp power ")
        try expectEqual(learner.line(), "+ @l\(round) 1")
      }
    }
    expect(hostile.served <= 16, "\(hostile.served) connections were served")
    expect(hostile.refused >= 900, "\(hostile.refused) of 1,000 were refused")
    hostile.leave()
    for (number, learner) in learners.enumerated() {
      try expect(learner.ask("expect lamp off"), hasPrefix: "+ off", "\(number)")
    }
    // The world that is left has a bounded part of the memory, and whoever comes new is served.
    try expectEqual(connect(31).ask("sync"), "+")
    try expectEqual(daemon.connect().ask("sync"), "+")
  }

  @Test(
    "a user's many connections have together as much of a turn as another's one, also where the other's world is shared",
    arguments: [
      ("count", false), ("list *x", false), ("count", true), ("coverage", true), ("who", false), ("use nobody", false),
      ("kinds zzzz", false), ("can m0", false), ("expect m0 zzz", false), ("help zzz", false), ("zzzz", false),
    ])
  func turns(request: String, isShared: Bool) throws {
    let daemon = try Self.start("--limit", "userClients=200")
    func connect(_ number: Int) throws -> TestClient {
      let client = try OtherUser.member(number).connect(daemon.socket)
      _ = try client.line()
      return client
    }
    let many = try (0..<Thorough.rounds(200, atLeast: 60)).map { _ in try connect(1) }
    let other = try connect(2)
    let owner = isShared ? other : many[0]
    try owner.send(
      "quiet on\n" + (0..<200 * Thorough.rounds(10, atLeast: 3)).map { "new power m\($0)\n" }.joined()
        + "quiet off\nsync\n")
    for _ in 0..<3 { try expectEqual(owner.final(), "+") }
    if isShared {
      try expect(other.ask("world share main"), hasPrefix: "+ shared")
      for client in many { try expect(client.ask("use 30002/main"), hasPrefix: "+ world=30002/main") }
    }
    let before = try requests(other)
    try daemon.stop()
    for client in many { try client.send(String(repeating: "@h \(request)\n", count: 5)) }
    try other.send("stats\n")
    daemon.signal(SIGCONT)
    let line = try other.reply().first { $0.hasPrefix(". requests ") } ?? ""
    let taken = (Int(line.split(separator: " ")[2]) ?? 0) - before
    expect(taken < 100, "\(taken) of \(5 * many.count) requests were taken before the other user's")
    for client in many {
      for _ in 0..<5 { try expect(client.final(), contains: " @h ") }
    }
  }

  private func requests(_ client: TestClient) throws -> Int {
    let line = try client.askAll("stats").first { $0.hasPrefix(". requests ") } ?? ""
    return Int(line.split(separator: " ")[2]) ?? 0
  }

  @Test("a group that is not there, and a socket that nobody could find, end the start with a word that says so")
  func failures() throws {
    let folder = try TemporaryFolder()
    for (arguments, word) in [
      (["--group", "no-such-group", "--socket", "\(folder.path)/s"], "there is no group no-such-group"),
      (["--group", try #require(OtherUser.group).name, "--socket", "\(folder.path)/s"], "cannot reach the socket"),
      (["--group", try #require(OtherUser.group).name], "give --socket PATH"),
      (["--socket", "\(folder.path)/s", "--watch-socket", "\(folder.path)/s"], "both sockets have the path"),
    ] {
      let run = try ProgramRun("fsmd", arguments, in: folder, environment: [("FSMD_SOCKET", nil)])
      try expectEqual(run.ending(), .exited(2))
      expect(run.log.contains(word), "\(run.log)")
    }
    let open = try TemporaryFolder()
    chmod(open.path, 0o777)
    let group = try #require(OtherUser.group).name
    let replaceable = try ProgramRun("fsmd", ["--group", group, "--socket", "\(open.path)/s"], in: folder)
    try expectEqual(replaceable.ending(), .exited(2))
    expect(
      replaceable.log, contains: "another user could replace the socket, since \(open.path) ", "\(replaceable.log)")
    let run = try ProgramRun("fsmd", ["--limit", "userWorlds=3"], in: folder)
    try expectEqual(run.ending(), .exited(1))
    expect(run.log, contains: "whom --group lets in", "\(run.log)")
  }

  @Test(
    "a daemon whose user is not in the group does not start, and says so",
    .enabled(if: Products.isInPath("setpriv")))
  func outsider() throws {
    let group = try #require(OtherUser.group).name
    let folder = try TemporaryFolder()
    let run = try ProgramRun(
      "setpriv",
      ["--reuid=31000", "--regid=31000", "--clear-groups", try Products.path(of: "fsmd"), "--group", group]
        + ["--socket", "\(folder.path)/s"],
      in: folder, isOurs: false)
    try expectEqual(run.ending(), .exited(2))
    expect(run.log, contains: "this process is not in the group \(group): ", "\(run.log)")
  }
}

/// A user who floods, never reads, crashes, connects a thousand times and takes what memory there is.
private final class Hostile {
  private let user: OtherUser
  private let socket: String
  private var clients: [TestClient] = []
  private(set) var served = 0
  private(set) var refused = 0

  init(_ user: OtherUser, _ socket: String) {
    self.user = user
    self.socket = socket
  }

  /// A thousand connections, of which the served ones stay open.
  func begin() throws {
    for _ in 0..<1_000 {
      let client = try user.connect(socket)
      if try client.line().hasPrefix("+ fsmd ") {
        served += 1
        clients.append(client)
      } else {
        refused += 1
        client.close()
      }
    }
    guard clients.count == 16 else { return }
    // Worlds whose time is never caught up with, and one that grows.
    for number in 0..<4 {
      try flood(
        number,
        "world new w\(number) clock=real\nuse w\(number)\nspeed 1000000\n"
          + (0..<50).map { "new fridge f\($0) start=4\n" }.joined())
    }
    try flood(4, "world new w4\nuse w4\n" + (0..<20_000).map { "new shiftKey k\($0)\n" }.joined())
  }

  /// Sends what fits and reads nothing; now and then a connection is gone in the middle of a line.
  func go(on round: Int) throws {
    for number in 5..<min(14, clients.count) {
      switch number {
      case 5: try flood(number, String(repeating: "cast * tap\n", count: 5_000))
      case 6: try flood(number, String(repeating: "list\nworlds\nwho\nhelp\n", count: 5_000))
      case 7: try flood(number, String(repeating: "x", count: 1 << 20))
      case 8: try flood(number, "begin\n" + String(repeating: "send a b\n", count: 50_000))
      case 9: try flood(number, "define x format=scxml bytes=4000000\n" + String(repeating: "<", count: 1 << 20))
      case 10: try flood(number, String(repeating: "world new a\nworld drop a\nworld share main\n", count: 2_000))
      case 11: try flood(number, String(repeating: "advance 36500d\n", count: 100))
      case 12: try flood(number, String(repeating: "graph shiftKey format=svg\n", count: 100))
      case _: try flood(number, "@x shutdown\ncancel 1\n")
      }
    }
    guard clients.count == 16 else { return }
    clients.removeLast().close()
    if let client = try? user.connect(socket) { clients.append(client) }
    try flood(14 + round % 2, "use w0\nadvance 1d\nwatch *\nlis")
  }

  func leave() {
    for client in clients { client.close() }
  }

  private func flood(_ number: Int, _ text: String) throws {
    guard number < clients.count else { return }
    // A connection that the daemon has ended stays so.
    _ = try? clients[number].sendWhatFits(Array(text.utf8), waiting: false)
  }
}
