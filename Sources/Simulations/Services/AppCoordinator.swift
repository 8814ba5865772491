public import StateMachines

/// An app coordinator: one machine for the flow that is shown, its stack of screens, and what covers them.
///
/// | state | launched | onboardingDone | loggedIn | loggedOut | push | pop | present | dismiss | deepLink |
/// | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
/// | launching | → onboarding, main or loggedOut | refused | refused | refused | refused | refused | refused | refused | remembered |
/// | onboarding | ignored | → loggedOut | refused | refused | refused | refused | refused | refused | remembered |
/// | loggedOut | ignored | ignored | → main and the link | ignored | stayed | stayed, at the root ignored | refused | refused | remembered |
/// | main | ignored | ignored | ignored | → loggedOut | stayed | stayed, at the root ignored | → modal | ignored | the stack becomes the link |
/// | modal | ignored | ignored | ignored | → loggedOut, modal closed first | stayed | stayed, at the root ignored | refused | → main | → main, then the link |
/// | locked | ignored | ignored | ignored | → loggedOut | refused | refused | refused | refused | remembered |
///
/// launched leads to onboarding on a first run, and otherwise to main or loggedOut, depending on whether there is a
/// session. A link that comes too early is remembered, only the last one, until a main screen can show it: after
/// loggedIn, after launched with a session, and after unlock.
///
/// lock leads from main and modal to locked, and is ignored elsewhere. unlock leads from locked to the covered state,
/// or to main with the link that came meanwhile, and is ignored elsewhere.
///
/// Chosen here, because no source defines it: A link's path is one screen on top of the home screen, its parts joined
/// by spaces (`/resume/7` is `resume 7`). A path without parts is the home screen. There is one tab, so `tab` is the
/// home screen. A modal screen has its own stack. In `locked` events for the covered screen are refused, and
/// repetitions are ignored. A stack holds 64 screens; another one is refused.
public struct AppCoordinator: Machine {
  public struct State: StateWithData {
    public enum Name: NamedCases, Codable { case launching, onboarding, loggedOut, main, modal, locked }

    public fileprivate(set) var name: Name
    /// The screens of the flow in front, the root first; empty before the first flow.
    fileprivate(set) var stack: [String] = []
    /// The screens under a modal one.
    fileprivate(set) var parent: [String]?
    /// The path of a link that came too early.
    fileprivate(set) var link: String?
  }

  public enum Event: MachineEvent {
    case launched(firstRun: Bool, session: Bool)
    case onboardingDone, loggedIn, loggedOut
    case push(String), pop, present(String), dismiss
    case deepLink(String)
    case lock, unlock
  }

  public enum Output: OutputWithData {
    /// Removes all screens and shows one.
    case showRoot(String)
    case pushed(String), popped(String), presented(String), dismissed(String)
    case covered, uncovered

    public enum Name: NamedCases { case showRoot, pushed, popped, presented, dismissed, covered, uncovered }
  }

  public var state = State(name: .launching)
  public init() {}

