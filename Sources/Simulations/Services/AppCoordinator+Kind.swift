public import StateMachines

extension ValueType {
  /// A screen's name, as a person or a link's path gives it.
  fileprivate static let screen = ValueType.text(bytes: 1...256)
  /// Screens, separated by commas.
  fileprivate static let screens = ValueType.text(bytes: 1...(258 * AppCoordinator.mostScreens))
}

extension AppCoordinator {
  public static let kind = Kind(
    AppCoordinator.self, "appCoordinator", "what an app shows: flows, stacks of screens, a modal screen, links, a lock",
    origin: "a talk on state machines in iOS applications names app coordinators; this one is designed here",
    example: [
      "new appCoordinator app", "send app launched false false", "send app deepLink /resume/7", "send app loggedIn",
      "show app", "send app present filter", "send app present settings", "send app loggedOut", "send app pop",
    ],
    states: {
      switch $0 {
      case .launching: "the app has not said yet what it found"
      case .onboarding: "the first run explains the app"
      case .loggedOut: "there is no session, and the login screens are shown"
      case .main: "the app proper is shown"
      case .modal: "a screen covers the app proper"
      case .locked: "everything is covered until the app is unlocked"
      }
    },
    events: [
      .event(Event.launched, .flag("firstRun"), .flag("session"), about: "the app knows what it has stored"),
      .event(.onboardingDone, "the person has seen the onboarding"),
      .event(.loggedIn, "there is a session now"),
      .event(.loggedOut, "there is no session any more"),
      .event(Event.push, .text("screen", bytes: 1...64), about: "a screen is laid on those that are shown"),
      .event(.pop, "the screen on top is taken away"),
      .event(Event.present, .text("screen", bytes: 1...64), about: "a screen is to cover the app"),
      .event(.dismiss, "the screen that covers the app is taken away"),
      .event(Event.deepLink, .text("path", bytes: 1...256, like: ["/resume/7"]), about: "a link leads into the app"),
      .event(.lock, "what is shown is to be hidden"),
      .event(.unlock, "the person has shown who they are"),
    ],
    outputs: {
      switch $0 {
      case .showRoot: .output(("screen", .screen), about: "all screens are taken away, and one is shown")
      case .pushed: .output(("screen", .screen), about: "a screen is laid on those that are shown")
      case .popped: .output(("screen", .screen), about: "the screen on top is taken away")
      case .presented: .output(("screen", .screen), about: "a screen covers the app")
      case .dismissed: .output(("screen", .screen), about: "the screen that covered the app is taken away")
      case .covered: "everything is hidden"
      case .uncovered: "what was hidden is shown again"
      }
    },
    readings: [
      .reading("stack", .screens, "the screens of the flow in front, the root first") {
        app, _, _ in app.state.stack.isEmpty ? nil : app.state.stack.joined(separator: ", ")
      },
      .reading("parent", .screens, "the screens under a modal one, the root first") {
        app, _, _ in app.state.parent?.joined(separator: ", ")
      },
      .reading("tab", .screen, "the root of the app proper") {
        app, _, _ in app.state.name == .loggedOut ? nil : (app.state.parent ?? app.state.stack).first
      },
      .reading("link", .screen, \.state.link, "the path that waits until it can be shown"),
    ])
}
