@testable import Scripts
import LineProtocol
import TestSupport
import Testing

struct ScriptOutcomeTests {
  private func outcome(_ text: String) throws -> ScriptOutcome {
    let script = try ScriptParser.parse("s", Array("sync => \(text)".utf8)) { _ in .failed("") }
    return try #require(script.outcomes.first)
  }

  private func matches(_ text: String, _ line: String) throws -> Bool {
    try outcome(text).matches(#require(ServerLine(line)))
  }

  @Test(
    "printing an outcome and reading it again gives the same",
    arguments: [
      "ok", "moved", "moved on", "moved off on", "stayed", "stayed on", "ignored", "ignored a.b", "refused",
      "refused UNKNOWN-EVENT", "capsLock", "cooling+open", "list(5)", "moved on outputs=a,b t=200ms", "ok outputs=",
      #"moved "failed(no way)" on state="a b""#,
    ])
  func roundTrip(text: String) throws {
    try expectEqual(outcome(text).text, text)
    try expectEqual(outcome(outcome(text).text), outcome(text))
  }

  @Test("a code alone is a failure with that code")
  func code() throws {
    try expectEqual(outcome("TIMEOUT"), outcome("refused TIMEOUT"))
  }

  static let moved = "+ moved off on t=0.200 seq=3 outputs=a,b"
  static let refused = "- REFUSED machine=k state=on event=tap allowed=\"\" t=0.000 seq=2 : it : is not"

  @Test(
    "what matches",
    arguments: [
      ("ok", moved), ("moved", moved), ("moved on", moved), ("moved off on", moved), ("on", moved),
      ("on outputs=a,b", moved), ("moved t=200ms", moved), ("moved t=0.2", moved), ("moved missing=", moved),
      ("ok", "+"), ("ok", "+ t=0.000 seq=1"), ("on", "+ @7 moved off on.half t=0 seq=1"),
      ("stayed", "+ stayed on t=0 seq=1"), ("stayed on", "+ stayed on(5) t=0 seq=1"),
      ("ignored off", "+ ignored off t=0 seq=1"), ("off", "+ created k off t=0 seq=1"), ("off", "+ reached off t=1"),
      ("3", "+ 3"), ("yes", "+ yes"), ("virtual", "+ clock virtual speed=1"), ("refused", refused),
      ("refused REFUSED", refused), ("refused state=on", refused), ("refused TIMEOUT", "- TIMEOUT state=on t=1.000"),
    ])
  func good(text: String, line: String) throws {
    try expect(matches(text, line))
  }

  @Test(
    "what does not",
    arguments: [
      ("ok", refused), ("moved", "+ stayed on t=0 seq=1"), ("moved off", moved), ("moved on on", moved),
      ("stayed", moved), ("ignored", moved), ("off", moved), ("on", refused), ("refused", moved),
      ("refused", "- UNKNOWN-EVENT machine=k event=x allowed=a"), ("refused TIMEOUT", refused), ("on", "+"),
      ("on outputs=a", moved), ("on outputs=", moved), ("moved t=201ms", moved), ("refused state=off", refused),
    ])
  func bad(text: String, line: String) throws {
    try expect(!matches(text, line))
  }

  @Test("what came is told in the words of an outcome")
  func found() throws {
    func found(_ text: String, _ line: String) throws -> String {
      try outcome(text).found(#require(ServerLine(line)))
    }
    try expectEqual(found("off", Self.moved), "moved off on")
    try expectEqual(found("off outputs=a way=", Self.moved), "moved off on outputs=a,b way=")
    try expectEqual(found("off", Self.refused), "refused : it : is not")
    try expectEqual(found("off", "- CLOCK : no"), "refused CLOCK : no")
    try expectEqual(found("off", "- UNKNOWN-EVENT event=tpa did-you-mean=tap : no"), "refused UNKNOWN-EVENT : no")
    try expectEqual(found("off", "+"), "ok")
  }
}

struct StateTextTests {
  @Test(
    "a STATE matches exactly, its prefix at a dot, its name without data, in any region",
    arguments: [
      ("on", "on"), ("cooling", "cooling.minOn"), ("cooling.minOn", "cooling.minOn"), ("list", "list(5)"),
      ("list(5)", "list(5)"), ("failed(timeout)", "failed(timeout)"), ("cooling", "cooling.free+closed+normal"),
      ("closed", "cooling.free+closed+normal"), ("cooling+normal", "cooling.free+closed+normal"),
      ("normal+cooling.free", "cooling.free+closed+normal"), ("cooling+closed+normal", "cooling.free+closed+normal"),
      ("fetching", "fetching(http://u.x+y)"),
      ("a+b(1)", "a.c+b(1)"),
    ])
  func matches(word: String, state: String) throws {
    try expect(#require(StateText(word)).matches(state))
  }

  @Test(
    "and nothing else",
    arguments: [
      ("on", "one"), ("cool", "cooling.minOn"), ("cooling.minOn", "cooling"), ("list(5)", "list(6)"),
      ("list(5)", "list"), ("open", "cooling.free+closed+normal"), ("cooling+open", "cooling.free+closed+normal"),
      ("normal+closed+cooling", "cooling.free+closed+normal"), ("off+letters+on", "on+letters+off"),
      ("a+b", "a"), ("u", "fetching(http://u.x+y)"), ("x", "f(a.x)"), ("on", ""), ("On", "on"),
    ])
  func differs(word: String, state: String) throws {
    try expect(!#require(StateText(word)).matches(state))
  }

  @Test("words that can be no state", arguments: ["", "+", "a+", "+a", "a++b", "(5)"])
  func none(word: String) {
    expectNil(StateText(word))
  }
}
