import StateMachines

extension Drawing {
  /// The picture of a kind, or of a machine with its state marked.
  ///
  /// - Parameters:
  ///   - asWritten: Whether a kind from a document is drawn as its document is.
  ///   - goesOn: Asked from time to time. After it was false, the drawing means nothing, and writers of it end soon.
  /// - Complexity: O(*states* × *inputs*). A state with states inside adds O(*moves*²).
  public init(
    _ graph: StateGraph, mark: GraphMark? = nil, show detail: Detail = .usual, asWritten: Bool = false,
    while goesOn: @escaping @Sendable () -> Bool = { true }
  ) {
    if asWritten, let documentation = graph.kind.documentation {
      self.init(documentation.picture(), graph, mark: mark, show: detail, while: goesOn)
      return
    }
    self.init(
      title: mark.map { "\($0.name): \(graph.kind.name)" } ?? graph.kind.name, detail: detail, while: goesOn)
    let mark = mark.flatMap(graph.resolve)
    var outline = Outline(graph.states, of: graph.kind)
    for leaf in graph.initialState.map({ outline.leaves[$0] }) ?? [] { outline.setInitial(leaf) }
    outline.setEntry(of: graph)
    note(graph, mark, outline)
    legend = Self.legend(of: graph.kind, detail)
    let builder = ArrowBuilder(graph: graph, outline: outline, mark: mark, detail: detail, while: goesOn)
    connect(builder.arrows)
    triggers =
      graph.kind.events.map { .event($0.name) }
      + graph.kind.timers.indices.map { .timer(graph.kind.timers[$0].name, after: graph.timers[$0].duration) }
    summary = graph.summary
    whyPartial = graph.whyPartial
  }

  /// A plain picture has no legend.
  static func legend(of kind: Kind, _ detail: Detail) -> [(sign: String, name: String, inputs: [String])] {
    detail == .plain ? [] : zip(["◆", "◇", "▪", "▫"], kind.legend).map { ($0, $1.name, $1.inputs) }
  }

  private mutating func note(_ graph: StateGraph, _ mark: GraphMark?, _ outline: Outline) {
    var (isReached, isFinal) = (Set<Int>(), Set(outline.nodes.indices))
    for state in graph.states.indices where graph.reach(of: state) != .unreached {
      isReached.formUnion(outline.leaves[state])
      if !graph.isFinal(state) { isFinal.subtract(outline.leaves[state]) }
    }
    let current = mark.map { outline.leaves[$0.state] } ?? []
    nodes = outline.nodes
    for node in nodes.indices where !nodes[node].isComposite {
      nodes[node].isUnreachable = !isReached.contains(node)
      nodes[node].isFinal = isReached.contains(node) && isFinal.contains(node)
      nodes[node].isCurrent = current.contains(node)
    }
    top = outline.top
    for region in [top] + nodes.flatMap(\.regions) {
      if let initial = region.initial { nodes[initial].isInitial = true }
    }
  }
}

extension Outline {
  /// The states in which the regions are entered first, if a new machine is not in them.
  mutating func setEntry(of graph: StateGraph) {
    guard composite != nil, let initial = graph.initialState, leaves[initial].count == 1 else { return }
    for state in graph.states.indices where leaves[state].count == 1 {
      for input in graph.inputs.indices {
        for outcome in graph.outcomes(in: state, of: input) where leaves[outcome.to].count > 1 {
          for leaf in leaves[outcome.to] { setInitial(leaf) }
          return
        }
      }
    }
  }
}

/// Makes the arrows of a drawing.
private struct ArrowBuilder {
  let graph: StateGraph
  let outline: Outline
  let mark: GraphMark?
  let detail: Drawing.Detail
  let goesOn: @Sendable () -> Bool
  /// What the marked machine would do now, by input.
  private let present: [GraphInput: [PresentOutcome]]
  private let legend: [(sign: String, name: String, inputs: [String])]
  /// The states that each leaf is part of.
  private let states: [Int: [Int]]

  init(
    graph: StateGraph, outline: Outline, mark: GraphMark?, detail: Drawing.Detail,
    while goesOn: @escaping @Sendable () -> Bool
  ) {
    (self.graph, self.outline, self.mark, self.detail, self.goesOn) = (graph, outline, mark, detail, goesOn)
    legend = Drawing.legend(of: graph.kind, detail)
    present = Dictionary(grouping: mark?.present ?? [], by: \.input)
    var states: [Int: [Int]] = [:]
    for state in outline.leaves.indices {
      for leaf in outline.leaves[state] { states[leaf, default: []].append(state) }
    }
    self.states = states
  }

