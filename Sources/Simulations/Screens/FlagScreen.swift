public import StateMachines

/// A screen that is driven by flags and a ladder of conditions: what the state machine of `comments` replaces.
///
/// The ladder is total; the first line that fits wins:
///
/// | waiting | repeated | error | systemError | items | shown |
/// | --- | --- | --- | --- | --- | --- |
/// | on | off | | | | firstWaiting |
/// | on | on | | | | repeatedWaiting |
/// | off | | on | on | | alert |
/// | off | | on | off | | toast |
/// | off | | off | | on | data |
/// | off | | off | | off | noData |
///
/// The state is what is shown; `set` moves when that changes, is handled in place when only a flag changes, and is
/// ignored when the flag is so already. Nothing is ever refused, and that is the point: 32 combinations of flags for six
/// screens, and nothing prevents the 23 senseless ones, such as an error while waiting, or a repetition of nothing.
/// The reading `fictitious` tells whether the present combination is one of those.
public struct FlagScreen: LegacyMachine {
  public struct State: StateWithData {
    fileprivate var flags: Flags

    public enum Name: NamedCases {
      case firstWaiting, repeatedWaiting, alert, toast, data, noData
    }

    /// The ladder of conditions.
    public var name: Name {
      if flags.contains(.waiting) {
        flags.contains(.repeated) ? .repeatedWaiting : .firstWaiting
      } else if flags.contains(.error) {
        flags.contains(.systemError) ? .alert : .toast
      } else {
        flags.contains(.items) ? .data : .noData
      }
    }
  }

  /// The flags of the screen, each independent of the others.
  struct Flags: OptionSet, Hashable, Sendable, Codable {
    let rawValue: UInt8

    static let waiting = Flags(.waiting)
    static let repeated = Flags(.repeated)
    static let error = Flags(.error)
    static let systemError = Flags(.systemError)
    static let items = Flags(.items)

    init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    init(_ flag: Flag) {
      switch flag {
      case .waiting: rawValue = 1
      case .repeated: rawValue = 2
      case .error: rawValue = 4
      case .systemError: rawValue = 8
      case .items: rawValue = 16
      }
    }

    /// Whether the flags contradict each other: waiting and failed at once, items before the first answer, repeated
    /// without waiting, or a system error that is no error.
    var areFictitious: Bool {
      contains(.waiting)
        ? contains(.error) || contains(.systemError) || contains(.items) && !contains(.repeated)
        : contains(.repeated) || contains(.systemError) && !contains(.error)
    }
  }

  public enum Flag: String, Choice {
    case waiting, repeated, error, systemError, items

    fileprivate var about: String {
      switch self {
      case .waiting: "whether an answer is awaited"
      case .repeated: "whether that is not the first time"
      case .error: "whether the last answer was an error"
      case .systemError: "whether that was an error of the system"
      case .items: "whether there is anything to show"
      }
    }
  }

  public enum Event: Sendable {
    case set(Flag, Bool)
  }

  public var state: State

  public init(initial: State.Name?, _ step: Step<Self>) {
    let flags: Flags =
      switch initial ?? .noData {
      case .firstWaiting: .waiting
      case .repeatedWaiting: [.waiting, .repeated]
      case .alert: [.error, .systemError]
      case .toast: .error
      case .data: .items
      case .noData: []
      }
    state = State(flags: flags)
  }

  public mutating func react(to input: Input<Event, NoNames>, _ step: Step<Self>) -> Reaction<State> {
    switch input {
    case .event(.set(let flag, let isOn)):
      var next = state
      if isOn { next.flags.insert(Flags(flag)) } else { next.flags.remove(Flags(flag)) }
      if next == state { return .ignore }
      return next.name == state.name ? .stayAs(next) : .move(to: next)
    }
  }
}

extension FlagScreen {
  public static let kind = Kind(
    FlagScreen.self, "flagScreen", "a screen driven by flags and a ladder of conditions, for comparison with comments",
    form: .enumAndSwitch,
    origin: """
      a talk on state machines in iOS apps, as the example of what they are to replace; the ladder in the last form that it \
      grows to there
      """,
    example: [
      "new flagScreen s", "send s set waiting on", "send s set error on", "show s", "send s set waiting off",
      "send s set systemError on", "send s set error off", "send s set items on", "show s",
    ],
    states: [
      .firstWaiting: "an indicator instead of a content",
      .repeatedWaiting: "an indicator over the old content",
      .alert: "an alert: the system failed",
      .toast: "a short notice: something else failed",
      .data: "the table",
      .noData: "a placeholder: there is nothing to show",
    ],
    events: [
      .event(Event.set, .choice("flag"), .flag("to"), about: "raises a flag or lowers it, whatever the others are")
    ],
    readings: Flag.allCases.map { flag in
      .reading(flag.rawValue, .flag, flag.about) { machine, _, _ in machine.state.flags.contains(Flags(flag)) }
    } + [
      .reading("fictitious", .flag, "whether the flags contradict each other") { machine, _, _ in
        machine.state.flags.areFictitious
      }
    ])
}
