package import StateMachines

extension WorldCore {
  // MARK: Names

  package var machineCount: Int { registry.count }

  /// The machine with this name; nil if there is none.
  @inline(__always)
  package func find(_ name: UnsafeRawBufferPointer) -> MachineID? { registry.find(name) }

  package func isAlive(_ machine: MachineID) -> Bool { registry.isAlive(machine) }

  /// Whether a machine of another world, which this one is a copy of, lives here too.
  package func knows(_ machine: MachineID) -> Bool { machine.index < registry.capacity && isAlive(machine) }

  /// Passes a machine's name to `body`, also that of a dropped machine that is still in the journal.
  @inline(__always)
  package func withName<R>(of machine: MachineID, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    registry.withName(of: machine, body)
  }

  /// The names of at most `most` machines, unordered; fewer where most numbers are those of dropped ones.
  ///
  /// - Complexity: O(`most`).
  package func someNames(_ most: Int) -> [String] {
    var names: [String] = []
    for number in 0..<min(registry.capacity, 4 * most) where names.count < most {
      let machine = MachineID(UInt32(number))
      if registry.isAlive(machine) { names.append(name(of: machine)) }
    }
    return names
  }

  package func name(of machine: MachineID) -> String {
    registry.withName(of: machine) { String(decoding: $0, as: UTF8.self) }
  }

  // MARK: Kinds and states

  /// The kinds of machines made in this world, in the order of their first use.
  package var kinds: ContiguousArray<Kind> { population.kinds }

  /// The number of these kinds.
  @inline(__always)
  package var kindCount: Int { population.kinds.count }

  /// The world's index of a machine's kind, also for a dropped machine.
  @inline(__always)
  package func kindPlace(of machine: MachineID) -> Int {
    let location = registry.location(of: machine)
    return location.isSomewhere ? population.kind(at: location) : location.kindOfDropped
  }

  package func kind(of machine: MachineID) -> Kind { population.kinds[kindPlace(of: machine)] }

  @inline(__always)
  package func kind(at place: Int) -> Kind { population.kinds[place] }

  /// The words of a kind as bytes.
  @inline(__always)
  package func words(at place: Int) -> KindWords { population.slots[place].words }

  /// A machine's name and the words of its kind, in one call for printing many lines; the name is valid until the world
  /// changes.
  package func nameAndWords(of machine: MachineID) -> (name: UnsafeRawBufferPointer, words: KindWords) {
    // Safety: the bytes are the registry's own, which lasts as long as the world and moves only when a machine is made.
    (registry.withName(of: machine) { $0 }, words(at: kindPlace(of: machine)))
  }

  /// The index of a living machine's state in its kind's list.
  package func stateIndex(of machine: MachineID) -> Int {
    let location = registry.location(of: machine)
    return Int(population.slots[population.kind(at: location)].machine.stateIndex(population.value(at: location)))
  }

  /// The data of a living machine's state, without the parentheses.
  package func stateData(of machine: MachineID) -> String? {
    let location = registry.location(of: machine)
    return population.slots[population.kind(at: location)].machine.stateData(population.value(at: location))
  }

  /// A living machine's state as one word.
  package func state(of machine: MachineID) -> String {
    kind(of: machine).stateWord(stateIndex(of: machine), data: stateData(of: machine))
  }

  /// Whether a machine has the same state as one of another world, including data that are not printed.
  ///
  /// - Precondition: Both have the same kind.
  package func hasSameState(_ machine: MachineID, as other: borrowing WorldCore, _ counterpart: MachineID) -> Bool {
    let location = registry.location(of: machine)
    return population.slots[population.kind(at: location)].machine.statesAreEqual(
      population.value(at: location), other.population.value(at: other.registry.location(of: counterpart)))
  }

  // MARK: Parameters, readings, timers, possible events

  /// The parameters of a machine, in its kind's order.
  package func parameterValues(of machine: MachineID) -> [Value] {
    kind(of: machine).values(of: parameters(of: machine))
  }

  /// Where a machine's value is; valid until the world changes.
  package func value(of machine: MachineID) -> UnsafeMutableRawPointer {
    population.value(at: registry.location(of: machine))
  }

  /// Where a machine's parameters are; valid until the world changes.
  package func parameters(of machine: MachineID) -> UnsafeRawPointer {
    population.parameters(at: registry.location(of: machine))
  }

