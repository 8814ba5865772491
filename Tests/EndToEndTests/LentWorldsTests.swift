import Glibc
import TestSupport
import Testing
import UnixHost

/// Requests that arrive while a worker has the world that they are for.
@Suite("A world with a worker", .serialized)
struct LentWorldsTests {
  private let daemon: DaemonProcess
  /// Machines of a world that workers copy and put back.
  private static let manyMachines = 5_000
  private static let goodbye = "! bye reason=shutdown"

  init() throws {
    // Two workers, also on a host with one processor. The journal forgets nothing while a test runs.
    daemon = try DaemonProcess("--ephemeral", "--workers", "2", "--limit", "journal=8000000")
  }

  /// Requests that take far longer than a test, named by the verb that `activities` shows. Their tag is `@long`.
  enum LongRequest: String, CaseIterable {
    case advance, cast
    /// A batch of casts.
    case end

    /// Requests that make the machines for it.
    var machines: [String] {
      switch self {
      case .advance: []
      case .cast: (0..<1_000).map { "new regex r\($0) pattern=(.|b)*a...................." }
      case .end: (0..<400).map { "new power m\($0)" }
      }
    }

    /// What the line that ends it says of how far it has come.
    var progress: [String] {
      switch self {
      case .advance: ["t", "seq", "fired"]
      case .cast, .end: ["done", "t", "seq"]
      }
    }

    var text: String {
      switch self {
      case .advance: "@long advance 36500d\n"
      case .cast: "@long cast r* text " + String(repeating: "ab", count: 500) + "\n"
      case .end: "begin\n" + String(repeating: "cast m* buttonClick\n", count: 5_000) + "@long end\n"
      }
    }
  }

  /// Makes the world `w` with enough fridges to make an advance of a century long, and with a power `p`.
  ///
  /// - Returns: Two clients that use the world.
  private func makeWorld(clock: String = "virtual") throws -> (TestClient, TestClient) {
    let (first, second) = (try daemon.connect(), try daemon.connect())
    try expectEqual(first.ask("world new w clock=\(clock)"), "+ created w")
    for client in [first, second] { try expect(client.ask("use w"), hasPrefix: "+ world=w ") }
    let fridges = (0..<20).map { "new fridge f\($0) start=\($0 % 5)" }
    try carryOut(fridges + ["new power p"], on: first)
    return (first, second)
  }

  /// Makes the worlds `l` and `r`, which differ in the state of each machine.
  private func makeLargeWorlds() throws {
    let client = try daemon.connect()
    try expectEqual(client.ask("world new l"), "+ created l")
    try expect(client.ask("use l"), hasPrefix: "+ world=l ")
    try carryOut((0..<Self.manyMachines).map { "new power p\($0)" }, on: client)
    try expectEqual(client.ask("world fork r"), "+ created r")
    try expect(client.ask("cast p* buttonClick"), hasPrefix: "+ \(Self.manyMachines) moved=\(Self.manyMachines) ")
  }

  /// Sends requests and waits for them to be done. Failures are reported.
  private func carryOut(_ requests: [String], on client: TestClient) throws {
    try client.send("quiet on\n" + requests.joined(separator: "\n") + "\nquiet off\nsync\n")
    for _ in 0..<3 { try expectEqual(client.final(), "+") }
  }

  /// Waits until something has happened in the world that a client uses, as somebody else's request goes on there.
  private func waitForProgress(seenBy client: TestClient) throws {
    let before = try client.ask("world")
    try Patience.wait(until: "something to happen") { try client.ask("world") != before }
  }

  /// Cancels the request of a client that has the tag `@long`.
  private func cancel(_ client: TestClient) throws {
    try client.send("cancel\n")
    let line = try client.final()
    expect(line, hasPrefix: "- @long CANCELLED ", "\(line)")
    try expectEqual(client.final(), "+")
  }

  private func expectEnd(of request: LongRequest, _ code: String, _ line: String) {
    expect(line, hasPrefix: "- @long \(code) ", "\(line)")
    let keys = line.prefix { $0 != ":" }.split(separator: " ").filter { $0.contains("=") }
    expectEqual(keys.map { String($0.prefix { $0 != "=" }) }, request.progress, "\(line)")
  }

