public import StateMachines

extension Catalogue {
  /// Every kind that this package simulates: devices first, and compositions behind their members.
  public static let simulations = Catalogue([
    .machine(Fridge.kind),
    .machine(DoorFridge.kind),
    .machine(SmartFridge.kind),
    .machine(Power.kind),
    .machine(BoldText.kind),
    .machine(Job.kind),
    .machine(ShiftKey.kind),
    .machine(Checkins.kind),
    .machine(CheckinsWithLogin.kind),
    .machine(CheckinsService.kind),
    .machine(Auth.kind),
    .machine(CheckinInteractor.kind),
    .composition(.checkinApp),
    .machine(NaiveCheckins.kind),
    .machine(Comments.kind),
    .machine(FlagScreen.kind),
    .machine(NetworkClient.kind),
    .machine(Database.kind),
    .machine(Payment.kind),
    .machine(ListDetailCoordinator.kind),
    .machine(Background.kind),
    .machine(CallTracker.kind),
    .machine(Phone.kind),
    .composition(.phoneCall),
    .machine(Counter.kind),
    .machine(MVITrace.kind),
    .machine(OpenResume.kind),
    .machine(Pagination.kind),
    .machine(Freeform.kind),
    .machine(Stepper.kind),
  ])
}
