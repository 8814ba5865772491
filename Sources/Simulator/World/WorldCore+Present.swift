package import MachineGraphs
import StateMachines

extension WorldCore {
  /// What each event, with each choice of its samples, and each running timer would do to a machine now.
  ///
  /// - Complexity: A step for each of them.
  package func presentOutcomes(of machine: MachineID, isByPlace: Bool = false) -> [PresentOutcome] {
    let location = registry.location(of: machine)
    return PresentOutcome.all(
      of: kind(of: machine), population.value(at: location), population.parameters(at: location), at: now,
      timers: runningTimers(of: machine), isByPlace: isByPlace)
  }
}
