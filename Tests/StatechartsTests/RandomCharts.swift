import StateMachines
import TestSupport

/// A chart made by chance, as a tree that both a document and a second reading of the algorithm are made from.
struct RandomChart {
  enum Kind { case atomic, compound, parallel, final, shallowHistory, deepHistory }

  enum Condition {
    case none
    case active(Int)
    case even
    case below(Int)
  }

  enum Action {
    case log(String)
    case raise(String)
    case count
    /// What follows in the block is left out, and an error is raised.
    case fail
  }

  struct Transition {
    var source: Int
    var event: String?
    var condition = Condition.none
    var targets: [Int] = []
    var isInternal = false
    var actions: [Action] = []
  }

  struct State {
    var kind: Kind
    var parent: Int
    var children: [Int] = []
    var initial: [Int] = []
    var initialActions: [Action] = []
    var entry: [[Action]] = []
    var exit: [[Action]] = []
    var transitions: [Transition] = []
    var id: String
  }

  private(set) var states: [State] = [State(kind: .compound, parent: -1, id: "")]
  static let events = ["a", "b", "c", "a.x", "done.state.s1", "error.execution"]
  private var generator: Generator

  init(seed: UInt64) {
    generator = Generator(salt: seed)
    grow(0, depth: 0)
    for state in states.indices { connect(state) }
  }

  private mutating func number(_ bound: Int) -> Int { generator.draw(in: 0...(bound - 1)) }
  private mutating func once(in times: Int) -> Bool { number(times) == 0 }

  private mutating func grow(_ parent: Int, depth: Int) {
    let isParallel = states[parent].kind == .parallel
    let count = isParallel ? 2 + number(2) : 1 + number(4)
    for place in 0..<count {
      // A parallel state has two regions at least, as it has to have in a diagram.
      guard states.count < 40 || place < (isParallel ? 2 : 1) else { break }
      let roll = number(10)
      var kind = Kind.atomic
      if depth < 4, states.count < 30, roll < 3 { kind = .compound }
      if depth < 4, states.count < 30, roll == 3 || roll == 4 { kind = .parallel }
      if roll == 5, place > 0, !isParallel { kind = .final }
      let state = add(kind, to: parent)
      if kind == .compound || kind == .parallel { grow(state, depth: depth + 1) }
    }
    if parent > 0, once(in: 3) { _ = add(once(in: 2) ? .deepHistory : .shallowHistory, to: parent) }
  }

  private mutating func add(_ kind: Kind, to parent: Int) -> Int {
    states[parent].children.append(states.count)
    states.append(State(kind: kind, parent: parent, id: "s\(states.count)"))
    return states.count - 1
  }

  private mutating func connect(_ state: Int) {
    let real = states[state].children.filter { !isHistory($0) }
    switch states[state].kind {
    case .compound:
      // Sometimes the first child, sometimes one below, sometimes one in each of two regions.
      if once(in: 3) {
        states[state].initial = together(descendants(of: state).filter { !isHistory($0) || once(in: 2) })
        if state > 0, once(in: 2) { states[state].initialActions = actions() }
      } else {
        states[state].initial = [real[0]]
      }
    case .shallowHistory:
      let siblings = states[states[state].parent].children.filter { !isHistory($0) }
      states[state].initial =
        states[states[state].parent].kind == .parallel ? siblings : [siblings[number(siblings.count)]]
      states[state].initialActions = actions()
      return
    case .deepHistory:
      states[state].initial = together(descendants(of: states[state].parent).filter { !isHistory($0) })
      states[state].initialActions = actions()
      return
    case .atomic, .parallel: break
    case .final:
      if once(in: 2) { states[state].entry = [actions()] }
      return
    }
    guard state > 0 else { return }
    for _ in 0..<number(3) { states[state].entry.append(actions()) }
    for _ in 0..<number(3) { states[state].exit.append(actions()) }
    for _ in 0..<number(4) { states[state].transitions.append(transition(of: state)) }
  }

  private mutating func transition(of state: Int) -> Transition {
    var transition = Transition(source: state)
    if !once(in: 6) {
      transition.event = ["a", "b", "c", "a b", "*", "a.x", "done.state", "error"][number(8)]
    }
    switch number(4) {
    case 0: transition.condition = .active(1 + number(states.count - 1))
    case 1: transition.condition = .even
    case 2 where transition.event == nil: transition.condition = .below(number(20))
    case _: break
    }
    if transition.event == nil, case .none = transition.condition { transition.condition = .below(number(20)) }
    if !once(in: 5) { transition.targets = together(Array(1..<states.count)) }
    transition.isInternal = once(in: 3)
    transition.actions = actions()
    // Most eventless loops end, since they count.
    if transition.event == nil { transition.actions.append(.count) }
    return transition
  }

