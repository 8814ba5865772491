/// The operations of a kind that need the machine's own types; ``Kind`` documents them.
///
/// Safety: as in ``ErasedMachine``, raw pointers are to the machine's own types, with the kind's layout.
protocol KindOperations: Sendable {
  var plainEvents: UnsafeRawPointer { get }
  var stepTimers: StepTimers { get }
  var listsAllEvents: Bool { get }
  func makeEvent(_ event: Int, _ arguments: [Value], at storage: UnsafeMutableRawPointer)
  func destroyEvent(at storage: UnsafeMutableRawPointer)
  func written(_ event: UnsafeRawPointer) -> (event: Int, arguments: [Value])?
  func written(parameters: UnsafeRawPointer) -> [(parameter: Int, value: Value)]?
  func makeParameterPool() -> any ParameterPool
  func read(_ value: UnsafeRawPointer, at now: Instant, _ parameters: UnsafeRawPointer) -> [Value?]
  func prospects(
    of events: Range<Int>, _ value: UnsafeRawPointer, at now: Instant, running: UInt64, _ parameters: UnsafeRawPointer
  ) -> [Prospect]
  func values(of parameters: UnsafeRawPointer) -> [Value]
  func samples(_ parameters: UnsafeRawPointer) -> [(choices: [[Value]], areAll: Bool)]
}

// Unchecked: the only stored pointer is to events that are written in `init` and then only read.
final class TypedOperations<M: _Machine>: KindOperations, @unchecked Sendable {
  private let events: [EventForm<M.Event>]
  private let readings: [ReadingForm<M>]
  private let parameters: [ParameterForm<M.Parameters>]
  private let constants: UnsafeMutablePointer<M.Event>
  private let brought: [M.Event]
  /// For each case number: the index in `events` if the case has no data; -1 if it has, or if the kind does not list it.
  private let plainPlaces: [Int]
  /// For each form: the case number of its sample.
  private let caseOfForm: [Int?]
  private let timers: TimerTable<M.Event>
  private let samples: @Sendable (M.Parameters) -> EventSamples<M.Event>
  private let defaults: M.Parameters

  /// - Parameter timerEvents: The event of each timer; empty for a machine whose timers have no events.
  init(
    events: [EventForm<M.Event>] = [], timerEvents: [M.Event] = [], readings: [ReadingForm<M>] = [],
    parameters: [ParameterForm<M.Parameters>] = [], defaults: M.Parameters = M.Parameters(),
    samples: @escaping @Sendable (M.Parameters) -> EventSamples<M.Event> = { _ in EventSamples() }
  ) {
    self.defaults = defaults
    self.samples = samples
    brought = timerEvents
    timers = TimerTable(timerEvents, states: timerEvents.isEmpty ? nil : CaseTable.places(ofStates: M.State.self))
    self.events = events
    self.readings = readings
    self.parameters = parameters
    caseOfForm = events.map { $0.sample.flatMap { EnumCase.number(of: $0) } }
    var plainPlaces = Array(repeating: -1, count: EnumCase.count(of: M.Event.self))
    for (place, number) in caseOfForm.enumerated().reversed() {
      if let number, !EnumCase.hasData(ofCase: number, of: M.Event.self) { plainPlaces[number] = place }
    }
    self.plainPlaces = plainPlaces
    constants = .allocate(capacity: max(1, events.count))
    for (place, form) in events.enumerated() {
      if let constant = form.constant { (constants + place).initialize(to: constant) }
    }
  }

  deinit {
    for (place, form) in events.enumerated() where form.constant != nil {
      (constants + place).deinitialize(count: 1)
    }
    constants.deallocate()
  }

  var stepTimers: StepTimers { timers.stepTimers(running: 0) }

  var listsAllEvents: Bool {
    let listed = Set(caseOfForm + brought.map { EnumCase.number(of: $0) })
    return (0..<EnumCase.count(of: M.Event.self)).allSatisfy {
      listed.contains($0) || !EnumCase.isPossible(case: $0, of: M.Event.self)
    }
  }

  var plainEvents: UnsafeRawPointer { UnsafeRawPointer(constants) }

  func makeEvent(_ event: Int, _ arguments: [Value], at storage: UnsafeMutableRawPointer) {
    storage.initializeMemory(as: M.Event.self, to: events[event].make(arguments))
  }

  func destroyEvent(at storage: UnsafeMutableRawPointer) {
    storage.assumingMemoryBound(to: M.Event.self).deinitialize(count: 1)
  }

