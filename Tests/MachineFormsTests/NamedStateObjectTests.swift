import MachineForms
import StateMachines
import TestSupport
import Testing

struct NamedStateObjectTests {
  /// An object whose blocks note that they ran, and what the state was then.
  private final class Thing: NamedStateObject {
    var namedStates = NamedStates()
    var lines: [String] = []

    /// One block of each sort for `inactive`, `active` and the change between them.
    func noteAll() {
      for state in ["inactive", "active"] {
        before(state) { [unowned self] in note("before(\(state))") }
        on(state) { [unowned self] in note("on(\(state))") }
        after(state) { [unowned self] in note("after(\(state))") }
      }
      when("inactive", transitionsTo: "active") { [unowned self] in note("to(inactive→active)") }
      when("active", transitionsFrom: "inactive") { [unowned self] in note("from(inactive→active)") }
    }

    func note(_ line: String) { lines.append("\(line) \(shiftState ?? "nil")") }
  }

  @Test("the first state, and a change")
  func trace() {
    let thing = Thing()
    thing.noteAll()
    expectNil(thing.shiftState)
    thing.shiftState = "inactive"
    expectEqual(thing.lines, ["before(inactive) nil", "on(inactive) inactive", "after(inactive) inactive"])
    thing.lines = []
    thing.shiftState = "active"
    expectEqual(
      thing.lines,
      [
        "to(inactive→active) inactive", "before(active) inactive", "on(active) active", "after(active) active",
        "from(inactive→active) active",
      ])
  }

  @Test("blocks of other names and other pairs do not run")
  func names() {
    let thing = Thing()
    thing.noteAll()
    thing.shiftState = "active"
    thing.lines = []
    thing.shiftState = "inactive"
    expectEqual(thing.lines, ["before(inactive) active", "on(inactive) inactive", "after(inactive) inactive"])
    thing.lines = []
    thing.shiftState = "elsewhere"
    expect(thing.lines.isEmpty)
    expectEqual(thing.shiftState, "elsewhere")
  }

  @Test("any number of blocks for one name, in the order in which they were added")
  func several() {
    let thing = Thing()
    for number in 1...3 {
      thing.after("s") { [unowned thing] in thing.note("after \(number)") }
      thing.before("s") { [unowned thing] in thing.note("before \(number)") }
    }
    thing.shiftState = "s"
    expectEqual(thing.lines, ["before 1 nil", "before 2 nil", "before 3 nil", "after 1 s", "after 2 s", "after 3 s"])
  }

  @Test("an equal state is a change, unless it is to be skipped", arguments: [false, true])
  func equal(skipsEqual: Bool) {
    let thing = Thing()
    thing.namedStates.skipsEqual = skipsEqual
    thing.on("s") { [unowned thing] in thing.note("on") }
    thing.when("s", transitionsTo: "s") { [unowned thing] in thing.note("to") }
    thing.when("s", transitionsFrom: "s") { [unowned thing] in thing.note("from") }
    thing.shiftState = "s"
    thing.shiftState = "s"
    expectEqual(thing.lines, ["on s"] + (skipsEqual ? [] : ["to s", "on s", "from s"]))
  }

  @Test("no state again runs no blocks")
  func none() {
    let thing = Thing()
    thing.noteAll()
    thing.shiftState = "active"
    thing.lines = []
    thing.shiftState = nil
    expect(thing.lines.isEmpty)
    expectNil(thing.shiftState)
  }

  @Test("a block that sets the state again: that change is complete before the first one goes on")
  func nested() {
    let thing = Thing()
    thing.noteAll()
    thing.on("inactive") { [unowned thing] in thing.shiftState = "active" }
    thing.shiftState = "inactive"
    expectEqual(thing.shiftState, "active")
    expectEqual(
      thing.lines,
      [
        "before(inactive) nil", "on(inactive) inactive", "to(inactive→active) inactive", "before(active) inactive",
        "on(active) active", "after(active) active", "from(inactive→active) active", "after(inactive) active",
      ])
  }

  @Test("a block may add blocks while it runs")
  func adding() {
    let thing = Thing()
    thing.on("s") { [unowned thing] in thing.on("s") { [unowned thing] in thing.note("late") } }
    thing.shiftState = "s"
    expect(thing.lines.isEmpty)
    thing.shiftState = "s"
    expectEqual(thing.lines, ["late s"])
  }

  @Test("the download of the documentation")
  func example() {
    expectEqual(runDownload(), ["started", "about to finish"])
  }
}
