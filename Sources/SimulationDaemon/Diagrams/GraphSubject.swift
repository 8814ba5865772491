import MachineGraphs
import StateMachines

/// What a diagram shows: a kind or a composition, with the machines that it marks.
enum GraphSubject {
  case kind(GraphSource, GraphMark?)
  /// The members in the composition's order; `name` is that of the machines, if they are made.
  case composition(Composition, name: String?, [(source: GraphSource, mark: GraphMark?)])
  /// The tests of a kind; with the document that a script has to define first.
  case tests(GraphSource, KindDocument?)
  case testsOfComposition(Composition)
  case parts(PartsPicture)
  case members(MembersPicture)
  /// A text that a document gives without exploration, made when it is wanted.
  case text(() -> (text: String, omissions: [String]))

  enum Drawn {
    /// With the number of parts that it leaves out.
    case text(String, omissions: Int = 0)
    case script(any TestScript)
    /// It would be too much, with what to do instead.
    case exceeded(ExceededLimit, String)
  }

  /// Explores for about this many steps, and draws when everything is explored.
  ///
  /// - Parameter goesOn: Asked from time to time while it draws. After it was false, the diagram means nothing.
  /// - Returns: The diagram, if everything is explored; for `svg` the input of the drawing program.
  func advance(by steps: Int, _ form: GraphForm, while goesOn: @escaping @Sendable () -> Bool) -> Drawn? {
    switch self {
    case .kind(let source, let mark):
      guard let graph = source.advance(by: steps) else { return nil }
      var drawing = Drawing(
        graph, mark: mark, show: form.drawn, asWritten: form.format != .table, while: goesOn)
      drawing.direction = form.direction
      return .text(form.text(of: drawing, asPicture: drawing))
    case .text(let text):
      let (text, omissions) = text()
      return .text(text, omissions: omissions.count)
    case .parts(let picture): return .text(form.text(table: picture.table, json: picture.json, picture.drawing()))
    case .members(let picture): return .text(form.text(table: picture.table, json: picture.json, picture.drawing()))
    case .tests(let source, let document):
      return source.advance(by: steps).map { graph in
        GraphScript.isTooLong(graph, while: goesOn)
          ? .exceeded(
            ExceededLimit(name: "testLines", value: GraphScript.mostLines),
            "the script would have more lines; 'graph' without 'format=tests' shows what it would test")
          : .script(GraphScript(graph, document))
      }
    case .testsOfComposition(let composition):
      return .script(CompositionScript(composition))
    case .composition(let composition, let name, let members):
      var graphs: [(graph: StateGraph, mark: GraphMark?)] = []
      for member in members {
        guard let graph = member.source.advance(by: steps) else { return nil }
        graphs.append((graph, member.mark))
      }
      func drawing(isBrief: Bool) -> Drawing {
        var drawing = Drawing(
          composition, named: name, members: graphs, show: form.drawn, isBrief: isBrief, while: goesOn)
        drawing.direction = form.direction
        return drawing
      }
      let picture = drawing(isBrief: form.drawn == .usual)
      return .text(form.text(of: form.format == .json ? drawing(isBrief: false) : picture, asPicture: picture))
    }
  }
}

/// The format of a diagram, and how much it shows.
struct GraphForm {
  let format: GraphFormat
  var detail = Drawing.Detail.usual
  /// What it shows instead of states; `nil` if it shows those.
  var without: Stateless?
  /// Characters per line of a table.
  var width = GraphTable.widest
  /// Whether the present state of a machine is marked.
  var marksPresent = true
  /// Where arrows lead in a picture; `nil` for what suits its size.
  var direction: Drawing.Direction?
  /// Whether a picture of the same has the states that `json` has, so that `json` can name the ids in it.
  var hasPictureIDs = true

  /// How much the drawing has: a table also shows what is ignored or refused.
  var drawn: Drawing.Detail { format == .table ? .all : detail }

  /// What is drawn without states.
  enum Stateless: String {
    /// The parts of a feature.
    case parts
    /// The members of a composition.
    case members
  }

  /// The text of a picture without states.
  func text(
    table: (_ width: Int) -> String, json: @autoclosure () -> String, _ drawing: @autoclosure () -> Drawing
  ) -> String {
    switch format {
    case .table, .tests, .scxml: return table(width)
    case .json: return json()
    case .dot, .svg, .mermaid, .stateDiagram, .plantuml:
      var drawing = drawing()
      drawing.direction = direction
      return text(of: drawing, asPicture: drawing)
    }
  }

  /// - Parameter picture: What a picture of the drawing is made from.
  func text(of drawing: Drawing, asPicture picture: Drawing) -> String {
    switch format {
    case .table, .tests, .scxml: GraphTable(drawing, show: detail, width: width).text
    case .dot: drawing.dot
    case .svg: picture.dotWithIDs
    case .mermaid: drawing.mermaid
    case .stateDiagram: drawing.stateDiagram
    case .plantuml: drawing.plantuml
    case .json: drawing.json(picture: hasPictureIDs ? picture : nil)
    }
  }
}

/// The formats of a diagram.
enum GraphFormat: CaseIterable {
  case table, dot, mermaid, stateDiagram, plantuml, svg, json, tests
  /// The document of a kind that was defined.
  case scxml

  static let byName: KeyValuePairs<String, GraphFormat> = [
    "table": .table, "dot": .dot, "mermaid": .mermaid, "stateDiagram": .stateDiagram, "plantuml": .plantuml,
    "svg": .svg, "json": .json, "tests": .tests, "scxml": .scxml,
  ]

  /// The names of all other formats, separated by commas.
  static func names(without format: GraphFormat) -> String {
    byName.filter { $0.value != format }.map(\.key).joined(separator: ",")
  }
}

/// The values of `direction=`.
extension Drawing.Direction {
  static let byName: KeyValuePairs<String, Drawing.Direction?> = ["down": .down, "right": .right]
}

/// The values of `show=`.
extension Drawing.Detail {
  /// The value for `parts` and `members`, which show no states, is nil.
  static let byName: KeyValuePairs<String, Drawing.Detail?> = [
    "plain": .plain, "usual": .usual, "all": .all, "parts": nil, "members": nil,
  ]
}
