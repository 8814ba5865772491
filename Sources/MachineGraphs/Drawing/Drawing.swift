public import StateMachines

/// A picture of a machine or of a composition, before any format: states as nodes, arrows between them, and texts.
///
/// It is made in one place from a ``StateGraph``; a writer of a format only writes it. States within states and
/// orthogonal regions are a tree of nodes. A machine with regions has the arrows of each region, and not those of the
/// combinations of their states.
public struct Drawing: Sendable {
  /// The name and the kind: `key: shiftKey`.
  public let title: String
  public internal(set) var nodes: [Node] = []
  /// The nodes that stand in no other, and the one entered first.
  var top = Region(name: "")
  public private(set) var arrows: [Arrow] = []
  /// The arrows, but where a timer brings an event as a client would, one for both.
  private(set) var mergedArrows: [Arrow] = []
  /// The places in ``mergedArrows`` of what is handled, ignored or refused within a state, by its node.
  private var arrowsWithin: [Int: [Int]] = [:]
  /// What its arrows are caused by, in the kind's order: events, then timers.
  var triggers: [Trigger] = []
  /// The size of the rule, in words.
  var summary: [String] = []
  /// The sorts of events and timers that the kind's source tells apart, each with its sign; empty if it tells none
  /// apart.
  var legend: [(sign: String, name: String, inputs: [String])] = []
  /// Why the picture is partial; empty if it is whole.
  public internal(set) var whyPartial: [String] = []
  public let detail: Detail
  /// Whether it is the picture of a document, whose arrows stand where they are written.
  var isOfDocument = false
  /// Whether its outermost nodes are the members of a composition.
  var isComposition = false
  /// Where arrows lead in a picture; `nil` for what suits its size.
  public var direction: Direction?
  /// Asked for each part of a long drawing whether the work goes on. After it was false, the work ends soon, and its result
  /// means nothing.
  let goesOn: @Sendable () -> Bool

  public enum Direction: Sendable { case down, right }

  init(title: String, detail: Detail, while goesOn: @escaping @Sendable () -> Bool) {
    self.title = title
    self.detail = detail
    self.goesOn = goesOn
  }

  /// Gives the picture its arrows.
  mutating func connect(_ arrows: [Arrow]) {
    self.arrows = arrows
    mergedArrows = merged(arrows)
    arrowsWithin = Dictionary(
      grouping: mergedArrows.indices.filter { mergedArrows[$0].effect != .moved }, by: { mergedArrows[$0].from })
  }

  /// The drawing with bare labels, and a legend that lists its events: for a format that is read again.
  var withoutSigns: Drawing {
    guard !legend.isEmpty else { return self }
    var drawing = self
    drawing.legend = legend.map { ("", $0.name, $0.inputs) }
    drawing.connect(
      arrows.map { arrow in
        var arrow = arrow
        arrow.label.sign = ""
        return arrow
      })
    return drawing
  }

  /// How much a drawing shows.
  public enum Detail: Sendable {
    /// Moves with the names of their events and timers.
    case plain
    /// Also guards and outputs, and what is handled within a state.
    case usual
    /// Also what is ignored or refused.
    case all
  }

  public struct Node: Sendable {
    /// What requests and replies call the state, or the part of it that belongs to the node's region.
    public let name: String
    /// The last part of the name.
    public let title: String
    public var about = ""
    /// What the document says of it, a line for each text.
    public var texts: [String] = []
    /// The place of the node around it in ``Drawing/nodes``.
    public let parent: Int?
    /// The name of the region of `parent` that contains it; empty if it has none.
    public let region: String
    public var isInitial = false
    /// Whether a machine in it can do nothing more.
    public var isFinal = false
    /// Whether it is a choice, which has guards only.
    public var isChoice = false
    /// Whether nothing that was tried leads to it.
    public var isUnreachable = false
    /// Whether the marked machine is in it.
    public var isCurrent = false
    /// The regions of a composite node, each with its nodes; empty for a state.
    var regions: [Region] = []
    package var isComposite: Bool { !regions.isEmpty }
    /// Whether it is the leaf of a composite node that is a state itself.
    package internal(set) var isOwnLeaf = false
  }

  struct Region: Sendable {
    let name: String
    /// Places in ``Drawing/nodes``.
    var nodes: [Int] = []
    /// The node entered first.
    var initial: Int?
  }

