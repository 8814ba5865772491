import Foundation
import TestSupport
import Testing
import UnixHost

/// `fsmd export` and `fsmd verify` as programs, on the store of a daemon that serves it or was killed.
struct ExportTests {
  private struct Run {
    let code: Child.Ending
    let output: String
    let log: String
  }

  /// A state folder, and a daemon that keeps its worlds there.
  private struct Kept {
    let state: TemporaryFolder
    let daemon: DaemonProcess
    var environment: [(String, String?)] { [("XDG_STATE_HOME", state.path)] }

    init() throws {
      state = try TemporaryFolder()
      daemon = try DaemonProcess(environment: [("XDG_STATE_HOME", state.path)])
    }

    func fsmd(_ arguments: String...) throws -> Run {
      let program = try ProgramRun("fsmd", arguments, in: state, environment: environment)
      return Run(code: try program.ending(), output: program.output, log: program.log)
    }

    func replay(_ arguments: String...) throws -> Run {
      let program = try ProgramRun("fsmrepl", ["run"] + arguments, in: state, environment: ScriptsTests.alone)
      return Run(code: try program.ending(), output: program.output, log: program.log)
    }

    /// A world with a bit of everything.
    func work() throws {
      let client = try daemon.connect()
      for request in [
        "world new lesson durable=yes seed=11", "use lesson", "new shiftKey key", "new fridge f start=4",
        "new phoneCall call", "send key tap", "advance 200ms", "send key tap", "wire f compressorOff key tap",
        "advance 1h", "undo", "send call.phone pressCall", "send f minTemperatureReached", "send key nonsense",
        "new http h", "advance 3s", "drop h", "goto 1800s", "send key character c=$", "advance 90s",
      ] {
        _ = try client.askAll(request)
      }
    }
  }

  @Test("fsmd repair shows what would be lost, and writes only when it is told to and no daemon has the store")
  func repair() throws {
    let kept = try Kept()
    try kept.work()
    let survey = try kept.fsmd("repair", "lesson")
    expect(survey.code == .exited(0) && survey.output.hasPrefix("world lesson is in order: "), "\(survey)")
    let told = try kept.fsmd("repair", "--to", "3", "lesson")
    expectEqual(
      told.output,
      "world lesson would end with input 3, and lose inputs 4 to 27; nothing was changed: --yes does it, --as-new NAME writes another world instead\n"
    )
    let taken = try kept.fsmd("repair", "--to", "3", "--as-new", "short", "lesson")
    expectEqual(taken.code, .exited(3))
    expect(
      taken.log,
      hasSuffix:
        " belongs to the daemon on \(kept.daemon.socket) (process \(kept.daemon.run.child.pid)); end that first\n")
    for wrong in [
      ["--yes"], ["--to", "x"], ["--to", "1", "--to-checkpoint"], ["--to", "1", "--yes", "--as-new", "n"],
    ] {
      let program = try ProgramRun(
        "fsmd", ["repair"] + wrong + ["lesson"], in: kept.state, environment: kept.environment)
      try expectEqual(program.ending(), .exited(1), "\(wrong)")
    }
    try expectEqual(kept.fsmd("repair", "lessen").code, .exited(1))
    let beyond = try kept.fsmd("repair", "--to", "99", "lesson")
    expect(beyond.code == .exited(3) && beyond.log.contains("none is numbered 99"), "\(beyond)")
    try expectEqual(kept.fsmd("repair", "--to-checkpoint", "lesson").code, .exited(3))
    let lines = try kept.fsmd("export", "--format", "journal", "lesson").output.split(separator: "\n")
    expectEqual(lines.first, "1 0.000 key created shiftKey off")
    try kept.daemon.connect().ask("shutdown")
    _ = try kept.daemon.run.ending()
    try expectEqual(kept.fsmd("repair", "--to", "3", "--as-new", "short", "lesson").code, .exited(0))
    let done = try kept.fsmd("repair", "--to", "2", "--yes", "lesson")
    expectEqual(done.code, .exited(0), "\(done)")
    expectEqual(done.output, "world lesson ends with input 2, and has lost inputs 3 to 27\n")
    let again = try DaemonProcess(environment: kept.environment)
    let client = try again.connect()
    try expect(client.ask("use lesson"), hasSuffix: " seq=2")
    try expect(client.ask("use short"), hasSuffix: " seq=3")
    try expectEqual(kept.fsmd("verify").code, .exited(0))
  }

  @Test("a daemon is killed; what it had stored makes the world again, and is verified")
  func afterKill() throws {
    let kept = try Kept()
    try kept.work()
    let client = try kept.daemon.connect()
    _ = try client.ask("use lesson")
    let shown = try client.askAll("list")
    kept.daemon.signal(SIGKILL)
    _ = try kept.daemon.run.ending()
    let script = "\(kept.state.path)/lesson.fsm"
    let export = try kept.fsmd("export", "lesson", script)
    expect(export.code == .exited(0) && export.output == "" && export.log == "", "\(export)")
    let text = try String(contentsOfFile: script, encoding: .utf8)
    for line in shown.dropLast() {
      let words = line.split(separator: " ")
      expect(text, contains: "expect \(words[1]) \(words[3])\n", "\(line)")
    }
    let replay = try kept.replay(script)
    expectEqual(replay.code, .exited(0), "\(replay)")
    // Another seed is another world: the file says its own, and the command line has the last word.
    expect(text, contains: "\nseed 11\n")
    try expectEqual(kept.replay("--seed", "11", script).code, .exited(0))
    let verification = try kept.fsmd("verify")
    expectEqual(verification.code, .exited(0))
    let lines = verification.output.split(separator: "\n")
    expect(lines.count == 2 && lines[1] == "main good, without inputs", "\(verification)")
    expect(lines[0].wholeMatch(of: /lesson inputs 1\.\.\d+ good hash=[0-9a-f]{16}/) != nil, "\(verification)")
  }

