extension Chart {
  /// Whether every input is known to take few steps, whatever the data: the chart is small, its content goes straight
  /// on, and no chain of transitions without events from outside comes back to where it was.
  ///
  /// It may be false where that is not seen.
  var hasShortInputs: Bool {
    guard states.count <= 1_000, transitions.count <= 1_000, instructions.count <= 1_000, invokes.isEmpty,
      descriptors.count <= 4_000
    else { return false }
    var nodes = 0
    for code in codes {
      nodes += code.nodes.count
      guard nodes <= 4_000, code.goesStraightOn else { return false }
    }
    for instruction in instructions {
      switch instruction {
      case .forEach: return false
      case .raise, .send, .cancel, .log, .assign, .script, .branch, .jump, .fail: break
      }
    }
    // Who an event is for, and which one it is, may be known at run time only.
    guard sends.allSatisfy({ text(of: $0.target) != nil && text(of: $0.event) != nil }) else { return false }
    return endsByItself
  }

  /// The code of all expressions, locations and scripts.
  private var codes: [Code] {
    func forms<Form>(_ all: [Parsed<Form>]) -> [Form] {
      all.compactMap { if case .form(let form) = $0 { form } else { nil } }
    }
    return forms(expressions).map(\.code) + forms(locations).map(\.code) + forms(scripts).map(\.code)
  }

  /// Whether the transitions that no event from outside is needed for cannot lead to each other in a circle.
  private var endsByItself: Bool {
    var raised: Set<Int32> = []
    for instruction in instructions {
      if case .raise(let name) = instruction { raised.formUnion(events.prefixes(of: name)) }
    }
    for send in sends where text(of: send.target) == "#_internal" {
      if let name = text(of: send.event) { raised.formUnion(events.prefixes(of: events.number(of: name))) }
    }
    let own = transitions.indices.filter { place in
      let transition = transitions[place]
      if transition.descriptors.isEmpty { return states[Int(transition.source)].initial != Index(place) }
      return transition.descriptors.contains { descriptor in
        switch descriptors[Int(descriptor)] {
        case .any: return true
        case .name(let name):
          let first = events.names[Int(name)].prefix { $0 != "." }
          return raised.contains(name) || first == "done" || first == "error"
        }
      }
    }
    guard own.count <= 100 else { return false }
    // In the order in which all that can follow a transition is known to end.
    var isOpen = Set<Int>()
    var isDone = Set<Int>()
    func ends(_ place: Int) -> Bool {
      if isDone.contains(place) { return true }
      guard isOpen.insert(place).inserted else { return false }
      for next in own where mayFollow(transitions[place], transitions[next]) {
        guard ends(next) else { return false }
      }
      isDone.insert(place)
      return true
    }
    return own.allSatisfy(ends)
  }

  /// Whether the source of a transition may be active after another one was taken.
  private func mayFollow(_ transition: Transition, _ next: Transition) -> Bool {
    let source = Int(next.source)
    // Nothing is left; or a region beside it goes on; or the way leads back by a history.
    if transition.targets.isEmpty { return true }
    return transition.targets.contains { target in
      let target = Int(targets[Int(target)])
      if states[target].history != Chart.none { return true }
      if source == target || isDescendant(source, of: target) || isDescendant(target, of: source) { return true }
      var common = Int(states[target].parent)
      while common > 0, !isDescendant(source, of: common) { common = Int(states[common].parent) }
      return states[common].kind == .parallel
    }
  }
}

extension Code {
  /// Whether no node is evaluated more than once, or calls anything whose cost depends on its values alone.
  fileprivate var goesStraightOn: Bool {
    nodes.allSatisfy { node in
      switch node {
      case .loop, .construct, .function: false
      case .call(let callee, _):
        switch nodes[Int(callee)] {
        case .builtIn(let builtIn): builtIn != .array && builtIn != .object
        case .member(let object, _):
          if case .builtIn(let builtIn) = nodes[Int(object)] { builtIn == .math || builtIn == .number } else { false }
        case _: false
        }
      case .constant, .variable, .local, .system, .builtIn, .member, .element, .unary, .binary, .and, .or, .coalesce,
        .conditional, .assign, .compound, .update, .array, .object, .sequence, .block, .declare, .declareLocal, .ifElse,
        .leave, .breakLoop, .continueLoop, .nothing:
        true
      }
    }
  }
}
