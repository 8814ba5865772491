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
    #expect(invocation.sources == [.expression("a"), .file("x"), .expression("b"), .standardInput, .standardInput])
    #expect(try parse().sources.isEmpty)
  }

  @Test("the other options")
  func others() throws {
    let invocation = try parse("-s", "p", "--keep-going", "--raw", "--no-color")
    #expect(invocation.socket == "p")
    #expect(invocation.keepsGoing && invocation.showsWire && !invocation.allowsColour)
    let bare = try parse()
    #expect(!bare.keepsGoing && !bare.showsWire && bare.allowsColour && bare.socket == nil)
  }

  @Test("a room is presented to where it is asked for, whatever is played")
  func present() throws {
    #expect(try parse("--present").presents && !parse().presents)
    #expect(try parse("run", "--present", "a.fsm").presents)
  }

  @Test("objects are all that is shown where they are asked for")
  func json() throws {
    #expect(try parse("--json").writesJSON && !parse().writesJSON)
    #expect(throws: UsageFailure.self) { try parse("--json", "--echo") }
  }

  @Test("a daemon of one's own is not one that somebody names")
  func ownDaemon() throws {
    #expect(try parse("--private").isPrivate)
    #expect(try !parse().isPrivate)
    #expect(throws: UsageFailure.self) { try parse("--private", "-s", "p") }
    let own = try parse("--daemon", "lab/Staircase")
    #expect(own.daemon == "lab/Staircase" && own.isPrivate)
    let mistake = #expect(throws: UsageFailure.self) { try parse("--daemon", "x", "-s", "p") }
    #expect(mistake.map { "\($0)" } == "--daemon starts a daemon of its own, and --socket names another")
    #expect(throws: UsageFailure.self) { try parse("--daemon", "") }
    let page = try parse("--page")
    #expect(page.isPrivate && page.pageOptions == ["--page", "0"])
    #expect(try parse("--page=[::1]:8080").pageOptions == ["--page", "[::1]:8080"])
    #expect(try parse("--page-control").pageOptions == ["--page-control", "--page", "0"])
    #expect(throws: UsageFailure.self) { try parse("--page", "-s", "p") }
  }

  @Test("an operand that is no '-' is a mistake")
  func operand() {
    #expect(throws: UsageFailure.self) { try parse("script.fsm") }
  }

  @Test("exit statuses by the code of the failure")
  func statuses() {
    #expect(ExitCode.of(failure: "EXPECTED") == .expectation)
    #expect(ExitCode.of(failure: "TIMEOUT") == .timeOut)
    for code in ["REFUSED", "SYNTAX", "BATCH", "CANCELLED", "OF-THE-FUTURE"] {
      #expect(ExitCode.of(failure: code) == .failed)
    }
  }
}
