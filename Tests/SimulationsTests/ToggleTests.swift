import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

struct ToggleTests {
  @Test("power: all pairs")
  func power() {
    Table(
      Power.kind,
      """
      state | buttonClick | set(true) | set(false)
      off   | → on        | → on      | ignore
      on    | → off       | ignore    | → off
      """
    ).check()
  }

  @Test("boldText: all pairs, and what each tells the texts")
  func boldText() {
    Table(
      BoldText.kind,
      """
      state   | toggleSwitched                | set(true)               | set(false)
      regular | → bold > fontStyle bold       | → bold > fontStyle bold | ignore
      bold    | → regular > fontStyle regular | ignore                  | → regular > fontStyle regular
      """
    ).check()
  }

  @Test("the same signal twice at one instant is two reactions")
  func twice() {
    let bench = Bench(BoldText.kind)
    bench.advance(to: .seconds(1))
    bench.send("toggleSwitched")
    bench.send("toggleSwitched")
    bench.advance(to: .seconds(2))
    bench.send("set", .flag(false))
    expectEqual(
      bench.lines,
      [
        "0.000 m created regular > fontStyle regular",
        "1.000 m moved regular bold event=toggleSwitched > fontStyle bold",
        "1.000 m moved bold regular event=toggleSwitched > fontStyle regular",
        "2.000 m ignored regular event=set",
      ])
  }

  @Test("without being told otherwise both are off")
  func initial() {
    expectEqual(Bench(Power.kind).state(), "off")
    expectEqual(Bench(BoldText.kind).state(), "regular")
  }
}
