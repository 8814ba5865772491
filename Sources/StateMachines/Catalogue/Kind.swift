/// A type of machine as the world knows it: the catalogue entry, and how machines of it are made and stepped.
///
/// A kind is a value made at run time. Several kinds may share one Swift type (a statechart interpreter with one
/// definition each), and kinds may be added while a world runs; nothing depends on the type alone.
///
/// The entry is written once, next to the rule, and serves descriptions, checks of arguments and their messages,
/// completion, diagrams and tests.
public final class Kind: Sendable {
  /// The name as `new` takes it.
  public let name: String
  /// Raised when stored machines of an earlier version could not be read as they are.
  public let version: Int
  /// Whether nobody wrote it, and it has names from the machine's types alone.
  package let isDerived: Bool
  /// What it is, in one line.
  public let about: String
  /// The form that its rule is written in.
  public let form: Form
  /// Where it comes from: the device, the library or the publication that it follows, and how closely.
  public let origin: String
  /// Requests of a session that shows what it does, as one would type them; the first one makes the machine.
  public let example: [String]
  /// The orthogonal regions of its states, where they have any.
  public let regions: Regions?
  public let states: [StateEntry]
  /// The words that `initial=` takes, in order: those of the states, unless the kind has words of its own for it.
  ///
  /// A machine of orthogonal regions is started by naming a state of its leading region; the other regions follow
  /// from the parameters.
  public let initialStates: [String]
  public let events: [EventEntry]
  public let timers: [TimerEntry]
  public let outputs: [OutputEntry]
  public let readings: [ReadingEntry]
  public let parameters: [ParameterEntry]

  /// How the world steps machines of this kind.
  public let machine: any ErasedMachine.Type
  /// Whether any state prints data.
  public let carriesData: Bool
  public let layout: Layout
  /// The lists above as bytes, for the hot path; valid as long as the kind is.
  public let words: KindWords
  private let operations: any KindOperations
  /// The state that each of `initialStates` stands for.
  private let initialPlaces: [Int]

  /// A kind of machines that are written as a ``Machine``.
  ///
  /// States and outputs are described by switches over their names, so that a new one does not compile until it is.
  ///
  /// - Parameters:
  ///   - states: One sentence for each state: what is true in it.
  ///   - events: What can be sent, in the order in which it is shown.
  ///   - timers: The timers that machines have, at most 64, with the events that they bring.
  ///   - outputs: What each output bears, and what it says.
  public convenience init<M: Machine>(
    _ machine: M.Type, _ name: String, version: Int = 1, _ about: String,
    form: Form = .enumAndSwitch, origin: String = "", example: [String] = [], regions: Regions? = nil,
    states: (M.State.Name) -> String = { _ in "" },
    initialStates: [(String, M.State.Name)]? = nil,
    events: [EventForm<M.Event>],
    timers: [MachineTimer<M.Event>] = [],
    outputs: (M.Output.Name) -> OutputForm = { _ in .output(about: "") },
    readings: [ReadingForm<M>] = [],
    parameters: [ParameterForm<M.Parameters>] = []
  ) {
    precondition(timers.count <= 64, "\(name) has more than 64 timers")
    let names = (0..<M.State.Name.count).map(M.State.Name.init(at:))
    self.init(
      machine, name, version: version, about, form: form, origin: origin, example: example, regions: regions,
      stateEntries: zip(M.State.Name.words, names).map { StateEntry(word: $0, about: states($1)) },
      initialStates: initialStates ?? zip(M.State.Name.words, names).map { ($0, $1) },
      events: events,
      timerEntries: timers.map { TimerEntry(name: $0.name, parameter: $0.parameter, key: $0.key, about: $0.about) },
      timerEvents: timers.map(\.event),
      outputEntries: zip(M.Output.Name.words, 0..<M.Output.Name.count).map { word, place in
        let form = outputs(M.Output.Name(at: place))
        return OutputEntry(name: word, data: form.data, about: form.about, isTold: form.isTold)
      },
      readings: readings, parameters: parameters)
  }

