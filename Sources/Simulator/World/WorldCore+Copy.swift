import StateMachines

extension WorldCore {
  /// A copy of the machines and pending timers, with its own journal. It has no watchers and no undo history.
  ///
  /// - Precondition: No request is being processed.
  init(copying other: borrowing WorldCore, _ journal: consuming Journal) {
    self.init(seed: other.past.seed, limits: other.limits)
    registry = other.registry.copy()
    population = other.population.copy(as: other.registry)
    agenda = other.agenda.copy()
    keyedTimers = other.keyedTimers
    wires = other.wires
    definitions = other.definitions
    past.takeDefined(of: other.past)
    record.generator = other.record.generator
    keepsReasons = other.keepsReasons
    self.journal = journal
    now = other.now
    armings = other.armings
    instantStamp = other.instantStamp
    chain = other.chain
    stallStamp = other.stallStamp
    firings = other.firings
  }

  /// An independent world with the same state and journal, and so with the same undo history. It has no watchers.
  ///
  /// - Complexity: O(machines + timers). The journal and the checkpoints are shared.
  package func fork() -> WorldCore {
    var fork = WorldCore(copying: self, journal.copy())
    fork.compositions = compositions
    fork.answers = answers
    fork.past = past
    fork.retired = retired
    fork.nextRetired = nextRetired
    return fork
  }
}