  /// The number of an activity, as soon as `activities` has a line for its verb.
  private func activity(_ request: LongRequest, seenBy client: TestClient) throws -> String {
    try Patience.wait(for: "\(request) to be under way") {
      let line = try client.askAll("activities").first { $0.contains(" verb=\(request.rawValue) ") }
      return line.map { String($0.split(separator: " ")[1]) }
    }
  }

  /// All lines before the reply to a `sync`.
  private func linesUpToNow(_ client: TestClient) throws -> [String] {
    try client.send("@here sync\n")
    return try client.lines { $0 == "+ @here" }.dropLast()
  }

  /// The value of `seq=` in a reply.
  private func sequence(in reply: String) -> String {
    reply.split(separator: " ").first { $0.hasPrefix("seq=") }.map { String($0.dropFirst(4)) } ?? ""
  }

  /// The numbers of the inputs that notices are about.
  private func noticedSequences(in lines: [String]) -> [String] {
    lines.filter { $0.hasPrefix("* ") }.map { String($0.split(separator: " ")[1]) }
  }

  // MARK: Requests for a world that is lent

  @Test(
    "a client goes back in time while another client's request moves time on",
    arguments: ["advance 36500d", "step 1000000000", "await p on within=36500d"])
  func goingBack(_ request: String) throws {
    let (driver, other) = try makeWorld()
    try expect(driver.ask("advance 1h"), hasPrefix: "+ advanced fired=")
    try expect(other.ask("new power q"), hasPrefix: "+ created q ")
    try carryOut(Array(repeating: "send q buttonClick", count: 100), on: other)
    try driver.send("@long \(request)\n")
    for _ in 0..<Thorough.rounds(5, atLeast: 2) {
      try waitForProgress(seenBy: other)
      // The search goes through all that has happened, which soon takes longer than a worker's slice.
      let answer = try other.ask("undo 5000")
      expect(answer, hasPrefix: "- BAD-ARGUMENT argument=count got=5000 ", "\(answer)")
      for way in ["undo", "goto 1h"] {
        try waitForProgress(seenBy: other)
        let answer = try other.ask(way)
        expect(answer, hasPrefix: "+ t=3600.000 seq=", "\(way): \(answer)")
      }
    }
    try cancel(driver)
    try expectEqual(other.ask("sync"), "+")
    expect(daemon.run.isRunning)
  }

  @Test("a request whose verb is in quotes waits for the world like any other")
  func quotedVerbs() throws {
    let (driver, other) = try makeWorld()
    try driver.send("@long advance 36500d\n")
    for _ in 0..<Thorough.rounds(20, atLeast: 6) {
      try waitForProgress(seenBy: other)
      try other.send("\"list\" limit=1\n\"send\" p buttonClick\n@1 \"sync\"\n")
      try expectEqual(other.final(), "+ 1")
      try expect(other.final(), hasPrefix: "+ moved ")
      try expectEqual(other.final(), "+ @1")
    }
    try cancel(driver)
    try expect(other.ask("\"expect\" p off"), hasPrefix: "+ off ")
    expect(daemon.run.isRunning)
  }

  @Test(
    "activities and cancel N are answered while a worker has the world",
    arguments: LentWorldsTests.LongRequest.allCases)
  func cancelByNumber(_ request: LongRequest) throws {
    let (worker, other) = try makeWorld()
    try carryOut(request.machines, on: worker)
    for _ in 0..<2 {
      try worker.send(request.text)
      let number = try activity(request, seenBy: other)
      try expect(other.ask("help send"), hasPrefix: "+ ")
      try expectEqual(other.ask("cancel \(number)"), "+")
      let last = try worker.lines { $0.contains(" @long ") }.last ?? ""
      expectEnd(of: request, "CANCELLED", last)
      try expectEqual(other.ask("sync"), "+")
    }
  }

