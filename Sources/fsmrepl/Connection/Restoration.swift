/// Restores the watches and the world in use of a lost connection on a new one.
///
/// It sends one request at a time: when a world is gone, its watches must not be made in another world.
struct Restoration: Equatable {
  /// A world and the requests that made its watches.
  struct Stop: Equatable {
    let world: String
    let watches: [String]
  }

  /// The result of the last request.
  enum Outcome {
    case done
    case failed
  }

  fileprivate enum Request: Equatable {
    case use(String)
    case watch(String, world: String)
  }

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
      if stop.world != world { requests.append(.use(stop.world)) }
      world = stop.world
      requests += stop.watches.map { .watch($0, world: stop.world) }
    }
  }

  /// The next request; `nil` when everything that can be restored is restored.
  mutating func next(after outcome: Outcome?) -> String? {
    if case .use(let world) = asked {
      if outcome == .failed {
        requests = requests.filter { $0 != .use(world) && $0.world != world }[...]
        // The connection must not stay in the world of an earlier stop.
        if requests.isEmpty, current != "main" { requests = [.use("main")] }
      } else {
        current = world
      }
    }
    asked = requests.popFirst()
    return asked?.text
  }
}

extension Restoration.Request {
  fileprivate var world: String {
    switch self {
    case .use(let world), .watch(_, let world): world
    }
  }

  fileprivate var text: String {
    switch self {
    case .use(let world): "use \(world)"
    case .watch(let text, _): text
    }
  }
}
