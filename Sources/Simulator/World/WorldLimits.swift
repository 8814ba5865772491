/// What a world may hold and do, so that nothing in it is unbounded.
package struct WorldLimits: Sendable {
  /// Machines at one time.
  package var machines = 2_000_000
  /// Numbers of machines: of those that live and of those that the journal still speaks of.
  var numbers = MachineID.most
  /// Wires at one time.
  package var wires = 100_000
  /// Firings within one instant of timers that were armed at that same instant.
  package var chain = 100_000
  /// Timers of one machine that bear keys and run at one time.
  package var keyedTimers = 10_000
  /// Deliveries through wires that follow from one another.
  package var wireChain = 1_000
  /// Deliveries through wires within one step.
  package var wireDeliveries = 100_000
  /// Inputs that the journal keeps in memory; the oldest go first.
  package var journal = 1_000_000
  /// Bytes that the journal keeps in memory; the oldest inputs go first.
  package var journalBytes = 512 << 20
  /// Bytes of the copies that are kept of a world, so that going back is quick. One takes at most an eighth of them.
  package var checkpointBytes = 64 << 20
  /// Inputs between two such copies, at least.
  var checkpointDistance = 16_384

  package init() {}
}
