public import StateMachines

extension Catalogue {
  /// All kinds of this package, each composition after its members.
  public static let simulations = Catalogue(
    [
      .machine(Fridge.kind),
      .machine(DoorFridge.kind),
      .machine(OpenFridge.kind),
      .machine(SmartFridge.kind),
      .machine(Chiller.kind),
      .machine(Power.kind),
      .machine(BoldText.kind),
      .machine(Job.kind),
      .machine(ShiftKey.kind),
      .machine(Checkins.kind),
      .machine(CheckinsWithLogin.kind),
      .machine(CheckinsService.kind),
      .machine(Auth.kind),
      .machine(CheckinInteractor.kind),
      .machine(CheckinView.kind),
      .composition(.checkinApp),
      .machine(NaiveCheckins.kind),
      .machine(Comments.kind),
      .machine(FlagScreen.kind),
      .machine(Employees.kind),
      .machine(GameCharacter.kind),
      .machine(Enemy.kind),
      .composition(.encounter),
      .machine(GameSession.kind),
      .machine(SpamFilter.kind),
      .machine(RegexMatcher.kind),
      .machine(HTTPRequest.kind),
      .machine(SMTP.kind),
      .machine(POP3.kind),
      .machine(IMAP.kind),
      .machine(Supervisor.kind),
      .composition(.proxy),
      .machine(NetworkClient.kind),
      .machine(Database.kind),
      .machine(Payment.kind),
      .machine(Operation.kind),
      .machine(ListDetailCoordinator.kind),
      .machine(AppCoordinator.kind),
      .machine(Background.kind),
      .machine(CallTracker.kind),
      .machine(Phone.kind),
      .composition(.phoneCall),
      .machine(Counter.kind),
      .machine(MVITrace.kind),
      .machine(OpenResume.kind),
      .machine(Pagination.kind),
      .composition(.resumeApp),
      .machine(WordAcceptor.kind),
      .machine(Automaton.kind),
      .machine(Inbox.kind),
      .machine(Freeform.kind),
      .machine(Stepper.kind),
      .machine(Keyboard.kind),
    ], groups: groups)

  /// What the machines are about, as the folders of this package are.
  private static let groups: KeyValuePairs<String, [String]> = [
    "devices": [
      "fridge", "doorFridge", "openFridge", "smartFridge", "chiller", "power", "boldText", "shiftKey", "keyboard",
      "callTracker", "phone", "phoneCall", "character", "enemy", "encounter", "game",
    ],
    "screens": [
      "checkins", "checkinsWithLogin", "checkinView", "checkinApp", "naiveCheckins", "comments", "flagScreen",
      "employees", "background", "resume", "pagination", "resumeApp",
    ],
    "services": [
      "job", "checkinsService", "auth", "checkinInteractor", "http", "smtp", "pop3", "imap", "supervisor", "proxy",
      "networkClient", "database", "payment", "operation", "listDetailCoordinator", "appCoordinator",
    ],
    "text": ["spamFilter", "regex", "acceptor", "automaton"],
    "frameworks": ["counter", "mviTrace", "inbox", "freeform", "stepper"],
  ]
}
