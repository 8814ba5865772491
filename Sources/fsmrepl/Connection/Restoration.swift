/// Restores the watches and the world in use of a lost connection on a new one.
///
/// It sends one request at a time: when a world is gone, its watches must not be made in another world.
struct Restoration {
  /// A world and the requests that made its watches.
  struct Stop {
    let world: String
    let watches: [String]
  }

  /// Without a watch it goes to the world.
  private typealias Request = (world: String, watch: String?)

  private var requests: ArraySlice<Request> = []
  private var current: String
  private var asked: Request?

  /// - Parameters:
  ///   - current: The world that a new connection starts in.
  ///   - stops: The worlds to restore; the connection ends in the last one.
  init(from current: String, through stops: [Stop]) {
    self.current = current
    var world = current
    for stop in stops {
      if stop.world != world { requests.append((stop.world, nil)) }
      world = stop.world
      requests += stop.watches.map { (stop.world, $0) }
    }
  }

  /// The next request; `nil` when everything that can be restored is restored.
  ///
  /// - Parameter hasFailed: Whether the last one has.
  mutating func next(hasFailed: Bool = false) -> String? {
    if let asked, asked.watch == nil {
      if hasFailed {
        requests = requests.filter { $0.world != asked.world }[...]
        // The connection must not stay in the world of an earlier stop.
        if requests.isEmpty, current != "main" { requests = [("main", nil)] }
      } else {
        current = asked.world
      }
    }
    asked = requests.popFirst()
    return asked.map { $0.watch ?? "use \($0.world)" }
  }
}
