package import StateMachines

/// A restarted timer and its duration.
package struct RenewedTimer: Equatable, Sendable {
  package let machine: MachineID
  /// The index in the list of the machine's kind.
  package internal(set) var timer: Int
  /// 0 for a timer without a key.
  package let key: UInt32
  package let duration: Nanoseconds

  package init(machine: MachineID, timer: Int, key: UInt32, duration: Nanoseconds) {
    self.machine = machine
    self.timer = timer
    self.key = key
    self.duration = duration
  }
}

extension WorldCore {
  /// Restarts running timers, all at once and in this order, as an input of its own.
  ///
  /// - Precondition: Each of them runs.
  package mutating func renew(_ timers: [RenewedTimer]) {
    guard !timers.isEmpty else { return }
    for renewed in timers {
      let due = now + renewed.duration
      if renewed.key != 0 {
        begin(renewed.machine, KeyedTimers.Name(timer: UInt8(renewed.timer), key: renewed.key), due)
      } else {
        let running = population.timers(at: registry.location(of: renewed.machine))
        arm(renewed.machine, running.baseAddress.unsafelyUnwrapped + renewed.timer, due)
      }
      details.renewed(renewed)
    }
    if agenda.hasTooManyDead { sweepAgenda() }
    _ = journal.append(worldwide: details, at: now)
    details.clear()
  }
}
