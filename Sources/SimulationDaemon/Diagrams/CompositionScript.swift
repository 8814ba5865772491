import Scripts
import LineProtocol
import Simulator
import StateMachines

/// A script that tests a composed kind: in each combination of states that its members reach, each event of each member,
/// with all that wires bring.
///
/// What is expected was seen in a world of its own. The combinations are searched breadth first, from new members, up to
/// ``mostCombinations``.
struct CompositionScript: TestScript {
  private let composition: Composition
  /// The inputs that lead to each combination found; the next one to test from is at `position`.
  private var found: [[Input]] = [[]]
  private var known: Set<String> = []
  private var position = 0
  private var number = 0

  /// Limit on the combinations tested.
  static let mostCombinations = 16

  private enum Input {
    /// An event of a member.
    case send(Int, event: Int, [Value])
    /// The next expiry.
    case step
  }

  /// What came of an input.
  private struct Outcome {
    /// The time until the next expiry, before the input.
    var left: Nanoseconds?
    /// The answer to a sent event.
    var answer = ""
    /// The members' states before and after, as a request writes them.
    var before: [String] = []
    var after: [String] = []
    /// The members' states and running timers after it.
    var identity = ""
  }

  init(_ composition: Composition) {
    self.composition = composition
    known.insert(outcome(of: nil, after: []).identity)
  }

  var head: [Substring] {
    [
      "# \(composition.name): each event of each member, each on members of their own.",
      "# Partial: at most \(CompositionScript.mostCombinations) combinations of states are tested, with new members first.",
      "clock virtual",
    ]
  }

  mutating func next() -> [Substring]? {
    guard position < found.count else { return nil }
    let way = found[position]
    position += 1
    var lines: [String] = []
    for input in inputs {
      let outcome = outcome(of: input, after: way)
      if case .step = input, outcome.left == nil { continue }
      number += 1
      lines += test(input, outcome, after: way, "c\(number)")
      if known.insert(outcome.identity).inserted, found.count < CompositionScript.mostCombinations {
        found.append(way + [input])
      }
    }
    return lines.map { $0[...] }
  }

  /// Every event of every member, with the choices of its arguments, and the next expiry.
  private var inputs: [Input] {
    var inputs: [Input] = []
    for (place, member) in composition.members.enumerated() {
      let pool = member.kind.makeParameterPool()
      for (event, samples) in member.kind.samples(pool.base).enumerated() {
        inputs += samples.choices.prefix(4).map { .send(place, event: event, $0) }
      }
    }
    return inputs + [.step]
  }

  private func test(_ input: Input, _ outcome: Outcome, after way: [Input], _ name: String) -> [String] {
    func expect(_ states: [String]) -> [String] {
      zip(composition.members, states).map { "expect \(name).\($0.name) \($1)" }
    }
    var lines = ["", "# \(outcome.before.joined(separator: ", "))", "new \(composition.name) \(name)"]
    lines += way.map { request($0, name) }
    switch input {
    case .send:
      lines.append("\(request(input, name)) => \(outcome.answer)")
    case .step:
      // A nanosecond earlier nothing has expired.
      if let left = outcome.left, left > Nanoseconds(nanoseconds: 1) {
        lines += ["advance \(left.nanoseconds - 1)ns => ok fired=0"] + expect(outcome.before)
      }
      lines.append("advance 1ns")
    }
    // Their timers must not run beside those of the next members.
    return lines + expect(outcome.after) + ["drop \(name)"]
  }

  private func request(_ input: Input, _ name: String) -> String {
    guard case .send(let member, let event, let arguments) = input else { return "step" }
    let entry = composition.members[member]
    return ScriptText.send("\(name).\(entry.name)", entry.kind, event: event, arguments)
  }

  // MARK: Trying

  /// Plays inputs in a new world.
  ///
  /// - Parameter input: The last one; `nil` for none.
  private func outcome(of input: Input?, after way: [Input]) -> Outcome {
    var world = WorldCore()
    var outcome = Outcome()
    do throws(WorldCore.CreationFailure) {
      try world.create(composition, named: "c", parameters: composition.members.map(\.kind.requiredExamples))
    } catch {
      // The examples of its members do not conflict, and a new world has room.
      return outcome
    }
    let members = composition.members.compactMap { member in
      Array("c.\(member.name)".utf8).withUnsafeBytes { world.find($0) }
    }
    settle(&world)
    for input in way { perform(input, members, &world) }
    outcome.before = members.map { ScriptSpelling.word(world.state(of: $0)) }
    outcome.left = world.nextDue().map { $0 - world.now }
    if let input {
      let sequence = world.lastSequence + 1
      perform(input, members, &world)
      if case .send = input { outcome.answer = answer(at: sequence, world) }
    }
    outcome.after = members.map { ScriptSpelling.word(world.state(of: $0)) }
    outcome.identity = members.map { member in
      ([world.state(of: member)] + world.runningTimers(of: member).map { "\($0.timer) \($0.key)" })
        .joined(separator: " ")
    }.joined(separator: "; ")
    return outcome
  }

  private func perform(_ input: Input, _ members: [MachineID], _ world: inout WorldCore) {
    switch input {
    case .send(let member, let event, let arguments): world.send(members[member], event: event, arguments)
    case .step:
      guard let due = world.nextDue() else { return }
      advance(&world, to: due)
    }
    settle(&world)
  }

  /// Timers without delay fire before the next request.
  private func settle(_ world: inout WorldCore) { advance(&world, to: world.now) }

  private func advance(_ world: inout WorldCore, to moment: Instant) {
    var budget = CompositionScript.mostFirings
    _ = world.advance(to: moment, budget: &budget)
  }

  private static let mostFirings = 1_000

  /// The answer to an input, as a script expects it.
  private func answer(at sequence: UInt64, _ world: borrowing WorldCore) -> String {
    var reader = world.journalReader(from: sequence)
    guard let entry = world.read(&reader), let machine = entry.machine else { return "ok" }
    let kind = world.kind(of: machine)
    let input = JournalInput(entry)
    let outputs = input.effects.compactMap { effect in
      if case .emitted(let output, _) = effect, !kind.outputs[output].isTold { kind.outputs[output].name } else { nil }
    }
    let (from, to) = (
      ScriptSpelling.word(kind.stateWord(Int(entry.from), data: input.before)),
      ScriptSpelling.word(kind.stateWord(Int(entry.to), data: input.after))
    )
    return switch entry.verdict {
    case .moved: "moved \(from) \(to) outputs=\(outputs.joined(separator: ","))"
    case .stayed: "stayed \(to) outputs=\(outputs.joined(separator: ","))"
    case .ignored: "ignored \(to)"
    case .refused: "refused"
    }
  }
}