  func written(_ event: UnsafeRawPointer) -> (event: Int, arguments: [Value])? {
    let event = event.assumingMemoryBound(to: M.Event.self).pointee
    if let number = EnumCase.number(of: event), plainPlaces[number] >= 0 { return (plainPlaces[number], []) }
    return writtenWithData(event)
  }

  /// Handles cases with data, events that are not an `enum`, and those that the kind does not list. It is a separate
  /// function because run-time type lookup happens at the start of a function, whatever branch is taken.
  @inline(never)
  private func writtenWithData(_ event: M.Event) -> (event: Int, arguments: [Value])? {
    for (place, form) in events.enumerated() {
      if let constant = form.constant {
        if isEqual(constant, event) { return (place, []) }
      } else if form.sample == nil || EnumCase.number(of: event) == caseOfForm[place],
        let arguments = form.values(event)
      {
        return (place, arguments)
      }
    }
    return nil
  }

  private func isEqual(_ left: M.Event, _ right: M.Event) -> Bool {
    guard let left = left as? any Hashable, let right = right as? any Hashable else { return false }
    return AnyHashable(left) == AnyHashable(right)
  }

  func written(parameters set: UnsafeRawPointer) -> [(parameter: Int, value: Value)]? {
    let set = set.assumingMemoryBound(to: M.Parameters.self).pointee
    var copy = defaults
    var values: [(parameter: Int, value: Value)] = []
    for (place, form) in parameters.enumerated() {
      let value = form.get(set)
      if form.example == nil, value == form.get(copy) { continue }
      values.append((place, value))
      // The caller reports a value that the type does not admit.
      if form.type.admits(value) { form.set(&copy, value) } else { return values }
    }
    return copy == set ? values : nil
  }

  func makeParameterPool() -> any ParameterPool { TypedParameterPool(parameters, defaults: defaults) }

  func values(of parameters: UnsafeRawPointer) -> [Value] {
    let set = parameters.assumingMemoryBound(to: M.Parameters.self).pointee
    return self.parameters.map { $0.get(set) }
  }

  func read(_ value: UnsafeRawPointer, at now: Instant, _ parameters: UnsafeRawPointer) -> [Value?] {
    let machine = value.assumingMemoryBound(to: M.self).pointee
    let parameters = parameters.assumingMemoryBound(to: M.Parameters.self).pointee
    return readings.map { $0.read(machine, now, parameters) }
  }

  func prospects(
    of wanted: Range<Int>, _ value: UnsafeRawPointer, at now: Instant, running: UInt64, _ parameters: UnsafeRawPointer
  ) -> [Prospect] {
    let samples = samples(parameters)
    var record = StepRecord(generator: Generator(seed: 0))
    record.chartStepsEnd = Kind.mostStepsTried
    return wanted.map { event in
      var prospect = Prospect(event: event)
      for arguments in samples[event].choices where record.chartSteps < Kind.mostStepsTried {
        record.begin(at: now)
        record.timers = timers.stepTimers(running: running)
        var machine = value.assumingMemoryBound(to: M.self).pointee
        var input = events[event].make(arguments)
        withUnsafeMutablePointer(to: &machine) { machine in
          let result = withUnsafePointer(to: &input) { M.step(machine, event: $0, parameters, &record) }
          if record.chartSteps >= Kind.mostStepsTried { return }
          prospect.note(result, data: M.State.isNamedByData ? M.stateData(machine) : nil, reason: record.reason)
        }
      }
      // The last step was perhaps cut short.
      if record.chartSteps >= Kind.mostStepsTried { prospect.isTried = false }
      return prospect
    }
  }

  func samples(_ parameters: UnsafeRawPointer) -> [(choices: [[Value]], areAll: Bool)] {
    var special: [Int: [[Value]]] = [:]
    let given = samples(parameters.assumingMemoryBound(to: M.Parameters.self).pointee)
    for event in given.events {
      guard let (place, arguments) = withUnsafePointer(to: event, { written($0) }),
        zip(events[place].arguments, arguments).allSatisfy({ $0.type.admits($1) })
      else { continue }
      if special[place]?.contains(arguments) != true { special[place, default: []].append(arguments) }
    }
    return events.enumerated().map { place, event in
      let choices = special[place] ?? combinations(of: event.arguments.map(\.samples))
      let areAll = special[place] == nil ? event.arguments.allSatisfy(\.isSampledFully) : given.areAll
      return (Array(choices.prefix(Kind.mostSamples)), areAll && choices.count <= Kind.mostSamples)
    }
  }

