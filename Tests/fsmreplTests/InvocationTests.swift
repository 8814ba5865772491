import LineProtocol
import TestSupport
import Testing
import UnixHost

@testable import fsmrepl

@Suite(.serialized)
struct InvocationTests {
  private func parse(_ words: String...) throws -> Invocation {
    guard case .run(let options, let operands) = try Invocation.table.parse(words) else {
      throw UsageFailure.wrong("not a run")
    }
    return try Invocation(options: options, operands: operands)
  }

  @Test("sources come in the order in which they were given")
  func sources() throws {
    let invocation = try parse("-e", "a", "-f", "x", "-", "-e", "b", "-f", "-")
    expectEqual(invocation.sources, [.expression("a"), .file("x"), .expression("b"), .standardInput, .standardInput])
    try expect(parse().sources.isEmpty)
  }

  @Test("the other options")
  func others() throws {
    let invocation = try parse("-s", "p", "--keep-going", "--raw", "--no-color")
    expectEqual(invocation.socket, "p")
    expect(invocation.keepsGoing && invocation.showsWire && !invocation.allowsColour)
    let bare = try parse()
    expect(!bare.keepsGoing && !bare.showsWire && bare.allowsColour && bare.socket == nil)
    try expect(parse("--present").presents && parse("run", "--present", "a.fsm").presents && !bare.presents)
    try expect(parse("--json").writesJSON && !bare.writesJSON)
    #expect(throws: UsageFailure.self) { try parse("--json", "--echo") }
  }

  @Test("a daemon of one's own is not one that somebody names")
  func ownDaemon() throws {
    try expect(parse("--private").isPrivate)
    try expect(!parse().isPrivate)
    #expect(throws: UsageFailure.self) { try parse("--private", "-s", "p") }
    let own = try parse("--daemon", "lab/Staircase")
    expect(own.daemon == "lab/Staircase" && own.isPrivate)
    let mistake = #expect(throws: UsageFailure.self) { try parse("--daemon", "x", "-s", "p") }
    expectEqual(mistake.map { "\($0)" }, "--daemon starts a daemon of its own, and --socket names another")
    #expect(throws: UsageFailure.self) { try parse("--daemon", "") }
    let page = try parse("--page")
    expect(page.isPrivate && page.pageOptions == ["--page", "0"])
    try expectEqual(parse("--page=[::1]:8080").pageOptions, ["--page", "[::1]:8080"])
    try expectEqual(parse("--page-control").pageOptions, ["--page-control", "--page", "0"])
    #expect(throws: UsageFailure.self) { try parse("--page", "-s", "p") }
  }

  @Test("a script is run, a document is loaded before all else, and any other operand is a mistake")
  func operand() throws {
    try expectEqual(parse("--tap", "a.fsm", "b").run?.files, ["a.fsm", "b"])
    try expectEqual(parse("a.fsm", "run").run?.files, ["a.fsm", "run"])
    #expect(throws: UsageFailure.self) { try parse("-e", "list", "a.fsm") }
    let loads = try parse("-e", "a", "b c.mmd", "-", "d.xml")
    expectEqual(loads.sources, [.document("b c.mmd"), .document("d.xml"), .expression("a"), .standardInput])
    expectEqual(loads.sources.compactMap(\.request), ["load \"b c.mmd\"", "load d.xml"])
    try expectEqual(parse("readme.md").sources, [.document("readme.md")])
    #expect(throws: UsageFailure.self) { try parse("tour.transcript") }
    #expect(throws: UsageFailure.self) { try parse("a.mmd", "a.fsm") }
  }

  @Test("a mistyped option is said with the one that is near", arguments: [("--jnuit", "--junit"), ("--rwa", "--raw")])
  func meantOption(word: String, meant: String) {
    let failure = #expect(throws: UsageFailure.self) { try parse(word) }
    expectEqual(
      failure.map { Invocation.table.text(of: $0) { Nearest.match($0, among: $1) } },
      "unknown option \(word) (did you mean \(meant)?)")
  }

  @Test("exit statuses by the code of the failure")
  func statuses() {
    expectEqual(ExitCode.of(failure: "EXPECTED"), .expectation)
    expectEqual(ExitCode.of(failure: "TIMEOUT"), .timeOut)
    for code in ["REFUSED", "SYNTAX", "BATCH", "CANCELLED", "OF-THE-FUTURE"] {
      expectEqual(ExitCode.of(failure: code), .failed)
    }
  }
}
