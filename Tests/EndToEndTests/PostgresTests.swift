import Glibc
import TestSupport
import Testing
import UnixHost

/// Daemons on a PostgreSQL server of the tests' own; it is stopped and started while they run.
@Suite("PostgreSQL", .enabled(if: PostgresServer.isInstalled))
struct PostgresTests {
  @Test("a server that crashes and comes back has all that was answered, and nothing twice")
  func serverCrashes() throws {
    let server = try PostgresServer()
    let daemon = try DaemonProcess("--store", try server.makeDatabase())
    let client = try daemon.connect()
    try expect(client.ask("new power p"), hasPrefix: "+ created p")
    var (answered, sent) = (0, 0)
    for _ in 0..<3 {
      try client.send(String(repeating: "send p buttonClick\n", count: 400))
      try server.crash()
      try server.start()
      for _ in 0..<400 {
        let answer = try client.final()
        if answer.hasPrefix("+ moved") { answered += 1 } else { expect(answer, hasPrefix: "- STORAGE ") }
      }
      sent += 400
    }
    try Patience.wait(until: "the world to be back") { try client.ask("list").hasPrefix("+ 1") }
    let inputs = try client.askAll("journal since=1 limit=100000").count - 2
    expect((answered...sent).contains(inputs), "\(answered) of \(sent) were answered")
  }

  @Test("while the server is away, requests are answered with STORAGE; afterwards the world is as it was answered")
  func serverAway() throws {
    let server = try PostgresServer()
    let address = try server.makeDatabase()
    let daemon = try DaemonProcess("--store", address)
    let client = try daemon.connect()
    try expect(client.ask("new power p"), hasPrefix: "+ created p")
    try expect(client.ask("world new elsewhere"), hasPrefix: "+")
    try server.crash()
    try client.send("send p buttonClick\n")
    // Another world has nothing to do with the database.
    let other = try daemon.connect()
    try expect(other.ask("use elsewhere"), hasPrefix: "+")
    try expect(other.ask("new power q"), hasPrefix: "+ created q")
    try expect(client.final(), hasPrefix: "- STORAGE ")
    try server.start()
    try Patience.wait(until: "the world to be back") { try client.ask("expect p off").hasPrefix("+") }
    try expect(client.ask("send p buttonClick"), hasPrefix: "+ moved off on")
  }

