public import StateMachines

/// A screen that is driven by flags and a ladder of conditions, which the state machine of `comments` replaces.
///
/// The ladder covers all flags; the first line that matches wins:
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
/// The talk grows the ladder line by line, as programs do. With `branches=2` there are data and errors only, and an
/// empty list is shown as data; with `branches=3` the empty list has its placeholder; with `branches=4` waiting comes
/// first. By default the ladder is whole: a repeated wait is told from a first one, and an alert from a toast. Flags that
/// a shorter ladder does not look at can be set all the same.
///
/// The state is what is shown. `set` moves when that changes, stays when only a flag changes, and is ignored when the
/// flag has the value already. Nothing is refused: the 32 combinations of flags show six screens, and nothing prevents
/// the 23 senseless combinations, such as an error while waiting, or a repetition without waiting. The reading
/// `fictitious` tells whether the present combination is one of them.
public struct FlagScreen: Machine {
  public struct State: StateWithData {
    var waiting = false
    var repeated = false
    var error = false
    var systemError = false
    var items = false
    var ladder = Ladder.whole

    public enum Name: NamedCases {
      case firstWaiting, repeatedWaiting, alert, toast, data, noData
    }

    /// The ladder of conditions, in each of the lengths to which it grew.
    public var name: Name {
      switch ladder {
      case .two: error ? .toast : .data
      case .three: error ? .toast : items ? .data : .noData
      case .four: waiting ? .firstWaiting : error ? .toast : items ? .data : .noData
      case .whole:
        if waiting {
          repeated ? .repeatedWaiting : .firstWaiting
        } else if error {
          systemError ? .alert : .toast
        } else {
          items ? .data : .noData
        }
      }
    }

    /// Whether the flags contradict each other: waiting and failed at once, items before the first answer, repeated
    /// without waiting, or a system error without an error.
    var isFictitious: Bool {
      waiting ? error || systemError || items && !repeated : repeated || systemError && !error
    }
  }

  /// How many branches the ladder has.
  public enum Ladder: String, Choice {
    /// Error, or data.
    case two = "2"
    /// Error, data, or no data.
    case three = "3"
    /// Waiting comes first.
    case four = "4"
    /// Two sorts of waiting, and two of errors.
    case whole
  }

  public struct Parameters: ParameterSet {
    var branches = Ladder.whole
    public init() {}
  }

  /// The flags of the screen, each independent of the others.
  public enum Flag: String, Choice {
    case waiting, repeated, error, systemError, items

    fileprivate var path: WritableKeyPath<State, Bool> {
      switch self {
      case .waiting: \.waiting
      case .repeated: \.repeated
      case .error: \.error
      case .systemError: \.systemError
      case .items: \.items
      }
    }
  }

  public enum Event: MachineEvent { case set(Flag, Bool) }

  public var state = State()
  public init() {}

  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    var state =
      switch name {
      case .firstWaiting: State(waiting: true)
      case .repeatedWaiting: State(waiting: true, repeated: true)
      case .alert: State(error: true, systemError: true)
      case .toast: State(error: true)
      case .data: State(items: true)
      case .noData: State()
      }
    state.ladder = step.parameters.branches
    return state
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .set(let flag, let isOn):
      var next = state
      next[keyPath: flag.path] = isOn
      if next == state { return .ignore }
      name(flagsIn: next, step)
      return next.name == state.name ? .stayAs(next) : .move(to: next)
    }
  }

  /// Names the flags as guards, since nothing else tells which screen comes next.
  private func name(flagsIn next: State, _ step: Step<Self>) {
    _ = step.when("waiting", next.waiting)
    _ = step.when("repeated", next.repeated)
    _ = step.when("error", next.error)
    _ = step.when("systemError", next.systemError)
    _ = step.when("items", next.items)
  }
}

extension FlagScreen {
  public static let kind = Kind(
    FlagScreen.self, "flagScreen", "a screen driven by flags and a ladder of conditions, for comparison with comments",
    origin: "a talk on state machines in iOS apps: the ladder of conditions that a state machine replaces",
    source: "talk",
    example: [
      "new flagScreen s", "send s set waiting on", "send s set error on", "show s", "send s set waiting off",
      "send s set systemError on", "send s set error off", "send s set items on", "show s",
    ],
    states: {
      switch $0 {
      case .firstWaiting: "an indicator is shown without content"
      case .repeatedWaiting: "an indicator is shown over the old content"
      case .alert: "an alert is shown: the system has failed"
      case .toast: "a short notice is shown: a request has failed"
      case .data: "the table is shown"
      case .noData: "a placeholder is shown: there are no items"
      }
    },
    events: [
      .event(Event.set, .choice("flag"), .flag("to"), about: "sets or clears a flag, independent of the others")
    ],
    readings: [
      .reading("waiting", .flag, \.state.waiting, "whether an answer is awaited"),
      .reading("repeated", .flag, \.state.repeated, "whether it is a repeated request"),
      .reading("error", .flag, \.state.error, "whether the last answer was an error"),
      .reading("systemError", .flag, \.state.systemError, "whether it was a system error"),
      .reading("items", .flag, \.state.items, "whether there are items to show"),
      .reading("fictitious", .flag, \.state.isFictitious, "whether the flags contradict each other"),
    ],
    parameters: [
      .parameter("branches", \.branches, "how far the ladder has grown: 2, 3 or 4 branches, or the whole of it")
    ])
}
