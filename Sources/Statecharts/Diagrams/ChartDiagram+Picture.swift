import LineProtocol
import StateMachines

extension Definition {
  /// The document as it is drawn.
  var picture: DocumentPicture {
    var writer = ChartDiagram(self, isPicture: true)
    return writer.picture
  }
}

extension ChartDiagram {
  /// The states as boxes, a region of its own for each state directly within a parallel one, and the transitions as arrows.
  fileprivate var picture: DocumentPicture {
    mutating get {
      var picture = DocumentPicture()
      var places = [Int](repeating: -1, count: chart.states.count)
      for state in chart.states.indices.dropFirst() {
        let own = chart.states[state]
        let parent = Int(own.parent)
        let isParallel = chart.states[parent].kind == .parallel
        let isHistory = own.history != Chart.none
        let inner = chart.children(of: state).count { chart.states[$0].history == Chart.none }
        places[state] = picture.boxes.count
        let text = chart.texts[ids[state]]
        let region = isParallel && !isHistory ? self.region(of: state, in: parent) : 0
        // A region without a name of its own has none in the picture.
        let title = isParallel && isNamed(state, asRegion: region, of: parent) ? " " : text?.title ?? ""
        picture.boxes.append(
          DocumentPicture.Box(
            name: isHistory ? name(of: state) : ids[state],
            title: isHistory ? (own.kind == .deepHistory ? "H*" : "H") : title.isEmpty ? ids[state] : title,
            texts: text?.about ?? [],
            parent: parent > 0 ? places[parent] : nil,
            region: region,
            regions: own.kind == .parallel ? inner : own.kind == .compound ? 1 : 0,
            isInitial: !isHistory && (isParallel || isFirst(state, in: parent)), isFinal: own.kind == .final,
            isChoice: isChoice(state),
            // An end within a state is left by what waits for it.
            canRest: !isHistory && !isPassed(state) && (own.kind != .final || parent == 0)))
      }
      for state in chart.states.indices.dropFirst() {
        for handler in handlers(of: state) {
          picture.arrows.append(
            DocumentPicture.Arrow(
              from: places[state], to: places[state], trigger: handler.word, condition: "", actions: handler.actions,
              names: [], isWithin: true))
        }
        if chart.states[state].history != Chart.none {
          add(chart.transitions[Int(chart.states[state].initial)], from: places[state], [:], places, &picture)
        }
        let timers = timers(of: state, isWorded: true)
        for place in chart.states[state].transitions {
          add(chart.transitions[Int(place)], from: places[state], timers, places, &picture)
        }
      }
      return picture
    }
  }

  /// The place of a state among those of a parallel one.
  private func region(of state: Int, in parent: Int) -> Int {
    chart.children(of: parent).count { $0 < state && chart.states[$0].history == Chart.none }
  }

  /// Whether a state or one within it is entered first.
  private func isFirst(_ state: Int, in parent: Int) -> Bool {
    guard chart.states[parent].initial != Chart.none else { return false }
    return chart.transitions[Int(chart.states[parent].initial)].targets.contains { place in
      let target = Int(chart.targets[Int(place)])
      return target == state || chart.isDescendant(target, of: state)
    }
  }

  /// Whether an atomic state is left at once.
  private func isPassed(_ state: Int) -> Bool {
    let own = chart.states[state].transitions.map { chart.transitions[Int($0)] }.filter(\.descriptors.isEmpty)
    return own.contains { $0.condition == Chart.none }
  }

  private mutating func add(
    _ transition: Chart.Transition, from box: Int, _ timers: [Chart.Index: [String]], _ places: [Int],
    _ picture: inout DocumentPicture
  ) {
    guard var parts = parts(of: transition, timers) else { return }
    // The end of a block is what its arrow waits for without saying so.
    if parts.names == ["done.state.\(ids[Int(transition.source)])"] { parts.triggers = [] }
    if parts.triggers.isEmpty, parts.condition.isEmpty, isOtherCase(transition) { parts.condition = "else" }
    let targets = transition.targets.map { places[Int(chart.targets[Int($0)])] }
    for target in targets.isEmpty ? [box] : targets {
      picture.arrows.append(
        DocumentPicture.Arrow(
          from: box, to: target, trigger: parts.triggers.joined(separator: ", ") + parts.samples,
          condition: parts.condition, actions: parts.actions, names: parts.names, isWithin: targets.isEmpty))
    }
  }

  /// Whether a transition without an event comes after others that have guards.
  private func isOtherCase(_ transition: Chart.Transition) -> Bool {
    transition.descriptors.isEmpty
      && chart.states[Int(transition.source)].transitions.contains { place in
        let other = chart.transitions[Int(place)]
        return other.descriptors.isEmpty && other.condition != Chart.none
      }
  }
}