  @Test("history that went back is told once, in words, and the world goes on from there")
  func historyLost() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.makeDatabase()
    let daemon = try DaemonProcess("--store", address)
    let client = try daemon.connect()
    for request in [
      "world new lesson durable=yes", "use lesson", "new power p", "send p buttonClick", "send p buttonClick",
    ] {
      try expect(client.ask(request), hasPrefix: "+", "\(request)")
    }
    // As after an asynchronous standby without the last input has taken over.
    try server.sql(
      """
      DELETE FROM fsmd.segments WHERE first = 3 AND world = (SELECT id FROM fsmd.worlds WHERE name = 'lesson');
      DELETE FROM fsmd.log WHERE head = 3 AND world = (SELECT id FROM fsmd.worlds WHERE name = 'lesson')
      """, in: address)
    try client.send("send p buttonClick\n")
    let lines = try client.lines { $0.hasPrefix("! lost ") }
    expectEqual(lines.last, "! lost world=lesson from=3")
    expect(lines.first, hasPrefix: "- STORAGE world=lesson")
    try Patience.wait(until: "the world to be back") { try client.ask("expect p on").hasPrefix("+") }
    try expect(client.ask("send p buttonClick"), hasPrefix: "+ moved on off")
  }

  @Test("an append whose time is over, by a setting of the database, is made once more without a limit")
  func timeouts() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.makeDatabase()
    let daemon = try DaemonProcess("--store", address)
    let client = try daemon.connect()
    try expect(client.ask("new power p"), hasPrefix: "+ created p")
    // What rolls back leaves a sequence as it is.
    try server.sql(
      """
      CREATE SEQUENCE fsmd.tries;
      CREATE FUNCTION fsmd.late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('fsmd.tries') = 1 THEN RAISE SQLSTATE '57014'; END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER late BEFORE INSERT ON fsmd.log FOR EACH ROW EXECUTE FUNCTION fsmd.late()
      """, in: address)
    try expect(client.ask("send p buttonClick"), hasPrefix: "+ moved off on")
    try expect(server.sql("SELECT last_value FROM fsmd.tries", in: address), hasPrefix: "2")
  }

  @Test("a database of the earlier schema gets the present one, with its worlds")
  func migration() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.makeDatabase()
    let daemon = try DaemonProcess("--store", address)
    let client = try daemon.connect()
    try expect(client.ask("new power p"), hasPrefix: "+ created p")
    try expectEqual(client.ask("shutdown"), "+")
    try expectEqual(daemon.run.ending(), .exited(0))
    try server.sql(
      "UPDATE fsmd.store SET version = 4; DROP FUNCTION fsmd.append(fsmd.log[], uuid[], fsmd.segments[])", in: address)
    let next = try DaemonProcess("--store", address)
    try expect(next.connect().ask("send p buttonClick"), hasPrefix: "+ moved off on")
    try expect(server.sql("SELECT version FROM fsmd.store", in: address), hasPrefix: "5")
  }

  @Test("worlds are read on a standby, with which a daemon does not start")
  func standby() throws {
    let server = try PostgresServer()
    let address = try server.makeDatabase()
    let daemon = try DaemonProcess("--store", address)
    let client = try daemon.connect()
    try expect(client.ask("new power p"), hasPrefix: "+ created p")
    try expect(client.ask("send p buttonClick"), hasPrefix: "+ moved off on")
    let standby = try PostgresServer(following: server)
    let both =
      address.replacing(server.folder, with: "\(server.folder),\(standby.folder)") + "&target_session_attrs=standby"
    let verify = try ProgramRun("fsmd", ["verify", "--state", both], in: daemon.folder)
    try expectEqual(verify.ending(), .exited(0))
    expect(verify.output, hasPrefix: "main inputs 1..2 good hash=")
    let other = try ProgramRun("fsmd", ["--socket", daemon.folder.path + "/s2", "--store", both], in: daemon.folder)
    try expectEqual(other.ending(), .exited(3))
    expect(other.log, contains: "is read-only")
  }

  @Test("neither the log nor a message shows a password")
  func passwords() throws {
    let folder = try TemporaryFolder()
    for address in ["postgresql://someone:geheim@127.0.0.1:1/d", "postgresql://someone:geheim@[::1/d"] {
      let run = try ProgramRun("fsmd", ["--socket", "\(folder.path)/s", "--store", address], in: folder)
      try expectEqual(run.ending(), .exited(3))
      expect(!run.log.contains("geheim") && run.log.contains("postgresql://"), "\(run.log)")
    }
  }

  @Test("worlds are copied to a database and back, with equal results; check and setup print")
  func copies() throws {
    let address = try PostgresServer.shared.get().makeDatabase()
    let daemon = try DaemonProcess("--limit", "checkpointInputs=50")
    let client = try daemon.connect()
    try expect(client.ask("new stepper p"), hasPrefix: "+")
    for _ in 0..<100 { try expect(client.ask("send p increment"), hasPrefix: "+") }
    try expect(client.ask("undo 5"), hasPrefix: "+")
    try expectEqual(client.ask("shutdown"), "+")
    try expectEqual(daemon.run.ending(), .exited(0))
    let state = "\(daemon.folder.path)/state/fsmd"
    func run(_ words: String...) throws -> ProgramRun {
      let run = try ProgramRun("fsmd", words, in: daemon.folder)
      try expectEqual(run.ending(), .exited(0), "\(words): \(run.log)")
      return run
    }
    let printed = try ProgramRun("fsmd", ["store", "copy", state, address, "--print"], in: daemon.folder)
    try expectEqual(printed.ending(), .exited(1))
    let there = try run("store", "copy", state, address)
    let back = try run("store", "copy", address, "\(daemon.folder.path)/again")
    expect(there.output == back.output && there.output.contains(" good hash="))
    let twice = try ProgramRun("fsmd", ["store", "copy", state, address], in: daemon.folder)
    try expectEqual(twice.ending(), .exited(3))
    expect(twice.log, contains: "has a world main already")
    let on = try DaemonProcess("--store", address)
    try expect(on.connect().ask("list"), hasPrefix: "+ 1")
    let check = try run("store", "check", address)
    expect(check.output.split(separator: "\n").count == 5 && check.output.contains("fsync off"), "\(check.output)")
    try expect(run("store", "setup", address, "--print").output, contains: "CREATE SCHEMA fsmd AUTHORIZATION \"fsm\"")
  }

  @Test("a damaged world in a database is repaired, and goes on from there")
  func repair() throws {
    let server = try PostgresServer.shared.get()
    let address = try server.makeDatabase()
    let daemon = try DaemonProcess("--store", address)
    let client = try daemon.connect()
    for request in ["world new lesson durable=yes", "use lesson", "new power p", "send p buttonClick"] {
      try expect(client.ask(request), hasPrefix: "+", "\(request)")
    }
    try expect(client.ask("send p buttonClick"), hasPrefix: "+ moved on off")
    func run(_ words: String..., is code: Int32 = 0) throws -> ProgramRun {
      let run = try ProgramRun("fsmd", words, in: daemon.folder)
      try expectEqual(run.ending(), .exited(code), "\(words): \(run.log)")
      return run
    }
    let tooEarly = try run("repair", "--state", address, "--to", "2", "--yes", "lesson", is: 3)
    expect(tooEarly.log, contains: " has world lesson")
    try expectEqual(client.ask("shutdown"), "+")
    try expectEqual(daemon.run.ending(), .exited(0))
    try server.sql("UPDATE fsmd.segments SET bytes = bytes || 'x' WHERE first = 3", in: address)
    try expect(run("verify", "--state", address, is: 3).output, contains: " bad: ")
    try expect(
      run("repair", "--state", address, "lesson").output, contains: "--to 2 keeps all up to input 2 and loses input 3")
    try expectEqual(
      run("repair", "--state", address, "--to", "2", "--yes", "lesson").output,
      "world lesson ends with input 2, and has lost input 3\n")
    _ = try run("verify", "--state", address)
    let next = try DaemonProcess("--store", address)
    let again = try next.connect()
    try expect(again.ask("use lesson"), hasPrefix: "+ world=lesson clock=virtual t=0.000 seq=2")
    try expect(again.ask("send p buttonClick"), hasPrefix: "+ moved on off")
  }
}