  @Test(
    "a signal ends the daemon soon, whatever is under way, and who asked for that is told how far it has come",
    arguments: LentWorldsTests.LongRequest.allCases)
  func soon(_ request: LongRequest) throws {
    let (worker, other) = try makeWorld()
    try carryOut(request.machines, on: worker)
    try worker.send(request.text)
    _ = try activity(request, seenBy: other)
    let (before, start) = (daemon.facts.processorTicks, ContinuousClock.now)
    daemon.signal(SIGTERM)
    let ends = try worker.readToEnd().suffix(2)
    expectEnd(of: request, "SHUTTING-DOWN", ends.first ?? "")
    expectEqual(ends.last, Self.goodbye)
    // Two seconds are promised, to which the benchmarks hold it. A busy machine may take longer, but not to do more.
    let taken = daemon.facts.processorTicks - before
    try expectEqual(daemon.run.ending(), .exited(0))
    expect((0..<400).contains(taken), "\(taken) hundredths of a second")
    expect(start.duration(to: .now) < .seconds(60))
  }

  @Test(
    "a client that cancels its await, or leaves, ends nothing that another client does in the same world",
    arguments: ["virtual", "real"], [false, true])
  func endOfAnAwait(_ clock: String, _ leaves: Bool) throws {
    let (worker, _) = try makeWorld(clock: clock)
    let witness = try daemon.connect()
    try carryOut((0..<50).map { "new power m\($0)" }, on: worker)
    var waiting = try daemon.connect()
    try expect(waiting.ask("use w"), hasPrefix: "+ world=w ")
    let count = 800
    for round in 0..<Thorough.rounds(5, atLeast: 2) {
      try waiting.send("@w await p on within=36500d\n")
      try expectEqual(witness.ask("sync"), "+")
      try worker.send("begin\n" + String(repeating: "cast m* buttonClick\n", count: count) + "@batch end\n")
      // On a virtual clock the await has the world for a while before the batch does.
      for _ in 0..<(100 << round) { try witness.ask("sync") }
      if leaves {
        waiting.close()
        waiting = try daemon.connect()
        try expect(waiting.ask("use w"), hasPrefix: "+ world=w ")
      } else {
        try waiting.send("cancel\n")
      }
      let answers = try (0...count).map { _ in try worker.final() }
      let failure = answers.first { !$0.hasPrefix("+") }
      expectNil(failure)
      try expectEqual(worker.final(), "+ @batch batch=\(count)")
      guard !leaves else { continue }
      try expect(waiting.final(), hasPrefix: "- @w CANCELLED ")
      try expectEqual(waiting.final(), "+")
    }
  }

  // MARK: Notices

  @Test(
    "a client whose world is dropped while it compares two others gets each notice of main once", arguments: [0, 300])
  func droppedWhileComparing(_ inputsBefore: Int) throws {
    try makeLargeWorlds()
    let (sender, watcher, witness) = (try daemon.connect(), try daemon.connect(), try daemon.connect())
    try expect(sender.ask("new power q"), hasPrefix: "+ created q ")
    try carryOut(Array(repeating: "send q buttonClick", count: 100), on: sender)
    try expectEqual(watcher.ask("watch *"), "+ watching 1")
    for _ in 0..<3 {
      for request in ["world new w", "use w", "new power q", "watch *"] {
        try expect(watcher.ask(request), hasPrefix: "+ ")
      }
      try carryOut(Array(repeating: "send q buttonClick", count: inputsBefore), on: watcher)
      try watcher.send("@d diff l r\n")
      try expectEqual(witness.ask("sync"), "+")
      try expectEqual(witness.ask("world drop w"), "+ dropped w")
      try sender.send(String(repeating: "send q buttonClick\n", count: 400))
      let sequences = try (0..<400).map { _ in sequence(in: try sender.final()) }
      let lines = try linesUpToNow(watcher)
      expectEqual(noticedSequences(in: lines), sequences)
      expectEqual(lines.count { $0 == "! world dropped=w" }, 1)
      // The comparison goes on, or ends with the world in which it was asked for.
      let ends = lines.filter { $0.hasPrefix("+ ") || $0.hasPrefix("- ") }
      expectEqual(ends.count, 1, "\(ends)")
      expect(ends.first == "+ @d \(Self.manyMachines)" || ends.first?.hasPrefix("- @d UNKNOWN-WORLD world=w ") == true)
    }
    expect(daemon.run.isRunning)
  }

