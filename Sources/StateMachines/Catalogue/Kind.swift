/// A machine type as a world knows it: its catalogue entry, and the functions that make and step its machines.
///
/// A kind is a value made at run time. Several kinds may share one Swift type, for example a statechart interpreter
/// with one definition each. Kinds may be added while a world runs.
///
/// An author writes the entry once, next to the rule. Descriptions, checks of arguments, messages, completion, diagrams
/// and tests use it.
public final class Kind: Sendable {
  /// The name that `new` takes.
  public let name: String
  /// The words of its machines, with their data.
  public let schema: KindSchema
  /// Whether the kind was derived from the machine's types, without an entry by its author.
  package let isDerived: Bool
  /// What the machine is, in one line.
  public let about: String
  /// The form in which the rule is written.
  public let form: Form
  /// The source of the machine: the device, library or publication that it follows, and how closely.
  public let origin: String
  /// The name of a source that several kinds follow, as a list of sources has it; empty if `origin` names none.
  public let source: String
  /// Why the machine is as it is, where that surprises; empty if nothing does.
  public let reason: String
  /// Sorts of events and timers that its source tells apart, each with their names, for descriptions and pictures.
  public let legend: [(name: String, inputs: [String])]
  /// What flows between the parts of an MVI feature; `nil` for a kind without such parts.
  public let parts: FeatureParts?
  /// The requests of a sample session, as a user types them; the first one makes the machine.
  public let example: [String]
  /// The orthogonal regions of its states, if it has any.
  public let regions: Regions?
  /// The words that `initial=` accepts, in order. By default these are the words of the states.
  ///
  /// A machine with orthogonal regions is started by a state of its leading region; the parameters determine the states
  /// of the other regions.
  public let initialStates: [String]
  /// The event that stands for names that are not listed, if some of them can be sent, too.
  package let otherEvents: OtherEvents?
  /// Whether the machines are those of a document, whose steps can be long.
  package var isOfDocument: Bool { otherEvents != nil }
  /// Whether one step of a machine can take longer than a millisecond or two.
  package let hasLongSteps: Bool
  /// What the kind's document says; `nil` of other kinds.
  package let documentation: KindDocumentation?

  /// The machine type, through which the world steps machines of this kind.
  public let machine: any ErasedMachine.Type
  /// Whether any state prints data.
  public let carriesData: Bool
  public let layout: Layout
  /// The words of the lists above as bytes, for the hot path; valid while the kind lives.
  public let words: KindWords
  private let operations: any KindOperations
  /// For each of `initialStates`, the index of its state.
  private let initialPlaces: [Int]