  /// The ways to choose one value from each list, the last one varying fastest; at most one more than is tried.
  private func combinations(of choices: [[Value]]) -> [[Value]] {
    choices.reduce([[]]) { chosen, values in
      Array(chosen.lazy.flatMap { head in values.map { head + [$0] } }.prefix(Kind.mostSamples + 1))
    }
  }
}

/// The parameter sets of one kind's machines, each stored once and reference-counted.
public protocol ParameterPool: AnyObject {
  /// The address of the contiguous sets; adding a set may change it.
  var base: UnsafeRawPointer { get }

  /// The bytes of memory of the sets, including data derived from them.
  ///
  /// - Complexity: O(1).
  var bytes: Int { get }

  /// Stores the set with these values and otherwise the defaults, or retains the equal set that is already stored.
  ///
  /// - Parameter values: Indices in the kind's list of parameters, with values that their types admit.
  /// - Returns: The index of the set.
  /// - Throws: ``ParameterConflict`` when the values contradict each other; nothing is stored then.
  func intern(_ values: [(parameter: Int, value: Value)]) throws(ParameterConflict) -> UInt32

  /// Increases the count of a set.
  func retain(_ place: UInt32)

  /// Decreases the count of a set.
  func release(_ place: UInt32)

  /// An independent pool with the same sets, indices and counts.
  func copy() -> any ParameterPool
}

/// Safety: `storage` has room for `capacity` sets; the sets in use and the vacant ones are initialised.
final class TypedParameterPool<P: ParameterSet>: ParameterPool {
  private let forms: [ParameterForm<P>]
  private let defaults: P
  private var storage: UnsafeMutablePointer<P>
  private var capacity = 4
  private var counts: [UInt32] = [1]  // The set of defaults, at index 0, is never released.
  private var places: [P: UInt32] = [:]
  private var vacancies: [UInt32] = []
  private(set) var bytes = 0

  init(_ forms: [ParameterForm<P>], defaults: P) {
    self.forms = forms
    self.defaults = defaults
    storage = .allocate(capacity: capacity)
    storage.initialize(to: defaults)
    places[defaults] = 0
  }

  deinit {
    storage.deinitialize(count: counts.count)
    storage.deallocate()
  }

  var base: UnsafeRawPointer { UnsafeRawPointer(storage) }

  func intern(_ values: [(parameter: Int, value: Value)]) throws(ParameterConflict) -> UInt32 {
    if values.isEmpty { return 0 }
    var set = defaults
    for (parameter, value) in values { forms[parameter].set(&set, value) }
    if let conflict = set.conflict { throw conflict }
    if let place = places[set] {
      if place != 0 { counts[Int(place)] += 1 }
      return place
    }
    let place: UInt32
    if let vacancy = vacancies.popLast() {
      place = vacancy
      storage[Int(place)] = set
      counts[Int(place)] = 1
    } else {
      place = UInt32(counts.count)
      growIfFull()
      (storage + Int(place)).initialize(to: set)
      counts.append(1)
    }
    places[set] = place
    bytes += weight(at: place)
    return place
  }

  func retain(_ place: UInt32) {
    if place != 0 { counts[Int(place)] += 1 }
  }

  func release(_ place: UInt32) {
    guard place != 0 else { return }
    counts[Int(place)] -= 1
    if counts[Int(place)] == 0 {
      bytes -= weight(at: place)
      places[storage[Int(place)]] = nil
      // Frees the old set's heap memory now, not at the next reuse of the index.
      storage[Int(place)] = defaults
      vacancies.append(place)
    }
  }

  /// The memory of one set: in the storage, as a dictionary key, and on the heap.
  private func weight(at place: UInt32) -> Int {
    let set = storage[Int(place)]
    // The factor accounts for unused capacity.
    let own = 4 * MemoryLayout<P>.stride
    return forms.reduce(own + set.compiledBytes) { sum, form in
      guard case .text(let text) = form.get(set) else { return sum }
      return sum + StateMachines.weight(of: text)
    }
  }

  func copy() -> any ParameterPool {
    let copy = TypedParameterPool(forms, defaults: defaults)
    copy.storage.deinitialize(count: 1)
    copy.storage.deallocate()
    copy.storage = .allocate(capacity: capacity)
    copy.storage.initialize(from: storage, count: counts.count)
    copy.capacity = capacity
    copy.counts = counts
    copy.places = places
    copy.vacancies = vacancies
    copy.bytes = bytes
    return copy
  }

  private func growIfFull() {
    guard counts.count == capacity else { return }
    let larger = UnsafeMutablePointer<P>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: storage, count: counts.count)
    storage.deallocate()
    storage = larger
    capacity *= 2
  }
}
