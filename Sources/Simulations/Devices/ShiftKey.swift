public import MachineForms
public import StateMachines

/// The Shift key of a phone's keyboard: Shift and Caps Lock in one, told apart by how fast it is tapped.
///
/// A tap in `off` opens a window, the timer `doubleTap`. A second tap in it locks; a later one switches off. A tap
/// at the very moment at which the window closes comes too late.
///
/// | state | tap, window open | tap, window closed | doubleTap expires | character |
/// | --- | --- | --- | --- | --- |
/// | off | never open | → on, the window opens | never runs | stayed, lower case |
/// | on | → capsLock, the window closes | → off | stayed, the window closes | → off, upper case, the window closes |
/// | capsLock | never open | → off | never runs | stayed, upper case |
///
/// With `gestureMode` any two quick taps lock, as a tap recogniser sees them: the tap that switches off opens a window too.
/// A letter between two taps parts them, and the tap that leaves capsLock opens none, so that the two modes
/// differ in one thing only: on, and later two quick taps, gives capsLock here and on there.
public struct ShiftKey: Machine {
  public enum State: MachineState {
    /// The next letter is a small one. With `gestureMode`, `doubleTap` may be running.
    case off(Window)
    /// The next letter is a capital, and only that one. `doubleTap` may be running.
    case on(Window)
    /// All letters are capitals.
    case capsLock

    public enum Name: UInt8, CaseIterable, StatechartLeaf { case off, on, capsLock }

    public var name: Name {
      switch self {
      case .off: .off
      case .on: .on
      case .capsLock: .capsLock
      }
    }
  }

  /// Whether a tap now would be the second of two: whether `doubleTap` is running.
  public enum Window: Sendable, Codable { case open, closed }

  public enum Event: Sendable {
    case tap
    case character(Character)
  }

  public enum TimerName: UInt8, CaseIterable, Vocabulary { case doubleTap }

  public enum Output: MachineOutput {
    case text(String)

    public enum Name: UInt8, CaseIterable, Vocabulary { case text }
    public var name: Name { .text }

    public var data: [Value] {
      switch self {
      case .text(let text): [.text(text)]
      }
    }
  }

  public struct Parameters: ParameterSet {
    var doubleTap = Interval.milliseconds(350)
    var gestureMode = false
    public init() {}
  }

  public var state: State

  public init(initial: State.Name?, _ step: Step<Self>) {
    switch initial ?? .off {
    case .off: state = .off(.closed)
    case .on:
      state = .on(.open)
      step.arm(.doubleTap, after: step.parameters.doubleTap)
    case .capsLock: state = .capsLock
    }
  }

  /// A key that is in a state already: the region of a keyboard.
  init(state: State) {
    self.state = state
  }

  public mutating func react(to input: Input<Event, TimerName>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    case (.off(.closed), .event(.tap)):
      step.arm(.doubleTap, after: step.parameters.doubleTap)
      return .move(to: .on(.open))
    case (.off(.open), .event(.tap)), (.on(.open), .event(.tap)):
      step.disarm(.doubleTap)
      return .move(to: .capsLock)
    case (.on(.closed), .event(.tap)):
      guard step.parameters.gestureMode else { return .move(to: .off(.closed)) }
      step.arm(.doubleTap, after: step.parameters.doubleTap)
      return .move(to: .off(.open))
    case (.capsLock, .event(.tap)):
      return .move(to: .off(.closed))
    case (.on(let window), .event(.character(let character))):
      if window == .open { step.disarm(.doubleTap) }
      step.emit(.text(character.uppercased()))
      return .move(to: .off(.closed))

    case (.off(.closed), .event(.character(let character))):
      step.emit(.text(character.lowercased()))
      return .stay
    case (.off(.open), .event(.character(let character))):
      step.disarm(.doubleTap)
      step.emit(.text(character.lowercased()))
      return .stayAs(.off(.closed))
    case (.capsLock, .event(.character(let character))):
      step.emit(.text(character.uppercased()))
      return .stay
    case (.off(.open), .expired(.doubleTap)):
      return .stayAs(.off(.closed))
    case (.on(.open), .expired(.doubleTap)):
      return .stayAs(.on(.closed))

    case (.off(.closed), .expired(.doubleTap)), (.on(.closed), .expired(.doubleTap)), (.capsLock, .expired(.doubleTap)):
      return .ignore
    }
  }

  public func asksFor(_ timer: TimerName) -> Bool {
    switch (timer, state) {
    case (.doubleTap, .off(let window)), (.doubleTap, .on(let window)): window == .open
    case (.doubleTap, .capsLock): false
    }
  }
}

extension ValueType {
  /// What becomes of a character in upper case: never more than three times as long.
  static let keyText = ValueType.text(bytes: 1...3 * longestCharacter)
}

extension ShiftKey {
  public static let kind = Kind(
    ShiftKey.self, "shiftKey", "Shift and Caps Lock in one key, told apart by how fast it is tapped",
    origin: """
      the Shift key of phone keyboards, as an article on state machines in iOS applications describes it; its code is lost, so \
      that the window of 0.35 s is the common one of tap recognisers
      """,
    example: [
      "new shiftKey key", "send key tap", "advance 200ms", "send key tap", "send key character a", "advance 1s",
      "send key tap", "can key",
    ],
    states: [.off: State.Name.off.about, .on: State.Name.on.about, .capsLock: State.Name.capsLock.about],
    events: [
      .event(.tap, "the Shift key is tapped"),
      .event(Event.character, .character("c"), about: "a letter key is tapped"),
    ],
    timers: [.doubleTap: .after("doubleTap", "the window in which another tap is the second of two")],
    outputs: [.text: .output(("text", .keyText), about: "what the letter key writes")],
    parameters: parameters)

  static let parameters: [ParameterForm<Parameters>] = [
    .parameter(
      "doubleTap", \.doubleTap, .interval(.zero ... .seconds(60)),
      "how soon a second tap locks; one at the very end comes too late"),
    .parameter("gestureMode", \.gestureMode, .flag, "any two quick taps lock, also those that begin in on"),
  ]
}
