public import StateMachines

extension ValueType {
  /// An error in a few words.
  fileprivate static let errorText = ValueType.text(bytes: 1...64)
}

extension Comments {
  public static let kind = Kind(
    Comments.self, "comments", "a screen with a table of comments: waiting, data, no data, or an error",
    form: .stateObjects,
    origin: "a talk on state machines in iOS apps, built in the manner of GameplayKit; reload is added here",
    source: "talk",
    example: [
      "new comments c items=2 failures=1", "send c viewAppeared", "advance 3", "send c reload", "advance 3", "show c",
      "send c failed timeout",
    ],
    states: {
      switch $0 {
      case .none: "the screen has not appeared"
      case .waitingData: "a loading indicator is shown; the comments were requested"
      case .data: "the table of comments is shown"
      case .noData: "a placeholder is shown: there are no comments"
      case .error: "an error is shown"
      }
    },
    events: [
      .event(.viewAppeared, "the screen appears, for the first time or again"),
      .event(Event.received, .count("items"), about: "the service has sent this many comments"),
      .event(Event.failed, .text("error", bytes: 1...64, like: ["timeout"]), about: "the request has failed"),
      .event(.reload, "the person reloads the comments"),
    ],
    timers: [
      .timer(.received(0), after: "latency", "the simulated service sends the comments"),
      .timer(.failed(""), after: "latency", "the simulated service fails"),
    ],
    outputs: {
      switch $0 {
      case .showLoading: "the loading indicator appears"
      case .hideLoading: "the loading indicator disappears"
      case .showTable: .output(("items", .integer(0...1_000_000)), about: "the table appears")
      case .hideTable: "the table disappears"
      case .showPlaceholder: "the placeholder appears"
      case .hidePlaceholder: "the placeholder disappears"
      case .showError: .output(("error", .errorText), about: "the error appears")
      case .hideError: "the error disappears"
      case .request: "requests the comments"
      }
    },
    parameters: [
      .parameter("strict", \.strict, "on: a load is final, and reload is refused")
    ] + Parameters.serviceForms + [Parameters.itemsForm("how many comments the service sends")])
}
