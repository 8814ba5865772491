import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct ListDetailCoordinatorTests {
  @Test("all pairs")
  func pairs() {
    Table(
      ListDetailCoordinator.kind,
      """
      state  | start            | selected(pear)               | allTapped
      none   | → All > pushList | ignore                       | ignore
      All    | ignore           | → Detail(pear) > pushDetail pear   | refuse
      Detail | ignore           | refuse                       | → All > popToRoot
      """
    ).check()
  }

  @Test("to an item and back, and to another one")
  func navigation() {
    let bench = Bench(ListDetailCoordinator.kind)
    bench.send("start")
    bench.send("selected", .text("apple"))
    bench.send("allTapped")
    bench.send("selected", .text("pear"))
    expectEqual(
      bench.lines,
      [
        "0.000 m created none",
        "0.000 m moved none All event=start > pushList",
        "0.000 m moved All Detail(apple) event=selected > pushDetail apple",
        "0.000 m moved Detail(apple) All event=allTapped > popToRoot",
        "0.000 m moved All Detail(pear) event=selected > pushDetail pear",
      ])
  }

  @Test("an item that comes while another is shown is kept although its entry is refused")
  func kept() {
    let bench = Bench(ListDetailCoordinator.kind)
    bench.send("start")
    expectNil(bench.reading("item"))
    bench.send("selected", .text("apple"))
    expectEqual(
      bench.send("selected", .text("pear")),
      "refused Detail(apple) event=selected : from the details only the list can be shown")
    expectEqual(bench.state(), "Detail(apple)")
    expectEqual(bench.reading("item"), .text("pear"))
    bench.send("allTapped")
    expectEqual(bench.reading("item"), .text("pear"))
    bench.send("selected", .text("plum"))
    expectEqual(bench.state(), "Detail(plum)")
    expectEqual(bench.reading("item"), .text("plum"))
  }

  @Test("what is asked before the start is ignored, and no item is kept")
  func notStarted() {
    let bench = Bench(ListDetailCoordinator.kind)
    bench.send("selected", .text("apple"))
    expectNil(bench.reading("item"))
    expectEqual(bench.state(), "none")
  }

  @Test("the list may not follow itself, and the refusal says so")
  func listTwice() {
    let bench = Bench(ListDetailCoordinator.kind, initial: "All")
    expectEqual(bench.lines, ["0.000 m created All > pushList"])
    expectEqual(
      bench.send("allTapped"), "refused All event=allTapped : from the list only the details of an item can be shown")
  }

  @Test("made among details it knows no item and pushes none")
  func withoutItem() {
    let bench = Bench(ListDetailCoordinator.kind, initial: "Detail")
    expectEqual(bench.lines, ["0.000 m created Detail"])
    expectEqual(bench.send("allTapped"), "moved Detail All event=allTapped > popToRoot")
  }
}
