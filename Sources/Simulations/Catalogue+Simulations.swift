public import StateMachines

extension Catalogue {
  /// Every kind that this package simulates: compositions behind their members.
  public static let simulations = Catalogue([
    .machine(Fridge.kind),
    .machine(DoorFridge.kind),
    .machine(SmartFridge.kind),
    .machine(Power.kind),
    .machine(BoldText.kind),
    .machine(ShiftKey.kind),
    .machine(SpamFilter.kind),
    .machine(RegexMatcher.kind),
    .machine(HTTPRequest.kind),
    .machine(SMTP.kind),
    .machine(POP3.kind),
    .machine(IMAP.kind),
    .composition(.proxy),
    .machine(CallTracker.kind),
    .machine(Phone.kind),
    .composition(.phoneCall),
    .machine(WordAcceptor.kind),
  ])
}
