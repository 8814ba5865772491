public import StateMachines

extension AppCoordinator.State {
  /// The screens of the flow that is in front, those under a modal screen or a lock included in neither.
  fileprivate var stack: AppCoordinator.Stack? {
    switch self {
    case .launching, .onboarding: nil
    case .loggedOut(let stack, _), .main(let stack), .modal(let stack, over: _): stack
    case .locked(.main(let stack), _), .locked(.modal(let stack, over: _), _): stack
    }
  }

  /// The main stack under a modal screen.
  fileprivate var parent: AppCoordinator.Stack? {
    switch self {
    case .launching, .onboarding, .loggedOut, .main, .locked(.main, _): nil
    case .modal(_, over: let parent), .locked(.modal(_, over: let parent), _): parent
    }
  }

  /// The root of the main stack.
  fileprivate var tab: String? {
    switch self {
    case .launching, .onboarding, .loggedOut: nil
    case .main(let stack), .modal(_, over: let stack), .locked(.main(let stack), _),
      .locked(.modal(_, over: let stack), _):
      stack.screens[0]
    }
  }

  fileprivate var link: String? {
    switch self {
    case .launching(let link), .onboarding(let link), .loggedOut(_, let link), .locked(_, let link): link
    case .main, .modal: nil
    }
  }
}

extension AppCoordinator.Stack {
  fileprivate var listing: String { screens.joined(separator: ", ") }
}

extension ValueType {
  /// What a person may name a screen, or what becomes of a link's path.
  fileprivate static let screen = ValueType.text(bytes: 1...256)
  /// Screens with commas between.
  fileprivate static let screens = ValueType.text(bytes: 1...(258 * AppCoordinator.Stack.limit))
}

extension AppCoordinator {
  public static let kind = Kind(
    AppCoordinator.self, "appCoordinator", "what an app shows: flows, stacks of screens, a modal screen, links, a lock",
    origin: """
      App coordinators are named in a Spanish talk on state machines in iOS applications as a use of them; this one \
      is designed here, after what apps commonly do
      """,
    example: [
      "new appCoordinator app", "send app launched false false", "send app deepLink /resume/7", "send app loggedIn",
      "show app", "send app present filter", "send app present settings", "send app loggedOut", "send app pop",
    ],
    states: [
      .launching: "the app has not said yet what it found",
      .onboarding: "the first run explains the app",
      .loggedOut: "there is no session, and the login screens are shown",
      .main: "the app proper is shown",
      .modal: "a screen covers the app proper",
      .locked: "everything is covered until the app is unlocked",
    ],
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
    outputs: [
      .showRoot: .output(("screen", .screen), about: "all screens are taken away, and one is shown"),
      .pushed: .output(("screen", .screen), about: "a screen is laid on those that are shown"),
      .popped: .output(("screen", .screen), about: "the screen on top is taken away"),
      .presented: .output(("screen", .screen), about: "a screen covers the app"),
      .dismissed: .output(("screen", .screen), about: "the screen that covered the app is taken away"),
      .covered: .output(about: "everything is hidden"),
      .uncovered: .output(about: "what was hidden is shown again"),
    ],
    readings: [
      .reading("stack", .screens, "the screens of the flow in front, the root first") {
        machine, _, _ in machine.state.stack?.listing
      },
      .reading("parent", .screens, "the screens under a modal one, the root first") {
        machine, _, _ in machine.state.parent?.listing
      },
      .reading("tab", .screen, "the root of the app proper") { machine, _, _ in machine.state.tab },
      .reading("link", .screen, "the path that waits until it can be shown") { machine, _, _ in machine.state.link },
    ])
}
