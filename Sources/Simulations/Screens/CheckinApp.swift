public import StateMachines

extension Composition {
  /// An app with a list of check-ins, whose parts are joined by wires only. A person's taps in a view go to
  /// `interactor` and `auth`; the view shows the state of `screen`. Two views show the one machine.
  ///
  /// Data flow in one direction: the interactor asks the services and informs the screen's machine, which never calls a
  /// service. With mode=hardened the machine says that the list is no longer awaited, and the interactor cancels the
  /// request. A login closes the login screen, and that refreshes the list. The service of check-ins is told who is
  /// logged in.
  public static let checkinApp = Composition(
    "checkinApp", "a check-in list with its services and two views",
    origin: "the whole example of an article on state machines in iOS apps; wires stand for its method calls",
    source: "article",
    example: [
      "new checkinApp p loginLatency=0", "watch p.*iew", "send p.view viewLoaded", "send p.view login A ok",
      "advance 1s", "send p.view logoutTapped", "list p.*", "advance 2s", "send p.interactor refresh",
    ],
    members: [
      "screen": CheckinsWithLogin.kind,
      "service": CheckinsService.kind,
      "auth": Auth.kind,
      "interactor": CheckinInteractor.kind,
      "view": CheckinView.kind,
      "secondView": CheckinView.kind,
    ],
    presets: ["screen.observed": true],
    wires: [
      "interactor.startLoading": "screen.startLoading",
      "interactor.fetch": "service.fetch",
      "service.received": "interactor.received",
      "service.failed": "interactor.failed",
      "interactor.loadingFinished": "screen.loadingFinished",
      "interactor.loadingFailed": "screen.loadingFailed",
      "interactor.signOut": "auth.logout",
      "interactor.logout": "screen.logout",
      "screen.loadingCancelled": "interactor.cancel",
      "interactor.cancel": "service.cancel",
      "auth.currentUser": "service.currentUser",
      "auth.loggedIn": "interactor.refresh",
      "view.refresh": "interactor.refresh",
      "view.logout": "interactor.logout",
      "view.login": "auth.login",
      "screen.shows": "view.show",
      "secondView.refresh": "interactor.refresh",
      "secondView.logout": "interactor.logout",
      "secondView.login": "auth.login",
      "screen.shows": "secondView.show",
    ])
}
