import SimulationDaemon
import Simulations
import StateMachines

/// The daemon `fsmd` with one kind more.
@main
struct Lab {
  static func main() {
    FSMDaemon.main(kinds: .simulations + [Lamp.kind])
  }
}
