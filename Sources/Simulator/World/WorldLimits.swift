/// The limits of a world, so that nothing in it is unbounded.
package struct WorldLimits: Sendable {
  /// Machines at one time.
  package var machines = 2_000_000
  /// Numbers of machines: of living ones and of those that the journal still refers to.
  var numbers = MachineID.max
  /// Kinds that have, or have had, machines. A kind from a document counts once for each of its versions.
  package var kinds = 10_000
  /// Wires at one time.
  package var wires = 100_000
  /// Firings within one instant of timers that were armed at that instant.
  package var chain = 100_000
  /// Running timers with keys of one machine.
  package var keyedTimers = 10_000
  /// Deliveries through wires that follow from one another.
  package var wireChain = 1_000
  /// Deliveries through wires within one step.
  package var wireDeliveries = 100_000
  /// Inputs that the journal keeps in memory; the oldest are dropped first.
  package var journal = 1_000_000
  /// Bytes that the journal keeps in memory; the oldest inputs are dropped first.
  package var journalBytes = 512 << 20
  /// Bytes of the checkpoints that make going back quick. One of several takes at most an eighth.
  package var checkpointBytes = 64 << 20
  /// The least number of inputs between two checkpoints.
  var checkpointDistance = 16_384

  package init() {}
}
