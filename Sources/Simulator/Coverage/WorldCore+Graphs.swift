package import MachineGraphs
package import StateMachines

/// Facts about living machines for diagrams.
extension WorldCore {
  /// The parameters of a machine, in its kind's order.
  package func parameterValues(of machine: MachineID) -> [Value] {
    kind(of: machine).values(of: population.parameters(at: registry.location(of: machine)))
  }

  /// The shortest path of a machine, from its current state, to a state in which an event is possible; nil if none was
  /// found.
  ///
  /// - Parameter finder: For the machine's kind.
  package func way(of machine: MachineID, to event: Int, _ finder: PathFinder) -> GraphPath? {
    let location = registry.location(of: machine)
    return finder.way(
      from: population.value(at: location), population.parameters(at: location), at: now,
      timers: runningTimers(of: machine), to: event)
  }
}