  @Test("a client that compares two worlds gets each notice of a third world once")
  func watchingWhileComparing() throws {
    try makeLargeWorlds()
    let (sender, watcher) = (try daemon.connect(), try daemon.connect())
    try expect(sender.ask("new power q"), hasPrefix: "+ created q ")
    try expectEqual(watcher.ask("watch q"), "+ watching 1")
    for _ in 0..<3 {
      try watcher.send("@d diff l r\n")
      let sequences = try (0..<100).map { _ in sequence(in: try sender.ask("send q buttonClick")) }
      let lines = try linesUpToNow(watcher)
      expectEqual(noticedSequences(in: lines), sequences)
      expect(lines, contains: "+ @d \(Self.manyMachines)")
    }
  }

  @Test("a client that comes back to a world while a worker has it gets its notices again")
  func comingBack() throws {
    let (driver, other) = try makeWorld()
    let watcher = try daemon.connect()
    try expectEqual(driver.ask("world new v"), "+ created v")
    try expect(watcher.ask("use w"), hasPrefix: "+ world=w ")
    try expectEqual(watcher.ask("watch p"), "+ watching 1")
    for _ in 0..<5 {
      try expect(watcher.ask("use v"), hasPrefix: "+ world=v ")
      try driver.send("@long advance 36500d\n")
      try waitForProgress(seenBy: other)
      for world in ["w", "v", "w", "v", "w"] {
        try expect(watcher.ask("use \(world)"), hasPrefix: "+ world=\(world) ")
      }
      try cancel(driver)
      let moved = try driver.ask("send p buttonClick")
      expect(moved, hasPrefix: "+ moved ", "\(moved)")
      let lines = try linesUpToNow(watcher)
      expectEqual(noticedSequences(in: lines), [sequence(in: moved)], "\(lines)")
    }
  }

  // MARK: What cancel leaves

  @Test("the name of a fork that was cancelled is free")
  func cancelledFork() throws {
    try makeLargeWorlds()
    let (client, other) = (try daemon.connect(), try daemon.connect())
    try expect(client.ask("use l"), hasPrefix: "+ world=l ")
    for round in 0..<Thorough.rounds(16, atLeast: 4) {
      let name = "x\(round)"
      let fork = "@f world fork \(name)\n"
      if round.isMultiple(of: 2) {
        try client.send(fork + "@c cancel\n")
      } else {
        try client.send(fork)
        for _ in 0..<(round / 2) { try other.ask("sync") }
        try client.send("@c cancel\n")
      }
      let answers = [try client.final(), try client.final()]
      expect(answers, contains: "+ @c", "\(answers)")
      let isThere = try client.askAll("worlds").contains { $0.hasPrefix(". \(name) ") }
      if answers.contains("+ @f created \(name)") {
        expect(isThere)
      } else {
        expect(answers.contains { $0.hasPrefix("- @f CANCELLED") }, "\(answers)")
        expect(!isThere)
        try expectEqual(client.ask("world new \(name)"), "+ created \(name)")
      }
      try expectEqual(client.ask("world drop \(name)"), "+ dropped \(name)")
    }
  }

  @Test("an undo that is answered with CANCELLED has undone nothing")
  func cancelledUndo() throws {
    let (client, other) = (try daemon.connect(), try daemon.connect())
    try expectEqual(client.ask("world new w"), "+ created w")
    try expect(client.ask("use w"), hasPrefix: "+ world=w ")
    try carryOut((0..<20_000).map { "new power p\($0)" }, on: client)
    try carryOut(Array(repeating: "send p0 buttonClick", count: 300), on: client)
    // How many round trips of another client an undo takes.
    var trips = Int.max
    for _ in 0..<3 {
      try expect(client.ask("send p0 buttonClick"), hasPrefix: "+ moved ")
      try client.send("undo\n")
      var count = 0
      while try client.hasNothing() {
        try expectEqual(other.ask("sync"), "+")
        count += 1
      }
      try expect(client.final(), hasPrefix: "+ t=0.000 seq=")
      trips = min(trips, count)
    }
    // The cancels arrive from the beginning of an undo until well after its end, since its duration varies.
    let rounds = Thorough.rounds(40, atLeast: 8)
    for round in 0..<rounds {
      let moved = try client.ask("send p0 buttonClick").split(separator: " ").map(String.init)
      guard moved.count > 3, moved[1] == "moved" else { throw HarnessFailure(what: "\(moved)") }
      let before = try client.ask("world")
      try client.send("@u undo\n")
      for _ in 0..<(2 * trips * round / rounds) { try other.ask("sync") }
      try client.send("@c cancel\n")
      let answers = [try client.final(), try client.final()]
      expect(answers, contains: "+ @c", "\(answers)")
      let isCancelled = answers.contains { $0.hasPrefix("- @u CANCELLED ") }
      let isUndone = answers.contains { $0.hasPrefix("+ @u t=0.000 seq=") }
      expect(isUndone != isCancelled, "\(answers)")
      // An undo is an input of its own.
      let after = try client.ask("world")
      expectEqual((after == before), isCancelled, "round \(round): \(answers), \(before), \(after)")
      let state = isCancelled ? moved[3] : moved[2]
      try expect(client.ask("expect p0 \(state)"), hasPrefix: "+ \(state) ", "round \(round): \(answers)")
    }
  }