  /// Creates a kind for a ``Machine``.
  ///
  /// Describe states and outputs with a `switch` over their names, so that a new one does not compile until it is
  /// described.
  ///
  /// - Parameters:
  ///   - machine: The type of the machines.
  ///   - name: The name that `new` takes, unique in a catalogue.
  ///   - version: Increase it when a change makes stored machines of earlier versions unreadable.
  ///   - about: What the machine is, in one line.
  ///   - form: The form in which the rule is written.
  ///   - origin: The source that the machine follows, and how closely.
  ///   - source: The name of that source in a list of sources, if it is in one.
  ///   - reason: Why the machine is as it is, where that surprises.
  ///   - legend: Sorts of events and timers that the source tells apart, each with their names.
  ///   - parts: What flows between the parts of an MVI feature.
  ///   - example: The requests of a sample session, as a user types them; the first one makes the machine.
  ///   - regions: The orthogonal regions of the states, if there are any.
  ///   - states: One sentence for each state: what is true in it.
  ///   - initialStates: The words that `initial=` accepts, with their states; by default all states.
  ///   - events: The events that can be sent, in the order in which they are shown.
  ///   - timers: The timers of the machines, at most 64, with their events.
  ///   - outputs: The data and description of each output.
  ///   - readings: Values derived from state and time.
  ///   - parameters: The parameters that `new` can set; a property that is not listed keeps its default.
  ///   - samples: Events for dry runs whose arguments follow from the parameters. If there are any of a name, they stand
  ///     in for the samples of that event's arguments. At most ``mostSamples`` are tried of each name.
  public convenience init<M: Machine>(
    _ machine: M.Type, _ name: String, version: Int = 1, _ about: String,
    form: Form = .enumAndSwitch, origin: String = "", source: String = "", reason: String = "",
    legend: KeyValuePairs<String, [String]> = [:], parts: FeatureParts? = nil,
    example: [String] = [], regions: Regions? = nil,
    states: (M.State.Name) -> String = { _ in "" },
    initialStates: [(String, M.State.Name)]? = nil,
    events: [EventForm<M.Event>],
    timers: [MachineTimer<M.Event>] = [],
    outputs: (M.Output.Name) -> OutputForm = { _ in .output(about: "") },
    readings: [ReadingForm<M>] = [],
    parameters: [ParameterForm<M.Parameters>] = [],
    samples: @escaping @Sendable (M.Parameters) -> EventSamples<M.Event> = { _ in EventSamples() }
  ) {
    // Closures, here and below: a key path of a generic type is made anew for each machine type, at each start.
    precondition(Set(timers.map { $0.event }).count == timers.count, "\(name) has two timers with the same event")
    let defaults = M.Parameters()
    let names = (0..<M.State.Name.count).map(M.State.Name.init(at:))
    let inputs = Set(events.map { $0.name } + timers.map { $0.name })
    precondition(
      legend.allSatisfy { inputs.isSuperset(of: $0.value) }, "the legend of \(name) has an event that \(name) lacks")
    let outputEntries = zip(M.Output.Name.words, 0..<M.Output.Name.count).map { word, place in
      let form = outputs(M.Output.Name(at: place))
      return OutputEntry(name: word, data: form.data, about: form.about, isTold: form.isTold)
    }
    self.init(
      machine, name,
      KindSchema(
        key: name, version: version,
        states: zip(M.State.Name.words, names).map { StateEntry(word: $0, about: states($1)) },
        areNamedByData: M.State.isNamedByData, events: events.map { $0.entry },
        timers: timers.map {
          TimerEntry(
            name: $0.name, event: caseName(of: $0.event), parameter: $0.parameter, key: $0.key, about: $0.about)
        },
        outputs: outputEntries, readings: readings.map { $0.entry },
        parameters: parameters.map { $0.entry(defaults) }),
      about, form: form, origin: origin, source: source, reason: reason, legend: legend.map { ($0.key, $0.value) },
      parts: parts, example: example, regions: regions,
      initialStates: initialStates ?? zip(M.State.Name.words, names).map { ($0, $1) },
      TypedOperations(
        events: events, timerEvents: timers.map { $0.event }, readings: readings, parameters: parameters,
        samples: samples))
  }

  /// Creates a kind with the names of the machine's types and cases.
  ///
  /// It has a timer for each event without data, and for each event with data that a new machine declares in a state
  /// without data or in a sample (``StateWithData/samples``), up to 64. A machine that declares another timer traps; it
  /// needs a kind of its own.
  ///
  /// - Parameters:
  ///   - events: The forms of events with data.
  ///   - parameters: The forms of the parameters.
  package convenience init<M: Machine>(
    _ machine: M.Type, events: [EventForm<M.Event>], parameters: [ParameterForm<M.Parameters>]
  ) {
    let typeName = "\(machine)".prefix { $0 != "<" }
    let name = typeName.prefix(1).lowercased() + typeName.dropFirst()
    let plain = EnumCase.plainValues(of: M.Event.self)
    var brought = plain
    for state in EnumCase.plainValues(of: M.State.self) + M.State.samples {
      M().timers(in: state, M.Parameters()).forEach { timer in
        if let event = timer.data?.event, !brought.contains(event) { brought.append(event) }
      }
    }
    let states = (0..<M.State.Name.count).map(M.State.Name.init(at:))
    let timers = brought.prefix(64).map { MachineTimer.timer($0, "") }
    let events = plain.map { EventForm.event($0, "") } + events
    self.init(
      machine, name,
      KindSchema(
        key: name, version: 1, states: M.State.Name.words.map { StateEntry(word: $0, about: "") },
        areNamedByData: M.State.isNamedByData, events: events.map { $0.entry },
        timers: timers.map { TimerEntry(name: $0.name, event: $0.name, parameter: nil, key: nil, about: "") },
        outputs: M.Output.Name.words.map { OutputEntry(name: $0, data: [], about: "", isTold: false) },
        readings: [], parameters: parameters.map { $0.entry(M.Parameters()) }),
      initialStates: zip(M.State.Name.words, states).map { ($0, $1) }, isDerived: true,
      TypedOperations(events: events, timerEvents: timers.map { $0.event }, parameters: parameters))
  }

