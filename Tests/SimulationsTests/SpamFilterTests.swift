import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct SpamFilterTests {
  private func bench(
    _ words: String, policy: String = "mask", caseFold: Bool = true, wholeWord: Bool = false
  ) -> Bench {
    Bench(
      SpamFilter.kind,
      ["words": .text(words), "policy": .text(policy), "caseFold": .flag(caseFold), "wholeWord": .flag(wholeWord)])
  }

  @Test("all pairs, with each policy", arguments: ["mask", "drop", "flag"])
  func pairs(policy: String) {
    let shown = policy == "drop" ? "dropped" : policy == "mask" ? "message ***" : "message ham"
    Table(
      SpamFilter.kind, with: ["words": .text("ham"), "policy": .text(policy)],
      rows: [
        "after ham": {
          let bench = Bench(SpamFilter.kind, ["words": .text("ham"), "policy": .text(policy)])
          bench.send("text", .text("ham"))
          return bench
        },
        "after ha": {
          let bench = Bench(SpamFilter.kind, ["words": .text("ham"), "policy": .text(policy)])
          bench.send("text", .text("ha"))
          return bench
        },
      ],
      """
      state     | text(ham)                  | text(x) | char(m)                    | end                | reset
      clean     | → dirty(1) > match ham 0 3 | ⟲       | ⟲                          | ⟲ > message        | ⟲
      after ha  | → dirty(1) > match ham 2 5 | ⟲       | → dirty(1) > match ham 0 3 | ⟲ > message ha     | ⟲
      dirty     | ⟲ > match ham 0 3          | ⟲       | ⟲                          | → clean > \(policy == "drop" ? "dropped" : "message") | → clean
      after ham | ⟲ > match ham 3 6          | ⟲       | ⟲                          | → clean > \(shown) | → clean
      """
    ).check()
  }

  @Test("the walk of the textbook's word, and where it was found")
  func textbook() {
    let bench = self.bench("ABABAC")
    let walk = "ABABABAC".map { character in
      bench.send("char", .text(String(character)))
      return bench.reading("matched")
    }
    expectEqual(walk, [1, 2, 3, 4, 5, 4, 5, 6].map(Value.integer))
    expectEqual(bench.lines.last, "0.000 m moved clean dirty(1) event=char > match ABABAC 2 8")
    expectEqual(bench.reading("offset"), .integer(8))
  }

  @Test("overlapping ones are found, all of them")
  func overlaps() {
    let bench = self.bench("ABAB")
    expectEqual(
      bench.send("text", .text("ABABAB")), "moved clean dirty(2) event=text > match ABAB 0 4 > match ABAB 2 6")
    expectEqual(bench.send("end"), "moved dirty(2) clean event=end > message ******")
  }

  @Test("substrings and whole words of the same message, whole and in pieces")
  func masks() {
    for pieces in [["My SPAM sham"], ["My SP", "AM sh", "", "am"], "My SPAM sham".map { String($0) }] {
      let anywhere = bench("spam,ham")
      for piece in pieces { anywhere.send("text", .text(piece)) }
      expectEqual(anywhere.state(), "dirty(2)")
      expectEqual(outputs(of: anywhere).prefix(2), ["match spam 3 7", "match ham 9 12"])
      expectEqual(anywhere.send("end"), "moved dirty(2) clean event=end > message My **** s***")
      let whole = bench("spam,ham", wholeWord: true)
      for piece in pieces { whole.send("text", .text(piece)) }
      expectEqual(whole.state(), "dirty(1)")
      expectEqual(outputs(of: whole), ["match spam 3 7"])
      expectEqual(whole.send("end"), "moved dirty(1) clean event=end > message My **** sham")
    }
  }

  private func outputs(of bench: Bench) -> [String] {
    bench.lines.flatMap { $0.split(separator: " > ").dropFirst().map { String($0) } }
  }

  @Test("a whole word at the very end is known to be one when the message ends")
  func lastWord() {
    for (policy, shown) in [("mask", "message a ***"), ("flag", "message a ham"), ("drop", "dropped")] {
      let bench = self.bench("ham", policy: policy, wholeWord: true)
      expectEqual(bench.send("text", .text("a ham")), "stayed clean event=text")
      expectEqual(bench.send("end"), "moved clean clean event=end > match ham 2 5 > \(shown)")
    }
    let longer = bench("ham", wholeWord: true)
    longer.send("text", .text("ham"))
    longer.send("text", .text("let"))
    expectEqual(longer.send("end"), "stayed clean event=end > message hamlet")
  }

  @Test("what is masked is as many characters as were found")
  func maskedCharacters() {
    let bench = self.bench("жук,漢字")
    bench.send("text", .text("Ёж и ЖУК, 漢字!"))
    expectEqual(bench.send("end"), "moved dirty(2) clean event=end > message Ёж и ***, **!")
    bench.send("text", .text("é жук"))
    bench.send("text", .text("жук e"))
    expectEqual(bench.send("end"), "moved dirty(2) clean event=end > message é ****** e")
  }

  @Test("a message that ends leaves nothing behind: the next one begins at 0")
  func next() {
    for event in ["end", "reset"] {
      let bench = self.bench("ham")
      bench.send("text", .text("ham ha"))
      bench.send(event)
      expectEqual(bench.send("text", .text("m")), "stayed clean event=text")
      expectEqual(bench.reading("offset"), .integer(1))
    }
  }

  @Test("case counts when it is told to")
  func caseCounts() {
    let bench = self.bench("ham", caseFold: false)
    expectEqual(bench.send("text", .text("HAM")), "stayed clean event=text")
    expectEqual(bench.send("text", .text("ham")), "moved clean dirty(1) event=text > match ham 3 6")
  }

  @Test("a message may be as long as is kept; what would be more is refused, and nothing is lost")
  func longest() {
    let bench = self.bench("ham")
    bench.send("text", .text(String(repeating: "x", count: SpamFilter.longestMessage - 2)))
    expectEqual(
      bench.send("text", .text("ham")),
      "refused clean event=text : the message would have 65537 bytes, and at most 65536 are kept; end or reset it")
    expectEqual(bench.reading("offset"), .integer(65_534))
    expectEqual(bench.send("text", .text("ha")), "stayed clean event=text")
    expect(bench.send("char", .text("m")), hasPrefix: "refused clean")
    expect(bench.send("end"), hasSuffix: "xxha")
    // A message that will be dropped is not kept.
    let dropping = self.bench("ham", policy: "drop")
    dropping.send("text", .text("ham"))
    for _ in 0..<3 { dropping.send("text", .text(String(repeating: "x", count: 60_000))) }
    expectEqual(dropping.reading("offset"), .integer(180_003))
  }

  @Test("a piece may have as many matches as are told at once; one with more is refused")
  func mostMatches() {
    let bench = self.bench("a")
    let most = String(repeating: "a", count: SpamFilter.mostMatchesAtOnce)
    expectEqual(
      bench.send("text", .text(most + "a")),
      "refused clean event=text : more than 10000 stop-words in one piece; send it in smaller ones")
    bench.send("text", .text(most))
    expectEqual(bench.state(), "dirty(10000)")
  }

  @Test(
    "words within words: matches are told up to a number of bytes, and a piece is searched no further than the limit")
  func mostMatchedBytes() {
    let length = 2_000
    let bench = self.bench(String(repeating: "a", count: length))
    let most = SpamFilter.mostMatchedBytesAtOnce / length
    expectEqual(
      bench.send("text", .text(String(repeating: "a", count: length + most))),
      "refused clean event=text : stop-words of more than 262144 bytes in one piece; send it in smaller ones")
    bench.send("text", .text(String(repeating: "a", count: length + most - 1)))
    expectEqual(bench.state(), "dirty(\(most))")
    // Eighty-nine matches end at every character after the first 88.
    let nested = self.bench((1...89).map { String(repeating: "a", count: $0) }.joined(separator: ","))
    expectEqual(
      nested.send("text", .text(String(repeating: "a", count: 65_536))),
      "refused clean event=text : more than 10000 stop-words in one piece; send it in smaller ones")
  }

  @Test("words must be words; folding may make two one")
  func parameters() throws {
    func conflict(_ words: String) -> ParameterConflict? {
      let place = SpamFilter.kind.parameters.firstIndex { $0.name == "words" }!
      do throws(ParameterConflict) {
        _ = try SpamFilter.kind.makeParameterPool().intern([(place, .text(words))])
        return nil
      } catch {
        return error
      }
    }
    expectNil(conflict("spam,ham"))
    for (words, number) in [("spam,,ham", 2), ("spam,", 2), (",", 1)] {
      expectEqual(
        conflict(words)?.allowed, "words with a comma between, none of them empty (number \(number) is)", "\(words)")
    }
    let twice = bench("Ham,ham")
    expectEqual(twice.send("text", .text("HAM")), "moved clean dirty(1) event=text > match Ham 0 3")
  }
}
