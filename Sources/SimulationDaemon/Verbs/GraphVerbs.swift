import MachineGraphs
import LineProtocol
import Simulator
import StateMachines
import Statecharts
import Surveys

/// Diagrams, and paths to states in which an event is possible.
extension RequestContext {
  /// `graph KIND|NAME [format=…] [show=…] [width=N] [direction=…] [present=…]`. A machine hides a kind of the same name.
  func graph() {
    let name = words.plain[0]
    let machine = machineIfAny(name)
    if let text = words["show"], !Drawing.Detail.byName.contains(where: { $0.key == text }) {
      guard let entry = shown(name, machine) else { return failNeitherMachineNorKind(name) }
      return failToShow(entry)
    }
    guard var form = graphForm() else { return }
    switch form.without {
    case .parts: return graphParts(of: name, machine, form)
    case .members: return graphMembers(of: name, machine, form)
    case nil: break
    }
    let isPlantUML = form.format == .plantuml && words["show"] == nil
    if form.format == .scxml || form.format == .stateDiagram || isPlantUML,
      case .machine(let kind)? = machine.map({ .machine(live.world.kind(of: $0)) }) ?? entry(named: name),
      let document = document(of: kind)
    {
      return begin(document, of: kind, named: name, form, marking: form.marksPresent ? machine : nil)
    }
    if form.format == .scxml {
      guard shown(name, machine) != nil else { return failNeitherMachineNorKind(name) }
      return failToPrint("only a kind from a document has one")
    }
    if let machine {
      let living = live.world.living(machine)
      var place = living.place(of: live.world.kind(of: machine))
      form.hasPictureIDs = place == nil
      // Programs and tests get the states that replies have.
      if form.format == .json || form.format == .tests { place = nil }
      let kind = live.world.kind(of: machine)
      // What a machine has left of its timers would be drawn, too. Only states that are named by data are its own.
      let isItsOwn = form.marksPresent || kind.hasStatesNamedByData
      begin(
        kind, live.world.parameterValues(of: machine),
        form.marksPresent ? mark(of: machine, name, place: place) : nil, form, from: isItsOwn ? living : nil,
        isByPlace: place != nil)
      return
    }
    if let composition = live.world.composition(of: name) {
      begin(composition, named: name, form)
      return
    }
    switch entry(named: name) {
    case .machine(let kind): begin(kind, kind.parameters.map(\.example), nil, form)
    case .composition(let composition): begin(composition, named: nil, form)
    case nil: failNeitherMachineNorKind(name)
    }
  }

  /// `graph KIND|NAME show=parts`: of a machine, the parts of its kind.
  private func graphParts(of name: String, _ machine: MachineID?, _ form: GraphForm) {
    guard let entry = shown(name, machine) else { return failNeitherMachineNorKind(name) }
    guard mayBegin(stateless: form, "the parts of a feature") else { return }
    guard case .machine(let kind) = entry, let picture = PartsPicture(of: kind) else {
      let features = catalogue.entries.compactMap { entry -> String? in
        if case .machine(let kind) = entry, kind.parts != nil { kind.name } else { nil }
      }
      return failToShow(
        entry,
        "\(withArticle(entry.name)) is no MVI feature, so it has no parts"
          + (features.isEmpty ? "" : "; these kinds have: \(features.joined(separator: ", "))"))
    }
    begin(GraphReply(.parts(picture), form, environment.graphs, session.terms))
  }

  /// `graph KIND|NAME show=members`: of machines that were made together, those that are left, and their wires.
  private func graphMembers(of name: String, _ machine: MachineID?, _ form: GraphForm) {
    guard let known = shown(name, machine) else { return failNeitherMachineNorKind(name) }
    guard mayBegin(stateless: form, "the members of a composition") else { return }
    guard case .composition(let composition) = known else {
      let compositions = catalogue.entries.compactMap { entry -> String? in
        if case .composition(let composition) = entry { composition.name } else { nil }
      }
      return failToShow(
        known,
        "\(withArticle(known.name)) is not composed, so it has no members"
          + (compositions.isEmpty ? "" : "; these kinds are: \(compositions.joined(separator: ", "))"))
    }
    var picture = MembersPicture(of: composition)
    if machine == nil, live.world.composition(of: name) != nil {
      let machines = composition.members.map { member in
        machineIfAny("\(name).\(member.name)").flatMap { live.world.kind(of: $0) === member.kind ? $0 : nil }
      }
      picture = MembersPicture(
        of: composition, named: name,
        where: { member in composition.members.firstIndex { $0.name == member.name }.flatMap { machines[$0] } != nil },
        isWired: { wire in
          guard let from = machines[wire.from], let to = machines[wire.to] else { return false }
          return live.world.contains(Wire(from: from, output: wire.output, to: to, event: wire.event))
        })
    }
    begin(GraphReply(.members(picture), form, environment.graphs, session.terms))
  }