  // MARK: Ends

  @Test("clients that leave with much to be answered do not keep others out, and all they sent is carried out")
  func muchLeftBehind() throws {
    // The answers to what is left are several times what may wait for a client.
    let small = try DaemonProcess("--ephemeral", "--limit", "clients=2", "--limit", "replyQueue=65536")
    // Clients that have left may still have their places.
    func connect() throws -> TestClient {
      try Patience.wait(for: "a place") {
        let client = try small.connectUngreeted()
        return try client.line().hasPrefix("+ fsmd ") ? client : nil
      }
    }
    let witness = try connect()
    try expect(witness.ask("clock virtual"), hasPrefix: "+ clock virtual ")
    try carryOut((0..<5).map { "new fridge f\($0)" }, on: witness)
    try carryOut(["new power p0", "new power p1"], on: witness)
    let nonsense = String(repeating: "x" + String(repeating: " ", count: 40) + "\n", count: 6_000)
    for number in 0..<2 {
      let client = try connect()
      try client.send("advance 100d\n" + nonsense + "send p\(number) buttonClick\n")
      client.close()
    }
    let newcomer = try connect()
    try expectEqual(newcomer.ask("sync"), "+")
    try Patience.wait(until: "what was sent last to be carried out") {
      try (0..<2).allSatisfy { try witness.ask("expect p\($0) on").hasPrefix("+ on ") }
    }
  }

  @Test(
    "a signal ends the daemon: a request that waits for a world fails, then comes goodbye, and nothing behind it",
    arguments: ["world fork x", "world drop w"])
  func endOfTheDaemon(_ request: String) throws {
    let (worker, waiting) = try makeWorld()
    let (watcher, queued, witness) = (try daemon.connect(), try daemon.connect(), try daemon.connect())
    try carryOut(LongRequest.end.machines, on: worker)
    for client in [watcher, queued] { try expect(client.ask("use w"), hasPrefix: "+ world=w ") }
    try expectEqual(watcher.ask("watch *"), "+ watching 1")
    try worker.send(LongRequest.end.text)
    _ = try activity(.end, seenBy: witness)
    try waiting.send("@wait \(request)\n")
    try queued.send("@queue count\n")
    try expectEqual(witness.ask("sync"), "+")
    daemon.signal(SIGTERM)

    let answers = try waiting.readToEnd()
    expectEqual(answers.count, 2, "\(answers)")
    expect(answers.first, hasPrefix: "- @wait SHUTTING-DOWN ", "\(answers)")
    expectEqual(answers.last, Self.goodbye)
    // A line that was not taken need not be answered.
    let left = try queued.readToEnd()
    expect(left.count <= 2, "\(left)")
    expect(left.dropLast().allSatisfy { $0.hasPrefix("- @queue SHUTTING-DOWN ") }, "\(left)")
    expectEqual(left.last, Self.goodbye)
    let ends = try worker.readToEnd().suffix(2)
    expect(ends.first, hasPrefix: "- @long SHUTTING-DOWN ", "\(ends)")
    expectEqual(ends.last, Self.goodbye)
    let told = try watcher.readToEnd()
    expectEqual(told.last, Self.goodbye)
    expectEqual(told.count { $0.hasPrefix("! bye") }, 1)
    try expectEqual(witness.readToEnd(), [Self.goodbye])
    try expectEqual(daemon.run.ending(), .exited(0))
  }
}
