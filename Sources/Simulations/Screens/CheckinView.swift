public import MachineForms
public import StateMachines

/// The view of a ``CheckinsWithLogin`` screen: a person's taps go in, and what is drawn comes out.
///
/// | state | viewLoaded | show(spinner) | show(table) | retryTapped | logoutTapped | login(A,ok) |
/// | --- | --- | --- | --- | --- | --- | --- |
/// | blank | stayed > refresh | → spinner > spinner true | → table | refused | stayed > logout | refused |
/// | spinner | stayed > refresh | ignored | → table > spinner false | refused | stayed > logout | refused |
/// | message | stayed > refresh | → spinner > spinner true | → table | stayed > refresh | stayed > logout | refused |
/// | placeholder | stayed > refresh | → spinner > spinner true | → table | refused | stayed > logout | refused |
/// | table | stayed > refresh | → spinner > spinner true | ignored | refused | stayed > logout | refused |
/// | loginPrompt | stayed > refresh | → spinner > spinner true | → table | refused | refused | stayed > login A ok |
///
/// A move into or out of `spinner` emits spinner on or off.
///
/// The view decides nothing: it draws what the screen's machine says, and refuses a tap on a button that is not shown.
/// It knows neither services nor the interactor, so any number of views can show one machine.
public struct CheckinView: Machine {
  public enum State: MachineState, SwitchState {
    case blank, spinner, message, placeholder, table, loginPrompt

    public static var initial: State { .blank }

    public func next(with view: CheckinsView) -> State {
      switch view {
      case .spinner: .spinner
      case .message: .message
      case .placeholder: .placeholder
      case .table: .table
      case .loginPrompt: .loginPrompt
      }
    }
  }

  public enum Event: MachineEvent {
    case viewLoaded, show(CheckinsView), retryTapped, logoutTapped, login(String, String)
  }

  public enum Output: OutputWithData {
    case refresh, logout, login(String, String), spinner(Bool)

    public enum Name: NamedCases { case refresh, logout, login, spinner }
  }

  /// Draws the changes, and only them.
  private final class Canvas: SwitchObserver {
    private let step: Step<CheckinView>

    init(_ step: Step<CheckinView>) {
      self.step = step
    }

    func stateDidChange(from previous: State, to next: State) {
      if previous == .spinner { step.emit(.spinner(false)) }
      if next == .spinner { step.emit(.spinner(true)) }
    }
  }

  public var state = State.initial
  public init() {}

  public mutating func react(to event: Event, _ step: Step<Self>) -> Reaction<State> {
    switch event {
    case .viewLoaded: return step.emit(.refresh, then: .stay)
    case .show(let view):
      let machine = SwitchMachine(startingIn: state)
      let canvas = Canvas(step)
      machine.observer = canvas
      // The machine does not keep its observer alive.
      withExtendedLifetime(canvas) { machine.transition(with: view) }
      return machine.state == state ? .ignore : .move(to: machine.state)
    case .retryTapped:
      switch state {
      case .message: return step.emit(.refresh, then: .stay)
      case .blank, .spinner, .placeholder, .table, .loginPrompt: return step.refuse("the retry button is not shown")
      }
    case .logoutTapped:
      switch state {
      case .blank, .spinner, .message, .placeholder, .table: return step.emit(.logout, then: .stay)
      case .loginPrompt: return step.refuse("nobody is logged in")
      }
    case .login(let user, let password):
      switch state {
      case .loginPrompt: return step.emit(.login(user, password), then: .stay)
      case .blank, .spinner, .message, .placeholder, .table: return step.refuse("the login prompt is not shown")
      }
    }
  }

  public static let kind = Kind(
    CheckinView.self, "checkinView", "the view of a check-in list: it forwards taps and draws the screen's state",
    origin: "the view of an article on state machines in iOS apps: it forwards taps and draws the machine's state",
    source: "article",
    example: [
      "new checkinView v", "watch v", "send v viewLoaded", "send v show spinner", "send v show loginPrompt",
      "send v logoutTapped", "send v login A ok",
    ],
    states: {
      switch $0 {
      case .blank: "nothing is shown yet"
      case .spinner: "a spinner is shown"
      case .message: "an error message and a retry button are shown"
      case .placeholder: "a placeholder for the empty list is shown"
      case .table: "the list is shown"
      case .loginPrompt: "a login prompt is shown"
      }
    },
    events: [
      .event(.viewLoaded, "the view appears for the first time"),
      .event(Event.show, .choice("view"), about: "the screen tells what to show"),
      .event(.retryTapped, "the retry button is tapped"),
      .event(.logoutTapped, "the logout button is tapped"),
      .event(
        Event.login, .text("user", bytes: 0...64, like: ["A"]), .text("password", bytes: 0...64, like: ["ok"]),
        about: "the person submits the login screen"),
    ],
    outputs: {
      switch $0 {
      case .refresh: "asks the interactor for the list"
      case .logout: "asks the interactor to log out"
      case .login:
        .output(("user", .text(bytes: 0...64)), ("password", .text(bytes: 0...64)), about: "asks for a login")
      case .spinner: .output(("isOn", .flag), about: "the spinner appears or disappears")
      }
    })
}
