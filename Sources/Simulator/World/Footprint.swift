/// The memory of a world by purpose, in bytes.
package struct Footprint: Equatable, Sendable {
  /// The purpose of a part.
  package enum Use: Int, CaseIterable, Sendable {
    /// Cells, names and numbers.
    case machines
    /// Memory of the machines' values outside their cells: texts, lists.
    case data
    /// The agenda, and the timers with keys.
    case timers
    case wires
    /// Parameters, documents, and what was compiled from them.
    case parameters
    /// Blocks of the journal, and its rewinds; of blocks shared by forks, each world's share.
    case journal
    /// Checkpoints for going back.
    case checkpoints
    /// Watched patterns, and a bit or two per watcher and machine.
    case watches
    /// Tables that can be rebuilt: the order of the names.
    case tables
  }

  /// One for each use; the rest is 0. It is in place, since a footprint is taken after each piece of work.
  private var parts = SIMD16<Int>()

  package init() {}

  package subscript(use: Use) -> Int {
    get { parts[use.rawValue] }
    set { parts[use.rawValue] = newValue }
  }

  package var total: Int { parts.wrappedSum() }
}

extension WorldCore {
  /// The memory of this world.
  ///
  /// It is counted as it changes, not measured: exact for cells, names, agenda and journal, within some percent for
  /// hash tables. It excludes the allocator's overhead, and what machines' values have gained since their last
  /// measurement: about a quarter of their size, or two kilobytes each.
  ///
  /// - Complexity: O(checkpoints + watchers); in a fork, or a world that was forked, also O(shared blocks of the
  ///   journal).
  package var footprint: Footprint {
    var footprint = Footprint()
    footprint[.machines] = population.bytes + registry.bytes
    footprint[.data] = population.ownedBytes
    footprint[.timers] = agenda.bytes + keyedTimers.bytes
    footprint[.wires] = wires.bytes
    footprint[.parameters] = population.parameterBytes + past.definedBytes
    footprint[.journal] = journal.heldBytes + past.rewinds.bytes + answers.bytes
    footprint[.checkpoints] = checkpoints.bytes
    footprint[.watches] = watchers.bytes
    footprint[.tables] = registry.orderBytes
    return footprint
  }

  /// A number that changes when the world has taken much more memory: a block of the journal, or as much for the values of
  /// machines. Periodic checks of the footprint compare this first.
  package var growths: Int { journal.openings &+ population.gainedBytes &>> 16 }

  /// Frees what can be rebuilt: the order of the names, and all checkpoints except the newest.
  package mutating func discardRebuildable() {
    registry.forgetOrder()
    past.giveUpOlderCheckpoints()
  }
}
