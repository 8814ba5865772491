/// The events that a machine's timers bring, in the order of its kind, laid out for steps to look them up.
///
/// Safety: both buffers are written in `init`, read ever after, and freed with the table. Whoever takes a step keeps the
/// table alive until its end.
// Unchecked: see above; events are `Sendable`.
package final class TimerTable<Event: Sendable>: @unchecked Sendable {
  private let events: UnsafeMutableBufferPointer<Event>
  /// By the number of a case: the place of the one timer that brings it; see ``StepTimers``.
  private let places: UnsafeMutableBufferPointer<UInt8>
  private let withData: UInt64
  /// See ``StepTimers/states``.
  private let states: UnsafePointer<UInt16>?

  /// - Precondition: There are at most 64 events, and their type has at most 250 cases.
  package convenience init(_ events: [Event]) {
    self.init(events, states: nil)
  }

  init(_ events: [Event], states: UnsafePointer<UInt16>?) {
    precondition(events.count <= 64, "a machine has at most 64 timers")
    self.states = states
    self.events = .allocate(capacity: events.count)
    _ = self.events.initialize(from: events)
    let counts = EnumCase.counts(of: Event.self) ?? (withData: 0, plain: 0)
    places = .allocate(capacity: counts.withData + counts.plain)
    places.initialize(repeating: StepTimers.noPlace)
    var withData: UInt64 = 0
    for (place, event) in events.enumerated() {
      guard let number = EnumCase.number(of: event) else { continue }
      places[number] = places[number] == StepTimers.noPlace ? UInt8(place) : StepTimers.severalPlaces
      if number < counts.withData { withData |= 1 << UInt64(place) }
    }
    self.withData = withData
  }

  deinit {
    events.deinitialize()
    events.deallocate()
    places.deallocate()
  }

  /// What a step needs to know of a machine's timers.
  ///
  /// - Parameter running: A bit for each timer without a key that runs.
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
