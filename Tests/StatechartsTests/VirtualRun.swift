import StateMachines

@testable import Statecharts

/// A machine on a clock that moves when it is told to.
struct VirtualRun {
  let definition: Definition
  let interpreter: Interpreter
  private(set) var machine: RunningChart
  private(set) var now = Instant.beginning
  private(set) var generator = Generator(seed: 1)
  /// All effects, but timers.
  private(set) var told: [ChartEffect] = []
  private(set) var outcome: ChartOutcome
  /// Running timers, in the order of their arming.
  private var timers: [(key: UInt32, due: Instant)] = []

  /// Makes the machine, and lets what is due at once happen.
  init(_ definition: Definition, limits: StatechartLimits = StatechartLimits()) {
    self.definition = definition
    interpreter = Interpreter(definition, limits: limits)
    (machine, outcome) = interpreter.start(now: now, generator: &generator)
    carryOut()
    advance(by: .zero)
  }

  private mutating func carryOut() {
    for effect in interpreter.effects {
      switch effect {
      case .arm(let key, _, let due): timers.append((key, due))
      case .disarm(let key, _): timers.removeAll { $0.key == key }
      case .log, .output, .send: told.append(effect)
      }
    }
  }

  /// Gives an input to the machine. After a limit, the machine is as it was.
  @discardableResult
  mutating func give(_ input: ChartInput) -> ChartOutcome {
    outcome = interpreter.step(&machine, input, now: now, generator: &generator)
    carryOut()
    return outcome
  }

  /// Sends an event, and lets what is due at once happen.
  @discardableResult
  mutating func send(_ event: String, _ data: DataValue = .undefined) -> ChartOutcome {
    let outcome = give(.event(definition.event(named: event), data: data))
    advance(by: .zero)
    return outcome
  }

  /// Lets time pass, at most 10,000 timers.
  mutating func advance(by interval: Nanoseconds) {
    let end = now + interval
    for _ in 0..<10_000 {
      guard let next = timers.indices.min(by: { (timers[$0].due, $0) < (timers[$1].due, $1) }), timers[next].due <= end
      else { break }
      let timer = timers.remove(at: next)
      now = max(now, timer.due)
      give(.timer(timer.key))
    }
    now = end
  }

  var word: String { definition.word(of: machine) }
  var hasTimers: Bool { !timers.isEmpty }
  /// The keys that are armed here and those that the machine waits for.
  var keys: (armed: [UInt32], awaited: [UInt32]) { (timers.map(\.key).sorted(), machine.timers.sorted()) }
}

extension Definition {
  /// Compiles a text that has no mistakes.
  static func of(_ text: String, resources: [String: [UInt8]] = [:]) throws -> Definition {
    switch compile(Array(text.utf8), resources: resources) {
    case .definition(let definition, _): return definition
    case .mistakes(let findings, let missing): throw Mistakes(findings: findings, missing: missing)
    }
  }

  struct Mistakes: Error, CustomStringConvertible {
    var findings: [Finding]
    var missing: [String]
    var description: String { findings.map(\.description).joined(separator: "\n") + "\nmissing: \(missing)" }
  }
}