  public mutating func start(in name: State.Name, _ step: Step<Self>) -> State {
    switch name {
    case .launching, .onboarding: State(name: name)
    case .loggedOut: State(name: name, stack: ["login"])
    case .main, .locked: State(name: name, stack: ["home"])
    case .modal: State(name: name, stack: ["modal"], parent: ["home"])
    }
  }

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .launched(let firstRun, let session):
      switch state.name {
      case .launching: .move(to: firstRun ? state.onboarding(step) : session ? state.home(step) : state.login(step))
      case .onboarding, .loggedOut, .main, .modal, .locked: .ignore
      }
    case .onboardingDone:
      switch state.name {
      case .launching: step.refuse(Self.isLaunching)
      case .onboarding: .move(to: state.login(step))
      case .loggedOut, .main, .modal, .locked: .ignore
      }
    case .loggedIn:
      switch state.name {
      case .launching: step.refuse(Self.isLaunching)
      case .onboarding: step.refuse(Self.isOnboarding)
      case .loggedOut: .move(to: state.home(step))
      case .main, .modal, .locked: .ignore
      }
    case .loggedOut:
      switch state.name {
      case .launching: step.refuse(Self.isLaunching)
      case .onboarding: step.refuse(Self.isOnboarding)
      case .loggedOut: .ignore
      case .main, .modal: .move(to: state.withoutModal(step).login(step))
      case .locked: .move(to: state.uncovered(step).withoutModal(step).login(step))
      }
    case .push(let screen):
      switch state.name {
      case .launching: step.refuse(Self.isLaunching)
      case .onboarding: step.refuse(Self.isOnboarding)
      case .loggedOut, .main, .modal: push(screen, step)
      case .locked: step.refuse(Self.isLocked)
      }
    case .pop:
      switch state.name {
      case .launching: step.refuse(Self.isLaunching)
      case .onboarding: step.refuse(Self.isOnboarding)
      case .loggedOut, .main, .modal: pop(step)
      case .locked: step.refuse(Self.isLocked)
      }
    case .present(let screen):
      switch state.name {
      case .launching: step.refuse(Self.isLaunching)
      case .onboarding: step.refuse(Self.isOnboarding)
      case .loggedOut: step.refuse("the login screens have no modal screen")
      case .main: .move(to: state.modal(screen, step))
      case .modal: step.refuse("one modal screen is shown already")
      case .locked: step.refuse(Self.isLocked)
      }
    case .dismiss:
      switch state.name {
      case .launching: step.refuse(Self.isLaunching)
      case .onboarding: step.refuse(Self.isOnboarding)
      case .loggedOut: step.refuse("the login screens have no modal screen")
      case .main: .ignore
      case .modal: .move(to: state.withoutModal(step))
      case .locked: step.refuse(Self.isLocked)
      }
    case .deepLink(let path):
      switch state.name {
      case .launching, .onboarding, .loggedOut, .locked: .stayAs(state.remembering(path))
      case .main: .stayAs(state.remembering(path).home(step))
      case .modal: .move(to: state.remembering(path).withoutModal(step).home(step))
      }
    case .lock:
      switch state.name {
      case .launching, .onboarding, .loggedOut, .locked: .ignore
      case .main, .modal: .move(to: state.covered(step))
      }
    case .unlock:
      switch state.name {
      case .launching, .onboarding, .loggedOut, .main, .modal: .ignore
      case .locked where step.when("a link waits", state.link != nil):
        .move(to: state.uncovered(step).withoutModal(step).home(step))
      case .locked: .move(to: state.uncovered(step))
      }
    }
  }

  private func push(_ screen: String, _ step: Step<Self>) -> Reaction<State> {
    if step.when("stack full", state.stack.count >= Self.mostScreens) {
      return step.refuse("\(Self.mostScreens) screens are on the stack already")
    }
    var next = state
    next.stack.append(screen)
    return step.emit(.pushed(screen), then: .stayAs(next))
  }

  private func pop(_ step: Step<Self>) -> Reaction<State> {
    if step.when("at the root", state.stack.count == 1) { return .ignore }
    var next = state
    step.emit(.popped(next.stack.removeLast()))
    return .stayAs(next)
  }

  private static let isLaunching = "the app is still launching"
  private static let isOnboarding = "the onboarding must be finished first"
  private static let isLocked = "the app is locked"
  /// The most screens that a stack holds.
  static let mostScreens = 64
}

// The next state. Each function emits what the app must show.
extension AppCoordinator.State {
  fileprivate func onboarding(_ step: Step<AppCoordinator>) -> Self {
    step.emit(.showRoot("onboarding"))
    return Self(name: .onboarding, link: link)
  }

  fileprivate func login(_ step: Step<AppCoordinator>) -> Self {
    step.emit(.showRoot("login"))
    return Self(name: .loggedOut, stack: ["login"], link: link)
  }

  /// The home screen, with the screen of the link on top if there is one.
  fileprivate func home(_ step: Step<AppCoordinator>) -> Self {
    step.emit(.showRoot("home"))
    let screen = (link ?? "").split(separator: "/").joined(separator: " ")
    if screen.isEmpty { return Self(name: .main, stack: ["home"]) }
    step.emit(.pushed(screen))
    return Self(name: .main, stack: ["home", screen])
  }

  fileprivate func modal(_ screen: String, _ step: Step<AppCoordinator>) -> Self {
    step.emit(.presented(screen))
    return Self(name: .modal, stack: [screen], parent: stack)
  }

  /// Removes the modal screen, if one is shown.
  fileprivate func withoutModal(_ step: Step<AppCoordinator>) -> Self {
    guard let parent else { return self }
    step.emit(.dismissed(stack[0]))
    return Self(name: .main, stack: parent, link: link)
  }

  fileprivate func covered(_ step: Step<AppCoordinator>) -> Self {
    step.emit(.covered)
    return Self(name: .locked, stack: stack, parent: parent)
  }

  fileprivate func uncovered(_ step: Step<AppCoordinator>) -> Self {
    step.emit(.uncovered)
    return Self(
      name: step.when("over a modal screen", parent != nil) ? .modal : .main, stack: stack, parent: parent, link: link)
  }

  fileprivate func remembering(_ link: String) -> Self { Self(name: name, stack: stack, parent: parent, link: link) }
}
