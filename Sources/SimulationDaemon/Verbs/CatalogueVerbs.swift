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
      for (usage, text) in verb.entry.lines { write(usage, text) }
      write("example", verb.entry.example)
    } else {
      for entry in VerbEntry.table { for (usage, text) in entry.lines { write(usage, text) } }
    }
    succeedWithLines()
  }

  /// A list with more kinds of the world is for workers.
  static let kindsOnEventLoop = 100

  /// Without words the lines have no `form=` and `group=`.
  func kinds() {
    guard let wanted = kindSearch() else { return }
    if ownKinds.count > RequestContext.kindsOnEventLoop, deferToWorker() { return }
    for entry in catalogue.entries {
      let kinds = entry.kinds
      let group = group(of: entry)
      guard wanted.admits(entry, in: group) else { continue }
      line { line in
        line.word(entry.name)
        line.key("states", UInt64(kinds.reduce(0) { $0 + $1.states.count }))
        line.key("events", UInt64(kinds.reduce(0) { $0 + $1.namedEvents }))
        line.key("timers", UInt64(kinds.reduce(0) { $0 + $1.timers.count }))
        if wanted.isSearch {
          if case .machine(let kind) = entry { line.key("form", kind.form.rawValue) }
          if let group { line.key("group", group) }
        }
        line.note(entry.about)
      }
    }
    succeedWithLines()
  }

  /// The group of kinds from documents, whatever they are about.
  private static let documents = "documents"

  private func group(of entry: CatalogueEntry) -> String? {
    if case .machine(let kind) = entry, case .machine(let own)? = environment.catalogue[entry.name], own !== kind {
      return RequestContext.documents
    }
    return environment.catalogue[entry.name] == nil
      ? RequestContext.documents : environment.catalogue.group(of: entry.name)
  }

  /// Which kinds a request asks for.
  private struct KindSearch {
    let word: String?
    let forms: [Form]?
    let group: String?

    var isSearch: Bool { word != nil || forms != nil || group != nil }

    func admits(_ entry: CatalogueEntry, in group: String?) -> Bool {
      if let wanted = self.group, wanted != group { return false }
      if let forms, !entry.kinds.contains(where: { forms.contains($0.form) }) { return false }
      guard let word, !word.isEmpty else { return true }
      return [entry.name, entry.about, entry.origin].contains { $0.lowercased().includes(word) }
    }
  }

  /// Reads the words of `kinds`. Writes a failure if no form or group has that name.
  private func kindSearch() -> KindSearch? {
    var forms: [Form]?
    if let text = words["form"] {
      let found = Form.allCases.filter { $0.rawValue.lowercased().includes(text.lowercased()) }
      guard !text.isEmpty, !found.isEmpty else {
        let allowed = Form.allCases.map(\.rawValue)
        failArgument("form", text, among: allowed, "no machine is written in the form '\(text)'")
        return nil
      }
      forms = found
    }
    if let group = words["group"] {
      let groups = environment.catalogue.groupNames + [RequestContext.documents]
      guard groups.contains(group) else {
        failArgument("group", group, among: groups, "there is no group '\(group)'")
        return nil
      }
    }
    return KindSearch(word: words[0]?.lowercased(), forms: forms, group: words["group"])
  }

  /// A page of the manual. It plays the kind's example and explores its graph, as far as that takes little, on a worker.
  ///
  /// A name that is no kind's may be that of a machine, whose parameters the page then has.
  func describe() {
    let name = words.plain[0]
    guard let width = tableWidth() else { return }
    if entry(named: name) == nil, live.outage == nil, let machine = machineIfAny(name) {
      if deferToWorker() { return }
      let kind = live.world.kind(of: machine)
      return answer {
        describe(kind, MadeMachine(name, live.world.parameterValues(of: machine)), width: width, &$0)
      }
    }
    let composed = entry(named: name) == nil && live.outage == nil ? live.world.composition(of: name) : nil
    guard let found = composed.map({ CatalogueEntry.composition($0) }) ?? entry(named: name) else {
      return failNeitherKindNorMachine(name)
    }
    if deferToWorker() { return }
    switch found {
    case .machine(let kind): answer { describe(kind, nil, width: width, &$0) }
    case .composition(let composition): answer { describe(composition, &$0) }
    }
  }

  private func answer(_ describe: (inout Page) -> Void) {
    var page = Page(tag: Array(tag))
    describe(&page)
    if let interruption = live.slice.wait() { return fail(interruption.code, [], interruption.text) }
    session.outbox.buffer.append(page.buffer.bytes)
    succeed { $0.word(UInt64(page.lines)) }
  }

  /// The machine that `describe NAME` is about.
  private struct MadeMachine {
    let name: String
    /// Its parameters, in the order of the kind's list.
    let parameters: [Value]

    init(_ name: String, _ parameters: [Value]) {
      self.name = name
      self.parameters = parameters
    }
  }

  private func describe(_ kind: Kind, _ machine: MadeMachine?, width: Int, _ page: inout Page) {
    let parameters = machine?.parameters ?? kind.parameters.map(\.example)
    let (initial, beginsSoon) = start(
      of: kind,
      machine.map { Array($0.parameters.enumerated()).map { ($0.offset, $0.element) } } ?? kind.requiredExamples)
    page.line(
      "kind", [kind.name],
      [("version", "\(kind.version)"), ("form", kind.form.rawValue)] + (machine.map { [("machine", $0.name)] } ?? []),
      kind.about)
    describe(origin: kind.origin, source: kind.source, &page)
    if !kind.reason.isEmpty { page.line("reason", [], [], kind.reason) }
    for sort in kind.legend { page.line("legend", [sort.name] + sort.inputs, [], "") }
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
      let standard = kind.parameters.firstIndex { $0.name == timer.parameter }.map { parameters[$0] }
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
    describe(kind.parameters, made: machine?.parameters, &page)
    // For a state of several regions, the word that `initial=` takes.
    let standard = kind.initialStates.first { word in
      kind.states.firstIndex { $0.word == initial }.map { StateQuery(word, of: kind)?.matches($0, data: nil) ?? false }
        ?? false
    }
    // A machine of a document begins as the document says.
    if !kind.initialStates.isEmpty {
      page.line(
        "parameter", ["initial"],
        [("type", "state")] + (standard.map { [("default", $0)] } ?? [])
          + [("allowed", kind.initialStates.joined(separator: ","))],
        "the state to start in, as if it had just been entered")
    }
    for line in tableLines(of: kind, parameters, width: width, triesAll: beginsSoon) {
      page.line("table", [], [], String(line))
    }
    if beginsSoon { describeExample(kind.example, &page) }
  }

  /// The table of outcomes by state and input, found by running the rule; where it points if that takes long.
  private func tableLines(of kind: Kind, _ parameters: [Value], width: Int, triesAll: Bool) -> [Substring] {
    let (states, inputs) = (kind.states.count, kind.events.count + kind.timers.count)
    let sizes = kind.regionSizes.map { " of \($0)," } ?? ""
    let pointer = "\(states) states\(sizes) and \(inputs) inputs: 'graph \(kind.name)' shows what comes of each"
    // A large graph is not explored: that would take too long for a page.
    if !triesAll || states > RequestContext.mostExploredStates || kind.hasStatesNamedByData { return [pointer[...]] }
    guard let source = try? environment.graphs.source(of: kind, parameters) else { return [] }
    // The program's own kinds are known to be small enough.
    let most = kind.isOfDocument ? RequestContext.mostExploredSteps : .max
    var found: StateGraph?
    repeat {
      found = source.advance(by: GraphReply.stepsInASlice)
    } while found == nil && source.steps < most && live.slice.wait() == nil
    // Whether somebody has asked for the whole graph makes no difference.
    guard let graph = found, source.steps < most else { return [pointer[...]] }
    let drawing = Drawing(graph, show: .all) { [slice = live.slice] in slice.wait() == nil }
    let lines = GraphTable(drawing, width: width).text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.count <= RequestContext.mostTableLines ? lines : [pointer[...]]
  }

  /// The most lines of a table within a page.
  private static let mostTableLines = 120
  /// The most states of a kind whose table is worked out for a page.
  private static let mostExploredStates = 40
  /// The most steps of an exploration for a page about a document's kind; see ``Exploration/stepsTaken``.
  private static let mostExploredSteps = 4_000

  private func describe(_ composition: Composition, _ page: inout Page) {
    let options = composition.options.map(\.name).joined(separator: ",")
    page.line(
      "kind", [composition.name],
      [("members", "\(composition.members.count)")] + (options.isEmpty ? [] : [("options", options)]),
      composition.about)
    describe(origin: composition.origin, source: composition.source, &page)
    for member in composition.members {
      page.line("member", [member.name], [("kind", member.kind.name)], member.kind.about)
    }
    for wire in composition.wires {
      let (from, to) = (composition.members[wire.from], composition.members[wire.to])
      page.line(
        "wire", [from.name, from.kind.outputs[wire.output].name, to.name, to.kind.events[wire.event].name], [],
        from.kind.outputs[wire.output].about)
    }
    describe(composition.options, &page)
    // A parameter that several members have is given to all of them or, with a member's name, to one.
    let all = composition.members.flatMap { $0.settable.map(\.entry.name) }
    for member in composition.members {
      describe(member.settable.map(\.entry), &page) { name in
        all.count { $0 == name } > 1 ? "\(member.name).\(name)" : name
      }
    }
    describeExample(composition.example, &page)
  }

  /// - Parameter source: The section of Docs/Sources.md; empty for none.
  private func describe(origin: String, source: String, _ page: inout Page) {
    if !origin.isEmpty { page.line("origin", [], source.isEmpty ? [] : [("source", source)], origin) }
  }

  /// - Parameter made: The values that a machine has.
  private func describe(
    _ parameters: [ParameterEntry], made: [Value]? = nil, _ page: inout Page, called: (String) -> String = { $0 }
  ) {
    for (place, parameter) in parameters.enumerated() {
      page.line(
        "parameter", [called(parameter.name)],
        [
          ("type", ArgumentText.name(of: parameter.type)),
          parameter.standard.map { ("default", ArgumentText.written($0)) }
            ?? ("required", ArgumentText.written(parameter.example)),
          ("allowed", ArgumentText.allowed(parameter.type)),
        ] + (made.map { [("made", ArgumentText.written($0[place]))] } ?? []),
        parameter.about)
    }
  }

  /// Requests are marked with `> `; their replies follow unchanged.
  private func describeExample(_ requests: [String], _ page: inout Page) {
    let lines = ExampleSession.play(requests, catalogue: catalogue) { [slice = live.slice] in slice.wait() == nil }
    for line in lines { page.line("example", [], [], line) }
  }

  /// The initial state of a machine with these parameters, found by creating one, and whether that takes little: then it
  /// can be done some times more.
  private func start(of kind: Kind, _ parameters: [(parameter: Int, value: Value)]) -> (state: String?, isShort: Bool) {
    var world = WorldCore()
    let made = Array("m".utf8).withUnsafeBytes { name in
      Result { () throws(WorldCore.CreationFailure) in
        try world.create(kind, named: name, parameters: parameters)
      }
    }
    let isShort = world.chartSteps < ExampleSession.mostChartSteps
    guard case .success(let machine) = made else { return (nil, isShort) }
    return (kind.states[world.stateIndex(of: machine)].word, isShort)
  }
}

extension CatalogueEntry {
  /// Its kind, or those of its members.
  var kinds: [Kind] {
    switch self {
    case .machine(let kind): [kind]
    case .composition(let composition): composition.members.map(\.kind)
    }
  }

  fileprivate var origin: String {
    switch self {
    case .machine(let kind): kind.origin
    case .composition(let composition): composition.origin
    }
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
