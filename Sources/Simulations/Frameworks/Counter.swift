public import MachineForms
public import StateMachines

/// The rule of a count: the library's example of a machine that consists of a reducer.
public struct Counting: Reducer {
  public enum Wish: MachineEvent { case increase, decrease }

  /// The greatest count on both sides of zero. A wish beyond it is taken, and changes nothing.
  public static let limit = 1_000_000_000

  let step: Int

  /// - Precondition: `step` is not negative.
  public init(step: Int = 1) {
    precondition(step >= 0, "a counter whose increase decreases")
    self.step = step
  }

  public func reduce(_ state: Int, _ wish: Wish) -> Int {
    switch wish {
    case .increase: min(state + step, Self.limit)
    case .decrease: max(state - step, -Self.limit)
    }
  }
}

/// The simplest machine: a number, two wishes, and a ``Counting`` that reduces them to the next number.
///
/// | state | increase | decrease |
/// | --- | --- | --- |
/// | count | → count(1) | → count(-1) |
///
/// There is one state. Every wish is a transition into it, even if the number stays (`step=0`, or a count at its limit,
/// a thousand million), because a reducer emits once for every wish.
public struct Counter: Machine {
  public struct State: StateWithData, PartlyIncidental {
    /// The number, as the reducer's store.
    fileprivate var store = ReducerStore(0, of: Counting.self)

    public enum Name: NamedCases { case count }

    public var name: Name { .count }
    public var data: String? { "\(store.state)" }
    public static var carriesData: Bool { true }

    /// Every wish is taken, whatever the number.
    public func essence(for parameters: any ParameterSet) -> Bool { true }
  }

  public typealias Event = Counting.Wish

  public struct Parameters: ParameterSet {
    var step = 1
    public init() {}
  }

  public var state = State()
  public init() {}

  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State { State() }

  public mutating func react(to wish: Counting.Wish, _ step: Step<Self>) -> Reaction<State> {
    var next = state
    next.store.accept(wish, by: Counting(step: step.parameters.step))
    return .move(to: next)
  }
}

extension Counter {
  public static let kind = Kind(
    Counter.self, "counter", "a number that is increased and decreased",
    form: .reducer,
    origin: "the introductory counter of MVI libraries, as a talk on MVI shows it: a reducer alone",
    source: "slides",
    example: [
      "new counter c", "send c increase", "send c increase", "send c decrease", "show c", "new counter still step=0",
      "send still increase",
    ],
    states: {
      switch $0 {
      case .count: "the count"
      }
    },
    events: [
      .event(.increase, "increases the count"),
      .event(.decrease, "decreases the count"),
    ],
    readings: [
      .reading("count", .integer(-Counting.limit...Counting.limit), \.state.store.state, "the count")
    ],
    parameters: [
      .parameter("step", \.step, .integer(0...1_000_000), "how much each event changes the count; may be 0")
    ])
}
