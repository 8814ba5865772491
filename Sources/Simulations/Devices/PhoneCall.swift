public import StateMachines

extension Composition {
  /// A ``CallTracker`` on a ``Phone``: a tap on `tracker` makes the phone ask, and the tracker hears what the system tells.
  public static let phoneCall = Composition(
    "phoneCall", "a call tracker on a phone: tap on tracker, answer the alert and hang up on phone",
    members: ["tracker": CallTracker.kind, "phone": Phone.kind],
    wires: [
      "tracker.open": "phone.openTel",
      "phone.willResignActive": "tracker.willResignActive",
      "phone.didEnterBackground": "tracker.didEnterBackground",
      "phone.willEnterForeground": "tracker.willEnterForeground",
      "phone.didBecomeActive": "tracker.didBecomeActive",
      "phone.callDialing": "tracker.callDialing",
      "phone.callConnected": "tracker.callConnected",
      "phone.callEnded": "tracker.callEnded",
    ])
}
