import LineProtocol
import Simulator
import StateMachines

/// The clock, and the requests that move it.
extension Engine {
  func clock(_ words: borrowing Words, _ session: inout Session, _ realm: inout Realm) -> DeferredEffect {
    guard
      let mode = choice(
        words[0], "clock", ["real": WorldClock.Mode.real, "virtual": .virtual], otherwise: realm.clock.mode, words,
        &session)
    else { return .none }
    let changes = mode != realm.clock.mode
    if changes { realm.clock.set(mode, host: realm.host, moment: realm.world.now) }
    return answer("mode=\(mode.rawValue)", changes, isShown: true, words, &session, realm)
  }

  /// `+ [clock real] speed=1 paused=no t= seq=`
  ///
  /// - Parameter isShown: Whether the mode is part of the answer.
  func answerClock(
    isShown: Bool, _ tag: UnsafeRawBufferPointer, _ session: inout Session, _ realm: borrowing Realm
  ) {
    session.outbox.buffer.begin(.success, tag: tag)
    if isShown {
      session.outbox.buffer.word(literal: "clock")
      session.outbox.buffer.word(realm.clock.mode.rawValue)
    }
    session.outbox.buffer.key("speed", realm.clock.speed.text)
    session.outbox.buffer.key("paused", realm.clock.isPaused ? "yes" : "no")
    session.endLine(realm.world.now, realm.world.lastSequence)
  }

  /// Answers at once, or after those who watch in full have been told, where there is something to tell.
  private func answer(
    _ change: String, _ changes: Bool, isShown: Bool = false, _ words: borrowing Words, _ session: inout Session,
    _ realm: borrowing Realm
  ) -> DeferredEffect {
    if changes { return .service(.changeClock(change, isShown: isShown)) }
    answerClock(isShown: isShown, words.tag, &session, realm)
    return .none
  }

  func speed(_ words: borrowing Words, _ session: inout Session, _ realm: inout Realm) -> DeferredEffect {
    guard isReal(words, &session, realm.clock) else { return .none }
    guard let speed = Speed(words.plain[0]) else {
      session.fail(
        words.tag, .badArgument, [("argument", "speed"), ("got", words.plain[0]), ("allowed", Speed.allowed)],
        "a speed is \(Speed.allowed)")
      return .none
    }
    let changes = speed != realm.clock.speed
    if changes { realm.clock.set(speed, host: realm.host, moment: realm.world.now) }
    return answer("speed=\(speed.text)", changes, words, &session, realm)
  }

  func pause(_ words: borrowing Words, _ session: inout Session, _ realm: inout Realm) -> DeferredEffect {
    guard isReal(words, &session, realm.clock) else { return .none }
    let changes = !realm.clock.isPaused
    realm.clock.pause()
    return answer("paused=yes", changes, words, &session, realm)
  }

  func resume(_ words: borrowing Words, _ session: inout Session, _ realm: inout Realm) -> DeferredEffect {
    guard isReal(words, &session, realm.clock) else { return .none }
    let changes = realm.clock.isPaused
    if changes {
      realm.world.goOn()
      realm.clock.resume(host: realm.host, moment: realm.world.now)
    }
    return answer("paused=no", changes, words, &session, realm)
  }

  private func isReal(_ words: borrowing Words, _ session: inout Session, _ clock: WorldClock) -> Bool {
    if clock.mode == .real { return true }
    session.fail(words.tag, .clock, [("clock", "virtual")], "this world's clock is virtual; 'advance' moves it")
    return false
  }

  private func standsStill(_ words: borrowing Words, _ session: inout Session, _ clock: WorldClock) -> Bool {
    if !clock.isRunning { return true }
    session.fail(
      words.tag, .clock, [("clock", "real")],
      "this world's clock is running; 'pause' or 'clock virtual' makes it stand still")
    return false
  }

  func advance(_ words: borrowing Words, _ session: inout Session, _ realm: inout Realm) {
    let now = realm.world.now
    let target: Instant
    if words.plain.count == 2 {
      guard words.plain[0] == "until" else {
        session.fail(
          words.tag, .usage,
          "advance is used as \(Verb.advance.entry.usages.map { "'\($0)'" }.joined(separator: " or "))")
        return
      }
      guard let time = time(words.plain[1], words, &session) else { return }
      target = time
      guard target >= now else {
        session.fail(
          words.tag, .badArgument,
          [
            ("argument", "time"), ("got", words.plain[1]), ("allowed", "\(TimeText.seconds(now.nanoseconds)) or later"),
          ],
          "it is \(TimeText.seconds(now.nanoseconds)) already, and world time does not go back")
        return
      }
    } else {
      guard let interval = duration(words.plain[0], "duration", words, &session) else { return }
      target = now + Nanoseconds(nanoseconds: interval)
    }
    guard standsStill(words, &session, realm.clock) else { return }
    guard target <= Instant.end else {
      session.fail(
        words.tag, .badArgument,
        [
          ("argument", "duration"), ("got", words.plain[words.plain.count - 1]),
          ("allowed", "up to \(TimeText.written((Instant.end - now).nanoseconds))"),
        ],
        "world time ends at \(TimeText.written(Instant.end.nanoseconds))")
      return
    }
    session.activity = .advance(Activity.Advance(target: target, tag: words.tagBytes))
  }

  func step(_ words: borrowing Words, _ session: inout Session, _ realm: inout Realm) {
    guard let count = number(words[0], "count", in: 1...1_000_000_000, otherwise: 1, words, &session) else { return }
    guard standsStill(words, &session, realm.clock) else { return }
    session.activity = .step(Activity.Step(remaining: Int(count), tag: words.tagBytes))
  }

  func agenda(_ words: borrowing Words, _ session: inout Session, _ realm: inout Realm) {
    guard let limit = number(words["limit"], "limit", in: 0...1_000_000_000, otherwise: .max >> 1, words, &session)
    else { return }
    guard let pattern = pattern(words[0], words, &session) else { return }
    let listing = realm.world.agendaListing(matching: pattern, limit: Int(limit))
    session.activity = .reply(.agenda(listing, written: 0), tag: words.tagBytes)
  }

  func awaitState(_ words: borrowing Words, _ session: inout Session, _ realm: inout Realm) {
    guard let machine = machine(words.plain[0], words, &session, &realm) else { return }
    guard let query = query(words.plain[1], realm.world.kind(of: machine), words, &session) else { return }
    var within = Nanoseconds.days(1)
    if let text = words["within"] {
      guard let interval = duration(text, "within", words, &session) else { return }
      within = Nanoseconds(nanoseconds: interval)
    }
    if query.matches(realm.world.stateIndex(of: machine), data: realm.world.stateData(of: machine)) {
      answerReached(
        realm.world.state(of: machine), at: realm.world.now, realm.world.lastSequence, words.tag, &session)
      return
    }
    session.activity = .await(
      Activity.Await(
        machine: machine, name: words.plain[0], query: query, deadline: min(realm.world.now + within, .end),
        reader: realm.world.journalReader(from: realm.world.lastSequence + 1), tag: words.tagBytes))
  }

  /// `+ reached STATE t= seq=`, of the step by which it was, so that a real clock that was late says the same.
  func answerReached(
    _ state: String, at moment: Instant, _ sequence: UInt64, _ tag: UnsafeRawBufferPointer, _ session: inout Session
  ) {
    session.outbox.buffer.begin(.success, tag: tag)
    session.outbox.buffer.word(literal: "reached")
    session.outbox.buffer.word(state)
    session.endLine(moment, sequence)
  }
}
