import JournalStore
import LineProtocol
import Simulator
import StateMachines

/// Durable worlds: what a round brought is stored before anybody is told of it.
extension Service {
  /// How long a store that failed is left alone, in nanoseconds.
  private static let pause: UInt64 = 1_000_000_000

  // MARK: Rounds

  /// Stores what came to durable worlds since this was last called. What a client has been told of a world that cannot be
  /// stored is taken back, and each of its requests is answered with a failure instead.
  func commit() {
    guard let keeper else { return }
    var news = worlds.values.filter { keeper.hasNews($0, host: host) }
    while !news.isEmpty {
      do throws(StoreFailure) {
        try keeper.commit(news, host: host)
        break
      } catch {
        // Where one world is somebody else's by now, the others still can be stored.
        let lost = error.world.flatMap { world in news.firstIndex { $0.realm.name == world } }
        for hosted in lost.map({ [news[$0]] }) ?? news { giveUp(hosted, "\(error)", isLost: error.isFinal) }
        if let lost { news.remove(at: lost) } else { break }
      }
    }
    settleOutboxes()
  }

  /// Does a little of what the store needs besides, for each world.
  func tendWorlds() {
    guard let keeper else { return }
    isTending = false
    for hosted in worlds.values where hosted.keeping != nil {
      do throws(KeeperFailure) {
        if try keeper.tend(hosted) { isTending = true }
      } catch {
        giveUp(hosted, "\(error)")
      }
    }
    guard hasRubbish else { return }
    do throws(KeeperFailure) {
      hasRubbish = try keeper.sweep()
      if hasRubbish { isTending = true }
    } catch {
      // What was dropped stays where it is until the next start; nobody needs it.
      hasRubbish = false
      report("dropped worlds: \(error)")
    }
  }

  /// Reads a world again whose store has failed, if it is time to try.
  func tryAgain(_ hosted: HostedWorld) {
    guard let outage = hosted.realm.outage, host >= outage.retryAt else { return }
    bringBack(hosted)
  }

  /// - Parameter isLost: Whether the world is another daemon's from now on.
  private func giveUp(_ hosted: HostedWorld, _ reason: String, isLost: Bool = false) {
    let name = hosted.realm.name
    report("world \(name): \(reason)")
    for client in clients.values where client.hosted === hosted {
      client.session.takeBack(world: name, reason)
      touch(client)
      list(client)
    }
    if isLost { close(hosted, reason, retryAt: .max) } else { bringBack(hosted) }
  }

  /// Lets a world be one that cannot be had for now.
  private func close(_ hosted: HostedWorld, _ reason: String, retryAt: UInt64) {
    hosted.keeping = nil
    hosted.replace(with: Realm(without: hosted.realm, reason, retryAt: retryAt))
    readOn(in: hosted)
  }

  /// Lets those who watch a world that was replaced go on with what comes next.
  private func readOn(in hosted: HostedWorld) {
    for client in clients.values where client.hosted === hosted && client.session.cursor != nil {
      client.session.cursor = hosted.realm.world.journalReader(from: hosted.realm.world.lastSequence + 1)
    }
  }

  /// Throws a world away and reads it from the store.
  private func bringBack(_ hosted: HostedWorld) {
    guard let keeper else { return }
    let name = hosted.realm.name
    do throws(KeeperFailure) {
      hosted.replace(with: try keeper.take(name, host: host))
      readOn(in: hosted)
      report("world \(name) is as the store has it, up to input \(hosted.realm.world.lastSequence)")
    } catch {
      if hosted.realm.outage == nil { report("world \(name): \(error)") }
      close(hosted, "\(error)", retryAt: host &+ Service.pause)
    }
  }

  // MARK: Coming and going

  /// Brings back all worlds of the store, and makes `main` durable.
  func bringBackAll() throws(KeeperFailure) {
    guard let keeper else { return }
    for name in try keeper.worlds() {
      let kept = try keeper.take(name, host: host)
      if let hosted = worlds[name] {
        hosted.replace(with: kept)
      } else {
        worlds[name] = HostedWorld(kept)
      }
    }
    if main.keeping == nil { try keeper.begin(main, host: host) }
    engine.counters.worlds = worlds.count
  }

  /// Gives all worlds back, when everything is stored.
  func release() {
    commit()
    for hosted in worlds.values {
      do throws(KeeperFailure) {
        try keeper?.leave(hosted)
      } catch {
        report("world \(hosted.realm.name): \(error)")
      }
    }
  }
}

extension StoreFailure {
  /// Whether the world is another daemon's: to take it again would shut that one out in turn.
  fileprivate var isFinal: Bool { if case .fenced = self { true } else { false } }

  /// The one world that a failure is about, where the others are well.
  fileprivate var world: String? {
    switch self {
    case .fenced(let world, _), .outOfStep(let world, _, _), .noSuchWorld(let world), .worldExists(let world): world
    case .unknown, .full, .readOnly, .locked, .damaged, .newer, .absent, .cannotOpen, .other: nil
    }
  }
}

extension Session {
  /// Takes back what this client was to be told in this round: each request has failed, since what it did is not stored.
  mutating func takeBack(world: String, _ reason: String) {
    let lines = outbox.takeBack()
    gap = nil
    for line in lines.split(separator: UInt8(ascii: "\n")) {
      switch LineClass(rawValue: line[line.startIndex]) {
      case .success, .failure: failStorage(Session.tag(of: line), world: world, reason)
      case .flow:
        line.withUnsafeBytes { outbox.buffer.append($0) }
        outbox.buffer.endLine()
      case .data, .notice, nil: break
      }
    }
    if !activity.isNone {
      failStorage(activity.tag, world: world, reason)
      endActivity()
    }
  }

  mutating func failStorage(_ tag: [UInt8], world: String, _ reason: String) {
    tag.withUnsafeBytes { fail($0, .storage, [("world", world)], reason) }
  }

  /// The tag of a line that answers a request.
  private static func tag(of line: ArraySlice<UInt8>) -> [UInt8] {
    let rest = line.dropFirst(2)
    guard rest.first == UInt8(ascii: "@") else { return [] }
    return Array(rest.dropFirst().prefix { $0 != UInt8(ascii: " ") })
  }
}

extension Verb {
  /// Whether it is about what is in the present world, which must be there then.
  var asksTheWorld: Bool {
    switch self {
    case .new, .drop, .list, .count, .show, .can, .send, .cast, .wire, .unwire, .wires, .watch, .unwatch, .clock,
      .speed,
      .pause, .resume, .advance, .step, .agenda, .fire, .await, .expect, .undo, .goto, .journal, .graph, .coverage,
      .diff:
      true
    case .help, .kinds, .describe, .cancel, .world, .use, .worlds, .begin, .end, .quiet, .mode, .limits, .stats, .sync,
      .quit, .shutdown:
      false
    }
  }
}
