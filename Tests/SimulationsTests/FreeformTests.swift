@testable import MachineForms
import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct FreeformTests {
  @Test("all pairs, by whether the name is the one that it has", arguments: [false, true])
  func pairs(skipEqual: Bool) {
    let same =
      "→ state(inactive) > transitionTo inactive inactive > before inactive > on inactive > after inactive > transitionFrom inactive inactive"
    Table(
      Freeform.kind, with: ["skipEqual": .flag(skipEqual)],
      """
      state | set(inactive) | set(active)
      none  | → state(inactive) > before inactive > on inactive > after inactive | → state(active) > before active > on active > after active
      state | \(skipEqual ? "ignore" : same) | → state(active) > transitionTo inactive active > before active > on active > after active > transitionFrom inactive active
      """
    ).check()
  }

  @Test("the first name, and another one")
  func trace() {
    let bench = Bench(Freeform.kind)
    bench.send("set", .text("inactive"))
    bench.send("set", .text("active"))
    expectEqual(
      bench.lines,
      [
        "0.000 m created none",
        "0.000 m moved none state(inactive) event=set > before inactive > on inactive > after inactive",
        "0.000 m moved state(inactive) state(active) event=set > transitionTo inactive active > before active"
          + " > on active > after active > transitionFrom inactive active",
      ])
  }

  @Test("skipEqual skips only what is equal")
  func skipEqual() {
    let bench = Bench(Freeform.kind, ["skipEqual": .flag(true)])
    bench.send("set", .text("on"))
    expectEqual(bench.send("set", .text("on")), "ignored state(on) event=set")
    expect(bench.send("set", .text("On")), hasPrefix: "moved state(on) state(On)")
  }

  @Test("made with a state, the blocks of its entry run")
  func initial() {
    expectEqual(
      Bench(Freeform.kind, initial: "state").lines,
      [
        "0.000 m created state(inactive) > before inactive > on inactive > after inactive"
      ])
  }

  @Test("the outputs are the blocks of an object, in the order in which they run there")
  func sameAsObject() {
    final class Thing: NamedStateObject {
      var namedStates = NamedStates()
      var lines: [String] = []
    }
    let names = ["a", "b", "c"]
    let thing = Thing()
    for name in names {
      thing.before(name) { [unowned thing] in thing.lines.append("before \(name)") }
      thing.on(name) { [unowned thing] in thing.lines.append("on \(name)") }
      thing.after(name) { [unowned thing] in thing.lines.append("after \(name)") }
      for next in names {
        thing.when(name, transitionsTo: next) { [unowned thing] in thing.lines.append("transitionTo \(name) \(next)") }
        thing.when(next, transitionsFrom: name) { [unowned thing] in
          thing.lines.append("transitionFrom \(name) \(next)")
        }
      }
    }
    let bench = Bench(Freeform.kind)
    var generator = Generator(salt: 1)
    for _ in 0..<50 {
      let name = names[Int.random(in: 0..<3, using: &generator)]
      thing.lines = []
      thing.shiftState = name
      bench.send("set", .text(name))
      expectEqual(bench.lines.last?.split(separator: " > ").dropFirst().map(String.init), thing.lines)
    }
  }
}
