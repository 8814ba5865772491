import LineProtocol
import Simulator
import StateMachines

/// The requests about worlds, as far as the present one can answer them.
extension Engine {
  func world(_ words: borrowing Words, _ session: inout Session) -> DeferredEffect {
    if let (key, value) = words.keyed.first, words[0] != "new" {
      session.fail(
        words.tag, .badArgument, [("argument", key), ("got", value), ("allowed", "")],
        "only 'world new' takes '\(key)='")
      return .none
    }
    switch (words[0], words[1]) {
    case (nil, _):
      return .service(.describeWorld)
    case ("new", let name?):
      return newWorld(name, words, &session)
    case ("drop", let name?):
      return .service(.dropWorld(name))
    case ("fork", let name?):
      guard let name = newName(name, words, &session) else { return .none }
      return .service(.forkWorld(name))
    case (_, _):
      session.fail(
        words.tag, .usage,
        "world is used as \(Verb.world.entry.usages.map { "'\($0)'" }.joined(separator: " or "))")
      return .none
    }
  }

  /// `+ world=W clock= t= seq= [service=out]`
  func describe(
    _ name: String, _ glimpse: HostedWorld.Glimpse, _ tag: UnsafeRawBufferPointer, _ session: inout Session
  ) {
    session.outbox.buffer.begin(.success, tag: tag)
    session.outbox.buffer.key("world", name)
    session.outbox.buffer.key("clock", glimpse.clock.rawValue)
    session.endLine(glimpse)
  }

  private func newWorld(_ name: String, _ words: borrowing Words, _ session: inout Session) -> DeferredEffect {
    guard let name = newName(name, words, &session) else { return .none }
    guard
      let clock = choice(
        words["clock"], "clock", ["virtual": WorldClock.Mode.virtual, "real": .real], otherwise: .virtual, words,
        &session)
    else { return .none }
    guard let seed = number(words["seed"], "seed", in: 0...UInt64.max, otherwise: 0, words, &session) else {
      return .none
    }
    guard let isDurable = durability(words, &session) else { return .none }
    return .service(.newWorld(name, clock: clock, seed: seed, isDurable: isDurable))
  }

  /// Whether a world is to be kept; a failure is written where that cannot be.
  private func durability(_ words: borrowing Words, _ session: inout Session) -> Bool? {
    if keepsWorlds {
      return choice(words["durable"], "durable", ["no": false, "yes": true], otherwise: false, words, &session)
    }
    guard words["durable"] == "yes" else {
      return choice(words["durable"], "durable", ["no": false], otherwise: false, words, &session)
    }
    session.fail(
      words.tag, .badArgument, [("argument", "durable"), ("got", "yes"), ("allowed", "no")],
      "this daemon keeps nothing, since it was started with --ephemeral")
    return nil
  }

  func use(_ words: borrowing Words, _ session: inout Session) -> DeferredEffect { .service(.use(words.plain[0])) }
}