  private mutating func actions() -> [Action] {
    var all: [Action] = []
    for _ in 0..<number(3) {
      switch number(12) {
      case 0: all.append(.raise(Self.events[number(3)]))
      case 1: all.append(.fail)
      case 2, 3: all.append(.count)
      case _: all.append(.log("\(number(1_000))"))
      }
    }
    return all
  }

  /// One to three of these states that can be active together.
  private mutating func together(_ candidates: [Int]) -> [Int] {
    var chosen = [candidates[number(candidates.count)]]
    for _ in 0..<number(3) {
      let other = candidates[number(candidates.count)]
      if chosen.allSatisfy({ canBeTogether($0, other) }) { chosen.append(other) }
    }
    return chosen
  }

  private func canBeTogether(_ left: Int, _ right: Int) -> Bool {
    if left == right { return false }
    let above = [left] + ancestors(of: left)
    let common = ([right] + ancestors(of: right)).first { above.contains($0) } ?? 0
    return common != left && common != right && states[common].kind == .parallel && !isHistory(left)
      && !isHistory(right)
  }

  // MARK: Reading

  func isHistory(_ state: Int) -> Bool { states[state].kind == .shallowHistory || states[state].kind == .deepHistory }

  /// From the inside to the outside, without the state itself.
  func ancestors(of state: Int) -> [Int] {
    var all: [Int] = []
    var above = states[state].parent
    while above >= 0 {
      all.append(above)
      above = states[above].parent
    }
    return all
  }

  func descendants(of state: Int) -> [Int] { states.indices.filter { ancestors(of: $0).contains(state) } }

  // MARK: Writing

  var document: String {
    var text = """
      <scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript"\(attribute("initial", 0))>
      <datamodel><data id="n" expr="0"/></datamodel>

      """
    for child in states[0].children { write(child, to: &text) }
    return text + "</scxml>\n"
  }

  private func ids(_ targets: [Int]) -> String { targets.map { states[$0].id }.joined(separator: " ") }

  private func attribute(_ name: String, _ state: Int) -> String { " \(name)=\"\(ids(states[state].initial))\"" }

  private func write(_ number: Int, to text: inout String) {
    let state = states[number]
    let name =
      switch state.kind {
      case .atomic, .compound: "state"
      case .parallel: "parallel"
      case .final: "final"
      case .shallowHistory, .deepHistory: "history"
      }
    let usesElement = isHistory(number) || !state.initialActions.isEmpty
    let type = state.kind == .deepHistory ? " type=\"deep\"" : ""
    let initial = state.kind == .compound && !usesElement ? attribute("initial", number) : ""
    text += "<\(name) id=\"\(state.id)\"\(type)\(initial)>\n"
    if usesElement {
      let inner = "<transition target=\"\(ids(state.initial))\">\(content(state.initialActions))</transition>"
      text += isHistory(number) ? inner : "<initial>\(inner)</initial>"
    }
    for block in state.entry { text += "<onentry>\(content(block))</onentry>\n" }
    for block in state.exit { text += "<onexit>\(content(block))</onexit>\n" }
    for transition in state.transitions {
      text += "<transition"
      if let event = transition.event { text += " event=\"\(event)\"" }
      switch transition.condition {
      case .none: break
      case .active(let state): text += " cond=\"In('\(states[state].id)')\""
      case .even: text += " cond=\"n % 2 == 0\""
      case .below(let bound): text += " cond=\"n &lt; \(bound)\""
      }
      if !transition.targets.isEmpty { text += " target=\"\(ids(transition.targets))\"" }
      if transition.isInternal { text += " type=\"internal\"" }
      text += ">\(content(transition.actions))</transition>\n"
    }
    for child in state.children { write(child, to: &text) }
    text += "</\(name)>\n"
  }

  private func content(_ actions: [Action]) -> String {
    actions.map { action in
      switch action {
      case .log(let text): "<log label=\"\(text)\"/>"
      case .raise(let event): "<raise event=\"\(event)\"/>"
      case .count: "<assign location=\"n\" expr=\"n + 1\"/>"
      case .fail: "<assign location=\"nowhere\" expr=\"1\"/>"
      }
    }.joined()
  }
}