  /// What `graph` shows by a name.
  private func shown(_ name: String, _ machine: MachineID?) -> CatalogueEntry? {
    machine.map { .machine(live.world.kind(of: $0)) } ?? live.world.composition(of: name).map { .composition($0) }
      ?? entry(named: name)
  }

  /// - Parameter entry: What is shown; its parts or members are allowed if it has some.
  private func failToShow(_ entry: CatalogueEntry, _ why: String? = nil) {
    let other: GraphForm.Stateless? =
      switch entry {
      case .machine(let kind): kind.parts == nil ? nil : .parts
      case .composition: .members
      }
    let names = Drawing.Detail.byName.filter { $0.value != nil }.map(\.key) + (other.map { [$0.rawValue] } ?? [])
    let allowed = names.joined(separator: ",")
    failArgument("show", words["show"] ?? "", allowed: allowed, why ?? "show is one of \(allowed)")
  }

  /// Whether a diagram without states may start. Writes a failure if not.
  ///
  /// - Parameter what: What it shows.
  private func mayBegin(stateless form: GraphForm, _ what: String) -> Bool {
    guard form.format != .tests, form.format != .scxml else {
      failArgument(
        "format", words["format"] ?? "",
        allowed: GraphFormat.byName.map(\.key).filter { $0 != "tests" && $0 != "scxml" }.joined(separator: ","),
        "\(what) are drawn; they are no tests and no document")
      return false
    }
    return mayBegin(form.format)
  }

  /// The document that defines a kind; nil for a built-in kind.
  private func document(of kind: Kind) -> KindDocument? {
    live.world.document(of: kind) ?? environment.library[kind]?.document
  }

  func failNeitherMachineNorKind(_ name: String) {
    fail(
      .unknownMachine, [("machine", name)] + suggestion(name, among: kindsAndMachines),
      "there is neither a machine nor a kind '\(name)'; 'list' and 'kinds' show them")
  }

  func failNeitherKindNorMachine(_ name: String) {
    fail(
      .unknownKind, [("kind", name)] + suggestion(name, among: kindsAndMachines),
      "there is neither a kind nor a machine '\(name)'; 'kinds' and 'list' show them")
  }

  private var kindsAndMachines: [String] {
    catalogue.entries.map(\.name) + live.world.someNames(Nearest.candidates)
  }

  /// Answers with what the document of a kind says by itself.
  ///
  /// - Parameter machine: Its active states are marked in a diagram.
  private func begin(
    _ document: KindDocument, of kind: Kind, named name: String, _ form: GraphForm, marking machine: MachineID?
  ) {
    let text: () -> (text: String, omissions: [String])
    if form.format != .scxml {
      guard mayDraw(kind) else { return }
      let notation: DiagramNotation = form.format == .plantuml ? .plantuml : .mermaid
      let (definition, running) =
        machine.map { live.world.living($0).drawn } ?? (ChartMachine.definition(of: kind), nil)
      var head: [String] = []
      if notation == .plantuml {
        head = ["title \(name == kind.name ? name : "\(name): \(kind.name)")", "hide empty description"]
        if form.direction == .right { head.append("left to right direction") }
      }
      text = { definition.stateDiagram(notation, marking: running, head: head) }
    } else if let notation = DiagramNotation(rawValue: document.notation) {
      text = {
        (
          Definition.scxml(diagram: document.bytes, notation, reading: document.isReadFreely ? .free : .strict) ?? "",
          []
        )
      }
    } else {
      guard let written = String(validating: document.bytes, as: UTF8.self) else {
        return failToPrint("the document is not in UTF-8, as lines are; a copy in UTF-8 can be printed")
      }
      text = { (written, []) }
    }
    begin(GraphReply(.text(text), form, environment.graphs, session.terms))
  }

