public import StateMachines

/// A board of twelve flags, whose state is named by the flags that are up: `a+c+l`, or `none`.
public struct Board: Machine {
  public struct State: StateWithData {
    var flags: UInt16 = 0

    public enum Name: NamedCases { case none, a, b, c, d, e, f, g, h, i, j, k, l }

    public var name: Name { flags == 0 ? .none : Name(at: flags.trailingZeroBitCount + 1) }
    public var data: String? {
      flags == 0 ? nil : (0..<12).filter { flags >> $0 & 1 != 0 }.map { Name(at: $0 + 1).word }.joined(separator: "+")
    }
    public static var isNamedByData: Bool { true }
  }

  public enum Event: MachineEvent { case flip(Int), lower, look, fall }
  public enum Output: MachineOutput { case full }

  public struct Parameters: ParameterSet {
    public var time = Duration.seconds(10)
    public init() {}
  }

  public var state = State()

  public init() {}

  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    State(flags: name == .none ? 0 : 1 << (name.index - 1))
  }

  public func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    state.flags == 0 ? .none : .after(parameters.time, .fall)
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .flip(let flag):
      let next = State(flags: state.flags ^ 1 << flag)
      if next.flags == 0xFFF { step.emit(.full) }
      return .move(to: next)
    case .lower:
      return state.flags == 0 ? step.refuse("no flag is up") : .move(to: State())
    case .look: return .stay
    case .fall: return .move(to: State(flags: state.flags & (state.flags - 1)))
    }
  }

  public static let kind = Kind(
    Board.self, "board", "a board of flags, for tests",
    events: [
      .event(Event.flip, .integer("flag", 0...11, like: [0, 1, 11]), about: "raises or lowers a flag"),
      .event(.lower, "lowers all flags"), .event(.look, "changes nothing"),
    ],
    timers: [.timer(.fall, after: "time", "the first flag falls")],
    parameters: [.parameter("time", \.time, .interval(.zero ... .seconds(3600)), "how long a flag is up")])
}