  /// A kind whose names are those of the machine's types and cases.
  ///
  /// Its timers are known by all events without data, and by those with data that a new machine declares in its states.
  ///
  /// - Parameters:
  ///   - events: Those that stand for events with data.
  ///   - parameters: Those that stand for what can be set.
  package convenience init<M: Machine>(
    _ machine: M.Type, events: [EventForm<M.Event>], parameters: [ParameterForm<M.Parameters>]
  ) {
    let typeName = "\(machine)".prefix { $0 != "<" }
    let name = typeName.prefix(1).lowercased() + typeName.dropFirst()
    let plain = EnumCase.plainValues(of: M.Event.self)
    var brought = plain
    for place in 0..<M.State.Name.count {
      guard let state = M.State.Name(at: place) as? M.State else { break }
      M().timers(in: state, M.Parameters()).forEach { timer in
        if let event = timer.data?.event, !brought.contains(event) { brought.append(event) }
      }
    }
    let states = (0..<M.State.Name.count).map(M.State.Name.init(at:))
    let timers = brought.prefix(64).map { MachineTimer.timer($0, "") }
    self.init(
      machine, name, version: 1, "", form: .enumAndSwitch, origin: "", example: [], regions: nil,
      stateEntries: M.State.Name.words.map { StateEntry(word: $0, about: "") },
      initialStates: zip(M.State.Name.words, states).map { ($0, $1) },
      events: plain.map { .event($0, "") } + events,
      timerEntries: timers.map { TimerEntry(name: $0.name, parameter: nil, key: nil, about: "") },
      timerEvents: timers.map(\.event),
      outputEntries: M.Output.Name.words.map { OutputEntry(name: $0, data: [], about: "", isTold: false) },
      readings: [], parameters: parameters, isDerived: true)
  }

  private init<M: _Machine>(
    _ machine: M.Type, _ name: String, version: Int, _ about: String,
    form: Form, origin: String, example: [String], regions: Regions?,
    stateEntries: [StateEntry],
    initialStates: [(String, M.State.Name)],
    events: [EventForm<M.Event>],
    timerEntries: [TimerEntry],
    timerEvents: [M.Event],
    outputEntries: [OutputEntry],
    readings: [ReadingForm<M>],
    parameters: [ParameterForm<M.Parameters>],
    isDerived: Bool = false
  ) {
    self.isDerived = isDerived
    let defaults = M.Parameters()
    self.name = name
    self.version = version
    self.about = about
    self.form = form
    self.origin = origin
    self.example = example
    self.regions = regions
    self.machine = machine
    carriesData = M.State.carriesData
    states = stateEntries
    self.initialStates = initialStates.map(\.0)
    initialPlaces = initialStates.map(\.1.index)
    self.events = events.map { EventEntry(name: $0.name, arguments: $0.arguments, about: $0.about) }
    timers = timerEntries
    outputs = outputEntries
    self.readings = readings.map { ReadingEntry(name: $0.name, type: $0.type, about: $0.about) }
    self.parameters = parameters.map {
      let standard = $0.get(defaults)
      return ParameterEntry(
        name: $0.name, type: $0.type, standard: $0.example == nil ? standard : nil, example: $0.example ?? standard,
        about: $0.about)
    }
    words = KindWords(
      states: states.map(\.word), events: self.events, timers: timers.map(\.name), outputs: outputs)
    layout = Layout(
      valueSize: MemoryLayout<M>.size, valueAlignment: MemoryLayout<M>.alignment,
      parameterStride: MemoryLayout<M.Parameters>.stride, eventStride: MemoryLayout<M.Event>.stride)
    operations = TypedOperations<M>(
      events: events, timerEvents: timerEvents, readings: readings, parameters: parameters)
  }

