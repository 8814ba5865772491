@testable import MachineForms
import TestSupport
import Testing

@testable import JournalStore
@testable import SimulationDaemon

/// A store that fails to write: the writers get failures, no client is told of anything not stored, and the rest goes
/// on.
@Suite("A store that fails")
struct OutageTests {
  /// Ways in which a store can fail from some moment on, and how each ends.
  enum Trouble: CaseIterable {
    case full, readOnly, locked, dead, fullDatabase, readOnlyDatabase

    static var here: [Trouble] { allCases.filter { Engine.here.contains($0.engine) } }

    var engine: Engine {
      switch self {
      case .full, .readOnly, .locked, .dead: .sqlite
      case .fullDatabase, .readOnlyDatabase: .postgres
      }
    }

    /// The text that clients get.
    var words: String {
      switch self {
      case .full, .fullDatabase: "no room on the disk for "
      case .readOnly, .readOnlyDatabase: "is read-only"
      case .locked: "is locked by another program"
      case .dead: "disk I/O error"
      }
    }
  }

  /// Begins the trouble.
  ///
  /// - Returns: A closure that ends it.
  private func begin(_ trouble: Trouble, _ daemon: KeptDaemon) throws -> () throws -> Void {
    switch trouble {
    case .full:
      let database = daemon.store.database
      let pages = try database.number("PRAGMA page_count") ?? 0
      try database.run("PRAGMA max_page_count = \(pages)")
      // Uses up the last page.
      let guest = daemon.connect()
      while guest.ask("send p buttonClick")[0].hasPrefix("+") {}
      return { try database.run("PRAGMA max_page_count = 1000000") }
    case .readOnly:
      let database = daemon.store.database
      try database.run("PRAGMA query_only = 1")
      return { try database.run("PRAGMA query_only = 0") }
    case .locked:
      let other = try Database(path: daemon.folder.files.database, .writing, faults: nil)
      try other.run("BEGIN EXCLUSIVE")
      return { other.close() }
    case .dead:
      daemon.faults.strike(call: 1, .fromThenOn)
      return { daemon.faults.strike(call: 0, .insteadOfCall) }
    case .fullDatabase: return try refuseInsertions(with: "53100", daemon)
    case .readOnlyDatabase: return try refuseInsertions(with: "25006", daemon)
    }
  }