  @Test("a world is exported and verified while its daemon goes on")
  func whileServed() throws {
    let kept = try Kept()
    try kept.work()
    let client = try kept.daemon.connect()
    _ = try client.ask("use lesson")
    for round in 0..<3 {
      try client.send(String(repeating: "send key tap\nadvance 100ms\n", count: 500))
      let export = try kept.fsmd("export", "lesson")
      expectEqual(export.code, .exited(0), "\(export.log)")
      expect(export.output, contains: "# World lesson as of ")
      let file = "\(kept.state.path)/served-\(round).fsm"
      try Data(export.output.utf8).write(to: URL(filePath: file))
      try expectEqual(kept.replay(file).code, .exited(0))
      try expectEqual(kept.fsmd("verify", "lesson").code, .exited(0))
      try expectEqual(kept.fsmd("export", "--format", "sqlite", "lesson", "\(file).sqlite").code, .exited(0))
    }
    for _ in 0..<3_000 { _ = try client.line() }
    try expect(client.ask("sync"), hasPrefix: "+")
  }

  @Test("wrong words and files that are there are exit 1 and one line; a store that is none is exit 3")
  func mistakes() throws {
    let kept = try Kept()
    try kept.work()
    let taken = "\(kept.state.path)/taken"
    try Data("mine".utf8).write(to: URL(filePath: taken))
    for (words, said) in [
      (["export"], "fsmd: which world? 'fsmd export WORLD [FILE]'\nTry 'fsmd export --help'.\n"),
      (["export", "a", "b", "c"], "fsmd: 'c' is one word too many\nTry 'fsmd export --help'.\n"),
      (
        ["export", "leson"], "fsmd: there is no durable world 'leson'; did you mean 'lesson'? there are lesson, main\n"
      ),
      (["verify", "other"], "fsmd: there is no durable world 'other'; there are lesson, main\n"),
      (
        ["export", "-f", "csv", "a"],
        "fsmd: --format is script, sqlite or journal, not 'csv'\nTry 'fsmd export --help'.\n"
      ),
      (
        ["export", "-f", "sqlite", "lesson"],
        "fsmd: a database needs a FILE: 'fsmd export --format sqlite WORLD FILE'\nTry 'fsmd export --help'.\n"
      ),
      (["export", "lesson", taken], "fsmd: there is a file \(taken) already, and it is not overwritten\n"),
      (
        ["export", "-f", "sqlite", "lesson", taken],
        "fsmd: there is a file \(taken) already, and it is not overwritten\n"
      ),
      (["exprot", "lesson"], "fsmd: 'exprot' is no command; did you mean 'export'?\nTry 'fsmd --help'.\n"),
      (["--log", "debug", "verify"], "fsmd: 'verify' stands before all options\nTry 'fsmd --help'.\n"),
    ] {
      let program = try ProgramRun("fsmd", words, in: kept.state, environment: kept.environment)
      try expectEqual(program.ending(), .exited(1), "\(words)")
      expect(program.output == "" && program.log == said, "\(words): \(program.log)")
    }
    try expectEqual(String(contentsOfFile: taken, encoding: .utf8), "mine")
    let empty = try TemporaryFolder()
    for words in [["export", "lesson"], ["verify"]] {
      let program = try ProgramRun("fsmd", words + ["--state", empty.path], in: kept.state)
      try expectEqual(program.ending(), .exited(3), "\(words)")
      expectEqual(
        program.log, "fsmd: there is no \(empty.path)/journal.sqlite: no durable world was ever stored there\n")
    }
    for words in [["export", "--help"], ["verify", "-h"]] {
      let program = try ProgramRun("fsmd", words, in: kept.state)
      try expectEqual(program.ending(), .exited(0))
      expect(program.output.hasPrefix("usage: fsmd \(words[0]) [OPTION]... ") && program.log == "")
    }
  }

  @Test("damage is found and told, and is exit 3")
  func damage() throws {
    let kept = try Kept()
    try kept.work()
    kept.daemon.letGo()
    _ = try kept.daemon.run.ending()
    let path = URL(filePath: "\(kept.state.path)/fsmd/journal.sqlite")
    var bytes = try Data(contentsOf: path)
    // A name in the journal: SQLite's own structure stays whole.
    let place = try #require(bytes.range(of: Data("fridge".utf8))?.lowerBound)
    bytes[place] ^= 1
    try bytes.write(to: path)
    let verification = try kept.fsmd("verify")
    expectEqual(verification.code, .exited(3))
    expect(verification.output.contains("lesson") && verification.output.contains(" bad: "), "\(verification)")
    expect(verification.output, contains: "main good", "\(verification)")
    try expectEqual(Data(contentsOf: path), bytes)
  }
}
