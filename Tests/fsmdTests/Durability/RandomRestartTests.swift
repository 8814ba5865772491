import Simulator
import StateMachines
import Testing

@testable import fsmd

/// Requests at random, and a kill between any two rounds: the daemon that comes back has the same worlds, and answers
/// whatever is asked next as the one would have that was killed.
@Suite("Restarts at random")
struct RandomRestartTests {
  /// Checkpoints and retention that come into play within some hundred inputs.
  private static var setups: [KeptDaemon.Setup] { [
    KeptDaemon.Setup("checkpointInputs=1000000"),
    KeptDaemon.Setup("checkpointInputs=40"),
    KeptDaemon.Setup("checkpointInputs=25", "storeBytes=65536"),
    KeptDaemon.Setup("checkpointInputs=60", "journal=50", "storeBytes=65536", "keyedTimers=4", "wireChain=20"),
    KeptDaemon.Setup("journal=30", "machines=40", "chain=60", "wireDeliveries=30"),
  ] }

  @Test("all is as it was, and goes on as it would have", arguments: 0..<20 as Range<UInt64>)
  func restarts(seed: UInt64) throws {
    var walk = try RestartWalk(seed: seed, Self.setups[Int(seed) % Self.setups.count])
    for _ in 0..<30 {
      try walk.goOn()
      if let problem = walk.problem {
        Issue.record("seed \(seed): \(problem) after \(walk.last.suffix(12))")
        return
      }
    }
    #expect(walk.restarts > 10, "seed \(seed)")
    #expect(walk.inputs > 500, "seed \(seed)")
  }
}

/// A daemon that is killed now and then, and what it was sent.
private struct RestartWalk {
  private static let worlds = ["main", "kept"]

  private var dice: Dice
  private let requests: KeptRequests
  private var daemon: KeptDaemon
  private var guests: [Guest]
  private(set) var last: [String] = []
  private(set) var restarts = 0
  private(set) var problem: String?

  /// Inputs of all worlds.
  var inputs: UInt64 { guests.reduce(0) { $0 + $1.client.hosted.realm.world.lastSequence } }

  init(seed: UInt64, _ setup: KeptDaemon.Setup) throws {
    dice = Dice(seed: seed)
    requests = KeptRequests(&dice)
    daemon = try KeptDaemon(setup)
    _ = daemon.connect().ask("clock virtual", "world new kept durable=yes seed=\(seed)")
    guests = RestartWalk.worlds.map { [daemon] in daemon.connect($0) }
  }

  /// Some rounds, a kill, and the same rounds for the daemon that was killed and the one that came back.
  mutating func goOn() throws {
    for _ in 0..<dice.number(below: 12) { takeTurn() }
    let other = try daemon.afterKill()
    let others = RestartWalk.worlds.map { other.connect($0) }
    restarts += 1
    compare(with: others, "right after the restart")
    if problem != nil, last.isEmpty { print("LOG", other.log, guests.map{ $0.client.hosted.head}, others.map{$0.client.hosted.head}); print(guests[1].say("agenda")); print(others[1].say("agenda")); print(others[1].say("journal since=1557")); print(guests[1].say("journal ticker* limit=30 what=moves"), guests[1].say("journal smartFridge1 limit=60")); print(others[1].say("journal limit=6")); print(last.joined(separator: " ; ")) }
    for turn in 0..<4 where problem == nil {
      let place = dice.number(below: guests.count)
      let lines = batch(of: 1 + dice.number(below: 8))
      let answers = (guests[place].say(lines), others[place].say(lines))
      // How far back one can go depends on the copies that are in memory.
      if (answers.0 + answers.1).contains(where: { $0.contains(" LIMIT name=journal ") }) { break }
      if answers.0 != answers.1 {
        let place = answers.0.indices.first { answers.0[$0] != answers.1[safe: $0] } ?? answers.0.count
        problem = "turn \(turn) after the restart: \(answers.0[safe: place] ?? "-"), not \(answers.1[safe: place] ?? "-")"
      }
      compare(with: others, "after turn \(turn)")
    }
    if dice.once(in: 2) {
      daemon = other
      guests = others
    }
  }

  private mutating func takeTurn() {
    let lines = batch(of: 1 + dice.number(below: 12))
    _ = guests[dice.number(below: guests.count)].say(lines)
  }

  private mutating func batch(of count: Int) -> String {
    let lines = (0..<count).map { _ in requests.request(&dice) }
    last = Array((last + lines).suffix(60))
    return lines.joined(separator: "\n")
  }

  private mutating func compare(with others: [Guest], _ time: String) {
    for (one, other) in zip(guests, others) where problem == nil {
      if let difference = difference(one, other, time) {
        problem = "\(one.client.hosted.realm.name) \(time): \(difference)"
      }
    }
  }

  private func difference(_ one: Guest, _ other: Guest, _ time: String) -> String? {
    if let violation = other.violations().first { return violation }
    for what in ["world", "clock", "list", "agenda limit=1000", "wires", "count", "journal since=\(since(one, other)) limit=100000"] {
      let (left, right) = (one.say(what).map(strip), other.say(what).map(strip))
      guard left != right else { continue }
      let place = left.indices.first { left[$0] != right[safe: $0] } ?? left.count
      return "\(what): \(left[safe: place] ?? "-") was there, and is \(right[safe: place] ?? "-")"
    }
    if time != "right after the restart" { return nil }
    let hashes = (try? one.client.hosted.realm.world.presentHash, try? other.client.hosted.realm.world.presentHash)
    return hashes.0 == hashes.1 ? nil : "another hash of the state"
  }

  private func strip(_ s: String) -> String { s.split(separator: " ").filter { !$0.hasPrefix("undone=") }.joined(separator: " ") }

  private func since(_ one: Guest, _ other: Guest) -> UInt64 {
    max(one.client.hosted.realm.firstSequence, other.client.hosted.realm.firstSequence)
  }
}

extension Array {
  fileprivate subscript(safe place: Int) -> Element? { indices.contains(place) ? self[place] : nil }
}

/// Requests that change worlds on a virtual clock: inputs of all sorts, time, and ways back.
struct KeptRequests {
  private let kinds: [SensibleRequests]

  init(_ dice: inout Dice) {
    // Six kinds at a time, so that their machines meet; a game has sixty frames a second.
    let entries = HostedService.catalogue.entries.filter { $0.name != "game" }.shuffled(using: &dice)
    kinds = stride(from: 0, to: entries.count, by: 6).map { place in
      SensibleRequests(Catalogue(Array(entries[place..<min(place + 6, entries.count)])))
    }
  }

  func request(_ dice: inout Dice) -> String {
    switch dice.number(below: 40) {
    case 0..<5: return "advance \(dice.one(of: ["1", "350ms", "1s", "7ns", "20ms", "3s", "40s"]))"
    case 5: return "step \(1 + dice.number(below: 3))"
    case 6: return "undo \(1 + dice.number(below: 4))"
    case 7: return dice.once(in: 4) ? "goto \(dice.number(below: 60))s" : "undo"
    case 8:
      let lines = (0..<dice.number(below: 5)).map { _ in input(&dice) }
      return (["begin"] + lines + ["end"]).joined(separator: "\n")
    case _: return input(&dice)
    }
  }

  private func input(_ dice: inout Dice) -> String {
    while true {
      var kind = dice.one(of: kinds)
      let request = kind.request(&dice)
      // Chains that take no time are for other tests.
      if !request.contains("every=0"), !request.contains("recheckDelay=0") { return request }
    }
  }
}
