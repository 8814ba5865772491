public import StateMachines

extension ValueType {
  /// A screen's name, as a person or a link's path gives it.
  fileprivate static let screen = ValueType.text(bytes: 1...256)
  /// Screens, separated by commas.
  fileprivate static let screens = ValueType.text(bytes: 1...(258 * AppCoordinator.mostScreens))
}

extension AppCoordinator {
  public static let kind = Kind(
    AppCoordinator.self, "appCoordinator",
    "the navigation of an app: flows, stacks of screens, a modal screen, links and a lock",
    origin: "a talk on state machines in iOS applications names app coordinators; this one is designed here",
    source: "talk",
    example: [
      "new appCoordinator app", "send app launched false false", "send app deepLink /resume/7", "send app loggedIn",
      "show app", "send app present filter", "send app present settings", "send app loggedOut", "send app pop",
    ],
    states: {
      switch $0 {
      case .launching: "the app is starting"
      case .onboarding: "the first run shows the onboarding"
      case .loggedOut: "there is no session: the login screens are shown"
      case .main: "the main screens are shown"
      case .modal: "a modal screen covers the main screens"
      case .locked: "everything is covered until the app is unlocked"
      }
    },
    events: [
      .event(Event.launched, .flag("firstRun"), .flag("session"), about: "the app has loaded its stored data"),
      .event(.onboardingDone, "the person has seen the onboarding"),
      .event(.loggedIn, "a session has started"),
      .event(.loggedOut, "the session has ended"),
      .event(Event.push, .text("screen", bytes: 1...64, like: ["x"]), about: "a screen is pushed on the stack"),
      .event(.pop, "the top screen is removed"),
      .event(Event.present, .text("screen", bytes: 1...64, like: ["x"]), about: "a modal screen is requested"),
      .event(.dismiss, "the modal screen is closed"),
      .event(Event.deepLink, .text("path", bytes: 1...256, like: ["/resume/7", "/"]), about: "a link is opened"),
      .event(.lock, "the app is locked"),
      .event(.unlock, "the app is unlocked"),
    ],
    outputs: {
      switch $0 {
      case .showRoot: .output(("screen", .screen), about: "all screens are replaced by one")
      case .pushed: .output(("screen", .screen), about: "a screen is pushed on the stack")
      case .popped: .output(("screen", .screen), about: "the top screen is removed")
      case .presented: .output(("screen", .screen), about: "a modal screen is shown")
      case .dismissed: .output(("screen", .screen), about: "the modal screen is closed")
      case .covered: "the screens are hidden"
      case .uncovered: "the screens are shown again"
      }
    },
    readings: [
      .reading("stack", .screens, "the screens of the flow in front, the root first") {
        app, _, _ in app.state.stack.isEmpty ? nil : app.state.stack.joined(separator: ", ")
      },
      .reading("parent", .screens, "the screens under a modal one, the root first") {
        app, _, _ in app.state.parent?.joined(separator: ", ")
      },
      .reading("tab", .screen, "the root of the main screens") {
        app, _, _ in app.state.name == .loggedOut ? nil : (app.state.parent ?? app.state.stack).first
      },
      .reading("link", .screen, \.state.link, "the path of a link that waits to be shown"),
    ])
}
