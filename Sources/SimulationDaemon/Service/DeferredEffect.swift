import LineProtocol

/// What a request asks of other worlds, other sessions or the daemon: the service does it when its handler has returned.
enum DeferredEffect {
  case describeWorld
  case activities
  /// Ends what another session does.
  case cancel(UInt64)
  case use(String)
  case newWorld(String, clock: WorldClock.Mode, seed: UInt64, isDurable: Bool)
  case forkWorld(String)
  case dropWorld(String)
  case listWorlds
  case compare(String, String)
  /// Those who watch in full are to hear of a change of the clock, and then the request is answered.
  case changeClock(String, isShown: Bool)
  /// What the daemon sends to this client is to be written in this form, from the answer on.
  case changeForm(LineForm)
  /// All who use the realm are to hear of a chain without end.
  case announceLivelock
  case quit
  case shutdown
}
