package import StateMachines

extension World {
  // MARK: Names

  package var machineCount: Int { registry.count }

  /// The machine of a name; nil if there is none.
  @inline(__always)
  package func find(_ name: UnsafeRawBufferPointer) -> MachineID? { registry.find(name) }

  package func isAlive(_ machine: MachineID) -> Bool { registry.isAlive(machine) }

  /// Hands out the name of a machine, also of one that was dropped and is still in the journal.
  @inline(__always)
  package func withName<R>(of machine: MachineID, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    registry.withName(of: machine, body)
  }

  /// The names of some machines, at most so many, in no order.
  package func someNames(_ most: Int) -> [String] {
    var names: [String] = []
    for number in 0..<registry.capacity where names.count < most {
      let machine = MachineID(UInt32(number))
      if registry.isAlive(machine) { names.append(name(of: machine)) }
    }
    return names
  }

  package func name(of machine: MachineID) -> String {
    registry.withName(of: machine) { String(decoding: $0, as: UTF8.self) }
  }

  /// The first machine, in the order of names by bytes, at or after `name`.
  ///
  /// - Complexity: O(log *n*); O(*n* log *n*) the first time.
  package mutating func machine(atOrAfter name: UnsafeRawBufferPointer) -> MachineID? {
    registry.inOrder(registry.place(of: name, orAfter: false))
  }

  /// The first machine, in the order of names by bytes, after `name`.
  package mutating func machine(after name: UnsafeRawBufferPointer) -> MachineID? {
    registry.inOrder(registry.place(of: name, orAfter: true))
  }

  /// All machines whose names match, in the order of names by bytes.
  package mutating func machines(matching pattern: Pattern) -> [MachineID] {
    var found: [MachineID] = []
    var place = pattern.prefix.withUnsafeBytes { registry.place(of: $0, orAfter: false) }
    while let machine = registry.inOrder(place) {
      let (matches, isPast) = registry.withName(of: machine) { name in
        (pattern.matches(name), !name.starts(with: pattern.prefix))
      }
      if isPast { break }
      if matches { found.append(machine) }
      place += 1
    }
    return found
  }

  // MARK: Kinds and states

  /// The kinds that machines were made of here, in the order of their first use.
  package var kinds: ContiguousArray<Kind> { population.kinds }

  /// The world's number for a machine's kind, also of a dropped one.
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

