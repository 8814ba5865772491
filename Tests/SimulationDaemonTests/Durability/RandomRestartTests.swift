import TestSupport
import Simulator
import StateMachines
import Testing

@testable import SimulationDaemon

/// Random requests, and a kill between any two rounds: the restarted daemon has the same worlds, and answers further
/// requests as the killed one would have.
@Suite("Restarts at random")
struct RandomRestartTests {
  /// Checkpoints and retention that take effect within some hundred inputs, and rounds with more inputs than are kept.
  private static var setups: [KeptDaemon.Setup] {
    [
      KeptDaemon.Setup("checkpointInputs=1000000"),
      KeptDaemon.Setup("checkpointInputs=40", "journal=200"),
      KeptDaemon.Setup("checkpointInputs=25", "storeBytes=4096"),
      KeptDaemon.Setup("checkpointInputs=60", "journal=50", "storeBytes=4096", "keyedTimers=4", "wireChain=20"),
      KeptDaemon.Setup("journal=30", "machines=40", "chain=60", "wireDeliveries=30"),
    ]
  }

  @Test(
    "all is as it was, and goes on as it would have",
    arguments: Thorough.rounds(0..<15 as Range<UInt64>, atLeast: setups.count))
  func restarts(seed: UInt64) throws {
    var walk = try RestartWalk(seed: seed, Self.setups[Int(seed) % Self.setups.count])
    let rounds = Thorough.rounds(12, atLeast: 4)
    for _ in 0..<rounds {
      try walk.goOn()
      if let problem = walk.problem {
        Issue.record("seed \(seed): \(problem) after \(walk.last.suffix(12))")
        return
      }
    }
    expect(walk.inputs > UInt64(3 * rounds), "seed \(seed)")
  }
}

/// A daemon that is killed repeatedly, and the requests it got.
private struct RestartWalk {
  private static let worlds = ["main", "kept"]

  private var dice: Dice
  private let requests: KeptRequests
  private var daemon: KeptDaemon
  private var guests: [Guest]
  private(set) var last: [String] = []
  private(set) var problem: String?

  /// Inputs of all worlds.
  var inputs: UInt64 { guests.reduce(0) { $0 + $1.client.hosted.live.world.lastSequence } }

  init(seed: UInt64, _ setup: KeptDaemon.Setup) throws {
    dice = Dice(seed: seed)
    requests = KeptRequests(&dice)
    daemon = try KeptDaemon(setup)
    _ = daemon.connect().ask("clock virtual", "world new kept durable=yes seed=\(seed)")
    guests = RestartWalk.worlds.map { [daemon] in daemon.connect($0) }
  }

  /// Some rounds, a kill, and then the same rounds for the killed daemon and its successor.
  mutating func goOn() throws {
    for _ in 0..<dice.number(below: 12) { _ = guests[dice.number(below: guests.count)].say(batch(of: 12)) }
    let other = try daemon.afterKill()
    let others = RestartWalk.worlds.map { other.connect($0) }
    compare(with: others, "right after the restart", inFull: true)
    for turn in 0..<4 where problem == nil {
      let place = dice.number(below: guests.count)
      let lines = batch(of: 8)
      let (wanted, found) = (guests[place].say(lines), others[place].say(lines))
      // How far undo can go depends on the checkpoints in memory.
      if (wanted + found).contains(where: { $0.contains(" LIMIT name=journal ") }) { return }
      if let difference = RestartWalk.difference(wanted, found) { problem = "turn \(turn) after it: \(difference)" }
    }
    if problem == nil { compare(with: others, "later", inFull: false) }
    if dice.once(in: 2) {
      daemon = other
      guests = others
    }
  }

  private mutating func batch(of most: Int) -> String {
    let lines = (0...dice.number(below: most)).map { _ in requests.request(&dice) }
    last = Array((last + lines).suffix(60))
    return lines.joined(separator: "\n")
  }

  /// - Parameter inFull: Whether to compare invisible state as well.
  private mutating func compare(with others: [Guest], _ time: String, inFull: Bool) {
    for (one, other) in zip(guests, others) where problem == nil {
      let found = other.violations().first ?? difference(one, other, inFull: inFull)
      problem = found.map { "\(one.client.hosted.live.name) \(time): \($0)" }
    }
  }

