/// Bringing a new connection to where a lost one was: the watches of each world, then the world that was in use.
///
/// One request at a time, as a world that is gone must not have its watches made elsewhere.
struct Restoration: Equatable {
  /// A world with the requests that made its watches.
  struct Stop: Equatable {
    let world: String
    let watches: [String]
  }

  /// What came of the last request.
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
  ///   - current: The world that a new connection begins in.
  ///   - stops: The world to end up in last.
  init(from current: String, through stops: [Stop]) {
    self.current = current
    var world = current
    for stop in stops {
      if stop.world != world { requests.append(.use(stop.world)) }
      world = stop.world
      requests += stop.watches.map { .watch($0, world: stop.world) }
    }
  }

  /// The next request, or `nil` when all is as it was, as far as it can be.
  mutating func next(after outcome: Outcome?) -> String? {
    if case .use(let world) = asked {
      if outcome == .failed {
        requests = requests.filter { $0 != .use(world) && $0.world != world }[...]
        // Whatever is used next, it is not to be the world of an earlier stop by accident.
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
