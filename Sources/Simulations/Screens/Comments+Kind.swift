public import StateMachines

extension ValueType {
  /// An error in a few words.
  fileprivate static let errorText = ValueType.text(bytes: 1...64)
}

extension Comments {
  public static let kind = Kind(
    Comments.self, "comments", "a screen that shows comments in a table: waiting, data, no data, or an error",
    form: .stateObjects,
    origin: """
      a talk on state machines in iOS apps: four states and three transitions as they are there, built in the manner of GameplayKit; \
      reloading is added
      """,
    example: [
      "new comments c items=2 failures=1", "send c viewAppeared", "advance 3", "send c reload", "advance 3", "show c",
      "send c failed timeout",
    ],
    states: {
      switch $0 {
      case .none: "the screen has not appeared"
      case .waitingData: "a loading indicator; the comments were asked for"
      case .data: "the table of comments"
      case .noData: "a placeholder: there are no comments"
      case .error: "what went wrong"
      }
    },
    events: [
      .event(.viewAppeared, "the screen appears, for the first time or again"),
      .event(Event.received, .count("items"), about: "the service has sent so many comments"),
      .event(
        Event.failed, .text("error", bytes: 1...64, like: ["timeout"]), about: "the service could not send them"),
      .event(.reload, "the person asks for the comments again"),
    ],
    timers: [
      .timer(.received(0), after: "latency", "the simulated service sends the comments"),
      .timer(.failed(""), after: "latency", "the simulated service fails"),
    ],
    outputs: {
      switch $0 {
      case .showLoading: "the loading indicator appears"
      case .hideLoading: "the loading indicator goes"
      case .showTable: .output(("items", .integer(0...1_000_000)), about: "the table appears")
      case .hideTable: "the table goes"
      case .showPlaceholder: "the placeholder appears"
      case .hidePlaceholder: "the placeholder goes"
      case .showError: .output(("error", .errorText), about: "the error appears")
      case .hideError: "the error goes"
      case .request: "asks the service for the comments"
      }
    },
    parameters: [
      .parameter("strict", \.strict, "on: a load is final, and reload is refused")
    ] + Parameters.serviceForms + [Parameters.itemsForm("how many comments the service sends")])
}
