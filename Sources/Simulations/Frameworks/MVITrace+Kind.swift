import MachineForms
public import StateMachines

extension ValueType {
  /// A short word: an action, an effect, a numbered state.
  fileprivate static let word = ValueType.text(bytes: 1...16)
}

extension MVITrace {
  public static let kind = Kind(
    MVITrace.self, "mviTrace", "a feature that emits an output at each call of its parts",
    form: .feature,
    origin: "an engine of MVI features from a talk; the order of calls is that of MVICore and hh.ru's library",
    source: "slides",
    parts: FeatureParts(
      wishes: MVITrace.Wish.allCases.map(\.rawValue), bootstrapper: ["B1", "B2"],
      effects: [
        "E1", "E2", "E3", "E4", "started", "finished", "added", "looped", "second", "third", "unchanged",
      ],
      postProcessor: ["P"], news: ["N1", "N2", "N3", "N4", "L"]),
    example: [
      "new mviTrace r", "new mviTrace q order=queued", "watch r", "watch q", "send r wish I", "send q wish I",
      "send r wish slow", "send r wish fast", "advance 1s", "send r subscribe",
    ],
    states: {
      switch $0 {
      case .idle: "no slow wish is under way; shows the total"
      case .loading: "a slow wish is under way; shows the total"
      case .disposed: "the feature has ended and ignores all events; shows the last total"
      }
    },
    events: [
      .event(Event.wish, .choice("name"), about: "sends a wish"),
      .event(.subscribe, "adds a subscriber, which gets the present state"),
      .event(.dispose, "ends the feature and all work under way"),
    ],
    timers: [
      .timer(.finished, after: "latency", keyed: "wish", "the second effect of a slow wish")
    ],
    outputs: {
      switch $0 {
      case .bootstrapper: .output(("actions", .integer(0...2)), about: "is called, and returns this many actions")
      case .actor: .output(("state", .word), ("action", .word), about: "is called with a state and an action")
      case .reducer: .output(("state", .word), ("effect", .word), about: "is called with the state and an effect")
      case .state:
        .output(
          ("state", .word), ("total", .integer(Int.min...Int.max)), ("status", .choice(["idle", "loading"])),
          about: "a state that subscribers get")
      case .postProcessor:
        .output(
          ("state", .word), ("effect", .word), ("action", .word),
          about: "is called with the new state, and returns an action or nil")
      case .news: .output(("news", .word), ("state", .word), about: "news that are published with this state")
      }
    },
    readings: [
      .reading("total", .integer(Int.min...Int.max), \.state.store.state.total, "the sum of all effects"),
      .reading("loads", .integer(0...mostLoads), \.state.store.state.loads, "the number of slow wishes under way"),
      .reading("revision", .count, \.state.store.state.place, "the number of states before this one"),
    ],
    parameters: [
      .parameter("order", \.order, "when the post-processor's action is handled: at once, or last in the queue"),
      .parameter("bootstrap", \.bootstrap, "on: the bootstrapper returns two actions"),
      .parameter("initialCount", \.initialCount, .integer(-1_000_000...1_000_000), "the initial total"),
      .parameter("latency", \.latency, .delay, "how long a slow wish takes to finish"),
    ])
}
