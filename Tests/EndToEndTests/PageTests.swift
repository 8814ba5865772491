import Glibc
import TestSupport
import Testing
import UnixHost

/// The live page of a daemon as a process.
struct PageTests {
  /// The link that a daemon logs soon after it accepts clients.
  private static func link(of daemon: DaemonProcess) throws -> String {
    try Patience.wait(for: "the link") {
      daemon.run.log.firstMatch(of: #/ page (http://\S+)\n/#).map { String($0.output.1) }
    }
  }

  /// What a program writes when it is told to end at once.
  private func run(_ program: String, _ arguments: [String]) throws -> ProgramRun {
    let run = try ProgramRun(program, arguments, in: try TemporaryFolder())
    _ = try run.ending()
    return run
  }

  @Test("the link is logged once the page can be opened; a browser gets the page, its stream, and the end of it")
  func opens() throws {
    let daemon = try DaemonProcess("--ephemeral", "--page", "0")
    let link = try Self.link(of: daemon)
    let parts = try #require(link.wholeMatch(of: ##/http://127\.0\.0\.1:(\d+)/#([0-9a-f]{32})/##)).output
    let port = try #require(UInt16(parts.1))
    let browser = try TestClient(port: port)
    try browser.send("GET /stream HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: fsmd-\(port)=\(parts.2)\r\n\r\n")
    try expectEqual(browser.line(), "HTTP/1.1 200 OK\r")
    _ = try browser.lines { $0.contains(#""protocol":"1""#) }
    let client = try daemon.connect()
    try expect(client.askAll("stats").contains { $0.hasPrefix(". clients 2") })
    daemon.signal(SIGTERM)
    _ = try browser.lines { $0.contains(#""reason":"shutdown""#) }
    _ = try browser.lines { $0 == "0\r" }
    try expectEqual(daemon.run.ending(), .exited(0))
  }

  @Test("a port that is taken ends the start with a clear word and exit code 2, and leaves no socket behind")
  func portTaken() throws {
    let daemon = try DaemonProcess("--ephemeral", "--page", "0")
    let link = try Self.link(of: daemon)
    let port = try #require(link.firstMatch(of: #/:(\d+)//#)).output.1
    let folder = try TemporaryFolder()
    let second = try ProgramRun(
      "fsmd", ["--ephemeral", "--socket", "\(folder.path)/s", "--page", "\(port)"], in: folder)
    try expectEqual(second.ending(), .exited(2))
    expect(
      second.log,
      contains: "error another program listens on 127.0.0.1:\(port); give another port, or 0 for any that is free")
    expect(access("\(folder.path)/s", F_OK) != 0)
  }

  @Test("wrong options are explained")
  func usage() throws {
    let control = try run("fsmd", ["--page-control"])
    try expectEqual(control.ending(), .exited(1))
    expect(control.log, contains: "--page-control is about the page, which --page [HOST:]PORT opens")
    for wrong in ["x", "65536", "example.org:80", "::1:80", ""] {
      let page = try run("fsmd", ["--page", wrong])
      try expectEqual(page.ending(), .exited(1))
      expect(page.log, contains: "--page takes [HOST:]PORT", "\(wrong)")
    }
  }

  @Test("fsmrepl opens a page of its own daemon and prints its link")
  func prompt() throws {
    let repl = try run("fsmrepl", ["--page", "-e", "worlds"])
    try expectEqual(repl.ending(), .exited(0))
    expect(repl.log.contains(##/fsmrepl: the page is at http://127\.0\.0\.1:\d+/#[0-9a-f]{32}\n/##), "\(repl.log)")
    try expectEqual(run("fsmrepl", ["--private", "-e", "worlds"]).log.contains("page"), false)
  }

  @Test("a stream takes at most 64 KiB of memory")
  func memory() throws {
    let daemon = try DaemonProcess("--ephemeral", "--page", "0")
    let link = try Self.link(of: daemon)
    let parts = try #require(link.wholeMatch(of: ##/http://127\.0\.0\.1:(\d+)/#(\S+)/##)).output
    let port = try #require(UInt16(parts.1))
    func open() throws -> TestClient {
      let browser = try TestClient(port: port)
      try browser.send("GET /stream HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: fsmd-\(port)=\(parts.2)\r\n\r\n")
      _ = try browser.lines { $0.contains(#""protocol":"1""#) }
      return browser
    }
    func resident() throws -> Int {
      let line = try daemon.connect().askAll("stats").first { $0.hasPrefix(". resident ") }
      return line.flatMap { Int($0.split(separator: " ")[2]) } ?? 0
    }
    var streams = try (0..<20).map { _ in try open() }
    let before = try resident()
    streams += try (0..<200).map { _ in try open() }
    let after = try resident()
    expect((after - before) / 200 <= 64 << 10, "\((after - before) / 200) bytes per stream")
    withExtendedLifetime(streams) {}
  }
}
