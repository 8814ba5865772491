import LineProtocol
import Simulator
import StateMachines

/// Runs one request: finds its verb and calls the handler.
extension RequestContext {
  /// Runs one request.
  ///
  /// Due timers fire first, except for `step`, which fires them itself.
  @inline(__always)
  func run(_ request: borrowing Request) {
    session.didFail = false
    guard let verb = Verb(request.verb), live.outage == nil else { return runElsewhere(request) }
    // Matched as a pattern: `==` for an enum of another target is a call.
    if case .send = verb {
      guard fireDue() else { return failInterrupted(request) }
      guard live.hasRoomForInputs || answering(request.tag, { $0.admitsInput() }) else { return }
      send(request)
      return
    }
    if !leavesDueTimers(verb), !fireDue() { return failInterrupted(request) }
    answering(request) { $0.once(verb) { $0.run(verb) } }
  }

  /// Runs a request with an unknown verb, or in a world that is out of service. Nothing could be stored, so due timers
  /// do not fire.
  @inline(never)
  private func runElsewhere(_ request: borrowing Request) {
    guard let verb = Verb(request.verb) else {
      session.survivesRollback = live.stored != nil
      return failUnknownVerb(request)
    }
    if let outage = live.outage, verb.row.concernsContents, !outage.isReadable || !verb.row.mayRunReadOnly {
      return session.fail(request.tag, world: session.shown(live.name), outage)
    }
    answering(request) { $0.run(verb) }
  }

  /// Runs a request while the world is lent.
  ///
  /// - Precondition: Its verb does not need the world.
  func runWithoutWorld(_ request: borrowing Request) {
    session.didFail = false
    session.replyLines = 0
    guard let verb = Verb(request.verb) else { return failUnknownVerb(request) }
    session.outbox.beginReply(verb)
    answering(request) { if $0.check(verb.entry) { verb.row.handler($0) } }
  }

  @inline(never)
  private func run(_ verb: Verb) {
    session.replyLines = 0
    session.outbox.beginReply(verb)
    let row = verb.row
    guard check(verb.entry), admits(row) else { return }
    session.task = RequestUnderWay(verb, since: live.host)
    session.survivesRollback = live.stored != nil && !row.concernsContents
    let mark = session.outbox.buffer.count
    row.handler(self)
    live.reportMachines()
    // Handlers do not know of `quiet`; `send` alone, which does not pass here, asks by itself.
    if session.isQuiet, verb.entry.isPlainInput, !session.didFail { session.outbox.buffer.truncate(to: mark) }
  }

  /// Whether due timers do not fire before a request: `step` fires them itself, and between two inputs of one instant
  /// a request that looks or goes back lets the world stay there.
  @inline(__always)
  private func leavesDueTimers(_ verb: Verb) -> Bool {
    if case .step = verb { return true }
    guard live.standsWithinAnInstant else { return false }
    switch (verb, verb.row.effect) {
    case (.undo, _), (.redo, _), (.goto, _), (_, .reads), (_, .tells), (_, .configures), (_, .changesWithArguments):
      return true
    case (_, .awaits), (_, .changes): return false
    }
  }

  /// Fires the due timers.
  ///
  /// - Returns: False if a worker was interrupted meanwhile. The rest must fire before any other input.
  @inline(__always)
  func fireDue() -> Bool {
    session.fireDue(in: &live)
    return !live.slice.isOnWorker || !live.world.mayFireLong
  }

  @inline(never)
  private func failInterrupted(_ request: borrowing Request) {
    let interruption = live.slice.wait() ?? .cancelled
    session.fail(request.tag, interruption.code, place, interruption.text)
  }

  /// Checks a request's words against the verb table: their number and their keys.
  func check(_ entry: VerbEntry) -> Bool {
    guard entry.plainWords.contains(words.plain.count) else {
      failUsage(entry)
      return false
    }
    var seen: Set<String> = []
    for (key, value) in words.keyed {
      if !seen.insert(key).inserted {
        failArgument(key, value, "'\(key)=' is given twice")
        return false
      }
      if case .only(let keys) = entry.keys, !keys.contains(key) {
        let isPlainWord = keys.isEmpty && !(key == "id" && entry.isPlainInput)
        fail(
          key: key, value, allowed: keys, among: keys, mayNumber: entry.isPlainInput,
          "\(entry.verb.name) takes no '\(key)='"
            + (isPlainWord ? "; write \"\(key)=…\" in quotes if it is a plain word" : ""))
        return false
      }
    }
    return true
  }

  @inline(never)
  private func failUnknownVerb(_ request: borrowing Request) {
    let verb = String(decoding: request.verb, as: UTF8.self)
    answering(request.tag) { $0.failUnknownVerb(verb) }
  }

  func failUnknownVerb(_ verb: String) {
    fail(
      .unknownVerb, [("verb", verb)] + suggestion(verb, among: Verb.allCases.lazy.map(\.name)),
      "there is no verb '\(verb)'; 'help' lists them")
  }
}

extension Session {
  /// Fires the due timers. A livelock among them is reported but does not fail the request.
  @inline(__always)
  mutating func fireDue(in live: inout LiveWorld) {
    let slice = live.slice
    // What may take long is for workers. A request that stays here brings no input; another one will fire them.
    if !slice.isOnWorker, live.world.mayFireLong { return }
    live.world.fireDue { slice.wait() == nil }
    if live.world.livelock != nil, let livelock = live.takeLivelock() { tell(livelock, live) }
  }
}
