import LineProtocol
import Simulator
import StateMachines

/// Watches, and the journal that they are read from.
extension Engine {
  func watch(_ words: borrowing Words, _ session: inout Session, _ realm: inout Realm) {
    guard let scope = scope(words, otherwise: .moves, &session) else { return }
    guard words.plain[0].utf8.count <= limits.line, !words.plain[0].isEmpty else {
      session.fail(
        words.tag, .badArgument,
        [("argument", "pattern"), ("got", ""), ("allowed", "a name, with * and ? as in a shell")],
        "a pattern is not empty")
      return
    }
    let pattern = pattern(words.plain[0])
    // What has happened belongs to the watches as they were.
    pump(&session, realm.world, mayDrop: true)
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
    guard let reader = reader(since: since, words, &session, realm.world) else { return }
    let history = LongReply.History(
      reader: reader, end: realm.world.lastSequence, pattern: pattern, scope: scope, remaining: .max)
    session.activity = .reply(.past(history, pattern: pattern), tag: words.tagBytes)
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
    pump(&session, realm.world, mayDrop: true)
    guard realm.world.unwatch(pattern(words.plain[0]), for: session.watcher) else {
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

  private func answerWatching(_ tag: UnsafeRawBufferPointer, _ session: inout Session, _ world: borrowing World) {
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

  /// A reader from an input on; a failure is written if the number is none, or the journal has forgotten it.
  private func reader(
    since text: String, _ words: borrowing Words, _ session: inout Session, _ world: borrowing World
  ) -> JournalReader? {
    guard let since = number(text, "since", in: 0...UInt64.max, otherwise: 0, words, &session) else { return nil }
    let wanted = max(1, since)
    guard wanted >= world.firstSequence || world.lastSequence == 0 else {
      failForgotten(words.tag, &session, world)
      return nil
    }
    return world.journalReader(from: min(wanted, world.lastSequence + 1))
  }

  func failForgotten(_ tag: UnsafeRawBufferPointer, _ session: inout Session, _ world: borrowing World) {
    session.fail(
      tag, .limit,
      [("name", "journal"), ("value", "\(limits.world.journal)"), ("from", "\(world.firstSequence)")],
      "the journal of this world begins at \(world.firstSequence)")
  }

  func journal(_ words: borrowing Words, _ session: inout Session, _ realm: inout Realm) {
    guard let scope = scope(words, otherwise: .all, &session) else { return }
    guard let limit = number(words["limit"], "limit", in: 0...1_000_000, otherwise: 100, words, &session) else {
      return
    }
    let pattern = pattern(words[0])
    let reader: JournalReader
    if let since = words["since"] {
      guard let found = self.reader(since: since, words, &session, realm.world) else { return }
      reader = found
    } else {
      reader = lastReader(pattern, scope, limit, realm.world)
    }
    let history = LongReply.History(
      reader: reader, end: realm.world.lastSequence, pattern: pattern, scope: scope, remaining: Int(limit))
    session.activity = .reply(.journal(history), tag: words.tagBytes)
  }

  /// A reader that has the last `limit` inputs of a pattern before it.
  ///
  /// - Complexity: O(1) for all inputs; otherwise the journal is read once.
  private func lastReader(
    _ pattern: Pattern, _ scope: WatchScope, _ limit: UInt64, _ world: borrowing World
  ) -> JournalReader {
    let first = world.firstSequence
    let last = world.lastSequence
    if pattern.matchesAll, scope == .all {
      return world.journalReader(from: max(first, last + 1 > limit ? last + 1 - limit : first))
    }
    // A ring of the places of the last `limit` inputs that match.
    var reader = world.journalReader(from: first)
    var found: [JournalReader] = []
    var oldest = 0
    var printer = JournalPrinter()
    var sink = ByteBuffer()
    let noTag = UnsafeRawBufferPointer(start: nil, count: 0)
    while true {
      let place = reader
      guard let entry = world.read(&reader) else { break }
      guard world.concerns(entry, pattern) else { continue }
      if scope == .moves {
        sink.removeAll()
        guard printer.print(entry, of: world, scope, .data, tag: noTag, to: &sink) > 0 else { continue }
      }
      if found.count < Int(limit) {
        found.append(place)
      } else if limit > 0 {
        found[oldest] = place
        oldest = (oldest + 1) % Int(limit)
      }
    }
    return found.isEmpty ? world.journalReader(from: last + 1) : found[oldest % found.count]
  }
}
