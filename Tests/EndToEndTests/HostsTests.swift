import Foundation
import Glibc
import TestSupport
import Testing
import UnixHost

/// Several daemons on one database: who has which world, and what clients hear.
@Suite("Many daemons", .enabled(if: PostgresServer.isInstalled))
struct HostsTests {
  private static func pair() throws -> (a: DaemonProcess, b: DaemonProcess) {
    let address = try PostgresServer.shared.get().makeDatabase()
    let a = try DaemonProcess("--store", address, "--name", "a")
    // Once it has greeted it has the world main, and a lease.
    _ = try a.connect()
    let b = try DaemonProcess("--store", address, "--name", "b")
    _ = try b.connect()
    return (a, b)
  }

  @Test("a world is taken by the daemon that is asked for it; the other says who has it")
  func onDemand() throws {
    let (a, b) = try Self.pair()
    let (first, second) = (try a.connect(), try b.connect())
    for request in ["world new lesson durable=yes", "use lesson", "new power p", "send p buttonClick"] {
      try expect(first.ask(request), hasPrefix: "+", "\(request)")
    }
    try expect(second.ask("use lesson"), hasPrefix: "- MOVED world=lesson host=a : ")
    try expect(second.ask("world drop lesson"), hasPrefix: "- MOVED world=lesson host=a : ")
    try expect(second.ask("use nothing"), hasPrefix: "- UNKNOWN-WORLD world=nothing")
    try expect(second.ask("world new lesson durable=yes"), hasPrefix: "- NAME-TAKEN world=lesson")
    let worlds = try second.askAll("worlds")
    expect(worlds.contains { $0.hasPrefix(". lesson clock=virtual ") && $0.hasSuffix(" host=a") }, "\(worlds)")
    // After an orderly end its worlds are free, as soon as the other daemon does not answer from memory.
    try expectEqual(first.ask("shutdown"), "+")
    try expectEqual(a.run.ending(), .exited(0))
    try Patience.wait(until: "the world to be free") { try second.ask("use lesson").hasPrefix("+ world=lesson ") }
    try expect(second.ask("send p buttonClick"), hasPrefix: "+ moved on off")
  }

  @Test("world move gives a world away, with all its inputs; those who use it hear of it")
  func move() throws {
    let (a, b) = try Self.pair()
    let (first, watcher, second) = (try a.connect(), try a.connect(), try b.connect())
    for request in ["world new lesson durable=yes", "use lesson", "new power p", "send p buttonClick"] {
      try expect(first.ask(request), hasPrefix: "+", "\(request)")
    }
    try expect(watcher.ask("use lesson"), hasPrefix: "+")
    try expect(watcher.ask("watch p"), hasPrefix: "+")
    try expect(first.ask("world move lesson nobody"), hasPrefix: "- UNKNOWN-HOST host=nobody")
    try expectEqual(first.ask("world move lesson a"), "+")
    try expectEqual(first.ask("world move lesson b"), "+")
    try expectEqual(watcher.lines { $0.hasPrefix("! world ") }.last, "! world moved=lesson host=b")
    try expect(first.ask("send p buttonClick"), hasPrefix: "- MOVED world=lesson host=b : ")
    try expect(second.ask("use lesson"), hasPrefix: "+ world=lesson")
    try expect(second.ask("send p buttonClick"), hasPrefix: "+ moved on off")
    try expectEqual(second.ask("journal since=1"), "+ 3")
  }

  @Test(
    "a daemon that ends without a word loses its worlds when its lease is over, running clocks without being asked for")
  func crash() throws {
    let (a, b) = try Self.pair()
    let (first, second) = (try a.connect(), try b.connect())
    try expect(first.ask("new power p"), hasPrefix: "+ created p")
    a.signal(SIGKILL)
    try expectEqual(a.run.ending(), .killed(signal: SIGKILL))
    try Patience.wait(until: "the other daemon to have the world") {
      try second.askAll("worlds").contains { $0.hasPrefix(". main clock=real ") && $0.hasSuffix(" host=b") }
    }
    try expect(second.ask("send p buttonClick"), hasPrefix: "+ moved off on")
  }

  @Test("a daemon that was stopped for longer than its lease tells no old news")
  func stopped() throws {
    let (a, b) = try Self.pair()
    let (first, second) = (try a.connect(), try b.connect())
    try expect(first.ask("new power p"), hasPrefix: "+ created p")
    try a.stop()
    try Patience.wait(until: "the other daemon to have the world") {
      try second.ask("expect p off").hasPrefix("+")
    }
    try expect(second.ask("send p buttonClick"), hasPrefix: "+ moved off on")
    try first.send("expect p off\n")
    a.signal(SIGCONT)
    let answer = try first.final()
    expect(answer.hasPrefix("- MOVED world=main host=b") || answer.hasPrefix("- STORAGE world=main"), "\(answer)")
  }

