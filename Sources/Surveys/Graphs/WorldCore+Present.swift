package import MachineGraphs
package import Simulator
import StateMachines

extension WorldCore {
  /// What each event, with each choice of its samples and of the arguments that machines of the kind were sent, and
  /// each running timer would do to a machine now.
  ///
  /// - Complexity: A step for each of them, and a search for arguments as in ``argumentsSeen(of:)``.
  package func presentOutcomes(of machine: MachineID, isByPlace: Bool = false) -> [PresentOutcome] {
    let kind = kind(of: machine)
    return PresentOutcome.all(
      of: kind, value(of: machine), parameters(of: machine), at: now,
      timers: runningTimers(of: machine), seen: argumentsSeen(of: kind), isByPlace: isByPlace)
  }
}
