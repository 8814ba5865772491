package import Simulator
package import StateMachines

/// Counts what a world's machines have done, by reading its journal in slices.
///
/// It covers the time up to its start. Nothing is counted while machines run: the journal has all facts, so any world
/// can be surveyed.
package struct CoverageSurvey: Sendable {
  /// By the world's kind index.
  package private(set) var tallies: [CoverageTally]
  /// The first input counted; 1 unless the journal has dropped its beginning.
  package private(set) var since: UInt64

  private let pattern: NamePattern
  private let isWanted: [Bool]
  private let end: UInt64
  private var reader: JournalReader
  /// By machine number.
  private var lastMoves: [UInt16] = []

  /// How many living machines are inspected for parameters if the journal has dropped their creation.
  private static let machinesLookedAt = 256

  /// - Parameters:
  ///   - pattern: Selects machines by name, including dropped ones.
  ///   - isWanted: Whether machines of a kind count.
  /// - Complexity: O(machines).
  package init(of world: borrowing WorldCore, _ pattern: NamePattern, _ isWanted: (Kind) -> Bool) {
    let wanted = world.kinds.map(isWanted)
    var tallies = world.kinds.map(CoverageTally.init(of:))
    self.pattern = pattern
    self.isWanted = wanted
    since = world.firstSequence
    end = world.lastSequence
    reader = world.journalReader(from: since)
    var matching: [MachineID] = []
    let most = since > 1 ? CoverageSurvey.machinesLookedAt : 0
    var tally = StateTally()
    var budget = Int.max
    _ = world.count(into: &tally, budget: &budget) { machine, name, kind in
      guard wanted[kind], pattern.matches(name) else { return false }
      if matching.count < most { matching.append(machine) }
      return true
    }
    for (kind, machines) in tally.counts { tallies[kind].note(present: machines, in: tally.numbers(ofKind: kind)) }
    for machine in matching {
      tallies[world.kindPlace(of: machine)].note(parameters: world.parameterValues(of: machine))
    }
    self.tallies = tallies
  }

  /// Continues reading.
  ///
  /// Skips what the journal drops before it is read; ``since`` says so.
  ///
  /// - Parameter inputs: How many at most.
  /// - Returns: Whether everything has been read.
  package mutating func advance(through world: borrowing WorldCore, by inputs: Int) -> Bool {
    var left = inputs
    while left > 0, reader.next <= end {
      guard let entry = world.read(&reader) else {
        since = world.firstSequence
        guard since <= end else { return true }
        reader = world.journalReader(from: since)
        // The last moves of machines are unknown after a gap.
        lastMoves = []
        continue
      }
      left -= 1
      note(entry, world)
    }
    return reader.next > end
  }

  private mutating func note(_ entry: JournalEntry, _ world: borrowing WorldCore) {
    // Undone inputs do not count.
    if world.hasUndone(entry.sequence) { return }
    // An input of the whole world is not a step of a machine.
    guard let machine = entry.machine else { return }
    let place = world.kindPlace(of: machine)
    guard isWanted[place] else { return }
    guard pattern.matchesAll || world.withName(of: machine, { pattern.matches($0) }) else { return }
    let number = machine.index
    if number >= lastMoves.count {
      lastMoves.append(contentsOf: repeatElement(0, count: max(64, number + 1 - lastMoves.count, lastMoves.count)))
    }
    tallies[place].note(entry, lastMove: &lastMoves[number])
  }
}
