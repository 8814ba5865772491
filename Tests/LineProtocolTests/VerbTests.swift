import LineProtocol
import TestSupport
import Testing

@Suite("The verb table")
struct VerbTests {
  private func verb(_ word: String) -> Verb? {
    Array(word.utf8).withUnsafeBytes { Verb($0) }
  }

  @Test("every verb has its entry at its place")
  func places() {
    expectEqual(VerbEntry.table.map(\.verb), Verb.allCases)
    for verb in Verb.allCases { expectEqual(verb.entry.verb, verb) }
  }

  @Test("a verb is found by its name, compared exactly")
  func names() {
    for verb in Verb.allCases {
      expect((1...16).contains(verb.name.utf8.count), "\(verb)")
      expectEqual(self.verb(verb.name), verb)
      expectNil(self.verb(verb.name.uppercased()))
      expectNil(self.verb(" " + verb.name))
      expectEqual(self.verb(verb.name + "x"), Verb.allCases.first { $0.name == verb.name + "x" })
      let shorter = String(verb.name.dropLast())
      expectEqual(self.verb(shorter), Verb.allCases.first { $0.name == shorter })
    }
    for word in ["", "sendsendsend", "shutdownx", "sen", "é", "s\u{0}nd"] { expectNil(self.verb(word), "\(word)") }
  }

  @Test("each form and example begins with its verb and has a right number of plain words")
  func forms() {
    for entry in VerbEntry.table {
      expect(entry.usages.count == entry.forms.count && !entry.forms.isEmpty)
      for (usage, form) in zip(entry.usages, entry.forms) {
        expectEqual(usage, (form.isEmpty ? entry.verb.name : "\(entry.verb.name) \(form)"))
      }
      expect(!entry.summary.isEmpty && entry.summary.last != ".", "\(entry.verb)")
      guard case .request(tag: "", verb: entry.verb.name, let words) = ParsedLine(entry.example) else {
        Issue.record("the example '\(entry.example)' is no request of \(entry.verb)")
        continue
      }
      expect(entry.plainWords.contains(words.count { $0.key == nil }), "\(entry.example)")
      switch entry.keys {
      case .ofCatalogue: break
      case .only(let keys):
        for word in words { if let key = word.key { expect(keys.contains(key), "\(entry.example)") } }
        expectEqual(keys.count, Set(keys).count)
      }
    }
  }

  @Test("how many plain words and which keys a verb takes follows from its forms")
  func counts() {
    expectEqual(Verb.quit.entry.plainWords, 0...0)
    expectEqual(Verb.list.entry.plainWords, 0...1)
    expectEqual(Verb.wire.entry.plainWords, 4...4)
    expectEqual(Verb.advance.entry.plainWords, 1...2)
    expectEqual(Verb.world.entry.plainWords, 0...3)
    expectEqual(Verb.send.entry.plainWords, 2...Int.max)
    expectEqual(Verb.new.entry.plainWords, 2...2)
    expectEqual(Verb.quit.entry.keys, .only([]))
    expectEqual(Verb.list.entry.keys, .only(["kind", "state", "limit"]))
    expectEqual(Verb.world.entry.keys, .only(["clock", "seed", "durable", "seq"]))
    expectEqual(Verb.allCases.filter { $0.entry.keys == .ofCatalogue }, [.new, .send, .cast])
  }

  @Test("what `quiet on` withholds, and what may not stand between `begin` and `end`")
  func properties() {
    expectEqual(Verb.allCases.filter(\.entry.isPlainInput), [.new, .drop, .send, .cast, .wire, .unwire, .fire])
    let outside: Set<Verb> = [
      .clock, .speed, .pause, .resume, .advance, .step, .await, .cancel, .undo, .redo, .goto, .world, .use, .worlds,
      .diff, .who, .define, .point, .begin, .end, .discard, .client, .quiet, .mode, .activities, .sync, .quit,
      .shutdown,
    ]
    expectEqual(Set(Verb.allCases.filter { !$0.entry.inBatch }), outside)
  }
}