  private func difference(_ one: Guest, _ other: Guest, inFull: Bool) -> String? {
    // One world may still have inputs that the other has dropped.
    let first = max(one.client.hosted.live.firstSequence, other.client.hosted.live.firstSequence)
    for what in [
      "world", "clock", "list", "agenda limit=1000", "wires", "count", "journal since=\(first) limit=100000",
    ] {
      if let found = RestartWalk.difference(one.say(what), other.say(what)) { return "\(what): \(found)" }
    }
    guard inFull else { return nil }
    let hashes = (try? one.client.hosted.live.world.presentHash, try? other.client.hosted.live.world.presentHash)
    return hashes.0 == hashes.1 ? nil : "another hash of the state"
  }

  private static func difference(_ wanted: [String], _ found: [String]) -> String? {
    guard wanted != found else { return nil }
    let place = zip(wanted, found).enumerated().first { $1.0 != $1.1 }?.offset ?? min(wanted.count, found.count)
    return "\(found.dropFirst(place).first ?? "nothing") where \(wanted.dropFirst(place).first ?? "nothing") was"
  }
}

/// Requests that change worlds on a virtual clock: inputs of all kinds, time, and rewinds.
struct KeptRequests {
  private let kinds: [SensibleRequests]

  init(_ dice: inout Dice) {
    // Six kinds at a time, so that requests meet their machines; a game would fill time with sixty frames a second.
    // Compositions have no requests of their own here, and six of nothing else would be none.
    let machines = HostedService.catalogue.entries.filter { entry in
      if case .machine(let kind) = entry { kind.name != "game" } else { false }
    }
    let entries = machines.shuffled(using: &dice)
    kinds = stride(from: 0, to: entries.count, by: 6).map { place in
      SensibleRequests(Catalogue(Array(entries[place..<min(place + 6, entries.count)])))
    }
  }

  func request(_ dice: inout Dice) -> String {
    switch dice.number(below: 40) {
    case 0..<5: return "advance \(dice.one(of: ["1", "350ms", "1s", "7ns", "20ms", "3s", "40s"]))"
    case 5: return "step \(1 + dice.number(below: 3))"
    case 6: return "undo \(1 + dice.number(below: 4))" + (dice.once(in: 3) ? "\nredo" : "")
    case 7: return dice.once(in: 4) ? "goto \(dice.number(below: 60))s" : "undo"
    case 8: return dice.one(of: ["redo", "undo\nundo 2\nredo", "undo 2\ngoto 1s\nredo 2", "undo\nredo\nundo 3\nredo"])
    case 9:
      let lines = (0..<dice.number(below: 5)).map { _ in input(&dice) }
      return (["begin"] + lines + ["end"]).joined(separator: "\n")
    case 10, 11: return definition(&dice)
    case _: return input(&dice)
    }
  }

  /// A kind from a document, its end, or something about a machine of one.
  private func definition(_ dice: inout Dice) -> String {
    func define(_ name: String, to most: Int) -> String {
      let document = DefinedKindsTests.counter(to: most)
      return "define \(name) format=scxml bytes=\(document.utf8.count)\n\(document)"
    }
    let (kind, machine) = ("kind\(dice.number(below: 3))", "made\(dice.number(below: 3))")
    switch dice.number(below: 16) {
    case 0..<3: return define(kind, to: 2 + dice.number(below: 2))
    case 3, 4: return "undefine \(kind)"
    case 5, 6: return "drop \(machine)\nundefine \(kind)"
    case 7..<10: return "new \(kind) \(machine)"
    // So many that those which nobody needs any more are forgotten.
    case 10: return (Array(repeating: define("spare", to: 2), count: 16) + ["undefine spare"]).joined(separator: "\n")
    case _: return "send \(machine) add"
    }
  }

  private func input(_ dice: inout Dice) -> String {
    while true {
      var kind = dice.one(of: kinds)
      let request = kind.request(&dice)
      // Other tests cover chains without passing time.
      if !request.contains("every=0"), !request.contains("recheckDelay=0") { return request }
    }
  }
}
