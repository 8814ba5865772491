import Simulations
import StateMachines
import Testing

struct CheckinViewTests {
  @Test("all pairs")
  func pairs() {
    Table(
      CheckinView.kind,
      """
      state       | viewLoaded            | show(spinner)          | show(table)             | retryTapped | logoutTapped | login(A,ok)
      blank       | ⟲ > refresh | → spinner > spinner true | → table                 | refuse      | ⟲ > logout   | refuse
      spinner     | ⟲ > refresh | ignore                 | → table > spinner false | refuse      | ⟲ > logout   | refuse
      message     | ⟲ > refresh | → spinner > spinner true | → table                 | ⟲ > refresh | ⟲ > logout   | refuse
      placeholder | ⟲ > refresh | → spinner > spinner true | → table                 | refuse      | ⟲ > logout   | refuse
      table       | ⟲ > refresh | → spinner > spinner true | ignore                  | refuse      | ⟲ > logout   | refuse
      loginPrompt | ⟲ > refresh | → spinner > spinner true | → table                 | refuse      | refuse       | ⟲ > login A ok
      """
    ).check()
  }
}
