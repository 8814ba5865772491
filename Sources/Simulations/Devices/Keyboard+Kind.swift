import MachineForms
public import StateMachines

// A choice is a vocabulary, because the value that an event sets is also a region's state.
extension NamedCases where Self: Choice, AllCases == [Self] {
  public static var words: [String] { allCases.map(\.rawValue) }
  public static var count: Int { allCases.count }
  public var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  public init(at index: Int) { self = Self.allCases[index] }
}

extension Keyboard.State.Name {
  fileprivate var about: String { "\(first.first.about); \(first.second.about); \(second.about)" }
}

extension ShiftKey.State.Name {
  var about: String {
    switch self {
    case .off: "the next letter is a small one"
    case .on: "the next letter is a capital, those after it are small"
    case .capsLock: "all letters are capitals"
    }
  }
}

extension Keyboard.Layout {
  fileprivate var about: String {
    switch self {
    case .letters: "letters are to be seen"
    case .digits: "digits are to be seen"
    case .symbols: "symbols are to be seen"
    }
  }
}

extension Keyboard.Dictation {
  fileprivate var about: String {
    switch self {
    case .off: "somebody types"
    case .on: "somebody speaks"
    }
  }
}

extension Keyboard {
  public static let kind = Kind(
    Keyboard.self, "keyboard", "a phone's keyboard: the Shift key, the layout and dictation side by side",
    form: .orthogonal,
    origin: """
      the example of regions side by side: the Shift key of this catalogue as it stands, with the layouts and the \
      dictation that any phone has beside it
      """,
    example: [
      "new keyboard k", "send k tap", "send k layout digits", "send k character 7", "send k layout letters",
      "send k tap", "send k dictation on", "send k character b", "show k",
    ],
    regions: .init(["shift", "layout", "dictation"]),
    states: \.about,
    initialStates: ShiftKey.State.Name.allCases.map { ($0.word, Beside(Beside($0, .letters), .off)) }
      + State.Name.allCases.map { ($0.word, $0) },
    events: [
      .event(.tap, "the Shift key is tapped"),
      .event(Event.character, .character("c"), about: "a key other than Shift is tapped, or something is heard"),
      .event(Event.layout, .choice("layout"), about: "other keys are to be seen"),
      .event(Event.dictation, .choice("dictation"), about: "somebody begins or ceases to speak"),
    ],
    timers: [
      .timer(
        .windowClosed, named: "doubleTap", after: "doubleTap", "the window in which another tap is the second of two")
    ],
    outputs: {
      switch $0 {
      case .text: .output(("text", .text(bytes: 1...3 * ValueType.longestCharacter)), about: "what is written")
      }
    },
    parameters: ShiftKey.parameters)
}