  /// Creates a kind from entries that are made at run time, for a machine type that several kinds share.
  ///
  /// - Parameters:
  ///   - key: The name in stored bytes.
  ///   - areStatesNamedByData: As ``StateWithData/isNamedByData``, for the states of this kind.
  ///   - defaults: The parameters that machines of the kind have unless `new` sets them.
  ///   - otherEvents: The last of the events, if it stands for names that are not listed.
  ///   - hasLongSteps: Whether one step can take longer than a millisecond or two.
  ///   - documentation: See ``documentation``.
  package convenience init<M: _Machine>(
    _ machine: M.Type, _ name: String, key: String, version: Int, _ about: String, form: Form, origin: String,
    states: [StateEntry], areStatesNamedByData: Bool, events: [EventForm<M.Event>], otherEvents: OtherEvents?,
    timers: [TimerEntry], outputs: [OutputEntry], readings: [ReadingForm<M>],
    parameters: [ParameterForm<M.Parameters>], defaults: M.Parameters, hasLongSteps: Bool,
    documentation: KindDocumentation
  ) {
    self.init(
      machine, name,
      KindSchema(
        key: key, version: version, states: states, areNamedByData: areStatesNamedByData,
        events: events.map { $0.entry },
        timers: timers, outputs: outputs, readings: readings.map { $0.entry },
        parameters: parameters.map { $0.entry(defaults) }),
      about, form: form, origin: origin, otherEvents: otherEvents, hasLongSteps: hasLongSteps,
      documentation: documentation,
      TypedOperations(events: events, readings: readings, parameters: parameters, defaults: defaults))
  }

  /// Creates a kind that only describes stored data: it has the words of a kind at the time of storing. No machine is
  /// made of it.
  public convenience init(remembering schema: KindSchema) {
    // Whether a name was possible is not stored; nothing is sent to a machine of such a kind.
    let last = schema.events.last.flatMap {
      $0.arguments.count == 2 && $0.arguments[1].type == .json ? schema.events.count - 1 : nil
    }
    self.init(
      Remembered.self, KindDocument.name(inKey: schema.key), schema,
      otherEvents: last.map { OtherEvents(place: $0) { _ in false } }, TypedOperations())
  }

  /// The machine of a kind of which only the words are left: it has no events.
  private struct Remembered: Machine {
    enum State: MachineState { case remembered }
    enum Event: MachineEvent {}
    var state = State.remembered

    mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {}
  }

  private init<M: _Machine>(
    _ machine: M.Type, _ name: String, _ schema: KindSchema, _ about: String = "", form: Form = .enumAndSwitch,
    origin: String = "", source: String = "", reason: String = "", legend: [(name: String, inputs: [String])] = [],
    parts: FeatureParts? = nil, example: [String] = [], regions: Regions? = nil,
    initialStates: [(String, M.State.Name)] = [], otherEvents: OtherEvents? = nil, isDerived: Bool = false,
    hasLongSteps: Bool = false, documentation: KindDocumentation? = nil, _ operations: TypedOperations<M>
  ) {
    M.State.Name.checkPlaces()
    M.Output.Name.checkPlaces()
    self.name = name
    self.schema = schema
    self.about = about
    self.form = form
    self.origin = origin
    self.source = source
    self.reason = reason
    self.legend = legend
    self.parts = parts
    self.example = example
    self.regions = regions
    self.initialStates = initialStates.map { $0.0 }
    initialPlaces = initialStates.map { $0.1.index }
    self.otherEvents = otherEvents
    self.isDerived = isDerived
    self.hasLongSteps = hasLongSteps
    self.documentation = documentation
    self.machine = machine
    carriesData = M.State.carriesData || schema.hasStatesNamedByData
    words = KindWords(schema)
    layout = Layout(
      valueSize: MemoryLayout<M>.size, valueAlignment: MemoryLayout<M>.alignment,
      parameterStride: MemoryLayout<M.Parameters>.stride, eventStride: MemoryLayout<M.Event>.stride)
    self.operations = operations
  }

