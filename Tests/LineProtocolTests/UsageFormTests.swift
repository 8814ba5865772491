import TestSupport
import Testing

@testable import LineProtocol

struct UsageFormTests {
  private func form(_ usage: String) -> UsageForm { UsageForm(usage.split(separator: " ").map(String.init)) }

  @Test("the example of each verb fits it", arguments: Verb.allCases)
  func examples(verb: Verb) {
    let words = verb.entry.example.split(separator: " ").dropFirst().map(String.init)
    expectNil(UsageForm.misfit(of: words.filter { !$0.contains("=") }, in: verb.entry.parsedForms))
  }

  @Test("what does not fit is told of the form that fits best")
  func misfits() {
    func misfit(_ request: String) -> UsageForm.Misfit? {
      let words = request.split(separator: " ").map(String.init)
      let verb = words.first.flatMap { name in Verb.allCases.first { $0.name == name } }
      return UsageForm.misfit(of: Array(words.dropFirst()), in: verb?.entry.parsedForms ?? [])
    }
    expectNil(misfit("advance 3"))
    expectNil(misfit("advance until 3h"))
    expectEqual(misfit("advance 3 hours"), .surplus(1))
    expectEqual(misfit("advance until"), .missing)
    expectEqual(misfit("advance"), .missing)
    expectEqual(misfit("advance soon"), .wrong(0, allowed: "\(TimeText.durationForm) or until"))
    expectEqual(misfit("clock foo"), .wrong(0, allowed: "real or virtual"))
    expectEqual(misfit("undo x"), .wrong(0, allowed: "a whole number"))
    expectEqual(misfit("undo +1"), .wrong(0, allowed: "a whole number"))
    expectEqual(misfit("undo 1 2"), .surplus(1))
    expectNil(misfit("goto 70000d"))
    expectEqual(misfit("goto then"), .wrong(0, allowed: TimeText.timeForm))
    expectNil(misfit("clock virtual"))
    expectEqual(misfit("clock virtual now"), .surplus(1))
    expectEqual(misfit("quiet maybe"), .wrong(0, allowed: "on or off"))
    expectEqual(misfit("speed x"), .wrong(0, allowed: "a number"))
    expectNil(misfit("send k e 1 2 3 4"))
    expectEqual(misfit("send k"), .missing)
    expectEqual(misfit("world fork"), .missing)
    expectEqual(form("A [B…]").count, 1...Int.max)
    expectEqual(form("[param=value…]").keys.map(\.name), [""])
  }
}