  /// By node, then by event, then by timer.
  var arrows: [Drawing.Arrow] {
    var arrows: [Drawing.Arrow] = []
    for event in graph.kind.events.indices where goesOn() {
      arrows += self.arrows(of: graph.inputs(ofEvent: event), .event(graph.kind.events[event].name))
    }
    for timer in graph.kind.timers.indices where goesOn() {
      let input = graph.input(ofTimer: timer)
      arrows += self.arrows(
        of: input..<input + 1, .timer(graph.kind.timers[timer].name, after: graph.timers[timer].duration))
    }
    return arrows.enumerated().sorted { ($0.element.from, $0.offset) < ($1.element.from, $1.offset) }.map(\.element)
  }

  private func arrows(of inputs: Range<Int>, _ trigger: Drawing.Trigger) -> [Drawing.Arrow] {
    let now = inputs.flatMap { input in (present[graph.inputs[input]] ?? []).map { (input: input, outcome: $0) } }
    let known = now.compactMap { input, outcome in
      graph.numbers.known(outcome.state, data: outcome.data).map { state in
        (input: input, effect: RegionShares.Effect(verdict: outcome.verdict, to: state, outputs: outcome.outputs))
      }
    }
    // Another draw may lead elsewhere.
    let chances = Set(now.filter(\.outcome.isByChance).map(\.input))
    let shares = RegionShares(graph: graph, outline: outline, isPlain: detail == .plain, goesOn: goesOn)
      .rows(of: inputs, in: mark?.state, present: known)
    var arrows: [Drawing.Arrow] = []
    for share in shares where goesOn() {
      let leaf = share.leaf
      let first = arrows.count
      let rows = detail == .plain ? share.rows.map(plain) : share.rows
      let present = detail == .plain ? share.present.map(plain) : share.present
      func isPossible(_ conditional: ArrowConditions.ConditionalReaction) -> Bool {
        guard conditional.reaction.effect == .moved || conditional.reaction.effect == .stayed else { return false }
        return present.contains { row in
          (conditional.inputs?.contains(row.input) ?? true)
            && (row.reaction == conditional.reaction || chances.contains(row.input))
        }
      }
      let reactions = Set(rows.map(\.reaction))
      let isCertain = Set(reactions.map { $0.map { [$0.to, Int($0.effect.rawValue)] } }).count == 1
      let all = ArrowConditions(graph: graph, outline: outline, leaf: leaf, goesOn: goesOn).conditional(
        rows, isPlain: detail == .plain)
      let hasReactions = all.contains { $0.reaction.effect == .moved || $0.reaction.effect == .stayed }
      for conditional in all where isShown(conditional.reaction, trigger, besidesOthers: hasReactions) {
        let samples = conditional.inputs.map { inputs in
          graph.samples(of: inputs)
        }
        let label = Drawing.Label(
          trigger: self.trigger(trigger, in: leaf, inputs), samples: samples ?? "", condition: conditional.condition,
          outputs: conditional.reaction.outputs.map { graph.kind.outputs[$0].name },
          sign: legend.first { $0.inputs.contains(trigger.name) }?.sign ?? "")
        let arrow = Drawing.Arrow(
          from: leaf, to: conditional.reaction.to, label: label, effect: conditional.reaction.effect,
          isPossible: isPossible(conditional),
          isCertain: isCertain, isOverLimit: conditional.reaction.isOverLimit)
        if !arrows[first...].contains(arrow) { arrows.append(arrow) }
      }
    }
    return arrows
  }

  /// The trigger with the time for which a timer runs in this state, if it is always the same.
  private func trigger(_ trigger: Drawing.Trigger, in leaf: Int, _ inputs: Range<Int>) -> Drawing.Trigger {
    guard case .timer(let name, let after) = trigger, case .timer(let timer) = graph.inputs[inputs.lowerBound] else {
      return trigger
    }
    let running = (states[leaf] ?? []).flatMap { graph.timers(in: $0) }.filter { $0.timer == timer }
    let durations = Set(running.map(\.duration))
    return .timer(name, after: durations.count == 1 ? durations.first ?? after : after)
  }

  /// Without outputs, and with one reaction for all that is not a move.
  private func plain(_ row: DrawingRow) -> DrawingRow {
    DrawingRow(
      state: row.state, input: row.input, guards: [],
      reaction: row.reaction.flatMap { reaction in
        reaction.effect == .moved ? DrawingRow.Reaction(effect: .moved, to: reaction.to, outputs: []) : nil
      })
  }

  /// - Parameter besidesOthers: Whether the trigger does something in the same state under other conditions.
  private func isShown(_ reaction: DrawingRow.Reaction, _ trigger: Drawing.Trigger, besidesOthers: Bool) -> Bool {
    switch (reaction.effect, detail) {
    case (.moved, _), (.stayed, .usual), (.stayed, .all), (.ignored, .all), (.refused, .all): return true
    case (.stayed, .plain), (.ignored, .plain), (.refused, .plain): return false
    case (.ignored, .usual), (.refused, .usual):
      // A timer whose expiry is ignored runs, too.
      guard case .timer = trigger else { return false }
      return !besidesOthers
    }
  }
}
