import LineProtocol
import Simulator
import StateMachines

/// Requests about worlds; the service does what concerns other worlds.
extension RequestContext {
  func world() {
    if let (key, value) = words.keyed.first, words[0] != "new" {
      return fail(
        .badArgument, [("argument", key), ("got", value), ("allowed", "")],
        key == "durable" && words[0] == "fork"
          ? "a fork is not durable; 'script' writes this world as a script, which makes it again in one of 'world new W durable=yes'"
          : "only 'world new' takes '\(key)='")
    }
    switch (words[0], words[1]) {
    case (let what, _) where words[2] != nil && what != "share":
      failUsage(Verb.world.entry)
    case (nil, _):
      self.defer(.describeWorld)
    case ("new", let name?):
      newWorld(name)
    case ("drop", let name?):
      self.defer(.dropWorld(name))
    case ("share", let name?):
      guard let sharing = choice(words[2], "mode", ["read": Sharing.read, "write": .write], otherwise: .read) else {
        return
      }
      self.defer(.shareWorld(name, sharing))
    case ("unshare", let name?):
      self.defer(.shareWorld(name, .nobody))
    case ("fork", let name?):
      guard let name = newName(name) else { return }
      self.defer(.forkWorld(name))
    case ("list", nil):
      fail(.usage, "'worlds' lists all worlds; \(usageText(Verb.world.entry))")
    case (_, _):
      failUsage(Verb.world.entry)
    }
  }

  private func newWorld(_ name: String) {
    guard let name = newName(name) else { return }
    guard
      let clock = choice(
        words["clock"], "clock", ["virtual": WorldClock.Mode.virtual, "real": .real], otherwise: .virtual)
    else { return }
    guard let seed = number(words["seed"], "seed", in: 0...UInt64.max, otherwise: 0) else {
      return
    }
    guard let isDurable = durability() else { return }
    self.defer(.newWorld(name, clock: clock, seed: seed, isDurable: isDurable))
  }

  /// Whether a new world is durable. Writes a failure if the daemon has no store.
  private func durability() -> Bool? {
    guard let isDurable = choice(words["durable"], "durable", ["no": false, "yes": true], otherwise: false) else {
      return nil
    }
    if environment.canStoreWorlds || !isDurable { return isDurable }
    fail(
      .badArgument, [("argument", "durable"), ("got", "yes"), ("allowed", "no")],
      "this daemon keeps nothing, since it was started with --ephemeral")
    return nil
  }
}

extension Session {
  /// `+ world=W clock= t= seq= [service=out]`
  mutating func describe(_ name: String, _ status: HostedWorld.Status, _ tag: [UInt8]) {
    tag.withUnsafeBytes { outbox.buffer.begin(.success, tag: $0) }
    outbox.buffer.key("world", name)
    outbox.buffer.key("clock", status.clock.rawValue)
    endLine(status)
  }

  /// `+ created NAME [durable=no]`, with `durable=no` if a durable world was copied.
  mutating func answerFork(_ name: String, ofDurable isOfDurable: Bool, _ tag: [UInt8]) {
    succeed(tag) { line in
      line.word(literal: "created")
      line.word(name)
      if isOfDurable { line.key("durable", "no") }
    }
  }

  /// `+ WORD NAME`
  mutating func answer(_ word: StaticString, _ name: String, _ tag: [UInt8]) {
    succeed(tag) { line in
      line.word(literal: word)
      line.word(name)
    }
  }
}
