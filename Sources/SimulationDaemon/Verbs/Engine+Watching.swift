import LineProtocol
import Simulator
import StateMachines

/// Watches, and the journal that they are read from.
extension Engine {
  func watch(_ words: borrowing Words, _ session: inout Session, _ realm: inout Realm) {
    guard let scope = scope(words, otherwise: .moves, &session) else { return }
    guard !words.plain[0].isEmpty else {
      session.fail(
        words.tag, .badArgument,
        [("argument", "pattern"), ("got", ""), ("allowed", "a name, with * and ? as in a shell")],
        "a pattern is not empty")
      return
    }
    guard let pattern = pattern(words.plain[0], words, &session) else { return }
    // What has happened belongs to the watches as they were.
    flushNotices(&session, realm.world, mayDrop: true)
    guard
      realm.world.watchCount(of: session.watcher) < limits.watches
        || realm.world.isWatching(pattern, session.watcher)
    else {
      session.fail(
        words.tag, .limit, [("name", "watches"), ("value", "\(limits.watches)")],
        "this connection watches \(limits.watches) patterns already; 'unwatch' ends one")
      return
    }
    guard let since = words["since"] else {
      begin(pattern, scope, words.tag, &session, &realm)
      return
    }
    guard let first = first(since: since, words, &session, realm) else { return }
    let past = JournalReply(from: first, of: realm, pattern, scope)
    session.activity = .reply(.past(past, pattern: pattern), tag: words.tagBytes)
  }

  /// Begins a watch, from the next input on, and answers.
  func begin(
    _ pattern: Pattern, _ scope: WatchScope, _ tag: UnsafeRawBufferPointer, _ session: inout Session,
    _ realm: inout Realm
  ) {
    if session.cursor == nil { session.cursor = realm.world.journalReader(from: realm.world.lastSequence + 1) }
    realm.world.watch(pattern, scope, for: session.watcher)
    answerWatching(tag, &session, realm.world)
  }

  func unwatch(_ words: borrowing Words, _ session: inout Session, _ realm: inout Realm) {
    guard let pattern = pattern(words.plain[0], words, &session) else { return }
    flushNotices(&session, realm.world, mayDrop: true)
    guard realm.world.unwatch(pattern, for: session.watcher) else {
      let patterns = realm.world.watchedPatterns(of: session.watcher).map { String(decoding: $0.bytes, as: UTF8.self) }
      session.fail(
        words.tag, .badArgument,
        [
          ("argument", "pattern"), ("got", words.plain[0]), ("allowed", patterns.prefix(60).joined(separator: ",")),
        ] + suggestion(words.plain[0], among: patterns),
        "this connection does not watch '\(words.plain[0])' here")
      return
    }
    if realm.world.watchCount(of: session.watcher) == 0 { session.cursor = nil }
    answerWatching(words.tag, &session, realm.world)
  }

  private func answerWatching(_ tag: UnsafeRawBufferPointer, _ session: inout Session, _ world: borrowing WorldCore) {
    session.outbox.buffer.begin(.success, tag: tag)
    session.outbox.buffer.word(literal: "watching")
    session.outbox.buffer.word(UInt64(world.watchCount(of: session.watcher)))
    session.outbox.buffer.endLine()
  }

  private func scope(
    _ words: borrowing Words, otherwise: WatchScope, _ session: inout Session
  ) -> WatchScope? {
    choice(words["what"], "what", ["moves": WatchScope.moves, "all": .all], otherwise: otherwise, words, &session)
  }

  /// The first input to be read; a failure is written if the number is none, or what it asks for is not kept any more.
  private func first(
    since text: String, _ words: borrowing Words, _ session: inout Session, _ realm: borrowing Realm
  ) -> UInt64? {
    guard let since = number(text, "since", in: 0...UInt64.max, otherwise: 0, words, &session) else { return nil }
    let wanted = max(1, since)
    guard wanted >= realm.firstSequence || realm.world.lastSequence == 0 else {
      failForgotten(words.tag, &session, realm)
      return nil
    }
    return min(wanted, realm.world.lastSequence + 1)
  }

  func failForgotten(_ tag: UnsafeRawBufferPointer, _ session: inout Session, _ realm: borrowing Realm) {
    let limit = realm.stored == nil ? ("journal", limits.world.journal) : ("storeBytes", limits.storeBytes)
    session.fail(
      tag, .limit, [("name", limit.0), ("value", "\(limit.1)"), ("from", "\(realm.firstSequence)")],
      "the journal of this world begins at \(realm.firstSequence)")
  }

  func journal(_ words: borrowing Words, _ session: inout Session, _ realm: inout Realm) {
    guard let scope = scope(words, otherwise: .all, &session) else { return }
    guard let limit = number(words["limit"], "limit", in: 0...1_000_000, otherwise: 100, words, &session) else {
      return
    }
    guard let pattern = pattern(words[0], words, &session) else { return }
    let reply: JournalReply
    if let since = words["since"] {
      guard let first = first(since: since, words, &session, realm) else { return }
      reply = JournalReply(from: first, of: realm, pattern, scope, most: Int(limit))
    } else {
      reply = JournalReply(ofTheLast: Int(limit), pattern, scope, of: realm)
    }
    session.activity = .reply(.journal(reply), tag: words.tagBytes)
  }
}
