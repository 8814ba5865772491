import Foundation
import TestSupport
import Testing
import UnixHost

@Suite("The same, however often and wherever it is run")
struct RepeatabilityTests {
  /// A processor that this process may use.
  private static func processor() throws -> String {
    let allowed = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n")
      .first { $0.hasPrefix("Cpus_allowed_list:") }
    return String(try #require(allowed?.split(separator: "\t").last?.prefix { $0.isNumber }))
  }

  /// All answers of the transcripts in Docs stand in them to the byte, so a build that passes gives the answers of every other.
  @Test(
    "the transcripts of the documentation again and again, on one processor and on all", arguments: [true, false])
  func transcripts(onOne: Bool) throws {
    let folder = try TemporaryFolder()
    let words = ["check", Document.root.appending(path: "Docs").path]
    let program = try Products.path(of: "fsmrepl")
    var outputs: Set<String> = []
    for _ in 0..<Thorough.rounds(50) {
      let run =
        onOne
        ? try ProgramRun("taskset", ["-c", try Self.processor(), program] + words, in: folder, isOurs: false)
        : try ProgramRun("fsmrepl", words, in: folder)
      try expectEqual(run.ending(), .exited(0), "\(run.output)\(run.log)")
      outputs.insert(run.output)
    }
    expectEqual(outputs.count, 1)
  }
}
