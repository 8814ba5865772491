import Glibc
import Testing
import UnixHost

/// Pictures that another program draws for the daemon.
@Suite(.serialized)
struct DrawingTests {
  private let folder = Result { try TemporaryFolder() }

  /// A folder with a program named `dot` in it, which the daemon finds first.
  private func programs(_ script: String) throws -> String {
    let path = try folder.get().path
    let file = open("\(path)/dot", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o700)
    guard file >= 0 else { throw HarnessFailure(what: "cannot make a program: errno \(errno)") }
    let descriptor = Descriptor(rawValue: file)
    defer { descriptor.close() }
    #expect(descriptor.writeAll("#!/bin/sh\nwhile read -r line; do :; done\n\(script)\n"))
    return path
  }

  @Test("what the program draws comes line by line")
  func picture() throws {
    let daemon = try DaemonProcess(environment: [("PATH", try programs("echo '<svg>'; echo; echo '</svg>'"))])
    let client = try daemon.connect()
    try client.send("@p graph fridge format=svg\n")
    #expect(try client.reply() == [". @p <svg>", ". @p ", ". @p </svg>", "+ @p 3"])
  }

  @Test("a composed kind is drawn as well")
  func composition() throws {
    let daemon = try DaemonProcess(environment: [("PATH", try programs("echo '<svg/>'"))])
    let client = try daemon.connect()
    try client.send("graph phoneCall format=svg\n")
    #expect(try client.reply() == [". <svg/>", "+ 1"])
  }

  @Test("others are served while the program draws, and no more than a few pictures are drawn at once")
  func fairness() throws {
    let path = try folder.get().path
    #expect(mkfifo("\(path)/gate", 0o600) == 0)
    let daemon = try DaemonProcess(
      environment: [("PATH", try programs("read -r go < '\(path)/gate'; echo '<svg/>'"))])
    let (waiting, other) = (try daemon.connect(), try daemon.connect())
    try waiting.send("graph fridge format=svg\nsync\n")
    #expect(try other.ask("new power p").hasPrefix("+ created p off "))
    #expect(try other.ask("sync") == "+")
    // To open the gate waits for the program to come to it.
    let gate = Descriptor(rawValue: open("\(path)/gate", O_WRONLY | O_CLOEXEC))
    #expect(gate.writeAll("go\n"))
    gate.close()
    #expect(try waiting.reply() == [". <svg/>", "+ 1"])
    #expect(try waiting.final() == "+")
  }

  @Test("a program that draws nothing, or is not there, is told, with what works without it")
  func failures() throws {
    let allowed = "- BAD-ARGUMENT argument=format got=svg allowed=table,dot,mermaid,stateDiagram,plantuml,tests : "
    let useless = try DaemonProcess(environment: [("PATH", try programs("exit 1"))])
    #expect(
      try useless.connect().ask("graph fridge format=svg") == allowed + "'dot' has drawn nothing that could be used")
    let none = try DaemonProcess(environment: [("PATH", "/nonexistent")])
    let client = try none.connect()
    let answer = try client.ask("graph fridge format=svg")
    #expect(answer.hasPrefix(allowed + "svg is drawn by the program 'dot' of Graphviz, which cannot be started"))
    #expect(answer.hasSuffix("install graphviz"))
    #expect(try client.ask("graph fridge format=dot") == "+ 12")
  }

  @Test("a client that leaves ends the drawing, and nothing stays open")
  func leaving() throws {
    let path = try folder.get().path
    #expect(mkfifo("\(path)/gate", 0o600) == 0)
    let daemon = try DaemonProcess(
      environment: [("PATH", try programs("read -r go < '\(path)/gate'; echo '<svg/>'"))])
    let before = try daemon.idleDescriptors()
    for _ in 0..<8 {
      let client = try daemon.connect()
      try client.send("graph fridge format=svg\n")
      client.close()
    }
    #expect(daemon.surplusDescriptors(over: before) == 0)
  }
}