  /// Lets a database refuse what it may refuse.
  private func refuseInsertions(with code: String, _ daemon: KeptDaemon) throws -> () throws -> Void {
    let (server, address) = (try PostgresServer.shared.get(), try #require(daemon.address))
    try server.sql(
      """
      CREATE FUNCTION fsmd.refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '\(code)'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON fsmd.log EXECUTE FUNCTION fsmd.refuse()
      """, in: address)
    return { try server.sql("DROP TRIGGER refuse ON fsmd.log", in: address) }
  }

  @Test(
    "each request gets one answer with its tag, what was acknowledged stays, and all goes on afterwards",
    arguments: Trouble.here)
  func answers(trouble: Trouble) throws {
    var setup = KeptDaemon.Setup()
    setup.engine = trouble.engine
    let daemon = try KeptDaemon(setup)
    let (one, other, watcher) = (daemon.connect(), daemon.connect(), daemon.connect())
    let free = daemon.host.connect(toWorld: "brief")
    _ = one.ask("new power p", "new shiftKey key", "send p buttonClick")
    _ = watcher.ask("watch * what=all")
    let end = try begin(trouble, daemon)
    _ = watcher.lines()
    let acknowledged = trouble == .full ? one.journal() : []
    let head = one.client.hosted.head
    daemon.host.together(
      (one, "@a send p buttonClick\n@b list\n@c nosuchverb\n@d send p nosuch\n@e clock"),
      (other, "@f new power q\nnew power r\n@g sync"), (free, "@h new power mine\n@i send mine buttonClick"))
    let (first, second) = (one.lines(), other.lines())
    expectEqual(first.map { $0.split(separator: " ")[1] }, ["@a", "@b", "@c", "@d", "@e"])
    // An unknown verb has its own failure in each case.
    for (line, tag) in zip(first, "abcde") {
      expect(line, hasPrefix: tag == "c" ? "- @c UNKNOWN-VERB" : "- @\(tag) STORAGE world=main : ", "\(line)")
    }
    expect(first[0].contains(trouble.words), "\(first[0])")
    expectEqual(second.map { String($0.prefix(4)) }, ["- @f", "- ST", "+ @g"])
    expectEqual(free.lines(), ["+ @h created mine off t=0.000 seq=1", "+ @i moved off on t=0.000 seq=2"])
    expectEqual(watcher.lines(), [])
    // During the trouble nothing can be changed; stored data can be read if the store can be.
    let later = one.ask("send key tap", "journal", "list", "watch * since=1")
    expect(later[0], hasPrefix: "- STORAGE world=main : ")
    for answer in later[1...] {
      expect(answer, hasPrefix: trouble == .dead ? "- STORAGE world=main : " : "+", "\(answer)")
    }
    expect(one.ask("help send", "worlds").allSatisfy { $0.hasPrefix("+") })
    expectEqual(free.ask("send mine buttonClick"), ["+ moved on off t=0.000 seq=3"])
    // That needs no new page.
    if trouble != .full {
      expect(daemon.connect().ask("world new w2 durable=yes")[0], hasPrefix: "- STORAGE world=w2 : ")
    }
    try end()
    daemon.pass(1)
    expect(one.ask("@z send key tap")[0], hasPrefix: "+ @z moved off on t=")
    expectEqual(one.client.hosted.head, head + 1)
    expect(watcher.lines().first, hasPrefix: "* \(head + 1) ")
    let journal = one.journal()
    expectEqual(Array(journal.prefix(acknowledged.count)), acknowledged)
    expectEqual(other.ask("world new w2 durable=yes"), ["+ created w2"])
    let again = try trouble.engine == .sqlite ? daemon.afterKill() : daemon.restarted()
    expectEqual(again.connect().journal(), journal)
    expect(again.connect("w2").ask("world")[0], hasPrefix: "+ world=w2")
  }

  @Test("a text that was shown is told to those who watch later, also after the world was read anew")
  func said() throws {
    let daemon = try KeptDaemon()
    let guest = daemon.connect()
    _ = guest.ask("new power p", #"point say="Why is that?""#)
    let end = try begin(.dead, daemon)
    expect(guest.ask("send p buttonClick")[0], hasPrefix: "- STORAGE ")
    try end()
    daemon.pass(1)
    expect(guest.ask("send p buttonClick")[0], hasPrefix: "+ moved ")
    expect(daemon.connect().say("watch *").last, hasSuffix: #" pointed say="Why is that?""#)
  }

  @Test("a world of which nobody asks comes back by itself, and its timers go on")
  func byItself() throws {
    let daemon = try KeptDaemon()
    let watcher = daemon.connect()
    _ = watcher.ask("new ticker t initial=running", "watch *")
    daemon.faults.strike(call: 1, .fromThenOn)
    daemon.pass(2)
    expectEqual(watcher.lines(), [])
    daemon.faults.strike(call: 0, .insteadOfCall)
    daemon.pass(3)
    let told = watcher.lines().filter { $0.hasPrefix("*") }.map { String($0.dropFirst(2)) }
    expect(!told.isEmpty)
    expectEqual(told, watcher.journal("since=2 what=moves"))
  }

  @Test("a commit that happened although it failed is told to those who watch, and its writer knows that it is unknown")
  func unknown() throws {
    for call in 1..<40 {
      let daemon = try KeptDaemon()
      let (writer, watcher) = (daemon.connect(), daemon.connect())
      _ = writer.ask("new power p")
      _ = watcher.ask("watch *")
      daemon.faults.strike(call: call, .afterCall)
      let answer = writer.ask("send p buttonClick")
      let told = watcher.lines()
      let journal = writer.journal("since=2 what=moves")
      expectEqual(told.filter { $0.hasPrefix("*") }.map { String($0.dropFirst(2)) }, journal, "call \(call)")
      if answer[0].hasPrefix("+") { expectEqual(journal.count, 1) } else { expect(answer[0], contains: " STORAGE ") }
      try expectEqual(daemon.afterKill().connect().journal("since=2 what=moves"), journal)
      daemon.faults.strike(call: 0)
      daemon.pass(1)
      expect(writer.ask("new power q")[0], hasPrefix: "+ created q")
    }
  }

  @Test("a store that cannot be written is tried for next to nothing, and the world is not built up again each time")
  func tries() throws {
    let daemon = try KeptDaemon()
    let guest = daemon.connect()
    _ = guest.say("new power p\n" + Array(repeating: "send p buttonClick", count: 300).joined(separator: "\n"))
    try daemon.store.database.run("PRAGMA query_only = 1")
    expect(guest.ask("send p buttonClick")[0], hasPrefix: "- STORAGE world=main : ")
    for _ in 0..<5 {
      let before = daemon.faults.calls
      daemon.pass(1.5)
      expect((1...30).contains(daemon.faults.calls - before), "\(daemon.faults.calls - before)")
    }
    expect(daemon.log.count <= 3, "\(daemon.log)")
    try daemon.store.database.run("PRAGMA query_only = 0")
    daemon.pass(1.5)
    expect(guest.ask("send p buttonClick")[0], hasPrefix: "+ moved off on")
  }

  // MARK: What a client is in the middle of

  @Test("requests whose + is withheld are answered when they fail, in their places")
  func quiet() throws {
    let daemon = try KeptDaemon()
    let guest = daemon.connect()
    _ = guest.ask("new power p", "quiet on")
    daemon.failOnce {
      let lines = guest.say(
        "@1 send p buttonClick\n@2 list\nsend p buttonClick\n@4 send p nosuch\n@5 new power q\n@6 sync\n@7 drop p")
      expectEqual(
        lines.map { $0.split(separator: " ")[1] }, ["@1", "@2", "STORAGE", "@4", "@5", "@6", "@7"], "\(lines)")
      expectEqual(lines.map { $0.contains("STORAGE world=main") }, [true, true, true, true, true, false, true])
    }
    expectEqual(guest.say("send p buttonClick\nquiet off\nlist"), ["+", ". p power on", "+ 1"])
  }

  @Test("a batch fails line by line, and an await, an advance and a long reply once")
  func activities() throws {
    let daemon = try KeptDaemon()
    let (one, two, three) = (daemon.connect(), daemon.connect(), daemon.connect())
    _ = one.ask("new power p", "new ticker t initial=running")
    _ = two.say("@w await p on within=1h")
    daemon.failOnce {
      let lines = one.say("@0 begin\n@1 send p buttonClick\n@2 send p nosuch\n@3 end")
      expectEqual(lines.map { $0.split(separator: " ")[1] }, ["@0", "@1", "@2", "@3"])
      // `begin` succeeds nevertheless.
      expectEqual(lines.map { $0.contains(" STORAGE ") }, [false, true, true, true])
    }
    // The awaited state had been reached, but its input was not stored.
    expectEqual(two.lines().map { String($0.prefix(26)) }, ["- @w STORAGE world=main : "])
    _ = three.ask("clock virtual")
    daemon.failOnce { expectEqual(three.say("@a advance 100s").map { String($0.prefix(11)) }, ["- @a STORAG"]) }
    expect(three.ask("@b advance 10s")[0], hasPrefix: "+ @b advanced fired=10")
  }

  @Test("a cancel in a round that cannot be stored tells nothing of that round")
  func cancelInAFailedRound() throws {
    let daemon = try KeptDaemon()
    let (sender, waiter) = (daemon.connect(), daemon.connect())
    _ = sender.ask("new power p", "new power q")
    _ = waiter.say("watch * what=all\n@w await q on within=1h")
    let stored = sender.client.hosted.head
    daemon.failOnce {
      daemon.host.together((sender, "@s send p buttonClick"), (waiter, "@c cancel"))
    }
    expectEqual(sender.lines().map { String($0.prefix(12)) }, ["- @s STORAGE"])
    let told = waiter.lines()
    expect(told, contains: "+ @c", "\(told)")
    // Neither the notice of the send nor its sequence number.
    expect(!told.contains { $0.hasPrefix("*") || $0.contains("seq=\(stored + 1)") }, "\(told)")
    expectEqual(told.filter { $0.contains(" @w ") }.count, 1, "\(told)")
    expect(sender.ask("@n send p buttonClick")[0], hasSuffix: " seq=\(stored + 1)")
  }

  @Test("mode json holds whatever the store says: the failure before it is a line, what comes behind it are objects")
  func form() throws {
    let daemon = try KeptDaemon()
    let guest = daemon.connect()
    daemon.failOnce {
      let lines = guest.say("new power p\nmode json\nnew power q")
      expectEqual(lines.map { String($0.prefix(9)) }, ["- STORAGE", #"{"class":"#, #"{"class":"#])
      expect(lines[1].contains("success") && lines[2].contains("STORAGE"))
    }
    expect(guest.say("list").allSatisfy { $0.hasPrefix("{") })
    daemon.failOnce {
      let lines = guest.say("new power p\nmode text\nnew power q")
      expectEqual(lines.map { String($0.prefix(1)) }, ["{", "+", "-"])
    }
    expectEqual(guest.say("list"), ["+ 0"])
  }

  @Test("only what was said of the world that failed is taken back")
  func otherWorlds() throws {
    let daemon = try KeptDaemon()
    let guest = daemon.connect()
    _ = guest.ask("world new brief", "world new kept durable=yes")
    daemon.failOnce {
      let lines = guest.say(
        "@1 new power a\n@2 use brief\n@3 new power b\n@4 use main\n@5 new power c\n@6 world fork f")
      expectEqual(
        lines.map { String($0.prefix(6)) }, ["- @1 S", "+ @2 w", "+ @3 c", "+ @4 w", "+ @5 c", "+ @6 c"], "\(lines)")
    }
    expectEqual(guest.say("list"), [". c power off", "+ 1"])
    expectEqual(daemon.connect("f").say("list"), [". c power off", "+ 1"])
    // The end of a connection is reported in each case.
    daemon.failOnce {
      expectEqual(guest.say("new power d\nquit").map { String($0.prefix(9)) }, ["- STORAGE", "+", "! bye rea"])
    }
  }

  @Test("a world that is out is not forked, compared or undone")
  func out() throws {
    let daemon = try KeptDaemon()
    let guest = daemon.connect()
    _ = guest.ask("new power p", "world fork f")
    daemon.faults.strike(call: 1, .fromThenOn)
    _ = guest.ask("send p buttonClick")
    for request in ["world fork g", "diff main f", "undo", "goto 0", "watch * since=1", "send p buttonClick"] {
      expect(guest.ask(request)[0], hasPrefix: "- STORAGE world=main : ", "\(request)")
    }
    expect(guest.ask("use f", "send p buttonClick")[1], hasPrefix: "+ moved off on")
  }

  // MARK: Making and dropping worlds

  @Test("a durable world that could not be made can be made afterwards, and one that could not be dropped dropped")
  func again() throws {
    for timing in [FaultPlan.Timing.insteadOfCall, .afterCall] {
      for call in 1..<60 {
        let daemon = try KeptDaemon()
        let guest = daemon.connect()
        daemon.faults.strike(call: call, timing)
        var answer = guest.ask("world new w durable=yes seed=3")[0]
        if answer.contains(" STORAGE ") { answer = guest.ask("world new w durable=yes seed=3")[0] }
        expectEqual(answer, "+ created w", "call \(call) \(timing)")
        daemon.faults.strike(call: 0)
        _ = guest.ask("use w", "new power p")
        try expectEqual(daemon.afterKill().connect("w").say("list"), [". p power off", "+ 1"])
        daemon.faults.strike(call: call, timing)
        answer = guest.ask("world drop w")[0]
        if answer.contains(" STORAGE ") { answer = guest.ask("world drop w")[0] }
        expectEqual(answer, "+ dropped w", "call \(call) \(timing)")
        daemon.faults.strike(call: 0)
        try expect(daemon.afterKill().connect().ask("use w")[0], hasPrefix: "- UNKNOWN-WORLD")
        expectEqual(guest.ask("world new w durable=yes")[0], "+ created w")
      }
    }
  }

  // MARK: Two daemons

  @Test("a second daemon is told who has the store")
  func locked() throws {
    var setup = KeptDaemon.Setup()
    setup.isLocked = true
    let first = try KeptDaemon(setup)
    let found = #expect(throws: StoreFailure.self) { try KeptDaemon(setup, in: first.folder) }
    expectEqual(found, .locked(path: first.folder.files.database, by: StoreWriter(process: 1, socket: "/run/1.sock")))
    expect(first.connect().ask("new power p")[0], hasPrefix: "+")
  }

  @Test("where locks do not hold, the later daemon has the worlds, and the earlier one says so and leaves them alone")
  func fenced() throws {
    let first = try KeptDaemon()
    let (one, free) = (first.connect(), first.host.connect(toWorld: "brief"))
    _ = one.ask("new power p")
    var setup = KeptDaemon.Setup()
    setup.process = 2
    let second = try KeptDaemon(setup, in: first.folder)
    expectEqual(second.connect().ask("send p buttonClick"), ["+ moved off on t=0.000 seq=2"])
    for _ in 0..<3 {
      let answer = one.ask("@t send p buttonClick")[0]
      expect(answer, hasPrefix: "- @t STORAGE world=main : ")
      expect(answer.contains("/run/2.sock") && answer.contains("process 2"), "\(answer)")
      first.pass(2)
    }
    expect(free.ask("new power p")[0], hasPrefix: "+ created p")
    expectEqual(second.connect().ask("send p buttonClick"), ["+ moved on off t=0.000 seq=3"])
    expectEqual(second.log, [])
    // An orderly shutdown leaves alone what it does not own.
    first.service.release()
    expect(second.connect().ask("send p buttonClick")[0], hasPrefix: "+ moved off on")
    try expect(second.restarted().connect().ask("world")[0], hasSuffix: " seq=4")
  }

  // MARK: Beside the rounds

  @Test("a checkpoint that cannot be stored is tried again later, and nobody is disturbed")
  func checkpoint() throws {
    let daemon = try KeptDaemon(KeptDaemon.Setup("checkpointInputs=10"))
    let (guest, waiting) = (daemon.connect(), daemon.connect())
    _ = guest.ask("clock virtual")
    _ = waiting.say("@w await p on within=1h")
    _ = guest.say("new power p0\n" + Array(repeating: "send p0 buttonClick", count: 8).joined(separator: "\n"))
    try daemon.store.database.run(
      "CREATE TEMP TRIGGER t BEFORE INSERT ON checkpoints BEGIN SELECT raise(ABORT, 'no'); END")
    for _ in 0..<5 { expect(guest.ask("send p0 buttonClick")[0], hasPrefix: "+") }
    expectEqual(daemon.log.count, 1)
    try expectEqual(daemon.store.checkpoints(of: "main"), [])
    try daemon.store.database.run("DROP TRIGGER t")
    daemon.pass(61)
    _ = guest.ask("send p0 buttonClick")
    try expectEqual(daemon.store.checkpoints(of: "main").count, 1)
    expectEqual(daemon.log.count, 1)
  }
}
