public import StateMachines

/// What an app shows, as one machine: which flow, which screens lie on one another, and what covers them.
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
/// launched goes to onboarding on a first run, otherwise by whether there is a session. A link that comes too early is
/// remembered, the last one only, until there is a main screen to show it on. That is after loggedIn, after launched
/// with a session, and after unlock.
///
/// Chosen here, since nobody has written it down: A link's path is one screen, its parts joined by spaces (`/resume/7`
/// is `resume 7`), on top of the home screen; a path without parts is the home screen. Nothing switches tabs, so `tab`
/// is the home screen's. A modal screen has a stack of its own. Lock covers `main` and `modal`, where there is something to
/// hide, and is ignored elsewhere; unlock brings back what was covered, or shows the link that came meanwhile. In
/// `locked` what a person would do on the covered screen is refused, and what only repeats is ignored. A stack holds
/// 64 screens; another one is refused.
public struct AppCoordinator: LegacyMachine {
  public enum State: StateWithData {
    /// The app has not said yet what it found. With a link that came in.
    case launching(Link)
    /// The first run explains the app.
    case onboarding(Link)
    /// There is no session; the login flow is shown.
    case loggedOut(Stack, Link)
    case main(Stack)
    /// A screen covers the main stack, and has a stack of its own.
    case modal(Stack, over: Stack)
    /// Everything is covered until the app is unlocked.
    case locked(Covered, Link)

    public enum Name: NamedCases { case launching, onboarding, loggedOut, main, modal, locked }

    public var name: Name {
      switch self {
      case .launching: .launching
      case .onboarding: .onboarding
      case .loggedOut: .loggedOut
      case .main: .main
      case .modal: .modal
      case .locked: .locked
      }
    }
  }

  /// A path that came too early, remembered; `nil` if none did.
  public typealias Link = String?

  /// What a lock covers.
  public enum Covered: Hashable, Sendable, Codable {
    case main(Stack)
    case modal(Stack, over: Stack)
  }

  /// Screens on one another, the root first; never empty.
  public struct Stack: Hashable, Sendable, Codable {
    /// How many screens lie on one another at most.
    static let limit = 64

    fileprivate(set) var screens: [String]

    fileprivate init(_ root: String) { screens = [root] }

    var isFull: Bool { screens.count >= Stack.limit }
    var isAtRoot: Bool { screens.count == 1 }
  }

  public enum Event: Sendable {
    case launched(firstRun: Bool, session: Bool)
    case onboardingDone, loggedIn, loggedOut
    case push(String)
    case pop
    case present(String)
    case dismiss
    case deepLink(String)
    case lock, unlock
  }

  public enum Output: OutputWithData {
    /// Takes all screens away and shows one.
    case showRoot(String)
    case pushed(String)
    case popped(String)
    case presented(String)
    case dismissed(String)
    case covered, uncovered

    public enum Name: NamedCases {
      case showRoot, pushed, popped, presented, dismissed, covered, uncovered
    }

    public var name: Name {
      switch self {
      case .showRoot: .showRoot
      case .pushed: .pushed
      case .popped: .popped
      case .presented: .presented
      case .dismissed: .dismissed
      case .covered: .covered
      case .uncovered: .uncovered
      }
    }

    public var data: [Value] {
      switch self {
      case .showRoot(let screen), .pushed(let screen), .popped(let screen), .presented(let screen),
        .dismissed(let screen):
        [.text(screen)]
      case .covered, .uncovered: []
      }
    }
  }

  public var state: State

  public init(initial: State.Name?, _ step: Step<Self>) {
    switch initial ?? .launching {
    case .launching: state = .launching(nil)
    case .onboarding: state = .onboarding(nil)
    case .loggedOut: state = .loggedOut(Stack(Screen.login), nil)
    case .main: state = .main(Stack(Screen.home))
    case .modal: state = .modal(Stack(Screen.modal), over: Stack(Screen.home))
    case .locked: state = .locked(.main(Stack(Screen.home)), nil)
    }
  }

