import TestSupport
@testable import Simulator
import StateMachines

/// A world with random inputs and rewinds, and the list of what is not undone.
struct RewindWalk: ~Copyable {
  var world: WorldCore
  private var dice: Dice
  private let seed: Int
  private let limits: WorldLimits
  private var script: Script
  private var next = 0
  /// Actions that are not undone. Those with the same number belong to one request.
  private(set) var surviving: [(moment: Instant, action: Script.Action, request: Int, isInput: Bool)] = []
  private var requests = 0
  private(set) var rewinds = 0
  private(set) var redos = 0
  /// What each rewind since the last input has left, for a redo.
  private var left:
    [(surviving: [(moment: Instant, action: Script.Action, request: Int, isInput: Bool)], now: Instant)] =
      []
  /// The number of the last rewind.
  private var lastRewind: UInt64 = 0

  init(seed: Int, of entries: [CatalogueEntry], steps: Int, limits: WorldLimits = Script.limits()) {
    self.seed = seed
    self.limits = limits
    dice = Dice(seed: seed + 7)
    world = WorldCore(seed: UInt64(seed), limits: limits)
    script = Script(seed: seed, of: entries, inputs: steps)
  }

  /// One request, or a rewind.
  mutating func step() throws {
    switch dice.number(0...29) {
    case 0, 1: try undo(dice.number(1...3))
    case 2: try undo(dice.number(1...40))
    case 3: try goTo()
    case 4: try request(of: dice.number(2...5))
    case 5, 6:
      // Right after rewinds, and after redos.
      try undo(dice.number(1...3))
      if dice.once(in: 2) { try undo(dice.number(1...3)) }
      try redo(dice.number(1...2))
      if dice.once(in: 2) { try redo(1) }
      if dice.once(in: 3) { try goTo() }
    case 7: try redo(dice.number(1...3))
    default: try request(of: 1)
    }
    world.keepCheckpointIfDue()
    // The order of names is built, and maintained from then on.
    if dice.once(in: 10) { _ = world.machines(matching: .all) }
  }

  private mutating func request(of count: Int) throws {
    guard next + count <= script.inputs.count else { return }
    let wait = next > 0 ? script.inputs[next].moment - script.inputs[next - 1].moment : .zero
    Script.advance(&world, to: world.now + wait, dice.once(in: 2) ? .whole : .pieces(seed: next))
    world.fireDue()
    if count > 1 { world.beginRequest() }
    requests += 1
    for place in next..<(next + count) {
      let before = world.lastSequence
      script.play(script.inputs[place].action, into: &world)
      surviving.append((world.now, script.inputs[place].action, requests, world.lastSequence > before))
      world.fireDue()
    }
    next += count
    world.endRequest()
  }

  private mutating func undo(_ count: Int) throws {
    var counted: [Int] = []
    for entry in surviving.reversed() where entry.isInput {
      // A composed kind is several inputs of one request.
      if counted.last != entry.request { counted.append(entry.request) }
    }
    let from = world.lastSequence
    guard counted.count >= count else { return }
    leave()
    _ = try world.goBack(.requests(count), by: dice.number(1...200))
    surviving.removeAll { $0.request >= counted[count - 1] }
    rewinds += 1
    lastRewind = world.lastSequence
    precondition(world.lastSequence == from + 1)
  }

  /// Notes what a rewind leaves.
  private mutating func leave() {
    if world.lastSequence != lastRewind { left = [] }
    left.append((surviving, world.now))
  }

  private mutating func redo(_ count: Int) throws {
    let most = world.lastSequence == lastRewind ? left.count : 0
    guard count <= most else {
      do {
        _ = try world.goBack(.undos(count), by: dice.number(1...200))
        preconditionFailure("seed \(seed): \(count) redos, though there are only \(most)")
      } catch Rewinding.Failure.onlySoMany(most) {
        return
      }
    }
    _ = try world.goBack(.undos(count), by: dice.number(1...200))
    let back = left[left.count - count]
    left.removeLast(count)
    surviving = back.surviving
    precondition(world.now == back.now, "seed \(seed): a redo goes on from \(world.now), not \(back.now)")
    redos += 1
    lastRewind = world.lastSequence
  }

  private mutating func goTo() throws {
    let moments = surviving.map(\.moment) + [.beginning, world.now]
    var moment = dice.one(of: moments)
    if dice.once(in: 3) { moment = moment + Nanoseconds(nanoseconds: 1) }
    guard moment < world.now else { return }
    leave()
    _ = try world.goBack(.moment(moment), by: dice.number(1...200))
    surviving.removeAll { $0.moment > moment }
    rewinds += 1
    lastRewind = world.lastSequence
  }

  /// A world in which nothing was ever undone.
  func straight() -> WorldCore {
    var world = WorldCore(seed: UInt64(seed), limits: limits)
    for (moment, action, _, _) in surviving {
      Script.advance(&world, to: moment, .whole)
      world.fireDue()
      script.play(action, into: &world)
      world.fireDue()
    }
    Script.advance(&world, to: self.world.now, .whole)
    return world
  }
}
