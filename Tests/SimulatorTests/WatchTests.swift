import TestSupport
import Simulator
import Testing

@Suite("Watches follow machines by pattern")
struct WatchTests {
  private let me = WatcherID(1)
  private let other = WatcherID(2)

  private func pattern(_ text: String) -> NamePattern { NamePattern(text.utf8) }

  private func scope(of machine: MachineID, in world: borrowing WorldCore) -> WatchScope? {
    guard let view = world.watchView(of: me) else { return nil }
    return view.scope(for: machine, in: world)
  }

  /// The scope in which each machine is followed, by name.
  private func followed(_ watcher: WatcherID, in world: inout WorldCore) -> [String: WatchScope] {
    guard let view = world.watchView(of: watcher) else { return [:] }
    var scopes: [String: WatchScope] = [:]
    for machine in world.machines(matching: .all) {
      scopes[world.name(of: machine)] = view.scope(for: machine, in: world)
    }
    return scopes
  }

  @Test("machines that are there and those made later; the widest of several patterns counts")
  func following() throws {
    var world = WorldCore()
    for name in ["a1", "b1"] { try world.make(Relay.kind, name) }
    expectEqual(followed(me, in: &world), [:])
    world.watch(pattern("a*"), .moves, for: me)
    world.watch(pattern("*2"), .all, for: me)
    for name in ["a2", "b2", "a3"] { try world.make(Relay.kind, name) }
    expectEqual(followed(me, in: &world), ["a1": .moves, "a2": .all, "b2": .all, "a3": .moves])
    expectEqual(followed(other, in: &world), [:])
    expectEqual(world.watchCount(of: me), 2)
    expectEqual(world.hearsOfTheClock(me), true)
    expectEqual(world.hearsOfTheClock(other), false)
  }

  @Test("watching again changes the scope, unwatching leaves the other patterns")
  func changing() throws {
    var world = WorldCore()
    for name in ["a", "b"] { try world.make(Relay.kind, name) }
    world.watch(pattern("*"), .all, for: me)
    world.watch(pattern("a"), .moves, for: me)
    world.watch(pattern("*"), .moves, for: me)
    expectEqual(world.watchCount(of: me), 2)
    expectEqual(followed(me, in: &world), ["a": .moves, "b": .moves])
    world.watch(pattern("a"), .all, for: me)
    expectEqual(followed(me, in: &world), ["a": .all, "b": .moves])
    let ended = world.unwatch(pattern("*"), for: me)
    expect(ended)
    expectEqual(followed(me, in: &world), ["a": .all])
    let endedAgain = world.unwatch(pattern("*"), for: me)
    expect(!endedAgain)
    let strangers = world.unwatch(pattern("a"), for: other)
    expect(!strangers)
    let last = world.unwatch(pattern("a"), for: me)
    expect(last)
    expectNil(world.watchView(of: me))
    expectEqual(world.watchCount(of: me), 0)
  }

  @Test("a new machine that has the number of one that is gone is followed by its own name")
  func recycled() throws {
    var limits = WorldLimits()
    limits.journal = 3
    var world = WorldCore(limits: limits)
    let first = try world.make(Relay.kind, "watched")
    world.watch(pattern("watched"), .all, for: me)
    world.drop("watched")
    expectEqual(scope(of: first, in: world), .all, "its last line is told")
    for name in ["x", "y", "z"] { try world.make(Relay.kind, name) }
    let second = try world.make(Relay.kind, "other")
    expectEqual(second, first)
    expectNil(scope(of: second, in: world))
    world.unwatchAll(for: me)
    expectNil(world.watchView(of: me))
  }

  @Test("many machines and patterns, as a plain search says", arguments: Thorough.rounds(0..<10))
  func model(seed: Int) throws {
    var dice = Dice(seed: seed)
    var world = WorldCore()
    var patterns: [(NamePattern, WatchScope)] = []
    var names: [String] = []
    for step in 0..<150 {
      let parts = (0..<dice.number(1...3)).map { _ in dice.one(of: ["a", "b", "*", "?"]) }
      let text = names.isEmpty || dice.number(0...3) > 0 ? parts.joined() : dice.one(of: names)
      switch dice.number(0...5) {
      case 0...2:
        let name = "\(dice.one(of: ["a", "b"]))\(dice.one(of: ["a", "b", ""]))\(step)"
        try world.make(Relay.kind, name)
        names.append(name)
      case 3:
        let scope = dice.one(of: [WatchScope.moves, .all])
        world.watch(pattern(text), scope, for: me)
        patterns.removeAll { $0.0 == pattern(text) }
        patterns.append((pattern(text), scope))
      case 4:
        let ended = world.unwatch(pattern(text), for: me)
        expectEqual(ended, patterns.contains { $0.0 == pattern(text) }, "seed \(seed)")
        patterns.removeAll { $0.0 == pattern(text) }
      default:
        if names.count > 3 { world.drop(names.remove(at: dice.number(0...names.count - 1))) }
      }
      var expected: [String: WatchScope] = [:]
      for name in names {
        expected[name] = patterns.filter { entry in name.bytes { entry.0.matches($0) } }.map(\.1).max()
      }
      expectEqual(followed(me, in: &world), expected, "seed \(seed), step \(step)")
    }
  }
}
