import JournalStore
import Simulator
import StateMachines

extension LiveWorld {
  /// The most inputs that are searched for armings, in all and per read.
  private static let inputsSearched: UInt64 = 5_000_000
  private static let inputsInAStep: UInt64 = 100_000

  /// Restarts each running timer with the duration of its last arming in the journal. A timer whose arming is not kept
  /// any more keeps its remaining time.
  ///
  /// It may take long.
  ///
  /// - Throws: `interrupted` if the slot was interrupted; what the store throws.
  mutating func renewTimers(_ slot: WorkerSlot) throws(PersistenceFailure) {
    // Timers that are due expire before they could be renewed, as in a replay.
    world.fireDue()
    let now = world.now
    let running = world.agendaItems(matching: .all, limit: .max)
    guard !running.isEmpty else { return }
    var search = ArmingSearch(for: running, of: world)
    var reader = world.journalReader(from: world.firstSequence)
    while let entry = world.read(&reader) { search.look(at: entry, of: world) }
    var end = world.firstSequence
    let floor = end > LiveWorld.inputsSearched ? end - LiveWorld.inputsSearched : 1
    while !search.isDone, let stored, end > max(stored.first, floor) {
      guard slot.goesOn() else { throw .interrupted }
      let start = max(stored.first, end > LiveWorld.inputsInAStep ? end - LiveWorld.inputsInAStep : 1)
      var earlier = ArmingSearch(for: running, of: world)
      do throws(PersistenceFailure) {
        _ = try stored.read(start...(end - 1), in: world) { past, entry in
          earlier.look(at: entry, of: past)
          return true
        }
      } catch .unreadable {
        // Unreadable inputs count as not kept.
        break
      }
      search.fillUp(from: earlier)
      end = start
    }
    world.renew(
      running.map { item in
        RenewedTimer(
          machine: item.machine, timer: item.timer, key: item.key,
          duration: search.duration(of: item, in: world) ?? item.due - now
        )
      })
  }
}

/// Finds the durations with which running timers were armed.
private struct ArmingSearch {
  private struct Name: Hashable {
    let machine: MachineID
    /// The timer's name: its index may differ in an earlier release.
    let timer: String
    let key: UInt32

    init(_ machine: MachineID, _ timer: Int, key: UInt32, of world: borrowing WorldCore) {
      self.machine = machine
      self.timer = world.kind(of: machine).timers[timer].name
      self.key = key
    }
  }

  private var due: [Name: Instant] = [:]
  private var durations: [Name: Nanoseconds] = [:]

  init(for items: [WorldCore.AgendaItem], of world: borrowing WorldCore) {
    for item in items { due[Name(item.machine, item.timer, key: item.key, of: world)] = item.due }
  }

  var isDone: Bool { durations.count == due.count }

  func duration(of item: WorldCore.AgendaItem, in world: borrowing WorldCore) -> Nanoseconds? {
    durations[Name(item.machine, item.timer, key: item.key, of: world)]
  }

  /// Adds durations from earlier inputs for timers without one.
  mutating func fillUp(from earlier: ArmingSearch) {
    durations.merge(earlier.durations) { known, _ in known }
  }

  /// If several armings have the same due time, the last one counts.
  mutating func look(at entry: JournalEntry, of world: borrowing WorldCore) {
    if world.undoer(of: entry.sequence) != nil { return }
    guard let machine = entry.machine else {
      for timer in JournalInput(entry).renewed {
        note(
          Name(timer.machine, timer.timer, key: timer.key, of: world), entry.moment + timer.duration, timer.duration)
      }
      return
    }
    for case .armed(let timer, let key, let due) in JournalInput.Effects(of: entry) {
      note(Name(machine, timer, key: key, of: world), due, due - entry.moment)
    }
  }

  private mutating func note(_ name: Name, _ due: Instant, _ duration: Nanoseconds) {
    if self.due[name] == due { durations[name] = duration }
  }
}
