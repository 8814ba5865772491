import StateMachines

/// What an exploration has not tried.
struct GraphGaps {
  private let kind: Kind
  private let inputs: [GraphInput]
  private let eventInputs: [Range<Int>]
  /// Whether not all arguments of an event were tried, by event.
  private let isUntried: [Bool]
  /// States of machines that were found and not searched from.
  private var isCutOff: [Bool]
  /// By state, then by input: steps that draw random numbers, or whose outcome depends on the moment.
  private var drawing: [[Bool]]
  private var timed: [[Bool]]
  /// The states and inputs whose steps go over a limit, by its name.
  private var exceeding: [String: Set<[Int]>] = [:]
  /// The limits that new machines and steps go over, in words.
  private var excesses: [String] = []
  /// Whether machines could only be compared by their states.
  var isCoarse = false
  /// Whether words of `initial=` were left out whose states are not known before a machine is made.
  var lacksStarts = false

  init(_ kind: Kind, _ trial: Trial, states: Int) {
    self.kind = kind
    inputs = trial.inputs
    eventInputs = trial.eventInputs
    isUntried = trial.isTriedFully.map { !$0 }
    isCutOff = Array(repeating: false, count: states)
    drawing = Array(repeating: Array(repeating: false, count: inputs.count), count: states)
    timed = drawing
  }

  /// Makes room for a state that was found.
  mutating func addState() {
    isCutOff.append(false)
    drawing.append(Array(repeating: false, count: inputs.count))
    timed.append(Array(repeating: false, count: inputs.count))
  }

  mutating func cutOff(_ states: some Sequence<Int>) {
    for state in states { isCutOff[state] = true }
  }

  /// Notes a limit that a new machine goes over.
  ///
  /// - Parameter word: That of `initial=`; `nil` for a machine made without.
  mutating func exceeds(_ limit: String, madeWith word: String?) {
    excesses.append(
      "a new machine\(word.map { " with initial=\($0)" } ?? "") goes over the limit \(limit), so there is none")
  }

  /// Notes a limit that a step goes over.
  mutating func exceeds(_ limit: String, in state: Int, _ input: Int) {
    exceeding[limit, default: []].insert([state, input])
  }

  mutating func draws(in state: Int, _ input: Int) { drawing[state][input] = true }

  mutating func dependsOnTime(in state: Int, _ input: Int) { timed[state][input] = true }

  /// By state, then by input: whether other outcomes are possible than those found.
  ///
  /// A machine that was not searched from can have other data in every state that it can get to. What was never reached
  /// may be reached by an outcome that was not found.
  func partial(_ cells: [[[GraphOutcome]]], _ reaches: [GraphReach]) -> [[Bool]] {
    var isOpen = isCutOff
    for state in timed.indices where timed[state].contains(true) { isOpen[state] = true }
    if isCoarse || lacksStarts { isOpen = isOpen.map { _ in true } }
    var next = isOpen.indices.filter { isOpen[$0] }
    while let state = next.popLast() {
      for outcome in cells[state].joined() where !isOpen[outcome.to] {
        isOpen[outcome.to] = true
        next.append(outcome.to)
      }
    }
    var partial = drawing
    for state in partial.indices {
      for (event, isUntried) in isUntried.enumerated() where isUntried {
        for input in eventInputs[event] { partial[state][input] = true }
      }
      if isOpen[state] { partial[state] = partial[state].map { _ in true } }
    }
    guard partial.joined().contains(true) else { return partial }
    for state in partial.indices where reaches[state] == .unreached {
      partial[state] = partial[state].map { _ in true }
    }
    return partial
  }

  /// What was not tried, and where.
  func sentences(_ states: [StateEntry]) -> [String] {
    var sentences = excesses
    for (limit, places) in exceeding.sorted(by: { $0.key < $1.key }) {
      var flags = drawing.map { $0.map { _ in false } }
      for place in places { flags[place[0]][place[1]] = true }
      sentences += triggers(flags, states).map { "\($0) goes over the limit \(limit), and is refused" }
    }
    var tried: [(samples: String, events: [String])] = []
    for (event, isUntried) in isUntried.enumerated() where isUntried {
      let samples = eventInputs[event].map { input -> String in
        guard case .event(_, let arguments) = inputs[input] else { return "" }
        return kind.events[event].takesAnything && arguments == [.none]
          ? "no data" : StateGraph.sample(arguments, of: kind.events[event])
      }
      if samples.isEmpty {
        // The event of a document that stands for all others is none that somebody sends.
        if event == kind.otherEvents?.place { continue }
        sentences.append("\(kind.events[event].name) is left away, since this diagram shows single characters")
        continue
      }
      let (name, text) = (kind.events[event].name, GraphGaps.listed(samples))
      if let place = tried.firstIndex(where: { $0.samples == text }) {
        tried[place].events.append(name)
      } else {
        tried.append((text, [name]))
      }
    }
    for (samples, events) in tried {
      sentences.append(
        "\(GraphGaps.listed(events)) \(events.count == 1 ? "was" : "were") tried with \(samples) only")
    }
    if isCoarse { sentences.append("machines were compared by their states only, since their data cannot be stored") }
    if lacksStarts { sentences.append("machines were not made with every word of initial=") }
    let cut = states.indices.filter { isCutOff[$0] }.map { states[$0].word }
    if !cut.isEmpty {
      sentences.append(
        "not every machine in \(GraphGaps.listed(cut)) was tried, since there are too many with different data: these, "
          + "and what follows from them, may do more")
    }
    sentences += triggers(drawing, states).map { "\($0) depends on random numbers, of which some were tried" }
    sentences += triggers(timed, states).map { "\($0) depends on the moment, of which some were tried" }
    return sentences
  }

  private func triggers(_ flags: [[Bool]], _ states: [StateEntry]) -> [String] {
    var found: [(name: String, states: [String])] = []
    for (state, row) in flags.enumerated() {
      for (input, flag) in row.enumerated() where flag {
        let name =
          switch inputs[input] {
          case .event(let event, _): kind.events[event].name
          case .timer(let timer): kind.timers[timer].name
          }
        let word = states[state].word
        if let place = found.firstIndex(where: { $0.name == name }) {
          if found[place].states.last != word { found[place].states.append(word) }
        } else {
          found.append((name, [word]))
        }
      }
    }
    return found.map { "\($0.name) in \(GraphGaps.listed($0.states))" }
  }

  /// `a, b and c`; of many the first ones.
  private static func listed(_ words: [String]) -> String {
    let most = 4
    let shown = words.count > most + 1 ? words.prefix(most) + ["\(words.count - most) others"] : words[...]
    guard let last = shown.last else { return "nothing" }
    return shown.count == 1 ? last : shown.dropLast().joined(separator: ", ") + " and " + last
  }
}
