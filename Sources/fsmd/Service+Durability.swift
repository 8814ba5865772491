import JournalStore
import LineProtocol
import Simulator
import StateMachines

/// Durable worlds: what a round brought is stored before anybody is told of it.
extension Service {
  /// How long a store that failed is left alone, in nanoseconds.
  private static let pause: UInt64 = 1_000_000_000
  /// How long no checkpoint is tried, and nothing is removed, where that has failed.
  private static let rest: UInt64 = 60_000_000_000

  // MARK: Rounds

  /// Stores what came to durable worlds since this was last called. What a client has been told of a world that cannot be
  /// stored is taken back, and each of its requests is answered with a failure instead.
  ///
  /// - Parameter isLast: Whether no other round will come.
  func commit(isLast: Bool = false) {
    guard let keeper else { return }
    var news = worlds.values.filter { keeper.hasNews($0, host: host, isLast: isLast) }
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
        if try keeper.tend(hosted, host: host) { isTending = true }
      } catch {
        if error.leavesTenure {
          report("world \(hosted.realm.name) cannot be looked after for a while: \(error)")
          hosted.archiving = nil
          hosted.keeping?.restsUntil = host &+ Service.rest
        } else {
          giveUp(hosted, "\(error)", isLost: error.isFinal)
        }
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
      client.session.takeBack(world: name, head: hosted.head, reason)
      touch(client)
      list(client)
    }
    if isLost { close(hosted, reason, head: hosted.head, retryAt: .max) } else { bringBack(hosted) }
  }

  /// Lets a world be one that cannot be had for now.
  private func close(_ hosted: HostedWorld, _ reason: String, head: UInt64, retryAt: UInt64) {
    let outage = Realm.Outage(reason: reason, retryAt: retryAt, head: head)
    hosted.replace(with: Realm(without: hosted.realm, outage))
    readOn(in: hosted, from: 1)
  }

  /// Lets those who watch a world that was replaced go on with an input, or the first that there is behind it.
  private func readOn(in hosted: HostedWorld, from sequence: UInt64) {
    let first = hosted.realm.world.firstSequence
    let next = min(max(sequence, first), hosted.realm.world.lastSequence + 1)
    for client in clients.values where client.hosted === hosted && client.session.cursor != nil {
      client.session.cursor = hosted.realm.world.journalReader(from: next)
    }
  }

  /// Throws a world away and reads it from the store.
  private func bringBack(_ hosted: HostedWorld) {
    guard let keeper else { return }
    // One world's failure is most often all worlds', and to find that out anew may take a while.
    let name = hosted.realm.name
    let told = hosted.head
    if let rest = storeRest, host < rest.until { return close(hosted, rest.reason, head: told, retryAt: rest.until) }
    do throws(KeeperFailure) {
      let stored = try keeper.read(name, host: host)
      let reading = stored.reading
      hosted.replace(with: stored.realm)
      try keeper.take(hosted, reading, host: host)
      try keeper.letTimePass(in: hosted, isStart: false)
      readOn(in: hosted, from: told + 1)
      storeRest = nil
      report("world \(name) is as the store has it, up to input \(hosted.realm.world.lastSequence)")
    } catch {
      // A store that stays as it is, is spoken of once.
      if hosted.realm.outage?.reason != "\(error)" { report("world \(name): \(error)") }
      let until = host &+ Service.pause
      if error.isOfStore { storeRest = ("\(error)", until) }
      close(hosted, "\(error)", head: told, retryAt: until)
    }
  }

  // MARK: Coming and going

  /// Brings back all worlds of the store, and makes `main` durable.
  ///
  /// - Throws: Where one of them cannot be brought back. Nothing is written then.
  func bringBackAll() throws(KeeperFailure) {
    guard let keeper else { return }
    var readings: [(HostedWorld, StoredRealm.Reading)] = []
    for name in try keeper.worlds() {
      let stored = try keeper.read(name, host: host)
      let reading = stored.reading
      if let hosted = worlds[name] {
        hosted.replace(with: stored.realm)
        readings.append((hosted, reading))
      } else {
        let hosted = HostedWorld(stored.realm)
        worlds[name] = hosted
        readings.append((hosted, reading))
      }
    }
    for (hosted, reading) in readings {
      try keeper.take(hosted, reading, host: host)
      try keeper.letTimePass(in: hosted, isStart: true)
    }
    if main.keeping == nil { try keeper.begin(main, host: host) }
    engine.counters.worlds = worlds.count
  }

  /// Gives all worlds back, when everything is stored, and closes the store.
  func release() {
    guard let keeper else { return }
    passTime()
    commit(isLast: true)
    for hosted in worlds.values {
      do throws(KeeperFailure) {
        try keeper.leave(hosted)
      } catch {
        report("world \(hosted.realm.name): \(error)")
      }
    }
    keeper.store.close()
  }
}

extension Session {
  /// Takes back what this client was to be told in this round: each request has failed, since what it did is not stored.
  ///
  /// - Parameter head: The last input that is stored. Of what was dropped up to it the client is still to be told.
  mutating func takeBack(world: String, head: UInt64, _ reason: String) {
    let (lines, withheld) = outbox.takeBack()
    if let cursor, cursor.next <= head { gap = (gap?.lowerBound ?? cursor.next)...head }
    if let dropped = gap { gap = dropped.lowerBound <= head ? dropped.clamped(to: 0...head) : nil }
    var unanswered = withheld[...]
    for line in lines.split(separator: UInt8(ascii: "\n")) {
      while let request = unanswered.first, request.place <= line.startIndex {
        failStorage(request.tag, world: world, reason)
        unanswered.removeFirst()
      }
      switch LineClass(rawValue: line[line.startIndex]) {
      case .success, .failure: failStorage(Session.tag(of: line), world: world, reason)
      case .flow:
        line.withUnsafeBytes { outbox.buffer.append($0) }
        outbox.buffer.endLine()
      case .data, .notice, nil: break
      }
    }
    for request in unanswered { failStorage(request.tag, world: world, reason) }
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
