import TestSupport
@testable import Scripts
import LineProtocol
import Testing

struct TranscriptTests {
  private func parse(_ text: String) throws(ScriptFailure) -> Transcript {
    try TranscriptParser.parse("t", Array(text.utf8))
  }

  private func failure(_ text: String) -> String {
    do throws(ScriptFailure) {
      _ = try parse(text)
      return "parsed"
    } catch {
      return "\(error)"
    }
  }

  private func updated(_ text: String, _ answers: [[String]]) throws -> String {
    String(decoding: try parse(text).updated(with: answers), as: UTF8.self)
  }

  // MARK: What is read

  @Test("requests with their times, and the lines after each; remarks and blank lines are passed over")
  func exchanges() throws {
    let transcript = try parse(
      """
      # a remark
      > new shiftKey key
      + created key off t=0.000 seq=1

      >  at 1.250s @7  send key "a  b"
      * 2 1.250 key moved off on event=tap
      # within
      - @7 REFUSED : no
      > after 1m
      > @x
      .
      {"class":"data","name":"a"}
      """)
    let exchanges = transcript.exchanges
    expectEqual(exchanges.map(\.request), ["new shiftKey key", "@7  send key \"a  b\"", "", "@x"])
    expectEqual(exchanges.map(\.time), [nil, .at(1_250_000_000), .after(60_000_000_000), nil])
    expectEqual(exchanges.map(\.verb), [.new, .send, nil, nil])
    expectEqual(exchanges.map { $0.answers.count }, [1, 2, 0, 2])
    expectEqual(transcript.answers(to: exchanges[1]), ["* 2 1.250 key moved off on event=tap", "- @7 REFUSED : no"])
    expectEqual(transcript.place(of: exchanges[1]), "t:5")
    expectEqual(transcript.line(exchanges[1].place), ">  at 1.250s @7  send key \"a  b\"")
  }

  @Test("in Markdown the blocks that are marked are one conversation; other blocks and prose are not looked at")
  func markdown() throws {
    let transcript = try parse(
      """
      + no answer
      ```fsmd
      > list
      ```
      ````
      ```fsmd
      > quit
      ```
      ````
      ~~~ sh
      ```fsmd
      ~~~
      ```fsmd\u{20}
      + 0
      > world
      """)
    expectEqual(transcript.exchanges.map(\.request), ["list", "world"])
    expectEqual(transcript.answers(to: transcript.exchanges[0]), ["+ 0"])
    expect(TranscriptParser.hasBlocks(Array("```fsmd\n```\n".utf8)))
    expect(!TranscriptParser.hasBlocks(Array("```fsm\n```\n> list\n".utf8)))
  }

  @Test("a mark of the encoding and CRLF are no part of a line")
  func ends() throws {
    let transcript = try parse("\u{FEFF}> list\r\n+ 0\r\n> world\r\n")
    expectEqual(transcript.exchanges.map(\.request), ["list", "world"])
    expectEqual(transcript.answers(to: transcript.exchanges[0]), ["+ 0"])
  }

  // MARK: Mistakes

  @Test(
    "mistakes, with their places in characters",
    arguments: [
      ("", "t:1:1: there is no request in this file; requests begin with '> '"),
      ("# x\n", "t:1:1: there is no request in this file; requests begin with '> '"),
      ("+ 0\n> list", "t:1:1: an answer stands before the first request"),
      ("> list\nlist", "t:2:1: this is neither a request ('> …'), nor a line of the daemon"),
      ("> list\n>list", "t:2:1: this is neither a request"), ("> list\n+0", "t:2:1: this is neither a request"),
      (">", "t:1:2: a request or a time must follow '>'"), ("> \t", "t:1:4: a request or a time must follow '>'"),
      (">  # x", "t:1:4: a remark stands on a line of its own, without '>'"),
      ("> at", "t:1:5: a time must follow 'at': a number with one of"),
      ("> after soon list", "t:1:9: 'soon' is no duration; it is a number with one of"),
      ("> at é list", "t:1:6: 'é' is no time"), ("> at -1s list", "t:1:6: '-1s' is no time"),
      ("> begin\n+\n> at 1s list\n> end", "t:3:3: no time passes between 'begin' and 'end'"),
      ("> list\n> @é1 begin\n+", "t:2:7: this 'begin' has no 'end'"),
      ("> quit\n+\n! bye reason=quit\n> list", "t:4:1: the connection is closed by 'quit'; nothing can follow"),
      ("> at 2s shutdown", "t:1:9: a check does not end the daemon, so 'shutdown' has no place here"),
      ("> clock real", "t:1:3: a check has virtual clocks only"),
      ("> world new w clock=real", "t:1:3: a check has virtual clocks only"),
      ("text\n```fsmd\nlist\n```", "t:3:1: this is neither a request"),
    ])
  func mistakes(text: String, message: String) {
    expect(failure(text), hasPrefix: message, "\(failure(text))")
  }

