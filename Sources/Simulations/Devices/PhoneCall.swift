public import StateMachines

extension Composition {
  /// A ``CallTracker`` on a ``Phone``: a tap on `tracker` makes the phone ask, and the tracker gets the system's
  /// reports.
  public static let phoneCall = Composition(
    "phoneCall", "a call tracker on a phone: tap on tracker, answer the alert and hang up on phone",
    origin: "the call tracker of a conference talk, connected to a phone that is designed here",
    source: "slides",
    example: [
      "new phoneCall p", "watch p.tracker", "send p.tracker phoneTapped 112", "advance 100ms", "send p.phone pressCall",
      "advance 7s", "send p.phone hangUp", "send p.phone openApp",
    ],
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
