public import StateMachines

extension Catalogue {
  /// Every kind that this package simulates, in the order of their difficulty.
  public static let simulations = Catalogue([
    .machine(Fridge.kind),
    .machine(DoorFridge.kind),
    .machine(SmartFridge.kind),
    .machine(Power.kind),
    .machine(BoldText.kind),
    .machine(ShiftKey.kind),
  ])
}
