import StateMachines

/// What all sessions share: constants of the daemon, explored graphs, and counters.
final class Environment {
  /// The kinds of the program.
  let catalogue: Catalogue
  let library: KindLibrary
  /// Both together: what a world offers that has defined no kinds.
  let offered: Catalogue
  let limits: Limits
  let version: String
  let counters: Counters
  /// Whether worlds can be durable.
  let canStoreWorlds: Bool
  let graphs: Graphs
  /// Whether other users than the daemon's owner may connect.
  let hasUsers: Bool
  let names: UserNames

  init(
    catalogue: Catalogue, library: KindLibrary, limits: Limits, version: String, counters: Counters,
    canStoreWorlds: Bool, graphs: Graphs, hasUsers: Bool, names: UserNames
  ) {
    self.catalogue = catalogue
    self.library = library
    offered = catalogue.with(library.entries.map(\.kind))
    self.limits = limits
    self.version = version
    self.counters = counters
    self.canStoreWorlds = canStoreWorlds
    self.graphs = graphs
    self.hasUsers = hasUsers
    self.names = names
  }

  private init(onWorker other: Environment) {
    catalogue = other.catalogue
    library = other.library
    offered = other.offered
    limits = other.limits
    version = other.version
    counters = Counters(onWorker: other.counters)
    canStoreWorlds = other.canStoreWorlds
    graphs = other.graphs
    hasUsers = other.hasUsers
    names = other.names
  }

  /// A copy with its own counters, for a worker.
  func onWorker() -> Environment { Environment(onWorker: self) }
}
