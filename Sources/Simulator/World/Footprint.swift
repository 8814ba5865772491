/// What a world keeps in memory, by what it is for, in bytes.
package struct Footprint: Equatable, Sendable {
  /// What each part is for.
  package enum Use: Int, CaseIterable, Sendable {
    /// Cells, names and numbers.
    case machines
    /// What the machines' values hold elsewhere: texts, lists.
    case data
    /// The agenda, and the timers that bear keys.
    case timers
    case wires
    /// Parameters, and what was compiled of them.
    case parameters
    /// Blocks of the journal: of those that forks share, each world's share.
    case journal
    /// Copies of the world that are kept to go back from.
    case checkpoints
    /// Patterns that are watched, and a bit or two per watcher and machine.
    case watches
    /// What can be made again at any time: the order of the names.
    case tables
  }

  private var parts: InlineArray<9, Int> = .init(repeating: 0)

  package init() {}

  package subscript(use: Use) -> Int {
    get { parts[use.rawValue] }
    set { parts[use.rawValue] = newValue }
  }

  package var total: Int { Use.allCases.reduce(0) { $0 + self[$1] } }

  package static func == (left: Footprint, right: Footprint) -> Bool {
    Use.allCases.allSatisfy { left[$0] == right[$0] }
  }
}

extension WorldCore {
  /// What this world keeps in memory.
  ///
  /// It is counted where it changes, not measured: exact for cells, names, agenda and journal, within some percent for
  /// hash tables. What the allocator adds is not in it, nor what machines' values have come to hold since they were last
  /// looked at, which is about a quarter of what they have, or two kilobytes each.
  ///
  /// - Complexity: O(checkpoints + watchers); in a fork, or a world that was forked, also O(blocks of the
  ///   journal that both have).
  package var footprint: Footprint {
    var footprint = Footprint()
    footprint[.machines] = population.bytes + registry.bytes
    footprint[.data] = population.ownedBytes
    footprint[.timers] = agenda.bytes + keyedTimers.bytes
    footprint[.wires] = wires.bytes
    footprint[.parameters] = population.parameterBytes
    footprint[.journal] = journal.heldBytes
    footprint[.checkpoints] = checkpoints.bytes
    footprint[.watches] = watchers.bytes
    footprint[.tables] = registry.orderBytes
    return footprint
  }

  /// Gives up what can be made again: the order of the names, and all copies to go back from but the newest.
  package mutating func giveUpWhatCanBeMadeAgain() {
    registry.forgetOrder()
    past.giveUpOlderCheckpoints()
  }
}
