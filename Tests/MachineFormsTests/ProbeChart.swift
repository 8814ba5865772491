import MachineForms
import StateMachines

/// A chart that does as it is told: each event says which place of the tree is to answer, and what. Every other place
/// inherits. It says what it enters and leaves, and what it does in between.
///
/// ```
/// z
/// a                 its timer is alarm
///   b               c, d; its timer is bell, that of c is chime
///   e               f
///     g             h, i
///   end             final
/// ```
struct Probe: HierarchicalMachine {
  typealias Host = Probe

  enum Leaf: StatechartLeaf, Codable {
    case z, c, d, f, h, i, end

    var parent: Composite? {
      switch self {
      case .z: nil
      case .c, .d: .b
      case .f: .e
      case .h, .i: .g
      case .end: .a
      }
    }
  }

  enum Composite: StatechartComposite {
    case a, b, e, g

    var parent: Composite? {
      switch self {
      case .a: nil
      case .b, .e: .a
      case .g: .e
      }
    }
  }

  struct State: StateWithData {
    typealias Name = Leaf
    var name: Leaf
    /// The state in which `a` was left.
    var memory: Leaf?

    init(_ name: Leaf, remembering memory: Leaf? = nil) {
      self.name = name
      self.memory = memory
    }
  }

  enum Event: MachineEvent {
    /// Who answers, and what.
    case tell(StatechartNode<Leaf, Composite>?, Order)
    case alarm, bell, chime, raised
  }

  enum Order: Hashable, Sendable {
    case go(Leaf, locally: Bool)
    case enter(Composite, locally: Bool)
    case back(Composite, History)
    case stay, ignore, refuse
    case raise
    /// Ends, and says where to go on.
    case end(then: Leaf?)
  }

  enum Output: OutputWithData {
    case entered(String), left(String), did
    enum Name: NamedCases { case entered, left, did }
  }

  static let timers: [Event] = [.alarm, .bell, .chime, .raised]

  var state = State(.z)
  /// Where `a` goes when it is complete.
  var afterCompletion: Leaf?

  mutating func start(in name: Leaf, _ step: Step<Self>) -> State { begin(in: State(name), step) }

  mutating func reaction(in leaf: State, to event: Event, _ step: Step<Self>) -> Answer {
    switch event {
    case .tell(let place, let order): place == .leaf(leaf.name) ? answer(to: order, step) : .inherit
    case .raised: .stay
    case .chime, .bell, .alarm: .inherit
    }
  }

  mutating func reaction(of composite: Composite, in leaf: State, to event: Event, _ step: Step<Self>) -> Answer {
    switch event {
    case .tell(let place, let order): place == .composite(composite) ? answer(to: order, step) : .inherit
    case .chime, .bell, .alarm, .raised: .inherit
    }
  }

  private mutating func answer(to order: Order, _ step: Step<Self>) -> Answer {
    switch order {
    case .go(let leaf, let locally):
      step.emit(.did)
      return .go(to: State(leaf), locally: locally)
    case .enter(let composite, let locally):
      step.emit(.did)
      return .go(into: composite, locally: locally)
    case .back(let composite, let history):
      step.emit(.did)
      return .go(backInto: composite, history)
    case .stay: return .stay
    case .ignore: return .ignore
    case .refuse: return step.refuse("told to")
    case .raise:
      step.raise(.raised)
      return .stay
    case .end(then: let next):
      afterCompletion = next
      return .go(to: State(.end))
    }
  }

  func initial(of composite: Composite, _ step: Step<Self>) -> Node {
    switch composite {
    case .a: .composite(.b)
    case .b: .leaf(State(.c))
    case .e: .leaf(State(.f))
    case .g: .leaf(State(.h))
    }
  }

  func enter(_ node: Node, _ step: Step<Self>) { step.emit(.entered(node.word)) }
  func exit(_ node: Node, from leaf: State, _ step: Step<Self>) { step.emit(.left(node.word)) }

  func timers(of node: Node, _ parameters: NoParameters) -> StateTimers<Self> {
    switch node {
    case .composite(.a): .after(.seconds(1), .alarm)
    case .composite(.b): .after(.seconds(1), .bell)
    case .leaf(let leaf): leaf.name == .c ? .after(.seconds(1), .chime) : .none
    case .composite(.e), .composite(.g): .none
    }
  }

  static func isFinal(_ leaf: Leaf) -> Bool { leaf == .end }

  func completion(of composite: Composite, in leaf: State, _ step: Step<Self>) -> Answer {
    guard let next = afterCompletion else { return .inherit }
    step.emit(.did)
    return .go(to: State(next))
  }

  func memory(of composite: Composite, in leaf: State) -> State? {
    composite == .a ? leaf.memory.map { State($0) } : nil
  }

  func remember(_ left: State, of composites: NameSet<Composite>, in next: inout State) {
    next.memory = composites.contains(.a) ? left.name : left.memory
  }
}

extension StatechartNode<Probe.State, Probe.Composite> {
  fileprivate var word: String {
    switch self {
    case .leaf(let leaf): "\(leaf.name)"
    case .composite(let composite): "\(composite)"
    }
  }
}
