@testable import Scripts
import Foundation
import JournalStore
import LineProtocol
import Simulator
import StateMachines
import TestSupport
import Testing

@testable import SimulationDaemon

@Suite("A stored world as a database")
struct TableExportTests {
  private func export(_ world: String, of daemon: KeptDaemon) throws -> ExportedDatabase {
    let file = daemon.file("\(world)-\(UUID().uuidString).sqlite")
    try TableExport.write(daemon.history(of: world), to: file, release: "0.0.0")
    return try ExportedDatabase(file)
  }

  // MARK: The page

  /// Plays a script's lines with their times.
  private func play(_ script: String, _ guest: Guest) throws {
    let parsed = try ScriptParser.parse("page", Array(script.utf8)) { _ in .failed("") }
    for step in parsed.steps {
      let answer = guest.say(parsed.request(of: step)).last ?? ""
      expect(answer, hasPrefix: "+ ", "\(parsed.line(of: step)): \(answer)")
    }
  }

  @Test("every query of the page gives what stands there, on the page's own world")
  func page() throws {
    let page = try Document("Docs/Export.md")
    let blocks = page.blocks
    let daemon = try KeptDaemon()
    let guest = daemon.begin("lesson")
    try play(blocks.first { $0.mark == "fsm" }?.text ?? "", guest)
    let database = try export("lesson", of: daemon)
    var queries = 0
    for (place, block) in blocks.enumerated() where block.mark == "sql" {
      let wanted = blocks[place + 1]
      expectEqual(wanted.mark, "text")
      let found = try database.rows(block.text)
      expectEqual(found.joined(separator: "\n"), wanted.lines.joined(separator: "\n"), "\(block.text)\n\(found)")
      queries += 1
    }
    expect(queries > 10)
    // All except the first line, which names the release.
    let script = blocks.last { $0.mark == "fsm" }?.text.split(separator: "\n").dropFirst()
    let exported = try daemon.script(of: "lesson").split(separator: "\n").dropFirst()
    expectEqual(script, exported, "\(exported.joined(separator: "\n"))")
    // The page mentions every column of every table.
    let names = try database.rows(
      "SELECT m.name, p.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS p WHERE m.type IN ('table', 'view')"
    )
    for name in names {
      let (table, column) = (name.split(separator: "|")[0], name.split(separator: "|")[1])
      expect(page.text.contains("`\(table)`") && page.text.contains("`\(column)`") || table == "about", "\(name)")
    }
  }

  @Test("the question for a state at a time is answered from an index")
  func plans() throws {
    let daemon = try KeptDaemon()
    _ = daemon.begin("w").say("new shiftKey key")
    let database = try export("w", of: daemon)
    let plan = try database.plan(
      "SELECT to_state FROM transitions WHERE machine = 'key' AND t <= 5 ORDER BY seq DESC LIMIT 1")
    expect(plan.contains("USING") && plan.contains("INDEX transitions_by_machine"), "\(plan)")
  }

  // MARK: Against the daemon

  @Test(
    "has the states of any time, as the daemon shows them when it goes back there",
    arguments: Thorough.rounds(0..<12 as Range<UInt64>))
  func states(seed: UInt64) throws {
    let daemon = try KeptDaemon()
    let guest = daemon.begin("w", "seed=\(seed)")
    guest.play(seed: seed, requests: 200)
    let database = try export("w", of: daemon)
    let end = guest.client.hosted.live.world.now.nanoseconds
    for place in (0...10).reversed() {
      let moment = place == 10 ? end : end / 10 * Int64(place)
      if place < 10 { _ = guest.say("goto \(moment)ns") }
      let shown = guest.say("list").dropLast().map { line -> String in
        let words = ServerLine(line)?.words ?? []
        return "\(words[0])|\(words[1])|\(words[2])"
      }
      let found = try database.rows(
        """
        SELECT machine, kind, state FROM spells
        WHERE since_ns <= \(moment) AND (until_ns > \(moment) OR until_ns IS NULL) ORDER BY machine
        """)
      expectEqual(found, shown, "seed \(seed) at \(moment)")
      for line in shown {
        let words = line.split(separator: "|", maxSplits: 2)
        let one = try database.rows(
          "SELECT to_state FROM transitions WHERE machine = '\(words[0])' AND t_ns <= \(moment) ORDER BY seq DESC LIMIT 1"
        )
        expectEqual(one, [String(words[2])], "seed \(seed) at \(moment)")
      }
    }
  }