  deinit {
    words.deallocate()
  }

  /// The event, among ``otherEvents``, that a machine gets when nobody could be reached by what it has sent.
  package static let unreachable = "error.communication"

  /// The most states, events or outputs of a kind.
  public static let mostWords = 65_000
  /// The most timers of a kind.
  public static let mostTimers = 64

  /// The regions of a state word whose parts are joined by `+`.
  public struct Regions: Hashable, Sendable {
    /// The composite state that contains the regions; `nil` if the machine is always in it.
    public let composite: String?
    public let names: [String]

    public init(of composite: String? = nil, _ names: [String]) {
      self.composite = composite
      self.names = names
    }
  }

  /// Sizes in bytes, for the world's storage.
  public struct Layout: Sendable {
    public let valueSize: Int
    public let valueAlignment: Int
    public let parameterStride: Int
    public let eventStride: Int
  }

  /// See ``KindSchema``.
  package var key: String { schema.key }
  public var version: Int { schema.version }
  public var states: [StateEntry] { schema.states }
  public var hasStatesNamedByData: Bool { schema.hasStatesNamedByData }
  public var events: [EventEntry] { schema.events }
  public var timers: [TimerEntry] { schema.timers }
  public var outputs: [OutputEntry] { schema.outputs }
  public var readings: [ReadingEntry] { schema.readings }
  public var parameters: [ParameterEntry] { schema.parameters }

  /// A state as it is printed: its word, followed by its data in parentheses, or its data alone where they are the word.
  ///
  /// - Parameters:
  ///   - place: The index in `states`.
  ///   - data: The state's data; `nil` if it prints none.
  public func stateWord(_ place: Int, data: String?) -> String {
    let word = states[place].word
    guard let data else { return word }
    return hasStatesNamedByData ? data : "\(word)(\(data))"
  }

  // MARK: Initial states and examples

  /// The index of the state that a word of `initialStates` stands for, for
  /// ``ErasedMachine/initialize(_:initial:_:_:)``.
  public func initialState(named word: some StringProtocol) -> Int? {
    initialStates.firstIndex { $0 == word }.map { initialPlaces[$0] }
  }

  /// Example values for the parameters without defaults, with their indices in `parameters`.
  public var requiredExamples: [(parameter: Int, value: Value)] {
    parameters.enumerated().filter { $0.element.standard == nil }.map { ($0.offset, $0.element.example) }
  }

  // MARK: Work that needs the machine's own types

  /// The events without arguments, stored contiguously in the kind's order. The entry of an event with arguments is
  /// uninitialised.
  ///
  /// Safety: the events belong to the kind and live as long as it does; they are immutable.
  public var plainEvents: UnsafeRawPointer { operations.plainEvents }

  /// What a step needs to know about the machine's timers; valid while the kind lives.
  ///
  /// - Parameter running: Bit set of the running timers without a key.
  public func stepTimers(running: UInt64) -> StepTimers { operations.stepTimers.running(running) }

  /// Whether each case of the machine's events can be sent or is a timer's event. If not, the kind's lists lack an
  /// event.
  public var listsAllEvents: Bool { operations.listsAllEvents }

  /// Traps unless the machines of this kind have a type.
  package func expect(_ machine: (some Machine).Type) {
    precondition(self.machine == machine, "\(name) is a kind of \(self.machine), not of \(machine)")
  }

