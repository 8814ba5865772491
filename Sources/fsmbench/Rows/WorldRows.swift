internal import Simulations
internal import Simulator
internal import StateMachines
internal import UnixHost

/// Steps of machines of one kind in a world in this process, journal included, compared with a bare array and a switch.
struct StepBenchmark {
  enum Crowd {
    case one
    case million
  }

  let kind: String
  let event: String
  let crowd: Crowd
  let bare: BareSteps.Cycle
  /// Steps per second.
  let target: Double

  var what: String {
    switch crowd {
    case .one: "\(kind) in process, one hot machine"
    case .million: "\(kind) in process, a million at random"
    }
  }

  func run(_ effort: Effort) throws -> Row {
    let count = crowd == .one ? 1 : effort.million
    var world = WorldCore()
    let kind = try Self.kind(kind)
    guard let event = kind.events.firstIndex(where: { $0.name == event }) else {
      throw BenchFailure.wrongReply(to: kind.name, expected: event, got: "no such event")
    }
    let machines = try world.fill(with: kind, count: count)
    var bareSteps = BareSteps(bare, machines: count)
    var dice = Dice(seed: 2)
    let order = (0..<1 << 20).map { _ in UInt32(truncatingIfNeeded: dice.next() % UInt64(count)) }
    let machineOrder = order.map { machines[Int($0)] }
    var steps = 0

    let pairing = Pairing(
      rounds: effort.rounds,
      ours: {
        rate(for: effort.nanoseconds) { block in
          let begin = block * Self.block & (order.count - 1)
          for place in begin..<begin + Self.block {
            world.expectSend(to: machineOrder[(place &+ WorldCore.sendsAhead) & (order.count - 1)])
            world.send(machineOrder[place], plain: event)
          }
          steps += Self.block
          return Self.block
        }
      },
      peer: {
        rate(for: effort.nanoseconds) { block in
          let begin = block * Self.block & (order.count - 1)
          bareSteps.step(order.span.extracting(begin..<begin + Self.block))
          return Self.block
        }
      })

    guard world.lastSequence == UInt64(count + steps), world.answer.verdict == .moved else {
      throw BenchFailure.wrongReply(
        to: "\(steps) steps", expected: "seq=\(count + steps)", got: "seq=\(world.lastSequence)")
    }
    return Row(pairing, .perSecond, beside: "bare switch", targets: [.atLeast(Figure(value: target, unit: .perSecond))])
  }

  /// Steps between two clock reads; a power of two.
  private static let block = 4_096

  static func kind(_ name: String) throws -> Kind {
    guard case .machine(let kind)? = Catalogue.simulations[name] else {
      throw BenchFailure.noServer("the catalogue has no kind '\(name)'")
    }
    return kind
  }
}

/// A million fridges on virtual time, firing one timer after the other, compared with a bare heap of as many entries.
func fridgeFirings(_ effort: Effort) throws -> Row {
  var world = WorldCore()
  _ = try world.fill(with: try StepBenchmark.kind("fridge"), count: effort.million, isSpread: true)
  var heap = BareHeap(capacity: effort.million)
  var dice = Dice(seed: 3)
  for id in 0..<effort.million { heap.push(.init(due: dice.next() % fridgeCycle, id: UInt64(id))) }

  let pairing = try Pairing(
    rounds: effort.rounds,
    ours: {
      try rate(for: effort.nanoseconds) { _ in
        var budget = 4_096
        let progress = world.advance(to: .end, budget: &budget)
        guard progress == .more else {
          throw BenchFailure.wrongReply(to: "advance", expected: "more to do", got: "\(progress)")
        }
        return 4_096
      }
    },
    peer: {
      rate(for: effort.nanoseconds) { _ in
        for _ in 0..<4_096 {
          var entry = heap.pop()
          // The two intervals of a fridge: the long one up, the short one down.
          entry.due += entry.id & 1 == 0 ? 656_358_000_000 : 1_606_634_000_000
          entry.id ^= 1
          heap.push(entry)
        }
        return 4_096
      }
    })
  let faults = world.checkInvariants()
  guard faults.isEmpty else {
    throw BenchFailure.wrongReply(to: "checkInvariants", expected: "nothing", got: faults[0])
  }
  return Row(
    pairing, .perSecond, beside: "bare heap",
    targets: [.atLeast(Figure(value: 2_500_000, unit: .perSecond)), .ratioAtLeast(0.65)])
}

/// How long a fridge with default parameters takes to cool down and warm up again, in nanoseconds.
private let fridgeCycle: UInt64 = 2_262_992_000_000

extension WorldCore {
  /// Makes machines named by ``Workload``.
  ///
  /// - Parameter isSpread: Whether they start at random temperatures, so that neighbours in memory are not neighbours
  ///   in time.
  mutating func fill(with kind: Kind, count: Int, isSpread: Bool = false) throws -> [MachineID] {
    let start = kind.parameters.firstIndex { $0.name == "start" }
    var dice = Dice(seed: 4)
    var machines: [MachineID] = []
    for index in 0..<count {
      var parameters: [(parameter: Int, value: Value)] = []
      if isSpread, let start {
        let hundredths = 201 + dice.next() % 2_000
        parameters = [(start, Value.number(Double(hundredths) / 100))]
      }
      var name = Workload.name(index)
      machines.append(try name.withUTF8 { try create(kind, named: .init($0), parameters: parameters) })
    }
    return machines
  }
}
