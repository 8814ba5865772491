import LineProtocol
import Testing

@Suite("The verb table")
struct VerbTests {
  private func verb(_ word: String) -> Verb? {
    Array(word.utf8).withUnsafeBytes { Verb($0) }
  }

  @Test("every verb has its entry at its place")
  func places() {
    #expect(VerbEntry.table.map(\.verb) == Verb.allCases)
    for verb in Verb.allCases { #expect(verb.entry.verb == verb) }
  }

  @Test("a verb is found by its name, compared exactly")
  func names() {
    for verb in Verb.allCases {
      #expect((1...16).contains(verb.name.utf8.count), "\(verb)")
      #expect(self.verb(verb.name) == verb)
      #expect(self.verb(verb.name.uppercased()) == nil)
      #expect(self.verb(" " + verb.name) == nil)
      #expect(self.verb(verb.name + "x") == Verb.allCases.first { $0.name == verb.name + "x" })
      let shorter = String(verb.name.dropLast())
      #expect(self.verb(shorter) == Verb.allCases.first { $0.name == shorter })
    }
    for word in ["", "sendsendsend", "shutdownx", "sen", "é", "s\u{0}nd"] { #expect(self.verb(word) == nil, "\(word)") }
  }

  @Test("each form and example begins with its verb and has a right number of plain words")
  func forms() {
    for entry in VerbEntry.table {
      #expect(entry.usages.count == entry.forms.count && !entry.forms.isEmpty)
      for (usage, form) in zip(entry.usages, entry.forms) {
        #expect(usage == (form.isEmpty ? entry.verb.name : "\(entry.verb.name) \(form)"))
      }
      #expect(!entry.summary.isEmpty && entry.summary.last != ".", "\(entry.verb)")
      guard case .request(tag: "", verb: entry.verb.name, let words) = ParsedLine(entry.example) else {
        Issue.record("the example '\(entry.example)' is no request of \(entry.verb)")
        continue
      }
      #expect(entry.plainWords.contains(words.count { $0.key == nil }), "\(entry.example)")
      switch entry.keys {
      case .ofCatalogue: break
      case .only(let keys):
        for word in words { if let key = word.key { #expect(keys.contains(key), "\(entry.example)") } }
        let text = entry.forms.joined(separator: " ")
        for key in keys { #expect(text.contains("[\(key)="), "the forms of \(entry.verb) do not name \(key)") }
        #expect(keys.count == Set(keys).count)
      }
    }
  }

  @Test("the forms ask for as many plain words as the table allows")
  func counts() {
    for entry in VerbEntry.table {
      let counts = entry.forms.map { form -> ClosedRange<Int> in
        let words = form.split(separator: " ").filter { !$0.contains("=") }
        let needed = words.count { !$0.hasPrefix("[") }
        return needed...(words.contains { $0.contains("…") } ? Int.max : words.count)
      }
      let least = counts.map(\.lowerBound).min() ?? 0
      let most = counts.map(\.upperBound).max() ?? 0
      #expect(entry.plainWords == least...most, "\(entry.verb)")
    }
  }

  @Test("what `quiet on` withholds, and what may not stand between `begin` and `end`")
  func properties() {
    #expect(
      Verb.allCases.filter(\.entry.isQuietable) == [.new, .drop, .send, .cast, .wire, .unwire, .fire])
    let outside: Set<Verb> = [
      .clock, .speed, .pause, .resume, .advance, .step, .await, .cancel, .undo, .goto, .world, .use, .worlds, .diff,
      .begin, .end, .quiet, .mode, .activities, .sync, .quit, .shutdown,
    ]
    #expect(Set(Verb.allCases.filter { !$0.entry.inBatch }) == outside)
  }
}
