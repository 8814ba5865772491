import TestSupport
@testable import Simulator
import StateMachines
import Testing

@Suite("What looks at all machines can be done a piece at a time")
struct SlicedSearchTests {
  // MARK: Names

  private func pattern(_ text: String) -> NamePattern { NamePattern(text.utf8) }

  /// Searches all machines, in slices of this size.
  private func names(_ text: String, in world: inout WorldCore, pieces: Int) -> [String] {
    var cursor = NameCursor(pattern(text))
    var found: [String] = []
    while true {
      var budget = pieces
      search: while true {
        switch world.next(&cursor, budget: &budget) {
        case .found(let machine): found.append(world.name(of: machine))
        case .more: break search
        case .done: return found
        }
      }
      expectEqual(budget, 0, "a piece is as large as it may be")
    }
  }

  @Test("in the order of names, whatever the size of the pieces", arguments: [1, 7, 1_000, 1_000_000])
  func order(pieces: Int) throws {
    var world = WorldCore()
    var dice = Dice(seed: pieces)
    let all = (0..<3_000).map { "m\($0 * 7_919 % 3_000)" }.shuffled(using: &dice)
    for name in all { try world.make(Relay.kind, name) }
    let sorted = all.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    expectEqual(names("*", in: &world, pieces: pieces), sorted)
    expectEqual(names("m29*", in: &world, pieces: pieces), sorted.filter { $0.hasPrefix("m29") })
    expectEqual(names("*99", in: &world, pieces: pieces), sorted.filter { $0.hasSuffix("99") })
    expectEqual(names("m5", in: &world, pieces: pieces), ["m5"])
    expectEqual(names("n*", in: &world, pieces: pieces), [])
    expectEqual(world.checkInvariants(), [])
  }

  @Test("a piece looks at no more machines than it may, and when all are in order at none")
  func budget() throws {
    var world = WorldCore()
    for number in 0..<5_000 { try world.make(Relay.kind, "m\(number * 31 % 5_000)") }
    var budget = 4_999
    let isDone = world.putNamesInOrder(budget: &budget)
    expect(!isDone)
    expectEqual(budget, 0)
    expectEqual(world.registry.scanned, 4_999)
    budget = 10
    let isDoneNow = world.putNamesInOrder(budget: &budget)
    expect(isDoneNow)
    expectEqual(budget, 9)
    budget = 0
    let isStillDone = world.putNamesInOrder(budget: &budget)
    expect(isStillDone)
    try world.make(Relay.kind, "late")
    let isUndone = !world.putNamesInOrder(budget: &budget)
    expect(isUndone, "one has come")
    var cursor = NameCursor(.all)
    let first = world.next(&cursor, budget: &budget)
    expectEqual(first, .more, "nothing may be looked at")
    expectEqual(world.checkInvariants(), [])
  }

