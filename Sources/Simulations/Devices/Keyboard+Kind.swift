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
    case .off: "the next letter is lower case"
    case .on: "the next letter is upper case, those after it are lower case"
    case .capsLock: "all letters are upper case"
    }
  }
}

extension Keyboard.Layout {
  fileprivate var about: String {
    switch self {
    case .letters: "letter keys are shown"
    case .digits: "digit keys are shown"
    case .symbols: "symbol keys are shown"
    }
  }
}

extension Keyboard.Dictation {
  fileprivate var about: String {
    switch self {
    case .off: "dictation is off"
    case .on: "dictation is on"
    }
  }
}

extension Keyboard {
  public static let kind = Kind(
    Keyboard.self, "keyboard", "a phone's keyboard: Shift key, layout and dictation as parallel regions",
    form: .orthogonal,
    origin: "designed here: the shiftKey of this catalogue with a layout and dictation as regions beside it",
    source: "article",
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
      .event(
        Event.character, .character("c", like: [Character("a")]),
        about: "a key other than Shift is tapped, or a character is dictated"),
      .event(Event.layout, .choice("layout"), about: "another layout is selected"),
      .event(Event.dictation, .choice("dictation"), about: "dictation is switched on or off"),
    ],
    timers: [
      .timer(.windowClosed, named: "doubleTap", after: "doubleTap", "the time for the second of two taps is over")
    ],
    outputs: {
      switch $0 {
      case .text: .output(("text", .text(bytes: 1...3 * ValueType.longestCharacter)), about: "the text to insert")
      }
    },
    parameters: ShiftKey.parameters)
}