  @Test("has the inputs, outputs and timers of the journal", arguments: Thorough.rounds(20..<30 as Range<UInt64>))
  func journal(seed: UInt64) throws {
    let daemon = try KeptDaemon()
    let guest = daemon.begin("w", "seed=\(seed)")
    guest.play(seed: seed, requests: 200)
    let database = try export("w", of: daemon)
    var inputs: [String] = []
    var effects: [String] = []
    for line in guest.say("journal since=1 limit=1000000").dropLast() {
      guard let parsed = ServerLine(line) else { continue }
      let (sequence, machine) = (parsed.words[0], parsed.words[2])
      let undone = parsed["undone"] ?? ""
      let head = "\(sequence)|\(machine)"
      switch parsed.words[3] {
      case "created": inputs.append("\(head)||\(parsed.words[5])|\(undone)")
      case "moved": inputs.append("\(head)|moved|\(parsed.words[5])|\(undone)")
      case "stayed", "ignored", "refused": inputs.append("\(head)|\(parsed.words[3])|\(parsed.words[4])|\(undone)")
      case "dropped", "wired", "unwired": inputs.append("\(head)|||\(undone)")
      case "undone": inputs.append("\(sequence)||||\(undone)")
      case "output", "told", "armed", "disarmed", "expired":
        // Undone inputs appear only in the table of inputs.
        if undone.isEmpty { effects.append("\(head)|\(parsed.words[4])") }
      case let other: Issue.record("\(other)")
      }
    }
    expect(inputs.count > 50, "seed \(seed)")
    try expectEqual(
      database.rows("SELECT seq, machine, outcome, to_state, undone_by FROM inputs ORDER BY seq"), inputs,
      "seed \(seed)")
    let found = try database.rows(
      """
      SELECT seq, machine, name FROM (
        SELECT seq, place, machine, output AS name FROM outputs UNION ALL SELECT seq, place, machine, output FROM told
        UNION ALL SELECT seq, place, machine, timer FROM timers
      ) ORDER BY seq, place
      """)
    expectEqual(found, effects, "seed \(seed)")
    let machines = guest.say("list").dropLast().compactMap { ServerLine($0)?.words.joined(separator: "|") }
    try expectEqual(
      database.rows("SELECT name, kind, state FROM machines WHERE dropped_seq IS NULL ORDER BY name"), machines)
    let wires = guest.say("wires").dropLast().compactMap { ServerLine($0)?.words.joined(separator: "|") }
    try expectEqual(
      database.rows("SELECT source, output, target, event FROM wires WHERE removed_seq IS NULL").sorted(),
      wires.sorted())
    let agenda = guest.say("agenda").dropLast().compactMap { line in
      ServerLine(line).map { $0.words.dropFirst().joined(separator: "|") }
    }
    try expectEqual(database.rows("SELECT machine, timer FROM running_timers").sorted(), agenda.sorted())
  }

  @Test("has the present states where the beginning of the journal is not kept, also of those of whom nothing is told")
  func retained() throws {
    let daemon = try KeptDaemon(KeptDaemon.Setup("checkpointInputs=30", "storeBytes=65536"))
    let guest = daemon.begin("w")
    _ = guest.play(
      "new till idle initial=open idle=1h", "new till busy", "new till gone", "new shiftKey key", "drop gone")
    let taps = (["begin"] + Array(repeating: "send key tap", count: 30) + ["end"]).joined(separator: "\n")
    for _ in 0..<400 { _ = guest.say(taps) }
    _ = guest.play("send busy open", "send busy add 3", "advance 1s")
    daemon.host.settle()
    let first = try daemon.history(of: "w").world.first
    expect(first > 1)
    let database = try export("w", of: daemon)
    let shown = guest.say("list").dropLast().compactMap { ServerLine($0)?.words.joined(separator: "|") }
    try expectEqual(
      database.rows("SELECT name, kind, state FROM machines WHERE dropped_seq IS NULL ORDER BY name"), shown)
    try expectEqual(
      database.rows("SELECT machine, kind, state FROM spells WHERE until IS NULL ORDER BY machine"), shown)
    let kept = try database.rows(
      "SELECT machine, from_state, to_state FROM transitions WHERE cause = 'kept' ORDER BY seq")
    expectEqual(kept.filter { !$0.hasPrefix("key") }, ["idle||open(0)", "busy||closed"])
    try expectEqual(database.rows("SELECT min(seq) FROM inputs"), ["\(first)"])
    try expectEqual(database.rows("SELECT value FROM about WHERE key = 'first_seq'"), ["\(first)"])
  }

