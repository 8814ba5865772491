import LineProtocol
import Simulator
import StateMachines
import UnixHost

/// Watches and the journal.
extension RequestContext {
  func watch() {
    guard let scope = scope(otherwise: .moves) else { return }
    guard !words.plain[0].isEmpty else {
      return failArgument("pattern", "", allowed: "a name, with * and ? as in a shell", "a pattern is not empty")
    }
    guard let pattern = pattern(words.plain[0]) else { return }
    // Earlier inputs are printed for the watches as they were.
    session.flushNotices(live.world, mayDrop: true)
    let most = mostWatches
    guard live.world.watchCount(of: session.watcher) < most || live.world.isWatching(pattern, session.watcher) else {
      return failLimit("watches", most, "this connection watches \(most) patterns already; 'unwatch' ends one")
    }
    guard let since = words["since"] else {
      begin(pattern, scope)
      return
    }
    guard let first = first(since: since) else { return }
    let past = JournalReply(from: first, of: live, pattern, scope)
    begin(PastReply(journal: past, pattern: pattern))
  }

  /// How many patterns a client may watch here. Watches use the memory of the world's owner, so guests get few.
  private var mostWatches: Int {
    let user = session.terms.user
    let isGuest = user != .owner && user != WorldKey(live.name).owner
    return isGuest ? min(limits.watches, RequestContext.watchesOfAGuest) : limits.watches
  }

  private static let watchesOfAGuest = 64

  /// Begins a watch at the next input, and answers.
  func begin(_ pattern: NamePattern, _ scope: WatchScope) {
    if session.cursor == nil { session.cursor = live.world.journalReader(from: live.world.lastSequence + 1) }
    let isFirst = live.world.watchCount(of: session.watcher) == 0
    live.world.watch(pattern, scope, for: session.watcher)
    answerWatching()
    if isFirst, let said = live.said { session.tell(said, live.world) }
  }

  func unwatch() {
    guard let pattern = pattern(words.plain[0]) else { return }
    session.flushNotices(live.world, mayDrop: true)
    guard live.world.unwatch(pattern, for: session.watcher) else {
      let patterns = live.world.watchedPatterns(of: session.watcher).map { String(decoding: $0.bytes, as: UTF8.self) }
      return failArgument(
        "pattern", words.plain[0], among: Array(patterns.prefix(60)), near: patterns,
        "this connection does not watch '\(words.plain[0])' here")
    }
    if live.world.watchCount(of: session.watcher) == 0 { session.cursor = nil }
    answerWatching()
  }

  /// `* SEQ T NAME pointed STATE` goes to all who watch the machine, `* SEQ T - pointed say=TEXT` to all others
  /// who watch any.
  func point() {
    guard words.plain.count == (words["say"] == nil ? 2 : 0), words["say"] != nil || words["predict"] == nil else {
      return fail(.usage, usageText(Verb.point.entry))
    }
    if let text = words["say"] {
      guard let predicts = choice(words["predict"], "predict", ["yes": true, "no": false], otherwise: false) else {
        return
      }
      return self.defer(.say(text, predicts: predicts))
    }
    guard let machine = machine(words.plain[0]) else { return }
    guard query(words.plain[1], live.world.kind(of: machine)) != nil else { return }
    self.defer(.point(words.plain[0], state: words.plain[1]))
  }

  private func answerWatching() {
    succeed { line in
      line.word(literal: "watching")
      line.word(UInt64(live.world.watchCount(of: session.watcher)))
    }
  }

  private func scope(otherwise: WatchScope) -> WatchScope? {
    choice(words["what"], "what", ["moves": WatchScope.moves, "all": .all], otherwise: otherwise)
  }

  /// The first input to read. Writes a failure if the number is invalid or its input is no longer kept.
  private func first(since text: String) -> UInt64? {
    guard let since = number(text, "since", in: 0...UInt64.max, otherwise: 0) else { return nil }
    let wanted = max(1, since)
    guard wanted >= live.firstSequence || live.world.lastSequence == 0 else {
      failForgotten()
      return nil
    }
    return min(wanted, live.world.lastSequence + 1)
  }

  func failForgotten() {
    let limit = live.stored == nil ? ("journal", limits.world.journal) : ("storeBytes", limits.storeBytes)
    failLimit(
      limit.0, limit.1, with: [("from", "\(live.firstSequence)")],
      "the journal of this world begins at \(live.firstSequence)")
  }

  func journal() {
    guard let scope = scope(otherwise: .all) else { return }
    guard let limit = number(words["limit"], "limit", in: 0...1_000_000, otherwise: 100) else {
      return
    }
    guard let pattern = pattern(words[0]) else { return }
    guard let wallTime = wallTime(words["at"]) else { return }
    let tellsWallTime = wallTime != .untold
    let reply: JournalReply
    if let since = words["since"] {
      guard let first = first(since: since) else { return }
      if case .from = wallTime {
        return fail(.usage, [], "'since=' and 'at=TIME' both say where to begin; 'at=yes' only adds the times")
      }
      reply = JournalReply(from: first, of: live, pattern, scope, most: Int(limit), tellsWallTime: tellsWallTime)
    } else if case .from(let wall) = wallTime {
      guard live.stored != nil || live.world.hasWallTimes else {
        return fail(
          .clock, [("clock", "\(live.clock.mode.rawValue)")],
          "this world has a virtual clock, so its inputs have no time of day; 'since=SEQ' says where to begin")
      }
      reply = JournalReply(fromWallTime: wall, of: live, pattern, scope, most: Int(limit))
    } else {
      reply = JournalReply(ofTheLast: Int(limit), pattern, scope, of: live, tellsWallTime: tellsWallTime)
    }
    begin(reply)
  }

  /// What `at=` asks for.
  private enum WantedWallTime: Equatable {
    case untold
    case told
    /// In nanoseconds since 1970.
    case from(Int64)
  }

  private func wallTime(_ text: String?) -> WantedWallTime? {
    guard let text else { return .untold }
    if text == "yes" { return .told }
    if let wall = WallClock.time(text, now: live.wall ?? WallClock.now()) { return .from(wall) }
    failArgument("at", text, allowed: "yes, \(WallClock.form)", "'\(text)' is no time of day")
    return nil
  }
}
