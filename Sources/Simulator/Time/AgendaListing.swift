package import StateMachines

/// The running timers of a world at one moment, in the order in which they were to fire, returned in slices.
///
/// Timers that have fired, stopped or been armed anew since are left out. The first ones are collected directly from
/// the agenda; only a large listing copies it.
package final class AgendaListing {
  private let pattern: NamePattern
  private var remaining: Int
  /// The items to return, from `next` on.
  private var found: [WorldCore.AgendaItem]
  private var next = 0
  /// A copy of the agenda, for what follows `found`; nil if nothing does.
  private var agenda: Agenda?

  /// The most entries collected without a copy: some tenths of a millisecond.
  fileprivate static let lookedAtInPlace = 1_024

  fileprivate init(_ world: borrowing WorldCore, _ pattern: NamePattern, limit: Int) {
    self.pattern = pattern
    remaining = limit
    found = []
    agenda = nil
    if pattern.isLiteral {
      if let machine = pattern.bytes.withUnsafeBytes({ world.find($0) }) { found = world.agendaItems(of: machine) }
      return
    }
    var budget = min(AgendaListing.lookedAtInPlace, world.agenda.count)
    var items: [WorldCore.AgendaItem] = []
    world.agenda.forEachInOrder { entry in
      guard items.count < limit, budget > 0 else { return false }
      budget -= 1
      if let item = world.agendaItem(entry, pattern) { items.append(item) }
      return true
    }
    if items.count == limit || world.agenda.count <= AgendaListing.lookedAtInPlace {
      found = items
    } else {
      agenda = world.agenda.copy()
    }
  }

  /// The memory of the copied items and agenda.
  package var bytes: Int { found.count * MemoryLayout<WorldCore.AgendaItem>.stride + (agenda?.bytes ?? 0) }

  /// Whether nothing is left.
  package var isDone: Bool { remaining == 0 || (next == found.count && agenda == nil) }

  /// The next timer; nil when the budget is used up or nothing is left (see ``isDone``).
  ///
  /// - Parameters:
  ///   - world: The world of the listing.
  ///   - budget: The most timers to look at; lowered by those looked at.
  /// - Complexity: O(log *n*) for each timer looked at.
  package func next(in world: borrowing WorldCore, budget: inout Int) -> WorldCore.AgendaItem? {
    while budget > 0, remaining > 0 {
      budget -= 1
      if next < found.count {
        let item = found[next]
        next += 1
        guard world.isRunning(item) else { continue }
        remaining -= 1
        return item
      }
      guard let entry = agenda?.first else {
        agenda = nil
        return nil
      }
      agenda?.pop()
      guard let item = world.agendaItem(entry, pattern) else { continue }
      remaining -= 1
      return item
    }
    return nil
  }
}

extension WorldCore {
  /// A running timer as the agenda lists it.
  package struct AgendaItem: Sendable {
    package let due: Instant
    package let machine: MachineID
    /// The index in the list of the machine's kind.
    package let timer: Int
    /// 0 for a timer without a key.
    package let key: UInt32
    fileprivate let stamp: UInt64
  }

  /// Whether a listed timer still runs unchanged.
  package func isRunning(_ item: AgendaItem) -> Bool {
    let location = registry.location(of: item.machine)
    guard location.isSomewhere else { return false }
    if item.key != 0 { return keyedTimers.name(armedAs: item.stamp) != nil }
    // After a rewind a stamp may have been given again.
    return population.timers(at: location).contains { $0.stamp == item.stamp && $0.due == item.due.nanoseconds }
  }

  package var runningTimerCount: Int { agenda.living }

  /// The most memory that a listing takes.
  package var bytesOfAnAgendaListing: Int {
    agenda.count <= AgendaListing.lookedAtInPlace ? agenda.count * MemoryLayout<AgendaItem>.stride : agenda.bytes
  }

  /// The running timers of the matching machines as they are now, for reading in slices.
  ///
  /// - Complexity: O(limit log limit) for few; O(*n*) for many, with a copy of sixteen bytes per timer.
  package func agendaListing(matching pattern: NamePattern, limit: Int) -> AgendaListing {
    AgendaListing(self, pattern, limit: limit)
  }

  /// The running timers of the matching machines, in the order of firing.
  ///
  /// - Complexity: O(limit log limit) for few; at most O(*n* log *n*) in the running timers.
  package func agendaItems(matching pattern: NamePattern, limit: Int) -> [AgendaItem] {
    let listing = agendaListing(matching: pattern, limit: limit)
    var items: [AgendaItem] = []
    var budget = Int.max
    while let item = listing.next(in: self, budget: &budget) { items.append(item) }
    return items
  }

  /// The item for an entry of the agenda; nil if it is dead, or its machine's name does not match.
  fileprivate func agendaItem(_ entry: Agenda.Entry, _ pattern: NamePattern) -> AgendaItem? {
    let location = registry.location(of: entry.machine)
    guard location.isSomewhere, let (timer, key) = runningTimer(entry, location) else { return nil }
    guard pattern.matchesAll || registry.withName(of: entry.machine, { pattern.matches($0) }) else { return nil }
    return AgendaItem(
      due: Instant(nanoseconds: entry.due), machine: entry.machine, timer: timer, key: key, stamp: entry.stamp)
  }

  private func runningTimer(_ entry: Agenda.Entry, _ location: Location) -> (timer: Int, key: UInt32)? {
    let timers = population.timers(at: location)
    if let timer = timers.firstIndex(where: { $0.stamp == entry.stamp && $0.due == entry.due }) { return (timer, 0) }
    return keyedTimers.name(armedAs: entry.stamp).map { (Int($0.timer), $0.key) }
  }

  /// The running timers of one machine, in the order of firing.
  func agendaItems(of machine: MachineID) -> [AgendaItem] {
    let timers = population.timers(at: registry.location(of: machine))
    let fixed = timers.indices.filter { timers[$0].stamp != 0 }.map { (timer: $0, key: UInt32(0), running: timers[$0]) }
    let keyed = keyedTimers.all(of: machine).map { (timer: Int($0.name.timer), key: $0.name.key, running: $0.running) }
    return (fixed + keyed)
      .sorted { ($0.running.due, $0.running.stamp) < ($1.running.due, $1.running.stamp) }
      .map { timer, key, running in
        AgendaItem(
          due: Instant(nanoseconds: running.due), machine: machine, timer: timer, key: key, stamp: running.stamp)
      }
  }
}
