import MachineGraphs
import LineProtocol
import Simulator
import StateMachines

/// Shows the daemon's verbs and kinds.
extension RequestContext {
  func help() {
    func write(_ usage: String, _ text: String) {
      line { line in
        line.append(literal: " ")
        line.append(text: usage)
        line.note(text)
      }
    }
    if let name = words[0] {
      guard let verb = Verb.allCases.first(where: { $0.name == name }) else {
        return failUnknownVerb(name)
      }
      for usage in verb.entry.usages { write(usage, verb.entry.summary) }
      write("example", verb.entry.example)
    } else {
      for entry in VerbEntry.table { for usage in entry.usages { write(usage, entry.summary) } }
    }
    succeedWithLines()
  }

  func kinds() {
    for entry in catalogue.entries {
      let kinds: [Kind]
      switch entry {
      case .machine(let kind): kinds = [kind]
      case .composition(let composition): kinds = composition.members.map(\.kind)
      }
      line { line in
        line.word(entry.name)
        line.key("states", UInt64(kinds.reduce(0) { $0 + $1.states.count }))
        line.key("events", UInt64(kinds.reduce(0) { $0 + $1.events.count }))
        line.key("timers", UInt64(kinds.reduce(0) { $0 + $1.timers.count }))
        line.note(entry.about)
      }
    }
    succeedWithLines()
  }

  /// A page of the manual. It plays the kind's example and explores its graph, so it runs on a worker.
  func describe() {
    guard let entry = kind(words.plain[0]) else { return }
    if deferToWorker() { return }
    var page = Page(tag: Array(tag))
    switch entry {
    case .machine(let kind): describe(kind, &page)
    case .composition(let composition): describe(composition, &page)
    }
    session.outbox.buffer.append(page.buffer.bytes)
    succeed { $0.word(UInt64(page.lines)) }
  }

  private func describe(_ kind: Kind, _ page: inout Page) {
    let initial = initialState(of: kind)
    page.line("kind", [kind.name], [("version", "\(kind.version)"), ("form", kind.form.rawValue)], kind.about)
    if !kind.origin.isEmpty { page.line("origin", [], [], kind.origin) }
    let start = kind.states.firstIndex { $0.word == initial }
    for state in kind.regionStates {
      page.line(
        "state", [state.word],
        (state.region.map { [("region", $0)] } ?? [])
          + (start.map(state.states.contains) ?? false ? [("initial", "yes")] : []),
        state.about)
    }
    for event in kind.events {
      page.line(
        "event", [event.name], event.arguments.map { ($0.name, ArgumentText.allowed($0.type)) }, event.about)
    }
    for timer in kind.timers {
      let standard = kind.parameters.first { $0.name == timer.parameter }?.example
      page.line(
        "timer", [timer.name],
        (timer.key.map { [("key", $0)] } ?? []) + (standard.map { [("after", ArgumentText.written($0))] } ?? []),
        timer.about)
    }
    for output in kind.outputs {
      page.line(
        output.isTold ? "told" : "output", [output.name], output.data.map { ($0.name, ArgumentText.name(of: $0.type)) },
        output.about)
    }
    for reading in kind.readings {
      let unit = reading.type.unit
      page.line(
        "reading", [reading.name],
        [("type", reading.type == .json ? "json" : ArgumentText.name(of: reading.type))]
          + (unit.isEmpty ? [] : [("unit", unit)]), reading.about)
    }
    describe(kind.parameters, &page)
    // For a state of several regions, the word that `initial=` takes.
    let standard = kind.initialStates.first { word in
      kind.states.firstIndex { $0.word == initial }.map { StateQuery(word, of: kind)?.matches($0, data: nil) ?? false }
        ?? false
    }
    page.line(
      "parameter", ["initial"],
      [("type", "state")] + (standard.map { [("default", $0)] } ?? [])
        + [("allowed", kind.initialStates.joined(separator: ","))],
      "the state to start in, as if it had just been entered")
    for line in tableLines(of: kind) { page.line("table", [], [], String(line)) }
    describeExample(kind.example, &page)
  }

