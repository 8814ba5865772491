public import StateMachines

// How a chart handles an event: from the leaf upwards until a state reacts, then through the tree for a transition.
extension Statechart {
  /// Offers an event to a leaf and to its enclosing composites.
  ///
  /// On return, a transition and the completions that follow from it have been carried out.
  @inlinable
  @inline(__always)
  mutating func take(_ event: Host.Event, in leaf: State, _ step: Step<Host>) -> StatechartOutcome<State, Host.State> {
    let first = step.effectCount
    var source: Composite?
    var answer = reaction(in: leaf, to: event, step)
    while case .inherit = answer {
      guard let composite = source.map({ $0.parent }) ?? leaf.name.parent else { break }
      answer = reaction(of: composite, in: leaf, to: event, step)
      source = composite
    }
    switch answer {
    case .transition(let target, let isLocal):
      let next = change(from: leaf, decidedBy: source, to: target, isLocal: isLocal, actionsFrom: first, step)
      return .reaction(.move(to: Self.isFinal(next.name) ? complete(next, step) : next))
    case .stay: return .reaction(.stay)
    case .stayAs(let next): return .reaction(.stayAs(next))
    case .ignore: return .reaction(.ignore)
    case .refuse: return .reaction(.refuse)
    case .leave(let whole): return .departure(whole)
    case .inherit: return .unhandled
    }
  }

  /// Carries out a transition: exits, effects of the reaction, entries.
  @inlinable
  mutating func change(
    from leaf: State, decidedBy source: Composite?, to target: Answer.Target, isLocal: Bool,
    actionsFrom first: Int, _ step: Step<Host>
  ) -> State {
    let middle = step.effectCount
    let start = source.map { isLocal ? $0 : $0.parent } ?? leaf.name.parent
    let scope = Composite.common(start, surroundings(of: target))
    var next = destination(of: target, from: leaf, step)
    let left = exitPath(from: leaf, upTo: scope, step)
    remember(leaf, of: left, in: &next)
    step.putEffects(from: middle, before: first)
    enterPath(to: next.name.parent, below: scope, step)
    enterNode(.leaf(next), step)
    return next
  }

  /// The innermost composite that contains a target.
  @inlinable
  func surroundings(of target: Answer.Target) -> Composite? {
    switch target {
    case .leaf(let leaf): leaf.name.parent
    case .composite(let composite), .history(of: let composite, _): composite.parent
    }
  }

  /// The leaf in which a transition ends.
  @inlinable
  func destination(of target: Answer.Target, from leaf: State, _ step: Step<Host>) -> State {
    switch target {
    case .leaf(let next): return next
    case .composite(let composite): return initialLeaf(of: composite, step)
    case .history(of: let composite, let history):
      // If this transition leaves the composite, its history is the current leaf.
      let remembered = composite.contains(leaf.name.parent) ? leaf : memory(of: composite, in: leaf)
      guard let remembered else { return initialLeaf(of: composite, step) }
      guard history == .shallow, var child = remembered.name.parent, child != composite else { return remembered }
      while let parent = child.parent, parent != composite { child = parent }
      return initialLeaf(of: child, step)
    }
  }

  @inlinable
  func initialLeaf(of composite: Composite, _ step: Step<Host>) -> State {
    var composite = composite
    while true {
      switch initial(of: composite, step) {
      case .leaf(let leaf): return leaf
      case .composite(let child): composite = child
      }
    }
  }

  /// Leaves a leaf and its enclosing composites up to a scope, and disarms their timers.
  ///
  /// - Returns: The composites that were left.
  @inlinable
  @discardableResult
  mutating func exitPath(from leaf: State, upTo scope: Composite?, _ step: Step<Host>) -> NameSet<Composite> {
    exit(.leaf(leaf), from: leaf, step)
    timers(of: .leaf(leaf), step.parameters).end(step)
    var left: NameSet<Composite> = []
    var next = leaf.name.parent
    while let composite = next, composite != scope {
      exit(.composite(composite), from: leaf, step)
      timers(of: .composite(composite), step.parameters).end(step)
      left.insert(composite)
      next = composite.parent
    }
    return left
  }

  /// Enters composites, the outermost first.
  @inlinable
  mutating func enterPath(to composite: Composite?, below scope: Composite?, _ step: Step<Host>) {
    guard let composite, composite != scope else { return }
    enterPath(to: composite.parent, below: scope, step)
    enterNode(.composite(composite), step)
  }

  /// Enters a leaf from the root.
  @inlinable
  mutating func enterAll(_ leaf: State, _ step: Step<Host>) {
    enterPath(to: leaf.name.parent, below: nil, step)
    enterNode(.leaf(leaf), step)
  }

  /// Enters one state and arms its timers.
  @inlinable
  mutating func enterNode(_ node: Node, _ step: Step<Host>) {
    enter(node, step)
    timers(of: node, step.parameters).begin(step)
  }

  /// Runs the completion of the composite around a final leaf, and the completions that follow from it.
  @inlinable
  mutating func complete(_ final: State, _ step: Step<Host>) -> State {
    var leaf = final
    for _ in 0..<StatechartLimits.completions {
      guard Self.isFinal(leaf.name), let composite = leaf.name.parent else { return leaf }
      let first = step.effectCount
      switch completion(of: composite, in: leaf, step) {
      case .transition(let target, let isLocal):
        leaf = change(from: leaf, decidedBy: composite, to: target, isLocal: isLocal, actionsFrom: first, step)
      case .stayAs(let next): return next
      case .stay, .inherit, .ignore, .refuse, .leave: return leaf
      }
    }
    preconditionFailure("a chart completes without end")
  }
}

/// The result of offering an event to a chart.
@usableFromInline
enum StatechartOutcome<State, Whole> {
  case reaction(Reaction<State>)
  /// A region requests to leave the machine's composite.
  case departure(Whole)
  /// Every state up to the root inherits.
  case unhandled
}

/// Limits on one step of a chart.
public enum StatechartLimits {
  /// The maximal number of completions that follow from one transition. A chart that exceeds it never completes, and
  /// traps.
  public static let completions = 100
}