  private func failToPrint(_ why: String) {
    failArgument("format", "scxml", allowed: GraphFormat.names(without: .scxml), why)
  }

  private func mayDraw(_ kind: Kind) -> Bool {
    guard kind.states.count > RequestContext.mostDrawn else { return true }
    failLimit(
      "diagramStates", RequestContext.mostDrawn,
      "\(withArticle(kind.name)) has \(kind.states.count) states, which no diagram can show")
    return false
  }

  private func mayExplore(_ kind: Kind) -> Bool {
    guard mayDraw(kind) else { return false }
    if RequestContext.mayExplore(states: kind.states.count, events: kind.events.count) { return true }
    failLimit(
      "diagramPairs", RequestContext.mostPairs,
      "\(withArticle(kind.name)) has \(kind.states.count) states and \(kind.events.count) events, whose pairs are too many "
        + "to try; a kind from a document can be drawn with format=stateDiagram")
    return false
  }

  /// Whether all pairs of a state and an event of a kind are tried for a diagram or a coverage.
  static func mayExplore(states: Int, events: Int) -> Bool { states <= mostDrawn && states * events <= mostPairs }

  private func graphForm() -> GraphForm? {
    guard let format = choice(words["format"], "format", GraphFormat.byName, otherwise: .table),
      let detail = choice(words["show"], "show", Drawing.Detail.byName, otherwise: .usual),
      let marksPresent = choice(words["present"], "present", ["yes": true, "no": false], otherwise: true),
      let direction = choice(words["direction"], "direction", Drawing.Direction.byName, otherwise: nil)
    else { return nil }
    var form = GraphForm(format: format, detail: detail ?? .usual)
    form.without = detail == nil ? words["show"].flatMap(GraphForm.Stateless.init) : nil
    form.marksPresent = marksPresent
    form.direction = direction
    guard let width = tableWidth() else { return nil }
    form.width = width
    return form
  }

  /// How wide a table may be, in columns. Writes a failure if the request names another width.
  func tableWidth() -> Int? {
    number(words["width"], "width", in: RequestContext.widths, otherwise: UInt64(GraphTable.widest)).map(Int.init)
  }

  /// The states of a kind that is drawn. Nobody can read a picture of more.
  static let mostDrawn = 2_000
  /// The pairs of a state and an event that are tried. As many take a second.
  static let mostPairs = 1_000_000

  /// The widths of a table, in characters.
  private static let widths: ClosedRange<UInt64> = 40...1_000

  private func mark(of machine: MachineID, _ name: String, place: String? = nil) -> GraphMark {
    GraphMark(
      name, state: live.world.stateIndex(of: machine), data: place ?? live.world.stateData(of: machine),
      present: live.world.presentOutcomes(of: machine, isByPlace: place != nil))
  }

  private func begin(
    _ kind: Kind, _ parameters: [Value], _ mark: GraphMark?, _ form: GraphForm, from machine: LivingMachine? = nil,
    isByPlace: Bool = false
  ) {
    guard mayBegin(form.format), mayExplore(kind) else { return }
    do throws(ParameterConflict) {
      let source = try environment.graphs.source(
        of: kind, parameters, seen: live.world.argumentsSeen(of: kind), from: machine, isByPlace: isByPlace)
      let subject: GraphSubject = form.format == .tests ? .tests(source, document(of: kind)) : .kind(source, mark)
      begin(GraphReply(subject, form, environment.graphs, session.terms))
    } catch {
      failToExplore(kind, error)
    }
  }

  /// Only a kind whose own examples conflict has no graph.
  private func failToExplore(_ kind: Kind, _ error: ParameterConflict) {
    failArgument(
      error.parameter, "default", allowed: error.allowed,
      "\(withArticle(kind.name)) needs \(error.parameter) to be \(error.allowed)")
  }

