/// The events of a kind's timers, in the kind's order, with lookup tables for steps.
///
/// Safety: `init` writes the buffers, later code only reads them, and `deinit` frees them. The caller of a step keeps
/// the table alive until the step ends.
// Unchecked: the buffers are immutable after `init`, and events are `Sendable`.
package final class TimerTable<Event: Sendable>: @unchecked Sendable {
  private let events: UnsafeMutableBufferPointer<Event>
  /// For each case number: the index of the only timer with that case of event; see ``StepTimers``.
  private let places: UnsafeMutableBufferPointer<UInt8>
  private let withData: UInt64
  /// See ``StepTimers/states``.
  private let states: UnsafePointer<UInt16>?

  /// - Precondition: There are at most 64 events.
  package convenience init(_ events: [Event]) {
    self.init(events, states: nil)
  }

  init(_ events: [Event], states: UnsafePointer<UInt16>?) {
    precondition(events.count <= 64, "a machine has at most 64 timers")
    self.states = states
    self.events = .allocate(capacity: events.count)
    _ = self.events.initialize(from: events)
    let counts = EnumCase.counts(of: Event.self) ?? (withPayload: 0, others: 0)
    places = .allocate(capacity: counts.withPayload + counts.others)
    places.initialize(repeating: StepTimers.noPlace)
    var withData: UInt64 = 0
    for (place, event) in events.enumerated() {
      guard let number = EnumCase.number(of: event) else { continue }
      places[number] = places[number] == StepTimers.noPlace ? UInt8(place) : StepTimers.severalPlaces
      if number < counts.withPayload { withData |= 1 << UInt64(place) }
    }
    self.withData = withData
  }

  deinit {
    events.deinitialize()
    events.deallocate()
    places.deallocate()
  }

  /// The timer data that a step needs.
  ///
  /// - Parameter running: Bit set of the running timers without a key.
  package func stepTimers(running: UInt64) -> StepTimers {
    guard let events = events.baseAddress, let places = places.baseAddress ?? UnsafeMutablePointer(bitPattern: 1) else {
      return .none
    }
    return self.events.isEmpty
      ? .none
      : StepTimers(
        events: UnsafeRawPointer(events), places: places, count: self.events.count, withData: withData,
        states: states, running: running
      )
  }
}
