import LineProtocol

/// An effect of a request on other worlds, other sessions or the daemon. The service runs it after the handler returns.
enum DeferredEffect {
  case describeWorld
  case activities
  /// Ends another session's activity.
  case cancel(UInt64)
  case use(String)
  case newWorld(String, clock: WorldClock.Mode, seed: UInt64, isDurable: Bool)
  case forkWorld(String)
  case dropWorld(String)
  case listWorlds
  case compare(String, String)
  /// Tells everybody who watches in full that the clock changed, then answers the request.
  case changeClock(String, isShown: Bool)
  /// Writes everything for this client in this form, beginning with the answer.
  case changeForm(LineForm)
  /// Tells everybody in the realm about a livelock.
  case announceLivelock
  case quit
  case shutdown
}
