import LineProtocol
import Simulator
import StateMachines

/// Going back in time.
extension Engine {
  /// Inputs looked at or played in one slice: a few milliseconds.
  private static let inputsInASlice = 20_000

  func undo(_ words: borrowing Words, _ session: inout Session, _ realm: inout Realm) {
    guard let count = number(words[0], "count", in: 1...1_000_000_000, otherwise: 1, words, &session) else { return }
    begin(.requests(Int(count)), count, words, &session, &realm)
  }

  func goTo(_ words: borrowing Words, _ session: inout Session, _ realm: inout Realm) {
    guard let time = duration(words.plain[0], "time", words, &session) else { return }
    let now = realm.world.now
    let moment = Moment(nanoseconds: time)
    guard moment <= now else {
      let way =
        realm.clock.isRunning ? "time comes there by itself" : "'advance until' moves time on"
      session.fail(
        words.tag, .badArgument,
        [
          ("argument", "time"), ("got", words.plain[0]), ("allowed", "up to \(TimeText.seconds(now.nanoseconds))"),
        ],
        "it is only \(TimeText.seconds(now.nanoseconds)); \(way), and what was undone does not come back")
      return
    }
    guard moment < now else {
      session.outbox.buffer.begin(.success, tag: words.tag)
      session.endLine(now, realm.world.lastSequence)
      return
    }
    begin(.moment(moment), nil, words, &session, &realm)
  }

  private func begin(
    _ goal: Rewinding.Goal, _ count: UInt64?, _ words: borrowing Words, _ session: inout Session,
    _ realm: inout Realm
  ) {
    let rewinding = Rewinding(of: realm.world, to: goal)
    realm.rewinding = rewinding
    session.activity = .rewind(Activity.Rewind(rewinding: rewinding, count: count, tag: words.tagBytes))
  }

  /// Goes on a piece; the service does the last of it.
  func work(_ rewind: Activity.Rewind, _ session: inout Session, _ realm: borrowing Realm) {
    do throws(Rewinding.Failure) {
      try rewind.rewinding.advance(through: realm.world, by: Engine.inputsInASlice)
    } catch {
      session.activity = .none
      rewind.tag.withUnsafeBytes { fail(error, rewind, $0, &session, realm.world) }
    }
  }

  private func fail(
    _ failure: Rewinding.Failure, _ rewind: Activity.Rewind, _ tag: UnsafeRawBufferPointer, _ session: inout Session,
    _ world: borrowing World
  ) {
    switch failure {
    case .onlySoMany(let most):
      session.fail(
        tag, .badArgument,
        [("argument", "count"), ("got", "\(rewind.count ?? 0)"), ("allowed", most == 0 ? "" : "1..\(most)")],
        most == 0 ? "there is nothing to undo" : "there is no more to undo than \(most)")
    case .forgotten(let from):
      session.fail(
        tag, .limit, [("name", "journal"), ("value", "\(limits.world.journal)"), ("from", "\(from)")],
        from > world.lastSequence
          ? "the journal has forgotten the beginning of this world, and nothing can be undone"
          : "the journal has forgotten too much to undo what was before \(from)")
    case .diverged(let sequence):
      session.fail(
        tag, .internal, [("seq", "\(sequence)")], "input \(sequence) did not come out as it had; nothing was undone")
    }
  }
}

extension Service {
  /// Puts the world back, and answers. A clock that runs is paused: who goes back wants to look.
  func finish(_ rewind: Activity.Rewind, _ client: Client) {
    let hosted = client.hosted
    hosted.realm.rewinding = nil
    client.session.endActivity()
    guard mayUndo(rewind, client) else { return }
    if let undone = hosted.realm.world.rewind(rewind.rewinding) {
      keeper?.didUndo(from: undone.lowerBound, in: hosted)
    }
    let wasRunning = hosted.realm.clock.isRunning
    engine.pump(&client.session, hosted.realm.world, mayDrop: true)
    if wasRunning {
      hosted.realm.clock.pause()
      client.session.effort += Engine.effortOfANotice * clients.count
      tellClock("paused=yes", in: hosted)
    }
    rewind.tag.withUnsafeBytes { tag in
      client.session.outbox.buffer.begin(.success, tag: tag)
      if wasRunning { client.session.outbox.buffer.key("paused", "yes") }
      client.session.endLine(hosted.realm.world.now, hosted.realm.world.lastSequence)
    }
  }

  /// Whether a durable world can be brought back after a way back; a failure is written if not.
  private func mayUndo(_ rewind: Activity.Rewind, _ client: Client) -> Bool {
    guard let keeper, client.hosted.keeping != nil else { return true }
    do throws(KeeperFailure) {
      let first = try keeper.firstUndoable(client.hosted)
      if rewind.rewinding.firstUndone >= first { return true }
      rewind.tag.withUnsafeBytes { tag in
        client.session.fail(
          tag, .limit,
          [("name", "storeBytes"), ("value", "\(engine.limits.storeBytes)"), ("from", "\(first)")],
          "the store has given up too much to undo what was before \(first)")
      }
    } catch {
      client.session.failStorage(rewind.tag, world: client.hosted.realm.name, "\(error)")
    }
    return false
  }
}
