import TestSupport
import Simulator
import StateMachines

/// Random inputs with moments, for any kinds. A script is played the same way into any world: inputs that are
/// impossible there, such as an event for a machine that does not exist, are skipped.
struct Script {
  enum Action {
    case create(CatalogueEntry, name: String, initial: Int?, parameters: [[(parameter: Int, value: Value)]])
    case drop(String)
    case send(String, event: Int, arguments: [Value])
    case fire(String, timer: Int, key: UInt32)
    case wire(String, output: Int, String, event: Int)
    case unwire(place: Int)
  }

  var inputs: [(moment: Instant, action: Action)] = []
  var end = Instant.beginning

  /// How time is moved to the moment of the next input.
  enum Cut {
    /// In one call.
    case whole
    /// To moments in between, with small budgets.
    case pieces(seed: Int)
    /// From timer to timer.
    case steps
  }

  // MARK: Making

  /// - Parameters:
  ///   - seed: Equal seeds give equal scripts.
  ///   - isFixed: The script is the same whatever `FSMD_SEED` is.
  init(seed: Int, of entries: [CatalogueEntry], inputs count: Int, isFixed: Bool = false) {
    var dice = isFixed ? Dice(fixed: UInt64(seed)) : Dice(seed: seed)
    var made: [(name: String, kind: Kind)] = []
    var now: Int64 = 0
    for number in 0..<count {
      // Some at the same moment, some within a double tap, some hours apart.
      now += dice.one(of: [
        0, 0, Int64(dice.number(1...999)), Int64(dice.number(1...2_000)) * 1_000_000,
        Int64(dice.number(1...500)) * 1_000_000_000,
      ])
      let action: Action
      if made.count < 3 || dice.once(in: 12) {
        action = Script.creation(dice.one(of: entries), "m\(number)", &dice, &made)
      } else {
        action = Script.action(on: made, &dice)
      }
      inputs.append((Instant(nanoseconds: now), action))
    }
    end = Instant(nanoseconds: now + 3_600_000_000_000)
  }

  private static func creation(
    _ entry: CatalogueEntry, _ name: String, _ dice: inout Dice, _ made: inout [(name: String, kind: Kind)]
  ) -> Action {
    switch entry {
    case .machine(let kind):
      made.append((name, kind))
      let word = dice.once(in: 4) ? dice.one(of: kind.initialStates) : nil
      return .create(
        entry, name: name, initial: word.flatMap { kind.initialState(named: $0) },
        parameters: [parameters(of: kind, &dice)])
    case .composition(let composition):
      made += composition.members.map { ("\(name).\($0.name)", $0.kind) }
      return .create(
        entry, name: name, initial: nil, parameters: composition.members.map { parameters(of: $0.kind, &dice) })
    }
  }

  private static func parameters(of kind: Kind, _ dice: inout Dice) -> [(parameter: Int, value: Value)] {
    kind.parameters.indices.compactMap { place in
      let entry = kind.parameters[place]
      // Sixty frames a second would leave room for nothing else in hours.
      if entry.name == "frameRate" { return (place, .integer(1)) }
      guard entry.standard == nil || dice.once(in: 4) else { return nil }
      return (place, dice.one(of: samples(of: entry)))
    }
  }

  /// Values for a parameter. Durations much shorter than usual would fill hours with crossings.
  private static func samples(of entry: ParameterEntry) -> [Value] {
    guard case .interval(let range) = entry.type, case .interval(let standard) = entry.example else {
      return entry.type.samples + [entry.example]
    }
    let isShort = standard < .seconds(10) && range.lowerBound == .zero
    return [entry.example, .interval(min(max(.seconds(100), range.lowerBound), range.upperBound))]
      + (isShort ? [.interval(.zero)] : [])
  }

  private static func action(on made: [(name: String, kind: Kind)], _ dice: inout Dice) -> Action {
    let (name, kind) = dice.one(of: made)
    switch dice.number(0...19) {
    case 0: return .drop(name)
    case 1, 2:
      if !kind.timers.isEmpty { return fire(name, kind, &dice) }
    case 3, 4:
      let (target, targetKind) = dice.one(of: made)
      if !kind.outputs.isEmpty {
        return .wire(
          name, output: dice.number(0...kind.outputs.count - 1), target,
          event: dice.number(0...targetKind.events.count - 1))
      }
    case 5: return .unwire(place: dice.number(0...9))
    default: break
    }
    let event = dice.number(0...kind.events.count - 1)
    return .send(name, event: event, arguments: kind.events[event].arguments.map { dice.one(of: $0.type.samples) })
  }

  private static func fire(_ name: String, _ kind: Kind, _ dice: inout Dice) -> Action {
    let timer = dice.number(0...kind.timers.count - 1)
    return .fire(name, timer: timer, key: kind.timers[timer].key == nil ? 0 : UInt32(dice.number(1...4)))
  }

  // MARK: Playing

  /// Limits for playing scripts, which keep loops of wires short.
  static func limits() -> WorldLimits {
    var limits = WorldLimits()
    limits.chain = 50
    limits.wireChain = 8
    limits.wireDeliveries = 30
    return limits
  }

  func play(into world: inout WorldCore, _ cut: Cut) {
    for (moment, action) in inputs {
      Script.advance(&world, to: moment, cut)
      world.fireDue()
      play(action, into: &world)
    }
    Script.advance(&world, to: end, cut)
  }

  /// Moves time to `target`, or as far as an endless chain allows.
  static func advance(_ world: inout WorldCore, to target: Instant, _ cut: Cut) {
    switch cut {
    case .whole: advance(&world, to: target) { Int.max }
    case .pieces(let seed):
      var dice = Dice(seed: seed &+ Int(world.now.nanoseconds % 1_000_003))
      for _ in 0..<dice.number(0...4) {
        let rest = (target - world.now).nanoseconds
        guard rest > 0 else { break }
        let piece = (Int64(dice.next() >> 1) % rest) >> Int64(dice.number(0...40))
        advance(&world, to: world.now + Nanoseconds(nanoseconds: piece)) { dice.number(1...5) }
      }
      advance(&world, to: target) { dice.number(1...5) }
    case .steps:
      while let due = world.nextDue(), due <= target {
        guard world.fireNext() else { return }
      }
      advance(&world, to: target) { 1 }
    }
  }

  private static func advance(_ world: inout WorldCore, to target: Instant, budget: () -> Int) {
    while true {
      var rest = budget()
      switch world.advance(to: target, budget: &rest) {
      case .reached: return
      case .more: break
      case .livelocked:
        if world.isStalled { return }
      }
    }
  }

  func play(_ action: Action, into world: inout WorldCore) {
    switch action {
    case .create(.machine(let kind), let name, let initial, let parameters):
      _ = try? world.make(kind, name, initial: initial, parameters[0])
    case .create(.composition(let composition), let name, _, let parameters):
      try? world.create(composition, named: name, parameters: parameters)
    case .drop(let name):
      if let machine = world.machine(name) { world.drop(machine) }
    case .send(let name, let event, let arguments):
      guard let machine = world.machine(name) else { return }
      if arguments.isEmpty { world.send(machine, plain: event) } else { world.send(machine, event: event, arguments) }
    case .fire(let name, let timer, let key):
      if let machine = world.machine(name) { world.fire(machine, timer: timer, key: key) }
    case .wire(let source, let output, let target, let event):
      guard let source = world.machine(source), let target = world.machine(target) else { return }
      try? world.wire(Wire(from: source, output: output, to: target, event: event))
    case .unwire(let place):
      let wires = world.allWires()
      if place < wires.count { try? world.unwire(wires[place]) }
    }
  }
}
