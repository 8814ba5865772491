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
    .machine(CallTracker.kind),
    .machine(Phone.kind),
    .composition(.phoneCall),
    .machine(Keyboard.kind),
  ])
}
