import Testing

@testable import LineProtocol

struct UsageFormTests {
  private func form(_ usage: String) -> UsageForm { UsageForm(usage.split(separator: " ").map(String.init)) }

  @Test("the example of each verb fits it", arguments: Verb.allCases)
  func examples(verb: Verb) {
    let words = verb.entry.example.split(separator: " ").dropFirst().map(String.init)
    #expect(UsageForm.misfit(of: words.filter { !$0.contains("=") }, in: verb.entry.parsedForms) == nil)
  }

  @Test("what does not fit is told of the form that fits best")
  func misfits() {
    func misfit(_ request: String) -> UsageForm.Misfit? {
      let words = request.split(separator: " ").map(String.init)
      let verb = words.first.flatMap { name in Verb.allCases.first { $0.name == name } }
      return UsageForm.misfit(of: Array(words.dropFirst()), in: verb?.entry.parsedForms ?? [])
    }
    #expect(misfit("advance 3") == nil)
    #expect(misfit("advance until 3h") == nil)
    #expect(misfit("advance 3 hours") == .surplus(1))
    #expect(misfit("advance until") == .missing)
    #expect(misfit("advance") == .missing)
    #expect(misfit("advance soon") == .wrong(0, allowed: "\(TimeText.durationForm) or until"))
    #expect(misfit("clock foo") == .wrong(0, allowed: "real or virtual"))
    #expect(misfit("undo x") == .wrong(0, allowed: "a whole number"))
    #expect(misfit("undo +1") == .wrong(0, allowed: "a whole number"))
    #expect(misfit("undo 1 2") == .surplus(1))
    #expect(misfit("goto 70000d") == nil)
    #expect(misfit("goto then") == .wrong(0, allowed: TimeText.timeForm))
    #expect(misfit("clock virtual") == nil)
    #expect(misfit("clock virtual now") == .surplus(1))
    #expect(misfit("quiet maybe") == .wrong(0, allowed: "on or off"))
    #expect(misfit("speed x") == .wrong(0, allowed: "a number"))
    #expect(misfit("send k e 1 2 3 4") == nil)
    #expect(misfit("send k") == .missing)
    #expect(misfit("world fork") == .missing)
    #expect(form("A [B…]").count == 1...Int.max)
    #expect(form("[param=value…]").keys.map(\.name) == [""])
  }
}
