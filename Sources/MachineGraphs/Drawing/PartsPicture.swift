public import StateMachines

/// The parts of an MVI feature and what flows between them, in the order of one turn.
public struct PartsPicture: Sendable {
  /// The kind's name.
  public let name: String
  public let parts: [Part]
  public let flows: [Flow]

  public struct Part: Sendable {
    public let name: String
    /// What the part does.
    public let about: String
  }

  public struct Flow: Sendable {
    /// Places in ``PartsPicture/parts``.
    public let from: Int
    public let to: Int
    /// `wish`, `effect`, `news`.
    public let what: String
    /// The names of what flows; empty where it is a state.
    public let names: [String]

    var text: String { names.isEmpty ? what : "\(what): \(names.joined(separator: ", "))" }
  }

  /// - Returns: `nil` for a kind that is no feature.
  public init?(of kind: Kind) {
    guard let feature = kind.parts else { return nil }
    name = kind.name
    let isSubscribed = !feature.signals.isEmpty
    let all: [(name: String, about: String, isThere: Bool)] = [
      ("view", "draws the state, and sends wishes", true),
      (
        "bootstrapper",
        isSubscribed ? "subscribes to outside services, and makes actions of their signals" : "sends the first actions",
        !feature.bootstrapper.isEmpty
      ),
      ("actor", "looks at the state and decides what happens: none, one or several effects, at once or later", true),
      ("reducer", "makes the new state of the latest state and an effect", true),
      ("state", "is kept in the store, in one place", true),
      ("postProcessor", "may add an action after an effect", !feature.postProcessor.isEmpty),
      ("newsPublisher", "may tell something once after an effect", !feature.news.isEmpty),
      ("outside", "services, other features, the navigation", isSubscribed || !feature.news.isEmpty),
    ]
    let there = all.filter(\.isThere)
    parts = there.map { Part(name: $0.name, about: $0.about) }
    let wanted: [(from: String, to: String, what: String, names: [String])] = [
      ("view", "actor", "wish", feature.wishes),
      ("outside", "bootstrapper", "signal", feature.signals),
      ("bootstrapper", "actor", "action", feature.bootstrapper),
      ("actor", "reducer", "effect", feature.effects),
      ("reducer", "state", "new state", []),
      ("state", "view", "state", []),
      ("state", "postProcessor", "effect, new state", []),
      ("postProcessor", "actor", "action", feature.postProcessor),
      ("state", "newsPublisher", "effect, new state", []),
      ("newsPublisher", "outside", "news", feature.news),
    ]
    flows = wanted.compactMap { flow in
      guard let from = there.firstIndex(where: { $0.name == flow.from }),
        let to = there.firstIndex(where: { $0.name == flow.to }), flow.what != "signal" || isSubscribed
      else { return nil }
      return Flow(from: from, to: to, what: flow.what, names: flow.names)
    }
  }

  /// The picture for the formats of diagrams: the parts as states, the flows as arrows.
  public func drawing(show detail: Drawing.Detail = .usual) -> Drawing {
    var drawing = Drawing(title: "\(name): parts", detail: detail, while: { true })
    drawing.nodes = parts.map {
      Drawing.Node(name: $0.name, title: $0.name, about: $0.about, parent: nil, region: "")
    }
    drawing.top.nodes = Array(parts.indices)
    drawing.connect(
      flows.map {
        Drawing.Arrow(from: $0.from, to: $0.to, label: Drawing.Label(trigger: .event($0.text)), effect: .moved)
      })
    return drawing
  }

  /// The parts with what they do, then the flows, a line each; without a line feed at the end.
  ///
  /// - Parameter width: Columns per line. Names that do not fit go on in the next line.
  public func table(width: Int) -> String {
    var rows = TextRows(width: width, longest: parts.map(\.name.count).max() ?? 0)
    rows.add("\(name): the parts of the feature")
    for part in parts { rows.add(part.name, part.about) }
    rows.add("")
    rows.add("what flows, in the order of a turn")
    for flow in flows { rows.add(parts[flow.from].name, flow.text, to: parts[flow.to].name) }
    return rows.text
  }
}