  /// See ``init(remembering:)``.
  init(
    _ description: KindDescription, events: [EventEntry], timers: [TimerEntry], outputs: [OutputEntry],
    parameters: [ParameterEntry]
  ) {
    isDerived = false
    name = description.name
    version = description.version
    about = ""
    form = .enumAndSwitch
    origin = ""
    example = []
    regions = nil
    machine = NoMachine.self
    carriesData = false
    states = description.states.map { StateEntry(word: $0, about: "") }
    initialStates = []
    initialPlaces = []
    self.events = events
    self.timers = timers
    self.outputs = outputs
    readings = []
    self.parameters = parameters
    words = KindWords(
      states: description.states, events: events, timers: timers.map(\.name), outputs: outputs)
    layout = Layout(valueSize: 0, valueAlignment: 1, parameterStride: 1, eventStride: 1)
    operations = NoOperations()
  }

  deinit {
    words.deallocate()
  }

  /// What the parts of a state word that are joined by `+` are.
  public struct Regions: Hashable, Sendable {
    /// The composite state that they are regions of; `nil` if the machine is never outside it.
    public let composite: String?
    public let names: [String]

    public init(of composite: String? = nil, _ names: [String]) {
      self.composite = composite
      self.names = names
    }
  }

  /// Sizes, in bytes, that the world lays its storage out with.
  public struct Layout: Sendable {
    public let valueSize: Int
    public let valueAlignment: Int
    public let parameterStride: Int
    public let eventStride: Int
  }

  // MARK: What the catalogue knows of states

  /// The state to hand to ``ErasedMachine/initialize(_:initial:_:_:)`` for a word of `initialStates`.
  public func initialState(named word: some StringProtocol) -> Int? {
    initialStates.firstIndex { $0 == word }.map { initialPlaces[$0] }
  }

  /// Values for the parameters that must be given, as places in `parameters`: what the kind is shown and tried with.
  public var requiredExamples: [(parameter: Int, value: Value)] {
    parameters.enumerated().filter { $0.element.standard == nil }.map { ($0.offset, $0.element.example) }
  }

  // MARK: Work that needs the machine's own types

  /// The events without arguments, one `Event` after the other in the kind's order; where an event takes arguments
  /// the place is not initialised.
  ///
  /// Safety: the events belong to the kind and live as long as it does; nobody writes to them.
  public var plainEvents: UnsafeRawPointer { operations.plainEvents }

  /// What a step needs to know of a machine's timers; valid as long as the kind is.
  ///
  /// - Parameter running: A bit for each timer without a key that runs.
  public func stepTimers(running: UInt64) -> StepTimers { operations.stepTimers.running(running) }

  /// Whether each case of the machine's events can be sent, or is brought by a timer: one that neither is was forgotten.
  public var listsAllEvents: Bool { operations.listsAllEvents }

  /// Whether an event takes no arguments.
  public func isPlain(_ event: Int) -> Bool { events[event].arguments.isEmpty }

  /// Makes an event of arguments in raw storage of the layout's size; ``destroyEvent(at:)`` ends it.
  ///
  /// - Precondition: There are as many `arguments` as the event has, and each is admitted by its type.
  public func makeEvent(_ event: Int, _ arguments: [Value], at storage: UnsafeMutableRawPointer) {
    operations.makeEvent(event, arguments, at: storage)
  }

  public func destroyEvent(at storage: UnsafeMutableRawPointer) {
    operations.destroyEvent(at: storage)
  }

  /// The event of this kind that a value is, as a place in `events`, and its arguments; `nil` if it is none of them, or
  /// has data that are not the form's arguments.
  package func written<M: Machine>(_ event: M.Event, of machine: M.Type) -> (event: Int, arguments: [Value])? {
    precondition(self.machine == machine, "an event is written down by its machine's own kind")
    guard let written = withUnsafePointer(to: event, { operations.written($0) }) else { return nil }
    if written.arguments.isEmpty { return written }
    // What the form makes of the arguments is what a replay sends.
    return self.event(written.event, written.arguments, of: machine) == event ? written : nil
  }

