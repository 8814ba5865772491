import Foundation
import StateMachines
import TestSupport
import Testing
import UnixHost

/// Random sessions, recorded on a clock that runs, and repeated.
struct TranscriptsRandomTests {
  /// Lines as somebody could send them, batches and silence among them.
  private static func session(_ seed: UInt64) -> [String] {
    var grammar = RequestGrammar(seed: seed)
    // What a watch misses while it rests, a check has; so there are either watches or several worlds.
    let other = seed % 2 == 0 ? "use" : "watch"
    var lines = ["speed 10000", "new shiftKey m1", "new fridge m2 start=4"]
    if other == "use" { lines.append("watch * what=all") }
    func line() -> String {
      while true {
        // What a `cancel` finds under way, and ends, depends on the host: no repetition can know that.
        // An `await` of any length would have to be waited for, and years take their time; those below are short. Timers
        // without end make gaps.
        let text = String(validating: grammar.line(), as: UTF8.self)
        if let text, !text.contains(#/\d{12}|\d{4}d/#),
          !["\r", "await", "cancel", "=0s", other].contains(where: { text.contains($0) })
        {
          return text
        }
      }
    }
    for _ in 0..<300 {
      switch grammar.number(below: 60) {
      case 0: lines.append("quiet \(grammar.chance(2) ? "on" : "off")")
      case 1:
        lines.append("begin")
        // What the daemon says of itself is no remark where it stands in a batch.
        lines += (0..<grammar.number(below: 6)).map { _ in line() }.filter { !$0.contains("stats") }
        lines.append(grammar.chance(2) ? "@b end" : "end")
      case 2:
        // Whatever has stopped the clock.
        lines += ["resume", "speed 10000", "send m1 tap", "await m1 on within=10s", "await m2 waiting within=1h"]
      case 3: lines += ["resume", "speed 10000"]
      default: lines.append(line())
      }
    }
    return lines
  }

  /// The first two differ in the form of the lines, and in whether there are watches or several worlds.
  @Test(
    "whatever was done at a clock that runs comes out alike in a check",
    arguments: Thorough.rounds(0..<3 as Range<UInt64>, atLeast: 2))
  func repeats(_ number: UInt64) throws {
    let seed = 2_000_003 + number
    let folder = try TemporaryFolder()
    let lines = Self.session(seed)
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: "\(folder.path)/lines"))
    let path = "\(folder.path)/s.transcript"
    // Many at a time, or each when the one before is answered: moments are shared, or not.
    let options = number % 3 != 0 ? ["-k"] : ["-k", "--json"]
    let session = try ProgramRun(
      "fsmrepl", ["--private", "--record", path, "-f", "\(folder.path)/lines"] + options, in: folder)
    _ = try session.ending()
    let recorded = contents(of: path).split(separator: "\n").filter { $0.hasPrefix("> ") }
    expect(recorded.count > 150, "seed \(seed): \(session.log.suffix(500))")
    let check = try ProgramRun("fsmrepl", ["check", path], in: folder)
    try expectEqual(check.ending(), .exited(0), "seed \(seed): \(check.output)\(check.log)")
  }
}
