import TestSupport
import Testing

/// How bytes become lines, and lines requests, seen from outside.
struct LineTests {
  private let daemon: DaemonProcess
  private let client: TestClient

  init() throws {
    daemon = try DaemonProcess()
    client = try daemon.connect()
  }

  @Test("CRLF ends a line like LF does, and nothing of it comes back")
  func carriageReturn() throws {
    try client.send("new power p\r\nsend p buttonClick\r\nsync\r\n")
    try expect(client.line(), hasPrefix: "+ created p off t=")
    try expect(client.line(), hasPrefix: "+ moved off on t=")
    try expectEqual(client.line(), "+")
  }

  @Test("a request that comes byte by byte is one request")
  func byteByByte() throws {
    for byte in "@a new power p\r\n@b send p set to=on\n".utf8 { try client.send([byte]) }
    try expect(client.line(), hasPrefix: "+ @a created p off t=")
    try expect(client.line(), hasPrefix: "+ @b moved off on t=")
  }

  @Test("a tag stands on every line of its reply, and a malformed one on none")
  func tags() throws {
    let reply = try client.askAll("@x-1._A kinds")
    expect(reply.count > 5)
    expect(reply.dropLast().allSatisfy { $0.hasPrefix(". @x-1._A ") })
    expectEqual(reply.last, "+ @x-1._A \(reply.count - 1)")
    try expect(client.ask("@tag nonsense"), hasPrefix: "- @tag UNKNOWN-VERB verb=nonsense")
    let longest = String(repeating: "t", count: 32)
    try expectEqual(client.ask("@\(longest) sync"), "+ @\(longest)")
    for malformed in ["@", "@\(longest)t", "@a:b", "@é"] {
      try expect(client.ask("\(malformed) sync"), hasPrefix: "- SYNTAX", "\(malformed)")
    }
  }

  @Test("blank lines and comments get no reply, in between or at the end")
  func blanksAndComments() throws {
    try client.send("\n\r\n   \t \n# sync\n  # sync\n@1 sync\n\n#\n@2 sync\n")
    try expectEqual(client.line(), "+ @1")
    try expectEqual(client.line(), "+ @2")
    try expect(client.hasNothing())
  }

  @Test("a line of the longest length is a request; one byte more is TOO-LONG, once, and the connection goes on")
  func longestLine() throws {
    for end in ["\n", "\r\n"] {
      let longest = "sync " + String(repeating: "x", count: 65_536 - 5)
      try expect(client.ask(longest + (end == "\n" ? "" : "\r")), hasPrefix: "- USAGE")
      try client.send(longest + "x" + end + "@next sync" + end)
      try expect(client.line(), hasPrefix: "- TOO-LONG limit=65536 : ")
      try expectEqual(client.line(), "+ @next")
    }
    // A long comment is as long as any other line.
    try client.send("#" + String(repeating: "x", count: 65_536) + "\nsync\n")
    try expect(client.line(), hasPrefix: "- TOO-LONG")
    try expectEqual(client.line(), "+")
  }

  @Test("a line that goes on for a MiB is answered before it ends, and what follows it is a new line")
  func endlessLine() throws {
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 64 << 10)
    for _ in 0..<16 { try client.send(piece) }
    try expect(client.line(), hasPrefix: "- TOO-LONG")
    try expect(client.hasNothing())
    let before = daemon.facts.residentKiB
    for _ in 0..<64 { try client.send(piece) }
    try client.send(" sync\n@after sync\n")
    try expectEqual(client.line(), "+ @after")
    expect(daemon.facts.residentKiB - before < 2_048, "a line that is dropped is not kept")
  }

  @Test(
    "bytes that are no text are SYNTAX, and the connection goes on",
    arguments: [
      ("NUL", [0x73, 0x79, 0x6E, 0x63, 0x00]), ("only NUL", [0x00]), ("escape", [0x1B, 0x5B, 0x41]), ("DEL", [0x7F]),
      ("lone continuation", [0x80]), ("overlong slash", [0xC0, 0xAF]), ("surrogate", [0xED, 0xA0, 0x80]),
      ("past U+10FFFF", [0xF4, 0x90, 0x80, 0x80]), ("cut short", [0x73, 0xE2, 0x82]), ("0xFF", [0xFF, 0xFE]),
      ("CR inside", [0x73, 0x0D, 0x79]), ("C1 control", [0xC2, 0x85]),
    ] as [(String, [UInt8])])
  func noText(_ name: String, _ bytes: [UInt8]) throws {
    try client.send(bytes + [0x0A])
    let answer = try client.line()
    expect(answer, hasPrefix: "- SYNTAX : ", "\(name): \(answer)")
    // Behind a good tag the tag comes back.
    try client.send(Array("@t sync ".utf8) + bytes + [0x0A])
    try expect(client.line(), hasPrefix: "- @t SYNTAX : ", "\(name)")
    try expectEqual(client.ask("sync"), "+", "\(name)")
  }

  @Test(
    "a quote in the wrong place is SYNTAX, and the connection goes on",
    arguments: [
      "\"", "sync \"", "send \"a", "send a\"b\"", "send \"a\"b", "send \"\\x\"", "send \"a\\", "send k=\"a\"b",
    ])
  func quotes(_ line: String) throws {
    try expect(client.ask("@q \(line)"), hasPrefix: "- @q SYNTAX : ")
    try expectEqual(client.ask("sync"), "+")
  }

  @Test("text outside ASCII is text: where it may not stand the answer names it, unharmed")
  func unicode() throws {
    try expect(client.ask("new power schön"), hasPrefix: "- BAD-ARGUMENT argument=name got=schön ")
    try expect(client.ask("🧊"), hasPrefix: "- UNKNOWN-VERB verb=🧊")
    try client.send("new shiftKey k\nwatch k what=moves\nsend k character é\n")
    try expect(client.final(), hasPrefix: "+ created")
    try expectEqual(client.final(), "+ watching 1")
    let lines = try client.reply()
    expect(lines.first, hasSuffix: " k output text é", "\(lines)")
  }

  @Test("requests sent together are answered in their order, whatever they are")
  func pipelined() throws {
    let kinds = try client.askAll("kinds").count
    var text = "new power p\n"
    for number in 0..<2_000 {
      switch number % 4 {
      case 0: text += "@\(number) send p buttonClick\n"
      case 1: text += "@\(number) show p\n"
      case 2: text += "@\(number) nonsense \(number)\n"
      default: text += "@\(number) kinds\n"
      }
    }
    try client.send(text)
    try expect(client.final(), hasPrefix: "+ created p")
    for number in 0..<2_000 {
      let reply = try client.reply()
      expect(reply.allSatisfy { $0.split(separator: " ")[1] == "@\(number)" }, "reply \(number): \(reply)")
      expectEqual(reply.count, [1, 3, 1, kinds][number % 4], "reply \(number): \(reply)")
    }
    try expect(client.hasNothing())
  }
}
