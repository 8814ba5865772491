package import StateMachines
internal import Synchronization

/// A definition with the words of its kind: what all machines of one kind share.
package final class ChartProgram: Sendable {
  package let definition: Definition
  let limits: StatechartLimits
  /// The words of the atomic states, in document order.
  let states: [String]
  /// For each state of the document: the index of its word, if it is atomic.
  let places: [UInt16]
  /// Whether several atomic states can be active at the same time: then a state is named by its data.
  let hasRegions: Bool
  /// Events that transitions of the document name.
  let events: [EventName]
  /// A name for each way in which transitions match other events.
  let otherEvents: [String]
  /// Timers by the name of the event that they bring. All that are not listed share the last one.
  let timers: [String]
  private let timerPlaces: [String: UInt8]
  let outputs: [String]
  /// The place of what tells of failing actions and guards, after the outputs; `nil` if nothing can fail.
  let failureOutput: UInt16?
  private let outputPlaces: [String: UInt16]
  private let interpreters = Mutex<[IdleInterpreter]>([])

  /// The most events, and the most outputs, that transitions and actions of a document name. `show` and `can` try all
  /// events of a machine at once, while its world waits.
  static let mostEvents = 2_000
  /// The most names of events of a document that is read to its end. What they are is known then, and what is too much
  /// is known before.
  static let mostNamesRead = 4 * mostEvents

  /// - Throws: ``ExceededLimit`` if the document has more names than a kind can have.
  package init(_ definition: Definition, limits: StatechartLimits = StatechartLimits()) throws(ExceededLimit) {
    self.definition = definition
    self.limits = limits
    let chart = definition.charts[0].chart
    var states: [String] = []
    var places: [UInt16] = []
    var nameless = 0
    for state in chart.states.indices {
      places.append(UInt16(clamping: states.count))
      if state > 0, chart.ids[state] == nil { nameless += 1 }
      if state > 0, chart.isAtomic(state) { states.append(chart.ids[state] ?? "_\(nameless)") }
    }
    self.states = states
    self.places = places
    hasRegions = chart.states.contains { $0.kind == .parallel }
    let names = ChartNames(of: definition)
    guard states.count <= Kind.mostWords else {
      throw ExceededLimit(name: "documentStates", value: Kind.mostWords)
    }
    guard max(names.events.count, names.outputs.count) <= ChartProgram.mostEvents else {
      throw ExceededLimit(name: "documentEvents", value: ChartProgram.mostEvents)
    }
    events = names.events.map(definition.event(named:))
    let takesAny = chart.descriptors.contains(.any)
    otherEvents = names.otherEvents + (takesAny ? [ChartNames.free("any", unless: chart.events.begins(with:))] : [])
    var timers = Array(names.timers.prefix(Kind.mostTimers - 1))
    if names.hasOtherTimers || names.timers.count > timers.count {
      timers.append(ChartNames.free("other", unless: timers.contains))
    }
    self.timers = timers
    timerPlaces = Dictionary(uniqueKeysWithValues: zip(names.timers, timers.indices.lazy.map { UInt8($0) }))
    outputs = names.outputs + (names.hasOtherOutputs ? [ChartNames.free("other", unless: names.outputs.contains)] : [])
    outputPlaces = Dictionary(uniqueKeysWithValues: zip(names.outputs, outputs.indices.lazy.map { UInt16($0) }))
    failureOutput = definition.canFail ? UInt16(outputs.count) : nil
  }

  /// Whether an event comes from the machine itself.
  static func isInternal(_ event: String) -> Bool { event.hasPrefix("done.") || event.hasPrefix("error.") }

  func timer(bringing event: String) -> UInt8 { timerPlaces[event] ?? UInt8(timers.count - 1) }

  /// The index of an output; of one that is not listed, that of the last, which tells the name in its data.
  func output(named name: String) -> (place: UInt16, isListed: Bool) {
    if let place = outputPlaces[name] { return (place, true) }
    return (UInt16(outputs.count - 1), false)
  }

  /// Lends an interpreter, which keeps some memory from one use to the next.
  func withInterpreter<Result>(_ body: (Interpreter) -> Result) -> Result {
    let idle = interpreters.withLock { $0.popLast() } ?? IdleInterpreter(Interpreter(definition, limits: limits))
    defer { if idle.interpreter.rest() { interpreters.withLock { $0.append(idle) } } }
    return body(idle.interpreter)
  }

  // Unchecked: an interpreter is used by nobody else while it is out of the list.
  private struct IdleInterpreter: @unchecked Sendable {
    let interpreter: Interpreter

    init(_ interpreter: Interpreter) {
      self.interpreter = interpreter
    }
  }
}

/// The names that a document gives to events, timers and outputs.
private struct ChartNames {
  private(set) var events: [String] = []
  /// Others that transitions name.
  private(set) var otherEvents: [String] = []
  /// Of sends that arrive later, or through the external queue.
  private(set) var timers: [String] = []
  /// Whether events with names that are known only at run time arrive so, too.
  private(set) var hasOtherTimers = false
  private(set) var outputs: [String] = []
  private(set) var hasOtherOutputs = false

  init(of definition: Definition) {
    let chart = definition.charts[0].chart
    var known: Set<Int32> = []
    for transition in chart.transitions {
      for descriptor in transition.descriptors {
        guard case .name(let number) = chart.descriptors[Int(descriptor)], known.insert(number).inserted else {
          continue
        }
        let name = chart.events.names[Int(number)]
        // A transition names it, so it is known.
        if definition.standsForAfter(name) { continue }
        // These come from the machine itself; whoever wants to send one still can.
        if !ChartProgram.isInternal(name), ChartNames.isListed(name) {
          events.append(name)
        } else {
          otherEvents.append(name)
        }
      }
    }
    var (knownTimers, knownOutputs): (Set<String>, Set<String>) = ([], [])
    for chart in definition.charts.map(\.chart) {
      if !chart.invokes.isEmpty { hasOtherTimers = true }
      if chart.instructions.contains(where: { if case .log = $0 { true } else { false } }) {
        if knownOutputs.insert("log").inserted { outputs.append("log") }
      }
      for send in chart.sends {
        let isOutput = chart.text(of: send.type).map { $0 == "output" }
        let isDelayed = !send.delay.isNone
        let isToMachine = chart.text(of: send.target).map { $0.hasPrefix("#") && !$0.hasPrefix("#_") }
        if isOutput != false || isToMachine != false {
          if let name = chart.text(of: send.event), Self.isListed(name) {
            if knownOutputs.insert(name).inserted { outputs.append(name) }
          } else {
            hasOtherOutputs = true
          }
        }
        if isDelayed || isOutput != true && isToMachine != true && chart.text(of: send.target) != "#_internal" {
          if let name = chart.text(of: send.event), Self.isListed(name) {
            if knownTimers.insert(name).inserted { timers.append(name) }
          } else {
            hasOtherTimers = true
          }
        }
      }
    }
  }

  /// Whether a name can be a word of the kind: lines print those without quotes. Other names go with the data.
  private static func isListed(_ name: String) -> Bool {
    (1...255).contains(name.utf8.count)
      && name.unicodeScalars.allSatisfy { $0.properties.isXIDContinue || "-.:".unicodeScalars.contains($0) }
  }

  /// A word that is not taken.
  static func free(_ word: String, unless isTaken: (String) -> Bool) -> String {
    var word = word
    while isTaken(word) { word += "_" }
    return word
  }
}
