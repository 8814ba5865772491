package import StateMachines

extension Kind {
  /// Creates the kind of machines that a document defines.
  ///
  /// Its states are the atomic states of the document, by their ids; where several are active at the same time, a
  /// machine's state is their ids joined by `+`. Its events are those that the document's transitions name; an event
  /// with another name that some transition matches can be sent, too. Its timers are the sends under way, by their
  /// events; its outputs are sends of the type `output`, sends to other machines, and logs. Its readings are its data.
  ///
  /// - Complexity: O(size of the document).
  package convenience init(
    _ name: String, key: String? = nil, version: Int, origin: String, _ program: ChartProgram
  ) {
    let chart = program.definition.charts[0].chart
    var lines: [Int32: [Int32]] = [:]
    for transition in chart.transitions {
      for place in transition.descriptors {
        guard case .name(let number) = chart.descriptors[Int(place)] else { continue }
        if lines[number, default: []].count < 6 { lines[number, default: []].append(transition.line) }
      }
    }
    let atomic = chart.states.indices.filter { $0 > 0 && chart.isAtomic($0) }
    let isSampledFully = !program.definition.readsEvents || chart.asksSamplesOnly
    let events = program.events.map { event in
      EventForm.open(
        event.text, Kind.about(event, of: chart, lines[event.number] ?? []), text: chart.eventTexts[event.text],
        samples: Kind.samples(of: event.text, in: chart), isSampledFully: isSampledFully,
        constant: ChartMachine.Event(event),
        make: { ChartMachine.Event(event, data: DataValue(datum: $0)) })
    }
    let definition = program.definition
    let others = EventForm<ChartMachine.Event>.anyEvent(
      Kind.others,
      [
        ArgumentEntry(
          name: "event", type: .text(bytes: 1...65_536),
          samples: program.otherEvents.filter { !ChartProgram.isInternal($0) }.map(Value.text),
          isSampledFully: isSampledFully),
        ArgumentEntry(name: "data", type: .json, samples: nil, isSampledFully: isSampledFully),
      ],
      about: "any other name that a transition matches",
      make: { arguments in
        guard case .text(let name)? = arguments.first else { preconditionFailure("an event has a name") }
        let data: DataValue = if case .text(let text) = arguments[1] { DataValue(datum: text) } else { .undefined }
        return ChartMachine.Event(definition.event(named: name), data: data)
      },
      values: { _ in nil })
    let label = ArgumentEntry(name: "label", type: .text(bytes: 0...1 << 20), samples: nil)
    func datum(_ name: String) -> ArgumentEntry { ArgumentEntry(name: name, type: .json, samples: nil) }
    self.init(
      ChartMachine.self, name, key: key ?? name, version: version,
      chart.name.isEmpty ? "a machine from a document" : String(chart.name.unicodeScalars.prefix(Kind.longestAbout)),
      form: program.hasRegions ? .orthogonal : .hierarchical, origin: origin,
      states: zip(program.states, atomic).map { word, state in
        StateEntry(word: word, about: Kind.places([chart.states[state].line]))
      },
      areStatesNamedByData: program.hasRegions, events: events + [others],
      otherEvents: OtherEvents(place: events.count, admits: definition.admits),
      timers: program.timers.map {
        TimerEntry(name: $0, event: $0, parameter: nil, key: "send", about: "a send that is under way")
      },
      outputs: program.outputs.enumerated().map { place, name in
        let isLog = name == "log"
        let isListed = program.output(named: name).place == place && program.output(named: name).isListed
        return OutputEntry(
          name: name,
          data: isLog ? [label, datum("value")] : isListed ? [datum("data")] : [datum("event"), datum("data")],
          about: isLog ? "what the machine logs" : "what the machine sends", isTold: false)
      } + (program.failureOutput == nil ? [] : [Kind.failure]),
      readings: Kind.readings(of: chart),
      parameters: [.parameter("strict", \.isStrict, "whether an event that no transition takes is refused")]
        + chart.conditions.enumerated().map(Kind.parameter),
      defaults: ChartMachine.Parameters(program), hasLongSteps: !program.definition.hasShortInputs,
      documentation: KindDocumentation(
        moves: { definition.documentedMoves(program) }, regions: { definition.documentedRegions(program) },
        picture: { definition.picture }))
  }

  /// What tells of actions and guards that fail.
  private static var failure: OutputEntry {
    OutputEntry(
      name: failureName, data: [ArgumentEntry(name: "text", type: .text(bytes: 1...65_536), samples: nil)],
      about: "an action or a guard that has failed", isTold: true)
  }

  /// What a kind takes for a condition of its document.
  private static func parameter(_ place: Int, _ condition: ChartCondition) -> ParameterForm<ChartMachine.Parameters> {
    switch condition.form {
    case .flag, .denied:
      ParameterForm(
        condition.name, .flag, get: { .flag($0.conditions[place] == "on") },
        set: { if case .flag(let isOn) = $1 { $0.conditions[place] = isOn ? "on" : "off" } })
    case .text:
      ParameterForm(
        condition.name, .text(bytes: 0...1_000), get: { .text($0.conditions[place]) },
        set: { if case .text(let text) = $1 { $0.conditions[place] = text } })
    case .number, .limit:
      ParameterForm(
        condition.name, .number(-1e15...1e15, unit: ""),
        get: { .number(Double($0.conditions[place]) ?? 0) },
        set: { if case .number(let number) = $1 { $0.conditions[place] = JSON.text(of: .number(number)) } })
    }
  }

  /// The words of the diagram that an event is named after, and its lines.
  private static func about(_ event: EventName, of chart: Chart, _ lines: [Int32]) -> String {
    let places = places(lines)
    guard let text = chart.eventTexts[event.text] else { return places }
    let words = String(text.unicodeScalars.prefix(longestAbout))
    return "\"\(words == text ? text : words + "…")\"" + (places.isEmpty ? "" : ", \(places)")
  }

  /// The data that an event is tried with; `nil` for those of any event.
  private static func samples(of event: String, in chart: Chart) -> [Value]? {
    let data = (chart.eventData[event] ?? []) + (chart.eventData[""] ?? [])
    var seen: Set<String> = []
    return data.isEmpty ? nil : [Value.none] + data.filter { seen.insert($0).inserted }.map(Value.text)
  }

  /// How much of a document's name says what the kind is, in Unicode scalars. Every `kinds` reads it.
  private static let longestAbout = 200

  /// The values of the document's data, as `send` takes them.
  private static func readings(of chart: Chart) -> [ReadingForm<ChartMachine>] {
    var slots: Set<Int32> = []
    return chart.data.filter { slots.insert($0.slot).inserted }.map { data in
      let slot = Int(data.slot)
      return .reading(chart.symbols.names[slot], .json, "") { machine, _, _ in
        let variables = machine.running.root.variables
        guard slot < variables.count, let value = variables[slot], value != .undefined else { return nil }
        return ChartData.word(of: value)
      }
    }
  }

  /// The name of the event that stands for all names that are not listed.
  private static var others: String { "*" }

  private static func places(_ lines: [Int32]) -> String {
    if lines.isEmpty { return "" }
    let first = lines.prefix(5).map { "\($0)" }.joined(separator: ", ")
    return (lines.count == 1 ? "line " : "lines ") + first + (lines.count > 5 ? " …" : "")
  }
}
