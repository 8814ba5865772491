import TestSupport
import Foundation
import StateMachines
import Testing
import UnixHost

/// Random scripts, played many requests at a time, and one at a time.
struct ScriptsRandomTests {
  private static let anywhere = [
    "send k tap", "send k nope", "send k tap => on", "send p.phone tap", "send nobody tap", "expect k on",
    "expect k timers doubleTap", "expect f reading temperature 4 ±3", "expect output f compressorOn", "list => ok",
    "show f", "journal limit=3", "fire k doubleTap", "send k character \"$$ b\"", "cast * tap", "wires",
    "can k tap => yes", "send k tap => refused",
  ]
  private static let outsideOfBatches = [
    "after 200ms", "after 100ms send k tap", "at 5s list", "advance 10m", "await f waiting within=1h",
    "await k capsLock within=1s", "step 3", "expect output f compressorOff within 1h", "never k capsLock",
    "never f waiting", "watch k what=all", "clock",
  ]

  private static func block(_ dice: inout Dice, depth: Int, isBatch: Bool) -> [String] {
    var lines: [String] = []
    for _ in 0...dice.number(below: 7) {
      switch dice.number(below: 10) {
      case 0 where depth < 3:
        // Not 50 times 50 times 50.
        let times = dice.one(of: depth < 2 ? ["0", "1", "3", "50"] : ["0", "1", "3"])
        lines += ["repeat \(times)"] + block(&dice, depth: depth + 1, isBatch: isBatch) + ["end"]
      case 1 where !isBatch:
        lines += ["begin"] + block(&dice, depth: depth + 1, isBatch: true) + ["end" + dice.one(of: ["", " => ok"])]
      default: lines.append(dice.one(of: isBatch ? anywhere : anywhere + outsideOfBatches))
      }
    }
    return lines
  }

  @Test(
    "what comes out of a script does not depend on how many requests are under way", arguments: Thorough.rounds(1..<3))
  func pipelining(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: "\(folder.path)/s", withIntermediateDirectories: true)
    for number in Thorough.rounds(100..<160, atLeast: 12) {
      let lines = ["new shiftKey k", "new fridge f start=4", "new phoneCall p"]
      // The first one succeeds.
      let block = number == 100 ? [] : Self.block(&dice, depth: 0, isBatch: false)
      let text = (lines + block).joined(separator: "\n")
      try Data(text.utf8).write(to: URL(filePath: "\(folder.path)/s/\(number).fsm"))
    }
    func report(_ options: [String]) throws -> [Substring] {
      let run = try ProgramRun(
        "fsmrepl", ["run", "-k"] + options + ["\(folder.path)/s"], in: folder, environment: ScriptsTests.alone)
      expect([.exited(3), .exited(4), .exited(5)].contains(try run.ending()), "seed \(seed): \(run.log)")
      // What is seen at real pace only begins with one of these.
      return run.output.split(separator: "\n").filter { !["> ", "* ", "! "].contains($0.prefix(2)) }
    }
    let manyAtATime = try report([])
    let oneAtATime = try report(["--real", "--speed", "1000000"])
    expect(manyAtATime.contains { $0.hasPrefix("ok ") } && manyAtATime.contains { $0.hasPrefix("not ok ") })
    for (many, one) in zip(manyAtATime, oneAtATime) { try #require(many == one, "seed \(seed)") }
    expectEqual(manyAtATime.count, oneAtATime.count, "seed \(seed)")
  }
}
