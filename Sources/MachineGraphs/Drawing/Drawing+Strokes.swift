import StateMachines

/// What a writer of pictures draws between two nodes: an arrow with the labels of all arrows between them.
struct Stroke {
  let from: Int
  let to: Int
  private(set) var labels: [Drawing.Label]
  private var known: Set<Drawing.Label>
  /// The labels of what the marked machine would do now.
  private(set) var possible: Set<Drawing.Label>
  /// Whether its labels are left away.
  var isBare = false

  init(_ arrow: Drawing.Arrow) {
    self.init(from: arrow.from, to: arrow.to, labels: [arrow.label], possible: arrow.isPossible ? [arrow.label] : [])
  }

  private init(from: Int, to: Int, labels: [Drawing.Label], possible: Set<Drawing.Label>) {
    (self.from, self.to, self.labels, self.possible) = (from, to, labels, possible)
    known = Set(labels)
  }

  fileprivate mutating func add(_ arrow: Drawing.Arrow) {
    if known.insert(arrow.label).inserted { labels.append(arrow.label) }
    if arrow.isPossible { possible.insert(arrow.label) }
  }

  /// Adds what is possible in another stroke with the same labels.
  mutating func join(_ other: Stroke) { possible.formUnion(other.possible) }

  /// Whether this is one of its labels.
  func has(_ label: Drawing.Label) -> Bool { known.contains(label) }

  var isPossible: Bool { !possible.isEmpty }

  /// Whether it carries outputs between machines.
  var isWire: Bool { if case .wire? = labels.first?.trigger { true } else { false } }

  /// Itself; or what is possible now and the rest, for formats that emphasise arrows.
  var parts: [Stroke] {
    guard isPossible, !isBare, possible.count < labels.count else { return [self] }
    return [labels.filter(possible.contains), labels.filter { !possible.contains($0) }].map {
      Stroke(from: from, to: to, labels: $0, possible: possible.intersection($0))
    }
  }

  /// The lines of the labels, none much longer than a line of text in a picture. Where a label takes several lines, a
  /// dot begins each label.
  ///
  /// - Parameters:
  ///   - mark: Stands before what is possible.
  ///   - width: Columns of a line.
  func lines(mark: String = "", to width: Int = TextLines.width) -> [String] {
    if isBare { return [] }
    let all = labels.map { label in
      TextLines.wrapped(label, to: width).enumerated().map { $0 == 0 && possible.contains(label) ? mark + $1 : $1 }
    }
    guard all.count > 1, all.contains(where: { $0.count > 1 }) else { return all.flatMap(\.self) }
    return all.flatMap { lines in lines.enumerated().map { $0 == 0 ? "• " + $1 : $1 } }
  }
}

extension Drawing {
  /// The moves as pictures show them. Equal arrows from all states within a node are one from the node.
  var strokes: [Stroke] { strokes(joinsOutputs: true) }

  /// - Parameters:
  ///   - joinsOutputs: Whether arrows from all states within a node are one, too, if they differ in outputs.
  ///   - fromNested: Whether arrows lead from nodes within others, too, rather than from each of their states.
  func strokes(joinsOutputs: Bool, fromNested: Bool = true) -> [Stroke] {
    guard goesOn() else { return [] }
    var strokes: [Stroke] = []
    var places: [[Int]: Int] = [:]
    for arrow in liftedArrows(joinsOutputs: joinsOutputs, fromNested: fromNested) {
      let ends = [arrow.from, arrow.to]
      if let place = places[ends] {
        strokes[place].add(arrow)
      } else {
        places[ends] = strokes.count
        strokes.append(Stroke(arrow))
      }
    }
    guard hasBareMoves else { return strokes }
    return strokes.filter { $0.isWire || $0.from != $0.to }.map { stroke in
      var stroke = stroke
      stroke.isBare = !stroke.isWire
      return stroke
    }
  }

  /// The moves one by one, with arrows from composite nodes where all states of one of their regions move alike.
  var liftedArrows: [Arrow] { liftedArrows(joinsOutputs: true, fromNested: true) }

  private func liftedArrows(joinsOutputs: Bool, fromNested: Bool) -> [Arrow] {
    var arrows = mergedArrows.filter { $0.effect == .moved && !$0.isWire }
    if isOfDocument { return arrows }
    let nesting = Nesting(nodes)
    for node in nodes.indices.reversed() where (fromNested || nodes[node].parent == nil) && goesOn() {
      for region in nodes[node].regions {
        lift(&arrows, to: node, from: region, joinsOutputs: joinsOutputs, nesting)
      }
    }
    return arrows + self.arrows.filter(\.isWire)
  }

