import JournalStore
import Simulator
import StateMachines

/// A user's world `main` on its way into the store.
final class FirstWorld {
  let hosted: HostedWorld
  /// Called when it is there, or with what is said to the client.
  var finish: [(String?) -> Void]

  init(_ hosted: HostedWorld, _ finish: @escaping (String?) -> Void) {
    self.hosted = hosted
    self.finish = [finish]
  }
}

/// The worlds in which users begin.
extension Service {
  /// Creates a user's world `main` if there is none. With a store it is durable, unless the client can change nothing: then
  /// it is stored for the first client that can.
  ///
  /// - Parameter finish: Called when the world is there, at once if it is there already; or with what is said to the
  ///   client.
  func welcome(_ id: UserID, mayChange: Bool, then finish: @escaping (_ refusal: String?) -> Void) {
    if isShuttingDown { return finish(Service.farewell) }
    let key = WorldKey(id, WorldKey.main).text
    if let first = firstWorlds.first(where: { $0.hosted.name == key }) { return first.finish.append(finish) }
    let isDurable = mayChange && !stores.all.isEmpty
    if let hosted = worlds[key] {
      if hosted.afterRemoval != nil {
        // Its successor is made when it is gone.
        hosted.afterRemoval?.append { [unowned self] in welcome(id, mayChange: mayChange, then: finish) }
      } else if isDurable, !hosted.presentStatus.isDurable {
        store(hosted, then: finish)
      } else {
        finish(nil)
      }
      return
    }
    let limit = environment.limits.worlds
    guard worlds.count + reservedWorlds.count < limit else {
      return finish(
        Service.refusal(
          "- LIMIT name=worlds value=\(limit) : the daemon has \(limit) worlds, and no room for one of yours", "limit"))
    }
    let hosted = host(
      LiveWorld.Box(LiveWorld(name: key, clock: .real, seed: 0, limits: environment.limits.world, host: host)))
    if isDurable { return store(hosted, then: finish) }
    add(hosted)
    finish(nil)
  }

  private func store(_ hosted: HostedWorld, then finish: @escaping (String?) -> Void) {
    firstWorlds.append(FirstWorld(hosted, finish))
    if workers.areInline { for persistence in stores.all { storeFirstWorlds(persistence) } }
  }

  /// Refuses all who wait for a first world, because the daemon is ending.
  func refuseFirstWorlds() {
    for first in firstWorlds {
      let waiting = first.finish
      first.finish = []
      for finish in waiting { finish(Service.farewell) }
    }
  }

  /// Stores users' first worlds, if the store's thread is free.
  func storeFirstWorlds(_ persistence: Persistence) {
    guard persistence.mayChangeWorlds, !isShuttingDown else { return }
    let new = firstWorlds.filter { $0.hosted.persistence === persistence && $0.hosted.home != nil }
    if new.isEmpty { return }
    let host = host
    let rows = new.compactMap { first in
      first.hosted.home.map { (first.hosted.name, $0.live.world.now, persistence.settings(of: $0.live)) }
    }
    // Clients may read such a world meanwhile, but no worker gets it.
    for first in new { first.hosted.isBeingStored = true }
    let job = Job(.store(persistence.threads)) { () throws(Never) in
      rows.map { name, now, settings in
        Result { () throws(PersistenceFailure) in try persistence.create(name, now, settings, host: host) }
      }
    } then: { [unowned self] result in
      firstWorlds.removeAll { first in new.contains { $0 === first } }
      for (first, made) in zip(new, result.get()) { finish(first, made, persistence) }
    }
    persistence.isCommitNext = !workers.areInline
    workers.submit(job)
    if workers.areInline { for job in workers.takeReturnedJobs() { job.finish() } }
  }

  private func finish(
    _ first: FirstWorld, _ made: Result<StoredProgress, PersistenceFailure>, _ persistence: Persistence
  ) {
    first.hosted.isBeingStored = false
    switch made {
    case .success(let progress):
      guard let home = first.hosted.home else { preconditionFailure("a world that is being stored is home") }
      persistence.begin(first.hosted, home, progress)
      add(first.hosted)
      for finish in first.finish { finish(nil) }
    case .failure(.store(.worldExists)) where persistence.hosts != nil:
      // Another daemon has made it.
      if worlds[first.hosted.name] == nil { _ = addAbsent(first.hosted.name) }
      for finish in first.finish { finish(nil) }
    case .failure(let error):
      report("world \(first.hosted.name) could not be made: \(error)")
      for finish in first.finish {
        finish(Service.refusal("- STORAGE world=main : your first world could not be stored", "storage"))
      }
    }
  }
}
