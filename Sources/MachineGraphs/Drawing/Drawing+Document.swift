import StateMachines

extension Drawing {
  /// The picture of a document: its boxes and arrows as they are written, with what trying has found: what was reached, and
  /// of a marked machine where it is and what it would do now.
  ///
  /// - Complexity: O(boxes × states + arrows).
  init(
    _ picture: DocumentPicture, _ graph: StateGraph, mark: GraphMark?, show detail: Detail,
    while goesOn: @escaping @Sendable () -> Bool
  ) {
    self.init(
      title: mark.map { "\($0.name): \(graph.kind.name)" } ?? graph.kind.name, detail: detail, while: goesOn)
    isOfDocument = true
    let mark = mark.flatMap(graph.resolve)
    let words = graph.states.map { Set($0.word.split(separator: "+").map(String.init)) }
    let current = mark.map { words[$0.state] } ?? []
    var reached: Set<String> = []
    for state in graph.states.indices where graph.reach(of: state) != .unreached { reached.formUnion(words[state]) }
    var inner = picture.boxes.map { [$0.name] as Set<String> }
    for box in picture.boxes.indices.reversed() {
      if let parent = picture.boxes[box].parent { inner[parent].formUnion(inner[box]) }
    }
    for box in picture.boxes {
      var node = Node(name: box.name, title: box.title, parent: box.parent, region: "")
      node.texts = box.texts
      node.isInitial = box.isInitial
      node.isFinal = box.isFinal
      node.isChoice = box.isChoice
      // The states in them are boxes of the document, which have names.
      node.regions = (0..<box.regions).map { _ in Region(name: "") }
      if box.regions == 0 {
        node.isCurrent = current.contains(box.name)
        node.isUnreachable = box.canRest && !reached.contains(box.name)
      }
      let place = nodes.count
      if let parent = box.parent {
        nodes[parent].regions[box.region].nodes.append(place)
        if box.isInitial { nodes[parent].regions[box.region].initial = place }
      } else {
        top.nodes.append(place)
        if box.isInitial { top.initial = place }
      }
      nodes.append(node)
    }
    let present = mark?.present.filter { $0.verdict == .moved || $0.verdict == .stayed } ?? []
    let coming = present.map { outcome -> (name: String, words: Set<String>) in
      let name =
        switch outcome.input {
        case .event(let event, _): graph.kind.events[event].name
        case .timer(let timer): graph.kind.timers[timer].name
        }
      let word = outcome.data ?? graph.kind.states[outcome.state].word
      return (name, Set(word.split(separator: "+").map(String.init)))
    }
    var all: [Arrow] = []
    for arrow in picture.arrows where detail != .plain || !arrow.isWithin {
      let label = Label(
        trigger: .event(arrow.trigger), condition: detail == .plain ? "" : arrow.condition,
        outputs: arrow.actions.isEmpty || detail == .plain ? [] : [arrow.actions])
      var drawn = Arrow(from: arrow.from, to: arrow.to, label: label, effect: arrow.isWithin ? .stayed : .moved)
      let isTransient = picture.boxes[arrow.to].regions == 0 && !picture.boxes[arrow.to].canRest
      drawn.isPossible =
        !current.isDisjoint(with: inner[arrow.from])
        && coming.contains { outcome in
          arrow.names.contains(outcome.name)
            && (arrow.isWithin || isTransient || !outcome.words.isDisjoint(with: inner[arrow.to]))
        }
      all.append(drawn)
    }
    connect(all)
    var seen: Set<String> = []
    triggers = picture.arrows.filter { !$0.trigger.isEmpty && seen.insert($0.trigger).inserted }
      .map { .event($0.trigger) }
    summary = graph.summary
    whyPartial = graph.whyPartial
  }
}