  private func begin(_ composition: Composition, named name: String?, _ form: GraphForm) {
    guard mayBegin(form.format) else { return }
    if form.format == .tests {
      begin(GraphReply(.testsOfComposition(composition), form, environment.graphs, session.terms))
      return
    }
    var members: [(source: GraphSource, mark: GraphMark?)] = []
    for member in composition.members {
      var parameters = member.kind.parameters.map(\.example)
      for (place, value) in member.presets { parameters[place] = value }
      var marked: GraphMark?
      var living: LivingMachine?
      if let name {
        let made = "\(name).\(member.name)"
        // A member may have been dropped, and its name given to a machine of another kind.
        if let machine = machineIfAny(made), live.world.kind(of: machine) === member.kind {
          parameters = live.world.parameterValues(of: machine)
          marked = form.marksPresent ? mark(of: machine, made) : nil
          living = form.marksPresent ? live.world.living(machine) : nil
        }
      }
      do throws(ParameterConflict) {
        let seen = live.world.argumentsSeen(of: member.kind)
        members.append(
          (try environment.graphs.source(of: member.kind, parameters, seen: seen, from: living), marked))
      } catch {
        failToExplore(member.kind, error)
        return
      }
    }
    let shown = form.marksPresent ? name : nil
    begin(
      GraphReply(.composition(composition, name: shown, members), form, environment.graphs, session.terms))
  }

  /// Whether a diagram may start: within a batch, drawing by another program would delay other clients.
  private func mayBegin(_ format: GraphFormat) -> Bool {
    guard format == .svg, session.isRunningBatch else { return true }
    fail(.usage, "'graph … format=svg' cannot stand between 'begin' and 'end'")
    return false
  }

  /// `- BAD-ARGUMENT argument=format …` with the formats that need no program; `- LIMIT` if too many drawings run.
  func failToDraw(_ failure: GraphvizJob.Failure) {
    let text: String
    switch failure {
    case .tooMany(let most):
      let already = most == 1 ? "a picture is being drawn for you" : "\(most) pictures are being drawn"
      return failLimit(
        "drawings", most, "\(already) already; ask again when \(most == 1 ? "it" : "one") is done, or take format=dot")
    case .noProgram(let why):
      text = "svg is drawn by the program 'dot' of Graphviz, which cannot be started (\(why)); install graphviz"
    case .tooLate: text = "'dot' takes longer than \(GraphvizJob.longest / 1_000_000_000) s for this"
    case .noPicture: text = "'dot' has drawn nothing that could be used"
    }
    failArgument("format", "svg", allowed: GraphFormat.names(without: .svg), text)
  }

  /// `coverage [PATTERN] [kind=KIND] [list=all]`. For a composed kind, all machines of its members' kinds count.
  ///
  /// The name of a kind stands for its machines if no machine has, or had, this name.
  func coverage() {
    var entry: CatalogueEntry?
    if let name = words["kind"] {
      guard let found = kind(name) else { return }
      entry = found
    }
    guard let pattern = pattern(words[0]) else { return }
    var alternative: CoverageSurvey?
    if entry == nil, let name = words[0], let named = self.entry(named: name) { alternative = survey(.all, named) }
    begin(
      CoverageReply(survey(pattern, entry), or: alternative, listsAll: words["list"] != nil, environment.graphs))
  }

  private func survey(_ pattern: NamePattern, _ entry: CatalogueEntry?) -> CoverageSurvey {
    let wanted: [String]? =
      switch entry {
      case .machine(let kind)?: [kind.name]
      case .composition(let composition)?: composition.members.map(\.kind.name)
      case nil: nil
      }
    return CoverageSurvey(of: live.world, pattern) { wanted?.contains($0.name) ?? true }
  }

  // MARK: Paths

  /// The state in which the event is possible, and the inputs that lead the machine there; nil if there is no path.
  func path(of machine: MachineID, to event: String) -> (from: String, way: String)? {
    let kind = live.world.kind(of: machine)
    guard let place = kind.events.firstIndex(where: { $0.name == event }) else { return nil }
    let path = live.world.way(of: machine, to: place, live.finder(of: kind))
    return path.map { (kind.stateWord($0.state, data: $0.data), $0.words(of: kind).joined(separator: ",")) }
  }

  /// The inputs that lead the machine to a state; nil if there is no path.
  func way(of machine: MachineID, to query: StateQuery) -> String? {
    let kind = live.world.kind(of: machine)
    return live.world.way(of: machine, to: query, live.finder(of: kind))?.words(of: kind).joined(separator: ",")
  }
}

extension LivingMachine {
  /// Draws a machine of a document as it is now.
  fileprivate var drawn: (definition: Definition, running: RunningChart?) { ChartMachine.drawn(value) }
}

extension ByteBuffer {
  /// ` from=STATE way=EVENT,…`, if there is a path.
  mutating func key(_ path: (from: String, way: String)?) {
    guard let path else { return }
    key("from", path.from)
    key("way", path.way)
  }
}
