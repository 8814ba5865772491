import MachineGraphs
import LineProtocol
import Simulator
import StateMachines

/// Diagrams, and the ways to where an event is possible.
extension Engine {
  /// `graph KIND|NAME [format=…]`. A machine goes before a kind of the same name.
  func graph(_ words: borrowing Words, _ session: inout Session, _ realm: inout Realm) {
    let format = choice(
      words["format"], "format", GraphFormat.byName, otherwise: .table, words, &session)
    guard let format else { return }
    let name = words.plain[0]
    var text = name
    if let machine = text.withUTF8({ realm.world.find(UnsafeRawBufferPointer($0)) }) {
      let kind = realm.world.kind(of: machine)
      let mark = GraphMark(
        state: realm.world.stateIndex(of: machine), events: realm.world.possibleEvents(of: machine),
        timers: realm.world.runningTimers(of: machine).map(\.timer))
      begin(kind, realm.world.parameterValues(of: machine), mark, format, words, &session)
      return
    }
    if let composition = realm.world.composition(of: name) {
      begin(composition, format, words, &session)
      return
    }
    switch catalogue[name] {
    case .machine(let kind): begin(kind, kind.parameters.map(\.example), nil, format, words, &session)
    case .composition(let composition): begin(composition, format, words, &session)
    case nil:
      session.effort += 8 * min(Nearest.candidates, realm.world.machineCount)
      session.fail(
        words.tag, .unknownMachine,
        [("machine", name)]
          + suggestion(name, among: catalogue.entries.map(\.name) + realm.world.someNames(Nearest.candidates)),
        "there is neither a machine nor a kind '\(name)'")
    }
  }

  private func begin(
    _ kind: Kind, _ parameters: [Value], _ mark: GraphMark?, _ format: GraphFormat, _ words: borrowing Words,
    _ session: inout Session
  ) {
    guard mayBegin(format, words, &session) else { return }
    do throws(ParameterConflict) {
      let source = try graphs.source(of: kind, parameters)
      session.activity = .reply(
        .graph(GraphReply(source, mark, format, graphs)), tag: words.tagBytes)
    } catch {
      // Only a kind whose own examples do not go together has no graph.
      session.fail(
        words.tag, .badArgument, [("argument", error.parameter), ("got", "default"), ("allowed", error.allowed)],
        "\(withArticle(kind.name)) needs \(error.parameter) to be \(error.allowed)")
    }
  }

  private func begin(
    _ composition: Composition, _ format: GraphFormat, _ words: borrowing Words, _ session: inout Session
  ) {
    guard mayBegin(format, words, &session) else { return }
    guard let text = format.text(of: composition) else {
      session.fail(
        words.tag, .badArgument,
        [("argument", "format"), ("got", "tests"), ("allowed", GraphFormat.names(without: .tests))],
        "\(composition.name) is composed and has no rule of its own; its members have: "
          + composition.members.map(\.kind.name).joined(separator: ", "))
      return
    }
    session.activity = .reply(.graph(GraphReply(text, format, graphs)), tag: words.tagBytes)
  }

  /// Others may not be kept waiting by a batch, and a drawing is another program's work.
  private func mayBegin(_ format: GraphFormat, _ words: borrowing Words, _ session: inout Session) -> Bool {
    guard format == .svg, session.isRunningBatch else { return true }
    session.fail(words.tag, .usage, "'graph … format=svg' cannot stand between 'begin' and 'end'")
    return false
  }

  /// `- BAD-ARGUMENT argument=format …`, and what works without the program; `- LIMIT` where too many are at work.
  func failToDraw(_ failure: GraphvizJob.Failure, _ tag: UnsafeRawBufferPointer, _ session: inout Session) {
    let text: String
    switch failure {
    case .tooMany:
      return session.fail(
        tag, .limit, [("name", "drawings"), ("value", "\(Graphs.mostGraphvizJobs)")],
        "\(Graphs.mostGraphvizJobs) pictures are being drawn already; ask again when one is done, or take format=dot")
    case .noProgram(let why):
      text = "svg is drawn by the program 'dot' of Graphviz, which cannot be started (\(why)); install graphviz"
    case .tooLate: text = "'dot' takes longer than \(GraphvizJob.longest / 1_000_000_000) s for this"
    case .noPicture: text = "'dot' has drawn nothing that could be used"
    }
    session.fail(
      tag, .badArgument,
      [("argument", "format"), ("got", "svg"), ("allowed", GraphFormat.names(without: .svg))], text)
  }

  // MARK: Ways

  /// What a step of a search costs, in the coin of a session's effort.
  private static let effortOfAStep = 8

  /// `from=STATE way=EVENT,…`, where there is a way for a machine to a state in which an event is possible.
  func tellWay(of machine: MachineID, to event: String, _ session: inout Session, _ realm: inout Realm) {
    let kind = realm.world.kind(of: machine)
    guard let place = kind.events.firstIndex(where: { $0.name == event }) else { return }
    let finder = realm.finder(of: kind)
    let way = realm.world.way(of: machine, to: place, finder)
    session.effort += Engine.effortOfAStep * finder.stepsTaken
    guard let way else { return }
    session.outbox.buffer.key("from", kind.states[way.state].word(data: way.data))
    session.outbox.buffer.key("way", way.words(of: kind).joined(separator: ","))
  }
}

/// The forms of a diagram.
enum GraphFormat: CaseIterable {
  case table, dot, mermaid, stateDiagram, plantuml, svg, tests

  static let byName: KeyValuePairs<String, GraphFormat> = [
    "table": .table, "dot": .dot, "mermaid": .mermaid, "stateDiagram": .stateDiagram, "plantuml": .plantuml,
    "svg": .svg, "tests": .tests,
  ]

  /// The names of all others, with commas between them.
  static func names(without format: GraphFormat) -> String {
    byName.filter { $0.value != format }.map(\.key).joined(separator: ",")
  }

  /// A graph in this form; for `svg` what it is drawn from. A script of tests is written piece by piece, and not here.
  func text(of graph: StateGraph, _ mark: GraphMark?) -> String {
    switch self {
    case .table, .tests: GraphTable(graph, mark: mark).text
    case .dot, .svg: graph.dot(mark)
    case .mermaid: graph.mermaid(mark)
    case .stateDiagram: graph.stateDiagram(mark)
    case .plantuml: graph.plantuml(mark)
    }
  }

  /// A composition in this form; nil if there is none.
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