  /// A machine's current readings, in its kind's order; nil for a reading that it does not have now.
  package func readings(of machine: MachineID) -> [Value?] { readings(of: machine, at: now) }

  /// Its readings at a moment between its last input and its next.
  package func readings(of machine: MachineID, at moment: Instant) -> [Value?] {
    let location = registry.location(of: machine)
    return kind(of: machine).read(population.value(at: location), at: moment, population.parameters(at: location))
  }

  /// A machine's running timers in due order, as indices in its kind's list; `key` is 0 for a timer without a key.
  package func runningTimers(of machine: MachineID) -> [(timer: Int, key: UInt32, due: Instant)] {
    agendaItems(of: machine).map { ($0.timer, $0.key, $0.due) }
  }

  /// The events possible now with some argument, as indices in the kind's list.
  package func possibleEvents(of machine: MachineID) -> [Int] {
    let location = registry.location(of: machine)
    return kind(of: machine).possibleEvents(
      population.value(at: location), at: now, running: running(at: location), population.parameters(at: location))
  }

  /// A bit for each running timer without a key.
  private func running(at location: Location) -> UInt64 {
    let (cell, kind) = population.cell(at: location)
    return population.slots[kind].stepTimers(of: cell).running
  }

  /// What each event would do to a machine now, in its kind's order.
  package func prospects(of machine: MachineID) -> [Prospect] {
    let location = registry.location(of: machine)
    return kind(of: machine).prospects(
      population.value(at: location), at: now, running: running(at: location), population.parameters(at: location))
  }

  /// What one event would do to a machine now.
  package func prospect(of event: Int, for machine: MachineID) -> Prospect {
    let location = registry.location(of: machine)
    return kind(of: machine).prospect(
      of: event, population.value(at: location), at: now, running: running(at: location),
      population.parameters(at: location))
  }

  // MARK: The journal

  /// The oldest input in the journal; one more than the last if there is none.
  package var firstSequence: UInt64 { journal.first }

  /// The bytes of the journal.
  package var journalBytes: Int { journal.bytes }

  /// A reader that starts at `sequence`, which must not be before ``firstSequence``.
  package func journalReader(from sequence: UInt64) -> JournalReader { journal.reader(from: sequence) }

  /// The next entry of a reader; nil at the end, or when the journal has dropped that part.
  @inline(__always)
  package func read(_ reader: inout JournalReader) -> JournalEntry? { journal.read(&reader) }

  // MARK: Watches

  package func watchCount(of watcher: WatcherID) -> Int { watchers.count(of: watcher) }

  /// The patterns that a watcher follows, in the order in which they were added.
  package func watchedPatterns(of watcher: WatcherID) -> [NamePattern] { watchers.patterns(of: watcher) }

  package func isWatching(_ pattern: NamePattern, _ watcher: WatcherID) -> Bool {
    watchers.patterns(of: watcher).contains(pattern)
  }

  package func hearsOfTheClock(_ watcher: WatcherID) -> Bool { watchers.hearsOfTheClock(watcher) }

  /// What a watcher follows now; nil if nothing.
  package func watchView(of watcher: WatcherID) -> WatchView? { watchers.view(of: watcher) }

  /// Adds a watch, or changes the scope of one.
  ///
  /// - Complexity: O(patterns of this watcher).
  package mutating func watch(_ pattern: NamePattern, _ scope: WatchScope, for watcher: WatcherID) {
    watchers.add(pattern, scope, for: watcher)
  }

  /// Ends a watch; false if there is none with this pattern.
  package mutating func unwatch(_ pattern: NamePattern, for watcher: WatcherID) -> Bool {
    watchers.remove(pattern, of: watcher)
  }

  /// Whether no time has passed since the last input, and that was not a rewind, which sets the clock. Then the world
  /// is exactly the result of its inputs.
  package var isAtItsLastInput: Bool {
    journal.lastMoment == now.nanoseconds && lastUndoer != journal.last
  }

  /// Adds all watches of another world, which this one replaces.
  package mutating func takeOverWatches(of other: borrowing WorldCore) {
    for (watcher, pattern, scope) in other.watchers.all { watch(pattern, scope, for: watcher) }
  }

  package mutating func unwatchAll(for watcher: WatcherID) {
    watchers.removeAll(of: watcher)
  }
}
