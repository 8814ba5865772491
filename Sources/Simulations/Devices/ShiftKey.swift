public import MachineForms
public import StateMachines

/// The Shift key of a phone's keyboard: Shift and Caps Lock in one key, told apart by the speed of the taps.
///
/// | state | tap | character(a) | doubleTap expires |
/// | --- | --- | --- | --- |
/// | off | → on | stayed > text a | – |
/// | on | → capsLock | → off > text A | stayed |
/// | on, window closed | → off | → off > text A | – |
/// | capsLock | → off | stayed > text A | – |
///
/// A tap in `off` opens a window, the timer `doubleTap`. A second tap within it locks; a later one switches off. A tap
/// at the exact moment at which the window closes comes too late.
///
/// The table holds without `gestureMode`. With it any two quick taps lock, as a tap recogniser counts them: the tap
/// that switches from `on` to `off` opens a window too. A letter between the taps closes it, and the tap that leaves
/// capsLock opens none. The two modes therefore differ in one case only: from `on` with its window closed, two quick
/// taps lead to capsLock with `gestureMode`, and back to on without it.
public struct ShiftKey: Machine {
  public enum State: StateWithData {
    /// The next letter is a small one. With `gestureMode`, `doubleTap` may be running.
    case off(Window)
    /// The next letter is a capital, the letters after it are small. `doubleTap` may be running.
    case on(Window)
    /// All letters are capitals.
    case capsLock

    public enum Name: StatechartLeaf { case off, on, capsLock }
    public static var samples: [State] { [.off(.closed), .on(.open)] }

    /// Whether `doubleTap` is running.
    var isWindowOpen: Bool { self == .off(.open) || self == .on(.open) }
  }

  /// Whether `doubleTap` is running, so that a tap now is the second of two.
  public enum Window: Sendable, Codable { case open, closed }

  public enum Event: MachineEvent { case tap, character(Character), windowClosed }

  public enum Output: OutputWithData {
    case text(String)

    public enum Name: NamedCases { case text }
  }

  public struct Parameters: ParameterSet {
    var doubleTap = Duration.milliseconds(350)
    var gestureMode = false
    public init() {}
  }

  public var state = State.off(.closed)
  public init() {}

  public func timers(in state: State, _ parameters: Parameters) -> StateTimers<Self> {
    state.isWindowOpen ? .after(parameters.doubleTap, .windowClosed) : .none
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .tap:
      switch state {
      case .off(let window) where step.when("window open", window == .open): .move(to: .capsLock)
      case .on(let window) where step.when("window open", window == .open): .move(to: .capsLock)
      case .off: .move(to: .on(.open))
      case .on: .move(to: .off(step.when("gestureMode", step.parameters.gestureMode) ? .open : .closed))
      case .capsLock: .move(to: .off(.closed))
      }
    case .character(let character):
      switch state {
      case .off: step.emit(.text(character.lowercased()), then: .stayAs(.off(.closed)))
      case .on: step.emit(.text(character.uppercased()), then: .move(to: .off(.closed)))
      case .capsLock: step.emit(.text(character.uppercased()), then: .stay)
      }
    case .windowClosed:
      switch state {
      case .off(.open): .stayAs(.off(.closed))
      case .on(.open): .stayAs(.on(.closed))
      case .off(.closed), .on(.closed), .capsLock: .ignore
      }
    }
  }

  public static let kind = Kind(
    ShiftKey.self, "shiftKey", "Shift and Caps Lock in one key, distinguished by the speed of the taps",
    origin: "an article on state machines in iOS apps; its code is lost, so the 0.35 s are those of tap recognisers",
    source: "article",
    example: [
      "new shiftKey key", "send key tap", "advance 200ms", "send key tap", "send key character a", "advance 1s",
      "send key tap", "can key",
    ],
    states: \.about,
    events: [
      .event(.tap, "the Shift key is tapped"),
      .event(Event.character, .character("c", like: [Character("a")]), about: "a letter key is tapped"),
    ],
    timers: [
      .timer(.windowClosed, named: "doubleTap", after: "doubleTap", "the time for the second of two taps is over")
    ],
    outputs: {
      switch $0 {
      // A character's upper case is at most three times as long.
      case .text: .output(("text", .text(bytes: 1...3 * ValueType.longestCharacter)), about: "the text to insert")
      }
    },
    parameters: parameters)

  static let parameters: [ParameterForm<Parameters>] = [
    .parameter("doubleTap", \.doubleTap, .interval(.zero ... .seconds(60)), "how soon the second tap must come"),
    .parameter("gestureMode", \.gestureMode, "on: any two quick taps lock, even if the first one switches off"),
  ]
}
