import MachineTesting
import StateMachines
import TestSupport
import Testing

/// Tests also use the standard library's random functions; machines do not.
extension Generator: RandomNumberGenerator {}

/// An input to a few machines.
enum Move {
  case send(String, event: String, [Value])
  case fire(String, timer: String)
  case advance(Nanoseconds)
}

/// A walk that is determined by its seed: events with all kinds of arguments, timers fired early, and jumps of every
/// size. Some jumps end exactly at the next expiry, and some a nanosecond before it.
struct RandomWalk {
  let entry: CatalogueEntry
  /// The initial state; only for a single machine.
  let initial: String?
  let seed: UInt64
  let length: Int

  /// Kinds with a timer that is due many times a second. Their jumps are short, because a walk would take too long
  /// otherwise.
  static let restless: Set = ["game"]

  /// Walks on a bench. Returns the moves, and the bench after them.
  func play(after each: (Bench) -> Void = { _ in }) -> (moves: [Move], bench: Bench) {
    var generator = Generator(salt: seed)
    let bench = Bench(seed: seed)
    switch entry {
    case .machine(let kind): bench.add(kind, "m", initial: initial)
    case .composition(let composition): bench.add(composition, "m")
    }
    bench.advance(.zero)
    each(bench)
    var moves: [Move] = []
    for _ in 0..<length {
      let move = draw(bench, &generator)
      moves.append(move)
      perform(move, on: bench)
      each(bench)
    }
    return (moves, bench)
  }

  private func draw(_ bench: Bench, _ generator: inout Generator) -> Move {
    let name = bench.names.randomElement(using: &generator)!
    let kind = bench.kind(of: name)
    switch Int.random(in: 0..<10, using: &generator) {
    case 0..<5:
      let event = kind.events.randomElement(using: &generator)!
      let arguments = event.arguments.map { $0.samples.randomElement(using: &generator)! }
      return .send(name, event: event.name, arguments)
    case 5:
      guard let timer = bench.timers(of: name).keys.sorted().randomElement(using: &generator) else { fallthrough }
      return .fire(name, timer: timer)
    case 6:
      guard let due = bench.nextDue else { fallthrough }
      return .advance(due - bench.now)
    case 7:
      guard let due = bench.nextDue, due > bench.now else { fallthrough }
      return .advance(due - bench.now - Nanoseconds(nanoseconds: 1))
    default:
      let longest = Int64.random(in: 0...(RandomWalk.restless.contains(entry.name) ? 9 : 13), using: &generator)
      return .advance(Nanoseconds(nanoseconds: .random(in: 0...powerOfTen(longest), using: &generator)))
    }
  }

  private func powerOfTen(_ exponent: Int64) -> Int64 { (0..<exponent).reduce(1) { power, _ in power * 10 } }

  private func perform(_ move: Move, on bench: Bench) {
    switch move {
    case .send(let name, let event, let arguments): bench.send(event, arguments, to: name)
    case .fire(let name, let timer): bench.fire(timer, of: name)
    case .advance(let interval): bench.advance(interval)
    }
  }
}