  /// The event that a form makes of arguments.
  ///
  /// - Precondition: As for ``makeEvent(_:_:at:)``.
  package func event<M: Machine>(_ place: Int, _ arguments: [Value], of machine: M.Type) -> M.Event {
    precondition(self.machine == machine, "an event is made by its machine's own kind")
    return withUnsafeTemporaryAllocation(of: M.Event.self, capacity: 1) { storage in
      // Safety: room for one event, which is made there and moved out.
      makeEvent(place, arguments, at: UnsafeMutableRawPointer(storage.baseAddress.unsafelyUnwrapped))
      return storage.moveElement(from: 0)
    }
  }

  /// The parameters that differ from the defaults or have none; `nil` if the set has something that no parameter lists.
  package func written<M: Machine>(
    _ parameters: M.Parameters, of machine: M.Type
  ) -> [(parameter: Int, value: Value)]? {
    precondition(self.machine == machine, "parameters are written down by their machine's own kind")
    return withUnsafePointer(to: parameters) { operations.written(parameters: $0) }
  }

  /// An empty store for the parameters of this kind's machines.
  public func makeParameterPool() -> any ParameterPool { operations.makeParameterPool() }

  /// The values of a set of parameters of this kind, in the kind's order.
  public func values(of parameters: UnsafeRawPointer) -> [Value] { operations.values(of: parameters) }

  /// The present readings in the kind's order; `nil` where the machine has none of that name now.
  public func read(_ value: UnsafeRawPointer, at now: Instant, _ parameters: UnsafeRawPointer) -> [Value?] {
    operations.read(value, at: now, parameters)
  }

  /// The events that some argument would make possible now, by trying each on a copy.
  ///
  /// - Complexity: O(events × samples of their arguments) steps.
  ///
  /// - Parameter running: A bit for each timer without a key that runs.
  public func possibleEvents(
    _ value: UnsafeRawPointer, at now: Instant, running: UInt64, _ parameters: UnsafeRawPointer
  ) -> [Int] {
    events.indices.filter { operations.refusal(of: $0, value, at: now, running: running, parameters) == nil }
  }

  /// Why an event would be refused now whatever its arguments; `nil` if it would not.
  public func refusal(
    of event: Int, _ value: UnsafeRawPointer, at now: Instant, running: UInt64, _ parameters: UnsafeRawPointer
  ) -> String? {
    operations.refusal(of: event, value, at: now, running: running, parameters)
  }
}

public struct StateEntry: Hashable, Sendable {
  public let word: String
  public let about: String

  /// Whether the state has no name but its data: `state(active)`, which may be asked for as `active` too.
  public var isNamedByData: Bool { word == "state" }
}

public struct ArgumentEntry: Hashable, Sendable {
  public let name: String
  public let type: ValueType
  /// One value per class of values that the rule treats alike: what a machine is tried with.
  public let samples: [Value]

  package init(name: String, type: ValueType, samples: [Value]?) {
    self.name = name
    self.type = type
    self.samples = samples ?? type.samples
  }

  /// The same argument, which may be left out.
  var optional: ArgumentEntry {
    ArgumentEntry(name: name, type: .optional(type), samples: [.none] + samples)
  }
}

public struct EventEntry: Hashable, Sendable {
  public let name: String
  public let arguments: [ArgumentEntry]
  public let about: String
}

public struct TimerEntry: Hashable, Sendable {
  public let name: String
  /// The parameter that holds its duration; `nil` if the duration follows from the state.
  public let parameter: String?
  /// What the number is that tells apart several of this name; `nil` if only one can run.
  public let key: String?
  public let about: String
}

public struct OutputEntry: Hashable, Sendable {
  public let name: String
  public let data: [ArgumentEntry]
  public let about: String
  /// Whether only those hear it who watch everything.
  public let isTold: Bool
}

public struct ReadingEntry: Hashable, Sendable {
  public let name: String
  public let type: ValueType
  public let about: String
}

public struct ParameterEntry: Hashable, Sendable {
  public let name: String
  public let type: ValueType
  /// The value of a machine made without it; `nil` if `new` must give one.
  public let standard: Value?
  /// The default, or what stands for a value that must be given.
  public let example: Value
  public let about: String
}
