import MachineGraphs
import LineProtocol
import Simulator
import StateMachines

/// Diagrams, and paths to states in which an event is possible.
extension RequestContext {
  /// `graph KIND|NAME [format=…]`. A machine hides a kind of the same name.
  func graph() {
    let format = choice(words["format"], "format", GraphFormat.byName, otherwise: .table)
    guard let format else { return }
    let name = words.plain[0]
    var text = name
    if let machine = text.withUTF8({ live.world.find(UnsafeRawBufferPointer($0)) }) {
      let kind = live.world.kind(of: machine)
      let mark = GraphMark(
        state: live.world.stateIndex(of: machine), data: live.world.stateData(of: machine),
        events: live.world.possibleEvents(of: machine),
        timers: live.world.runningTimers(of: machine).map(\.timer))
      begin(kind, live.world.parameterValues(of: machine), mark, format)
      return
    }
    if let composition = live.world.composition(of: name) {
      begin(composition, format)
      return
    }
    switch catalogue[name] {
    case .machine(let kind): begin(kind, kind.parameters.map(\.example), nil, format)
    case .composition(let composition): begin(composition, format)
    case nil:
      session.effort += 8 * min(Nearest.candidates, live.world.machineCount)
      fail(
        .unknownMachine,
        [("machine", name)]
          + suggestion(name, among: catalogue.entries.map(\.name) + live.world.someNames(Nearest.candidates)),
        "there is neither a machine nor a kind '\(name)'")
    }
  }

  private func begin(_ kind: Kind, _ parameters: [Value], _ mark: GraphMark?, _ format: GraphFormat) {
    guard mayBegin(format) else { return }
    do throws(ParameterConflict) {
      let source = try environment.graphs.source(of: kind, parameters)
      begin(.graph(GraphReply(source, mark, format, environment.graphs)))
    } catch {
      // Only a kind whose own examples conflict has no graph.
      fail(
        .badArgument, [("argument", error.parameter), ("got", "default"), ("allowed", error.allowed)],
        "\(withArticle(kind.name)) needs \(error.parameter) to be \(error.allowed)")
    }
  }

  private func begin(_ composition: Composition, _ format: GraphFormat) {
    guard mayBegin(format) else { return }
    guard let text = format.text(of: composition) else {
      fail(
        .badArgument, [("argument", "format"), ("got", "tests"), ("allowed", GraphFormat.names(without: .tests))],
        "\(composition.name) is composed and has no rule of its own; its members have: "
          + composition.members.map(\.kind.name).joined(separator: ", "))
      return
    }
    begin(.graph(GraphReply(text, format, environment.graphs)))
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
    case .tooMany:
      return fail(
        .limit, [("name", "drawings"), ("value", "\(Graphs.mostGraphvizJobs)")],
        "\(Graphs.mostGraphvizJobs) pictures are being drawn already; ask again when one is done, or take format=dot")
    case .noProgram(let why):
      text = "svg is drawn by the program 'dot' of Graphviz, which cannot be started (\(why)); install graphviz"
    case .tooLate: text = "'dot' takes longer than \(GraphvizJob.longest / 1_000_000_000) s for this"
    case .noPicture: text = "'dot' has drawn nothing that could be used"
    }
    fail(.badArgument, [("argument", "format"), ("got", "svg"), ("allowed", GraphFormat.names(without: .svg))], text)
  }

  /// `coverage [PATTERN] [kind=KIND]`. For a composed kind, all machines of its members' kinds count.
  func coverage() {
    var wanted: [String]?
    if let name = words["kind"] {
      guard let entry = kind(name) else { return }
      wanted =
        switch entry {
        case .machine(let kind): [kind.name]
        case .composition(let composition): composition.members.map(\.kind.name)
        }
    }
    guard let pattern = pattern(words[0]) else { return }
    let survey = CoverageSurvey(of: live.world, pattern) { wanted?.contains($0.name) ?? true }
    begin(.coverage(CoverageReply(survey, environment.graphs)))
  }

  // MARK: Paths

  /// The effort of a search step.
  private static let effortOfAStep = 8

  /// The state in which the event is possible, and the inputs that lead the machine there; nil if there is no path.
  func path(of machine: MachineID, to event: String) -> (from: String, way: String)? {
    let kind = live.world.kind(of: machine)
    guard let place = kind.events.firstIndex(where: { $0.name == event }) else { return nil }
    let finder = live.finder(of: kind)
    let path = live.world.way(of: machine, to: place, finder)
    session.effort += RequestContext.effortOfAStep * finder.stepsTaken
    return path.map { (kind.stateWord($0.state, data: $0.data), $0.words(of: kind).joined(separator: ",")) }
  }
}

extension ByteBuffer {
  /// ` from=STATE way=EVENT,…`, if there is a path.
  mutating func key(_ path: (from: String, way: String)?) {
    guard let path else { return }
    key("from", path.from)
    key("way", path.way)
  }
}

/// The formats of a diagram.
enum GraphFormat: CaseIterable {
  case table, dot, mermaid, stateDiagram, plantuml, svg, tests

  static let byName: KeyValuePairs<String, GraphFormat> = [
    "table": .table, "dot": .dot, "mermaid": .mermaid, "stateDiagram": .stateDiagram, "plantuml": .plantuml,
    "svg": .svg, "tests": .tests,
  ]

  /// The names of all other formats, separated by commas.
  static func names(without format: GraphFormat) -> String {
    byName.filter { $0.value != format }.map(\.key).joined(separator: ",")
  }

  /// A graph in this format; for `svg` the input of the drawing program. A test script is written elsewhere, piece by
  /// piece.
  func text(of graph: StateGraph, _ mark: GraphMark?) -> String {
    switch self {
    case .table, .tests: GraphTable(graph, mark: mark).text
    case .dot, .svg: graph.dot(mark)
    case .mermaid: graph.mermaid(mark)
    case .stateDiagram: graph.stateDiagram(mark)
    case .plantuml: graph.plantuml(mark)
    }
  }

  /// A composition in this format; nil if there is none.
  func text(of composition: Composition) -> String? {
    switch self {
    case .table: composition.table
    case .dot, .svg: composition.dot
    case .mermaid: composition.mermaid
    case .stateDiagram: composition.stateDiagram
    case .plantuml: composition.plantuml
    case .tests: nil
    }
  }
}