  /// The output that tells of actions and guards that fail.
  package static var failureName: String { "error" }

  /// How many events have names of their own.
  package var namedEvents: Int { events.count - (otherEvents == nil ? 0 : 1) }

  /// Whether an event can be sent without arguments.
  public func isPlain(_ event: Int) -> Bool { events[event].isPlain }

  /// The index of the event with this name, or with a name after these words, and the arguments that come before those of a request.
  ///
  /// - Returns: `nil` if the kind's machines have no such event.
  package func event(named name: String) -> (place: Int, first: [Value])? {
    if let place = Array(name.utf8).withUnsafeBytes({ words.events.find($0) }) {
      if place != otherEvents?.place { return (place, []) }
    }
    if let place = events.firstIndex(where: { $0.text == name }) { return (place, []) }
    guard let otherEvents, otherEvents.admits(name) else { return nil }
    return (otherEvents.place, [.text(name)])
  }

  /// The name of an event as a request gives it.
  ///
  /// - Parameter arguments: Those that the journal has.
  package func eventName(_ place: Int, _ arguments: [Value]) -> String {
    if place == otherEvents?.place, case .text(let name)? = arguments.first { return name }
    return events[place].name
  }

  /// Initialises raw storage of the layout's size with an event; end its life with ``destroyEvent(at:)``.
  ///
  /// - Precondition: `arguments` has one value per argument of the event, and each argument's type admits its value.
  public func makeEvent(_ event: Int, _ arguments: [Value], at storage: UnsafeMutableRawPointer) {
    operations.makeEvent(event, arguments, at: storage)
  }

  public func destroyEvent(at storage: UnsafeMutableRawPointer) {
    operations.destroyEvent(at: storage)
  }

  /// The index of an event in `events`, with its arguments. `nil` if the kind does not list the event, or if its data
  /// cannot be written as the form's arguments.
  package func written<M: Machine>(_ event: M.Event, of machine: M.Type) -> (event: Int, arguments: [Value])? {
    precondition(self.machine == machine, "an event is written down by its machine's own kind")
    guard let written = withUnsafePointer(to: event, { operations.written($0) }) else { return nil }
    if written.arguments.isEmpty { return written }
    // A replay sends what the form makes of the arguments, so that must equal the event.
    return self.event(written.event, written.arguments, of: machine) == event ? written : nil
  }

  /// Creates the event at an index from its arguments.
  ///
  /// - Precondition: As for ``makeEvent(_:_:at:)``.
  package func event<M: Machine>(_ place: Int, _ arguments: [Value], of machine: M.Type) -> M.Event {
    precondition(self.machine == machine, "an event is made by its machine's own kind")
    return withUnsafeTemporaryAllocation(of: M.Event.self, capacity: 1) { storage in
      // Safety: there is room for one event, which is initialised here and moved out.
      makeEvent(place, arguments, at: UnsafeMutableRawPointer(storage.baseAddress.unsafelyUnwrapped))
      return storage.moveElement(from: 0)
    }
  }

  /// The parameters that have no default or differ from it; `nil` if the set contains data that no parameter lists.
  package func written<M: Machine>(
    _ parameters: M.Parameters, of machine: M.Type
  ) -> [(parameter: Int, value: Value)]? {
    precondition(self.machine == machine, "parameters are written down by their machine's own kind")
    return withUnsafePointer(to: parameters) { operations.written(parameters: $0) }
  }

  /// Creates an empty pool for the parameters of this kind's machines.
  public func makeParameterPool() -> any ParameterPool { operations.makeParameterPool() }

  /// The values of a parameter set, in the kind's order.
  public func values(of parameters: UnsafeRawPointer) -> [Value] { operations.values(of: parameters) }

  /// The current readings in the kind's order; `nil` for a reading that the machine does not have now.
  public func read(_ value: UnsafeRawPointer, at now: Instant, _ parameters: UnsafeRawPointer) -> [Value?] {
    operations.read(value, at: now, parameters)
  }

  /// The most choices of arguments that are tried of an event.
  public static let mostSamples = 64

