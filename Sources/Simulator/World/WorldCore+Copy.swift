import StateMachines

extension WorldCore {
  /// A copy of what machines are and of what is to come, with a journal of its own. It has no watchers, and no past.
  ///
  /// - Precondition: Nothing is under way.
  init(copying other: borrowing WorldCore, _ journal: consuming Journal) {
    self.init(seed: other.past.seed, limits: other.limits)
    registry = other.registry.copy()
    population = other.population.copy(as: other.registry)
    agenda = other.agenda.copy()
    keyedTimers = other.keyedTimers
    wires = other.wires
    record.generator = other.record.generator
    self.journal = journal
    now = other.now
    armings = other.armings
    instantStamp = other.instantStamp
    chain = other.chain
    stallStamp = other.stallStamp
    firings = other.firings
  }

  /// A world that is the same to this moment, and from then on its own: with the journal, and so with all that can be
  /// undone. Nobody watches it.
  ///
  /// - Complexity: O(machines + timers). What the journal and the copies of the past have is shared.
  package func fork() -> WorldCore {
    var fork = WorldCore(copying: self, journal.copy())
    fork.compositions = compositions
    fork.past = past
    fork.retired = retired
    fork.nextRetired = nextRetired
    return fork
  }
}
