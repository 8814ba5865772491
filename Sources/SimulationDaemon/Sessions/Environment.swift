import StateMachines

/// What all sessions share: constants of the daemon, explored graphs, and counters.
final class Environment {
  let catalogue: Catalogue
  let limits: Limits
  let version: String
  let counters: Counters
  /// Whether worlds can be durable.
  let canStoreWorlds: Bool
  let graphs: Graphs

  init(
    catalogue: Catalogue, limits: Limits, version: String, counters: Counters, canStoreWorlds: Bool, graphs: Graphs
  ) {
    self.catalogue = catalogue
    self.limits = limits
    self.version = version
    self.counters = counters
    self.canStoreWorlds = canStoreWorlds
    self.graphs = graphs
  }

  /// A copy with its own counters, for a worker.
  func onWorker() -> Environment {
    Environment(
      catalogue: catalogue, limits: limits, version: version, counters: Counters(onWorker: counters),
      canStoreWorlds: canStoreWorlds, graphs: graphs)
  }
}
