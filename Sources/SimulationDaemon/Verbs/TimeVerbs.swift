import LineProtocol
import Simulator
import StateMachines

/// Shows, changes and moves the clock.
extension RequestContext {
  func clock() {
    guard
      let mode = choice(
        words[0], "clock", ["real": WorldClock.Mode.real, "virtual": .virtual], otherwise: live.clock.mode)
    else { return }
    let changes = mode != live.clock.mode
    if changes {
      live.clock.set(mode, host: live.host, moment: live.world.now)
      live.noteWallTime()
    }
    answer("mode=\(mode.rawValue)", changes, isShown: true)
  }

  /// Answers at once, or after a change was reported to the watchers.
  private func answer(_ change: String, _ changes: Bool, isShown: Bool = false) {
    if changes { return self.defer(.changeClock(change, isShown: isShown)) }
    session.answerClock(isShown: isShown, tag, live)
  }

  func speed() {
    guard isReal() else { return }
    guard let speed = Speed(words.plain[0]) else {
      return failArgument("speed", words.plain[0], allowed: Speed.allowed, "a speed is \(Speed.allowed)")
    }
    let changes = speed != live.clock.speed
    if changes { live.clock.set(speed, host: live.host, moment: live.world.now) }
    answer("speed=\(speed.text)", changes)
  }

  func pause() {
    guard isReal() else { return }
    let changes = !live.clock.isPaused
    live.clock.pause()
    answer("paused=yes", changes)
  }

  func resume() {
    guard isReal() else { return }
    let changes = live.clock.isPaused
    if changes {
      live.world.goOn()
      live.clock.resume(host: live.host, moment: live.world.now)
    }
    answer("paused=no", changes)
  }

  private func isReal() -> Bool {
    if live.clock.mode == .real { return true }
    fail(.clock, [("clock", "virtual")], "this world's clock is virtual; 'advance' moves it")
    return false
  }

  private func standsStill() -> Bool {
    if !live.clock.isRunning { return true }
    fail(.clock, [("clock", "real")], "this world's clock is running; 'pause' or 'clock virtual' makes it stand still")
    return false
  }

  func advance() {
    let now = live.world.now
    let target: Instant
    if words.plain.count == 2 {
      guard words.plain[0] == "until" else {
        let meant = TimeText.meant(by: words.plain[0], words.plain[1]).map { "a duration is one word: '\($0)'; " } ?? ""
        return fail(.usage, meant + usageText(Verb.advance.entry))
      }
      guard let time = time(words.plain[1]) else { return }
      target = time
      guard target >= now else {
        return failArgument(
          "time", words.plain[1], allowed: "\(TimeText.seconds(now.nanoseconds)) or later",
          "it is \(TimeText.seconds(now.nanoseconds)) already, and world time does not go back")
      }
    } else {
      guard let interval = duration(words.plain[0], "duration") else { return }
      target = now + Nanoseconds(nanoseconds: interval)
    }
    guard standsStill() else { return }
    guard target <= Instant.end else {
      return failArgument(
        "duration", words.plain[words.plain.count - 1],
        allowed: "up to \(TimeText.written((Instant.end - now).nanoseconds))",
        "world time ends at \(TimeText.written(Instant.end.nanoseconds))")
    }
    session.activity = .advance(Activity.Advance(target: target, tag: Array(tag)))
  }

  func step() {
    guard let count = number(words[0], "count", in: 1...1_000_000_000, otherwise: 1) else { return }
    guard standsStill() else { return }
    session.activity = .step(Activity.Step(remaining: Int(count), tag: Array(tag)))
  }

  func agenda() {
    guard let limit = number(words["limit"], "limit", in: 0...1_000_000_000, otherwise: .max >> 1)
    else { return }
    guard let pattern = pattern(words[0]) else { return }
    let listing = live.world.agendaListing(matching: pattern, limit: Int(limit))
    begin(AgendaReply(listing))
  }

  func awaitState() {
    guard let machine = machine(words.plain[0]) else { return }
    guard let query = query(words.plain[1], live.world.kind(of: machine)) else { return }
    var within = Nanoseconds.days(1)
    if let text = words["within"] {
      guard let interval = duration(text, "within") else { return }
      within = Nanoseconds(nanoseconds: interval)
    }
    if query.matches(live.world.stateIndex(of: machine), data: live.world.stateData(of: machine)) {
      answerReached(live.world.state(of: machine), at: live.world.now, live.world.lastSequence)
      return
    }
    session.activity = .await(
      Activity.Await(
        machine: machine, name: words.plain[0], query: query, deadline: min(live.world.now + within, .end),
        reader: live.world.journalReader(from: live.world.lastSequence + 1), tag: Array(tag)))
  }

  /// `+ reached STATE t= seq=` with the values of the step that reached the state, so that a late real clock gives the
  /// same answer.
  func answerReached(_ state: String, at moment: Instant, _ sequence: UInt64) {
    succeedStamped(sequence, at: moment) { line in
      line.word(literal: "reached")
      line.word(state)
    }
  }
}

extension Session {
  /// `+ [clock real] speed=1 paused=no t= seq=`
  ///
  /// - Parameter isShown: Whether the mode is part of the answer.
  mutating func answerClock(isShown: Bool, _ tag: UnsafeRawBufferPointer, _ live: borrowing LiveWorld) {
    outbox.buffer.begin(.success, tag: tag)
    if isShown {
      outbox.buffer.word(literal: "clock")
      outbox.buffer.word(live.clock.mode.rawValue)
    }
    outbox.buffer.key("speed", live.clock.speed.text)
    outbox.buffer.key("paused", live.clock.isPaused ? "yes" : "no")
    endLine(live.world.now, live.world.lastSequence)
  }
}