  @Test(
    "machines that come and go meanwhile: those that stay are found once and in order",
    arguments: Thorough.rounds(0..<20))
  func changing(seed: Int) throws {
    var dice = Dice(seed: seed)
    var limits = WorldLimits()
    // A short journal, so that numbers are reused.
    limits.journal = 20
    var world = WorldCore(limits: limits)
    var alive: Set<String> = []
    func change(_ world: inout WorldCore, times: Int) throws {
      for _ in 0..<times {
        let name = "n\(dice.number(0...600))"
        if alive.remove(name) != nil {
          world.drop(name)
        } else {
          try world.make(Relay.kind, name)
          alive.insert(name)
        }
      }
    }
    try change(&world, times: 1_500)
    for round in 0..<8 {
      let before = alive
      var stayed = alive
      var everThere = alive
      var cursor = NameCursor(.all)
      var found: [String] = []
      search: while true {
        var budget = dice.number(1...60)
        piece: while true {
          switch world.next(&cursor, budget: &budget) {
          case .found(let machine):
            let isAlive = world.isAlive(machine)
            expect(isAlive, "seed \(seed)")
            found.append(world.name(of: machine))
          case .more: break piece
          case .done: break search
          }
        }
        if dice.once(in: 2) { try change(&world, times: dice.number(1...5)) }
        stayed.formIntersection(alive)
        everThere.formUnion(alive)
      }
      expectEqual(found, found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }, "seed \(seed), round \(round)")
      expectEqual(Set(found).count, found.count, "seed \(seed): one is found twice")
      expect(stayed.isSubset(of: found), "seed \(seed), round \(round), \(before.count) before")
      expect(Set(found).isSubset(of: everThere), "seed \(seed), round \(round)")
      expectEqual(world.checkInvariants(), [], "seed \(seed), round \(round)")
    }
    expectEqual(Set(world.machines(matching: .all).map { world.name(of: $0) }), alive)
  }

  @Test("who never asks again does not have all that comes and goes remembered")
  func forgetting() throws {
    var limits = WorldLimits()
    limits.journal = 10
    var world = WorldCore(limits: limits)
    try world.make(Relay.kind, "stays")
    _ = world.machines(matching: .all)
    for number in 0..<10_000 {
      try world.make(Relay.kind, "m\(number)")
      world.drop("m\(number)")
      try #require(world.registry.newcomers.count <= 1_100)
    }
    expectEqual(world.machines(matching: .all).map { world.name(of: $0) }, ["stays"])
    expectEqual(world.checkInvariants(), [])
  }

  // MARK: The agenda

  /// A world with many timers at few due times, some of them dead.
  private func alarms(_ count: Int, _ dice: inout Dice) throws -> WorldCore {
    var world = WorldCore()
    for number in 0..<count {
      let name = "a\(number)"
      try world.make(Alarm.kind, name)
      world.send(name, "arm", .text("a"), .integer(1_000_000_000 + dice.number(0...200)))
      if dice.once(in: 3) { world.send(name, "arm", .text("b"), .integer(2_000_000_000 + dice.number(0...9))) }
      if dice.once(in: 4) { world.send(name, "disarm", .text("a")) }
    }
    return world
  }

  private func text(_ item: WorldCore.AgendaItem, _ world: borrowing WorldCore) -> String {
    "\(item.due.text) \(world.name(of: item.machine)) \(item.timer)"
  }

  private func take(_ listing: AgendaListing, from world: borrowing WorldCore, budget: Int) -> [String] {
    var budget = budget
    var found: [String] = []
    while let item = listing.next(in: world, budget: &budget) { found.append(text(item, world)) }
    return found
  }

  /// The whole listing, in slices.
  private func listed(
    _ pattern: String, limit: Int = .max, _ world: borrowing WorldCore, pieces: Int
  ) -> [String] {
    let listing = world.agendaListing(matching: self.pattern(pattern), limit: limit)
    var found: [String] = []
    while !listing.isDone { found += take(listing, from: world, budget: pieces) }
    return found
  }

  @Test("timers in the order in which they fire, few and many", arguments: [100, 3_000])
  func agenda(count: Int) throws {
    var dice = Dice(seed: count)
    var world = try alarms(count, &dice)
    var firing: [String] = []
    let whole = listed("*", world, pieces: .max)
    for pieces in [1, 10, 1_500] {
      expectEqual(listed("*", world, pieces: pieces), whole)
      for limit in [0, 1, 10, 1_024, 1_025] {
        expectEqual(listed("*", limit: limit, world, pieces: pieces), Array(whole.prefix(limit)), "limit \(limit)")
      }
      expectEqual(
        listed("a1?", world, pieces: pieces),
        whole.filter { $0.contains(" a1") && $0.split(separator: " ")[1].count == 3 })
      expectEqual(listed("a7", world, pieces: pieces), whole.filter { $0.contains(" a7 ") })
    }
    expectEqual(world.agendaItems(matching: .all, limit: .max).map { text($0, world) }, whole)
    expectEqual(whole.count, world.runningTimerCount)
    let before = world.lastSequence
    world.advance(to: 10)
    for entry in world.journal(from: before + 1) {
      let place = entry.index
      firing.append("\(entry.moment.text) \(entry.machine) \(place)")
    }
    expectEqual(whole, firing)
  }

  @Test("what has fired, stopped or begun anew since the listing began is left out, and nothing new comes in")
  func changingAgenda() throws {
    var dice = Dice(seed: 1)
    var world = try alarms(3_000, &dice)
    let whole = listed("*", world, pieces: .max)
    let listing = world.agendaListing(matching: .all, limit: .max)
    let first = take(listing, from: world, budget: 1_700)
    expectEqual(first, Array(whole.prefix(first.count)))
    let rest = Array(whole.dropFirst(first.count))
    let names = rest.map { String($0.split(separator: " ")[1]) }
    world.drop(names[5])
    world.send(names[9], "arm", .text("a"), .integer(5))
    world.send(names[9], "arm", .text("b"), .integer(5))
    try world.make(Alarm.kind, "new")
    world.send("new", "arm", .text("a"), .integer(1_000_000_000))
    let second = take(listing, from: world, budget: .max)
    expectEqual(second, rest.filter { line in ![names[5], names[9]].contains { line.contains(" \($0) ") } })
    expect(listing.isDone)
    world.advance(to: 3)
    let late = world.agendaListing(matching: .all, limit: .max)
    expectEqual(take(late, from: world, budget: .max), [])
    expect(late.isDone)
  }

  @Test("many of the dead at the top do not hide the living")
  func deadOnTop() throws {
    var world = WorldCore()
    for number in 0..<2_000 {
      let name = "a\(number)"
      try world.make(Alarm.kind, name)
      world.send(name, "arm", .text("a"), .integer(1_000))
      world.send(name, "arm", .text("a"), .integer(1_000_000 + number))
    }
    expect(world.agenda.count - world.agenda.living > 1_024)
    expectEqual(listed("*", limit: 2, world, pieces: 100).map { $0.split(separator: " ")[1] }, ["a0", "a1"])
  }

  // MARK: States

  @Test("how many are in each state, counted in pieces, while machines come and go")
  func counting() throws {
    var world = WorldCore()
    for number in 0..<50 { try world.make(Relay.kind, "r\(number)") }
    for number in 0..<50 { try world.make(Metronome.kind, "m\(number)") }
    for pieces in [1, 7, 1_000] {
      var tally = StateTally()
      var count = 0
      while true {
        var budget = pieces
        let isDone = world.count(into: &tally, budget: &budget) { _, name, _ in name.last != UInt8(ascii: "0") }
        count += 1
        if isDone { break }
        expectEqual(budget, 0)
      }
      expectEqual(tally.counts, world.counts { _, name, _ in name.last != UInt8(ascii: "0") })
      expectEqual(tally.counts, [0: [45, 0], 1: [45]])
      expect(count >= 100 / pieces)
    }
    var tally = StateTally()
    var budget = 60
    _ = world.count(into: &tally, budget: &budget) { _, _, _ in true }
    world.drop("r0")
    world.drop("m49")
    try world.make(Relay.kind, "late")
    budget = .max
    let isDone = world.count(into: &tally, budget: &budget) { _, _, _ in true }
    expect(isDone)
    expectEqual(tally.counts, [0: [51, 0], 1: [49]], "each as it was when its turn came")
  }

  // MARK: Watches

  @Test("a watch looks at a name when its machine is first asked about, not at all names when it begins")
  func watching() throws {
    var world = WorldCore()
    let me = WatcherID(1)
    for number in 0..<100 { try world.make(Relay.kind, "a\(number)") }
    world.watch(pattern("a1*"), .moves, for: me)
    guard let view = world.watchView(of: me) else {
      Issue.record("nothing is watched")
      return
    }
    expectEqual(view.namesLookedAt, 0)
    let scope = view.scope(for: world.known("a12"), in: world)
    let other = view.scope(for: world.known("a22"), in: world)
    expectEqual(scope, .moves)
    expectNil(other)
    expectEqual(view.namesLookedAt, 2)
    world.watch(.all, .all, for: me)
    let inFull = view.scope(for: world.known("a22"), in: world)
    expectEqual(inFull, .all)
    expectEqual(view.namesLookedAt, 0, "where all are followed in full no name matters")
  }
}
