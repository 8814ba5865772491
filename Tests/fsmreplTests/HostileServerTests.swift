import Glibc
import LineProtocol
import Synchronization
import TestSupport
import Testing
import UnixHost

@testable import fsmrepl

/// A server that would like to have the terminal: nothing of what it says may be obeyed, wherever it stands.
@Suite(.serialized)
struct HostileServerTests {
  /// A title, a colour, a bell, the same as one character, text that runs backwards.
  nonisolated private static let evil = "\u{1B}]0;title\u{07}\u{1B}[31m\u{08}\u{7F}\u{9B}31m\u{202E}evil\u{2066}"
  nonisolated private static let shown = #"\e]0;title\u{7}\e[31m\u{8}\u{7F}\u{9B}31m\u{202E}evil\u{2066}"#
  nonisolated private static let fakePrompt = #""\n\nmain real 9.9s> shutdown""#

  /// A line of each class with something in each of its places, with and without a known request for it.
  nonisolated private static let lines: [String] = {
    var lines: [String] = []
    for evil in [evil, fakePrompt] {
      let e = evil
      let note = e.filter { $0 != "\"" }
      lines += [
        "* 1 2.000 \(e) moved \(e) \(e) event=\(e) \(note)=x : \(note)", "* \(e) \(e) \(e) \(e) \(e)",
        "* 1 2.000 k output \(e) \(e)", "* 1 2.000 k armed \(e) due=\(e)", "* 1 2.000 k created \(e) \(e)",
        "* 1 2.000 k wired \(e) \(e) \(e)", "* 1 2.000 - undone from=\(e) to=\(e)", "* 1 \(e) k dropped",
        "* 1 2.000 k refused \(e) event=\(e)", "* 1 2.000 - clock mode=\(e) speed=\(e)",
        "! gap from=\(e) to=\(e)", "! livelock world=\(e) machine=\(e) timer=\(e) t=\(e)",
        "! livelock world=\(e) machine=\(e) output=\(e)", "! limit name=\(e) value=\(e) timer=\(e) machine=\(e)",
        "! \(e) \(e)=\(e) : \(note)", "what \(e) is this", "{\"class\":\"notice\",\"seq\":\"\(note)\"}",
        "{\"class\":\"flow\",\"what\":\"\\u001b]0;x\\u0007\\u202e\"}", ". \(e)",
      ]
    }
    return lines
  }()

  /// Each is the answer to some request.
  nonisolated private static func answers(to request: String) -> [String] {
    let e = request.hasSuffix("2") ? fakePrompt : evil
    let note = e.filter { $0 != "\"" }
    switch request.split(separator: " ").first {
    case "send": return ["+ @ moved \(e) \(e) t=\(e) seq=\(e) outputs=\(e),\(e)"]
    case "new": return ["+ @ created \(e) \(e) t=1.000 seq=1"]
    case "await": return ["- @ TIMEOUT state=\(e) t=\(e) : \(note)"]
    case "fire":
      return ["- @ REFUSED machine=\(e) state=\(e) event=\(e) allowed=\(e),\(e) from=\(e) way=\(e) : \(note)"]
    case "expect": return ["- @ EXPECTED expected=\(e) got=\(e) : \(note)"]
    case "drop": return ["- @ \(e) \(e)=\(e) did-you-mean=\(e) allowed=\(e) : \(note)"]
    case "list": return [". @ \(e) \(e) \(e)=\(e) : \(note)", "+ @ 1"]
    case "show": return [". @ state \(e)", ". @ timer \(e) due=\(e)", ". @ allowed \(e) \(e)", "+ @ 3"]
    case "describe": return [". @ kind \(e) a=\(e) : \(note)", ". @ table : \(note)", ". @ example : \(note)", "+ @ 3"]
    case "journal": return [". @ \(e) \(e) \(e) moved \(e) \(e)", ". @ \(e)", "+ @ 2"]
    case "coverage": return [". @ kind \(e) machines=\(e) states=\(e)", ". @ untried \(e) pair \(e) \(e)", "+ @ 2"]
    case "diff": return [". @ state \(e) \(e) \(e)", ". @ only \(e) \(e) \(e) \(e)", ". @ \(e)", "+ @ 3"]
    case "graph": return [". @ \(note)", ". @ > \(note)", "+ @ 2"]
    case "help": return [". @ send NAME \(e) : \(note)", ". @ \(e) : \(note)", "+ @ 2"]
    case "can": return ["+ @ no from=\(e) way=\(e) : \(note)"]
    case "use": return ["+ @ world=\(e) clock=\(e) t=\(e) speed=\(e)"]
    default: return ["+ @ \(e) \(e)=\(e) : \(note)"]
    }
  }

