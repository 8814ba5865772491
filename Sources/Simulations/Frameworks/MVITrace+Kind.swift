import MachineForms
public import StateMachines

extension ValueType {
  /// A short word: an action, an effect, a numbered state.
  fileprivate static let word = ValueType.text(bytes: 1...16)
}

extension MVITrace {
  public static let kind = Kind(
    MVITrace.self, "mviTrace", "a feature that says aloud each call of its parts",
    form: .feature,
    origin: """
      the engine of MVI features that a talk explains part by part; the order of calls is that of the libraries MVICore and \
      hh.ru's, whose code was read
      """,
    example: [
      "new mviTrace r", "new mviTrace q order=queued", "watch r", "watch q", "send r wish I", "send q wish I",
      "send r wish slow", "send r wish fast", "advance 1s", "send r subscribe",
    ],
    states: {
      switch $0 {
      case .idle: "no slow wish is under way; the number"
      case .loading: "a slow wish is under way; the number"
      case .disposed: "whatever comes is dropped; the number as it was left"
      }
    },
    events: [
      .event(Event.wish, .choice("name"), about: "a wish, by name"),
      .event(.subscribe, "a subscriber comes, and is told the present state"),
      .event(.dispose, "the feature ends, with all that is under way"),
    ],
    timers: [
      .timer(.finished, after: "latency", keyed: "wish", "the effect that a slow wish has left for later")
    ],
    outputs: {
      switch $0 {
      case .bootstrapper:
        .output(("actions", .integer(0...2)), about: "is asked for the first actions, and gives so many")
      case .actor: .output(("state", .word), ("action", .word), about: "is asked what comes of an action")
      case .reducer: .output(("state", .word), ("effect", .word), about: "is given the latest state and an effect")
      case .state:
        .output(
          ("state", .word), ("total", .integer(Int.min...Int.max)), ("status", .choice(["idle", "loading"])),
          about: "is emitted to subscribers")
      case .postProcessor:
        .output(
          ("state", .word), ("effect", .word), ("action", .word),
          about: "is given the new state, and answers with an action or nil")
      case .news: .output(("news", .word), ("state", .word), about: "are published, made of this state")
      }
    },
    readings: [
      .reading("total", .integer(Int.min...Int.max), \.state.store.state.total, "the number"),
      .reading("loads", .integer(0...mostLoads), \.state.store.state.loads, "how many slow wishes are under way"),
      .reading(
        "revision", .integer(0...Int.max), \.state.store.state.place,
        "how many states there were before the present one"),
    ],
    parameters: [
      .parameter("order", \.order, "when the post-processor's action is taken up: at once, or behind all that waits"),
      .parameter("bootstrap", \.bootstrap, "the bootstrapper has two actions to begin with"),
      .parameter("initialCount", \.initialCount, .integer(-1_000_000...1_000_000), "the number to begin with"),
      .parameter("latency", \.latency, .delay, "how long a slow wish takes to finish"),
    ])
}
