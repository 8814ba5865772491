import StateMachines

/// What a writer of pictures draws between two nodes: an arrow with the labels of all arrows between them.
struct Stroke {
  let from: Int
  let to: Int
  var labels: [Drawing.Label]
  var isPossible: Bool
  /// Whether it carries outputs between machines.
  var isWire: Bool { if case .wire? = labels.first?.trigger { true } else { false } }

  /// The lines of the labels, none much longer than a line of text in a picture.
  var lines: [String] { labels.flatMap { TextLines.wrapped($0) } }
}

extension Drawing {
  /// The moves as pictures show them. Equal arrows from all states within a node are one from the node.
  var strokes: [Stroke] {
    var strokes: [Stroke] = []
    for arrow in liftedArrows {
      if let place = strokes.firstIndex(where: { $0.from == arrow.from && $0.to == arrow.to }) {
        strokes[place].labels.append(arrow.label)
        if arrow.isPossible { strokes[place].isPossible = true }
      } else {
        strokes.append(Stroke(from: arrow.from, to: arrow.to, labels: [arrow.label], isPossible: arrow.isPossible))
      }
    }
    return strokes
  }

  /// The moves one by one, with arrows from composite nodes where all states of one of their regions move alike.
  var liftedArrows: [Arrow] {
    var arrows = mergedArrows.filter { $0.effect == .moved && !$0.isWire }
    for node in nodes.indices.reversed() {
      for region in nodes[node].regions {
        lift(&arrows, to: node, from: region)
      }
    }
    return arrows + self.arrows.filter(\.isWire)
  }

  private func lift(_ arrows: inout [Arrow], to node: Int, from region: Region) {
    func isInside(_ inner: Int) -> Bool { region.nodes.contains { path(to: inner).contains($0) } }
    let inside = Set(leaves.filter { isInside($0) && !nodes[$0].isUnreachable })
    guard inside.count > 1 else { return }
    for arrow in arrows where !path(to: arrow.to).contains(node) && isInside(arrow.from) {
      func isLike(_ other: Arrow) -> Bool {
        other.to == arrow.to && other.label == arrow.label && isInside(other.from)
      }
      let alike = arrows.filter(isLike)
      let covered = alike.flatMap { other in inside.filter { path(to: $0).contains(other.from) } }
      guard Set(covered) == inside, let first = arrows.firstIndex(where: isLike) else { continue }
      arrows[first].from = node
      arrows[first].isPossible = alike.contains(where: \.isPossible)
      arrows.removeAll(where: isLike)
    }
  }

  /// The arrows, but where a timer brings an event as a client would, one for both.
  var mergedArrows: [Arrow] {
    var merged: [Arrow] = []
    for arrow in arrows {
      guard case .timer(let name, let after) = arrow.label.trigger,
        let event = merged.firstIndex(where: { $0.label.trigger == .event(name) && $0.isLike(arrow) })
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
    for group in Dictionary(grouping: arrows.indices, by: { arrows[$0].move }).values.sorted(by: { $0[0] < $1[0] }) {
      let rivals = arrows.contains { other in
        other.from == arrows[group[0]].from && other.label.trigger == arrows[group[0]].label.trigger
          && other.move != arrows[group[0]].move
      }
      let parts =
        group.count > 2 && !rivals
        ? [group]
        : Dictionary(grouping: group) { [arrows[$0].label.samples, arrows[$0].label.condition] }.values
          .sorted { $0[0] < $1[0] }
      for part in parts {
        var arrow = arrows[part[0]]
        let all = part.map { arrows[$0].label }
        if Set(all.map(\.samples)).count > 1 { arrow.label.samples = "" }
        if Set(all.map(\.condition)).count > 1 { arrow.label.condition = "" }
        var outputs: [String] = []
        for output in all.flatMap(\.outputs) where !outputs.contains(output) { outputs.append(output) }
        if part.count > 1 {
          arrow.label.outputs = outputs.map { output in
            all.allSatisfy { $0.outputs.contains(output) } ? output : output + "?"
          }
        }
        arrow.isPossible = part.contains { arrows[$0].isPossible }
        joined.append(arrow)
      }
    }
    return joined.enumerated().sorted { ($0.element.from, $0.offset) < ($1.element.from, $1.offset) }.map(\.element)
  }

  /// Whether a node contains states, and no orthogonal regions.
  private func isGroup(_ node: Int) -> Bool { nodes[node].regions.count == 1 }

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
    /// Of a composite that a machine does not begin in, regions still have a state entered first.
    func inner(_ node: Int) -> [Int] { nodes[node].regions.flatMap(leaves) }
    var all = leaves(top)
    for node in nodes.indices where nodes[node].regions.count > 1 && top.initial != node {
      for leaf in inner(node) where !all.contains(leaf) { all.append(leaf) }
    }
    return all
  }

  /// Whether the picture reads from top to bottom; a small one reads from left to right.
  var isTopDown: Bool { leaves.count > 4 }
}

/// Texts of a picture on several short lines.
enum TextLines {
  /// Characters per line of a label.
  static let width = 30

  /// The lines of a label: what triggers it, its condition and its outputs begin lines of their own if it is long.
  static func wrapped(_ label: Drawing.Label) -> [String] {
    let text = label.text
    if text.count <= width { return [text] }
    var head = label
    head.outputs = []
    head.condition = ""
    let condition = label.condition.isEmpty ? [] : wrapped("[\(label.condition)]")
    let outputs = label.outputs.isEmpty ? [] : wrapped("/ " + label.outputList)
    return wrapped(head.text) + condition + outputs
  }

  static func wrapped(_ text: String, to width: Int = width) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}

extension Drawing.Arrow {
  fileprivate struct Move: Hashable {
    let from: Int
    let to: Int
    let trigger: Drawing.Trigger
    let effect: Verdict
  }

  /// What it does, without its conditions and outputs.
  fileprivate var move: Move { Move(from: from, to: to, trigger: label.trigger, effect: effect) }

  /// Whether two arrows differ in their triggers alone.
  fileprivate func isLike(_ other: Drawing.Arrow) -> Bool {
    from == other.from && to == other.to && effect == other.effect && label.condition == other.label.condition
      && label.outputs == other.label.outputs
  }
}
