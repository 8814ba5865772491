public import StateMachines

extension Catalogue {
  /// Every kind that this package simulates: devices first, and compositions behind their members.
  public static let simulations = Catalogue([
    .machine(Fridge.kind),
    .machine(DoorFridge.kind),
    .machine(SmartFridge.kind),
    .machine(Power.kind),
    .machine(BoldText.kind),
    .machine(ShiftKey.kind),
    .machine(Employees.kind),
    .machine(GameCharacter.kind),
    .machine(Enemy.kind),
    .machine(GameSession.kind),
    .machine(NetworkClient.kind),
    .machine(Database.kind),
    .machine(Payment.kind),
    .machine(Operation.kind),
    .machine(AppCoordinator.kind),
    .machine(Background.kind),
    .machine(CallTracker.kind),
    .machine(Phone.kind),
    .composition(.phoneCall),
    .machine(Inbox.kind),
  ])
}
