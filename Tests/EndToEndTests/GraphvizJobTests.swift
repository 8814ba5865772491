import Glibc
import TestSupport
import Testing
import UnixHost

/// Pictures that another program draws for the daemon.
@Suite(.serialized)
struct GraphvizJobTests {
  private let folder = Result { try TemporaryFolder() }

  /// A folder with a program named `dot` in it, which the daemon finds first.
  ///
  /// - Parameter reads: Whether it reads what it is to draw first.
  private func programs(_ script: String, reads: Bool = true) throws -> String {
    let path = try folder.get().path
    let file = open("\(path)/dot", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o700)
    guard file >= 0 else { throw HarnessFailure(what: "cannot make a program: errno \(errno)") }
    let descriptor = Descriptor(rawValue: file)
    defer { descriptor.close() }
    expect(descriptor.writeAll("#!/bin/sh\n\(reads ? "while read -r line; do :; done\n" : "")\(script)\n"))
    return path
  }

  @Test("what the program draws comes line by line")
  func picture() throws {
    let daemon = try DaemonProcess(environment: [("PATH", try programs("echo '<svg>'; echo; echo '</svg>'"))])
    let client = try daemon.connect()
    try client.send("@p graph fridge format=svg\n")
    let lines = try client.reply()
    expectEqual([lines.first, lines.dropLast().last], [". @p <svg>", ". @p </svg>"])
    expect(lines, contains: ". @p @media (prefers-color-scheme: dark) {", "dark screens get other colours")
    expectEqual(lines.last, "+ @p \(lines.count - 1)")
  }

  @Test("a composed kind is drawn as well")
  func composition() throws {
    let daemon = try DaemonProcess(environment: [("PATH", try programs("echo '<svg/>'"))])
    let client = try daemon.connect()
    try client.send("graph phoneCall format=svg\n")
    try expectEqual(client.reply(), [". <svg/>", "+ 1"])
  }

  @Test("others are served while the program draws, and no more than a few pictures are drawn at once")
  func fairness() throws {
    let path = try folder.get().path
    expectEqual(mkfifo("\(path)/gate", 0o600), 0)
    let daemon = try DaemonProcess(
      environment: [("PATH", try programs("read -r go < '\(path)/gate'; echo '<svg/>'"))])
    let (waiting, other) = (try daemon.connect(), try daemon.connect())
    try waiting.send("graph fridge format=svg\nsync\n")
    try expect(other.ask("new power p"), hasPrefix: "+ created p off ")
    try expectEqual(other.ask("sync"), "+")
    // To open the gate waits for the program to come to it.
    let gate = Descriptor(rawValue: open("\(path)/gate", O_WRONLY | O_CLOEXEC))
    expect(gate.writeAll("go\n"))
    gate.close()
    try expectEqual(waiting.reply(), [". <svg/>", "+ 1"])
    try expectEqual(waiting.final(), "+")
  }

  @Test("a program that draws nothing, or is not there, is told, with what works without it")
  func failures() throws {
    let allowed =
      "- BAD-ARGUMENT argument=format got=svg allowed=table,dot,mermaid,stateDiagram,plantuml,json,tests,scxml : "
    let useless = try DaemonProcess(environment: [("PATH", try programs("exit 1"))])
    try expectEqual(
      useless.connect().ask("graph fridge format=svg"), allowed + "'dot' has drawn nothing that could be used")
    let none = try DaemonProcess(environment: [("PATH", "/nonexistent")])
    let client = try none.connect()
    let answer = try client.ask("graph fridge format=svg")
    expect(answer, hasPrefix: allowed + "svg is drawn by the program 'dot' of Graphviz, which cannot be started")
    expect(answer, hasSuffix: "install graphviz")
    try expectEqual(client.ask("graph fridge format=dot show=plain"), "+ 12")
  }

  @Test("a program that hangs and ignores signals ends with its client, and so does what it has started")
  func hanging() throws {
    let path = try folder.get().path
    // It neither reads nor writes; its child holds the output open.
    let script = """
      trap '' HUP INT TERM PIPE
      tail -f /dev/null &
      echo $$ $! >> '\(path)/processes'
      tail -f /dev/null
      """
    let daemon = try DaemonProcess(environment: [("PATH", "\(try programs(script, reads: false)):/usr/bin:/bin")])
    func processes() -> [Int32] {
      guard let file = fopen("\(path)/processes", "r") else { return [] }
      defer { fclose(file) }
      var text = [UInt8](repeating: 0, count: 4_096)
      let count = fread(&text, 1, text.count, file)
      guard text[..<count].last == UInt8(ascii: "\n") else { return [] }
      return String(decoding: text[..<count], as: UTF8.self).split { $0 == " " || $0 == "\n" }.compactMap { Int32($0) }
    }
    var clients = try (0..<4).map { _ in try daemon.connect() }
    for client in clients { try client.send("graph fridge format=svg\n") }
    try Patience.wait(until: "four programs at work") { processes().count == 8 }
    // A fifth is not begun, and says why.
    let fifth = try daemon.connect()
    try expectEqual(
      fifth.ask("graph fridge format=svg"),
      "- LIMIT name=drawings value=4 : 4 pictures are being drawn already; ask again when one is done, or take format=dot"
    )
    try expectEqual(fifth.ask("graph fridge format=dot show=plain"), "+ 12")
    clients.removeFirst().close()
    try Patience.wait(until: "the first program's end") {
      processes()[..<8].count { ProcessFacts(pid: $0).residentKiB > 0 } <= 6
    }
    try fifth.send("graph fridge format=svg\n")
    try Patience.wait(until: "a fifth program at work") { processes().count == 10 }
    for client in clients { client.close() }
    fifth.close()
    try Patience.wait(until: "the end of all programs") {
      processes().allSatisfy { ProcessFacts(pid: $0).residentKiB == 0 }
    }
    try expectEqual(daemon.connect().ask("sync"), "+")
  }

  @Test("a program that writes without end, to its output or its errors, is cut off")
  func flood() throws {
    let allowed =
      "- BAD-ARGUMENT argument=format got=svg allowed=table,dot,mermaid,stateDiagram,plantuml,json,tests,scxml : "
    let script = "while :; do echo '<svg>'; done >&2 &\nexec yes '<svg>'"
    let daemon = try DaemonProcess(environment: [("PATH", "\(try programs(script, reads: false)):/usr/bin:/bin")])
    let (client, other) = (try daemon.connect(), try daemon.connect())
    try client.send("graph fridge format=svg\n")
    try expectEqual(other.ask("sync"), "+")
    try expectEqual(client.final(), allowed + "'dot' has drawn nothing that could be used")
  }

  @Test("a client that leaves ends the drawing, and nothing stays open")
  func leaving() throws {
    let path = try folder.get().path
    expectEqual(mkfifo("\(path)/gate", 0o600), 0)
    let daemon = try DaemonProcess(
      environment: [("PATH", try programs("read -r go < '\(path)/gate'; echo '<svg/>'"))])
    let before = try daemon.idleDescriptors()
    for _ in 0..<8 {
      let client = try daemon.connect()
      try client.send("graph fridge format=svg\n")
      client.close()
    }
    expectEqual(daemon.surplusDescriptors(over: before), 0)
  }
}
