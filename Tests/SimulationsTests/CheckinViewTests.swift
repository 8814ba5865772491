import MachineTesting
import Simulations
import StateMachines
import Testing

struct CheckinViewTests {
  @Test("all pairs")
  func pairs() {
    Table(CheckinView.kind, in: "../../Sources/Simulations/Screens/CheckinView.swift").check()
  }
}