  private static let requests = [
    "send", "new", "await", "fire", "expect", "drop", "list", "show", "describe", "journal", "coverage", "diff",
    "graph", "help", "can", "clock", "world", "use",
  ].flatMap { ["\($0) 1", "\($0) 2"] }

  /// Whether everything that was written to the terminal is harmless: of control characters only those that readline
  /// moves the cursor, rings and waits with and that end lines, and no prompt but ours at the beginning of a line.
  private func expectHarmless(_ bytes: [UInt8], _ what: String, sourceLocation: SourceLocation = #_sourceLocation) {
    let text = String(decoding: bytes, as: UTF8.self)
    let readline = text.replacing(#/\e\[[0-9;?]*[A-Zhl]|\e[=>M]|\e\[m/#, with: "")
    // As their numbers, or a failure of this test would do to this terminal what it is about.
    let odd = readline.unicodeScalars.filter {
      $0.value < 0x20 && !["\0", "\n", "\r", "\t", "\u{07}", "\u{08}"].contains($0) || (0x7F...0x9F).contains($0.value)
        || $0.properties.generalCategory == .format || $0 == "\u{FFFD}"
    }.map { String($0.value, radix: 16) }
    #expect(odd.isEmpty, "\(what): \(text.debugDescription)", sourceLocation: sourceLocation)
    #expect(
      !text.contains("]0;title\u{07}") && !text.contains("\u{08}\u{7F}"), "\(what)", sourceLocation: sourceLocation)
    #expect(
      !readline.contains(#/[\r\n] *main real 9\.9s> shutdown/#), "\(what)", sourceLocation: sourceLocation)
  }

  @Test("at the prompt, in words, in lines and in objects", arguments: [[], ["--raw"], ["--json"]])
  func atThePrompt(options: [String]) throws {
    let server = try FakeServer(
      greeting: [
        "+ fsmd protocol=1 version=\(Self.evil) world=\(Self.evil) clock=\(Self.evil) t=\(Self.evil) seq=0 : \(Self.evil)"
      ],
      answer: { $0 == "done" ? ["+ @ done"] : Self.answers(to: $0) })
    let terminal = try Pseudoterminal(["--socket", server.path] + options)
    try terminal.wait(for: "> ")
    for request in Self.requests {
      terminal.type("\(request)\r")
      try terminal.wait(for: "\(request)\n")
    }
    for line in Self.lines { server.say(line) }
    server.say([0x2A, 0x20, 0xFF, 0xC3, 0x28])
    try terminal.wait(for: #"* \xFF\xC3("#)
    for keys in ["s\t\t", "\u{15}send \t\t", "\u{15}send k \t\t", "\u{15}new \t\t", "\u{15}use \t\t\u{15}"] {
      terminal.type(keys)
    }
    terminal.type("done\r")
    try terminal.wait(for: "done\n")
    terminal.type("\u{04}")
    _ = try terminal.waitForEnding()
    expectHarmless(terminal.written, "\(options)")
    let text = String(decoding: terminal.written, as: UTF8.self)
    expect(text.contains(Self.shown))
    expect(text, contains: #"\n\nmain real 9.9s> shutdown"#)
  }

  @Test("requests on the command line whose answers go to a terminal", arguments: [[], ["--raw"], ["--json"]])
  func onTheCommandLine(options: [String]) throws {
    let server = try FakeServer(answer: { Self.lines.filter { !$0.hasPrefix("! bye") } + Self.answers(to: $0) })
    let terminal = try Pseudoterminal(
      ["--socket", server.path, "-k"] + (options == ["--json"] ? options : options + ["--echo"])
        + Self.requests.flatMap { ["-e", "\($0) \(Self.evil)"] })
    _ = try terminal.waitForEnding()
    expectHarmless(terminal.written, "\(options)")
    expect(String(decoding: terminal.written, as: UTF8.self).contains(Self.shown))
  }

  @Test(
    "a server that lets nobody in",
    arguments: ["- LIMIT \(evil)=\(evil) : \(evil)", "! bye reason=\(evil) : \(evil)", "HTTP/1.1 \(evil)", "+ \(evil)"])
  func greeting(line: String) throws {
    let server = try FakeServer(greeting: [line], answer: { _ in nil })
    let terminal = try Pseudoterminal(["--socket", server.path])
    try expectEqual(terminal.waitForEnding(), .exited(2))
    expectHarmless(terminal.written, line)
    expect(String(decoding: terminal.written, as: UTF8.self).contains(Self.shown))
  }

  @Test("a script and a transcript that are played, and their report", arguments: ["run", "check"])
  func played(command: String) throws {
    let temporary = try TemporaryFolder()
    let folder = temporary.path
    let path = "\(folder)/s\(Self.evil.filter { $0 != "/" }).\(command == "run" ? "fsm" : "transcript")"
    let file = Descriptor(rawValue: open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
    file.writeAll(command == "run" ? "send k e \u{202E}\u{2066}\n" : "> send k e \u{202E}\n+ \u{2066}\n")
    file.close()
    let server = try FakeServer(answer: { request in
      request.hasPrefix("world new") || request.hasPrefix("use") ? ["+ @ created w"] : Self.answers(to: request)
    })
    for options in [[], ["--tap"]] {
      let terminal = try Pseudoterminal(["--socket", server.path, command, path] + options)
      _ = try terminal.waitForEnding()
      expectHarmless(terminal.written, "\(options)")
      expect(String(decoding: terminal.written, as: UTF8.self), contains: #"\u{202E}"#)
    }
  }

  @Test("whatever bytes come, and whatever was asked", arguments: Thorough.rounds(0..<20 as Range<UInt64>))
  func randomLines(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    func roll(_ sides: Int) -> Int { dice.number(below: sides) }
    let style = Style(usesColour: true, usesUnicode: true)
    let pieces: [[UInt8]] =
      [
        "+ ", "- ", ". ", "* ", "! ", "{\"class\":\"data\",", "@.1 ", " : ", "k=", "\"", "\\n", "\\", " ", "moved ",
        "1 2 k ",
      ]
      .map { Array($0.utf8) } + [
        Array(Self.evil.utf8), Array("allowed=a,b t=1 ".utf8), Array("kind x machines=1".utf8),
      ]
    for _ in 0..<200 {
      let verb = Verb.allCases[roll(Verb.allCases.count)]
      var conversation = Conversation()
      _ = conversation.ask("\(verb.name) a b")
      var presenter = Presenter(format: roll(3) == 0 ? .visible : .people(style), columns: { 40 })
      var shown = ScreenText()
      for _ in 0..<(1 + roll(4)) {
        var line = pieces[roll(5)]
        for _ in 0..<roll(8) { line += roll(3) == 0 ? [UInt8(roll(256))] : pieces[roll(pieces.count)] }
        let raw = RawLine(bytes: line.filter { $0 != 0x0A })
        let parsed = ServerLine(json: raw.text) ?? ServerLine(raw.text)
        shown += parsed.map { presenter.show(conversation.receive($0), raw: raw) } ?? presenter.showWhole(raw)
      }
      let prompt = conversation.place.prompt(.ready, style: style).parts.map(\.text).joined()
      // Our own styles stand at most between what came.
      let text =
        shown.text.replacing(#/\e\[[0-9]*m/#.matchingSemantics(.unicodeScalar), with: "").replacing("\n", with: "")
        + prompt
      expect(VisibleText.isVisible(text), "seed \(seed): \(verb.name) \(Array(shown.bytes))")
    }
  }

  @Test("where standard output is no terminal, bytes stay as they are")
  func piped() throws {
    let line: [UInt8] = [0x2A, 0x20, 0xFF, 0x1B, 0xC2, 0x9B] + Array(Self.evil.utf8)
    let presenter = Presenter(format: .wire)
    expectEqual(presenter.showWhole(RawLine(bytes: line)).bytes, line + [0x0A])
    var conversation = Conversation()
    _ = conversation.ask("list")
    var other = Presenter(format: .wire)
    let raw = RawLine(bytes: Array(". @.1 ".utf8) + line)
    let received = conversation.receive(try #require(ServerLine(raw.text)))
    expectEqual(other.show(received, raw: raw).bytes, Array(". ".utf8) + line + [0x0A])
  }
}
