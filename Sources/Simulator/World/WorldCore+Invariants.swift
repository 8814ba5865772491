import StateMachines

extension WorldCore {
  /// Violated invariants of this world, in words; empty if there are none.
  ///
  /// Every machine is found by its name; every running timer is in the agenda once; dead entries do not exceed their
  /// limit; no delivery is pending; each rewind knows the range below its own; the document of every kind that is in effect
  /// or has machines is known.
  ///
  /// - Complexity: O(machines + timers).
  package func checkInvariants() -> [String] {
    var violations = registry.invariantViolations()
    var running: Set<UInt64> = []
    for number in 0..<registry.capacity {
      let machine = MachineID(UInt32(number))
      let location = registry.location(of: machine)
      guard location.isSomewhere else { continue }
      let timers = population.timers(at: location)
      for timer in timers.indices where timers[timer].stamp != 0 {
        let word = "\(name(of: machine)).\(kind(of: machine).timers[timer].name)"
        if !running.insert(timers[timer].stamp).inserted { violations.append("\(word) shares its stamp") }
        if timers[timer].due < now.nanoseconds { violations.append("\(word) should have fired") }
      }
    }
    for (machine, name, timer) in allKeyedTimers() {
      let word = "\(self.name(of: machine)).\(kind(of: machine).timers[Int(name.timer)].name)(\(name.key))"
      if !running.insert(timer.stamp).inserted { violations.append("\(word) shares its stamp") }
      if timer.due < now.nanoseconds { violations.append("\(word) should have fired") }
    }
    violations += past.rewinds.invariantViolations()
    violations += keyedTimers.invariantViolations { registry.isAlive($0) }
    if running.count != agenda.living {
      violations.append("\(running.count) timers run, \(agenda.living) are counted")
    }
    var listed: Set<UInt64> = []
    agenda.forEach { if running.contains($0.stamp) { listed.insert($0.stamp) } }
    if listed.count != running.count {
      violations.append("\(running.count - listed.count) timers are not in the agenda")
    }
    if agenda.hasTooManyDead { violations.append("\(agenda.count - agenda.living) dead entries in the agenda") }
    if nextDelivery < deliveries.count { violations.append("a delivery is still on its way") }
    return violations + kindsWithoutDocument()
  }

  private func kindsWithoutDocument() -> [String] {
    let living = (0..<registry.capacity).map { MachineID(UInt32($0)) }.filter { registry.isAlive($0) }
    var kinds = Set((definitions.map(\.kind) + living.map { kind(of: $0) }).map(\.key))
    kinds.subtract(storedDefinitions.map(\.kind.key))
    return kinds.filter { KindDocument.sequence(inKey: $0) != nil }.sorted().map {
      "the document of \($0) is forgotten"
    }
  }

  /// The running keyed timers, unordered.
  private func allKeyedTimers() -> [(machine: MachineID, name: KeyedTimers.Name, running: RunningTimer)] {
    (0..<registry.capacity).map { MachineID(UInt32($0)) }.filter { registry.isAlive($0) }
      .flatMap { machine in keyedTimers.all(of: machine).map { (machine, $0.name, $0.running) } }
  }
}
