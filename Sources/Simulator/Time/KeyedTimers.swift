import StateMachines

/// The running timers with keys, of all machines of a world.
///
/// A cell has one slot for each timer of its kind, but a keyed timer can run several times; so these are stored here,
/// at no cost for machines without them. A timer is found by machine, timer and key when it is armed, disarmed or
/// fired, and by its stamp when it expires. The order comes from due time and stamp in the agenda.
struct KeyedTimers {
  /// Identifies a timer of its machine.
  struct Name: Hashable {
    /// The index in the kind's list.
    let timer: UInt8
    let key: UInt32
  }

  private var machines: [MachineID: [Name: RunningTimer]] = [:]
  private var namesByStamp: [UInt64: Name] = [:]

  @inline(__always)
  var isEmpty: Bool { namesByStamp.isEmpty }

  /// The approximate memory, in bytes.
  ///
  /// - Complexity: O(1): assumes that the machines' tables are filled as on average.
  var bytes: Int {
    let name = MemoryLayout<Name>.stride
    let timer = MemoryLayout<RunningTimer>.stride
    return tableBytes(capacity: namesByStamp.capacity, stride: MemoryLayout<UInt64>.stride + name)
      + tableBytes(capacity: machines.capacity, stride: 2 * MemoryLayout<UInt64>.stride)
      + machines.count * 96 + total * (name + timer) * 2
  }

  /// How many run.
  var total: Int { namesByStamp.count }

  /// How many run for a machine.
  func count(of machine: MachineID) -> Int { machines[machine]?.count ?? 0 }

  /// A running timer; nil if it does not run.
  func running(_ name: Name, of machine: MachineID) -> RunningTimer? { machines[machine]?[name] }

  /// The name of the running timer with a stamp; nil if there is none.
  @inline(__always)
  func name(armedAs stamp: UInt64) -> Name? { isEmpty ? nil : namesByStamp[stamp] }

  /// The running timers of a machine, unordered.
  func all(of machine: MachineID) -> [(name: Name, running: RunningTimer)] {
    isEmpty ? [] : (machines[machine] ?? [:]).map { ($0.key, $0.value) }
  }

  /// Starts a timer; true if it replaces a running one with the same name.
  mutating func set(_ name: Name, of machine: MachineID, _ timer: RunningTimer) -> Bool {
    namesByStamp[timer.stamp] = name
    guard let replaced = machines[machine, default: [:]].updateValue(timer, forKey: name) else { return false }
    namesByStamp[replaced.stamp] = nil
    return true
  }

  /// Removes a timer; nil if it does not run.
  mutating func remove(_ name: Name, of machine: MachineID) -> RunningTimer? {
    // Keep the machine's empty table: it will probably be needed again.
    guard let removed = machines[machine]?.removeValue(forKey: name) else { return nil }
    namesByStamp[removed.stamp] = nil
    return removed
  }

  /// Removes all timers of a machine; returns how many ran.
  mutating func removeAll(of machine: MachineID) -> Int {
    guard let removed = machines.removeValue(forKey: machine) else { return 0 }
    for timer in removed.values { namesByStamp[timer.stamp] = nil }
    return removed.count
  }

  /// Gives all timers new stamps.
  ///
  /// - Precondition: `renewed` contains every stamp in use.
  mutating func restamp(_ renewed: [UInt64: UInt64]) {
    if isEmpty { return }
    namesByStamp = [:]
    for (machine, timers) in machines {
      for (name, timer) in timers {
        guard let stamp = renewed[timer.stamp] else { preconditionFailure("a running timer is in the agenda") }
        machines[machine]?[name] = RunningTimer(due: timer.due, stamp: stamp)
        namesByStamp[stamp] = name
      }
    }
  }

  /// Violated invariants, in words; empty if there are none.
  func invariantViolations(isAlive: (MachineID) -> Bool) -> [String] {
    var violations: [String] = []
    var count = 0
    for (machine, timers) in machines {
      if !isAlive(machine) { violations.append("machine \(machine.number) is gone and has keyed timers") }
      count += timers.count
      for (name, timer) in timers where namesByStamp[timer.stamp] != name {
        violations.append("the keyed timer \(name) of machine \(machine.number) is not found by its stamp")
      }
    }
    if count != namesByStamp.count {
      violations.append("\(count) keyed timers run, \(namesByStamp.count) have stamps")
    }
    return violations
  }
}

extension WorldCore {
  /// Arms a keyed timer, unless its machine has too many: then sets `livelock`, which stops an advance of time here.
  @inline(never)
  mutating func arm(_ machine: MachineID, _ name: KeyedTimers.Name, _ due: Instant, isAnswer: Bool) {
    precondition(kind(of: machine).timers[Int(name.timer)].key != nil, "the kind says which timers bear keys")
    guard keyedTimers.count(of: machine) < limits.keyedTimers || keyedTimers.running(name, of: machine) != nil else {
      livelock = Livelock(chain: .keyedTimers(timer: name.timer, key: name.key), machine: machine, moment: now)
      hasRefusedTimer = !isAnswer
      return
    }
    begin(machine, name, due)
    details.tag(.armedKey, name.timer, UInt64((due - now).nanoseconds))
    details.number(UInt64(name.key))
  }

  /// Starts a timer with a key.
  mutating func begin(_ machine: MachineID, _ name: KeyedTimers.Name, _ due: Instant) {
    if armings == Agenda.lastStamp { restamp() }
    armings &+= 1
    let isReplaced = keyedTimers.set(name, of: machine, RunningTimer(due: due.nanoseconds, stamp: armings))
    if !isReplaced { agenda.living &+= 1 }
    agenda.push(Agenda.Entry(due: due.nanoseconds, stamp: armings, machine: machine))
  }

  /// Stops a keyed timer, if it runs.
  @inline(never)
  mutating func disarm(_ machine: MachineID, _ name: KeyedTimers.Name) {
    guard let running = keyedTimers.remove(name, of: machine) else { return }
    agenda.living &-= 1
    details.tag(.disarmedKey, name.timer, UInt64(running.due &- now.nanoseconds))
    details.number(UInt64(name.key))
  }
}