  @Test("of two daemons with one name the second does not start; one that was killed starts at once on its socket")
  func names() throws {
    let address = try PostgresServer.shared.get().makeDatabase()
    let one = try DaemonProcess("--store", address, "--name", "a")
    // Once it has greeted the name is its own.
    _ = try one.connect()
    let folder = try TemporaryFolder()
    let two = try ProgramRun("fsmd", ["--socket", "\(folder.path)/s", "--store", address, "--name", "a"], in: folder)
    try expectEqual(two.ending(), .exited(3))
    expect(two.log, contains: "another daemon is named a; '--name NAME' gives this one another name")
    one.signal(SIGKILL)
    try expectEqual(one.run.ending(), .killed(signal: SIGKILL))
    let again = try DaemonProcess("--store", address, "--name", "a", in: one.folder)
    try expect(again.connect().ask("list"), hasPrefix: "+ 0")
  }

  @Test("a daemon that takes a world from another history says once that inputs may be gone")
  func history() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.makeDatabase()
    let a = try DaemonProcess("--store", address, "--name", "a")
    let first = try a.connect()
    for request in ["world new lesson durable=yes", "use lesson", "new power p", "shutdown"] {
      try expect(first.ask(request), hasPrefix: "+", "\(request)")
    }
    try expectEqual(a.run.ending(), .exited(0))
    // As after a standby has taken over.
    try server.sql("UPDATE fsmd.log SET history = history + (1::bigint << 32)", in: address)
    let b = try DaemonProcess("--store", address, "--name", "b")
    let second = try b.connect()
    try expect(second.ask("use lesson"), hasPrefix: "+")
    try second.send("list\nlist\n")
    try expectEqual(
      second.lines { $0.hasPrefix("+") }.filter { $0.hasPrefix("!") }, ["! lost world=lesson from=unknown"])
    try expect(second.lines { $0.hasPrefix("+") }.allSatisfy { !$0.hasPrefix("!") })
    expect(b.run.log, contains: "world lesson: inputs that were stored may be gone")
  }

  @Test("fsmrepl follows to the daemons of --hosts, and to no others")
  func follows() throws {
    let (a, b) = try Self.pair()
    let client = try a.connect()
    for request in ["world new lesson durable=yes", "use lesson", "new power p", "world move lesson b"] {
      try expect(client.ask(request), hasPrefix: "+", "\(request)")
    }
    let place = try Workplace()
    try place.write("hosts", "# daemons\na \(a.socket)\nb \(b.socket)\n")
    try place.write("fewer", "a \(a.socket)\n")
    func run(_ hosts: String, _ requests: String...) throws -> Workplace.Run {
      try place.run(["--socket", a.socket, "--hosts", "@\(hosts)"] + requests.flatMap { ["-e", $0] })
    }
    let followed = try run("hosts", "use lesson", "send p buttonClick", "expect p on")
    expectEqual(followed.code, .exited(0), "\(followed.log)")
    expect(followed.output, contains: "+ moved off on")
    let refused = try run("fewer", "use lesson")
    expectEqual(refused.code, .exited(3))
    expect(refused.output, contains: "fewer does not say where b is, so it is not followed")
  }

  @Test("a batch whose world has moved is answered as a whole, and fsmrepl sends it again, with quiet on, too")
  func movedBatch() throws {
    let (a, b) = try Self.pair()
    let (client, other) = (try a.connect(), try a.connect())
    for request in ["world new lesson durable=yes", "use lesson", "new stepper p"] {
      try expect(client.ask(request), hasPrefix: "+", "\(request)")
    }
    try expect(other.ask("use lesson"), hasPrefix: "+")
    try expectEqual(other.ask("begin"), "+")
    try expectEqual(client.ask("world move lesson b"), "+")
    // The daemon forgets after a while who has the world, and asks again.
    try other.send("send p increment\nsend p increment\nend\n")
    let answers = try other.lines { $0.hasPrefix("-") }
    expect(answers.last ?? "", hasPrefix: "- MOVED world=lesson host=b : ")
    let place = try Workplace()
    try place.write("hosts", "a \(a.socket)\nb \(b.socket)\n")
    try place.write(
      "moves.fsm",
      "quiet on\nbegin\nsend p increment\nsend p increment\nend\nsend p increment\nquiet off\nworld\n"
    )
    let followed = try place.run(
      ["--socket", a.socket, "--hosts", "@hosts", "-e", "use lesson", "-f", "@moves.fsm"])
    expectEqual(followed.code, .exited(0), "\(followed.output) \(followed.log)")
    expect(followed.output, contains: "+ world=lesson clock=virtual t=0.000 seq=4")
  }

  @Test("worlds are kept in several databases by their names; one that hangs holds up its own worlds alone")
  func storeMap() throws {
    let server = try PostgresServer.shared.get()
    let (one, two) = (try server.makeDatabase(), try server.makeDatabase())
    let place = try Workplace()
    // The third line writes the address of the first in another way.
    let parts = one.split(separator: "?")[1].split(separator: "&")
    let again = "\(one.split(separator: "?")[0])?\(parts.reversed().joined(separator: "&"))"
    try place.write("map", "lesson* \(one)\nexam* \(again)\n* \(two)\n")
    let map = place.path("map")
    let daemon = try DaemonProcess("--store-map", map, "--name", "a")
    let (lesson, other) = (try daemon.connect(), try daemon.connect())
    for request in ["world new lesson durable=yes", "use lesson", "new power p"] {
      try expect(lesson.ask(request), hasPrefix: "+", "\(request)")
    }
    try expect(other.ask("new power q"), hasPrefix: "+")
    func shown(_ address: String) -> String { "/\(address.dropFirst(14).prefix { $0 != "?" })" }
    func names(in address: String) throws -> String { try server.sql("SELECT name FROM fsmd.worlds", in: address) }
    try expectEqual([names(in: one), names(in: two)], ["lesson", "main"])
    try expect(other.ask("world new exam durable=yes"), hasPrefix: "+ created exam")
    try expectEqual([names(in: one), names(in: two)], ["lesson\nexam", "main"])
    try expectEqual(server.sql("SELECT count(*) FROM fsmd.hosts", in: one), "1")
    let worlds = try other.askAll("worlds")
    expect(worlds[1], hasPrefix: ". lesson ")
    expect(
      worlds[1].hasSuffix("\(shown(one)) host=a") && worlds[2].hasSuffix("\(shown(two)) host=a")
        && worlds.dropLast().allSatisfy { $0.contains(" store=postgresql://") }, "\(worlds)")
    try expect(
      lesson.askAll("stats").contains {
        $0.hasPrefix(". store postgresql://") && $0.hasSuffix("\(shown(one)) of-this-world")
      })
    try expect(
      lesson.ask("world fork copy durable=yes"),
      hasPrefix: "- BAD-ARGUMENT argument=world got=copy allowed=lesson*,exam* : ")
    // Nobody can write to the first database.
    Thread.detachNewThread {
      _ = try? server.sql("BEGIN; LOCK TABLE fsmd.log; SELECT pg_sleep(60)", in: one)
    }
    let locks = "FROM pg_locks WHERE relation = 'fsmd.log'::regclass AND mode = 'AccessExclusiveLock' AND granted"
    try Patience.wait(until: "the lock") { try server.sql("SELECT count(*) \(locks)", in: one) == "1" }
    try lesson.send("send p buttonClick\n")
    for number in 0..<30 { try expect(other.ask("send q buttonClick"), hasPrefix: "+ moved ", "\(number)") }
    try expect(lesson.hasNothing())
    // At the end, too: the other database gets its orderly end, and so is free for other daemons at once.
    daemon.signal(SIGTERM)
    try Patience.wait(until: "the end of the other lease") {
      try server.sql("SELECT count(*) FROM fsmd.hosts WHERE current", in: two) == "0"
    }
    expect(daemon.run.isRunning)
    try server.sql("SELECT pg_terminate_backend(pid) \(locks)", in: one)
    try expect(lesson.final(), hasPrefix: "+ moved off on")
    try expectEqual(daemon.run.ending(), .exited(0))
    try expectEqual(server.sql("SELECT count(*) FROM fsmd.hosts WHERE current", in: one), "0")
    let check = try ProgramRun("fsmd", ["store", "check", "--store-map", map], in: place.folder)
    try expectEqual(check.ending(), .exited(0))
    expect(check.output, contains: "\(shown(one)):\nserver PostgreSQL ")
    expectEqual(check.output.split(separator: "\n").count, 18)
  }

  @Test("'worlds' lists what the stores that answer have, and fails if none does")
  func worldsOfSomeStores() throws {
    let servers = [try PostgresServer(), try PostgresServer()]
    let place = try Workplace()
    try place.write("map", "lesson* \(try servers[0].makeDatabase())\n* \(try servers[1].makeDatabase())\n")
    let daemon = try DaemonProcess("--store-map", place.path("map"), "--name", "a")
    let client = try daemon.connect()
    try expect(client.ask("world new lesson durable=yes"), hasPrefix: "+ created")
    try servers[0].crash()
    // What of it is in memory may be listed until the lease is over.
    let some = try client.askAll("worlds")
    expect(some.contains { $0.hasPrefix(". main ") } && some.last?.hasPrefix("+") == true, "\(some)")
    try servers[1].crash()
    try expect(client.ask("worlds"), hasPrefix: "- STORAGE world=main : ")
  }
}