  private func lift(
    _ arrows: inout [Arrow], to node: Int, from region: Region, joinsOutputs: Bool, _ nesting: Nesting
  ) {
    let isInside = nesting.isWithin(region.nodes)
    let inside = leaves.filter { isInside[$0] && !nodes[$0].isUnreachable }
    guard inside.count > 1 else { return }
    /// Arrows to one node that may become one.
    struct Likeness: Hashable {
      let to: Int
      /// The whole label, or the trigger alone of arrows that differ in outputs.
      var label: Label?
      var trigger: Trigger?
    }
    let places = arrows.indices.filter { isInside[arrows[$0].from] && !nesting.contains(node, arrows[$0].to) }
    var groups: [Likeness: [Int]] = [:]
    for place in places {
      let arrow = arrows[place]
      groups[Likeness(to: arrow.to, label: arrow.label), default: []].append(place)
      guard joinsOutputs, arrow.isCertain else { continue }
      groups[Likeness(to: arrow.to, trigger: arrow.label.trigger), default: []].append(place)
    }
    var isGone = Array(repeating: false, count: arrows.count)
    /// Moves the arrows of a group to the node, if all states inside have one of them. Each group is tried once.
    func lift(_ likeness: Likeness) -> Bool {
      let alike = (groups.removeValue(forKey: likeness) ?? []).filter { !isGone[$0] }
      var covered: Set<Int> = []
      for from in Set(alike.map { arrows[$0].from }) where goesOn() {
        if nodes[from].isComposite {
          covered.formUnion(inside.filter { nesting.contains(from, $0) })
        } else if !nodes[from].isUnreachable {
          covered.insert(from)
        }
      }
      guard covered.count == inside.count, let first = alike.first else { return false }
      let all = alike.map { arrows[$0] }
      arrows[first].from = node
      arrows[first].isPossible = all.contains(where: \.isPossible)
      arrows[first].isCertain = all.allSatisfy(\.isCertain)
      if Set(all.map(\.label)).count > 1 { arrows[first].label = Label(joining: all.map(\.label)) }
      for place in alike { isGone[place] = true }
      isGone[first] = false
      return true
    }
    for place in places where !isGone[place] && isInside[arrows[place].from] {
      let arrow = arrows[place]
      if lift(Likeness(to: arrow.to, label: arrow.label)) || !joinsOutputs { continue }
      _ = lift(Likeness(to: arrow.to, trigger: arrow.label.trigger))
    }
    arrows = arrows.indices.filter { !isGone[$0] }.map { arrows[$0] }
  }

  /// See ``mergedArrows``.
  func merged(_ arrows: [Arrow]) -> [Arrow] {
    var merged: [Arrow] = []
    // The first arrow from the present node: those from a node follow each other.
    var first = 0
    for arrow in arrows {
      if merged.last?.from != arrow.from { first = merged.count }
      guard case .timer(let name, let after) = arrow.label.trigger,
        let event = merged[first...].firstIndex(where: { $0.label.trigger == .event(name) && $0.isLike(arrow) })
      else {
        merged.append(arrow)
        continue
      }
      if detail != .plain { merged[event].label.trigger = .eventOrTimer(name, after: after) }
      if arrow.isPossible { merged[event].isPossible = true }
    }
    return detail == .plain ? merged : joined(merged)
  }

  /// Arrows that differ in their outputs alone are one, with a question mark at outputs that need not come; without the
  /// conditions of the outputs, if there are more than two.
  private func joined(_ arrows: [Arrow]) -> [Arrow] {
    var joined: [Arrow] = []
    let moves = Dictionary(grouping: Set(arrows.map(\.move)), by: \.cause)
    for group in Dictionary(grouping: arrows.indices, by: { arrows[$0].move }).values.sorted(by: { $0[0] < $1[0] }) {
      let first = arrows[group[0]]
      let isAlone = moves[first.move.cause]?.count == 1
      let parts =
        group.count > 2 && isAlone
        ? [group]
        : Dictionary(grouping: group) { [arrows[$0].label.samples, arrows[$0].label.condition] }.values
          .sorted { $0[0] < $1[0] }
      for part in parts {
        var arrow = arrows[part[0]]
        if part.count > 1 { arrow.label = Label(joining: part.map { arrows[$0].label }) }
        arrow.isPossible = part.contains { arrows[$0].isPossible }
        joined.append(arrow)
      }
    }
    return joined.enumerated().sorted { ($0.element.from, $0.offset) < ($1.element.from, $1.offset) }.map(\.element)
  }

  /// A state within a node, for formats whose arrows need one: the one entered first.
  func representative(of node: Int) -> Int {
    var inner = node
    while let region = nodes[inner].regions.first(where: { $0.initial != nil }) ?? nodes[inner].regions.first,
      let next = region.initial ?? region.nodes.first
    {
      inner = next
    }
    return inner
  }

  /// The states that machines and their regions begin in, each drawn with a start of its own.
  var initialLeaves: [Int] {
    func leaves(_ region: Region) -> [Int] {
      guard let initial = region.initial else { return region.nodes.filter { !nodes[$0].isInitial }.flatMap(inner) }
      return nodes[initial].isComposite ? nodes[initial].regions.flatMap(leaves) : [initial]
    }
    /// Of a composite that a machine does not begin in, regions still have a state entered first, and so has the block of a
    /// state of a document.
    func inner(_ node: Int) -> [Int] { nodes[node].regions.flatMap(leaves) }
    var all = leaves(top)
    var known = Set(all)
    for node in nodes.indices where nodes[node].regions.count > (isOfDocument ? 0 : 1) && top.initial != node {
      for leaf in inner(node) where known.insert(leaf).inserted { all.append(leaf) }
    }
    return all
  }

