package import MachineGraphs
package import Simulator
package import StateMachines

/// Facts about living machines for diagrams.
extension WorldCore {
  /// The shortest path of a machine, from its current state, to a state in which an event is possible; nil if none was
  /// found.
  ///
  /// - Parameter finder: For the machine's kind.
  package func way(of machine: MachineID, to event: Int, _ finder: PathFinder) -> GraphPath? {
    finder.way(from: living(machine), to: event)
  }

  /// The shortest path of a machine, from its current state, to a wanted one; nil if none was found.
  ///
  /// - Parameter finder: For the machine's kind.
  package func way(of machine: MachineID, to query: StateQuery, _ finder: PathFinder) -> GraphPath? {
    finder.way(from: living(machine)) { query.matches($0, data: $1) }
  }

  /// A machine as it is, for a search; valid until the world changes.
  package func living(_ machine: MachineID) -> LivingMachine {
    LivingMachine(value(of: machine), parameters(of: machine), at: now, timers: runningTimers(of: machine))
  }

  /// The last inputs of the journal that are searched for arguments.
  private static let inputsSearched: UInt64 = 4_096
  /// The most choices of arguments per event.
  private static let mostArgumentsSeen = 32

  /// Longer texts are not tried, since each machine that is found may hold them.
  private static func isShort(_ value: Value) -> Bool {
    if case .text(let text) = value { text.utf8.count <= 1_024 } else { true }
  }

  /// The last different arguments with which events were sent to machines of a kind, by event, the latest first, of
  /// events whose samples do not stand for all. They are looked for in the latest part of the journal; what was undone
  /// does not count.
  ///
  /// - Complexity: O(inputs searched), bounded.
  package func argumentsSeen(of kind: Kind) -> [Int: [[Value]]] {
    var seen: [Int: [[Value]]] = [:]
    let isOpen = kind.events.map { !$0.arguments.allSatisfy(\.isSampledFully) }
    guard isOpen.contains(true), lastSequence >= firstSequence, kinds.contains(where: { $0 === kind }) else {
      return seen
    }
    var reader = journalReader(from: max(firstSequence, lastSequence - min(lastSequence, Self.inputsSearched) + 1))
    while let entry = read(&reader) {
      guard entry.input == .event || entry.input == .delivery, entry.hasDetails, let machine = entry.machine,
        kinds[kindPlace(of: machine)] === kind, isOpen[Int(entry.index)], !hasUndone(entry.sequence)
      else { continue }
      let arguments = JournalInput(entry).arguments
      guard !arguments.isEmpty, arguments.allSatisfy(Self.isShort) else { continue }
      var list = seen[Int(entry.index)] ?? []
      list.removeAll { $0 == arguments }
      list.insert(arguments, at: 0)
      if list.count > Self.mostArgumentsSeen { list.removeLast() }
      seen[Int(entry.index)] = list
    }
    return seen
  }

  /// What has failed in the last input of a machine, if that is in the latest part of the journal.
  ///
  /// - Complexity: O(inputs searched), bounded; O(1) for kinds that tell of no failures.
  package func lastFailures(of machine: MachineID) -> [String] {
    let kind = kinds[kindPlace(of: machine)]
    let failure = kind.outputs.lastIndex { $0.isTold && $0.name == Kind.failureName }
    guard let failure, lastSequence >= firstSequence else { return [] }
    var reader = journalReader(from: max(firstSequence, lastSequence - min(lastSequence, Self.inputsSearched) + 1))
    var failures: [String] = []
    while let entry = read(&reader) {
      guard entry.machine == machine, !hasUndone(entry.sequence) else { continue }
      failures = []
      for case .emitted(failure, let data) in JournalInput.Effects(of: entry) {
        if case .text(let text)? = data.first { failures.append(text) }
      }
    }
    return failures
  }
}
