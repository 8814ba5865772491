package import MachineGraphs
package import StateMachines

/// What diagrams need to know of living machines.
extension WorldCore {
  /// What a machine was made with, in its kind's order.
  package func parameterValues(of machine: MachineID) -> [Value] {
    kind(of: machine).values(of: population.parameters(at: registry.location(of: machine)))
  }

  /// The shortest way for a machine, as it is now, to a state in which an event is possible; nil if none was found.
  ///
  /// - Parameter finder: Of the machine's kind.
  package func way(of machine: MachineID, to event: Int, _ finder: PathFinder) -> GraphPath? {
    let location = registry.location(of: machine)
    return finder.way(
      from: population.value(at: location), population.parameters(at: location), at: now,
      timers: runningTimers(of: machine), to: event)
  }
}