  @Test("what the daemon itself would refuse is no mistake of a transcript")
  func refused() throws {
    try expectEqual(parse("> sned x\n- UNKNOWN-VERB\n> world new real\n> end\n> at 1s @@ \"\n").exchanges.count, 4)
  }

  @Test("a line that is no UTF-8")
  func encoding() {
    #expect(throws: ScriptFailure(file: "t", line: 2, column: 1, message: "this line is not valid UTF-8")) {
      try TranscriptParser.parse("t", Array("> list\n".utf8) + [0x2B, 0x20, 0xFF])
    }
  }

  // MARK: Other answers

  @Test("new answers take the places of old ones; all else stays where it is, bytes and all")
  func updates() throws {
    let text = "\u{FEFF}prose\n```fsmd\n> a\n+ 1\n# why\n+ 2\n\n> b\n```\nmore\n```fsmd\n* x\n```\n"
    try expectEqual(updated(text, [["+ 1", "+ 2"], ["* x"]]), text)
    try expectEqual(
      updated(text, [["+ 0", "+ 1", "+ 3"], ["+ y", "* x"]]),
      "\u{FEFF}prose\n```fsmd\n> a\n+ 0\n+ 1\n# why\n+ 3\n\n> b\n+ y\n```\nmore\n```fsmd\n* x\n```\n")
    try expectEqual(updated("> a\r\n> b", [["+ 1"], ["+ 2"]]), "> a\r\n+ 1\r\n> b\n+ 2\n")
    try expectEqual(updated("> a\n+ 1\n> b\n+ 2", [["+ 3"]]), "> a\n+ 3\n> b\n+ 2")
  }

  @Test(
    "what was updated has the new answers, and is the same when updated again",
    arguments: Thorough.rounds(0..<300 as Range<UInt64>))
  func randomUpdates(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    var text = "> first\n"
    for _ in 0..<dice.number(0...12) {
      text += dice.one(of: ["> x\n", "+ a\n", "+ b\n", ". \n", "# r\n", "\n", "> at 2s\n", "* 1\r\n"])
    }
    if dice.number(0...1) == 0 { text = "x\n\n```fsmd\n\(text)```\ny" }
    let old = try parse(text)
    let answers = old.exchanges.map { _ in
      (0..<dice.number(0...4)).map { _ in dice.one(of: ["+ a", "+ b", ". ", "* 1"]) }
    }
    expectEqual(old.updated(with: old.exchanges.map { old.answers(to: $0) }), Array(text.utf8), "seed \(seed)")
    let bytes = old.updated(with: answers)
    let new = try TranscriptParser.parse("t", bytes)
    expectEqual(new.exchanges.map { new.answers(to: $0) }, answers, "seed \(seed)")
    expectEqual(new.exchanges.map(\.request), old.exchanges.map(\.request), "seed \(seed)")
    expectEqual(new.updated(with: answers), bytes, "seed \(seed)")
    func others(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
      bytes.split(separator: 0x0A, omittingEmptySubsequences: false).filter { !$0.starts(with: "+".utf8) }.filter {
        !$0.starts(with: ".".utf8) && !$0.starts(with: "*".utf8)
      }
    }
    expectEqual(others(bytes), others(Array(text.utf8)), "seed \(seed)")
  }
}

struct LineDifferenceTests {
  @Test("what goes and what comes, with what stays between")
  func edits() {
    let edits = LineDifference(from: ["a", "b", "c", "d"], to: ["a", "x", "c", "y", "d"]).edits
    expectEqual(
      edits,
      [
        .same(old: 0, new: 0), .removed(old: 1), .added(new: 1), .same(old: 2, new: 2), .added(new: 3),
        .same(old: 3, new: 4),
      ])
    expectEqual(LineDifference(from: [], to: ["a"]).edits, [.added(new: 0)])
  }

  @Test(
    "the edits lead from one to the other, also where they are too many to be compared",
    arguments: Thorough.rounds(0..<100 as Range<UInt64>))
  func leads(seed: UInt64) {
    var dice = Dice(seed: seed)
    let most = seed % 20 == 0 ? 5_000 : 12
    func lines() -> [String] { (0..<dice.number(0...most)).map { _ in dice.one(of: ["a", "b", "c"]) } }
    let (old, new) = (lines(), lines())
    var (from, to): ([String], [String]) = ([], [])
    for edit in LineDifference(from: old, to: new).edits {
      switch edit {
      case .same(let place, let other):
        expectEqual(old[place], new[other])
        from.append(old[place])
        to.append(new[other])
      case .removed(let place): from.append(old[place])
      case .added(let place): to.append(new[place])
      }
    }
    expect(from == old && to == new, "seed \(seed)")
  }
}