  /// The table of outcomes by state and input, found by running the rule.
  private func tableLines(of kind: Kind) -> [Substring] {
    let (states, inputs) = (kind.states.count, kind.events.count + kind.timers.count)
    let sizes = kind.regionSizes.map { " of \($0)," } ?? ""
    let pointer = "\(states) states\(sizes) and \(inputs) inputs: 'graph \(kind.name)' shows what comes of each"
    // A large graph is not explored: that would take too long for a page.
    if states > RequestContext.mostExploredStates || kind.hasStatesNamedByData { return [pointer[...]] }
    guard let source = try? environment.graphs.source(of: kind, kind.parameters.map(\.example)) else { return [] }
    var found: StateGraph?
    repeat { found = source.advance(by: Exploration.mostSteps) } while found == nil
    guard let graph = found else { return [] }
    let lines = GraphTable(Drawing(graph, show: .all)).text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.count <= RequestContext.mostTableLines ? lines : [pointer[...]]
  }

  /// The most lines of a table within a page.
  private static let mostTableLines = 120
  /// The most states of a kind whose table is worked out for a page.
  private static let mostExploredStates = 40

  private func describe(_ composition: Composition, _ page: inout Page) {
    page.line("kind", [composition.name], [("members", "\(composition.members.count)")], composition.about)
    if !composition.origin.isEmpty { page.line("origin", [], [], composition.origin) }
    for member in composition.members {
      page.line("member", [member.name], [("kind", member.kind.name)], member.kind.about)
    }
    for wire in composition.wires {
      let (from, to) = (composition.members[wire.from], composition.members[wire.to])
      page.line(
        "wire", [from.name, from.kind.outputs[wire.output].name, to.name, to.kind.events[wire.event].name], [],
        from.kind.outputs[wire.output].about)
    }
    // A parameter that several members have is given to all of them or, with a member's name, to one.
    let all = composition.members.flatMap { $0.settable.map(\.entry.name) }
    for member in composition.members {
      describe(member.settable.map(\.entry), &page) { name in
        all.count { $0 == name } > 1 ? "\(member.name).\(name)" : name
      }
    }
    describeExample(composition.example, &page)
  }

  private func describe(
    _ parameters: [ParameterEntry], _ page: inout Page, called: (String) -> String = { $0 }
  ) {
    for parameter in parameters {
      page.line(
        "parameter", [called(parameter.name)],
        [
          ("type", ArgumentText.name(of: parameter.type)),
          parameter.standard.map { ("default", ArgumentText.written($0)) }
            ?? ("required", ArgumentText.written(parameter.example)),
          ("allowed", ArgumentText.allowed(parameter.type)),
        ],
        parameter.about)
    }
  }

  /// Requests are marked with `> `; their replies follow unchanged.
  private func describeExample(_ requests: [String], _ page: inout Page) {
    for line in ExampleSession.play(requests, catalogue: catalogue) { page.line("example", [], [], line) }
  }

  /// The initial state of a machine without parameters, found by creating one.
  private func initialState(of kind: Kind) -> String? {
    var world = WorldCore()
    let made = Array("m".utf8).withUnsafeBytes { name in
      Result { () throws(WorldCore.CreationFailure) in
        try world.create(kind, named: name, parameters: kind.requiredExamples)
      }
    }
    guard case .success(let machine) = made else { return nil }
    return kind.states[world.stateIndex(of: machine)].word
  }
}

/// The lines of a page of `describe`.
private struct Page: ~Copyable {
  let tag: [UInt8]
  var buffer = ByteBuffer()
  var lines = 0

  init(tag: [UInt8]) {
    self.tag = tag
  }

  mutating func line(_ section: StaticString, _ words: [String], _ keys: [(String, String)], _ about: String) {
    tag.withUnsafeBytes { buffer.begin(.data, tag: $0) }
    buffer.word(literal: section)
    for word in words { buffer.word(word) }
    for (key, value) in keys { buffer.word(key: key, value) }
    if !about.isEmpty { buffer.note(about) }
    buffer.endLine()
    lines += 1
  }
}
