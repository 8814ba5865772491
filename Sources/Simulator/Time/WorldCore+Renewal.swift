package import StateMachines

/// A timer that begins anew, and for how long.
package struct RenewedTimer: Equatable, Sendable {
  package let machine: MachineID
  /// The place in the machine's kind's list.
  package let timer: Int
  /// 0 where the timer bears none.
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
  /// Lets timers that run begin anew, all at once and in this order, as an input of its own.
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
      details.tag(.renewed)
      details.number(UInt64(renewed.machine.number))
      details.number(UInt64(renewed.timer))
      details.number(UInt64(renewed.key))
      details.number(UInt64(renewed.duration.nanoseconds))
    }
    if agenda.hasTooManyDead { sweepAgenda() }
    _ = journal.append(worldwide: details, at: now)
    details.clear()
  }
}
