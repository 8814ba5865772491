import Foundation
import Glibc
import TestSupport
import Testing
import UnixHost

/// What `fsmrepl` does with its standard descriptors, its files and its temporary folder.
struct OwnDescriptorTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
  }

  /// Runs a command of the shell, in which `$0` is the program, `$1` a transcript, and `$2` a folder.
  private func shell(_ command: String) throws -> Workplace.Run {
    let program = try ProgramRun(
      "sh", ["-c", command, try Products.path(of: "fsmrepl"), place.path("t"), place.folder.path], in: place.folder,
      environment: ScriptsTests.alone + [("XDG_STATE_HOME", place.path("state"))], isOurs: false)
    return Workplace.Run(code: try program.ending(), output: program.output, log: program.log)
  }

  @Test("a descriptor that is closed is no descriptor of its own")
  func closed() throws {
    try expectEqual(shell(#"exec "$0" --private <&-"#).code, .exited(0))
    let quiet = try shell(#"exec "$0" --private --record "$1" -e list >&-"#)
    expectEqual(quiet.code, .exited(0), "\(quiet.log)")
    let lines = try place.text("t").split(separator: "\n")
    expectEqual(lines.count { $0 == "+ 0" }, 1, "\(lines)")
    try expectEqual(shell(#"exec "$0" --private -e list 2>&-"#).output, "+ 0\n")
  }

  @Test(
    "output that cannot be written is told of, and is exit 1",
    arguments: ["--private -e kinds", "--help", "--version", "lesson", "run --private $2/a.fsm", "run --tap $2/none"])
  func full(arguments: String) throws {
    try place.write("a.fsm", "new power p\n")
    let run = try shell("exec \"$0\" \(arguments) >/dev/full")
    expectEqual(run.code, .exited(1))
    expectEqual(
      run.log.split(separator: "\n").last, "fsmrepl: cannot write standard output: No space left on device",
      "\(run.log)")
  }

  @Test("a report that cannot be written ends workers in the middle of a script, and nothing of their daemons is left")
  func fullAmongWorkers() throws {
    try place.write("tmp/none", "")
    try place.write("a.fsm", "new power p\n")
    try place.write("b.fsm", ScriptsTests.endless)
    let run = try shell(#"TMPDIR="$2/tmp" exec "$0" run -k -j 3 "$2/a.fsm" "$2/b.fsm" "$2/b.fsm" >/dev/full"#)
    expectEqual(run.code, .exited(1))
    expectEqual(run.log, "fsmrepl: cannot write standard output: No space left on device\n")
    try expectEqual(Folder.names(in: place.path("tmp")), ["none"])
  }

  @Test("a file for which there is no room keeps its text, and a new one is not left")
  func noRoom() throws {
    try place.write("kept", "mine")
    // The output is a file, too.
    let run = try shell(
      """
      trap '' XFSZ; ulimit -f 1
      { printf 'new power machine%s\\n' $(seq 60); echo "save $2/kept replace"; echo "save $2/new"; } \\
        | "$0" --private -k 2>/dev/null | tail -2
      """)
    expectEqual(run.output.split(separator: "\n").count { $0.hasSuffix(": File too large") }, 2, "\(run.output)")
    try expectEqual(place.text("kept"), "mine")
    expect(!FileManager.default.fileExists(atPath: place.path("new")))
  }

  @Test("a reader that is gone ends it by SIGPIPE, as other programs")
  func noReader() throws {
    let pipe = try UnixHost.Pipe()
    pipe.reading.close()
    defer { pipe.writing.close() }
    let words = ["-u", "FSMD_SOCKET", try Products.path(of: "fsmrepl"), "--private", "-e", "kinds"]
    let child = try Child.spawn("env", words, output: pipe.writing)
    try expectEqual(Patience.wait(for: "its end") { child.ending() }, .killed(signal: SIGPIPE))
  }

  @Test("a folder is no list of requests")
  func folder() throws {
    let run = try shell(#"exec "$0" --private <"$2""#)
    expectEqual(run.code, .exited(1))
    expect(run.log, hasSuffix: "fsmrepl: cannot read standard input: Is a directory\n", "\(run.log)")
  }

  @Test("an export has what was sent before it, and not what comes after, also where answers are not awaited")
  func exported() throws {
    let run = try place.run(
      "--private", "-k", "-e", "new power p", "-e", "send p buttonClick", "-e", "export p \(place.path("p"))", "-e",
      "send p buttonClick", "-e", "send p buttonClick")
    expectEqual(run.code, .exited(0), "\(run.log)")
    try expectEqual(place.text("p/journal.txt").split(separator: "\n").count, 2)
  }

  @Test("a script and a document on the command line")
  func files() throws {
    try place.write("a.fsm", "new power p\nat 5s send p buttonClick => on\n")
    let played = try place.run("@a.fsm")
    expect(played.code == .exited(0) && played.output.contains("a.fsm"), "\(played)")
    try place.write("bulb.mmd", "stateDiagram-v2\n  [*] --> dark\n")
    let loaded = try place.run("--private", "@bulb.mmd", "-e", "new bulb b", "-e", "expect b dark")
    expectEqual(loaded.code, .exited(0), "\(loaded)")
    try place.write("wrong.mmd", "stateDiagram-v2\n  [*] --> dark\n  dark --> lit : press [\n")
    let wrong = try place.run("--private", "@wrong.mmd", "-e", "list")
    expect(wrong.code == .exited(1) && wrong.log.contains("wrong.mmd: BAD-DEFINITION: load "), "\(wrong)")
    let absent = try place.run("--private", "nothing.mmd")
    expect(absent.code == .exited(1) && absent.log.contains("nothing.mmd: BAD-ARGUMENT: load "), "\(absent)")
    let asked = try place.run("--private", "-e", "load nothing.mmd")
    expectEqual(asked.code, .exited(3))
  }

  @Test("the next program removes the folder that a killed one has left, and none that is in use")
  func abandoned() throws {
    let temporary = place.path("tmp")
    try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: false)
    let environment: [(String, String?)] = [("FSMD_SOCKET", nil), ("TMPDIR", temporary)]
    let input = try UnixHost.Pipe()
    defer { input.writing.close() }
    // Folders of the user's own with such a name stay.
    let foreign = ["fsmrepl-notes", "fsmrepl-others"]
    for name in foreign {
      try FileManager.default.createDirectory(atPath: "\(temporary)/\(name)", withIntermediateDirectories: false)
    }
    try place.write("tmp/fsmrepl-notes/log", "mine")
    func begin() throws -> ProgramRun {
      let program = try ProgramRun(
        "fsmrepl", ["--private", "-"], in: place.folder, input: input.reading, environment: environment)
      let socket = try Patience.wait(for: "its folder") {
        try Folder.names(in: temporary).first { !foreign.contains($0) }
      }
      try Patience.wait(until: "its socket") {
        try Folder.names(in: "\(temporary)/\(socket)").contains("fsmd.sock")
      }
      return program
    }
    let killed = try begin()
    killed.child.signal(SIGKILL)
    _ = try killed.ending()
    try Patience.wait(until: "the next program to remove the folder") {
      let next = try ProgramRun("fsmrepl", ["--private", "-e", "sync"], in: place.folder, environment: environment)
      try expectEqual(next.ending(), .exited(0))
      return try Folder.names(in: temporary).sorted() == foreign
    }
    let alive = try begin()
    let names = try Folder.names(in: temporary)
    let next = try ProgramRun("fsmrepl", ["--private", "-e", "sync"], in: place.folder, environment: environment)
    try expectEqual(next.ending(), .exited(0))
    try expectEqual(Folder.names(in: temporary), names)
    expect(alive.isRunning)
  }
}