  /// The place of a living machine's state in its kind's list.
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
    kind(of: machine).states[stateIndex(of: machine)].word(data: stateData(of: machine))
  }

  /// Whether a machine is in the same state as one of another world, with all data, also what is not printed.
  ///
  /// - Precondition: Both are of one kind.
  package func hasSameState(_ machine: MachineID, as other: borrowing World, _ counterpart: MachineID) -> Bool {
    let location = registry.location(of: machine)
    return population.slots[population.kind(at: location)].machine.statesAreEqual(
      population.value(at: location), other.population.value(at: other.registry.location(of: counterpart)))
  }

  /// How many machines that are counted there are in each state, by the kind's and the state's places.
  ///
  /// - Complexity: O(machines).
  package func counts(
    _ isCounted: (_ machine: MachineID, _ name: UnsafeRawBufferPointer, _ kind: Int) -> Bool
  ) -> [Int: [Int]] {
    var counts: [Int: [Int]] = [:]
    for number in 0..<registry.capacity {
      let machine = MachineID(UInt32(number))
      guard registry.isAlive(machine) else { continue }
      let kind = kindPlace(of: machine)
      guard registry.withName(of: machine, { isCounted(machine, $0, kind) }) else { continue }
      let empty = Array(repeating: 0, count: population.kinds[kind].states.count)
      counts[kind, default: empty][stateIndex(of: machine)] += 1
    }
    return counts
  }

  // MARK: Readings, timers, possible events

  /// A machine's readings now, in its kind's order; nil where it has none of that name.
  package func readings(of machine: MachineID) -> [Value?] {
    let location = registry.location(of: machine)
    return kind(of: machine).read(population.value(at: location), at: now, population.parameters(at: location))
  }

  /// A machine's running timers in due order, as places in its kind's list; `key` is 0 where one bears none.
  package func runningTimers(of machine: MachineID) -> [(timer: Int, key: UInt32, due: Moment)] {
    let timers = population.timers(at: registry.location(of: machine))
    let fixed = timers.indices.filter { timers[$0].stamp != 0 }.map { (timer: $0, key: UInt32(0), running: timers[$0]) }
    let keyed = keyedTimers.all(of: machine).map { (timer: Int($0.name.timer), key: $0.name.key, running: $0.running) }
    return (fixed + keyed)
      .sorted { ($0.running.due, $0.running.stamp) < ($1.running.due, $1.running.stamp) }
      .map { ($0.timer, $0.key, Moment(nanoseconds: $0.running.due)) }
  }

  /// The events that some argument would make possible now, as places in the kind's list.
  package func possibleEvents(of machine: MachineID) -> [Int] {
    let location = registry.location(of: machine)
    return kind(of: machine).possibleEvents(
      population.value(at: location), at: now, population.parameters(at: location))
  }

  /// Why an event would be refused now, whatever its arguments; nil if it would not.
  package func refusal(of event: Int, by machine: MachineID) -> String? {
    let location = registry.location(of: machine)
    return kind(of: machine).refusal(
      of: event, population.value(at: location), at: now, population.parameters(at: location))
  }

  /// A running timer as the agenda lists it.
  package struct AgendaItem: Sendable {
    package let due: Moment
    package let machine: MachineID
    /// The place in the machine's kind's list.
    package let timer: Int
    /// 0 where the timer bears none.
    package let key: UInt32
    fileprivate let stamp: UInt64
  }

  /// Whether a timer that was listed still runs as it was.
  package func isRunning(_ item: AgendaItem) -> Bool {
    let location = registry.location(of: item.machine)
    guard location.isSomewhere else { return false }
    if item.key != 0 { return keyedTimers.name(armedAs: item.stamp) != nil }
    // A world that went back may have given a stamp anew.
    return population.timers(at: location).contains { $0.stamp == item.stamp && $0.due == item.due.nanoseconds }
  }

  package var runningTimerCount: Int { agenda.living }

  /// The running timers of the machines that match, in the order in which they will fire.
  ///
  /// - Complexity: O(*n* log *n*) in the running timers.
  package func agendaItems(matching pattern: Pattern, limit: Int) -> [AgendaItem] {
    var items: [AgendaItem] = []
    agenda.forEach { entry in
      let location = registry.location(of: entry.machine)
      guard location.isSomewhere else { return }
      guard let (timer, key) = runningTimer(armedAs: entry.stamp, location) else { return }
      guard pattern.matchesAll || registry.withName(of: entry.machine, { pattern.matches($0) }) else { return }
      items.append(
        AgendaItem(
          due: Moment(nanoseconds: entry.due), machine: entry.machine, timer: timer, key: key, stamp: entry.stamp))
    }
    items.sort { ($0.due.nanoseconds, $0.stamp) < ($1.due.nanoseconds, $1.stamp) }
    return limit < items.count ? Array(items[..<limit]) : items
  }

  private func runningTimer(armedAs stamp: UInt64, _ location: Location) -> (timer: Int, key: UInt32)? {
    if let timer = population.timers(at: location).firstIndex(where: { $0.stamp == stamp }) { return (timer, 0) }
    return keyedTimers.name(armedAs: stamp).map { (Int($0.timer), $0.key) }
  }

  // MARK: The journal

  /// The oldest input that the journal still has; one more than the last if it has none.
  package var firstSequence: UInt64 { journal.first }

  /// The bytes that the journal takes.
  package var journalBytes: Int { journal.bytes }

  /// A reader that gives the inputs from `sequence` on, which must not be before ``firstSequence``.
  package func journalReader(from sequence: UInt64) -> JournalReader { journal.reader(from: sequence) }

  /// The next entry at a reader; nil at the end, or when the journal has forgotten that part.
  @inline(__always)
  package func read(_ reader: inout JournalReader) -> JournalEntry? { journal.read(&reader) }

  package func details(of entry: JournalEntry) -> DetailReader { DetailReader(entry) }

  // MARK: Watches

  package func watchCount(of watcher: WatcherID) -> Int { watchers.count(of: watcher) }

  /// The patterns that a watcher follows, in the order in which they came.
  package func watchedPatterns(of watcher: WatcherID) -> [Pattern] { watchers.patterns(of: watcher) }

  package func isWatching(_ pattern: Pattern, _ watcher: WatcherID) -> Bool {
    watchers.patterns(of: watcher).contains(pattern)
  }

  package func hearsOfTheClock(_ watcher: WatcherID) -> Bool { watchers.hearsOfTheClock(watcher) }

  /// What a watcher follows now; nil if nothing.
  package func watchView(of watcher: WatcherID) -> WatchView? { watchers.view(of: watcher) }

  /// Begins a watch, or changes the scope of one.
  ///
  /// - Complexity: O(machines + those that match × patterns of this watcher); O(patterns) without a wildcard.
  package mutating func watch(_ pattern: Pattern, _ scope: WatchScope, for watcher: WatcherID) {
    watchers.add(pattern, scope, for: watcher)
    matchAgain(pattern, for: watcher)
  }

  /// Ends a watch; false if there is none of this pattern.
  package mutating func unwatch(_ pattern: Pattern, for watcher: WatcherID) -> Bool {
    guard watchers.remove(pattern, of: watcher) else { return false }
    matchAgain(pattern, for: watcher)
    return true
  }

  /// Whether time has not gone on since the last input, nor been set by a way back: then the world is what its inputs have
  /// made of it, and nothing that is gone back to lies before it but what some of them did.
  package var isAtItsLastInput: Bool {
    journal.lastMoment == now.nanoseconds && past.undone.last?.by != journal.last
  }

  /// Begins all watches that another world has, which this one replaces.
  package mutating func takeOverWatches(of other: borrowing World) {
    for (watcher, pattern, scope) in other.watchers.all { watch(pattern, scope, for: watcher) }
  }

  package mutating func unwatchAll(for watcher: WatcherID) {
    watchers.removeAll(of: watcher)
  }

  /// Finds out anew what a watcher follows of the machines that match a pattern which came, went or changed: for others
  /// nothing can be different.
  private mutating func matchAgain(_ pattern: Pattern, for watcher: WatcherID) {
    guard watchers.count(of: watcher) > 0 else { return }
    // Taken out while names are lent out, which the world may not be changed during.
    var changed = Watchers()
    swap(&changed, &watchers)
    if pattern.isLiteral {
      pattern.bytes.withUnsafeBytes { name in
        if let machine = registry.find(name) { changed.match(machine, named: name, for: watcher) }
      }
    } else {
      for number in 0..<registry.capacity {
        let machine = MachineID(UInt32(number))
        guard registry.isAlive(machine) else { continue }
        registry.withName(of: machine) { name in
          if pattern.matches(name) { changed.match(machine, named: name, for: watcher) }
        }
      }
    }
    swap(&changed, &watchers)
  }
}
