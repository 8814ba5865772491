import MachineTesting
import Simulations
import StateMachines
import TestSupport
import Testing

/// Random walks of every kind of the catalogue. The bench finds inputs that are ignored or refused and have effects.
struct RandomWalkTests {
  static let names = Catalogue.simulations.entries.map(\.name)

  private func walks(_ name: String, seeds: Range<UInt64>, length: Int) throws -> [RandomWalk] {
    let entry = try #require(Catalogue.simulations[name])
    let initials: [String?] =
      switch entry {
      case .machine(let kind): [nil] + kind.initialStates.map(Optional.some)
      case .composition: [nil]
      }
    let first = Int(Thorough.seed(seeds.lowerBound) % UInt64(initials.count))
    return Thorough.rounds(seeds).map { seed in
      RandomWalk(entry: entry, initial: initials[(first + Int(seed)) % initials.count], seed: seed, length: length)
    }
  }

  @Test("the same seed gives the same lines", arguments: names)
  func repeatable(name: String) throws {
    for walk in try walks(name, seeds: 0..<20, length: 200) {
      let bench = walk.play().bench
      expectEqual(bench.lines, walk.play().bench.lines, "seed \(walk.seed)")
      expectEqual(bench.violations, [], "seed \(walk.seed)")
    }
  }

  @Test("however time is cut, the lines are the same", arguments: names)
  func cuts(name: String) throws {
    for walk in try walks(name, seeds: 200..<220, length: 60) {
      let whole = walk.play()
      var generator = Generator(salt: walk.seed)
      let bench = Bench(seed: walk.seed)
      switch walk.entry {
      case .machine(let kind): bench.add(kind, "m", initial: walk.initial)
      case .composition(let composition): bench.add(composition, "m")
      }
      bench.advance(.zero)
      for move in whole.moves {
        switch move {
        case .send(let name, let event, let arguments): bench.send(event, arguments, to: name)
        case .fire(let name, let timer): bench.fire(timer, of: name)
        case .advance(let interval):
          let target = bench.now + interval
          while bench.now < target {
            let rest = (target - bench.now).nanoseconds
            bench.advance(Nanoseconds(nanoseconds: .random(in: min(1 + rest / 5, rest)...rest, using: &generator)))
          }
          bench.advance(.zero)
        }
      }
      expectEqual(bench.lines, whole.bench.lines, "seed \(walk.seed)")
    }
  }

  @Test("temperatures stay between what chambers tend to", arguments: ["fridge", "doorFridge", "smartFridge"])
  func temperatures(name: String) throws {
    for walk in try walks(name, seeds: 400..<430, length: 200) {
      _ = walk.play { bench in
        guard case .number(let temperature) = bench.reading("temperature") else { return }
        expect((-18...22).contains(temperature), "after \(bench.lines.last ?? ""), seed \(walk.seed)")
      }
    }
  }
}
