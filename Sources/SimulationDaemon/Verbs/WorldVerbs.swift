import LineProtocol
import Simulator
import StateMachines

/// Requests about worlds; the service does what concerns other worlds.
extension RequestContext {
  func world() {
    let fitting = words[0] == "fork" ? ["durable", "seq"] : words[0] == "new" ? ["clock", "seed", "durable"] : []
    if let (key, value) = words.keyed.first(where: { !fitting.contains($0.key) }) {
      let taker = key == "seq" ? "fork" : "new"
      return failArgument(key, value, allowed: "", "only 'world \(taker)' takes '\(key)='")
    }
    switch (words[0], words[1]) {
    case (let what, _) where words[2] != nil && what != "share" && what != "move":
      failUsage(Verb.world.entry)
    case (nil, _):
      self.defer(.describeWorld)
    case ("new", let name?):
      newWorld(name)
    case ("drop", let name?):
      self.defer(.dropWorld(name))
    case ("move", let name?):
      guard let target = words[2] else { return failUsage(Verb.world.entry) }
      self.defer(.moveWorld(name, to: target))
    case ("share", let name?):
      guard let sharing = choice(words[2], "mode", ["read": Sharing.read, "write": .write], otherwise: .read) else {
        return
      }
      self.defer(.shareWorld(name, sharing))
    case ("unshare", let name?):
      self.defer(.shareWorld(name, .nobody))
    case ("fork", let name?):
      guard let name = newName(name), let isDurable = durability(),
        let input = number(words["seq"], "seq", in: 0...UInt64.max, otherwise: 0)
      else { return }
      guard words["seq"] == nil || !isDurable else {
        return failArgument(
          "seq", "\(input)", allowed: "",
          "'seq=' and 'durable=yes' do not go together; fork the world without 'seq=', and 'goto seq=\(input)' there")
      }
      self.defer(.forkWorld(name, isDurable: isDurable, input: words["seq"] == nil ? nil : input))
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
    failArgument("durable", "yes", allowed: "no", "this daemon keeps nothing, since it was started with --ephemeral")
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

  /// `+ created NAME [durable=no] [paused=yes t= seq=]`
  ///
  /// - Parameters:
  ///   - lasts: Whether the copy is durable if the world that was copied is.
  ///   - moment: Where the copy is if it went back to an input, and whether that has paused its clock.
  mutating func answerFork(
    _ name: String, lasts: Bool, at moment: (now: Instant, sequence: UInt64, isPaused: Bool)? = nil, _ tag: [UInt8]
  ) {
    succeed(tag) { line in
      line.word(literal: "created")
      line.word(name)
      if !lasts { line.key("durable", "no") }
      guard let moment else { return }
      if moment.isPaused { line.key("paused", "yes") }
      line.key("t", seconds: moment.now.nanoseconds)
      line.key("seq", moment.sequence)
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