  /// Whether the picture reads from top to bottom. If nothing else is asked for, a small one reads from left to right.
  var isTopDown: Bool {
    guard let direction else { return leaves.count > 4 }
    return direction == .down
  }

  /// Whether a state has an arrow to itself, whose label needs room beside the state.
  var hasLoops: Bool { strokes.contains { $0.from == $0.to } }

  /// Whether it has more members than stand side by side.
  var isLargeComposition: Bool { isComposition && top.nodes.count > 4 }

  /// States above which a picture does not fit a screen with text that can be read from the last row.
  private static let mostReadable = 30

  /// Whether moves have no labels. A composition with many states shows its states and wires.
  var hasBareMoves: Bool { isComposition && detail != .all && leaves.count > Self.mostReadable }

  /// The remarks as comments of a format.
  var remarkLines: [String] { remarks.map { $0.prefix(1).lowercased() + $0.dropFirst() } }

  /// What a reader of the picture has to know beside its title.
  var remarks: [String] {
    let sorts = legend.map { sort in
      sort.sign.isEmpty ? "\(sort.name): \(sort.inputs.joined(separator: ", "))" : "\(sort.sign) \(sort.name)"
    }
    let signs = sorts.isEmpty ? [] : ["Events: \(sorts.joined(separator: legend[0].sign.isEmpty ? "; " : ", "))"]
    let why = whyPartial.map { "Partial: \($0)" } + signs
    guard leaves.count > Self.mostReadable, detail != .plain || hasBareMoves else { return why }
    return why + [
      hasBareMoves
        ? "\(leaves.count) states: moves have labels in the diagrams of the members"
        : "\(leaves.count) states: too many for text of 12 pixels on a screen of 1920 × 1080"
    ]
  }
}

/// Which nodes stand within which.
private struct Nesting {
  private let parents: [Int?]
  /// The nodes within a node have the numbers after its own, up to its end.
  private var numbers: [Int]
  private var ends: [Int]

  /// - Precondition: A node comes after the one around it.
  init(_ nodes: [Drawing.Node]) {
    parents = nodes.map(\.parent)
    var sizes = Array(repeating: 1, count: nodes.count)
    for node in nodes.indices.reversed() { if let parent = parents[node] { sizes[parent] += sizes[node] } }
    numbers = Array(repeating: 0, count: nodes.count)
    ends = numbers
    // The next number within each node, and outside all of them.
    var (next, outside) = (numbers, 0)
    for node in nodes.indices {
      if let parent = parents[node] {
        numbers[node] = next[parent]
        next[parent] += sizes[node]
      } else {
        numbers[node] = outside
        outside += sizes[node]
      }
      next[node] = numbers[node] + 1
      ends[node] = numbers[node] + sizes[node]
    }
  }

  /// Whether a node is another one or stands within it.
  func contains(_ node: Int, _ other: Int) -> Bool { (numbers[node]..<ends[node]).contains(numbers[other]) }

  /// For each node, whether it is one of some nodes or stands within one of them.
  func isWithin(_ nodes: [Int]) -> [Bool] {
    var isWithin = Array(repeating: false, count: parents.count)
    for node in nodes { isWithin[node] = true }
    for (node, parent) in parents.enumerated() { if let parent, isWithin[parent] { isWithin[node] = true } }
    return isWithin
  }
}

extension Drawing.Label {
  /// The label of several arrows with one trigger: without what they do not have in common, and with a question mark at
  /// outputs that need not come.
  fileprivate init(joining labels: [Drawing.Label]) {
    self = labels[0]
    if Set(labels.map(\.samples)).count > 1 { samples = "" }
    if Set(labels.map(\.condition)).count > 1 { condition = "" }
    var names: [String] = []
    for output in labels.flatMap(\.outputs).map(Self.bare) where !names.contains(output) { names.append(output) }
    outputs = names.map { name in labels.allSatisfy { $0.outputs.contains(name) } ? name : name + "?" }
  }

  private static func bare(_ output: String) -> String { output.hasSuffix("?") ? String(output.dropLast()) : output }
}

extension Drawing.Arrow {
  fileprivate struct Move: Hashable {
    let from: Int
    let to: Int
    let trigger: Drawing.Trigger
    let effect: Verdict

    /// What all moves of one state by one trigger have in common.
    var cause: Cause { Cause(from: from, trigger: trigger) }
  }

  fileprivate struct Cause: Hashable {
    let from: Int
    let trigger: Drawing.Trigger
  }

  /// What it does, without its conditions and outputs.
  fileprivate var move: Move { Move(from: from, to: to, trigger: label.trigger, effect: effect) }

  /// Whether two arrows differ in their triggers alone.
  fileprivate func isLike(_ other: Drawing.Arrow) -> Bool {
    from == other.from && to == other.to && effect == other.effect && label.condition == other.label.condition
      && label.outputs == other.label.outputs
  }
}
