public import StateMachines

/// A dial with 300 states, and as many events and outputs: `e299` turns it to `s299` and emits `o299`. From the last
/// state it turns back by itself.
public struct Dial: Machine {
  public static let count = 300

  public struct State: StateWithData {
    let place: Int

    public struct Name: NumberedNames {
      public static let words = (0..<Dial.count).map { "s\($0)" }
      public let index: Int
      public init(at index: Int) { self.index = index }
    }
    public var name: Name { Name(at: place) }
  }

  public struct Event: MachineEvent {
    let place: Int
  }

  public struct Output: OutputWithData {
    let place: Int

    public struct Name: NumberedNames {
      public static let words = (0..<Dial.count).map { "o\($0)" }
      public let index: Int
      public init(at index: Int) { self.index = index }
    }
    public var name: Name { Name(at: place) }
    public var data: [Value] { [] }
  }

  public var state = State(place: 0)

  public init() {}

  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State { State(place: name.index) }

  public func timers(in state: State, _ parameters: NoParameters) -> StateTimers<Self> {
    state.place == Dial.count - 1 ? .after(.seconds(1), Event(place: 0)) : .none
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    guard event.place != state.place else { return .ignore }
    step.emit(Output(place: event.place))
    return .move(to: State(place: event.place))
  }

  public static let kind = Kind(
    Dial.self, "dial", "a dial with many states, for tests",
    events: (0..<count).map { .event(Event(place: $0), "").named("e\($0)") },
    timers: [.timer(Event(place: 0), named: "back", "turns it back")])
}

/// Names that are not the cases of an `enum`.
public protocol NumberedNames: NamedCases {}

extension NumberedNames {
  public static var allCases: [Self] { (0..<words.count).map(Self.init(at:)) }
  public static var count: Int { words.count }
}
