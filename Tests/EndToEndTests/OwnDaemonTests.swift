import Foundation
import TestSupport
import Testing
import UnixHost

@Suite("fsmrepl starts the daemon that it is told to")
struct OwnDaemonTests {
  @Test("a daemon under another name, wherever it is")
  func other() throws {
    let place = try Workplace()
    // `make test-lab` does the same with a daemon that has a kind more.
    let daemon = place.path("Staircase")
    try FileManager.default.createSymbolicLink(atPath: daemon, withDestinationPath: try Products.path(of: "fsmd"))
    let run = try place.run("--daemon", daemon, "-e", "new power p", "-e", "expect p off")
    expectEqual(run.code, .exited(0), "\(run.log)")
    expectEqual(run.log, "fsmrepl: starting a daemon for this session alone\n")
  }

  @Test("messages and help name the program that runs")
  func name() throws {
    let place = try TemporaryFolder()
    let daemon = "\(place.path)/Staircase"
    try FileManager.default.createSymbolicLink(atPath: daemon, withDestinationPath: try Products.path(of: "fsmd"))
    func run(_ words: String...) throws -> (output: String, log: String) {
      let program = try ProgramRun(daemon, words, in: place, isOurs: false)
      _ = try program.ending()
      return (program.output, program.log)
    }
    try expectEqual(
      run("repair").log, "Staircase: which world? 'Staircase repair WORLD'\nTry 'Staircase repair --help'.\n")
    try expect(run("repiar").log, hasPrefix: "Staircase: 'repiar' is no command; ")
    let help = try run("--help").output
    expect(help, hasPrefix: "usage: Staircase [OPTION]...\n       Staircase export [OPTION]... WORLD [FILE]\n")
    expect(!help.contains("fsmd verify"))
  }

  @Test("what is no daemon, or is not there, is named")
  func mistakes() throws {
    let place = try Workplace()
    let absent = try place.run("--daemon", place.path("absent"), "-e", "list")
    expectEqual(absent.code, .exited(2))
    expect(absent.log, contains: "cannot start absent: ")
    let other = try place.run("--daemon", "/bin/false", "-e", "list")
    expectEqual(other.code, .exited(2))
    expect(other.log, contains: "ended at once")
    let both = try place.run("--daemon", "/bin/false", "--socket", "s")
    expectEqual(both.code, .exited(1))
    expect(both.log, contains: "--daemon starts a daemon of its own, and --socket names another")
  }
}