  public mutating func react(to input: Input<Event, NoNames>, _ step: Step<Self>) -> Reaction<State> {
    switch (state, input) {
    // From flow to flow.
    case (.launching(let link), .event(.launched(firstRun: true, session: _))):
      step.emit(.showRoot(Screen.onboarding))
      return .move(to: .onboarding(link))
    case (.launching(let link), .event(.launched(firstRun: false, session: true))),
      (.loggedOut(_, let link), .event(.loggedIn)):
      return .move(to: .main(home(link, step)))
    case (.launching(let link), .event(.launched(firstRun: false, session: false))),
      (.onboarding(let link), .event(.onboardingDone)):
      return .move(to: login(link, step))
    case (.main, .event(.loggedOut)):
      return .move(to: login(nil, step))
    case (.modal(let stack, over: _), .event(.loggedOut)):
      step.emit(.dismissed(stack.screens[0]))
      return .move(to: login(nil, step))
    case (.locked(let covered, let link), .event(.loggedOut)):
      step.emit(.uncovered)
      if case .modal(let stack, over: _) = covered { step.emit(.dismissed(stack.screens[0])) }
      return .move(to: login(link, step))

    // On the stacks.
    case (.loggedOut(let stack, let link), .event(.push(let screen))):
      return push(screen, on: stack, step) { .loggedOut($0, link) }
    case (.main(let stack), .event(.push(let screen))):
      return push(screen, on: stack, step) { .main($0) }
    case (.modal(let stack, let parent), .event(.push(let screen))):
      return push(screen, on: stack, step) { .modal($0, over: parent) }
    case (.loggedOut(let stack, let link), .event(.pop)):
      return pop(from: stack, step) { .loggedOut($0, link) }
    case (.main(let stack), .event(.pop)):
      return pop(from: stack, step) { .main($0) }
    case (.modal(let stack, let parent), .event(.pop)):
      return pop(from: stack, step) { .modal($0, over: parent) }

    // Over the stacks.
    case (.main(let stack), .event(.present(let screen))):
      step.emit(.presented(screen))
      return .move(to: .modal(Stack(screen), over: stack))
    case (.modal(let stack, over: let parent), .event(.dismiss)):
      step.emit(.dismissed(stack.screens[0]))
      return .move(to: .main(parent))
    case (.main(let stack), .event(.lock)):
      step.emit(.covered)
      return .move(to: .locked(.main(stack), nil))
    case (.modal(let stack, over: let parent), .event(.lock)):
      step.emit(.covered)
      return .move(to: .locked(.modal(stack, over: parent), nil))
    case (.locked(let covered, let link), .event(.unlock)):
      step.emit(.uncovered)
      return .move(to: uncover(covered, link, step))

    // Links.
    case (.launching, .event(.deepLink(let path))):
      return .stayAs(.launching(path))
    case (.onboarding, .event(.deepLink(let path))):
      return .stayAs(.onboarding(path))
    case (.loggedOut(let stack, _), .event(.deepLink(let path))):
      return .stayAs(.loggedOut(stack, path))
    case (.locked(let covered, _), .event(.deepLink(let path))):
      return .stayAs(.locked(covered, path))
    case (.main, .event(.deepLink(let path))):
      return .stayAs(.main(home(path, step)))
    case (.modal(let stack, over: _), .event(.deepLink(let path))):
      step.emit(.dismissed(stack.screens[0]))
      return .move(to: .main(home(path, step)))

    case (.launching, .event(.onboardingDone)), (.launching, .event(.loggedIn)), (.launching, .event(.loggedOut)),
      (.launching, .event(.push)), (.launching, .event(.pop)), (.launching, .event(.present)),
      (.launching, .event(.dismiss)):
      return step.refuse("the app is still launching")
    case (.onboarding, .event(.loggedIn)), (.onboarding, .event(.loggedOut)), (.onboarding, .event(.push)),
      (.onboarding, .event(.pop)), (.onboarding, .event(.present)), (.onboarding, .event(.dismiss)):
      return step.refuse("the onboarding comes first")
    case (.loggedOut, .event(.present)), (.loggedOut, .event(.dismiss)):
      return step.refuse("nothing covers the login screens")
    case (.modal, .event(.present)):
      return step.refuse("one modal screen is shown already")
    case (.locked, .event(.push)), (.locked, .event(.pop)), (.locked, .event(.present)), (.locked, .event(.dismiss)):
      return step.refuse("the app is locked")

    case (.onboarding, .event(.launched)), (.loggedOut, .event(.launched)), (.main, .event(.launched)),
      (.modal, .event(.launched)), (.locked, .event(.launched)):
      return .ignore
    case (.loggedOut, .event(.onboardingDone)), (.main, .event(.onboardingDone)), (.modal, .event(.onboardingDone)),
      (.locked, .event(.onboardingDone)):
      return .ignore
    case (.main, .event(.loggedIn)), (.modal, .event(.loggedIn)), (.locked, .event(.loggedIn)),
      (.loggedOut, .event(.loggedOut)), (.main, .event(.dismiss)):
      return .ignore
    case (.launching, .event(.lock)), (.onboarding, .event(.lock)), (.loggedOut, .event(.lock)),
      (.locked, .event(.lock)), (.launching, .event(.unlock)), (.onboarding, .event(.unlock)),
      (.loggedOut, .event(.unlock)), (.main, .event(.unlock)), (.modal, .event(.unlock)):
      return .ignore
    }
  }

  /// The screens that are there without anybody asking for them.
  enum Screen {
    static let onboarding = "onboarding"
    static let login = "login"
    static let home = "home"
    /// What is presented in an app that is made in `modal`.
    static let modal = "modal"
  }

  private func login(_ link: Link, _ step: Step<Self>) -> State {
    step.emit(.showRoot(Screen.login))
    return .loggedOut(Stack(Screen.login), link)
  }

  /// The home screen, and on it the screen of a link, if there is one.
  private func home(_ link: Link, _ step: Step<Self>) -> Stack {
    step.emit(.showRoot(Screen.home))
    var stack = Stack(Screen.home)
    let screen = (link ?? "").split(separator: "/").joined(separator: " ")
    if !screen.isEmpty {
      step.emit(.pushed(screen))
      stack.screens.append(screen)
    }
    return stack
  }

  private func push(
    _ screen: String, on stack: Stack, _ step: Step<Self>, _ state: (Stack) -> State
  ) -> Reaction<State> {
    if stack.isFull { return step.refuse("\(Stack.limit) screens lie on one another already") }
    step.emit(.pushed(screen))
    var stack = stack
    stack.screens.append(screen)
    return .stayAs(state(stack))
  }

  private func pop(from stack: Stack, _ step: Step<Self>, _ state: (Stack) -> State) -> Reaction<State> {
    if stack.isAtRoot { return .ignore }
    var stack = stack
    step.emit(.popped(stack.screens.removeLast()))
    return .stayAs(state(stack))
  }

  private func uncover(_ covered: Covered, _ link: Link, _ step: Step<Self>) -> State {
    switch (covered, link) {
    case (.main(let stack), nil): return .main(stack)
    case (.modal(let stack, over: let parent), nil): return .modal(stack, over: parent)
    case (.main, let link?): return .main(home(link, step))
    case (.modal(let stack, over: _), let link?):
      step.emit(.dismissed(stack.screens[0]))
      return .main(home(link, step))
    }
  }
}