  @Test("tells of timers that began anew with the daemon, which no script does")
  func restarted() throws {
    var setup = KeptDaemon.Setup()
    setup.onRestart = .restart
    let daemon = try KeptDaemon(setup)
    let guest = daemon.begin("w", "clock=real")
    _ = guest.play("new till t initial=open", "new shiftKey key", "send key tap")
    daemon.pass(0.1)
    let other = try daemon.afterKill()
    let agenda = other.connect("w").say("agenda").dropLast().compactMap { line in
      ServerLine(line).map { "\($0.words.dropFirst().joined(separator: "|"))|\($0.words[0])" }
    }
    let database = try export("w", of: other)
    let last = try database.rows("SELECT seq, machine, what, outcome FROM inputs ORDER BY seq DESC LIMIT 1")
    expectEqual(last, ["4||restart|"])
    expectEqual(agenda.count, 2)
    let running = try database.rows("SELECT machine, timer, printf('%.3f', due) FROM running_timers ORDER BY due")
    expectEqual(running, agenda)
    let failure = #expect(throws: HistoryFailure.self) { try other.script(of: "w") }
    guard case .unsayable("w", 4, _)? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
  }

  // MARK: Values and files

  @Test("writes arguments, parameters and data as JSON by their names")
  func json() throws {
    let daemon = try KeptDaemon()
    let guest = daemon.begin("w")
    _ = guest.play(
      "new till t idle=1500ms", "send t open \"a \\\"b\\\"\\\\\"", "send t add 5", "send t weigh on floor",
      "send t open",
      "advance 2s")
    let database = try export("w", of: daemon)
    try expectEqual(
      database.rows("SELECT arguments FROM inputs WHERE what = 'event' ORDER BY seq"),
      [
        #"{"note":"a \"b\"\\"}"#, #"{"amount":5}"#, #"{"gross":true,"scale":"floor"}"#, #"{"note":null}"#,
      ])
    try expectEqual(database.rows("SELECT parameters FROM machines"), [#"{"idle":1.500}"#])
    try expectEqual(
      database.rows("SELECT output, data FROM outputs ORDER BY seq"),
      [
        #"weight|{"weight":7.5}"#, #"total|{"sum":5,"note":"a \"b\"\\"}"#,
      ])
    try expectEqual(
      database.rows("SELECT from_state, to_state FROM transitions ORDER BY seq"),
      [
        "|closed", "closed|open(0)", "open(0)|open(5)", "open(5)|closed",
      ])
  }

  @Test("leaves a file alone that is there, and nothing behind when it fails")
  func files() throws {
    let daemon = try KeptDaemon()
    _ = daemon.begin("w").say("new shiftKey key")
    let file = daemon.file("taken")
    try Data("mine".utf8).write(to: URL(filePath: file))
    #expect(throws: NewFile.Exists.self) {
      try TableExport.write(daemon.history(of: "w"), to: file, release: "0.0.0")
    }
    try expectEqual(String(contentsOfFile: file, encoding: .utf8), "mine")
    #expect(throws: StoreFailure.self) {
      try TableExport.write(daemon.history(of: "w"), to: daemon.file("nowhere/file"), release: "0.0.0")
    }
    struct Interrupted: Error {}
    #expect(throws: Interrupted.self) {
      try TableWriter.make(daemon.file("half")) { tables in
        try tables.run("CREATE TABLE a(b)")
        throw Interrupted()
      }
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: daemon.folder.path).filter {
      !$0.hasPrefix("journal.")
    }
    expectEqual(names, ["taken"])
  }
}
