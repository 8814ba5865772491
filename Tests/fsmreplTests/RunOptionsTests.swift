import TestSupport
import Testing
import UnixHost

@testable import fsmrepl

@Suite(.serialized)
struct RunOptionsTests {
  private func parse(_ words: String...) throws -> Invocation { try parse(words) }

  private func parse(_ words: [String]) throws -> Invocation {
    guard case .run(let options, let operands) = try Invocation.table.parse(words) else {
      throw UsageFailure.wrong("not a run")
    }
    return try Invocation(options: options, operands: operands)
  }

  @Test("what is run, and how, wherever the options stand")
  func options() throws {
    let invocation = try parse("-s", "p", "run", "a.fsm", "--tap", "-k", "b", "--junit", "j.xml", "--seed=7")
    var wanted = RunOptions(files: ["a.fsm", "b"])
    wanted.isTAP = true
    wanted.junit = "j.xml"
    wanted.seed = 7
    expectEqual(invocation.run, wanted)
    expect(invocation.socket == "p" && invocation.keepsGoing && invocation.sources.isEmpty)
    wanted = RunOptions(files: ["a.mmd"])
    wanted.onlyChecks = true
    try expectEqual(parse("run", "--check", "a.mmd").run, wanted)
    try expectEqual(parse("run", "-").run, RunOptions(files: ["-"]))
  }

  @Test("real pace has a speed, 1 if none is given")
  func pace() throws {
    try expectEqual(parse("run", "--real", "a").run?.speed, 1)
    try expectEqual(parse("run", "--real", "--speed", "0.5", "a").run?.speed, 0.5)
    try expectNil(parse("run", "a").run?.speed)
  }

  @Test("each of several scripts has a picture of its own, with the folders that tell it from the others")
  func pictures() throws {
    let options = try #require(try parse("run", "--wave", "out/w.svg", "a").run)
    expectEqual(options.wavePaths(of: tests("a.fsm")), ["out/w.svg"])
    expectEqual(options.wavePaths(of: tests("a.fsm", "x/b.fsm")), ["out/w-a.svg", "out/w-b.svg"])
    expectEqual(
      options.wavePaths(of: tests("../a/x.fsm", "b/x.fsm", "y.fsm", "c/b/x.fsm", "a-x.fsm", "y.fsm")),
      ["out/w-a-x.svg", "out/w-b-x.svg", "out/w-y.svg", "out/w-c-b-x.svg", "out/w-a-x-2.svg", "out/w-y-2.svg"])
    try expectEqual(parse("run", "--wave", "w", "a").run?.wavePaths(of: tests("a", "b")), ["w-a", "w-b"])
    try expectEqual(parse("run", "a").run?.wavePaths(of: tests("a")).isEmpty, true)
    expect(!options.drawsAll)
    try expectEqual(parse("run", "--wave", "w", "--wave-all", "a").run?.drawsAll, true)
    #expect(throws: UsageFailure.wrong("--wave-all goes with --wave")) { try parse("run", "--wave-all", "a") }
    let cases = ["a/b", "a b"].map { RunResult(name: "s.fsm", title: $0, seed: 3) }
    expectEqual(options.wavePaths(of: cases), ["out/w-s-a-b-seed3.svg", "out/w-s-a-b-seed3-2.svg"])
  }

  private func tests(_ names: String...) -> [RunResult] { names.map { RunResult(name: $0) } }

  @Test("values, selection, speed and coverage, each with its limits")
  func bench() throws {
    let run = try #require(
      try parse(
        "run", "--let", "a=1", "--let", "b=x=y", "--only", "*:t*", "-j", "4", "--repeat=3", "--warnings-fail",
        "--coverage", "c/", "--at-least", "states=70%", "f"
      ).run)
    expect(run.values == ["a": "1", "b": "x=y"] && run.only == ["*:t*"] && run.jobs == 4 && run.times == 3)
    expect(run.failsOnWarnings && run.coverageFolder == "c/" && run.floor?.level == .states && run.floor?.percent == 70)
    try expectEqual(parse("run", "--at-least", "0%", "f").run?.floor?.level, .transitions)
    let wrong = [
      ["--junit", "-"],
      ["--let", "a"], ["--let", "1a=2"], ["--let", "a=\u{7}"], ["--let", "a=1", "--let", "a=1"], ["-j", "0"],
      ["-j", "65"],
      ["--repeat", "x"], ["--at-least", "101%"], ["--at-least", "9"], ["--at-least", "pairs=1%"],
      ["--at-least", "-1%"],
      ["--real", "-j2"], ["--check", "--coverage", "c"], ["--show", "--only", "a"],
    ]
    for words in wrong { #expect(throws: UsageFailure.self, "\(words)") { try parse(["run", "f"] + words) } }
  }

  @Test("what is checked, and how")
  func check() throws {
    let invocation = try parse("check", "a.md", "--tap", "-k", "b", "--junit", "j.xml", "--update")
    var wanted = CheckOptions(files: ["a.md", "b"])
    wanted.isTAP = true
    wanted.junit = "j.xml"
    wanted.updates = true
    expectEqual(invocation.check, wanted)
    expect(invocation.run == nil && invocation.keepsGoing && invocation.sources.isEmpty)
    try expectEqual(parse("--record", "f", "-e", "list").record, "f")
  }

  @Test(
    "mistakes",
    arguments: [
      ["run"], ["run", "a", "--speed", "2"], ["run", "a", "--real", "--speed", "0"],
      ["run", "a", "--real", "--speed", "nan"], ["run", "a", "--seed", "-1"], ["run", "a", "-e", "list"],
      ["run", "a", "--echo"], ["run", "a", "--json"], ["--tap"], ["--seed", "1", "-e", "list"],
      ["check"], ["check", "-", "--update"], ["check", "a", "--seed", "1"], ["check", "a", "--real"],
      ["check", "a", "-e", "list"], ["check", "a", "--record", "b"], ["run", "a", "--record", "b"],
      ["run", "a", "--update"], ["--update"], ["lesson", "a", "-k"], ["lesson", "a", "--raw"],
      ["check", "a", "--page"],
      ["lesson", "--auto"],
    ])
  func mistakes(words: [String]) throws {
    guard case .run(let options, let operands) = try Invocation.table.parse(words) else { return }
    #expect(throws: UsageFailure.self) { try Invocation(options: options, operands: operands) }
  }
}