  public struct Arrow: Hashable, Sendable {
    /// Places in ``Drawing/nodes``. Equal for what is handled within a state.
    public var from: Int
    public var to: Int
    public var label: Label
    public let effect: Verdict
    /// Whether the marked machine would take it now, with some sample of the event's data.
    public var isPossible = false
    /// Whether its trigger always leads from `from` to `to`, whatever the data and the conditions are.
    var isCertain = false
    /// Whether it is refused since it goes over a limit.
    var isOverLimit = false

    /// Whether it is a wire between machines.
    package var isWire: Bool { if case .wire = label.trigger { true } else { false } }
  }

  public struct Label: Hashable, Sendable {
    public internal(set) var trigger: Trigger
    /// The samples of the event's data, if other data lead elsewhere.
    public var samples = ""
    /// The condition, if there are others; empty if there are none.
    public var condition = ""
    /// The names of the outputs.
    public var outputs: [String] = []
    /// The sign of the trigger's sort in the legend; empty without a legend.
    var sign = ""

    /// `tap(2) [window open] / beep`, `waiting after 2s`.
    var text: String {
      // What is taken at once has no trigger.
      [
        sign, trigger.text + (samples.isEmpty ? "" : "(\(samples))"), condition.isEmpty ? "" : "[\(condition)]",
        outputs.isEmpty ? "" : "/ " + outputList,
      ].filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// The outputs with commas between them; one that comes several times in a row, with its number.
    var outputList: String {
      var counted: [(name: String, count: Int)] = []
      for output in outputs {
        if counted.last?.name == output {
          counted[counted.count - 1].count += 1
        } else {
          counted.append((output, 1))
        }
      }
      return counted.map { $0.count > 1 ? "\($0.name) ×\($0.count)" : $0.name }.joined(separator: ", ")
    }
  }

  public enum Trigger: Hashable, Sendable {
    case event(String)
    /// A timer; `after` is `nil` if it varies.
    case timer(String, after: Nanoseconds?)
    /// An event that a timer of the same name brings, too.
    case eventOrTimer(String, after: Nanoseconds?)
    /// What a wire carries: an output that arrives as an event.
    case wire(output: String, event: String)

    /// The name of the event or the timer; of a wire, the output's.
    var name: String {
      switch self {
      case .event(let name), .timer(let name, after: _), .eventOrTimer(let name, after: _): name
      case .wire(let output, event: _): output
      }
    }

    var text: String {
      switch self {
      case .event(let name): name
      case .timer(let name, let after): after.map { "\(name) after \($0.label)" } ?? "\(name) (timer)"
      case .eventOrTimer(let name, let after): after.map { "\(name), or after \($0.label)" } ?? "\(name), or timer"
      case .wire(let output, let event): output == event ? output : "\(output) → \(event)"
      }
    }
  }

  /// The nodes around a node, from the outermost one to itself.
  func path(to node: Int) -> [Int] {
    var path = [node]
    while let parent = nodes[path[0]].parent { path.insert(parent, at: 0) }
    return path
  }

  /// What is handled, ignored or refused within a state, by effect, each effect with its labels in order.
  func inner(_ node: Int) -> [(effect: Verdict, labels: [Label])] {
    let places = goesOn() ? arrowsWithin[node] ?? [] : []
    return ([.stayed, .ignored, .refused] as [Verdict]).compactMap { effect in
      let labels = places.filter { mergedArrows[$0].effect == effect }.map { mergedArrows[$0].label }
      return labels.isEmpty ? nil : (effect, labels)
    }
  }

  /// What stands below a state's title: its texts, a line for each thing handled within it, and one for each effect of
  /// others.
  func innerLines(_ node: Int) -> [String] {
    nodes[node].texts
      + inner(node).flatMap { effect, labels in
        switch effect {
        case .moved, .stayed: labels.map(\.text)
        case .ignored: ["ignores " + labels.map(\.text).joined(separator: ", ")]
        case .refused: ["refuses " + labels.map(\.text).joined(separator: ", ")]
        }
      }
  }

  /// The title of a node with states in it; in the picture of a document, what stands below a state's title follows.
  func heading(_ node: Int) -> [String] {
    [nodes[node].title] + (isOfDocument && detail != .plain ? TextLines.indented(innerLines(node)) : [])
  }

  /// The states, which contain no others.
  public var leaves: [Int] { nodes.indices.filter { !nodes[$0].isComposite } }

  /// Whether there is room for what is true in each state.
  var hasFewStates: Bool { nodes.lazy.filter { !$0.isComposite }.prefix(13).count < 13 }
}