  /// For each event the choices of its arguments to try in dry runs of machines with these parameters.
  ///
  /// - Returns: At most ``mostSamples`` of each, in a fixed order; and whether those are all there are.
  public func samples(_ parameters: UnsafeRawPointer) -> [(choices: [[Value]], areAll: Bool)] {
    operations.samples(parameters)
  }

  /// The events that the machine would not refuse now for at least one argument. Each is tried on a copy of the
  /// machine. `running` is the bit set of the running timers without a key.
  ///
  /// - Complexity: O(events × samples of their arguments) steps.
  public func possibleEvents(
    _ value: UnsafeRawPointer, at now: Instant, running: UInt64, _ parameters: UnsafeRawPointer
  ) -> [Int] {
    prospects(value, at: now, running: running, parameters).filter { $0.refusal == nil }.map(\.event)
  }

  /// After so many steps of a document's machine, further events are not tried: some milliseconds.
  static let mostStepsTried = 100_000

  /// What each event would do to the machine now, in the kind's order. Each is tried on a copy of the machine; if that
  /// takes too many steps of a document, the others count as possible.
  ///
  /// - Complexity: O(events × samples of their arguments) steps.
  ///
  /// - Parameter running: Bit set of the running timers without a key.
  public func prospects(
    _ value: UnsafeRawPointer, at now: Instant, running: UInt64, _ parameters: UnsafeRawPointer
  ) -> [Prospect] {
    operations.prospects(of: events.indices, value, at: now, running: running, parameters)
      .filter { $0.event != otherEvents?.place }
  }

  /// What one event would do to the machine now.
  public func prospect(
    of event: Int, _ value: UnsafeRawPointer, at now: Instant, running: UInt64, _ parameters: UnsafeRawPointer
  ) -> Prospect {
    operations.prospects(of: event..<event + 1, value, at: now, running: running, parameters)[0]
  }
}

/// What an event would do to a machine now, with one or another of the arguments that were tried.
public struct Prospect: Hashable, Sendable {
  /// The index in the kind's list.
  public let event: Int
  /// The effects that occurred, each once: moved, stayed, ignored, in this order. Empty if all were refused.
  public private(set) var effects: [Verdict] = []
  /// The states into which it moves the machine, each once, in the kind's order.
  public private(set) var into: [Destination] = []
  private var reason: String?
  /// Whether it was tried with all its samples.
  var isTried = true

  /// Why it would be refused, whatever its arguments; `nil` if it would not, or was not tried.
  public var refusal: String? { effects.isEmpty && isTried ? reason ?? "not possible in this state" : nil }

  /// Whether it would do nothing, but not be refused.
  public var isOnlyIgnored: Bool { effects == [.ignored] }

  init(event: Int) {
    self.event = event
  }

  /// A state.
  public struct Destination: Hashable, Sendable {
    /// The index in the kind's list.
    public let state: Int
    /// Its data where they are the word of the state: see ``StateWithData/isNamedByData``.
    public let data: String?
  }

  /// - Parameter data: The state's data after the step.
  mutating func note(_ result: StepResult, data: @autoclosure () -> String?, reason: String?) {
    guard result.verdict != .refused else {
      if self.reason == nil { self.reason = reason }
      return
    }
    if !effects.contains(result.verdict) {
      effects.append(result.verdict)
      effects.sort { $0.rawValue < $1.rawValue }
    }
    guard result.verdict == .moved else { return }
    let destination = Destination(state: Int(result.to), data: data())
    guard !into.contains(destination) else { return }
    into.insert(destination, at: into.firstIndex { $0.state > destination.state } ?? into.endIndex)
  }
}

/// An event that stands for names that a kind does not list. Its first argument is the name.
package struct OtherEvents: Sendable {
  /// The index in ``Kind/events``.
  package let place: Int
  /// Whether the machines have an event of this name.
  package let admits: @Sendable (String) -> Bool

  package init(place: Int, admits: @escaping @Sendable (String) -> Bool) {
    self.place = place
    self.admits = admits
  }
}
